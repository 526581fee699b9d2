#include "study/assembly/subnet_routes.h"

#include <utility>

#include "study/assembly/managed_network.h"

namespace weft::study::assembly {

Result<SubnetRoutes> subnet_routes(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  Result<ManagedTables> made = ManagedNetwork(scenario, graph).route();
  return made ? Result<SubnetRoutes>(std::move(made->routes)) : pass_on(made);
}

}  // namespace weft::study::assembly
