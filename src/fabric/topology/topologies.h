// The options of every topology as one type. Those of each are a plain struct with defaults that build.
#pragma once

#include <variant>

#include "base/result.h"
#include "fabric/topology/dragonfly_plus.h"
#include "fabric/topology/dumbbell.h"
#include "fabric/topology/fat_tree.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_file.h"
#include "fabric/topology/leaf_spine.h"
#include "fabric/topology/parking_lot.h"
#include "fabric/topology/rail_optimised.h"
#include "fabric/topology/single_switch.h"
#include "fabric/topology/torus.h"

namespace weft::fabric {

using TopologyOptions =
    std::variant<SingleSwitchOptions, DumbbellOptions, ParkingLotOptions, LeafSpineOptions, FatTreeOptions,
                 RailOptimisedOptions, DragonflyPlusOptions, TorusOptions, GraphFileOptions>;

/// The graph, which passes check(); the error says which option is wrong and what would be right.
[[nodiscard]] Result<Graph> build_topology(const TopologyOptions& options);

}  // namespace weft::fabric
