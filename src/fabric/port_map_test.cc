#include "fabric/port_map.h"

#include <gtest/gtest.h>

#include <set>

#include "fabric/topology/leaf_spine.h"

namespace weft::fabric {
namespace {

Graph leaf_spine(std::uint32_t leaves) {
  return build_graph(LeafSpineOptions{.leaves = leaves, .spines = 2, .hosts_per_leaf = 2, .parallel_links = 2}).value();
}

TEST(PortMap, EveryPortHasOnePlaceAndTheCableThatEndsThere) {
  const Graph graph = leaf_spine(3);
  const PortMap map(graph, 1);
  std::set<PortIndex> seen;
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    for (const LinkEnd end : {graph.links[i].a, graph.links[i].b}) {
      const PortIndex port = map.at(end);
      EXPECT_TRUE(seen.insert(port).second);
      EXPECT_EQ(map.link_of(port), LinkIndex(i));
      EXPECT_EQ(map.end_of(port).node, end.node);
      EXPECT_EQ(map.end_of(port).port, end.port);
    }
  }
  EXPECT_EQ(seen.size(), map.size());
}

TEST(PortMap, AnEndpointsFirstPortHasItsOwnNumber) {
  const Graph graph = leaf_spine(2);
  const PortMap map(graph, 1);
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    EXPECT_EQ(map.first_of(NodeIndex(i)), i);
  }
}

TEST(PortMap, HashesStayWhenSomethingIsAddedElsewhere) {
  const Graph small = leaf_spine(2);
  const Graph large = leaf_spine(3);
  const PortMap before(small, 7);
  const PortMap after(large, 7);
  std::set<std::uint64_t> different;
  for (const Link& link : small.links) {
    if (small[link.a.node].name.starts_with("host")) {
      continue;
    }
    for (const LinkEnd end : {link.a, link.b}) {
      different.insert(before.port_hash(before.at(end)));
    }
  }
  std::size_t kept = 0;
  for (PortIndex port = 0; port < after.size(); ++port) {
    kept += different.count(after.port_hash(port));
  }
  EXPECT_EQ(kept, different.size());
  EXPECT_EQ(different.size(), 2U * 2 * 2 * 2);
}

}  // namespace
}  // namespace weft::fabric
