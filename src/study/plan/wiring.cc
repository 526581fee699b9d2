#include "study/plan/wiring.h"

#include <algorithm>
#include <tuple>

#include "base/int128.h"
#include "study/assembly/topology_parts.h"

namespace weft::study::plan {
namespace {

std::int64_t uplinks_of(const WiringRequest& request, std::int64_t down) {
  const Int128 wanted = Int128{request.host_rate.bits_per_second()} * down * request.oversubscription.up;
  const Int128 each = Int128{request.uplink_rate.bits_per_second()} * request.oversubscription.down;
  return each == 0 ? 0 : static_cast<std::int64_t>((wanted + each - 1) / each);
}

/// Calls `take` with each number of spines above leaves of so many hosts: from the fewest, whose ports are all in use
/// by links side by side, to that with which leaves have no more uplinks than they need.
template <class Take>
void for_spines_of(const WiringRequest& request, std::int64_t hosts, Take take) {
  const std::int64_t down = hosts * request.ports_of_host;
  const std::int64_t needed = uplinks_of(request, down);
  Wiring made{.hosts_per_leaf = hosts, .leaves = assembly::parts_of(request.hosts, hosts) * request.leaves_of_hosts};
  const std::int64_t most = request.full_leaves ? needed : request.radix - down;
  const std::int64_t beside = (request.spine_ports > 0 ? request.spine_ports : request.radix) / made.leaves;
  if (needed == 0 || beside == 0 || down + needed > request.radix) {
    return;
  }
  for (made.spines = assembly::parts_of(needed, beside); made.spines <= needed; ++made.spines) {
    made.parallel_links = assembly::parts_of(needed, made.spines);
    made.uplinks = made.spines * made.parallel_links;
    if (made.uplinks <= most) {
      take(made);
    }
    if (made.uplinks == needed) {
      return;  // more spines save no cables
    }
  }
}

constexpr std::int64_t kMostRing = 1024;

/// As even as they can be; empty: they cannot.
std::vector<std::int64_t> ring_sizes(std::int64_t switches) {
  std::vector<std::int64_t> best;
  const auto is_better = [&](const std::vector<std::int64_t>& sizes) {
    return sizes.back() <= 4 * sizes.front() && sizes.back() <= kMostRing &&
           (best.empty() || sizes.back() < best.back());
  };
  for (std::int64_t first = 2; first * first <= switches; ++first) {
    if (switches % first != 0) {
      continue;
    }
    const std::int64_t rest = switches / first;
    if (const std::vector<std::int64_t> sizes{first, rest}; is_better(sizes)) {
      best = sizes;
    }
    for (std::int64_t second = first; first >= 3 && second * second <= rest; ++second) {
      const std::vector<std::int64_t> sizes{first, second, rest / second};
      if (rest % second == 0 && is_better(sizes)) {
        best = sizes;
      }
    }
  }
  return best;
}

/// The lowest tier of a fat-tree.
struct TreeLeaves {
  std::int64_t radix = 0;
  std::int64_t uplinks = 0;  // of a leaf
  std::int64_t racks = 0;
  std::int64_t of_rack = 1;
  [[nodiscard]] std::int64_t count() const { return racks * of_rack; }
};

std::optional<TreeLeaves> tree_leaves(const TreeRequest& request, std::int64_t radix) {
  const std::int64_t up = request.oversubscription.up;
  const std::int64_t sum = std::int64_t{request.oversubscription.down} + up;
  const std::int64_t down = radix - radix * up / sum;
  if (radix * up % sum != 0 || down < request.ports_of_host || down % request.ports_of_host != 0) {
    return std::nullopt;
  }
  const std::int64_t hosts = down / request.ports_of_host;  // of a rack
  return TreeLeaves{.radix = radix,
                    .uplinks = radix - down,
                    .racks = (request.hosts + hosts - 1) / hosts,
                    .of_rack = request.leaves_of_rack};
}

struct TreeShape {
  std::int64_t tiers = 2;
  std::int64_t parallel_links = 1;
};

/// None: it has no room, or cables side by side divide neither the uplinks nor the ports of a switch above.
std::optional<TreeWiring> tree_of(const TreeLeaves& leaves, const TreeShape& shape) {
  TreeWiring made{.radix = leaves.radix, .tiers = shape.tiers, .parallel_links = shape.parallel_links};
  made.switches = leaves.count();
  if (made.switches == 1) {
    return shape.tiers == 2 && shape.parallel_links == 1 ? std::optional(made) : std::nullopt;
  }
  const std::int64_t down = shape.tiers == 2 ? leaves.radix : leaves.radix / 2;  // of a switch of the second tier
  const std::int64_t above = leaves.uplinks / shape.parallel_links;              // of a pod
  const std::int64_t racks = down / shape.parallel_links / leaves.of_rack;       // likewise
  if (leaves.uplinks % shape.parallel_links != 0 || down % shape.parallel_links != 0 ||
      down / shape.parallel_links % leaves.of_rack != 0 || racks == 0) {
    return std::nullopt;
  }
  const std::int64_t pods = (leaves.racks + racks - 1) / racks;
  made.cables = leaves.count() * leaves.uplinks;
  made.switches += pods * above;
  if (shape.tiers == 2) {
    return pods == 1 ? std::optional(made) : std::nullopt;
  }
  made.switches += above * (leaves.radix / 2);
  made.cables += pods * above * (leaves.radix / 2);
  return pods > 1 && pods <= leaves.radix && racks > 1 ? std::optional(made) : std::nullopt;
}

auto order_of(const TreeWiring& tree) { return std::tuple(tree.switches, tree.cables, tree.parallel_links); }

}  // namespace

std::optional<Wiring> two_tiers(const WiringRequest& request) {
  const std::int64_t largest =
      std::min(request.hosts / request.least_groups, request.radix / std::max<std::int64_t>(request.ports_of_host, 1));
  if (largest > 0 && largest == request.hosts && request.leaves_of_hosts == 1) {
    return Wiring{.hosts_per_leaf = largest, .leaves = 1};
  }
  std::optional<Wiring> best;
  // Of those of one price, leaves that are full, then large ones, then few uplinks.
  const auto order_of = [&request](const Wiring& own) {
    return std::tuple(price_of(own, request.radix), request.hosts % own.hosts_per_leaf != 0, -own.hosts_per_leaf,
                      own.uplinks);
  };
  for (std::int64_t hosts = largest; hosts >= 1 && !(best && request.full_leaves); --hosts) {
    if (request.full_leaves && request.hosts % hosts != 0) {
      continue;
    }
    for_spines_of(request, hosts, [&](const Wiring& made) {
      if (!best || order_of(made) < order_of(*best)) {
        best = made;
      }
    });
  }
  return best;
}

std::optional<GroupWiring> dragonfly_groups(const WiringRequest& request) {
  for (std::int64_t groups = 3; groups <= request.hosts; ++groups) {
    if (request.hosts % groups != 0) {
      continue;
    }
    WiringRequest own = request;
    own.hosts = request.hosts / groups;
    own.spine_ports = request.radix / 2;
    own.least_groups = 2;
    own.full_leaves = true;
    const std::optional<Wiring> group = two_tiers(own);
    if (!group || group->uplinks == 0) {
      continue;
    }
    const std::int64_t left = group->spines * (request.radix - group->leaves * group->parallel_links);
    const std::int64_t links = std::min(group->leaves * group->uplinks, left) / (groups - 1);
    if (links > 0) {
      return GroupWiring{.group = *group, .groups = groups, .global_links = links};
    }
  }
  return std::nullopt;
}

std::optional<RingWiring> torus_rings(const WiringRequest& request) {
  const std::int64_t ports = std::max<std::int64_t>(request.ports_of_host, 1);
  for (std::int64_t hosts = std::min(request.hosts, request.radix / 2 / ports); hosts >= 1; --hosts) {
    if (request.hosts % hosts != 0) {
      continue;
    }
    const std::vector<std::int64_t> sizes = ring_sizes(request.hosts / hosts);
    const auto dimensions = static_cast<std::int64_t>(sizes.size());
    const std::int64_t parallel = dimensions == 0 ? 0 : (request.radix - hosts * ports) / (2 * dimensions);
    if (parallel > 0) {
      return RingWiring{.sizes = sizes, .hosts_per_switch = hosts, .parallel_links = parallel};
    }
  }
  return std::nullopt;
}

std::optional<TreeWiring> fat_tree(const TreeRequest& request) {
  std::optional<TreeWiring> best;
  for (std::int64_t radix = request.ports - request.ports % 2; radix >= 2; radix -= 2) {
    const std::optional<TreeLeaves> leaves = tree_leaves(request, radix);
    if (!leaves) {
      continue;
    }
    if (best && leaves->count() > best->switches) {
      break;  // with fewer ports there are more leaves
    }
    for (std::int64_t parallel = 1; parallel <= leaves->uplinks; ++parallel) {
      for (const std::int64_t tiers : {2, 3}) {
        const std::optional<TreeWiring> made = tree_of(*leaves, {.tiers = tiers, .parallel_links = parallel});
        if (made && (!best || order_of(*made) < order_of(*best))) {
          best = made;
        }
      }
    }
  }
  return best;
}

}  // namespace weft::study::plan
