#include "subnet/routing/nue_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "subnet/manager/test_swept.h"
#include "subnet/routing/nue_escape.h"
#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

/// Switches of a torus with an adapter each, which are destinations on two lanes in turn.
NueCounts counts_of_torus(unsigned width, unsigned height) {
  const SweptSubnet made = swept(torus_text(width, height));
  NueNetwork network(made.view);
  NueDependencies dependencies(network);
  std::vector<NueSwitch> destinations;
  for (const EndPort& end : made.view.end_ports) {
    if (!end.is_switch()) {
      destinations.push_back(network.at(end.at));
    }
  }
  NueCounts all;
  for (std::size_t lane = 0; lane < 2; ++lane) {
    std::vector<std::uint32_t> adapters(network.switches(), 0);
    for (std::size_t i = lane; i < destinations.size(); i += 2) {
      adapters[destinations[i]] = 1;
    }
    const NueTree escape = escape_tree(network, adapters);
    dependencies.clear();
    add_escape_paths(network, escape, adapters, dependencies);
    NueSearch search(network, dependencies);
    for (std::size_t i = lane; i < destinations.size(); i += 2) {
      EXPECT_TRUE(network.add_weights(search.find_paths(destinations[i], escape)));
    }
    all.destinations += search.counts().destinations;
    all.backtracked += search.counts().backtracked;
    all.shortcuts += search.counts().shortcuts;
    all.escaped += search.counts().escaped;
  }
  return all;
}

// What OpenSM's log says of the same torus with `--nue_max_num_vls 2`: for 6 destinations "backtracking worked", for 7
// "unsolvable impass", and 2 shortcuts.
TEST(NueSearch, StepsBackAsOftenAsOpensmOnATorus) {
  const NueCounts counts = counts_of_torus(8, 5);
  EXPECT_EQ(counts.destinations, 40U);
  EXPECT_EQ(counts.backtracked, 6U);
  EXPECT_EQ(counts.escaped, 7U);
  EXPECT_EQ(counts.shortcuts, 2U);
}

TEST(NueSearch, ReachesAllInATreeAtOnce) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  NueNetwork network(made.view);
  NueDependencies dependencies(network);
  const std::vector<std::uint32_t> adapters(network.switches(), 1);
  const NueTree escape = escape_tree(network, adapters);
  add_escape_paths(network, escape, adapters, dependencies);
  NueSearch search(network, dependencies);
  for (NueSwitch destination = 0; destination < network.switches(); ++destination) {
    const NueTree tree = search.find_paths(destination, escape);
    EXPECT_EQ(std::ranges::count(tree, kNoChannel), 1);
    EXPECT_EQ(tree[destination], kNoChannel);
  }
  EXPECT_EQ(search.counts().destinations, 6U);
  EXPECT_EQ(search.counts().backtracked + search.counts().escaped, 0U);
}

}  // namespace
}  // namespace weft::subnet
