#include "study/assembly/build_layout.h"

#include <map>
#include <string>
#include <vector>

#include "base/assert.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/graph_parts.h"

namespace weft::study::assembly {
namespace {

std::string host_name(const world::MachinePlan& machine, const fabric::Graph& graph, const ScaleUpPlan* scale_up) {
  if (!machine.rails.empty()) {
    return host_of(graph, machine.rails.front());
  }
  const ScaleUpPlan::Gpu* const gpu = scale_up == nullptr ? nullptr : scale_up->find(*machine.scale_up);
  return gpu == nullptr ? machine.name : gpu->host;
}

}  // namespace

workload::JobLayout layout_of(const std::vector<world::MachinePlan>& machines, const fabric::Graph& graph,
                              const ScaleUpPlan* scale_up) {
  workload::JobLayout layout;
  std::map<std::string, std::uint32_t> hosts;
  const std::vector<std::uint32_t> parts = joined_parts(graph, Joins::kCables);
  for (const world::MachinePlan& machine : machines) {
    workload::RankSite& site = layout.emplace_back();
    const auto next = static_cast<std::uint32_t>(hosts.size());
    site.host = hosts.emplace(host_name(machine, graph, scale_up), next).first->second;
    site.gpu = machine.gpu;
    for (std::uint16_t rail = 0; rail < machine.rails.size(); ++rail) {
      site.rails.push_back(rail);
      site.parts.push_back(parts[machine.rails[rail].value()]);
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
