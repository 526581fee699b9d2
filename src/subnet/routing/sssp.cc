#include "subnet/routing/sssp.h"

#include "subnet/routing/weighted_tables.h"

namespace weft::subnet {

Result<Routes> route_sssp(const RoutingView& view, const EngineOptions& /*options*/) {
  Result<ForwardingTables> tables = weighted_tables(view);
  if (!tables) {
    return pass_on(tables);
  }
  return Routes{.tables = std::move(*tables), .plan = {}};
}

}  // namespace weft::subnet
