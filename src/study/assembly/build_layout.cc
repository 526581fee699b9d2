#include "study/assembly/build_layout.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/graph_parts.h"
#include "study/assembly/shared_uplinks.h"

namespace weft::study::assembly {
namespace {

std::string host_name(const world::MachinePlan& machine, const fabric::Graph& graph, const ScaleUpPlan* scale_up) {
  if (!machine.rails.empty()) {
    return host_of(graph, machine.rails.front());
  }
  const ScaleUpPlan::Gpu* const gpu = scale_up == nullptr ? nullptr : scale_up->find(*machine.scale_up);
  return gpu == nullptr ? machine.name : gpu->host;
}

/// The machine whose own rail it is.
workload::RankId owner_of(EndpointId endpoint, const std::vector<world::MachinePlan>& machines) {
  for (std::uint32_t rank = 0; rank < machines.size(); ++rank) {
    const std::vector<EndpointId>& rails = machines[rank].rails;
    const auto own = rails.end() - static_cast<std::ptrdiff_t>(machines[rank].lent_rails);
    if (machines[rank].scale_up && std::find(rails.begin(), own, endpoint) != own) {
      return workload::RankId(rank);
    }
  }
  WEFT_ASSERT(false);
  return {};
}

}  // namespace

void lend_rails(std::vector<world::MachinePlan>& machines, const fabric::Graph& graph, const ScaleUpPlan* scale_up) {
  const std::vector<std::uint32_t> parts = joined_parts(graph, Joins::kCables);
  // By host and domain: the first own rail there is in each part.
  std::map<std::pair<std::string, std::uint32_t>, std::map<std::uint32_t, EndpointId>> known;
  const auto place_of = [&](const world::MachinePlan& machine) {
    return std::pair(host_name(machine, graph, scale_up), scale_up->domain_of(*machine.scale_up));
  };
  const auto may_relay = [&](const world::MachinePlan& machine) {
    return scale_up != nullptr && machine.scale_up && !machine.rails.empty();
  };
  for (const world::MachinePlan& machine : machines) {
    for (std::size_t rail = 0; may_relay(machine) && rail < machine.rails.size(); ++rail) {
      known[place_of(machine)].emplace(parts[machine.rails[rail].value()], machine.rails[rail]);
    }
  }
  for (world::MachinePlan& machine : machines) {
    if (!may_relay(machine)) {
      continue;
    }
    const std::vector<EndpointId> own = machine.rails;
    for (const auto& there : known[place_of(machine)]) {
      if (std::ranges::none_of(own, [&](EndpointId rail) { return parts[rail.value()] == there.first; })) {
        machine.rails.push_back(there.second);
        ++machine.lent_rails;
      }
    }
  }
}

workload::JobLayout layout_of(const std::vector<world::MachinePlan>& machines, const fabric::Graph& graph,
                              const ScaleUpPlan* scale_up) {
  workload::JobLayout layout;
  std::map<std::string, std::uint32_t> hosts;
  const std::vector<std::uint32_t> parts = joined_parts(graph, Joins::kCables);
  std::vector<std::vector<workload::SharedUplinks>> uplinks = shared_uplinks(machines, graph);
  for (const world::MachinePlan& machine : machines) {
    workload::RankSite& site = layout.emplace_back();
    site.uplinks = std::move(uplinks[layout.size() - 1]);
    const auto next = static_cast<std::uint32_t>(hosts.size());
    site.host = hosts.emplace(host_name(machine, graph, scale_up), next).first->second;
    site.gpu = machine.gpu;
    const std::size_t own = machine.rails.size() - machine.lent_rails;
    for (std::uint16_t rail = 0; rail < machine.rails.size(); ++rail) {
      const std::uint32_t part = parts[machine.rails[rail].value()];
      if (rail < own) {
        site.rails.push_back(rail);
        site.parts.push_back(part);
      } else {
        site.relays.push_back({.rail = rail, .part = part, .through = owner_of(machine.rails[rail], machines)});
      }
    }
    if (machine.scale_up) {
      WEFT_ASSERT(scale_up != nullptr);
      site.domain = scale_up->domain_of(*machine.scale_up);
      site.scale_up = static_cast<std::uint16_t>(machine.rails.size());
    }
  }
  return layout;
}

}  // namespace weft::study::assembly
