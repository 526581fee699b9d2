#include "fabric/topology/parking_lot.h"

#include <fmt/core.h>

#include "fabric/topology/option_check.h"

namespace weft::fabric {
namespace {

Result<void> check_options(const ParkingLotOptions& options) {
  const std::uint64_t per_switch = saturating_product({options.hosts_per_switch, options.nics_per_host});
  Result<void> valid = OptionCheck("parking-lot")
                           .positive({"hosts_per_switch", options.hosts_per_switch})
                           .positive({"nics_per_host", options.nics_per_host})
                           .positive({"parallel_links", options.parallel_links})
                           .cable("host_link", options.host_link)
                           .cable("chain_link", options.chain_link)
                           .size({.endpoints = saturating_product({options.switches, per_switch}),
                                  .switches = options.switches,
                                  .largest_switch = per_switch})
                           .size({.largest_switch = per_switch + 2 * std::uint64_t{options.parallel_links}})
                           .result();
  if (valid && options.switches < 2) {
    return fail("parking-lot: switches is {}, a chain has at least 2", options.switches);
  }
  return valid;
}

}  // namespace

Result<Graph> build_graph(const ParkingLotOptions& options) {
  if (Result<void> valid = check_options(options); !valid) {
    return pass_on(valid);
  }
  const std::uint32_t per_switch = options.hosts_per_switch * options.nics_per_host;
  GraphBuilder builder(options.domains);
  builder.add_hosts({.hosts = options.switches * options.hosts_per_switch, .nics_per_host = options.nics_per_host});
  const std::uint32_t first = options.switches * per_switch;
  for (std::uint32_t i = 0; i < options.switches; ++i) {
    builder.add_switch({.name = fmt::format("leaf{}", i)});
  }
  for (std::uint32_t endpoint = 0; endpoint < first; ++endpoint) {
    builder.connect({.lower = NodeIndex(endpoint), .upper = NodeIndex(first + endpoint / per_switch)},
                    options.host_link);
  }
  for (std::uint32_t i = 0; i + 1 < options.switches; ++i) {
    builder.connect({.lower = NodeIndex(first + i), .upper = NodeIndex(first + i + 1)}, options.chain_link,
                    options.parallel_links);
  }
  return std::move(builder).finish();
}

}  // namespace weft::fabric
