#include "fabric/topology/topologies.h"

namespace weft::fabric {

Result<Graph> build_topology(const TopologyOptions& options) {
  return std::visit([](const auto& chosen) { return build_graph(chosen); }, options);
}

}  // namespace weft::fabric
