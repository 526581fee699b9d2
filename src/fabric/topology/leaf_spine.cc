#include "fabric/topology/leaf_spine.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "fabric/topology/option_check.h"
#include "fabric/topology/racks.h"

namespace weft::fabric {
namespace {

std::uint64_t hosts_of(const LeafSpineOptions& options) {
  return options.hosts > 0 ? options.hosts : saturating_product({options.leaves, options.hosts_per_leaf});
}

Result<void> check_options(const LeafSpineOptions& options) {
  const PortPlaces places = PortPlaces::of(options.ports_per_nic, options.port_spread);
  const std::uint64_t per_leaf = saturating_product({options.hosts_per_leaf, options.nics_per_host});
  const std::uint64_t leaves = saturating_product({options.leaves, options.ports_per_nic});
  const std::uint64_t upward = saturating_product({options.spines, options.parallel_links});
  const std::uint64_t downward = saturating_product({options.leaves, places.leaves, options.parallel_links});
  return OptionCheck("leaf-spine")
      .positive({"leaves", options.leaves})
      .positive({"spines", options.spines})
      .positive({"hosts_per_leaf", options.hosts_per_leaf})
      .positive({"nics_per_host", options.nics_per_host})
      .positive({"ports_per_nic", options.ports_per_nic})
      .positive({"parallel_links", options.parallel_links})
      .cable("host_link", options.host_link)
      .cable("fabric_link", options.fabric_link)
      .size({.endpoints = saturating_product({hosts_of(options), options.nics_per_host, options.ports_per_nic}),
             .switches = std::max(leaves, saturating_product({options.spines, places.planes})),
             .largest_switch = std::max({per_leaf, upward, downward})})
      .size({.switches = leaves + saturating_product({options.spines, places.planes}),
             .largest_switch = per_leaf + upward})
      .last_part(
          {.hosts = options.hosts, .parts = options.leaves, .of_part = options.hosts_per_leaf, .names = "leaves"})
      .result();
}

class LeafSpineBuilder {
 public:
  explicit LeafSpineBuilder(const LeafSpineOptions& options)
      : options_(options),
        places_(PortPlaces::of(options.ports_per_nic, options.port_spread)),
        leaves_(options.leaves * options.ports_per_nic),
        builder_(options.domains) {}

  Graph build() && {
    const HostsSpec hosts{.hosts = static_cast<std::uint32_t>(hosts_of(options_)),
                          .nics_per_host = options_.nics_per_host,
                          .ports_per_nic = options_.ports_per_nic,
                          .port_spread = options_.port_spread};
    builder_.add_hosts(hosts);
    first_leaf_ = hosts.hosts * options_.nics_per_host * options_.ports_per_nic;
    add_switches();
    connect_hosts(builder_, hosts, options_.hosts_per_leaf, NodeIndex(first_leaf_), options_.host_link);
    connect_spines();
    return std::move(builder_).finish();
  }

 private:
  [[nodiscard]] std::uint32_t plane_of_leaf(std::uint32_t ordinal) const {
    return places_.plane_of(ordinal % options_.ports_per_nic);
  }
  // Leaves of the same hosts are together, a port after the other.
  void add_switches() {
    for (std::uint32_t i = 0; i < leaves_; ++i) {
      const std::uint32_t rack = i / options_.ports_per_nic;
      const std::uint32_t plane = plane_of_leaf(i);
      builder_.add_switch({.name = places_.leaves > 1
                                       ? fmt::format("rack{}/leaf{}", rack, i % options_.ports_per_nic)
                                       : fmt::format("{}leaf{}", plane_prefix(places_.planes, plane), rack),
                           .plane = static_cast<std::uint16_t>(plane)});
    }
    for (std::uint32_t i = 0; i < places_.planes * options_.spines; ++i) {
      const std::uint32_t plane = i / options_.spines;
      builder_.add_switch({.name = fmt::format("{}spine{}", plane_prefix(places_.planes, plane), i % options_.spines),
                           .tier = 2,
                           .plane = static_cast<std::uint16_t>(plane)});
    }
  }

  void connect_spines() {
    for (std::uint32_t leaf = 0; leaf < leaves_; ++leaf) {
      const std::uint32_t first_spine = first_leaf_ + leaves_ + plane_of_leaf(leaf) * options_.spines;
      for (std::uint32_t i = 0; i < options_.spines * options_.parallel_links; ++i) {
        builder_.connect(
            {.lower = NodeIndex(first_leaf_ + leaf), .upper = NodeIndex(first_spine + i % options_.spines)},
            options_.fabric_link);
      }
    }
  }

  const LeafSpineOptions& options_;
  PortPlaces places_;
  std::uint32_t leaves_;
  GraphBuilder builder_;
  std::uint32_t first_leaf_ = 0;
};

}  // namespace

Result<Graph> build_graph(const LeafSpineOptions& options) {
  if (Result<void> valid = check_options(options); !valid) {
    return pass_on(valid);
  }
  return LeafSpineBuilder(options).build();
}

}  // namespace weft::fabric
