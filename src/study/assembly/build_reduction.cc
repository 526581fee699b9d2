#include "study/assembly/build_reduction.h"

#include <vector>

#include "fabric/topology/reducers.h"
#include "study/assembly/build_hosts.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/selector.h"

namespace weft::study::assembly {
namespace {

template <class Enum>
std::uint32_t set_of(const std::vector<Enum>& list) {
  std::uint32_t set = 0;
  for (const Enum value : list) {
    set |= 1U << static_cast<unsigned>(value);
  }
  return set;
}

}  // namespace

Result<void> add_reducers(const scenario::Scenario& scenario, fabric::Graph& graph) {
  const scenario::ReductionSettings& settings = scenario.reduction;
  if (!settings.enabled) {
    return {};
  }
  std::vector<fabric::NodeIndex> chosen;
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    if (settings.switches == "*" || scenario::selects(settings.switches, graph.nodes[i].name)) {
      chosen.emplace_back(i);
    }
  }
  if (chosen.empty()) {
    return fail("{}: reduction.switches: '{}' selects no switch; one is named '{}'",
                scenario::source_place(scenario, "reduction.switches"), settings.switches, graph.nodes.back().name);
  }
  const fabric::ReducerOptions options{.ports = static_cast<std::uint16_t>(settings.ports.value_or(0))};
  return fabric::add_reducers(graph, chosen, options);
}

host::ReductionOptions reduction_options(const scenario::Scenario& scenario) {
  const scenario::ReductionSettings& from = scenario.reduction;
  const workload::ConnectionAttributes connection =
      connection_attributes(scenario, scenario.fabric.family, std::nullopt);
  return {.limits = {.max_size = from.max_size,
                     .data_types = set_of(from.data_types),
                     .operations = set_of(from.operations),
                     .max_members = static_cast<std::uint32_t>(from.max_members)},
          .max_children = static_cast<std::uint32_t>(from.max_children.value_or(0xFFFF)),
          .max_groups = static_cast<std::uint32_t>(from.max_groups),
          .window = static_cast<std::uint32_t>(from.window),
          .latency = from.latency,
          .probe_interval = from.probe_interval,
          .probes = static_cast<std::uint32_t>(from.probes),
          .path_mtu = connection.path_mtu,
          .service_level = connection.service_level,
          .traffic_class = connection.traffic_class,
          .timeout = connection.timeout,
          .retry_count = connection.retry_count};
}

}  // namespace weft::study::assembly
