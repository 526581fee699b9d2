// How messages use several queue pairs of a connection: in turn, each in parts over all, or the one with least to do.
//
// Several queue pairs give a connection several paths, where switches hash what differs between them. Each delivers its
// own messages in order; messages on different ones may pass one another.
#pragma once

#include <cstdint>

#include "base/data_size.h"

namespace weft::workload {

/// In turn; each message in equal parts over all of them; the one with the fewest bytes that have not completed.
enum class QueuePairUse : std::uint8_t { kRoundRobin, kSplit, kLeastOutstanding };

/// Whether queue pairs of a connection have UDP source ports of their own, or all that of the connection.
enum class SourcePorts : std::uint8_t { kPerQueuePair, kPerConnection };

/// A part of a message: from `offset` on.
struct MessagePart {
  std::uint64_t offset = 0;
  Bytes size{};
};

/// Part `index` of `count` of a message of `size`. Parts but the last are multiples of 128 bytes, a cache line of a
/// GPU, so that packets stay aligned; of short messages the last ones are empty.
[[nodiscard]] MessagePart part_of(Bytes size, std::uint32_t index, std::uint32_t count);

/// Chooses the queue pair of each whole message of one connection.
class QueuePairChoice {
 public:
  /// `count`: queue pairs, at least 1. With kSplit there is nothing to choose.
  QueuePairChoice(QueuePairUse use, std::uint32_t count);

  /// `unfinished(i)`: bytes of queue pair i that have not completed. Of equal ones, the next in turn.
  template <class Unfinished>
  [[nodiscard]] std::uint32_t next(const Unfinished& unfinished) {
    std::uint32_t best = next_;
    if (use_ == QueuePairUse::kLeastOutstanding) {
      for (std::uint32_t i = 1; i < count_; ++i) {
        const std::uint32_t other = (next_ + i) % count_;
        best = unfinished(other) < unfinished(best) ? other : best;
      }
    }
    next_ = (best + 1) % count_;
    return best;
  }

 private:
  QueuePairUse use_;
  std::uint32_t count_;
  std::uint32_t next_ = 0;  // in turn
};

}  // namespace weft::workload
