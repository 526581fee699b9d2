// One session of Bidirectional Forwarding Detection in asynchronous mode, sans I/O: each end sends control packets so
// often, and calls the path failed when none has come for a detection time.
//
// The detection time is the peer's multiplier times the interval that both agree on; packets are sent that often, less
// a random part of up to a quarter (10 to 25 % where the multiplier is 1). Until a session is up each end sends once a
// second at most. Whoever owns it asks poll() after every call and at next_timeout().
#pragma once

#include <cstdint>
#include <optional>

#include "base/random.h"
#include "base/time.h"
#include "wire/bfd.h"

namespace weft::fabric {

class BfdSession {
 public:
  struct Options {
    Duration interval = Duration::milliseconds(300);  // desired to send, and required to receive; whole microseconds
    std::uint8_t multiplier = 3;
    std::uint32_t discriminator = 1;  // not 0
  };
  //= rfc5880 6.8.3
  static constexpr Duration kSlowInterval = Duration::seconds(1);

  BfdSession(const Options& options, RandomStream random);

  /// The link has come up, or BFD begins.
  void start(Time now);
  /// Already up with a peer that has the same options: `phase` until the first packet.
  void start_up(std::uint32_t peer_discriminator, Duration phase, Time now);
  /// The link is known to be down; nothing is sent until start().
  void stop();

  /// A packet that passed BfdControl::parse.
  void on_packet(const wire::BfdControl& packet, Time now);
  void on_timeout(Time now);
  [[nodiscard]] std::optional<wire::BfdControl> poll(Time now);
  [[nodiscard]] Time next_timeout() const { return earlier(send_at_, detect_at_); }

  [[nodiscard]] wire::BfdState state() const { return state_; }
  [[nodiscard]] bool is_up() const { return state_ == wire::BfdState::kUp; }
  [[nodiscard]] Duration detection_time() const;
  /// Times that the detection time has passed in vain.
  [[nodiscard]] std::uint64_t expirations() const { return expirations_; }

 private:
  [[nodiscard]] Duration transmit_interval() const;
  void set_state(wire::BfdState state, wire::BfdDiagnostic diagnostic);
  void change_state(const wire::BfdControl& packet);

  Options options_;
  RandomStream random_;
  wire::BfdState state_ = wire::BfdState::kDown;
  wire::BfdDiagnostic diagnostic_ = wire::BfdDiagnostic::kNone;
  std::uint32_t peer_discriminator_ = 0;
  Duration peer_min_rx_ = Duration::microseconds(1);
  Duration peer_desired_tx_;
  std::uint8_t peer_multiplier_ = 0;
  bool is_running_ = false;
  bool changed_ = false;  // the state, since the last packet: the peer is told at once
  Time send_at_ = Time::never();
  Time detect_at_ = Time::never();
  std::uint64_t expirations_ = 0;
};

}  // namespace weft::fabric
