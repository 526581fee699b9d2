// Routes of switches that decide for themselves, over random graphs and failures: after a quiet time they are the
// shortest paths of what is left, whatever was noticed, told and written in between.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "fabric/control/control_plane.h"
#include "fabric/control/control_test_network.h"
#include "fabric/topology/fat_tree.h"
#include "fabric/topology/graph_builder.h"
#include "tests/property/seeds.h"

namespace weft::testing {
namespace {

using namespace fabric;
using control_test::Network;

constexpr Time kFailure = Time::from_picoseconds(20'000'000'000'000);  // 20 s

LinkEvent event_at(LinkIndex link, LinkEvent::Kind kind, Time at) {
  LinkEvent event;
  event.at = at;
  event.link = link;
  event.kind = kind;
  return event;
}

ControlOptions plain_options() {
  ControlOptions options;
  options.signal_delay = 2_ms;
  options.processing_time = 100_us;
  options.fib_time = 30_us;
  options.local_repair = false;
  options.has_lldp = false;
  return options;
}

Graph random_graph(RandomStream& random) {
  GraphBuilder builder(Domains::kRouted);
  const auto switches = static_cast<std::uint32_t>(4 + random.uniform(7));
  builder.add_hosts({.hosts = switches / 2});
  std::vector<NodeIndex> nodes;
  for (std::uint32_t i = 0; i < switches; ++i) {
    nodes.push_back(builder.add_switch({.name = "s" + std::to_string(i), .tier = 0}));
  }
  for (std::uint32_t host = 0; host < switches / 2; ++host) {
    builder.connect({.lower = NodeIndex(host), .upper = nodes[2 * host]}, {});
  }
  for (std::uint32_t i = 1; i < switches; ++i) {
    builder.connect({.lower = nodes[i], .upper = nodes[random.uniform(i)]}, {});
  }
  for (std::uint64_t more = random.uniform(2 * switches); more > 0; --more) {
    const std::uint64_t a = random.uniform(switches);
    const std::uint64_t b = random.uniform(switches);
    if (a != b) {
      builder.connect({.lower = nodes[a], .upper = nodes[b]}, {});
    }
  }
  return std::move(builder).finish();
}

ControlOptions random_options(RandomStream& random) {
  ControlOptions options;
  options.as_numbering = AsNumbering::kSwitch;
  options.start = random.uniform(2) == 0 ? ControlStart::kCold : ControlStart::kConverged;
  options.hold_time = 3_s;
  options.connect_retry = 1_s;
  options.mrai = random.uniform(3) == 0 ? 500_ms : Duration::zero();
  options.has_signal = random.uniform(3) != 0;
  options.has_bfd = random.uniform(2) == 0;
  options.fib_unit = random.uniform(2) == 0 ? FibUnit::kGroup : FibUnit::kPrefix;
  options.local_repair = random.uniform(2) == 0;
  options.drain_lead = options.has_signal && random.uniform(3) == 0 ? 300_ms : Duration::zero();
  options.drain = random.uniform(2) == 0 ? DrainMethod::kCommunity : DrainMethod::kPrepend;
  return options;
}

TEST(ControlRoutes, AfterAQuietTimeRoutesAreTheShortestPathsOfTheGraphThatIsLeft) {
  for_each_seed(240, [](std::uint64_t seed) {
    RandomStream random(seed, "control");
    const Graph graph = random_graph(random);
    std::vector<LinkEvent> events;
    Time last = Time::zero() + 30_s;
    for (std::uint64_t i = 1 + random.uniform(6); i > 0; --i) {
      const LinkIndex link(static_cast<std::uint32_t>(random.uniform(graph.links.size())));
      const Link& own = graph.links[link.value()];
      if (own.a.node.value() < graph.endpoints || own.b.node.value() < graph.endpoints) {
        continue;
      }
      last = last + Duration::milliseconds(static_cast<std::int64_t>(random.uniform(4000)));
      events.push_back(event_at(link, LinkEvent::Kind::kFail, last));
      if (random.uniform(2) == 0) {
        last = last + Duration::milliseconds(static_cast<std::int64_t>(1 + random.uniform(8000)));
        events.push_back(event_at(link, LinkEvent::Kind::kRestore, last));
      }
    }
    Network network(graph, random_options(random), events, seed);
    network.run(last + 60_s);
    EXPECT_EQ(network.compare_with_shortest_paths(), "");
    EXPECT_TRUE(network.plane->is_quiet());
    std::uint32_t alive = 0;
    for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
      const Link& own = graph.links[link];
      alive += own.a.node.value() >= graph.endpoints && own.b.node.value() >= graph.endpoints && !network.is_cut[link];
    }
    EXPECT_EQ(network.plane->summary().established_ends, 2 * alive);
    EXPECT_EQ(network.plane->summary().bad_messages, 0U);
    for (std::uint32_t prefix = 0; prefix < network.plane->plan().leaf_of.size(); ++prefix) {
      const ReachMonitor::State state = network.plane->monitor().state(static_cast<PrefixId>(prefix));
      EXPECT_FALSE(state.loop);
      EXPECT_FALSE(state.black_hole);
    }
  });
}

// Entries are written slowly and one after another, and two failures at once keep some switches longer than others.
TEST(ControlRoutes, RoutesGoRoundWhileSomeSwitchesHaveWrittenAndOthersNotAndThenNoMore) {
  std::uint32_t with_loops = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, "loops");
    const Graph graph = random_graph(random);
    ControlOptions options = plain_options();
    options.as_numbering = AsNumbering::kSwitch;
    options.fib_time = 20_ms;
    std::vector<LinkEvent> events;
    for (int i = 0; i < 3; ++i) {
      const LinkIndex link(static_cast<std::uint32_t>(random.uniform(graph.links.size())));
      if (graph.links[link.value()].a.node.value() >= graph.endpoints) {
        events.push_back(event_at(link, LinkEvent::Kind::kFail, kFailure));
      }
    }
    Network network(graph, options, events, seed);
    network.run(kFailure + 10_s);
    Duration loop;
    for (std::uint32_t prefix = 0; prefix < network.plane->plan().leaf_of.size(); ++prefix) {
      loop = std::max(loop, network.plane->monitor().outage(static_cast<PrefixId>(prefix), network.now).loop);
      EXPECT_FALSE(network.plane->monitor().state(static_cast<PrefixId>(prefix)).loop);
    }
    with_loops += loop > Duration::zero() ? 1 : 0;
    EXPECT_LT(loop, 1_s);
  }
  EXPECT_GT(with_loops, 0U);
}

TEST(ControlRoutes, FailuresOfAClosLeaveRoutesUpAndDownOnlyAndNoLoop) {
  for_each_seed(80, [](std::uint64_t seed) {
    RandomStream random(seed, "clos");
    const Graph graph = *build_graph(FatTreeOptions{.radix = 4});
    std::vector<LinkEvent> events;
    for (int i = 0; i < 3; ++i) {
      const LinkIndex link(static_cast<std::uint32_t>(random.uniform(graph.links.size())));
      if (graph.links[link.value()].a.node.value() >= graph.endpoints) {
        events.push_back(event_at(link, LinkEvent::Kind::kFail, kFailure));
      }
    }
    Network network(graph, plain_options(), events, seed);
    network.run(kFailure + 5_s);
    for (std::uint32_t prefix = 0; prefix < network.plane->plan().leaf_of.size(); ++prefix) {
      EXPECT_FALSE(network.plane->monitor().state(static_cast<PrefixId>(prefix)).loop);
      const std::uint32_t leaf = network.plane->plan().leaf_of[prefix];
      for (std::uint32_t node = 0; node < graph.switches(); ++node) {
        // No next hop leads to a tier from which the path would have to come back to this one's.
        EXPECT_LE(network.plane->at(node).speaker().path_length(static_cast<PrefixId>(prefix)), 4U)
            << node << " to " << leaf;
      }
    }
  });
}

}  // namespace
}  // namespace weft::testing
