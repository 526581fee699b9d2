#include "fabric/topology/leaf_spine.h"

#include <fmt/core.h>

#include <algorithm>

#include "fabric/topology/option_check.h"

namespace weft::fabric {
namespace {

Result<void> check_options(const LeafSpineOptions& options) {
  const std::uint64_t per_leaf = saturating_product({options.hosts_per_leaf, options.nics_per_host});
  const std::uint64_t upward = saturating_product({options.spines, options.parallel_links});
  const std::uint64_t downward = saturating_product({options.leaves, options.parallel_links});
  return OptionCheck("leaf-spine")
      .positive({"leaves", options.leaves})
      .positive({"spines", options.spines})
      .positive({"hosts_per_leaf", options.hosts_per_leaf})
      .positive({"nics_per_host", options.nics_per_host})
      .positive({"parallel_links", options.parallel_links})
      .cable("host_link", options.host_link)
      .cable("fabric_link", options.fabric_link)
      .size({.endpoints = saturating_product({options.leaves, per_leaf}),
             .switches = std::uint64_t{options.leaves} + options.spines,
             .largest_switch = std::max({per_leaf, upward, downward})})
      .size({.largest_switch = per_leaf + upward})
      .result();
}

}  // namespace

Result<Graph> build_graph(const LeafSpineOptions& options) {
  if (Result<void> valid = check_options(options); !valid) {
    return pass_on(valid);
  }
  const std::uint32_t per_leaf = options.hosts_per_leaf * options.nics_per_host;
  GraphBuilder builder(options.domains);
  builder.add_hosts({.hosts = options.leaves * options.hosts_per_leaf, .nics_per_host = options.nics_per_host});
  const std::uint32_t first_leaf = options.leaves * per_leaf;
  const std::uint32_t first_spine = first_leaf + options.leaves;
  for (std::uint32_t leaf = 0; leaf < options.leaves; ++leaf) {
    builder.add_switch({.name = fmt::format("leaf{}", leaf)});
  }
  for (std::uint32_t spine = 0; spine < options.spines; ++spine) {
    builder.add_switch({.name = fmt::format("spine{}", spine), .tier = 2});
  }
  for (std::uint32_t endpoint = 0; endpoint < first_leaf; ++endpoint) {
    builder.connect({.lower = NodeIndex(endpoint), .upper = NodeIndex(first_leaf + endpoint / per_leaf)},
                    options.host_link);
  }
  for (std::uint32_t leaf = 0; leaf < options.leaves; ++leaf) {
    for (std::uint32_t i = 0; i < options.spines * options.parallel_links; ++i) {
      builder.connect({.lower = NodeIndex(first_leaf + leaf), .upper = NodeIndex(first_spine + i % options.spines)},
                      options.fabric_link);
    }
  }
  return std::move(builder).finish();
}

}  // namespace weft::fabric
