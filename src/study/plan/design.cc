#include "study/plan/design.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>

#include "base/format_quantity.h"

namespace weft::study::plan {
namespace {

/// Of "job[0].tp=4" that which tells designs apart: "tp 4".
std::string short_setting(const std::string& setting) {
  const auto dot = setting.find('.');
  const auto equals = setting.find('=');
  return fmt::format("{} {}", setting.substr(dot + 1, equals - dot - 1), setting.substr(equals + 1));
}

bool is_infiniband(const Design& design) {
  return std::ranges::count(design.network.settings, std::string("fabric.family=infiniband")) > 0;
}

/// Ports of InfiniBand and of scheduled fabrics do not stand in for one another, nor planes under schemes that know one
/// leaf of each receiver (routing.port_failover).
bool may_fail_over(const Design& design) {
  const auto goes_by = [&design](std::initializer_list<std::string_view> schemes) {
    return std::ranges::any_of(design.network.settings, [&schemes](const std::string& setting) {
      const bool chooses = setting.starts_with("routing.scheme=") || setting.starts_with("routing.policy=");
      return chooses && std::ranges::count(schemes, std::string_view(setting).substr(setting.find('=') + 1)) > 0;
    });
  };
  const bool by_leaves = design.planes > 1 && goes_by({"conga", "conweave", "path-pinning", "pinned", "central",
                                                       "traffic-engineering", "network-level"});
  return !is_infiniband(design) && !goes_by({"scheduled"}) && !by_leaves;
}

}  // namespace

std::string_view to_string(Shape shape) {
  constexpr std::array<std::string_view, kShapes.size()> kWords = {"single-switch", "leaf-spine",     "rail-optimised",
                                                                   "fat-tree",      "dragonfly-plus", "torus"};
  return kWords.at(static_cast<std::size_t>(shape));
}

std::string name_of(const Design& design) {
  std::string name =
      fmt::format("{}, {}, {}, {}", design.network.name, design.switch_.name, design.nic.name, to_string(design.shape));
  if (design.shape != Shape::kSingleSwitch && !has_leaves_only(design)) {
    name += " " + scenario::to_string(design.oversubscription);
  }
  name += design.groups > 0 ? fmt::format(" of {} groups", design.groups) : "";
  name += design.sizes.empty() ? "" : fmt::format(" {}", fmt::join(design.sizes, "x"));
  name += design.switch_.breakout > 1 ? fmt::format(", ports split in {}", design.switch_.breakout) : "";
  name += fmt::format(", {} {} per host", design.rails, design.rails == 1 ? "NIC" : "NICs");
  name += design.planes > 1 ? fmt::format(", {} planes", design.planes) : "";
  name += design.tors > 1 ? fmt::format(", {} ToRs per NIC", design.tors) : "";
  name += design.domain > 0 ? fmt::format(", domains of {}", design.domain) : "";
  name += design.spares > 0 ? fmt::format(", {} spare {}", design.spares, design.spares == 1 ? "host" : "hosts") : "";
  for (const std::string& setting : design.job) {
    if (setting.ends_with(".dp=0")) {
      continue;  // follows from the others
    }
    name += ", " + short_setting(setting);
  }
  return name;
}

std::vector<std::string> settings_of(const Design& design) {
  std::vector<std::string> made = design.network.settings;
  const auto put = [&made](std::string_view key, const auto& value) {
    made.push_back(fmt::format("{}={}", key, value));
  };
  put("fabric.switch", design.switch_.name);
  put("fabric.nic", design.nic.name);
  if (design.switch_.breakout > 1) {
    put("switch.ports", design.switch_.ports);
    put("switch.port_rate", weft::to_string(design.switch_.rate));
  }
  put("topology.kind", to_string(design.shape));
  put("topology.hosts", design.hosts);
  put("topology.nics_per_host", design.rails);
  if (ports_of_nic(design) > 1) {
    put("topology.ports_per_nic", ports_of_nic(design));
    put("topology.planes", design.planes);
    if (may_fail_over(design)) {
      put("routing.port_failover", "true");
    }
  }
  switch (design.shape) {
    case Shape::kSingleSwitch:
      break;
    case Shape::kLeafSpine:
    case Shape::kRailOptimised:
      put("topology.hosts_per_leaf", design.wiring.hosts_per_leaf);
      put("topology.spines", design.wiring.spines);
      put("topology.parallel_links", design.wiring.parallel_links);
      break;
    case Shape::kFatTree:
      put("topology.tiers", design.tree.tiers);
      put("topology.radix", design.tree.radix);
      put("topology.oversubscription", scenario::to_string(design.oversubscription));
      put("topology.parallel_links", design.tree.parallel_links);
      break;
    case Shape::kDragonflyPlus:
      put("topology.groups", design.groups);
      put("topology.leaves", design.wiring.leaves);
      put("topology.hosts_per_leaf", design.wiring.hosts_per_leaf);
      put("topology.spines", design.wiring.spines);
      put("topology.parallel_links", design.wiring.parallel_links);
      put("topology.global_links", design.global_links);
      break;
    case Shape::kTorus:
      put("topology.sizes", fmt::format("[{}]", fmt::join(design.sizes, ", ")));
      put("topology.hosts_per_leaf", design.wiring.hosts_per_leaf);
      put("topology.parallel_links", design.wiring.parallel_links);
      if (is_infiniband(design)) {  // or credits wait for each other around its rings
        put("routing.policy", "dimension-order");
        put("infiniband.vls", 2);
      }
      break;
  }
  if (design.domain > 0) {
    put("scale_up.domain", design.domain);
  }
  made.insert(made.end(), design.job.begin(), design.job.end());
  return made;
}

int tiers_of(const Design& design) {
  switch (design.shape) {
    case Shape::kSingleSwitch:
    case Shape::kTorus:
      return 1;
    case Shape::kDragonflyPlus:
      return 2;
    case Shape::kLeafSpine:
    case Shape::kRailOptimised:
      return design.wiring.uplinks > 0 ? 2 : 1;
    case Shape::kFatTree:
      break;
  }
  return design.tree.cables > 0 ? static_cast<int>(design.tree.tiers) : 1;
}

}  // namespace weft::study::plan
