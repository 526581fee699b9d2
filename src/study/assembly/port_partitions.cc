#include "study/assembly/port_partitions.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/assert.h"
#include "base/file.h"
#include "study/assembly/build_subnet.h"
#include "study/scenario/fail_at.h"
#include "subnet/partitions/partitions.h"
#include "transport/partition.h"

namespace weft::study::assembly {
namespace {

constexpr ReadLimit kLargestPartitionFile{.bytes = std::uint64_t{1} << 26};
constexpr std::uint16_t kUnlimited = 0xFFFF;  // full member of the default partition

std::uint16_t base_of(std::uint16_t key) { return static_cast<std::uint16_t>(key & ~subnet::kFullMember); }

/// The order of OpenSM on common machines, whose tables are sorted by the bytes of a P_Key from the last to the first.
std::uint16_t rank_of_key(std::uint16_t key) { return __builtin_bswap16(base_of(key)); }

const std::vector<std::uint16_t>& keys_of(const PortKeys& keys, EndpointId endpoint) {
  static const std::vector<std::uint16_t> kNone;
  return endpoint.value() < keys.size() ? keys[endpoint.value()] : kNone;
}

std::string keys_text(const std::vector<std::uint16_t>& keys) {
  std::string text;
  for (const std::uint16_t key : keys) {
    text += fmt::format("{}{:#06x}", text.empty() ? "" : ", ", key);
  }
  return text;
}

/// A rule for a GUID that no manager of the network found: `unknown` in so many subnets as there are.
Result<void> check_guids(const scenario::Scenario& scenario, std::span<const subnet::Partitions> made) {
  for (const subnet::MemberRule& rule : made.front().unknown) {
    const bool everywhere = std::ranges::all_of(made, [&](const subnet::Partitions& one) {
      return std::ranges::any_of(one.unknown, [&](const subnet::MemberRule& other) { return other.port == rule.port; });
    });
    if (everywhere) {
      return scenario::fail_at(scenario, "keys.partition_file",
                               "{}:{}:{}: no port of the network has the GUID {:#018x}; weft subnet show {} lists them",
                               scenario.keys.partition_file, rule.line, rule.column, rule.port.value, scenario.file);
    }
  }
  return {};
}

/// Whether data that a scenario sends can arrive.
class PartitionCheck {
 public:
  PartitionCheck(const scenario::Scenario& scenario, const fabric::Graph& graph, const PortKeys& keys)
      : scenario_(scenario), graph_(graph), keys_(keys) {}

  [[nodiscard]] Result<void> check(const TrafficPlan& plan) const {
    if (plan.multicast) {
      return check_group(plan);
    }
    if (!plan.pairs.empty()) {
      for (const auto& [from, to] : plan.pairs) {
        if (Result<void> met = check_ranks(plan, from, to); !met) {
          return met;
        }
      }
      return {};
    }
    return lists_flows(plan) ? check_flows(plan) : check_all(plan);
  }

 private:
  /// Few flows, each between two ranks of its own.
  [[nodiscard]] bool lists_flows(const TrafficPlan& plan) const {
    const auto traffic = std::ranges::find(scenario_.traffic, plan.job.name, &scenario::TrafficSettings::name);
    return plan.pattern != nullptr && traffic != scenario_.traffic.end() &&
           (traffic->kind == scenario::TrafficKind::kIncast || traffic->kind == scenario::TrafficKind::kPermutation);
  }

  [[nodiscard]] Result<void> check_flows(const TrafficPlan& plan) const {
    for (std::uint32_t rank = 0; rank < plan.machines.size(); ++rank) {
      const std::unique_ptr<workload::FlowSource> flows = plan.pattern->flows_of(workload::RankId(rank));
      while (const std::optional<workload::Flow> flow = flows->next()) {
        if (Result<void> met = check_ranks(plan, rank, flow->id.destination.value()); !met) {
          return met;
        }
      }
    }
    return {};
  }

  /// Ports with the same P_Keys are alike; of two that are alike one pair is looked at.
  [[nodiscard]] Result<void> check_all(const TrafficPlan& plan) const {
    std::map<std::pair<std::size_t, std::vector<std::uint16_t>>, std::vector<EndpointId>> alike;  // by rail and P_Keys
    for (const world::MachinePlan& machine : plan.machines) {
      for (std::size_t rail = 0; rail < machine.rails.size(); ++rail) {
        std::vector<EndpointId>& ports = alike[{rail, keys_of(keys_, machine.rails[rail])}];
        if (ports.size() < 2) {
          ports.push_back(machine.rails[rail]);
        }
      }
    }
    for (const auto& [own, ports] : alike) {
      for (const auto& [other, peers] : alike) {
        const EndpointId peer = own == other ? peers.back() : peers.front();
        if (own.first != other.first || ports.front() == peer) {
          continue;
        }
        if (Result<void> met = check_ports(plan, ports.front(), peer); !met) {
          return met;
        }
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> check_ranks(const TrafficPlan& plan, std::uint32_t from, std::uint32_t to) const {
    const std::vector<EndpointId>& ours = plan.machines[from].rails;
    const std::vector<EndpointId>& theirs = plan.machines[to].rails;
    for (std::size_t rail = 0; rail < std::min(ours.size(), theirs.size()); ++rail) {
      if (Result<void> met = check_ports(plan, ours[rail], theirs[rail]); !met) {
        return met;
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> check_ports(const TrafficPlan& plan, EndpointId from, EndpointId to) const {
    if (path_key(keys_, from, to) != 0) {
      return {};
    }
    return scenario::fail_at(
        scenario_, "keys.partition_file",
        "'{}' sends between {} and {}, which share no partition with one of them as a full member, so that no packet "
        "would be taken: P_Keys {} and {}; weft subnet partitions {} shows who may talk",
        plan.job.name, graph_.nodes[from.value()].name, graph_.nodes[to.value()].name, keys_text(keys_of(keys_, from)),
        keys_text(keys_of(keys_, to)), scenario_.file);
  }

  [[nodiscard]] Result<void> check_group(const TrafficPlan& plan) const {
    const auto ports = [&](std::span<const workload::RankId> ranks) {
      std::vector<EndpointId> all;
      for (const workload::RankId rank : ranks) {
        all.push_back(plan.machines[rank.value()].rails.front());
      }
      return all;
    };
    const std::vector<EndpointId> senders = ports(plan.multicast->senders);
    const std::vector<EndpointId> members = ports(plan.multicast->members);
    return group_keys(keys_, senders, members, senders).empty()
               ? scenario::fail_at(scenario_, "keys.partition_file",
                                   "'{}': there is no partition in which every sender reaches every member; put all of "
                                   "them into one, the senders as full members",
                                   plan.job.name)
               : Result<void>();
  }

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  const PortKeys& keys_;
};

}  // namespace

bool reads_partition_file(const scenario::Scenario& scenario) {
  return scenario.keys.partitions == scenario::PartitionRule::kFile && scenario::is_infiniband(scenario.fabric.family);
}

Result<std::vector<subnet::PartitionRule>> partition_rules(const scenario::Scenario& scenario) {
  const std::string& name = scenario.keys.partition_file;
  const Result<std::string> text = read_file(name, kLargestPartitionFile);
  if (!text) {
    return scenario::fail_at(scenario, "keys.partition_file", "{}", text.error().message);
  }
  Result<subnet::PartitionFile> read = subnet::parse_partitions({.text = *text, .name = name});
  if (!read) {
    return scenario::fail_at(scenario, "keys.partition_file", "{}", read.error().message);
  }
  return std::move(read->rules);
}

Result<std::optional<PortKeys>> port_partitions(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (!reads_partition_file(scenario)) {
    return std::optional<PortKeys>();
  }
  const Result<std::vector<subnet::PartitionRule>> rules = partition_rules(scenario);
  if (!rules) {
    return tl::unexpected<Error>(rules.error());
  }
  const Result<PlacedSubnet> placed = place_subnet(graph);
  if (!placed) {
    return scenario::fail_at(scenario, "keys.partitions", "{}", placed.error().message);
  }
  const auto subnets = swept_subnets(*placed, graph, static_cast<std::uint8_t>(scenario.routing.lmc));
  if (!subnets) {
    return scenario::fail_at(scenario, "keys.partitions", "{}", subnets.error().message);
  }
  std::map<std::uint64_t, std::vector<std::uint16_t>> by_guid;
  std::vector<subnet::Partitions> made;
  for (const subnet::SweptSubnet& swept : *subnets) {
    Result<subnet::Partitions> assigned = subnet::assign_partitions(swept.view, *rules);
    if (!assigned) {
      return scenario::fail_at(scenario, "keys.partition_file", "{}", assigned.error().message);
    }
    for (std::size_t i = 0; i < swept.view.end_ports.size(); ++i) {
      by_guid[swept.view.end_ports[i].guid.value] = assigned->keys[i];
    }
    made.push_back(*std::move(assigned));
  }
  if (Result<void> known = made.empty() ? Result<void>() : check_guids(scenario, made); !known) {
    return pass_on(known);
  }
  PortKeys keys(graph.endpoints);
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    keys[i] = by_guid[placed->subnet.port(placed->places[i]).guid.value];
  }
  return std::optional(std::move(keys));
}

std::uint16_t path_key(const PortKeys& keys, EndpointId source, EndpointId destination) {
  const std::vector<std::uint16_t>& own = keys_of(keys, source);
  const std::vector<std::uint16_t>& others = keys_of(keys, destination);
  if (own.empty() || others.empty()) {
    return kUnlimited;  // no port of the subnet: a reducer, or a GPU's
  }
  const std::vector<std::uint16_t> shared = subnet::shared_keys(own, others);
  const auto best = std::ranges::min_element(shared, {}, rank_of_key);
  return best == shared.end() ? std::uint16_t{0} : *std::ranges::find(own, *best, base_of);
}

std::vector<std::uint16_t> group_keys(const PortKeys& keys, std::span<const EndpointId> senders,
                                      std::span<const EndpointId> members, std::span<const EndpointId> ports) {
  const auto key_in = [&](EndpointId port, std::uint16_t base) {
    const std::vector<std::uint16_t>& own = keys_of(keys, port);
    const auto found = std::ranges::find(own, base, base_of);
    return found == own.end() ? std::uint16_t{0} : *found;
  };
  std::vector<std::uint16_t> wanted = senders.empty() ? std::vector<std::uint16_t>{} : keys_of(keys, senders.front());
  std::ranges::sort(wanted, {}, rank_of_key);
  for (const std::uint16_t candidate : wanted) {
    const std::uint16_t base = base_of(candidate);
    const bool reaches = std::ranges::all_of(senders, [&](EndpointId sender) {
      return std::ranges::all_of(members, [&](EndpointId member) {
        return transport::partitions_match(key_in(sender, base), key_in(member, base));
      });
    });
    if (reaches) {
      std::vector<std::uint16_t> given;
      std::ranges::transform(ports, std::back_inserter(given), [&](EndpointId port) { return key_in(port, base); });
      return given;
    }
  }
  return {};
}

Result<std::optional<PortKeys>> checked_partitions(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                                   std::span<const TrafficPlan> plans) {
  Result<std::optional<PortKeys>> keys = port_partitions(scenario, graph);
  if (!keys || !*keys) {
    return keys;
  }
  const PartitionCheck check(scenario, graph, **keys);
  for (const TrafficPlan& plan : plans) {
    const bool has_keys = plan.over == scenario::TrafficRoute::kFabric && scenario::is_infiniband(plan.family);
    if (Result<void> met = has_keys ? check.check(plan) : Result<void>(); !met) {
      return pass_on(met);
    }
  }
  return keys;
}

}  // namespace weft::study::assembly
