// Two leaves under some spines whose cables may differ, for tests of schemes that spread traffic.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"

namespace weft::fabric::ethernet_test {

inline constexpr Rate kRate = 400_gbps;

struct Clos {
  std::uint32_t hosts_per_leaf = 2;
  std::vector<Rate> spine_rates{};     // of the cables between a spine and the second leaf; all others have kRate
  std::vector<Duration> spine_ways{};  // of both cables of a spine; 200 ns where there is none
};

/// Two leaves, the hosts of the first one before those of the second.
inline Graph two_leaves(const Clos& clos) {
  GraphBuilder builder(Domains::kOne);
  builder.add_hosts({.hosts = 2 * clos.hosts_per_leaf});
  const std::vector<NodeIndex> leaves{builder.add_switch({.name = "leaf0"}), builder.add_switch({.name = "leaf1"})};
  std::vector<NodeIndex> spines;
  for (std::size_t i = 0; i < clos.spine_rates.size(); ++i) {
    spines.push_back(builder.add_switch({.name = "spine" + std::to_string(i), .tier = 2}));
  }
  for (std::uint32_t i = 0; i < 2 * clos.hosts_per_leaf; ++i) {
    builder.connect({.lower = NodeIndex(i), .upper = leaves[i / clos.hosts_per_leaf]},
                    {.rate = kRate, .propagation = 200_ns});
  }
  for (std::size_t leaf = 0; leaf < 2; ++leaf) {
    for (std::size_t i = 0; i < spines.size(); ++i) {
      builder.connect({.lower = leaves[leaf], .upper = spines[i]},
                      {.rate = leaf == 1 ? clos.spine_rates[i] : kRate,
                       .propagation = i < clos.spine_ways.size() ? clos.spine_ways[i] : 200_ns});
    }
  }
  return std::move(builder).finish();
}

inline EthernetOptions options_with(PathPolicy path, const BalancingOptions& balancing = {}) {
  EthernetOptions options = one_profile(300_ns);
  options.switches[0].path = path;
  options.switches[0].balancing = balancing;
  return options;
}

inline PortIndex uplink(const World& world, const Clos& clos, std::size_t spine) {
  return world.fabric->port_index(
      {NodeIndex(2 * clos.hosts_per_leaf), static_cast<std::uint16_t>(clos.hosts_per_leaf + spine)});
}
inline std::vector<std::uint64_t> sent_by_uplinks(const World& world, const Clos& clos) {
  std::vector<std::uint64_t> sent;
  for (std::size_t spine = 0; spine < clos.spine_rates.size(); ++spine) {
    sent.push_back(world.fabric->port(uplink(world, clos, spine)).packets_sent);
  }
  return sent;
}
inline PortChoices sum_of_choices(const World& world, const Clos& clos) {
  PortChoices sum;
  for (std::size_t spine = 0; spine < clos.spine_rates.size(); ++spine) {
    const PortChoices choices = world.fabric->choices(uplink(world, clos, spine), world.kernel.now());
    sum.flowlets += choices.flowlets;
    sum.moved += choices.moved;
  }
  return sum;
}

/// How many packets arrived behind a later one of their sender.
inline std::uint64_t late_at(World& world, std::uint32_t host) {
  std::map<std::uint32_t, std::uint32_t> latest;
  std::uint64_t late = 0;
  for (const Delivery& delivery : world[host].received) {
    std::uint32_t& last = latest[delivery.from.value()];
    late += delivery.number < last ? 1 : 0;
    last = std::max(last, delivery.number);
  }
  return late;
}

}  // namespace weft::fabric::ethernet_test
