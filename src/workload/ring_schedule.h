// The ring all-reduce as arithmetic: which chunk a rank sends at which step, made one by one.
//
// The buffer is cut into one segment per rank (equal up to one element), and each segment into chunks. In step s rank r
// sends segment (r - s) mod N to rank r + 1: N - 1 steps of reduce-scatter, in which the receiver adds what comes to
// its own, then N - 1 of all-gather. What a rank receives in one step is what it sends in the next.
// Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/result.h"
#include "workload/rank.h"

namespace weft::workload {

struct RingShape {
  std::uint32_t ranks = 1;
  Bytes size{};                    // of the buffer; whole elements
  Bytes element = Bytes(4);        // never cut
  Bytes chunk = Bytes(512 << 10);  // largest message; whole elements

  /// Steps in which something is sent: 2 (N - 1).
  [[nodiscard]] std::uint32_t steps() const { return 2 * (ranks - 1); }
};

/// Errors: no rank, a size or chunk that is not whole elements, a chunk of nothing or above 2 GiB.
[[nodiscard]] Result<void> check_ring(const RingShape& shape);

struct RingChunk {
  std::uint32_t step = 0;
  std::uint64_t offset = 0;  // in the buffer
  Bytes size{};
  bool reduces = false;  // the receiver adds it to its own, and does not replace it
};

/// What one rank sends, in order. Its successor receives the same. Constant memory.
class RingCursor {
 public:
  /// A right shape, and a rank of it.
  RingCursor(const RingShape& shape, RankId rank);

  /// None after the last step.
  [[nodiscard]] std::optional<RingChunk> next();
  /// Chunks of the first step: those a rank can send without having received anything.
  [[nodiscard]] std::uint64_t first_step_chunks() const;

 private:
  struct Segment {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };
  [[nodiscard]] Segment segment_of(std::uint32_t step) const;

  RingShape shape_;
  std::uint32_t rank_;
  std::uint32_t step_ = 0;
  std::uint64_t done_ = 0;  // bytes of this step's segment
};

}  // namespace weft::workload
