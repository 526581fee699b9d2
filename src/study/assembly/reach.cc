#include "study/assembly/reach.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "study/assembly/graph_parts.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::assembly {
namespace {

using fabric::Graph;
using fabric::PortType;

bool is_routable(scenario::Family family) {
  return scenario::traits_of(family).reach == scenario::FamilyReach::kRouted;
}

/// The first cable, in the order of the graph, that leads out of a part.
std::string boundary(const Graph& graph, const std::vector<std::uint32_t>& part, std::uint32_t inside) {
  for (const fabric::Link& link : graph.links) {
    const bool from_a = part[link.a.node.value()] == inside;
    if (from_a != (part[link.b.node.value()] == inside)) {
      return fmt::format("the cable {} - {}", fabric::port_name(graph, from_a ? link.a : link.b),
                         fabric::port_name(graph, from_a ? link.b : link.a));
    }
  }
  return "no cable connects them";
}

/// Of collectives whose ranks have scale-up links beside the fabric; null: of others.
const workload::JobLayout* layout_of(const TrafficPlan& plan) {
  const workload::JobLayout* layout =
      plan.training ? &plan.training->layout : (plan.collective ? &plan.collective->layout : nullptr);
  return layout != nullptr && std::ranges::all_of(*layout, [](const auto& site) { return site.scale_up.has_value(); })
             ? layout
             : nullptr;
}

/// The first rank with the same place in its host: collectives keep to rails, and change them over scale-up links.
std::uint32_t first_like(const workload::JobLayout& layout, std::uint32_t rank) {
  const auto like = std::ranges::find(layout, layout[rank].gpu, &workload::RankSite::gpu);
  return static_cast<std::uint32_t>(like - layout.begin());
}

class ReachCheck {
 public:
  explicit ReachCheck(const Graph& graph)
      : graph_(graph), part_(joined_parts(graph, Joins::kBridges)), cabled_(joined_parts(graph, Joins::kCables)) {}

  [[nodiscard]] Result<void> check(const TrafficPlan& plan) const {
    if (!plan.pairs.empty()) {
      for (const auto& [from, to] : plan.pairs) {
        if (Result<void> met = check_pair(plan, from, to); !met) {
          return met;
        }
      }
      return {};
    }
    const workload::JobLayout* layout = layout_of(plan);
    for (std::uint32_t rank = 1; rank < plan.machines.size(); ++rank) {
      if (Result<void> met = check_pair(plan, layout == nullptr ? 0 : first_like(*layout, rank), rank); !met) {
        return met;
      }
    }
    return {};
  }

 private:
  [[nodiscard]] Result<void> check_pair(const TrafficPlan& plan, std::uint32_t from, std::uint32_t to) const {
    const std::vector<EndpointId>& ours = plan.machines[from].rails;
    const std::vector<EndpointId>& theirs = plan.machines[to].rails;
    for (std::size_t rail = 0; rail < std::min(ours.size(), theirs.size()); ++rail) {
      // What no cable joins either is no question of families: the ranks know their parts of the network.
      const bool joined = cabled_[ours[rail].value()] == cabled_[theirs[rail].value()];
      if (!joined && (plan.collective || plan.training || !plan.layout.empty())) {
        continue;
      }
      if (!joined) {
        return fail(
            "traffic '{}': no cable joins the networks of {} and {}, as those of planes, or of rails without spines; "
            "choose sources and destinations of one network (ends = \"nics\": NICs with all their ports)",
            plan.job.name, graph_.nodes[ours[rail].value()].name, graph_.nodes[theirs[rail].value()].name);
      }
      const std::uint32_t inside = part_[ours[rail].value()];
      if (inside != part_[theirs[rail].value()] && !is_routable(plan.family)) {
        const scenario::Family family = plan.family;
        return fail(
            "traffic '{}': {} cannot leave one {}, but {} and {} are in different ones; the boundary is {}. rocev2, "
            "iwarp and tcp can be routed",
            plan.job.name, scenario::word_of(family),
            scenario::traits_of(family).reach == scenario::FamilyReach::kSubnet ? "subnet" : "layer-2 domain",
            graph_.nodes[ours[rail].value()].name, graph_.nodes[theirs[rail].value()].name,
            boundary(graph_, part_, inside));
      }
    }
    return {};
  }

  const Graph& graph_;
  std::vector<std::uint32_t> part_;
  std::vector<std::uint32_t> cabled_;
};

Result<void> check_port_types(const scenario::Scenario& scenario, const Graph& graph) {
  const PortType fabric = scenario::is_infiniband(scenario.fabric.family) ? PortType::kInfiniBand : PortType::kEthernet;
  for (const fabric::Node& node : graph.nodes) {
    if (!are_compatible(node.port_type, fabric)) {
      return fail("{} has {} ports, but the family {} needs {} ports; a gateway is not modelled", node.name,
                  to_string(node.port_type), scenario::word_of(scenario.fabric.family), to_string(fabric));
    }
  }
  return {};
}

}  // namespace

Result<void> check_reach(const scenario::Scenario& scenario, const Graph& graph, std::span<const TrafficPlan> plans) {
  if (Result<void> wired = check_port_types(scenario, graph); !wired) {
    return wired;
  }
  const ReachCheck check(graph);
  for (const TrafficPlan& plan : plans) {
    if (Result<void> reached = check.check(plan); !reached) {
      return reached;
    }
  }
  return {};
}

}  // namespace weft::study::assembly
