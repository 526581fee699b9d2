#include "fabric/topology/topologies.h"

#include <vector>

#include "base/nearest_word.h"

namespace weft::fabric {

std::span<const Topology> topologies() {
  static const std::vector<Topology> kTable{
      {"single-switch", "one switch with all hosts", SingleSwitchOptions{}},
      {"dumbbell", "two switches with hosts, and a bottleneck between them", DumbbellOptions{}},
      {"parking-lot", "a chain of switches with hosts on each", ParkingLotOptions{}},
      {"leaf-spine", "leaves with hosts, each joined to every spine", LeafSpineOptions{}},
      {"fat-tree", "folded Clos of 2 or 3 tiers from switches of one radix", FatTreeOptions{}},
      {"rail-optimised", "NIC r of every host on the leaf of rail r; planes and dual-ToR", RailOptimisedOptions{}},
      {"graph-file", "a graph given as text", GraphFileOptions{}},
  };
  return kTable;
}

Result<const Topology*> find_topology(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Topology& topology : topologies()) {
    if (topology.name == name) {
      return &topology;
    }
    names.push_back(topology.name);
  }
  return tl::unexpected<Error>(unknown_word({.kind = "topology", .word = name, .valid = names}));
}

Result<Graph> build_topology(const TopologyOptions& options) {
  return std::visit([](const auto& chosen) { return build_graph(chosen); }, options);
}

}  // namespace weft::fabric
