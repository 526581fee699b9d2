// The ports of each partition of a divided world, for prefetching them before its window runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/any_fabric.h"
#include "study/world/world_division.h"

namespace weft::study::world {

class PartitionPorts {
 public:
  /// Of a world that is not divided: none.
  PartitionPorts() = default;
  PartitionPorts(const WorldDivision& division, const fabric::AnyFabric& fabric);

  [[nodiscard]] std::span<const fabric::PortIndex> of(sim::PartitionIndex partition) const {
    const std::uint32_t first = first_[partition];
    return {ports_.data() + first, first_[partition + 1] - first};
  }
  /// Whether it had much to do in its last window. One with little to do finds what it needs by itself: fetching all
  /// its ports would take longer.
  [[nodiscard]] bool is_busy(sim::PartitionIndex partition) const { return is_busy_[partition] != 0; }
  void ran(sim::PartitionIndex partition, std::uint64_t events) {
    is_busy_[partition] = events >= std::max<std::size_t>(of(partition).size() / 2, 2) ? 1 : 0;
  }

 private:
  std::vector<fabric::PortIndex> ports_;  // by partition
  std::vector<std::uint32_t> first_;      // of each partition among them, and one more
  std::vector<std::uint8_t> is_busy_;     // by partition
};

}  // namespace weft::study::world
