#include "study/assembly/build_multicast.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/assert.h"
#include "study/assembly/build_pattern.h"
#include "study/assembly/build_subnet.h"
#include "study/scenario/scenario_words.h"
#include "subnet/multicast/spanning_tree.h"

namespace weft::study::assembly {
namespace {

/// The first that OpenSM gives away: 0xC000 is that of the broadcast group of IPoIB.
constexpr std::uint16_t kFirstLid = wire::kFirstMulticastLid + 1;

subnet::MulticastEngine engine_of(const scenario::Scenario& scenario) {
  subnet::MulticastEngine engine{.options = {.lanes = static_cast<std::uint32_t>(scenario.devices.infiniband.vls),
                                             .nue_lanes = static_cast<std::uint32_t>(scenario.routing.nue_lanes)}};
  const bool has_engine =
      scenario::has_manager(scenario.routing) && scenario.routing.engine != scenario::RoutingEngine::kFile;
  if (has_engine) {
    const Result<subnet::EngineKind> kind = subnet::engine_by_name(scenario::word_of(scenario.routing.engine));
    WEFT_ASSERT(kind.has_value());
    engine.used = *kind;
  }
  return engine;
}

/// The trees of one subnet.
class TreeMaker {
 public:
  TreeMaker(const fabric::Graph& graph, const PlacedSubnet& placed) : graph_(graph), placed_(placed) {
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
      if (placed.places[i].node.is_valid()) {
        node_of_[placed.subnet.port(placed.places[i]).guid.value] = fabric::NodeIndex(i);
      }
    }
  }

  /// Of the plan's ports, each once, those that the subnet has.
  [[nodiscard]] subnet::MulticastGroup group(const subnet::RoutingView& view, const TrafficPlan& plan) const {
    subnet::MulticastGroup group{.lid = plan.multicast->lid, .members = {}};
    std::set<std::uint64_t> guids;
    for (const world::MachinePlan& machine : plan.machines) {
      guids.insert(placed_.subnet.port(placed_.places[machine.rails.front().value()]).guid.value);
    }
    for (std::uint32_t i = 0; i < view.end_ports.size(); ++i) {
      if (guids.contains(view.end_ports[i].guid.value)) {
        group.members.push_back(subnet::EndPortIndex(i));
      }
    }
    return group;
  }

  void take(const subnet::RoutingView& view, const subnet::MulticastTables& made, fabric::MulticastTables& tables) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      const std::uint32_t ordinal = node_of_.at(view.switches[i].guid.value).value() - graph_.endpoints;
      for (const auto& [lid, mask] : made[i]) {
        std::vector<std::uint16_t> ports;
        for (std::size_t port = 1; port < mask.size(); ++port) {
          if (mask.test(port)) {
            ports.push_back(static_cast<std::uint16_t>(port - 1));
          }
        }
        if (!ports.empty()) {
          tables.set({.switch_ordinal = ordinal, .lid = lid}, std::move(ports));
        }
      }
    }
  }

 private:
  const fabric::Graph& graph_;
  const PlacedSubnet& placed_;
  std::map<std::uint64_t, fabric::NodeIndex> node_of_;  // by the GUID of a NIC port or a switch
};

std::size_t ports_of(const TrafficPlan& plan) {
  std::set<EndpointId> ports;
  for (const world::MachinePlan& machine : plan.machines) {
    ports.insert(machine.rails.front());
  }
  return ports.size();
}

std::vector<std::size_t> everybody(std::size_t count) {
  std::vector<std::size_t> all(count);
  for (std::size_t i = 0; i < count; ++i) {
    all[i] = i;
  }
  return all;
}

Result<std::vector<std::size_t>> select_or_all(const std::vector<std::string>& selectors,
                                               const std::vector<Participant>& from,
                                               const scenario::TrafficSettings& traffic) {
  return selectors.empty() ? Result<std::vector<std::size_t>>(everybody(from.size()))
                           : select(selectors, from, traffic);
}

std::vector<workload::RankId> ranks_of(const std::vector<std::size_t>& numbers) {
  std::vector<workload::RankId> ranks;
  for (const std::size_t number : numbers) {
    ranks.emplace_back(static_cast<std::uint32_t>(number));
  }
  return ranks;
}

}  // namespace

Result<std::vector<Participant>> group_participants(const scenario::TrafficSettings& traffic,
                                                    const std::vector<Participant>& all) {
  std::set<std::size_t> chosen;
  for (const std::vector<std::string>* const selectors : {&traffic.sources, &traffic.destinations}) {
    const Result<std::vector<std::size_t>> selected = select_or_all(*selectors, all, traffic);
    if (!selected) {
      return tl::unexpected<Error>(selected.error());
    }
    chosen.insert(selected->begin(), selected->end());
  }
  std::vector<Participant> participants;
  for (const std::size_t number : chosen) {
    participants.push_back(all[number]);
  }
  return participants;
}

Result<MulticastPlan> plan_multicast(const scenario::Scenario& scenario, const scenario::TrafficSettings& traffic,
                                     const std::vector<Participant>& participants) {
  const Result<std::vector<std::size_t>> senders = select_or_all(traffic.sources, participants, traffic);
  const Result<std::vector<std::size_t>> members = select_or_all(traffic.destinations, participants, traffic);
  if (!senders || !members) {
    return tl::unexpected<Error>(senders ? members.error() : senders.error());
  }
  for (const std::size_t sender : *senders) {
    if (std::ranges::all_of(*members, [&](std::size_t member) { return member == sender; })) {
      return wrong(traffic, "nobody but '" + participants[sender].name + "' would get what it sends");
    }
  }
  const std::optional<Duration> stop = traffic.stop ? traffic.stop : scenario.stop;
  return MulticastPlan{
      .lid = 0,
      .senders = ranks_of(*senders),
      .members = ranks_of(*members),
      .program = {.queue_key = 0x11'111,
                  .size = traffic.size,
                  .count = static_cast<std::uint32_t>(traffic.count),
                  .depth = static_cast<std::uint32_t>(traffic.depth),
                  .interval = traffic.rate ? traffic.rate->transmit_time(traffic.size) : Duration::zero(),
                  .start = Time::zero() + traffic.start,
                  .stop = stop ? Time::zero() + *stop : Time::never()}};
}

Result<fabric::MulticastTables> multicast_tables(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                                 std::span<TrafficPlan> plans) {
  fabric::MulticastTables tables;
  std::vector<TrafficPlan*> groups;
  for (TrafficPlan& plan : plans) {
    if (plan.multicast) {
      if (ports_of(plan) < 2) {
        return fail("traffic '{}': its senders and members are behind one port; a group of the network has two or more",
                    plan.job.name);
      }
      plan.multicast->lid = static_cast<std::uint16_t>(kFirstLid + groups.size());
      groups.push_back(&plan);
    }
  }
  if (groups.empty()) {
    return tables;
  }
  if (groups.size() > wire::kLastMulticastLid - kFirstLid + std::size_t{1}) {
    return fail("{} multicast groups; a subnet has LIDs for {}", groups.size(),
                wire::kLastMulticastLid - kFirstLid + 1);
  }
  const Result<PlacedSubnet> placed = place_subnet(graph);
  if (!placed) {
    return tl::unexpected<Error>(placed.error());
  }
  const Result<std::vector<subnet::SweptSubnet>> subnets =
      swept_subnets(*placed, graph, static_cast<std::uint8_t>(scenario.routing.lmc));
  if (!subnets) {
    return tl::unexpected<Error>(subnets.error());
  }
  TreeMaker maker(graph, *placed);
  for (const subnet::SweptSubnet& swept : *subnets) {
    std::vector<subnet::MulticastGroup> own;
    for (const TrafficPlan* const plan : groups) {
      own.push_back(maker.group(swept.view, *plan));
      if (!own.back().members.empty() && own.back().members.size() < ports_of(*plan)) {
        return fail("traffic '{}': its ports are in several subnets that no cable joins; a group is within one",
                    plan->job.name);
      }
    }
    std::erase_if(own, [](const subnet::MulticastGroup& group) { return group.members.size() < 2; });
    if (own.empty()) {
      continue;
    }
    const Result<subnet::MulticastRoutes> made = subnet::route_multicast(swept.view, engine_of(scenario), own);
    if (!made) {
      return tl::unexpected<Error>(made.error());
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!made->trees[i].unreached.empty()) {
        return fail("the multicast tree of LID {:#x} reaches {} of its {} ports", own[i].lid,
                    own[i].members.size() - made->trees[i].unreached.size(), own[i].members.size());
      }
    }
    maker.take(swept.view, made->tables, tables);
  }
  return tables;
}

}  // namespace weft::study::assembly
