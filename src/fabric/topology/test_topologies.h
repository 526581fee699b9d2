// One graph of each kind of topology, for tests that hold for all of them.
#pragma once

#include <array>
#include <string_view>

#include "fabric/topology/topologies.h"

namespace weft::fabric {

struct SampleTopology {
  std::string_view name;  // begins the errors of its options
  TopologyOptions options;
};

/// With their defaults; those of a file build nothing, for they name none.
[[nodiscard]] inline const std::array<SampleTopology, std::variant_size_v<TopologyOptions>>& sample_topologies() {
  static const std::array<SampleTopology, std::variant_size_v<TopologyOptions>> kSamples{{
      {"single-switch", SingleSwitchOptions{}},
      {"dumbbell", DumbbellOptions{}},
      {"parking-lot", ParkingLotOptions{}},
      {"leaf-spine", LeafSpineOptions{}},
      {"fat-tree", FatTreeOptions{}},
      {"rail-optimised", RailOptimisedOptions{}},
      {"dragonfly-plus", DragonflyPlusOptions{}},
      {"torus", TorusOptions{}},
      {"graph-file", GraphFileOptions{}},
  }};
  return kSamples;
}

}  // namespace weft::fabric
