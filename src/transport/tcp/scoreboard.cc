#include "transport/tcp/scoreboard.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

bool TcpScoreboard::consistent() const {
  return una_ <= next_ && segments_.empty() == (una_ == next_) && sacked_ >= 0 && lost_ >= 0 && assumed_ >= 0 &&
         sacked_ + lost_ <= outstanding() && sacked_segments_ <= segments_.size() &&
         (sacked_ == 0) == (sacked_segments_ == 0);
}

void TcpScoreboard::deliver(const SentSegment& segment, const AckEvidence& evidence, Delivery& delivery) {
  const TcpSequence end = sequence_of(segment) + segment.length;
  delivery.bytes += segment.length;
  if (!segment.has(SentSegment::kRetransmitted)) {
    delivery.has_sample = true;
    delivery.sample_sent = later(delivery.sample_sent, segment.sent);
    //= rfc8985 6.2
    delivery.reordered = delivery.reordered || end < delivery.received_to;
  } else if (evidence.precedes(segment)) {
    return;
  }
  high_delivered_ = std::max(high_delivered_, end);
  if (!delivery.has_newest || segment.sent > delivery.newest_sent ||
      (segment.sent == delivery.newest_sent && end > delivery.newest_end)) {
    delivery.has_newest = true;
    delivery.newest_sent = segment.sent;
    delivery.newest_end = end;
  }
}

void TcpScoreboard::acknowledge(TcpSequence up_to, const AckEvidence& evidence, Delivery& delivery) {
  WEFT_DCHECK(una_ < up_to && up_to <= next_);
  delivery.acknowledged = up_to - una_;
  const TcpSequence before = una_;
  TcpSequence at = una_;
  while (at < up_to) {
    SentSegment& segment = segments_.front();
    WEFT_DCHECK(segment.begin == static_cast<std::uint32_t>(at));  // no gap between segments
    const auto part = static_cast<std::uint16_t>(std::min<std::int64_t>(segment.length, up_to - at));
    if (segment.has(SentSegment::kSacked)) {
      sacked_ -= part;
    } else {
      lost_ -= segment.has(SentSegment::kLost) ? part : 0;
      SentSegment delivered = segment;
      delivered.length = part;
      deliver(delivered, evidence, delivery);
    }
    at += part;
    if (part == segment.length) {
      sacked_segments_ -= segment.has(SentSegment::kSacked) ? 1 : 0;
      segments_.pop_front();
    } else {
      // The peer took a part only; what is left is a segment of its own.
      segment.begin += part;
      segment.length = static_cast<std::uint16_t>(segment.length - part);
      segment.flags &= static_cast<std::uint8_t>(~SentSegment::kSyn);
    }
  }
  una_ = up_to;
  // What had been assumed to have arrived is what is acknowledged now, but for the segment that was missing.
  if (assumed_ > 0) {
    const std::int64_t missing = segments_.empty() ? 0 : segments_.front().length;
    assumed_ = std::clamp<std::int64_t>(assumed_ - (up_to - before) + missing, 0,
                                        std::max<std::int64_t>(outstanding() - sacked_ - lost_ - missing, 0));
  }
  WEFT_DCHECK(consistent() && in_flight() >= 0);
}

std::uint32_t TcpScoreboard::index_of(TcpSequence sequence) const {
  std::uint32_t low = 0;
  std::uint32_t high = segments_.size();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const SentSegment& segment = segments_[middle];
    if (sequence_of(segment) + segment.length <= sequence) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void TcpScoreboard::sack(TcpSequence begin, TcpSequence end, const AckEvidence& evidence, Delivery& delivery) {
  begin = std::max(begin, una_);
  end = std::min(end, next_);
  if (begin >= end) {
    return;
  }
  const AckEvidence beyond = evidence.without_echo();
  // Acknowledgements repeat their blocks: only what has been added to one since is looked at.
  for (Block& block : marked_) {
    if (begin <= block.end && block.begin <= end && block.begin < block.end) {
      const Block before = block;
      block = {.begin = std::min(begin, block.begin), .end = std::max(end, block.end)};
      if (block.begin < before.begin) {
        mark({.begin = block.begin, .end = before.begin}, block, beyond, delivery);
      }
      if (before.end < block.end) {
        mark({.begin = before.end - 1, .end = block.end}, block, beyond, delivery);
      }
      return;
    }
  }
  const Block block{.begin = begin, .end = end};
  mark(block, block, beyond, delivery);
  marked_[next_block_] = block;
  next_block_ = (next_block_ + 1) % static_cast<std::uint32_t>(marked_.size());
}

void TcpScoreboard::mark(Block part, Block whole, const AckEvidence& evidence, Delivery& delivery) {
  for (std::uint32_t i = index_of(part.begin); i < segments_.size(); ++i) {
    SentSegment& segment = segments_[i];
    const TcpSequence first = sequence_of(segment);
    const TcpSequence last = first + segment.length;
    if (first >= part.end) {
      return;
    }
    // A segment that is covered in part counts as missing.
    if (segment.has(SentSegment::kSacked) || first < whole.begin || last > whole.end) {
      continue;
    }
    deliver(segment, evidence, delivery);
    if (segment.has(SentSegment::kLost)) {
      lost_ -= segment.length;
    }
    segment.flags = static_cast<std::uint8_t>((segment.flags & ~SentSegment::kLost) | SentSegment::kSacked);
    sacked_ += segment.length;
    ++sacked_segments_;
    high_sacked_ = std::max(high_sacked_, last);
    WEFT_DCHECK(consistent());
  }
}

void TcpScoreboard::assume_delivered(std::int64_t bytes) {
  const std::int64_t missing = segments_.empty() ? 0 : segments_.front().length;
  assumed_ = std::min(assumed_ + bytes, std::max<std::int64_t>(outstanding() - sacked_ - lost_ - missing, 0));
}

void TcpScoreboard::mark_lost(std::uint32_t index) {
  SentSegment& segment = segments_[index];
  WEFT_DCHECK(segment.in_flight());
  segment.flags |= SentSegment::kLost;
  const TcpSequence at = sequence_of(segment);
  lost_from_ = lost_ == 0 ? at : std::min(lost_from_, at);
  lost_ += segment.length;
  assumed_ = std::min(assumed_, std::max<std::int64_t>(outstanding() - sacked_ - lost_, 0));
  WEFT_DCHECK(consistent() && in_flight() >= 0);
}

void TcpScoreboard::forget_sacked() {
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    segments_[i].flags &= static_cast<std::uint8_t>(~SentSegment::kSacked);
  }
  sacked_ = 0;
  sacked_segments_ = 0;
  high_sacked_ = 0;
  marked_ = {};
}

//= rfc2018 8
void TcpScoreboard::mark_all_lost() {
  if (!segments_.empty() && segments_.front().has(SentSegment::kSacked)) {
    forget_sacked();
  }
  assumed_ = 0;
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i].in_flight()) {
      mark_lost(i);
    }
  }
}

void TcpScoreboard::unmark_lost() {
  for (std::uint32_t i = 0; i < segments_.size(); ++i) {
    segments_[i].flags &= static_cast<std::uint8_t>(~SentSegment::kLost);
  }
  lost_ = 0;
}

std::uint32_t TcpScoreboard::first_lost() {
  WEFT_DCHECK(lost_ > 0);
  std::uint32_t i = index_of(std::max(lost_from_, una_));
  while (!segments_[i].has(SentSegment::kLost)) {
    ++i;
  }
  lost_from_ = sequence_of(segments_[i]);
  return i;
}

void TcpScoreboard::resend(std::uint32_t index, Time now) {
  SentSegment& segment = segments_[index];
  WEFT_DCHECK(!segment.has(SentSegment::kLost) || lost_ >= segment.length);
  if (segment.has(SentSegment::kLost)) {
    lost_ -= segment.length;
  }
  segment.flags = static_cast<std::uint8_t>((segment.flags & ~SentSegment::kLost) | SentSegment::kRetransmitted);
  segment.sent = now;
  high_resent_ = std::max(high_resent_, sequence_of(segment) + segment.length);
}

}  // namespace weft::transport
