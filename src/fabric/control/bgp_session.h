// One BGP session with the neighbour at the other end of a cable, sans I/O: its states, timers and connection.
//
// OPEN, KEEPALIVE and NOTIFICATION are dealt with here, when they arrive; UPDATEs are handed to the owner, who may take
// his time with them. The hold timer runs from the last message that has arrived. One side opens the connection
// (RFC 4271 calls the other one passive), so there are no collisions. Whoever owns it asks poll() for segments after
// every call, and at next_timeout().
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "fabric/control/session_stream.h"
#include "wire/bgp.h"

namespace weft::fabric {

/// Why a session ended.
enum class SessionEnd : std::uint8_t {
  kSignal,        // the link has no signal
  kBfd,           // BFD says that the path has failed
  kHoldTimer,     // nothing has come for the hold time
  kNotification,  // the peer said so
  kReset,         // the peer has reset the connection
  kFault,         // a message was wrong
};
inline constexpr std::size_t kSessionEnds = 6;

class BgpSession {
 public:
  struct Options {
    std::uint32_t as_number = 1;
    std::uint32_t peer_as = 0;  // expected; 0: any
    std::uint32_t identifier = 1;
    Duration hold_time = Duration::seconds(9);  // whole seconds, 0 (never) or at least 3
    Duration connect_retry = Duration::seconds(10);
    bool opens = false;  // the connection; the other side waits
    SessionStream::Options stream{};
  };
  enum class State : std::uint8_t { kIdle, kConnect, kOpenSent, kOpenConfirm, kEstablished };

  BgpSession(const Options& options, RandomStream random);

  /// The link may be used: from idle to connect.
  void start(Time now);
  /// Established already, as after a long quiet time; `phase` until the first KEEPALIVE.
  void start_established(Duration phase, Time now);
  /// The session ends for a reason that this end has found; it begins anew with start(). A peer that may still hear is
  /// told by a NOTIFICATION.
  void stop(SessionEnd end, Time now);

  void on_segment(const Segment& segment, Time now);
  void on_timeout(Time now);
  [[nodiscard]] std::optional<Segment> poll(Time now);
  [[nodiscard]] Time next_timeout() const;

  /// Established only.
  void send(const wire::BgpUpdate& update);
  /// Takes the UPDATEs that have arrived, in their order, each with its bytes on the wire.
  struct Arrived {
    wire::BgpUpdate update;
    std::uint32_t bytes = 0;
  };
  [[nodiscard]] std::vector<Arrived> take_updates() { return std::move(updates_); }

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool is_established() const { return state_ == State::kEstablished; }
  /// Of the last session that ended; meaningful if one has.
  [[nodiscard]] SessionEnd last_end() const { return last_end_; }
  [[nodiscard]] std::uint32_t peer_identifier() const { return peer_identifier_; }
  /// Known from the beginning where a session starts established.
  void set_peer_identifier(std::uint32_t identifier) { peer_identifier_ = identifier; }
  /// Sequence number of the next byte from the peer: a reset with any other is of no effect (RFC 5961).
  [[nodiscard]] std::uint32_t expected() const { return stream_.expected(); }
  [[nodiscard]] bool is_drained() const { return stream_.is_drained(); }

  struct Counters {
    std::uint64_t messages = 0;  // sent
    std::uint64_t bytes = 0;     // of those messages
    std::uint64_t updates = 0;   // among them
    std::uint64_t faults = 0;    // messages that were wrong, received
    std::uint64_t ended_established = 0;
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::uint64_t retransmissions() const { return retransmissions_ + stream_.retransmissions(); }

 private:
  void put(const wire::BgpMessage& message);
  void end(SessionEnd reason, Time now);
  void on_bytes(Time now);
  void on_message(wire::BgpMessage&& message, std::uint32_t bytes, Time now);
  void on_open(const wire::BgpOpen& open, Time now);
  void on_fault(const wire::BgpFault& fault, Time now);
  void restart_hold(Time now);
  void notify_before_end(Time now);
  [[nodiscard]] Duration keepalive_interval();

  Options options_;
  RandomStream random_;
  SessionStream stream_;
  State state_ = State::kIdle;
  Duration hold_;  // negotiated
  std::uint32_t peer_identifier_ = 0;
  Time hold_at_ = Time::never();
  Time keepalive_at_ = Time::never();
  Time retry_at_ = Time::never();
  std::vector<Arrived> updates_;
  std::vector<Segment> parting_;  // of a connection that has ended
  SessionEnd last_end_ = SessionEnd::kSignal;
  Counters counters_;
  std::uint64_t retransmissions_ = 0;
};

}  // namespace weft::fabric
