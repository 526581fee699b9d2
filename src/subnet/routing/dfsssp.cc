#include "subnet/routing/dfsssp.h"

#include "subnet/routing/lane_layers.h"
#include "subnet/routing/weighted_tables.h"

namespace weft::subnet {

Result<Routes> route_dfsssp(const RoutingView& view, const EngineOptions& options) {
  Result<ForwardingTables> tables = weighted_tables(view);
  if (!tables) {
    return pass_on(tables);
  }
  Result<LaneLayers> layers = layer_paths(view, *tables, weighted_order(view), options.lanes);
  if (!layers) {
    return pass_on(layers);
  }
  return Routes{.tables = std::move(*tables), .plan = std::move(layers->plan)};
}

}  // namespace weft::subnet
