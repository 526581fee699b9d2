#include "study/plan/wiring.h"

#include <algorithm>

#include "base/int128.h"

namespace weft::study::plan {
namespace {

std::int64_t uplinks_of(const WiringRequest& request, std::int64_t down) {
  const Int128 wanted = Int128{request.host_rate.bits_per_second()} * down * request.oversubscription.up;
  const Int128 each = Int128{request.uplink_rate.bits_per_second()} * request.oversubscription.down;
  return each == 0 ? 0 : static_cast<std::int64_t>((wanted + each - 1) / each);
}

/// As many links side by side as the spines have ports for, so that there are few spines.
std::int64_t parallel_of(std::int64_t uplinks, std::int64_t leaves, std::int64_t radix) {
  std::int64_t parallel = std::min(uplinks, radix / leaves);
  while (parallel > 0 && uplinks % parallel != 0) {
    --parallel;
  }
  return parallel;
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

}  // namespace

std::optional<Wiring> two_tiers(const WiringRequest& request) {
  const std::int64_t largest =
      std::min(request.hosts / request.least_groups, request.radix / std::max<std::int64_t>(request.ports_of_host, 1));
  for (std::int64_t hosts = largest; hosts >= 1; --hosts) {
    if (request.hosts % hosts != 0) {
      continue;
    }
    Wiring made{.hosts_per_leaf = hosts, .leaves = request.hosts / hosts * request.leaves_of_hosts};
    if (made.leaves == 1) {
      return made;
    }
    made.uplinks = uplinks_of(request, hosts * request.ports_of_host);
    if (hosts * request.ports_of_host + made.uplinks > request.radix) {
      continue;
    }
    made.parallel_links =
        parallel_of(made.uplinks, made.leaves, request.spine_ports > 0 ? request.spine_ports : request.radix);
    if (made.parallel_links == 0) {
      return std::nullopt;  // smaller leaves are more of them
    }
    made.spines = made.uplinks / made.parallel_links;
    return made;
  }
  return std::nullopt;
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

std::int64_t fat_tree_radix(const TreeRequest& request) {
  const std::int64_t down = request.oversubscription.down;
  const std::int64_t up = request.oversubscription.up;
  const auto fits = [&](std::int64_t radix) {
    return radix * up % (down + up) == 0 && radix * down / (down + up) % request.ports_of_host == 0 &&
           radix / 2 % request.leaves_of_rack == 0;
  };
  std::int64_t radix = request.ports - request.ports % 2;
  while (radix > 0 && !fits(radix)) {
    radix -= 2;
  }
  return radix;
}

std::int64_t fat_tree_ports(std::int64_t radix, scenario::Oversubscription oversubscription) {
  const std::int64_t sum = std::int64_t{oversubscription.down} + oversubscription.up;
  const std::int64_t down = radix - radix * oversubscription.up / sum;
  return radix * (radix / 2) * down;
}

}  // namespace weft::study::plan
