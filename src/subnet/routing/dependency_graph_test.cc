#include "subnet/routing/dependency_graph.h"

#include <gtest/gtest.h>

namespace weft::subnet {
namespace {

TEST(DependencyGraph, RefusesAllOfAPathThatClosesACycle) {
  DependencyGraph graph(4);
  EXPECT_TRUE(graph.add_without_cycle({{.from = 0, .to = 1}, {.from = 1, .to = 2}}));
  EXPECT_FALSE(graph.add_without_cycle({{.from = 2, .to = 3}, {.from = 3, .to = 0}}));
  EXPECT_TRUE(graph.add_without_cycle({{.from = 3, .to = 2}}));  // 2 before 3 was not kept
  EXPECT_TRUE(graph.find_cycle().empty());
}

TEST(DependencyGraph, NamesTheChannelsOfACycleInOrder) {
  DependencyGraph graph(5);
  graph.add({.from = 0, .to = 1});
  graph.add({.from = 1, .to = 3});
  graph.add({.from = 3, .to = 4});
  graph.add({.from = 4, .to = 1});
  EXPECT_EQ(graph.find_cycle(), (std::vector<std::uint32_t>{1, 3, 4}));
}

TEST(DependencyGraph, CountsAChannelThatWaitsForItselfAsACycle) {
  DependencyGraph graph(2);
  EXPECT_FALSE(graph.add_without_cycle({{.from = 1, .to = 1}}));
  graph.add({.from = 1, .to = 1});
  EXPECT_EQ(graph.find_cycle(), (std::vector<std::uint32_t>{1}));
}

}  // namespace
}  // namespace weft::subnet
