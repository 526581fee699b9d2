#include "study/assembly/subnet_resweeps.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <optional>

#include "base/test_paths.h"
#include "fabric/topology/graph_query.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/subnet_routes.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTree =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"fat-tree\"\ntiers = 3\nradix = 4\n[infiniband]\nvls = 8\n"
    "[routing]\nreroute_delay = \"10 us\"\n";
constexpr std::string_view kTorus =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"torus\"\nsizes = [4, 3]\nhosts_per_leaf = 2\n"
    "[infiniband]\nvls = 8\n[routing]\npolicy = \"lft\"\nreroute_delay = \"10 us\"\n";

constexpr std::string_view kLeaves =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 12\nhosts_per_leaf = 3\n"
    "spines = 3\n[routing]\nreroute_delay = \"10 us\"\n";

std::string fail_at(std::string_view at, std::string_view select, std::string_view action = "fail") {
  return fmt::format("[[event]]\nat = \"{}\"\nselect = \"{}\"\naction = \"{}\"\n", at, select, action);
}

/// A scenario's network with the managers' tables at the beginning, and what becomes of them.
struct Managed {
  scenario::Scenario scenario;
  fabric::Graph graph;
  SubnetRoutes now;
  ResweepPlan plan;

  /// As switches have them at a time that does not come before one that was asked for.
  void pass(Duration since_start) { plan.schedule.take_due(Time::zero() + since_start, now.tables, now.levels); }
};

Result<Managed> managed(const std::string& text, const std::vector<std::string>& settings) {
  Result<scenario::Scenario> scenario = scenario::parse_scenario(
      text, {.file = "test.toml", .case_name = {}, .settings = settings}, scenario::test_catalogue());
  if (!scenario) {
    return fail("{}", scenario.error().message);
  }
  Result<fabric::Graph> graph = build_topology(*scenario);
  EXPECT_TRUE(graph);
  Result<SubnetRoutes> first = subnet_routes(*scenario, *graph);
  Result<fabric::InfiniBandOptions> options = infiniband_options(*scenario, *graph);
  if (!first || !options) {
    return fail("{}", first ? options.error().message : first.error().message);
  }
  Result<ResweepPlan> plan = plan_resweeps(*scenario, *graph, options->events);
  if (!plan) {
    return fail("{}", plan.error().message);
  }
  return Managed{std::move(*scenario), std::move(*graph), std::move(*first), std::move(*plan)};
}

/// What the engine makes of a network that never had this cable.
Result<SubnetRoutes> routes_without(const Managed& network, std::string_view port) {
  fabric::Graph cut = network.graph;
  std::erase_if(cut.links, [&](const fabric::Link& link) {
    return fabric::port_name(cut, link.a) == port || fabric::port_name(cut, link.b) == port;
  });
  EXPECT_EQ(cut.links.size() + 1, network.graph.links.size());
  return subnet_routes(network.scenario, cut);
}

struct EngineCase {
  std::string_view network;
  std::string port;  // of the cable that fails
  std::vector<std::string> settings;
};

/// Of engines that begin anew after a failure.
std::vector<EngineCase> engine_cases() {
  std::vector<EngineCase> all;
  for (const std::string engine : {"lash", "sssp", "dfsssp", "nue"}) {
    all.push_back({kTree, "pod0/leaf0/port2", {"routing.engine=" + engine}});
    all.push_back({kTree, "pod0/leaf0/port2", {"routing.engine=" + engine, "routing.lmc=1"}});
    all.push_back({kTorus, "switch0-0/port2", {"routing.engine=" + engine}});
  }
  all.push_back({kTorus, "switch0-0/port2", {"routing.engine=nue", "routing.nue_max_num_vls=4"}});
  return all;
}

TEST(SubnetResweeps, GiveTheTablesOfTheEngineForTheNetworkWithoutTheCableAndThenTheFirstAgain) {
  std::size_t with_levels = 0;
  for (const EngineCase& one : engine_cases()) {
    const std::string name = fmt::format("{} {}", one.port, fmt::join(one.settings, " "));
    Result<Managed> network = managed(
        std::string(one.network) + fail_at("5 us", one.port) + fail_at("100 us", one.port, "restore"), one.settings);
    ASSERT_TRUE(network) << name << ": " << network.error().message;
    const SubnetRoutes first = network->now;
    const Result<SubnetRoutes> without = routes_without(*network, one.port);
    ASSERT_TRUE(without) << name << ": " << without.error().message;
    ASSERT_EQ(network->plan.resweeps.size(), 2U) << name;
    const Resweep& failed = network->plan.resweeps[0];
    EXPECT_EQ(failed.at, Time::zero() + 15_us) << name;
    EXPECT_EQ(failed.links_down, 1U) << name;
    EXPECT_EQ(failed.entries, first.tables.changes_to(without->tables).size()) << name;
    EXPECT_GT(failed.entries, 0U) << name;
    EXPECT_EQ(failed.levels, first.levels.changes_to(without->levels).size()) << name;
    EXPECT_EQ(failed.paths, failed.paths_before) << name;
    EXPECT_EQ(failed.fallback, "") << name;
    with_levels += failed.levels > 0 ? 1 : 0;
    network->pass(14_us);
    EXPECT_TRUE(network->now.tables.changes_to(first.tables).empty()) << name;
    network->pass(15_us);
    EXPECT_TRUE(network->now.tables.changes_to(without->tables).empty()) << name;
    EXPECT_TRUE(network->now.levels.changes_to(without->levels).empty()) << name;
    network->pass(109_us);
    EXPECT_TRUE(network->now.tables.changes_to(without->tables).empty()) << name;
    network->pass(110_us);
    EXPECT_TRUE(network->now.tables.changes_to(first.tables).empty()) << name;
    EXPECT_TRUE(network->now.levels.changes_to(first.levels).empty()) << name;
    EXPECT_EQ(network->plan.resweeps[1].links_down, 0U) << name;
    EXPECT_EQ(network->plan.resweeps[1].entries, failed.entries) << name;
  }
  EXPECT_GT(with_levels, 0U);  // lanes of some engine move
}

/// What OpenSM 3.3.23 has set on the same network served by `weft subnet serve`, after the cables of leaf1/port3 (one)
/// and leaf2/port4 (two) had been pulled one after another, and the first of them put back (three).
SubnetRoutes set_by_opensm(const Managed& network, std::string_view engine, std::string_view when) {
  scenario::Scenario dumped = network.scenario;
  dumped.routing.engine = scenario::RoutingEngine::kFile;
  dumped.routing.tables = fmt::format("{}/opensm/leaf_spine_12.{}.{}.lfts", test_data_dir(), engine, when);
  Result<SubnetRoutes> routes = subnet_routes(dumped, network.graph);
  EXPECT_TRUE(routes) << routes.error().message;
  return std::move(*routes);
}

// Entries that still begin a shortest path stay, so that the tables after one failure differ from those of a first
// sweep and those after two hang on which came first; ftree gives way to minhop, which keeps entries of ftree.
TEST(SubnetResweeps, LeaveTheTablesThatOpensmLeaves) {
  const std::string events =
      fail_at("5 us", "leaf1/port3") + fail_at("100 us", "leaf2/port4") + fail_at("200 us", "leaf1/port3", "restore");
  std::size_t unlike_first_sweep = 0;
  for (const std::string engine : {"minhop", "ftree", "dor", "updn", "dnup"}) {
    Result<Managed> network = managed(std::string(kLeaves) + events, {"routing.engine=" + engine});
    ASSERT_TRUE(network) << engine << ": " << network.error().message;
    const bool whole = engine == "minhop" || engine == "ftree";
    network->pass(15_us);
    if (whole) {
      EXPECT_TRUE(network->now.tables.changes_to(set_by_opensm(*network, engine, "one").tables).empty()) << engine;
      Managed minhop = *network;
      minhop.scenario.routing.engine = scenario::RoutingEngine::kMinhop;
      const Result<SubnetRoutes> anew = routes_without(minhop, "leaf1/port3");
      ASSERT_TRUE(anew) << anew.error().message;
      unlike_first_sweep += network->now.tables.changes_to(anew->tables).size();
    }
    network->pass(110_us);
    EXPECT_TRUE(network->now.tables.changes_to(set_by_opensm(*network, engine, "two").tables).empty()) << engine;
    network->pass(210_us);
    if (whole) {
      EXPECT_TRUE(network->now.tables.changes_to(set_by_opensm(*network, engine, "three").tables).empty()) << engine;
    }
  }
  EXPECT_GT(unlike_first_sweep, 0U);
}

// Of failures alone what is written later hangs on what was there before; when a port has trained it does not.
TEST(SubnetResweeps, BeginAnewWhenACableReturns) {
  for (const std::string engine : {"minhop", "updn", "dnup", "dor"}) {
    Result<Managed> network =
        managed(std::string(kTree) + fail_at("5 us", "pod0/leaf0/port2") + fail_at("50 us", "pod2/leaf1/port3") +
                    fail_at("100 us", "pod0/leaf0/port2", "restore"),
                {"routing.engine=" + engine, "routing.lmc=1"});
    ASSERT_TRUE(network) << engine << ": " << network.error().message;
    ASSERT_EQ(network->plan.resweeps.size(), 3U) << engine;
    network->pass(110_us);
    const Result<SubnetRoutes> anew = routes_without(*network, "pod2/leaf1/port3");
    ASSERT_TRUE(anew) << engine << ": " << anew.error().message;
    EXPECT_TRUE(network->now.tables.changes_to(anew->tables).empty()) << engine;
  }
}

/// Where a packet ends that goes by the tables: the endpoint, or none.
std::optional<EndpointId> walk(const Managed& network, EndpointId from, EndpointId to) {
  const fabric::Graph& graph = network.graph;
  const auto other_end = [&](const fabric::LinkEnd& end) {
    for (const fabric::Link& link : graph.links) {
      if (link.a == end || link.b == end) {
        return link.a == end ? link.b : link.a;
      }
    }
    return fabric::LinkEnd{};
  };
  fabric::LinkEnd at = other_end({.node = graph.node_of(from), .port = 0});
  for (std::uint32_t hops = 0; hops < 20; ++hops) {
    if (at.node.value() < graph.endpoints) {
      return EndpointId(at.node.value());
    }
    const fabric::NextHops next = network.now.tables.next_hop(at.node.value() - graph.endpoints, {.destination = to});
    if (next.empty()) {
      return std::nullopt;
    }
    at = other_end({.node = at.node, .port = next[0]});
  }
  return std::nullopt;
}

// The one that is cut off is that of the manager, whose place a standby takes; nobody's LID changes.
TEST(SubnetResweeps, LeaveAHostThatIsCutOffWithoutEntriesAndAllOthersReachOneAnother) {
  for (const std::string host : {"host0/nic0", "host5/nic0"}) {
    Result<Managed> network = managed(std::string(kTree) + fail_at("5 us", host), {"routing.engine=ftree"});
    ASSERT_TRUE(network) << network.error().message;
    network->pass(15_us);
    ASSERT_EQ(network->plan.resweeps.size(), 1U);
    const std::uint32_t hosts = network->graph.endpoints;
    EXPECT_EQ(network->plan.resweeps[0].paths_before, std::uint64_t{hosts} * (hosts - 1));
    EXPECT_EQ(network->plan.resweeps[0].paths, std::uint64_t{hosts - 1} * (hosts - 2));
    for (std::uint32_t to = 0; to < hosts; ++to) {
      const bool is_cut_off = network->graph.nodes[to].name == host;
      for (std::uint32_t ordinal = 0; ordinal < network->graph.switches(); ++ordinal) {
        EXPECT_EQ(network->now.tables.next_hop(ordinal, {.destination = EndpointId(to)}).empty(), is_cut_off);
      }
      for (std::uint32_t from = 0; from < hosts; ++from) {
        if (from != to && !is_cut_off && network->graph.nodes[from].name != host) {
          EXPECT_EQ(walk(*network, EndpointId(from), EndpointId(to)), EndpointId(to));
        }
      }
    }
  }
}

// Each part goes on with a manager of its own: four hosts in one, twelve in the other.
TEST(SubnetResweeps, OfANetworkThatFallsApartAreThoseOfItsParts) {
  Result<Managed> network =
      managed(std::string(kTree) + fail_at("5 us", "pod1/agg*/port2") + fail_at("5 us", "pod1/agg*/port3"),
              {"routing.engine=minhop"});
  ASSERT_TRUE(network) << network.error().message;
  network->pass(15_us);
  ASSERT_EQ(network->plan.resweeps.size(), 1U);
  EXPECT_EQ(network->plan.resweeps[0].links_down, 4U);
  EXPECT_EQ(network->plan.resweeps[0].paths, 4U * 3 + 12 * 11);
  const auto part = [&](std::uint32_t endpoint) { return endpoint / 4 == 1; };
  for (std::uint32_t from = 0; from < 16; ++from) {
    for (std::uint32_t to = 0; to < 16; ++to) {
      if (from != to) {
        EXPECT_EQ(walk(*network, EndpointId(from), EndpointId(to)) == EndpointId(to), part(from) == part(to))
            << from << " to " << to;
      }
    }
  }
}

// Down for 3 us of every 30, and routes learn 10 us later, when it is up: nothing is to be written. Down for 15 us, the
// same two tables come in turn.
TEST(SubnetResweeps, OfALinkThatFlapsAreThoseOfItsStateWhenTheManagerHasSwept) {
  const auto flapping = [](std::string_view down) {
    return managed(fmt::format("stop = \"100 us\"\n{}[[failure]]\nkind = \"flapping\"\nselect = "
                               "\"pod0/leaf0/port2\"\nat = \"5 us\"\nperiod = \"30 us\"\ndown = \"{}\"\n",
                               kTree, down),
                   {"routing.engine=updn"});
  };
  const Result<Managed> soon = flapping("3 us");
  ASSERT_TRUE(soon) << soon.error().message;
  EXPECT_TRUE(soon->plan.resweeps.empty());
  EXPECT_TRUE(soon->plan.schedule.empty());
  const Result<Managed> late = flapping("15 us");
  ASSERT_TRUE(late) << late.error().message;
  std::vector<Duration> times;
  for (const Resweep& resweep : late->plan.resweeps) {
    EXPECT_EQ(resweep.links_down, times.size() % 2 == 0 ? 1U : 0U);
    EXPECT_EQ(resweep.entries, late->plan.resweeps[0].entries);
    times.push_back(resweep.at.since_start());
  }
  EXPECT_EQ(times, (std::vector<Duration>{15_us, 30_us, 45_us, 60_us, 75_us, 90_us}));
}

TEST(SubnetResweeps, WaitForAStandbyWhileTheManagerIsAway) {
  const Result<Managed> network =
      managed(std::string(kTree) + fail_at("5 us", "pod0/leaf0/port2") +
                  "[[failure]]\nkind = \"subnet-manager\"\nat = \"4 us\"\nduration = \"40 us\"\n",
              {"routing.engine=minhop"});
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_EQ(network->plan.resweeps.size(), 1U);
  EXPECT_EQ(network->plan.resweeps[0].at, Time::zero() + 54_us);
}

// A fat-tree that lacks a cable is none: OpenSM says so in its log, and takes minhop. One that lacks a spine is one.
TEST(SubnetResweeps, TakeMinhopWhereTheEngineCannotRouteWhatIsLeft) {
  const Result<Managed> cable =
      managed(std::string(kLeaves) + fail_at("5 us", "leaf1/port3"), {"routing.engine=ftree"});
  ASSERT_TRUE(cable) << cable.error().message;
  ASSERT_EQ(cable->plan.resweeps.size(), 1U);
  EXPECT_THAT(cable->plan.resweeps[0].fallback, HasSubstr("neighbours up"));
  EXPECT_EQ(cable->plan.resweeps[0].paths, cable->plan.resweeps[0].paths_before);
  const Result<Managed> spine = managed(std::string(kLeaves) + fail_at("5 us", "spine1"), {"routing.engine=ftree"});
  ASSERT_TRUE(spine) << spine.error().message;
  ASSERT_EQ(spine->plan.resweeps.size(), 1U);
  EXPECT_EQ(spine->plan.resweeps[0].fallback, "");
  EXPECT_EQ(spine->plan.resweeps[0].links_down, 4U);
  EXPECT_EQ(spine->plan.resweeps[0].paths, spine->plan.resweeps[0].paths_before);
}

// Whether buffers can wait in a cycle is asked of the lanes that queue pairs were given at the beginning.
TEST(SubnetResweeps, SayWhereTheLanesOfTheBeginningDoNotFitTheNewPaths) {
  std::size_t can_block = 0;
  std::size_t all = 0;
  for (const std::string engine : {"lash", "dfsssp"}) {
    for (std::uint32_t i = 0; i < 12; ++i) {
      const Result<Managed> network =
          managed(std::string(kTorus) + fail_at("5 us", fmt::format("switch{}-{}/port{}", i % 4, i / 4, i % 4)),
                  {"routing.engine=" + engine});
      ASSERT_TRUE(network) << network.error().message;
      for (const Resweep& resweep : network->plan.resweeps) {
        can_block += resweep.can_block ? 1 : 0;
        ++all;
      }
    }
  }
  EXPECT_EQ(all, 24U);
  EXPECT_GT(can_block, 0U);
  EXPECT_LT(can_block, all);
}

TEST(SubnetResweeps, OfAFileAreNone) {
  Result<Managed> network =
      managed(std::string(kTree) + fail_at("5 us", "pod0/leaf0/port2"), {"routing.engine=minhop"});
  ASSERT_TRUE(network) << network.error().message;
  network->scenario.routing.engine = scenario::RoutingEngine::kFile;
  const fabric::LinkEvent failure{.at = Time::zero() + 5_us, .link = fabric::LinkIndex(0)};
  const Result<ResweepPlan> plan = plan_resweeps(network->scenario, network->graph, std::vector{failure});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->schedule.empty());
}

TEST(SubnetResweeps, RefusesMoreTablesThanThereIsMemoryForAndSaysHowMuchTheyNeed) {
  const std::string text = std::string(kTree) + fail_at("5 us", "pod0/leaf0/port2") +
                           fail_at("50 us", "pod1/leaf0/port2") + fail_at("100 us", "pod2/leaf0/port2");
  const auto scenario = scenario::parse_scenario(
      text, {.file = "test.toml", .case_name = {}, .settings = {"routing.engine=dfsssp"}}, scenario::test_catalogue());
  ASSERT_TRUE(scenario) << scenario::message_of(scenario);
  const fabric::Graph graph = *build_topology(*scenario);
  const std::vector<fabric::LinkEvent> events = infiniband_options(*scenario, graph)->events;
  EXPECT_TRUE(plan_resweeps(*scenario, graph, events));
  const Result<ResweepPlan> refused = plan_resweeps(*scenario, graph, events, 100);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("routing.engine"));
  EXPECT_THAT(refused.error().message, HasSubstr("the tables of 3 states of the network"));
  EXPECT_THAT(refused.error().message, HasSubstr("at most 1e-07 GB"));
}

}  // namespace
}  // namespace weft::study::assembly
