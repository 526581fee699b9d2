// The receiving half of a connection: reassembly, the window that is offered, and what is acknowledged when.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/packet_io.h"
#include "transport/tcp/received_ranges.h"
#include "transport/tcp/tcp_core.h"

namespace weft::transport {

/// A segment that has arrived, in numbers that do not wrap.
struct TcpArrival {
  TcpSequence begin = 0;     // of its payload
  std::uint32_t length = 0;  // of its payload
  std::span<const std::byte> bytes{};
  bool fin = false;
  bool pushed = false;
  bool marked = false;  // CE
};

class TcpReceiver {
 public:
  /// The peer's SYN has come, with this timestamp if it had one: its first byte is expected.
  void start(std::uint32_t timestamp, Time now);
  /// The same without packets: the peer knows the window already.
  void establish(const TcpCore& core, Time now);

  /// Payload and FIN of an acceptable segment.
  void on_data(TcpCore& core, const TcpArrival& arrival, Time now);
  /// The same for the very data that are expected; false, and nothing done, if anything about them is special.
  [[nodiscard]] bool take_next(TcpCore& core, const ReceivedPacket& received, Time now);
  /// The program has taken bytes out of the buffer.
  void consume(const TcpCore& core, std::uint64_t length);
  void on_timeout(Time now);
  /// Nothing will be acknowledged any more.
  void stop() {
    delayed_at_ = Time::never();
    due_ = 0;
    early_waits_ = false;
  }

  /// Whether a timestamp is older than one that arrived in sequence before (PAWS).
  [[nodiscard]] bool is_old(const TcpCore& core, std::uint32_t timestamp, Time now) const;
  /// Takes over the timestamp of an acceptable segment that begins at `begin`.
  void note_timestamp(std::uint32_t timestamp, TcpSequence begin, Time now);
  /// The sender has answered the echoed marks (CWR).
  void on_reduced(const TcpCore& core);

  /// An acknowledgement is to leave without waiting for others.
  void acknowledge_now() { due_ = due_ == 0 ? std::uint8_t{1} : due_; }
  [[nodiscard]] bool acknowledgement_waits() const { return due_ > 0 || early_waits_; }
  /// It says what a segment with data has no room for, or has to be counted by itself.
  [[nodiscard]] bool needs_own_segment() const {
    return early_waits_ || due_ > 1 || duplicate_.begin < duplicate_.end || !ranges_.empty();
  }
  /// Fills acknowledgement, window and echoes of any segment that leaves; what was due is done with it.
  void fill(TcpCore& core, wire::TcpHeader& header);
  /// Fills the next acknowledgement without data, SACK blocks included.
  void fill_alone(TcpCore& core, const TransmitSlot& slot);
  [[nodiscard]] Time next_timeout() const { return delayed_at_; }

  [[nodiscard]] TcpSequence next() const { return next_; }
  [[nodiscard]] TcpSequence edge() const { return edge_; }
  [[nodiscard]] StreamOffset arrived() const { return static_cast<StreamOffset>(next_ - 1 - (fin_taken_ ? 1 : 0)); }
  [[nodiscard]] StreamOffset consumed() const { return consumed_; }
  [[nodiscard]] bool fin_taken() const { return fin_taken_; }
  [[nodiscard]] std::size_t heap_bytes() const { return ranges_.heap_bytes(); }

  /// Window of a SYN, which is never scaled.
  void fill_syn_window(const TcpCore& core, wire::TcpHeader& header);
  /// The window that a peer knows without having been told.
  [[nodiscard]] static std::int64_t first_window(const TcpCore& core);

 private:
  /// Edges of the window in order, early runs between them; for assertions.
  [[nodiscard]] bool consistent() const;
  void deliver_payload(TcpCore& core, const TcpArrival& arrival, SequenceRange part) const;
  void take_in_order(TcpCore& core, const TcpArrival& arrival, SequenceRange part, Time now);
  void count_segment(const TcpCore& core, bool pushed, Time now);
  void take_early(TcpCore& core, const TcpArrival& arrival, SequenceRange part);
  void note_mark(const TcpCore& core, bool marked);
  void note_recent(TcpSequence at);
  void count_due() { due_ = due_ == 255 ? due_ : static_cast<std::uint8_t>(due_ + 1); }
  void take_fin();
  [[nodiscard]] std::int64_t window_to_offer(const TcpCore& core) const;
  void fill_blocks(const TcpCore& core, const TransmitSlot& slot);

  static constexpr TcpSequence kNoFin = -1;

  ReceivedRanges ranges_;
  TcpSequence next_ = 1;
  TcpSequence edge_ = 1;          // end of the window that was offered
  TcpSequence fin_at_ = kNoFin;   // number of the peer's FIN, once seen
  TcpSequence acknowledged_ = 0;  // by the last segment that left
  StreamOffset consumed_ = 0;
  std::array<TcpSequence, 4> recent_{};  // a byte of each run that changed last, latest first; 0 = none
  SequenceRange duplicate_;              // to be reported, once
  TcpSequence early_next_ = 0;           // the acknowledgement before the marks changed, if `early_waits_`
  Time delayed_at_ = Time::never();
  Time recent_at_;                      // when `recent_timestamp_` came
  std::uint32_t recent_timestamp_ = 0;  // to be echoed
  std::uint8_t due_ = 0;                // acknowledgements to leave at once
  std::uint8_t unacknowledged_ = 0;     // segments
  bool fin_taken_ = false;
  bool echo_mark_ = false;
  bool early_waits_ = false;
  bool early_mark_ = false;
};

}  // namespace weft::transport
