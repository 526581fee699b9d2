#include "subnet/routing/dor.h"

#include "subnet/routing/balanced_tables.h"

namespace weft::subnet {

Result<Routes> route_dor(const RoutingView& view, const EngineOptions& options) {
  return Routes{.tables = balanced_tables(view, shortest_hops(view), PortChoice::kFirstNeighbour, options.held),
                .plan = {}};
}

}  // namespace weft::subnet
