#include "fabric/control/bfd_session.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::fabric {
namespace {

using wire::BfdState;

constexpr std::int64_t kPicosecondsPerMicrosecond = 1'000'000;

std::uint32_t whole_microseconds(Duration duration) {
  return static_cast<std::uint32_t>(duration.picoseconds() / kPicosecondsPerMicrosecond);
}

}  // namespace

BfdSession::BfdSession(const Options& options, RandomStream random) : options_(options), random_(random) {
  WEFT_ASSERT(options.interval >= Duration::microseconds(1) && options.multiplier > 0 && options.discriminator != 0);
}

void BfdSession::start(Time now) {
  stop();
  is_running_ = true;
  send_at_ = now;
}

void BfdSession::start_up(std::uint32_t peer_discriminator, Duration phase, Time now) {
  start(now);
  state_ = BfdState::kUp;
  peer_discriminator_ = peer_discriminator;
  peer_min_rx_ = peer_desired_tx_ = options_.interval;
  peer_multiplier_ = options_.multiplier;
  send_at_ = now + phase;
  detect_at_ = now + detection_time();
}

void BfdSession::stop() {
  is_running_ = false;
  set_state(BfdState::kDown, wire::BfdDiagnostic::kPathDown);
  changed_ = false;
  peer_discriminator_ = 0;
  peer_min_rx_ = Duration::microseconds(1);
  send_at_ = detect_at_ = Time::never();
}

//= rfc5880 6.8.4
Duration BfdSession::detection_time() const { return std::max(options_.interval, peer_desired_tx_) * peer_multiplier_; }

//= rfc5880 6.8.7
Duration BfdSession::transmit_interval() const {
  const Duration own = is_up() ? options_.interval : std::max(options_.interval, kSlowInterval);
  return std::max(own, peer_min_rx_);
}

void BfdSession::set_state(BfdState state, wire::BfdDiagnostic diagnostic) {
  changed_ = changed_ || state != state_;
  state_ = state;
  diagnostic_ = diagnostic;
}

//= rfc5880 6.8.6
void BfdSession::change_state(const wire::BfdControl& packet) {
  switch (packet.state) {
    case BfdState::kAdminDown:
      if (state_ != BfdState::kDown) {
        set_state(BfdState::kDown, wire::BfdDiagnostic::kNeighbourDown);
      }
      return;
    case BfdState::kDown:
      if (state_ == BfdState::kDown) {
        set_state(BfdState::kInit, wire::BfdDiagnostic::kNone);
      } else if (state_ == BfdState::kUp) {
        set_state(BfdState::kDown, wire::BfdDiagnostic::kNeighbourDown);
      }
      return;
    case BfdState::kInit:
    case BfdState::kUp:
      if (state_ == BfdState::kInit || (state_ == BfdState::kDown && packet.state == BfdState::kInit)) {
        set_state(BfdState::kUp, wire::BfdDiagnostic::kNone);
      }
      return;
  }
}

void BfdSession::on_packet(const wire::BfdControl& packet, Time now) {
  if (!is_running_ || (packet.your_discriminator != 0 && packet.your_discriminator != options_.discriminator)) {
    return;
  }
  peer_discriminator_ = packet.my_discriminator;
  peer_min_rx_ = Duration::microseconds(packet.required_min_rx);
  peer_desired_tx_ = Duration::microseconds(packet.desired_min_tx);
  peer_multiplier_ = packet.detect_multiplier;
  change_state(packet);
  detect_at_ = now + detection_time();
  if (changed_) {
    send_at_ = now;
  }
}

void BfdSession::on_timeout(Time now) {
  if (detect_at_ > now) {
    return;
  }
  detect_at_ = Time::never();
  peer_discriminator_ = 0;
  peer_min_rx_ = Duration::microseconds(1);
  if (state_ == BfdState::kInit || state_ == BfdState::kUp) {
    ++expirations_;
    set_state(BfdState::kDown, wire::BfdDiagnostic::kDetectionExpired);
    send_at_ = now;
  }
}

std::optional<wire::BfdControl> BfdSession::poll(Time now) {
  if (send_at_ > now) {
    return std::nullopt;
  }
  changed_ = false;
  //= rfc5880 6.8.7
  const Duration interval = transmit_interval();
  const std::int64_t quarter = interval.picoseconds() / 4;
  const std::int64_t least = options_.multiplier == 1 ? interval.picoseconds() / 10 : 0;
  send_at_ = now + interval - Duration::picoseconds(random_.uniform_between({.low = least, .high = quarter}));
  return wire::BfdControl{
      .state = state_,
      .diagnostic = static_cast<std::uint8_t>(diagnostic_),
      .detect_multiplier = options_.multiplier,
      .my_discriminator = options_.discriminator,
      .your_discriminator = peer_discriminator_,
      .desired_min_tx = whole_microseconds(is_up() ? options_.interval : std::max(options_.interval, kSlowInterval)),
      .required_min_rx = whole_microseconds(options_.interval)};
}

}  // namespace weft::fabric
