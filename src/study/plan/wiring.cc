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

}  // namespace

std::optional<Wiring> two_tiers(const WiringRequest& request) {
  const std::int64_t largest =
      std::min(request.hosts, request.radix / std::max<std::int64_t>(request.ports_of_host, 1));
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
    made.parallel_links = parallel_of(made.uplinks, made.leaves, request.radix);
    if (made.parallel_links == 0) {
      return std::nullopt;  // smaller leaves are more of them
    }
    made.spines = made.uplinks / made.parallel_links;
    return made;
  }
  return std::nullopt;
}

std::int64_t fat_tree_radix(std::int64_t ports, scenario::Oversubscription oversubscription,
                            std::int64_t ports_of_host) {
  const std::int64_t sum = std::int64_t{oversubscription.down} + oversubscription.up;
  const auto fits = [&](std::int64_t radix) {
    return radix * oversubscription.up % sum == 0 && radix * oversubscription.down / sum % ports_of_host == 0;
  };
  std::int64_t radix = ports - ports % 2;
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
