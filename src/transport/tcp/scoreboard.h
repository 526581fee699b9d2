// What a sender has in the network: every segment that is sent and not yet acknowledged, in order of sequence, with
// the time it last left and what is known of it.
//
// Segments keep the boundaries of their first sending. Sequence numbers count SYN and FIN; "bytes" here do too. 16
// bytes a segment, nothing before the first one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "base/ring.h"
#include "base/time.h"
#include "transport/tcp/tcp_types.h"

namespace weft::transport {

struct SentSegment {
  enum Flag : std::uint8_t {
    kSyn = 1 << 0,
    kFin = 1 << 1,
    kSacked = 1 << 2,
    kLost = 1 << 3,           // taken for lost, and not yet sent again
    kRetransmitted = 1 << 4,  // sent more than once
  };

  Time sent;                // last
  std::uint32_t begin = 0;  // low half of its sequence number
  std::uint16_t length = 0;
  std::uint8_t flags = 0;

  [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
  [[nodiscard]] bool in_flight() const { return (flags & (kSacked | kLost)) == 0; }
};
static_assert(sizeof(SentSegment) == 16);

/// What an acknowledgement can be held against, to tell which sending of a segment it answers.
struct AckEvidence {
  Time now;
  Duration minimum_rtt;  // of segments up to full ones
  Duration timestamp_unit;
  std::uint32_t room = 1;  // payload of a full segment
  std::uint32_t echo = 0;
  bool has_echo = false;

  /// The acknowledgement cannot be for the last sending. A part of a segment has at least that part of its round trip:
  /// what of it is not proportional to the size is the same.
  //= rfc8985 6.2
  [[nodiscard]] bool precedes(const SentSegment& segment) const {
    const auto stamp = static_cast<std::uint32_t>(segment.sent.since_start() / timestamp_unit);
    const Duration least = segment.length >= room ? minimum_rtt : minimum_rtt / room * segment.length;
    return now - segment.sent < least || (has_echo && static_cast<std::int32_t>(echo - stamp) < 0);
  }
  /// For what is acknowledged beyond a gap: the echo there is that of the last segment before the gap.
  //= rfc7323 4.3
  [[nodiscard]] AckEvidence without_echo() const {
    AckEvidence made = *this;
    made.has_echo = false;
    return made;
  }
};

/// What one acknowledgement delivered.
struct Delivery {
  TcpSequence received_to = 0;    // end of the highest segment that was delivered before
  std::int64_t acknowledged = 0;  // in sequence
  std::int64_t bytes = 0;         // those and selectively
  Time newest_sent;               // of the segment that left last, with its end; meaningful if `has_newest`
  TcpSequence newest_end = 0;
  Time sample_sent;  // of the last segment that was sent once; meaningful if `has_sample`
  bool has_newest = false;
  bool has_sample = false;
  bool reordered = false;  // a segment sent once, below one that was delivered earlier
};

class TcpScoreboard {
 public:
  [[nodiscard]] TcpSequence una() const { return una_; }
  [[nodiscard]] TcpSequence next() const { return next_; }
  [[nodiscard]] std::int64_t outstanding() const { return next_ - una_; }
  /// Outstanding, less what is known to have arrived or to be lost.
  //= rfc6675 4
  [[nodiscard]] std::int64_t in_flight() const { return next_ - una_ - sacked_ - lost_ - assumed_; }
  [[nodiscard]] std::int64_t sacked() const { return sacked_; }
  [[nodiscard]] std::int64_t lost() const { return lost_; }
  /// End of the highest segment known to have arrived.
  [[nodiscard]] TcpSequence received_to() const { return high_delivered_; }
  [[nodiscard]] std::uint32_t sacked_segments() const { return sacked_segments_; }
  [[nodiscard]] std::uint32_t size() const { return segments_.size(); }
  [[nodiscard]] const SentSegment& operator[](std::uint32_t index) const { return segments_[index]; }
  /// Beyond this, every segment was sent once, in order, and nothing has told of it.
  [[nodiscard]] TcpSequence settled_from() const { return high_sacked_ > high_resent_ ? high_sacked_ : high_resent_; }
  [[nodiscard]] TcpSequence sequence_of(const SentSegment& segment) const {
    return una_ + static_cast<std::int32_t>(segment.begin - static_cast<std::uint32_t>(una_));
  }

  void push(const SentSegment& segment) {
    WEFT_DCHECK(segment.length > 0 && segment.begin == static_cast<std::uint32_t>(next_));
    segments_.push_back(segment);
    next_ += segment.length;
  }
  /// una < up_to <= next. Part of a segment may be acknowledged.
  void acknowledge(TcpSequence up_to, const AckEvidence& evidence, Delivery& delivery);
  /// A block reported as received, in any order; what lies outside una to next is ignored.
  void sack(TcpSequence begin, TcpSequence end, const AckEvidence& evidence, Delivery& delivery);
  /// Without SACK: that many bytes have left the network, whichever they are; never all of what is outstanding.
  void assume_delivered(std::int64_t bytes);
  void clear_assumed_delivered() { assumed_ = 0; }

  /// Segment `index` must be in flight.
  void mark_lost(std::uint32_t index);
  /// Everything not received; SACK reneging is accepted.
  void mark_all_lost();
  /// Marks them as in flight again: the loss was spurious.
  void unmark_lost();
  /// The first that is lost. lost() > 0.
  [[nodiscard]] std::uint32_t first_lost();
  /// Segment `index` leaves again.
  void resend(std::uint32_t index, Time now);

  [[nodiscard]] std::size_t heap_bytes() const { return segments_.heap_bytes(); }

 private:
  /// A block that has been marked throughout.
  struct Block {
    TcpSequence begin = 0;
    TcpSequence end = 0;
  };
  /// Bytes counted are bytes outstanding; for assertions.
  [[nodiscard]] bool consistent() const;
  void deliver(const SentSegment& segment, const AckEvidence& evidence, Delivery& delivery);
  /// Marks the segments that begin in `part` and lie in `whole`.
  void mark(Block part, Block whole, const AckEvidence& evidence, Delivery& delivery);
  [[nodiscard]] std::uint32_t index_of(TcpSequence sequence) const;
  void forget_sacked();

  Ring<SentSegment> segments_;
  TcpSequence una_ = 0;
  TcpSequence next_ = 0;
  TcpSequence high_sacked_ = 0;     // end of the highest
  TcpSequence high_resent_ = 0;     // end of the highest sent more than once
  TcpSequence high_delivered_ = 0;  // end of the highest received
  TcpSequence lost_from_ = 0;       // nothing below it is lost
  std::int64_t sacked_ = 0;         // bytes
  std::int64_t lost_ = 0;
  std::int64_t assumed_ = 0;
  std::array<Block, 4> marked_{};
  std::uint32_t sacked_segments_ = 0;
  std::uint32_t next_block_ = 0;
};

}  // namespace weft::transport
