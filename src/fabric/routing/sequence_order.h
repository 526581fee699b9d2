// Order by number: the first leaf numbers the packets of each flow, the last one says which of them came too early.
//
// For switches that choose a path per packet and restore the order before the host (docs/decisions/0052). Nothing here
// knows of queues or timers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fabric/routing/leaf_flow.h"

namespace weft::fabric {

/// The flows that begin at one leaf.
class SequenceSource {
 public:
  /// The number of the flow's next packet, from 0; wraps.
  [[nodiscard]] std::uint32_t next(const LeafFlow& flow) { return next_[flow]++; }
  [[nodiscard]] std::size_t heap_bytes() const { return heap_bytes_of(next_); }

 private:
  LeafFlowTable<std::uint32_t> next_;
};

/// The flows that end at one leaf.
class SequenceOrder {
 public:
  enum class Place : std::uint8_t { kDue, kEarly, kLate };

  /// kDue: it is the one that was expected, and the next one is from here on.
  [[nodiscard]] Place take(const LeafFlow& flow, std::uint32_t number) {
    std::uint32_t& expected = expected_[flow];
    if (number == expected) {
      ++expected;
      return Place::kDue;
    }
    return is_before(number, expected) ? Place::kLate : Place::kEarly;
  }
  /// The one that is due next.
  [[nodiscard]] std::uint32_t expected(const LeafFlow& flow) { return expected_[flow]; }
  /// All before `number` are given up.
  void skip_to(const LeafFlow& flow, std::uint32_t number) { expected_[flow] = number; }

  /// In the order of numbers that wrap, of two that are less than 2^31 apart.
  [[nodiscard]] static bool is_before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }
  [[nodiscard]] std::size_t heap_bytes() const { return heap_bytes_of(expected_); }

 private:
  LeafFlowTable<std::uint32_t> expected_;
};

}  // namespace weft::fabric
