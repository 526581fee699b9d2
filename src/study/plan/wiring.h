// How many hosts a leaf of two tiers takes, and how many switches are above it, from the ports of one switch.
//
// In closed form: a leaf has d ports down and u up with d x rate of a NIC : u x rate of an uplink = the
// oversubscription, d + u at most the ports of a switch; a spine has a port for each uplink that ends there. Leaves are
// filled one after the other, so that the last one may have fewer hosts, with as many uplinks. Of all such wirings,
// also of those whose leaves have more uplinks than they need so that spines are fewer, the cheapest is taken.
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
  bool full_leaves = false;       // no leaf has fewer hosts; the largest leaves are taken, with the uplinks they need
};

struct Wiring {
  std::int64_t hosts_per_leaf = 0;  // the last leaf may have fewer
  std::int64_t leaves = 0;
  std::int64_t uplinks = 0;  // of a leaf; 0: there is one leaf, and nothing above it
  std::int64_t spines = 0;
  std::int64_t parallel_links = 1;  // from a leaf to a spine
  friend bool operator==(const Wiring&, const Wiring&) = default;
};

/// What switches of so many ports and cables between them cost, in parts of a cable. A switch costs as much as cables
/// with their optics do for a fifth of its ports: of the catalogue, 20,000 USD for 64 ports of 400 Gb/s against 1,580
/// USD for two optics and 30 m of fibre, and other boxes of 400 and 800 Gb/s alike.
[[nodiscard]] constexpr std::int64_t price_of(const Wiring& wiring, std::int64_t radix) {
  return (wiring.leaves + wiring.spines) * radix + 5 * wiring.leaves * wiring.uplinks;
}

/// None: two tiers of such switches do not take so many hosts.
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
  std::int64_t hosts = 1;
  std::int64_t ports = 64;          // of a switch
  std::int64_t ports_of_host = 1;   // at each of its leaves, 1 or more
  std::int64_t leaves_of_rack = 1;  // that the same hosts are wired to, 1 or more
  scenario::Oversubscription oversubscription{};
};
/// A fat-tree, as the topology of that kind builds it.
struct TreeWiring {
  std::int64_t radix = 0;           // ports of a switch in use
  std::int64_t tiers = 0;           // 2 or 3; with one leaf nothing is above it
  std::int64_t parallel_links = 1;  // from a leaf to a switch of the second tier
  std::int64_t switches = 0;
  std::int64_t cables = 0;  // between switches
  friend bool operator==(const TreeWiring&, const TreeWiring&) = default;
};
/// Of all trees of two and three tiers with such switches the one of the fewest, then of the fewest cables, then of the
/// fewest that lie side by side. Its radix is even, the oversubscription divides it, whole hosts take a leaf's part
/// below. Cables to one switch above lie side by side, so that pods are as many as cores have ports, and cores, which
/// have one cable to each pod, are few; a pod has two racks or more. None: three tiers do not take so many.
[[nodiscard]] std::optional<TreeWiring> fat_tree(const TreeRequest& request);

}  // namespace weft::study::plan
