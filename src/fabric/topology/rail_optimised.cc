#include "fabric/topology/rail_optimised.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "fabric/topology/option_check.h"
#include "fabric/topology/racks.h"

namespace weft::fabric {
namespace {

std::uint32_t planes_of(const RailOptimisedOptions& options) {
  return options.port_spread == PortSpread::kPlanes ? options.ports_per_nic : 1;
}

std::uint64_t hosts_of(const RailOptimisedOptions& options) {
  return options.hosts > 0 ? options.hosts : saturating_product({options.groups, options.hosts_per_group});
}

Result<void> check_options(const RailOptimisedOptions& options) {
  const std::uint64_t leaves = saturating_product({options.groups, options.rails, options.ports_per_nic});
  const std::uint64_t spines = saturating_product({options.spines, planes_of(options)});
  const std::uint64_t downward =
      saturating_product({leaves / std::max(1U, planes_of(options)), options.parallel_links});
  const std::uint64_t upward = saturating_product({options.spines, options.parallel_links});
  Result<void> valid =
      OptionCheck("rail-optimised")
          .positive({"groups", options.groups})
          .positive({"hosts_per_group", options.hosts_per_group})
          .positive({"rails", options.rails})
          .positive({"parallel_links", options.parallel_links})
          .positive({"ports_per_nic", options.ports_per_nic})
          .cable("host_link", options.host_link)
          .cable("fabric_link", options.fabric_link)
          .size({.endpoints = saturating_product({hosts_of(options), options.rails, options.ports_per_nic}),
                 .switches = std::max(leaves, spines),
                 .largest_switch = std::max(upward, options.spines == 0 ? 0 : downward)})
          .size({.switches = leaves + spines, .largest_switch = upward + options.hosts_per_group})
          .last_part(
              {.hosts = options.hosts, .parts = options.groups, .of_part = options.hosts_per_group, .names = "groups"})
          .result();
  if (valid && options.spines == 0 && options.groups > 1) {
    return fail("rail-optimised: spines is 0 with {} groups, which are then disconnected; it must be at least 1",
                options.groups);
  }
  return valid;
}

class RailBuilder {
 public:
  explicit RailBuilder(const RailOptimisedOptions& options)
      : options_(options),
        hosts_(static_cast<std::uint32_t>(hosts_of(options))),
        planes_(planes_of(options)),
        builder_(options.domains) {}

  Graph build() && {
    add_endpoints();
    add_leaves();
    add_spines();
    connect_endpoints();
    connect_spines();
    return std::move(builder_).finish();
  }

 private:
  /// Which leaf; `port` is that of the NICs on it.
  struct Place {
    std::uint32_t group = 0;
    std::uint32_t rail = 0;
    std::uint32_t port = 0;
  };

  template <class Visit>
  void for_each_leaf(Visit visit) const {
    for (std::uint32_t group = 0; group < options_.groups; ++group) {
      for (std::uint32_t rail = 0; rail < options_.rails; ++rail) {
        for (std::uint32_t port = 0; port < options_.ports_per_nic; ++port) {
          visit(Place{.group = group, .rail = rail, .port = port});
        }
      }
    }
  }

  /// Of the leaf among all leaves.
  [[nodiscard]] std::uint32_t ordinal(const Place& at) const {
    return (at.group * options_.rails + at.rail) * options_.ports_per_nic + at.port;
  }

  /// Rails that nothing joins are planes too.
  [[nodiscard]] std::uint16_t plane_of(const Place& at) const {
    if (options_.spines == 0) {
      return static_cast<std::uint16_t>(ordinal(at));
    }
    return static_cast<std::uint16_t>(options_.port_spread == PortSpread::kPlanes ? at.port : 0);
  }

  void add_endpoints() {
    for (std::uint32_t host = 0; host < hosts_; ++host) {
      for (std::uint32_t nic = 0; nic < options_.rails; ++nic) {
        for (std::uint32_t port = 0; port < options_.ports_per_nic; ++port) {
          const Place at{.group = host / options_.hosts_per_group, .rail = nic, .port = port};
          const std::string suffix = options_.ports_per_nic > 1 ? fmt::format("/port{}", port) : std::string();
          builder_.add_endpoint({.name = fmt::format("host{}/nic{}{}", host, nic, suffix), .plane = plane_of(at)});
        }
      }
    }
  }

  void add_leaves() {
    const bool is_dual = options_.ports_per_nic > 1 && options_.port_spread == PortSpread::kLeaves;
    first_leaf_ = hosts_ * options_.rails * options_.ports_per_nic;
    for_each_leaf([&](const Place& at) {
      const std::string suffix = is_dual ? fmt::format("/leaf{}", at.port) : std::string();
      builder_.add_switch(
          {.name = fmt::format("{}group{}/rail{}{}", plane_prefix(planes_, at.port), at.group, at.rail, suffix),
           .plane = plane_of(at)});
    });
    first_spine_ = first_leaf_ + options_.groups * options_.rails * options_.ports_per_nic;
  }

  void add_spines() {
    for (std::uint32_t i = 0; i < planes_ * options_.spines; ++i) {
      const std::uint32_t plane = i / options_.spines;
      builder_.add_switch({.name = fmt::format("{}spine{}", plane_prefix(planes_, plane), i % options_.spines),
                           .tier = 2,
                           .plane = static_cast<std::uint16_t>(plane)});
    }
  }

  void connect_endpoints() {
    const std::uint32_t per_host = options_.rails * options_.ports_per_nic;
    for (std::uint32_t endpoint = 0; endpoint < first_leaf_; ++endpoint) {
      const std::uint32_t group = endpoint / per_host / options_.hosts_per_group;
      const NodeIndex leaf(first_leaf_ + group * per_host + endpoint % per_host);
      builder_.connect({.lower = NodeIndex(endpoint), .upper = leaf}, options_.host_link);
    }
  }

  void connect_spines() {
    for_each_leaf([&](const Place& at) {
      for (std::uint32_t i = 0; i < options_.spines * options_.parallel_links; ++i) {
        const NodeIndex upper(first_spine_ + plane_of(at) * options_.spines + i % options_.spines);
        builder_.connect({.lower = NodeIndex(first_leaf_ + ordinal(at)), .upper = upper}, options_.fabric_link);
      }
    });
  }

  const RailOptimisedOptions& options_;
  std::uint32_t hosts_;
  std::uint32_t planes_;
  GraphBuilder builder_;
  std::uint32_t first_leaf_ = 0;
  std::uint32_t first_spine_ = 0;
};

}  // namespace

Result<Graph> build_graph(const RailOptimisedOptions& options) {
  if (Result<void> valid = check_options(options); !valid) {
    return pass_on(valid);
  }
  return RailBuilder(options).build();
}

}  // namespace weft::fabric
