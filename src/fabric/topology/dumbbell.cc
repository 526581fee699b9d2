#include "fabric/topology/dumbbell.h"

#include <algorithm>

#include "fabric/topology/option_check.h"

namespace weft::fabric {

Result<Graph> build_graph(const DumbbellOptions& options) {
  const std::uint64_t left = saturating_product({options.left_hosts, options.nics_per_host});
  const std::uint64_t right = saturating_product({options.right_hosts, options.nics_per_host});
  const std::uint64_t largest = std::max(left, right);
  Result<void> valid = OptionCheck("dumbbell")
                           .positive({"left_hosts", options.left_hosts})
                           .positive({"right_hosts", options.right_hosts})
                           .positive({"nics_per_host", options.nics_per_host})
                           .positive({"parallel_links", options.parallel_links})
                           .cable("host_link", options.host_link)
                           .cable("bottleneck", options.bottleneck)
                           .size({.endpoints = largest, .switches = 2, .largest_switch = largest})
                           .size({.largest_switch = largest + options.parallel_links})
                           .result();
  if (!valid) {
    return pass_on(valid);
  }
  GraphBuilder builder(options.domains);
  builder.add_hosts({.hosts = options.left_hosts + options.right_hosts, .nics_per_host = options.nics_per_host});
  const NodeIndex leaf0 = builder.add_switch({.name = "leaf0"});
  const NodeIndex leaf1 = builder.add_switch({.name = "leaf1"});
  for (std::uint32_t endpoint = 0; endpoint < left + right; ++endpoint) {
    builder.connect({.lower = NodeIndex(endpoint), .upper = endpoint < left ? leaf0 : leaf1}, options.host_link);
  }
  builder.connect({.lower = leaf0, .upper = leaf1}, options.bottleneck, options.parallel_links);
  return std::move(builder).finish();
}

}  // namespace weft::fabric
