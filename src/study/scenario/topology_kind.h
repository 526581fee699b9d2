// The topologies of a scenario by name. How each becomes a graph is a row of study/assembly/topology_table.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::study::scenario {

enum class TopologyKind : std::uint8_t {
  kSingleSwitch,
  kDumbbell,
  kParkingLot,
  kLeafSpine,
  kFatTree,
  kRailOptimised,
  kDragonflyPlus,
  kTorus,
  kFile,
};
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 9> kTopologyWords = {"single-switch",  "dumbbell", "parking-lot",
                                                                   "leaf-spine",     "fat-tree", "rail-optimised",
                                                                   "dragonfly-plus", "torus",    "file"};

}  // namespace weft::study::scenario
