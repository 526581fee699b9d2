// How many hosts a leaf of two tiers takes, and how many switches are above it, from the ports of one switch.
//
// In closed form: a leaf has d ports down and u up with d x rate of a NIC : u x rate of an uplink = the
// oversubscription, d + u at most the ports of a switch; a spine has a port for each uplink that ends there. Of all
// possible leaves the largest is taken, and of all possible spines the fewest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rate.h"
#include "study/scenario/quantities.h"

namespace weft::study::plan {

struct WiringRequest {
  std::int64_t hosts = 1;
  std::int64_t ports_of_host = 1;    // that end at one leaf
  std::int64_t leaves_of_hosts = 1;  // leaves that the hosts of one leaf have; with rails one for each
  std::int64_t radix = 64;
  Rate host_rate{};
  Rate uplink_rate{};
  scenario::Oversubscription oversubscription{};
  std::int64_t spine_ports = 0;   // downwards, at most; 0: all
  std::int64_t least_groups = 1;  // of hosts with leaves of their own
};

struct Wiring {
  std::int64_t hosts_per_leaf = 0;
  std::int64_t leaves = 0;
  std::int64_t uplinks = 0;  // of a leaf; 0: there is one leaf, and nothing above it
  std::int64_t spines = 0;
  std::int64_t parallel_links = 1;  // from a leaf to a spine
  friend bool operator==(const Wiring&, const Wiring&) = default;
};

/// None: two tiers of such switches do not take so many hosts, in leaves of as many each.
[[nodiscard]] std::optional<Wiring> two_tiers(const WiringRequest& request);

/// Of a dragonfly+: groups of leaves and spines, and cables between the spines of every two groups.
struct GroupWiring {
  Wiring group{};
  std::int64_t groups = 0;
  std::int64_t global_links = 0;  // between two groups
};
/// The fewest groups, three or more, of two leaves or more. A spine has at most half of its ports down, and there are
/// no more cables between groups than the leaves have uplinks. None: there is no such wiring.
[[nodiscard]] std::optional<GroupWiring> dragonfly_groups(const WiringRequest& request);

/// Of a torus.
struct RingWiring {
  std::vector<std::int64_t> sizes{};  // switches of a ring in each dimension
  std::int64_t hosts_per_switch = 0;
  std::int64_t parallel_links = 1;  // between neighbours
};
/// As many hosts as fit into half of a switch's ports, the other half shared out among neighbours; rings of two
/// dimensions, or of three where each has three switches or more, of which the longest has at most four times those of
/// the shortest. Of the request hosts, ports of a host and ports of a switch count. None: there is no such wiring.
[[nodiscard]] std::optional<RingWiring> torus_rings(const WiringRequest& request);

struct TreeRequest {
  std::int64_t ports = 64;          // of a switch
  std::int64_t ports_of_host = 1;   // at each of its leaves, 1 or more
  std::int64_t leaves_of_rack = 1;  // that the same hosts are wired to, 1 or more
  scenario::Oversubscription oversubscription{};
};
/// Ports of a switch that a fat-tree uses: the most, even, that the oversubscription divides, of which whole hosts take
/// a leaf's half below, and whole racks the leaves of a pod; 0: none.
[[nodiscard]] std::int64_t fat_tree_radix(const TreeRequest& request);
/// NIC ports that a fat-tree of three tiers takes: pods of radix / 2 leaves, as many pods as an aggregation switch's
/// upper half can be joined to.
[[nodiscard]] std::int64_t fat_tree_ports(std::int64_t radix, scenario::Oversubscription oversubscription);

}  // namespace weft::study::plan
