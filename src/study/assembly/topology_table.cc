#include "study/assembly/topology_table.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "study/assembly/dragonfly_plus.h"
#include "study/assembly/topology_parts.h"
#include "study/assembly/torus.h"

namespace weft::study::assembly {
namespace {

std::uint32_t half_up(std::int64_t value) { return static_cast<std::uint32_t>((value + 1) / 2); }

/// Where the ports of a NIC go: to leaves of one fabric, or a plane each.
Result<fabric::PortSpread> port_spread_of(const scenario::TopologySettings& topology) {
  if (topology.planes == 1) {
    return fabric::PortSpread::kLeaves;
  }
  if (topology.planes != topology.ports_per_nic) {
    return fail("{} planes need NICs of as many ports; ports_per_nic is {}", topology.planes, topology.ports_per_nic);
  }
  return fabric::PortSpread::kPlanes;
}

Result<fabric::TopologyOptions> single_switch_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  return fabric::SingleSwitchOptions{.hosts = count(topology.hosts),
                                     .nics_per_host = count(topology.nics_per_host),
                                     .host_link = cable_of(scenario, scenario::LinkTier::kHost),
                                     .domains = domains_of(scenario)};
}

Result<fabric::TopologyOptions> dumbbell_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  return fabric::DumbbellOptions{.left_hosts = half_up(topology.hosts),
                                 .right_hosts = count(topology.hosts / 2),
                                 .nics_per_host = count(topology.nics_per_host),
                                 .parallel_links = count(topology.parallel_links),
                                 .host_link = cable_of(scenario, scenario::LinkTier::kHost),
                                 .bottleneck = cable_of(scenario, scenario::LinkTier::kLeaf),
                                 .domains = domains_of(scenario)};
}

Result<fabric::TopologyOptions> parking_lot_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  if (topology.hosts % topology.switches != 0) {
    return fail("{} hosts cannot be distributed evenly over {} switches", topology.hosts, topology.switches);
  }
  return fabric::ParkingLotOptions{.switches = count(topology.switches),
                                   .hosts_per_switch = count(topology.hosts / topology.switches),
                                   .nics_per_host = count(topology.nics_per_host),
                                   .parallel_links = count(topology.parallel_links),
                                   .host_link = cable_of(scenario, scenario::LinkTier::kHost),
                                   .chain_link = cable_of(scenario, scenario::LinkTier::kLeaf),
                                   .domains = domains_of(scenario)};
}

/// Of these and their multiples ports of a leaf can be split, and half of those of a switch of the tiers above go up.
std::int64_t radix_step(const scenario::Oversubscription& oversubscription) {
  return std::lcm(oversubscription.down + oversubscription.up, std::int64_t{2});
}

Result<std::int64_t> radix_of(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  const std::int64_t ports = scenario.devices.switch_.ports;
  const std::int64_t step = radix_step(topology.oversubscription);
  if (topology.radix == 0 && ports < step) {
    return fail(
        "{} ports of a switch (switch.ports) cannot be split {}:{} between hosts and uplinks; it takes a multiple "
        "of {}",
        ports, topology.oversubscription.down, topology.oversubscription.up, step);
  }
  return topology.radix > 0 ? topology.radix : ports - ports % step;
}

// A leaf with radix ports and an oversubscription of d:u has u / (d + u) of them upwards.
Result<std::uint32_t> uplinks_of(std::int64_t radix, const scenario::Oversubscription& oversubscription) {
  const std::int64_t sum = oversubscription.down + oversubscription.up;
  if (radix * oversubscription.up % sum != 0) {
    return fail(
        "{} ports of a leaf cannot be split {}:{} between hosts and uplinks; topology.radix may be any multiple of {}",
        radix, oversubscription.down, oversubscription.up, radix_step(oversubscription));
  }
  return static_cast<std::uint32_t>(radix * oversubscription.up / sum);
}

Result<fabric::TopologyOptions> fat_tree_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  Result<std::int64_t> radix = radix_of(scenario);
  if (!radix) {
    return pass_on(radix);
  }
  Result<std::uint32_t> uplinks = uplinks_of(*radix, topology.oversubscription);
  if (!uplinks) {
    return pass_on(uplinks);
  }
  Result<fabric::PortSpread> spread = port_spread_of(topology);
  if (!spread) {
    return pass_on(spread);
  }
  return fabric::FatTreeOptions{.radix = count(*radix),
                                .tiers = count(topology.tiers),
                                .hosts = count(topology.hosts),
                                .nics_per_host = count(topology.nics_per_host),
                                .ports_per_nic = count(topology.ports_per_nic),
                                .port_spread = *spread,
                                .leaf_uplinks = *uplinks,
                                .parallel_links = count(topology.parallel_links),
                                .host_link = cable_of(scenario, scenario::LinkTier::kHost),
                                .leaf_link = cable_of(scenario, scenario::LinkTier::kLeaf),
                                .core_link = cable_of(scenario, scenario::LinkTier::kSpine),
                                .domains = domains_of(scenario)};
}

/// A leaf's spines follow from its hosts: with more than there are, it would have more than it can use.
tl::unexpected<Error> fewer_than_a_leaf(const scenario::TopologySettings& topology) {
  return fail("{} hosts do not fill one leaf of topology.hosts_per_leaf = {}; set it to {} or less", topology.hosts,
              topology.hosts_per_leaf, topology.hosts);
}

Result<fabric::TopologyOptions> rail_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  const std::int64_t group = topology.hosts_per_leaf > 0 ? topology.hosts_per_leaf : topology.hosts;
  if (group <= 0 || topology.hosts < group) {
    return fewer_than_a_leaf(topology);
  }
  Result<fabric::PortSpread> spread = port_spread_of(topology);
  if (!spread) {
    return pass_on(spread);
  }
  // The rails of one group need no spines to reach all of it.
  const std::uint32_t spines = topology.hosts == group ? count(topology.spines) : spines_of(scenario, group);
  return fabric::RailOptimisedOptions{.groups = count(parts_of(topology.hosts, group)),
                                      .hosts_per_group = count(group),
                                      .hosts = count(topology.hosts),
                                      .rails = count(topology.nics_per_host),
                                      .spines = spines,
                                      .parallel_links = count(topology.parallel_links),
                                      .ports_per_nic = count(topology.ports_per_nic),
                                      .port_spread = *spread,
                                      .host_link = cable_of(scenario, scenario::LinkTier::kHost),
                                      .fabric_link = cable_of(scenario, scenario::LinkTier::kLeaf),
                                      .domains = domains_of(scenario)};
}

struct Leaves {
  std::int64_t count = 0;
  std::int64_t hosts = 0;  // of each but the last, which may have fewer
};

/// Leaves are filled one after the other, and none is left without hosts.
Result<Leaves> leaves_of(const scenario::TopologySettings& topology) {
  Leaves made{.count = topology.leaves, .hosts = topology.hosts_per_leaf};
  if (made.count == 0 && made.hosts == 0) {
    return fail("topology: the number of hosts per leaf is missing; set topology.leaves or topology.hosts_per_leaf");
  }
  if (topology.hosts == 0) {
    return made;  // both are given, and all are full
  }
  if (topology.hosts < made.hosts) {
    return fewer_than_a_leaf(topology);
  }
  made.hosts = made.hosts > 0 ? made.hosts : hosts_of_leaf(topology);
  const std::int64_t filled = parts_of(topology.hosts, made.hosts);
  made.count = made.count > 0 ? made.count : filled;
  if (made.count < filled) {
    return fail("{} leaves of {} hosts are {} hosts, but topology.hosts is {}", made.count, made.hosts,
                made.count * made.hosts, topology.hosts);
  }
  if (made.count > filled) {
    return fail("{} hosts in leaves of {} fill {} of topology.leaves = {}; set topology.leaves = {}{}", topology.hosts,
                made.hosts, filled, made.count, filled,
                topology.hosts_per_leaf > 0 ? "" : " or set topology.hosts_per_leaf instead");
  }
  return made;
}

Result<fabric::TopologyOptions> leaf_spine_options(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  Result<Leaves> filled = leaves_of(topology);
  if (!filled) {
    return pass_on(filled);
  }
  const auto [leaves, per_leaf] = *filled;
  Result<fabric::PortSpread> spread = port_spread_of(topology);
  if (!spread) {
    return pass_on(spread);
  }
  return fabric::LeafSpineOptions{.leaves = count(leaves),
                                  .spines = spines_of(scenario, per_leaf * topology.nics_per_host),
                                  .hosts_per_leaf = count(per_leaf),
                                  .hosts = count(topology.hosts),
                                  .nics_per_host = count(topology.nics_per_host),
                                  .ports_per_nic = count(topology.ports_per_nic),
                                  .port_spread = *spread,
                                  .parallel_links = count(topology.parallel_links),
                                  .host_link = cable_of(scenario, scenario::LinkTier::kHost),
                                  .fabric_link = cable_of(scenario, scenario::LinkTier::kLeaf),
                                  .domains = domains_of(scenario)};
}

Result<fabric::TopologyOptions> file_options(const scenario::Scenario& scenario) {
  return fabric::GraphFileOptions{.file = scenario.topology.file};
}

void set_hosts(scenario::TopologySettings& topology, std::int64_t hosts) { topology.hosts = hosts; }

void grow_chain(scenario::TopologySettings& topology, std::int64_t hosts) {
  topology.hosts = (hosts + topology.switches - 1) / topology.switches * topology.switches;
}

/// Whole leaves of the hosts are added, or, where today's last leaf is partly filled, as many hosts as are asked for.
void grow_rails(scenario::TopologySettings& topology, std::int64_t hosts) {
  const std::int64_t of_leaf = hosts_of_leaf(topology);
  const HostGroups groups = groups_of(hosts, of_leaf);
  const bool is_partly_filled = of_leaf > 0 && topology.hosts % of_leaf != 0;
  topology.hosts_per_leaf = groups.size;
  topology.hosts = is_partly_filled ? hosts : groups.count * groups.size;
}

void grow_leaves(scenario::TopologySettings& topology, std::int64_t hosts) {
  grow_rails(topology, hosts);
  topology.leaves = parts_of(topology.hosts, topology.hosts_per_leaf);
}

using Kind = scenario::TopologyKind;

/// In the order of the enumeration.
constexpr std::array kRows = {
    TopologyRow{.kind = Kind::kSingleSwitch, .options = single_switch_options, .resize = set_hosts},
    TopologyRow{.kind = Kind::kDumbbell, .options = dumbbell_options, .resize = set_hosts},
    TopologyRow{.kind = Kind::kParkingLot, .options = parking_lot_options, .resize = grow_chain},
    TopologyRow{.kind = Kind::kLeafSpine, .options = leaf_spine_options, .resize = grow_leaves},
    TopologyRow{.kind = Kind::kFatTree, .options = fat_tree_options, .resize = set_hosts},
    TopologyRow{.kind = Kind::kRailOptimised, .options = rail_options, .resize = grow_rails},
    TopologyRow{.kind = Kind::kDragonflyPlus, .options = dragonfly_plus_options, .resize = grow_groups},
    TopologyRow{.kind = Kind::kTorus, .options = torus_options, .resize = grow_torus},
    TopologyRow{.kind = Kind::kFile, .options = file_options},
};
static_assert(kRows.size() == scenario::kTopologyWords.size());
static_assert(std::ranges::is_sorted(kRows, {}, &TopologyRow::kind));

}  // namespace

const TopologyRow& row_of(scenario::TopologyKind kind) { return kRows[static_cast<std::size_t>(kind)]; }

Result<void> resize_topology(scenario::TopologySettings& topology, std::int64_t hosts) {
  const TopologyRow& row = row_of(topology.kind);
  if (row.resize == nullptr) {
    return fail("scaling cannot grow a topology from a file");
  }
  row.resize(topology, hosts);
  return {};
}

}  // namespace weft::study::assembly
