// All topologies by name: what a scenario chooses from.
//
// The options of each are a plain struct with defaults that build. `fields(self, visit)` of such a struct calls
// visit(key, value, what) for each of its members, so that a reader of scenarios or a printer needs to know the types
// of members (counts, Cable, words, text), and no topology.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "fabric/topology/dumbbell.h"
#include "fabric/topology/fat_tree.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_file.h"
#include "fabric/topology/leaf_spine.h"
#include "fabric/topology/parking_lot.h"
#include "fabric/topology/rail_optimised.h"
#include "fabric/topology/single_switch.h"

namespace weft::fabric {

using TopologyOptions = std::variant<SingleSwitchOptions, DumbbellOptions, ParkingLotOptions, LeafSpineOptions,
                                     FatTreeOptions, RailOptimisedOptions, GraphFileOptions>;

struct Topology {
  std::string_view name;
  std::string_view what;  // one line
  TopologyOptions defaults;
};

/// In the order of the table; names are unique.
[[nodiscard]] std::span<const Topology> topologies();

/// The entry, or an error that names the nearest and all valid names.
[[nodiscard]] Result<const Topology*> find_topology(std::string_view name);

/// The graph, which passes check(); the error says which option is wrong and what would be right.
[[nodiscard]] Result<Graph> build_topology(const TopologyOptions& options);

}  // namespace weft::fabric
