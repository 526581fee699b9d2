#include "fabric/control/bgp_session.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/assert.h"
#include "wire/packet.h"

namespace weft::fabric {
namespace {

/// Before the peer's OPEN has come, RFC 4271 suggests four minutes.
constexpr Duration kLargeHold = Duration::seconds(240);
constexpr std::int64_t kPicosecondsPerSecond = 1'000'000'000'000;

std::uint16_t whole_seconds(Duration duration) {
  return static_cast<std::uint16_t>(duration.picoseconds() / kPicosecondsPerSecond);
}

}  // namespace

BgpSession::BgpSession(const Options& options, RandomStream random)
    : options_(options), random_(random), stream_(options.stream) {}

void BgpSession::start(Time now) {
  if (state_ != State::kIdle) {
    return;
  }
  state_ = State::kConnect;
  // Numbers that no earlier connection had, so that what is left of one is not taken for this one's.
  const auto first = static_cast<std::uint32_t>(random_.next());
  if (options_.opens) {
    stream_.open(first, now);
    retry_at_ = now + options_.connect_retry;
  } else {
    stream_.listen(first);
    retry_at_ = Time::never();
  }
}

void BgpSession::start_established(Duration phase, Time now) {
  WEFT_ASSERT(state_ == State::kIdle);
  // Both ends count from the same number: there was no handshake to tell them.
  stream_.listen(0);
  stream_.establish(0);
  state_ = State::kEstablished;
  hold_ = options_.hold_time;
  restart_hold(now);
  if (hold_ > Duration::zero()) {
    keepalive_at_ = now + phase;
  }
}

void BgpSession::stop(SessionEnd reason, Time now) { end(reason, now); }

// A reset follows the NOTIFICATION at once; in a stream that delivers in order the peer reads it first.
void BgpSession::end(SessionEnd reason, Time now) {
  if (state_ == State::kIdle) {
    return;
  }
  last_end_ = reason;
  if (is_established()) {
    ++counters_.ended_established;
  }
  retransmissions_ += stream_.retransmissions();
  const bool heard = reason != SessionEnd::kReset && reason != SessionEnd::kNotification;
  stream_.close(heard ? SessionStream::Tells::kReset : SessionStream::Tells::kNothing);
  state_ = State::kIdle;
  updates_.clear();
  hold_at_ = keepalive_at_ = Time::never();
  retry_at_ = now + options_.connect_retry;
}

void BgpSession::put(const wire::BgpMessage& message) {
  std::vector<std::byte> bytes;
  emit_bgp(message, bytes);
  ++counters_.messages;
  counters_.bytes += bytes.size();
  counters_.updates += std::holds_alternative<wire::BgpUpdate>(message) ? 1 : 0;
  stream_.write(bytes);
}

void BgpSession::send(const wire::BgpUpdate& update) {
  WEFT_DCHECK(is_established());
  put(update);
}

void BgpSession::restart_hold(Time now) { hold_at_ = hold_ > Duration::zero() ? now + hold_ : Time::never(); }

//= rfc4271 10
Duration BgpSession::keepalive_interval() {
  const Duration whole = hold_ / 3;
  return whole - Duration::picoseconds(random_.uniform_between({.low = 0, .high = whole.picoseconds() / 4}));
}

void BgpSession::on_segment(const Segment& segment, Time now) {
  const bool was_open = stream_.is_open();
  if (!stream_.on_segment(segment, now)) {
    end(SessionEnd::kReset, now);
    // Whoever waits may be called again at once.
    if (!options_.opens) {
      start(now);
      if ((segment.flags & wire::kTcpSyn) != 0) {
        (void)stream_.on_segment(segment, now);
      }
    }
    return;
  }
  if (!was_open && stream_.is_open() && state_ == State::kConnect) {
    state_ = State::kOpenSent;
    retry_at_ = Time::never();
    hold_ = kLargeHold;
    restart_hold(now);
    put(wire::BgpOpen{.as_number = options_.as_number,
                      .hold_time = whole_seconds(options_.hold_time),
                      .identifier = options_.identifier});
  }
  on_bytes(now);
}

void BgpSession::on_bytes(Time now) {
  std::vector<std::byte>& received = stream_.received();
  std::size_t at = 0;
  while (state_ >= State::kOpenSent && received.size() - at >= wire::kBgpHeaderSize) {
    const std::span<const std::byte> rest = std::span<const std::byte>(received).subspan(at);
    const auto length = wire::bgp_message_length(rest);
    if (!length) {
      return on_fault(length.error(), now);
    }
    if (rest.size() < *length) {
      break;
    }
    auto message = wire::parse_bgp(rest.first(*length));
    if (!message) {
      return on_fault(message.error(), now);
    }
    at += *length;
    on_message(std::move(*message), static_cast<std::uint32_t>(*length), now);
  }
  if (state_ >= State::kOpenSent) {
    received.erase(received.begin(), received.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

void BgpSession::on_fault(const wire::BgpFault& fault, Time now) {
  ++counters_.faults;
  put(wire::BgpNotification{.code = fault.code, .subcode = fault.subcode});
  notify_before_end(now);
  end(SessionEnd::kFault, now);
}

void BgpSession::on_open(const wire::BgpOpen& open, Time now) {
  constexpr std::uint8_t kBadPeerAs = 2;
  if (options_.peer_as != 0 && open.as_number != options_.peer_as) {
    return on_fault({.code = wire::BgpErrorCode::kOpen, .subcode = kBadPeerAs, .message = "unexpected AS number"}, now);
  }
  peer_identifier_ = open.identifier;
  const Duration peer_hold = Duration::seconds(open.hold_time);
  hold_ = std::min(options_.hold_time, peer_hold);
  restart_hold(now);
  put(wire::BgpKeepalive{});
  keepalive_at_ = hold_ > Duration::zero() ? now + keepalive_interval() : Time::never();
  state_ = State::kOpenConfirm;
}

// What comes in a state in which it must not is an error of the state machine.
//= rfc4271 8.2.2
void BgpSession::on_message(wire::BgpMessage&& message, std::uint32_t bytes, Time now) {
  const wire::BgpFault unexpected{.code = wire::BgpErrorCode::kStateMachine, .message = "message out of turn"};
  if (std::holds_alternative<wire::BgpNotification>(message)) {
    return end(SessionEnd::kNotification, now);
  }
  if (const auto* const open = std::get_if<wire::BgpOpen>(&message)) {
    return state_ == State::kOpenSent ? on_open(*open, now) : on_fault(unexpected, now);
  }
  if (state_ == State::kOpenSent) {
    return on_fault(unexpected, now);
  }
  restart_hold(now);
  if (std::holds_alternative<wire::BgpKeepalive>(message)) {
    state_ = State::kEstablished;
    return;
  }
  if (state_ != State::kEstablished) {
    return on_fault(unexpected, now);
  }
  updates_.push_back({.update = std::get<wire::BgpUpdate>(std::move(message)), .bytes = bytes});
}

void BgpSession::on_timeout(Time now) {
  if (stream_.next_timeout() <= now) {
    stream_.on_timeout(now);
  }
  if (hold_at_ <= now) {
    put(wire::BgpNotification{.code = wire::BgpErrorCode::kHoldTimerExpired});
    notify_before_end(now);
    return end(SessionEnd::kHoldTimer, now);
  }
  if (keepalive_at_ <= now) {
    put(wire::BgpKeepalive{});
    keepalive_at_ = now + keepalive_interval();
  }
  if (retry_at_ <= now) {
    retry_at_ = Time::never();
    if (state_ == State::kConnect) {
      state_ = State::kIdle;
    }
    start(now);
  }
}

std::optional<Segment> BgpSession::poll(Time now) {
  if (!parting_.empty()) {
    Segment segment = std::move(parting_.front());
    parting_.erase(parting_.begin());
    return segment;
  }
  return stream_.poll(now);
}

// What is still to be sent of the connection leaves in front of the reset, once; nobody sends it again.
void BgpSession::notify_before_end(Time now) {
  while (std::optional<Segment> segment = stream_.poll(now)) {
    parting_.push_back(std::move(*segment));
  }
}

Time BgpSession::next_timeout() const {
  return earlier(earlier(hold_at_, keepalive_at_), earlier(retry_at_, stream_.next_timeout()));
}

}  // namespace weft::fabric
