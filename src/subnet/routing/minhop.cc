#include "subnet/routing/minhop.h"

#include "subnet/routing/balanced_tables.h"

namespace weft::subnet {

Result<Routes> route_minhop(const RoutingView& view, const EngineOptions& options) {
  return Routes{.tables = balanced_tables(view, shortest_hops(view), PortChoice::kAnyNeighbour, options.held),
                .plan = {}};
}

}  // namespace weft::subnet
