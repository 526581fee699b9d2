#include "workload/ring_schedule.h"

#include <algorithm>

#include "base/format_quantity.h"

namespace weft::workload {

Result<void> check_ring(const RingShape& shape) {
  if (shape.ranks == 0)
    return fail("all-reduce of no rank");
  if (shape.element < Bytes(1))
    return fail("all-reduce: an element of {}; it must be at least 1 B", shape.element);
  if (shape.size < Bytes(0) || shape.size.count() % shape.element.count() != 0)
    return fail("all-reduce of {}, which is not a whole number of elements of {}", shape.size, shape.element);
  const Bytes largest(std::int64_t{1} << 31);
  if (shape.chunk < Bytes(1) || shape.chunk > largest || shape.chunk.count() % shape.element.count() != 0)
    return fail("all-reduce: a chunk of {}; it must be whole elements of {}, at most {}", shape.chunk, shape.element,
                largest);
  return {};
}

RingCursor::RingCursor(const RingShape& shape, RankId rank) : shape_(shape), rank_(rank.value()) {
  WEFT_ASSERT(rank_ < shape_.ranks);
}

RingCursor::Segment RingCursor::segment_of(std::uint32_t step) const {
  const std::uint64_t ranks = shape_.ranks;
  // A step is below 2 N, so two turns keep the difference from going below zero.
  const std::uint64_t index = (rank_ + 2 * ranks - step) % ranks;
  const auto element = static_cast<std::uint64_t>(shape_.element.count());
  const std::uint64_t elements = static_cast<std::uint64_t>(shape_.size.count()) / element;
  const std::uint64_t each = elements / ranks;
  const std::uint64_t longer = elements % ranks;
  return {.offset = (index * each + std::min(index, longer)) * element,
          .size = (each + (index < longer ? 1 : 0)) * element};
}

std::optional<RingChunk> RingCursor::next() {
  for (; step_ < shape_.steps(); ++step_, done_ = 0) {
    const Segment segment = segment_of(step_);
    if (done_ == segment.size)
      continue;
    const std::uint64_t size = std::min(static_cast<std::uint64_t>(shape_.chunk.count()), segment.size - done_);
    const RingChunk chunk{.step = step_,
                          .offset = segment.offset + done_,
                          .size = Bytes(static_cast<std::int64_t>(size)),
                          .reduces = step_ < shape_.ranks - 1};
    done_ += size;
    return chunk;
  }
  return std::nullopt;
}

std::uint64_t RingCursor::first_step_chunks() const {
  const auto chunk = static_cast<std::uint64_t>(shape_.chunk.count());
  return (segment_of(0).size + chunk - 1) / chunk;
}

}  // namespace weft::workload
