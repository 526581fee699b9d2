#include "study/claims/hash_bound.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "study/world/max_min.h"

namespace weft::study::claims {
namespace {

/// Nobody sends to itself.
std::vector<std::uint32_t> permutation(const HashedTree& tree, RandomStream& random) {
  std::vector<std::uint32_t> to(std::size_t{tree.leaves} * tree.hosts_per_leaf);
  std::iota(to.begin(), to.end(), 0U);
  std::rotate(to.begin(), to.begin() + tree.shift, to.end());
  const auto stays = [&to] {
    for (std::uint32_t host = 0; host < to.size(); ++host) {
      if (to[host] == host) {
        return true;
      }
    }
    return false;
  };
  while (stays()) {
    random.shuffle(std::span(to));
  }
  return to;
}

/// Links: to and from each host, then up and down between each leaf and spine.
std::vector<world::FlowLinks> draw(const HashedTree& tree, RandomStream& random) {
  const std::uint32_t hosts = tree.leaves * tree.hosts_per_leaf;
  const std::uint32_t pairs = tree.leaves * tree.spines;
  const std::vector<std::uint32_t> to = permutation(tree, random);
  std::vector<world::FlowLinks> flows;
  for (std::uint32_t host = 0; host < hosts; ++host) {
    world::FlowLinks& flow = flows.emplace_back(world::FlowLinks{{.link = host}, {.link = hosts + to[host]}});
    const std::uint32_t from_leaf = host / tree.hosts_per_leaf;
    const std::uint32_t to_leaf = to[host] / tree.hosts_per_leaf;
    if (from_leaf != to_leaf) {
      const auto spine = static_cast<std::uint32_t>(random.uniform(tree.spines));
      flow.push_back({.link = 2 * hosts + from_leaf * tree.spines + spine});
      flow.push_back({.link = 2 * hosts + pairs + to_leaf * tree.spines + spine});
    }
  }
  return flows;
}

}  // namespace

FlowSpread hash_bound(const HashedTree& tree) {
  constexpr int kDraws = 200;
  constexpr std::uint64_t kSeed = 1;
  RandomStream random(kSeed, "hash bound");
  const std::vector<double> lines(2 * tree.leaves * (tree.hosts_per_leaf + tree.spines), 1.0);
  FlowSpread bound;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<double> rates = world::max_min_rates(draw(tree, random), lines);
    std::ranges::sort(rates);
    const FlowSpread one = spread_of_flows(rates);
    bound.mean += one.mean / kDraws;
    bound.p10 += one.p10 / kDraws;
    bound.slowest += one.slowest / kDraws;
  }
  return bound;
}

}  // namespace weft::study::claims
