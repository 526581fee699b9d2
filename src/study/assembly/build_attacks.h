// From the attacks and keys of a scenario to what a world has of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/assembly/build_traffic.h"
#include "study/assembly/port_partitions.h"
#include "study/scenario/scenario.h"
#include "study/world/world.h"

namespace weft::study::assembly {

struct AttackPlan {
  std::vector<host::AttackOptions> attacks;  // those that the family can suffer
  std::vector<std::size_t> numbers;          // of each, in the scenario
  host::Defences defences;
};

/// The P_Key of each plan's queue pairs: no two alike with `per-job`, f(seed, name) as far as that allows.
[[nodiscard]] std::vector<std::uint16_t> partition_keys(const scenario::Scenario& scenario,
                                                        std::span<const TrafficPlan> plans);

/// `port_keys`: of a partitions.conf; none: ports are in the partitions of the plans that use them. Errors: a host that
/// the topology does not have, and what the kind asks of the places of both.
[[nodiscard]] Result<AttackPlan> plan_attacks(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                              std::span<const TrafficPlan> plans,
                                              const std::optional<PortKeys>& port_keys);

}  // namespace weft::study::assembly
