#include "fabric/topology/single_switch.h"

#include "fabric/topology/option_check.h"

namespace weft::fabric {

Result<Graph> build_graph(const SingleSwitchOptions& options) {
  const std::uint64_t endpoints = saturating_product({options.hosts, options.nics_per_host});
  Result<void> valid = OptionCheck("single-switch")
                           .positive({"hosts", options.hosts})
                           .positive({"nics_per_host", options.nics_per_host})
                           .cable("host_link", options.host_link)
                           .size({.endpoints = endpoints, .switches = 1, .largest_switch = endpoints})
                           .result();
  if (!valid) {
    return pass_on(valid);
  }
  GraphBuilder builder(options.domains);
  builder.add_hosts({.hosts = options.hosts, .nics_per_host = options.nics_per_host});
  const NodeIndex leaf = builder.add_switch({.name = "leaf0"});
  for (std::uint32_t endpoint = 0; endpoint < endpoints; ++endpoint) {
    builder.connect({.lower = NodeIndex(endpoint), .upper = leaf}, options.host_link);
  }
  return std::move(builder).finish();
}

}  // namespace weft::fabric
