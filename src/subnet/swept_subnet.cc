#include "subnet/swept_subnet.h"

namespace weft::subnet {

Result<SweptSubnet> sweep(const Subnet& subnet, PortPlace manager, const LidOptions& options) {
  SweptSubnet swept{.subnet = discovered(subnet, manager), .view = {}};
  if (Result<void> assigned = assign_lids(swept.subnet, options); !assigned) {
    return pass_on(assigned);
  }
  Result<RoutingView> view = routing_view(swept.subnet, options.lmc);
  if (!view) {
    return pass_on(view);
  }
  swept.view = std::move(*view);
  return swept;
}

Result<SweptSubnet> sweep(const Subnet& subnet, const LidOptions& options) {
  Result<PortPlace> manager = manager_port(subnet);
  if (!manager) {
    return pass_on(manager);
  }
  return sweep(subnet, *manager, options);
}

}  // namespace weft::subnet
