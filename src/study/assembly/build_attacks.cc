#include "study/assembly/build_attacks.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/stable_hash.h"
#include "fabric/topology/graph_query.h"
#include "study/assembly/graph_parts.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_attacks.h"
#include "subnet/partitions/partition_file.h"

namespace weft::study::assembly {
namespace {

constexpr std::uint32_t kPartitions = 0x7FFE;  // 0 is none, 0x7FFF the default one

/// The endpoint of a port, or the first one of a host; none: there is no such thing.
std::optional<EndpointId> endpoint_named(const fabric::Graph& graph, const std::string& name) {
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    const std::string& node = graph.nodes[i].name;
    if (node == name || (node.starts_with(name) && node[name.size()] == '/')) {
      return EndpointId(i);
    }
  }
  return std::nullopt;
}

/// The switch at the other end of an endpoint's cable.
fabric::NodeIndex leaf_of(const fabric::Graph& graph, EndpointId endpoint) {
  const fabric::NodeIndex node = graph.node_of(endpoint);
  for (const fabric::Link& link : graph.links) {
    if (link.a.node == node) {
      return link.b.node;
    }
    if (link.b.node == node) {
      return link.a.node;
    }
  }
  return node;
}

/// Where the subnet manager of an endpoint is: at the first NIC port of its part of the network.
EndpointId administration_of(const fabric::Graph& graph, EndpointId endpoint) {
  const std::vector<std::uint32_t> parts = joined_parts(graph, Joins::kCables);
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    if (parts[i] == parts[endpoint.value()]) {
      return EndpointId(i);
    }
  }
  return endpoint;
}

struct AttackEnds {
  EndpointId from;
  EndpointId victim;
};

/// Of forged-sm-key: the attacker can ask, and has a reason to.
Result<void> check_administration(const scenario::Scenario& scenario, const fabric::Graph& graph, std::size_t number,
                                  const AttackEnds& ends) {
  const scenario::AttackSettings& attack = scenario.attacks[number];
  const std::string path = fmt::format("attack[{}].from", number);
  if (attack.kind != host::AttackKind::kForgedSmKey) {
    return {};
  }
  const EndpointId administration = administration_of(graph, ends.victim);
  if (administration == ends.from) {
    return scenario::fail_at(scenario, path, "the subnet manager is at {}, and knows all keys; name another host",
                             attack.from);
  }
  return administration_of(graph, ends.from) == administration
             ? Result<void>()
             : scenario::fail_at(scenario, path, "{} and {} are in different subnets; name a host of the victim's",
                                 attack.from, attack.victim);
}

Result<host::AttackOptions> attack_options(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                           std::size_t number) {
  const scenario::AttackSettings& attack = scenario.attacks[number];
  const std::string path = fmt::format("attack[{}].", number);
  const std::optional<EndpointId> from = endpoint_named(graph, attack.from);
  const std::optional<EndpointId> victim = endpoint_named(graph, attack.victim);
  if (!from) {
    return scenario::fail_at(scenario, path + "from", "no host or port '{}' in the topology", attack.from);
  }
  if (!victim) {
    return scenario::fail_at(scenario, path + "victim", "no host or port '{}' in the topology", attack.victim);
  }
  if (*from == *victim) {
    return scenario::fail_at(scenario, path + "victim", "'{}' attacks itself; name another host", attack.victim);
  }
  if (attack.kind == host::AttackKind::kGidSpoof && leaf_of(graph, *from) != leaf_of(graph, *victim)) {
    return scenario::fail_at(scenario, path + "from",
                             "{} and {} are at different switches: an address is announced in one layer-2 domain; "
                             "name a host of the victim's leaf",
                             attack.from, attack.victim);
  }
  if (Result<void> reached = check_administration(scenario, graph, number, {*from, *victim}); !reached) {
    return pass_on(reached);
  }
  return host::AttackOptions{.name = attack.name,
                             .kind = attack.kind,
                             .from = *from,
                             .victim = *victim,
                             .start = Time::zero() + attack.start,
                             .stop = attack.stop ? Time::zero() + *attack.stop : Time::never(),
                             .interval = Duration::picoseconds(1'000'000'000'000 / attack.rate),
                             .bandwidth = attack.bandwidth.value_or(Rate::zero()),
                             .knows = scenario::knowledge_of(attack),
                             .guess = attack.guess,
                             .payload = static_cast<std::uint16_t>(attack.payload.count()),
                             .seed = stable_hash(static_cast<std::uint64_t>(scenario.seed), "attack " + attack.name)};
}

std::vector<std::vector<std::uint16_t>> members(const fabric::Graph& graph, std::span<const TrafficPlan> plans,
                                                std::span<const std::uint16_t> keys) {
  std::vector<std::vector<std::uint16_t>> of_endpoint(graph.endpoints);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (const world::MachinePlan& machine : plans[i].machines) {
      for (const EndpointId rail : machine.rails) {
        of_endpoint[rail.value()].push_back(keys[i]);
      }
    }
  }
  return of_endpoint;
}

}  // namespace

std::vector<std::uint16_t> partition_keys(const scenario::Scenario& scenario, std::span<const TrafficPlan> plans) {
  std::vector<std::uint16_t> keys(plans.size(), 0xFFFF);
  if (scenario.keys.partitions != scenario::PartitionRule::kPerJob) {
    return keys;
  }
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::uint64_t drawn =
        stable_hash(static_cast<std::uint64_t>(scenario.seed), "partition " + plans[i].job.name);
    auto number = static_cast<std::uint32_t>(drawn % kPartitions);
    while (!taken.insert(number).second) {
      number = (number + 1) % kPartitions;
    }
    keys[i] = static_cast<std::uint16_t>(subnet::kFullMember | (number + 1));
  }
  return keys;
}

Result<AttackPlan> plan_attacks(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                std::span<const TrafficPlan> plans, const std::optional<PortKeys>& port_keys) {
  AttackPlan plan;
  for (std::size_t i = 0; scenario.keys.attacks && i < scenario.attacks.size(); ++i) {
    if (!scenario::impossible_attack(scenario.attacks[i].kind, scenario.fabric.family).empty()) {
      continue;
    }
    Result<host::AttackOptions> made = attack_options(scenario, graph, i);
    if (!made) {
      return pass_on(made);
    }
    if (made->kind == host::AttackKind::kForgedSmKey) {
      made->administration = administration_of(graph, made->victim);
    }
    plan.attacks.push_back(*std::move(made));
    plan.numbers.push_back(i);
  }
  const scenario::KeySettings& keys = scenario.keys;
  const bool infiniband = scenario::is_infiniband(scenario.fabric.family);
  plan.defences = {.switch_partitions = keys.switch_enforcement && infiniband,
                   .partitions = port_keys ? *port_keys : members(graph, plans, partition_keys(scenario, plans)),
                   .source_check = keys.source_check && !infiniband,
                   .authenticates = scenario::engine_of(scenario.fabric.family) == scenario::FamilyEngine::kUet &&
                                    scenario.uet.security != scenario::UetSecurity::kNone,
                   .cnp_interval = keys.cnp_limit.value_or(Duration::zero()),
                   .m_key = keys.m_key,
                   .sa_key = keys.sa_key,
                   .cc_key = keys.cc_key,
                   .bgp_ttl_security = keys.bgp_ttl_security,
                   .bgp_password = keys.bgp_password};
  return plan;
}

}  // namespace weft::study::assembly
