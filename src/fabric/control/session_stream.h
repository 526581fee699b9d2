// The connection under a BGP session: TCP between neighbours, as far as a session needs it, sans I/O.
//
// Handshake, sequence numbers, cumulative acknowledgements, a fixed window, retransmission from the first byte that is
// not acknowledged after a timeout that doubles. A cable delivers in order and its round trip is microseconds, so the
// timeout is TCP's smallest, and what arrives out of order has lost something in front of it and is not kept. One side
// opens, the other waits: which of the two is settled by their identifiers, so that no connections collide.
// Whoever owns a stream asks poll() until there is nothing left, after every call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "fabric/control/control_frame.h"

namespace weft::fabric {

class SessionStream {
 public:
  struct Options {
    Duration first_timeout = Duration::milliseconds(200);  // Linux's smallest
    Duration last_timeout = Duration::seconds(60);
    std::uint32_t segment_bytes = 1448;  // of an MTU of 1500, with timestamps
    std::uint32_t window_bytes = 65'535;
  };
  enum class State : std::uint8_t { kClosed, kListening, kSynSent, kSynReceived, kOpen };

  SessionStream() = default;
  explicit SessionStream(const Options& options) : options_(options) {}

  /// Forgets everything and begins anew; `first` numbers the first byte.
  void open(std::uint32_t first, Time now);
  void listen(std::uint32_t first);
  /// After listen(): open already, with a peer whose next byte has that number.
  void establish(std::uint32_t expected);
  /// Forgets everything. The peer is told by a reset, if `tells` and there is a connection.
  enum class Tells : std::uint8_t { kNothing, kReset };
  void close(Tells tells);

  void write(std::span<const std::byte> bytes);
  /// False: the peer has reset the connection, which is closed now.
  [[nodiscard]] bool on_segment(const Segment& segment, Time now);
  [[nodiscard]] std::optional<Segment> poll(Time now);
  [[nodiscard]] Time next_timeout() const { return timeout_at_; }
  void on_timeout(Time now);

  /// What has arrived in order; the owner takes from its front.
  [[nodiscard]] std::vector<std::byte>& received() { return received_; }
  [[nodiscard]] State state() const { return state_; }
  /// Sequence number of the next byte from the peer.
  [[nodiscard]] std::uint32_t expected() const { return expected_; }
  [[nodiscard]] bool is_open() const { return state_ == State::kOpen; }
  /// Everything written has been acknowledged.
  [[nodiscard]] bool is_drained() const { return unacknowledged_.empty(); }
  [[nodiscard]] std::uint64_t retransmissions() const { return retransmissions_; }

 private:
  void take_acknowledgement(std::uint32_t acknowledgement, Time now);
  void restart_timer(Time now);
  [[nodiscard]] bool on_handshake(const Segment& segment, Time now);

  Options options_;
  State state_ = State::kClosed;
  std::deque<std::byte> unacknowledged_;  // from first_ on
  std::uint32_t first_ = 0;               // sequence number of the first byte that is not acknowledged
  std::uint32_t next_ = 0;                // of the next byte to send
  std::uint32_t expected_ = 0;            // of the peer
  bool owes_syn_ = false;
  bool owes_acknowledgement_ = false;
  bool owes_reset_ = false;
  std::uint32_t reset_sequence_ = 0;
  Duration timeout_;
  Time timeout_at_ = Time::never();
  std::vector<std::byte> received_;
  std::uint64_t retransmissions_ = 0;
};

}  // namespace weft::fabric
