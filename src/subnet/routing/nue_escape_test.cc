#include "subnet/routing/nue_escape.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "subnet/manager/test_swept.h"
#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

NueSwitch root_of(const NueTree& tree) {
  return static_cast<NueSwitch>(std::ranges::find(tree, kNoChannel) - tree.begin());
}

/// Switches in a row, each with one adapter.
std::string row(int switches) {
  std::string text;
  for (int i = 0; i < switches; ++i) {
    text += fmt::format("Hca 1 \"h{0}\"\n[1] \"s{0}\"[1]\n\n", i);
  }
  for (int i = 0; i < switches; ++i) {
    text += fmt::format("Switch 3 \"s{}\"\n", i);
    text += i + 1 < switches ? fmt::format("[2] \"s{}\"[3]\n\n", i + 1) : "\n";
  }
  return text;
}

TEST(NueEscape, HasItsRootInTheMiddle) {
  const SweptSubnet made = swept(row(7));
  const NueNetwork network(made.view);
  EXPECT_EQ(root_of(escape_tree(network, {1, 1, 1, 1, 1, 1, 1})), 3U);
  EXPECT_EQ(root_of(escape_tree(network, {1, 1, 1, 0, 0, 0, 0})), 1U);
  EXPECT_EQ(root_of(escape_tree(network, {0, 0, 1, 0, 0, 0, 0})), 2U);
}

// With two destinations at opposite switches of a ring OpenSM's log names the first of them as the central node.
TEST(NueEscape, TakesTheFirstOfEquallyCentralSwitches) {
  const SweptSubnet made = swept(stored("ring6.net"));
  EXPECT_EQ(root_of(escape_tree(NueNetwork(made.view), {1, 0, 0, 1, 0, 0})), 0U);
}

// What the tree is for: a destination whose search fails finds all that it needs used already.
TEST(NueEscape, HasTheDependenciesOfAllPathsToDestinations) {
  const SweptSubnet made = swept(torus_text(5, 4));
  NueNetwork network(made.view);
  NueDependencies dependencies(network);
  std::vector<std::uint32_t> adapters(network.switches(), 0);
  for (const NueSwitch at : {2U, 3U, 11U, 16U}) {
    adapters[at] = 1;
  }
  const NueTree tree = escape_tree(network, adapters);
  add_escape_paths(network, tree, adapters, dependencies);
  std::size_t followed = 0;
  for (NueSwitch destination = 0; destination < network.switches(); ++destination) {
    if (adapters[destination] == 0) {
      continue;
    }
    NueTree turned = tree;
    network.turn(turned, destination);
    EXPECT_EQ(turned[destination], kNoChannel);
    EXPECT_EQ(std::ranges::count(turned, kNoChannel), 1);
    for (const Channel last : turned) {
      if (last != kNoChannel && network[last].from != destination) {
        EXPECT_TRUE(dependencies.is_used(dependencies.find({.from = turned[network[last].from], .to = last})));
        ++followed;
      }
    }
  }
  EXPECT_GT(followed, 4U * 10U);
}

}  // namespace
}  // namespace weft::subnet
