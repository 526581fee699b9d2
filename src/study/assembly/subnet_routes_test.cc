#include "study/assembly/subnet_routes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "fabric/routing/forwarding_table.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/subnet_test_tables.h"
#include "study/scenario/scenario_test_support.h"
#include "subnet/forwarding_dump.h"
#include "subnet/routing/engine.h"
#include "subnet/swept_subnet.h"

namespace weft::study::assembly {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kTree =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 12\nhosts_per_leaf = 3\nspines = "
    "3\n";

Result<scenario::Scenario> scenario_of(std::string_view network, const std::vector<std::string>& settings) {
  return scenario::parse_scenario(network, {.file = "test.toml", .case_name = {}, .settings = settings},
                                  scenario::test_catalogue());
}

Result<SubnetRoutes> routes_of(std::string_view network, const std::vector<std::string>& settings) {
  const Result<scenario::Scenario> scenario = scenario_of(network, settings);
  if (!scenario) {
    return fail("{}", scenario.error().message);
  }
  const Result<fabric::Graph> graph = build_topology(*scenario);
  return graph ? subnet_routes(*scenario, *graph) : fail("{}", graph.error().message);
}

std::string error_of(std::string_view network, const std::vector<std::string>& settings) {
  const Result<SubnetRoutes> routes = routes_of(network, settings);
  return routes ? "no error" : routes.error().message;
}

class TablesFile {
 public:
  explicit TablesFile(const std::string& text)
      : folder_(std::filesystem::path(testing::TempDir()) / fmt::format("weft_tables_{}", getpid())),
        file_((folder_ / "weft_tables.lfts").string()) {
    std::filesystem::create_directories(folder_);
    EXPECT_TRUE(write_file(file_, text));
  }
  ~TablesFile() { std::filesystem::remove_all(folder_); }
  TablesFile(const TablesFile&) = delete;
  TablesFile& operator=(const TablesFile&) = delete;

  [[nodiscard]] std::vector<std::string> settings() const { return {"routing.engine=file", "routing.tables=" + file_}; }

 private:
  std::filesystem::path folder_;  // of this process: tests run beside one another
  std::string file_;
};

fabric::Graph tree() { return *build_topology(*scenario_of(kTree, {})); }

TEST(SubnetRoutes, OfAFileAreItsEntriesToTheLast) {
  const fabric::Graph graph = tree();
  const TablesFile file(dump_of_rule(graph, 1));
  std::vector<std::string> settings = file.settings();
  settings.emplace_back("routing.lmc=1");
  const Result<SubnetRoutes> read = routes_of(kTree, settings);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->levels.empty());
  const fabric::Routes routes(graph);
  const fabric::ForwardingTable rule(graph);
  for (std::uint32_t ordinal = 0; ordinal < graph.switches(); ++ordinal) {
    for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
      for (const std::uint32_t offset : {0U, 1U}) {
        const fabric::ForwardingTable::Target lid{.destination = EndpointId(i), .offset = offset};
        const fabric::NextHops hop = read->tables.next_hop(ordinal, lid);
        ASSERT_EQ(hop.size(), 1U);
        EXPECT_EQ(hop[0], rule.choose(ordinal, lid, routes.next_hops(ordinal, EndpointId(i))));
      }
    }
  }
}

TEST(SubnetRoutes, EachPlaneIsASubnet) {
  constexpr std::string_view kPlanes =
      "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"rail-optimised\"\nhosts = 8\nhosts_per_leaf = 4\nspines "
      "= "
      "2\nports_per_nic = 2\nplanes = 2\n[nic]\nports = 2\n";
  const Result<scenario::Scenario> scenario = scenario_of(kPlanes, {"routing.engine=updn"});
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Result<fabric::Graph> graph = build_topology(*scenario);
  ASSERT_TRUE(graph) << graph.error().message;
  const Result<SubnetRoutes> made = subnet_routes(*scenario, *graph);
  ASSERT_TRUE(made) << made.error().message;
  std::size_t reached = 0;
  for (std::uint32_t ordinal = 0; ordinal < graph->switches(); ++ordinal) {
    for (std::uint32_t i = 0; i < graph->endpoints; ++i) {
      const bool same = graph->nodes[graph->endpoints + ordinal].plane == graph->nodes[i].plane;
      EXPECT_EQ(made->tables.next_hop(ordinal, {.destination = EndpointId(i)}).size(), same ? 1U : 0U);
      reached += same ? 1 : 0;
    }
  }
  EXPECT_EQ(reached, std::size_t{graph->switches()} * graph->endpoints / 2);
  const TablesFile file(dump_of_rule(tree(), 0));
  EXPECT_THAT(error_of(kPlanes, file.settings()), HasSubstr("no switch of the subnet has the GUID"));
}

TEST(SubnetRoutes, LanesOfAnEngineAreServiceLevelsOfPaths) {
  constexpr std::string_view kTorus =
      "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"torus\"\nsizes = [6]\nhosts_per_leaf = "
      "1\n[routing]\npolicy "
      "= \"lft\"\n";
  const Result<SubnetRoutes> made = routes_of(kTorus, {"routing.engine=dfsssp", "infiniband.vls=2"});
  ASSERT_TRUE(made) << made.error().message;
  std::set<std::uint8_t> levels;
  for (std::uint32_t from = 0; from < 6; ++from) {
    for (std::uint32_t to = 0; to < 6; ++to) {
      levels.insert(made->levels.of({.source = EndpointId(from), .destination = EndpointId(to)}));
    }
  }
  EXPECT_THAT(levels, ::testing::ElementsAre(0, 1));
  EXPECT_THAT(error_of(kTorus, {"routing.engine=dfsssp"}),
              AllOf(HasSubstr("--set routing.engine: dfsssp cannot route this network, and OpenSM would take minhop in "
                              "its place: 1 virtual lanes are not enough"),
                    HasSubstr("infiniband.vls")));
}

// Destinations are dealt among the lanes in turn; with one lane service levels are left to the scenario.
TEST(SubnetRoutes, LanesOfNueAreThoseOfDestinations) {
  constexpr std::string_view kTorus =
      "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"torus\"\nsizes = [6]\nhosts_per_leaf = "
      "1\n[infiniband]\nvls = 4\n[routing]\npolicy = \"lft\"\nengine = \"nue\"\n";
  const Result<SubnetRoutes> one = routes_of(kTorus, {});
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_TRUE(one->levels.empty());
  const Result<SubnetRoutes> made = routes_of(kTorus, {"routing.nue_max_num_vls=3"});
  ASSERT_TRUE(made) << made.error().message;
  std::map<std::uint8_t, int> destinations;
  for (std::uint32_t to = 0; to < 6; ++to) {
    const std::uint8_t level = made->levels.of({.source = EndpointId((to + 1) % 6), .destination = EndpointId(to)});
    EXPECT_EQ(made->levels.of({.source = EndpointId((to + 3) % 6), .destination = EndpointId(to)}), level);
    ++destinations[level];
  }
  EXPECT_EQ(destinations, (std::map<std::uint8_t, int>{{0, 2}, {1, 2}, {2, 2}}));
  EXPECT_THAT(error_of(kTorus, {"routing.nue_max_num_vls=3", "qos.data_sl=1"}),
              HasSubstr("nue gives each path its service level"));
}

// What is wrong in a file is said with its line, and with what it would have to be.
TEST(SubnetRoutes, OfAWrongFileAreRefused) {
  const std::string good = dump_of_rule(tree(), 0);
  const auto error_with = [&](std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    const TablesFile file(text);
    return error_of(kTree, file.settings());
  };
  const auto line_at = [&](std::size_t number) {
    std::size_t begin = 0;
    for (std::size_t i = 1; i < number; ++i) {
      begin = good.find('\n', begin) + 1;
    }
    return good.substr(begin, good.find('\n', begin) - begin + 1);
  };
  const std::string switch_line = line_at(1);
  ASSERT_THAT(switch_line, HasSubstr("Unicast lids"));
  const std::size_t guid = switch_line.find("guid 0x") + 5;
  EXPECT_THAT(error_with(good, switch_line.substr(guid, 18), "0x0002c90000000000"),
              AllOf(HasSubstr("--set routing.tables: "),
                    HasSubstr("weft_tables.lfts:1: no switch of the subnet has the GUID")));
  EXPECT_THAT(error_with(good, line_at(2).substr(0, 10), "0x0001 250"),
              AllOf(HasSubstr("weft_tables.lfts:2: "), HasSubstr("expected a port from 0 to")));
  const std::size_t leaf = good.find("\n0x0001 ", good.find("('leaf1')"));  // host0 is at leaf0
  ASSERT_NE(leaf, std::string::npos);
  std::string cut = good;
  cut.erase(leaf + 1, good.find('\n', leaf + 1) - leaf);
  EXPECT_THAT(error_of(kTree, TablesFile(cut).settings()),
              AllOf(HasSubstr("paths lead nowhere; the first is from "), HasSubstr("to host0/nic0 (LID 1)"),
                    HasSubstr("has none")));
  EXPECT_THAT(error_of(kTree, TablesFile(good.substr(0, good.rfind("Unicast"))).settings()),
              HasSubstr("no table of the switch with GUID"));
  EXPECT_THAT(error_of(kTree, {"routing.engine=file", "routing.tables=nothing.lfts"}),
              HasSubstr("--set routing.tables: nothing.lfts: No such file"));
  std::vector<std::string> more = TablesFile(good).settings();
  more.emplace_back("routing.lmc=2");
  const TablesFile again(good);
  EXPECT_THAT(error_of(kTree, more), HasSubstr("ports have 1 LIDs each there, and routing.lmc = 2 asks for 4"));
}

// Both switches send what is for a host of a third back and forth.
TEST(SubnetRoutes, ThatGoRoundInALoopAreRefused) {
  const fabric::Graph graph = tree();
  Result<PlacedSubnet> placed = place_subnet(graph);
  ASSERT_TRUE(placed);
  const Result<subnet::SweptSubnet> swept = subnet::sweep(placed->subnet);
  ASSERT_TRUE(swept);
  subnet::ForwardingTables tables = tables_of_rule(graph, *swept);
  const subnet::RoutingView& view = swept->view;
  const subnet::Lid last = view.end_ports.back().lid;
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    for (std::size_t port = 1; port < view.switches[i].ports.size(); ++port) {
      const bool up = view.switches[i].ports[port].to_switch.is_valid();
      if (up && tables[i][last] != port) {
        tables[i][last] = static_cast<subnet::PortNumber>(port);
        break;
      }
    }
  }
  const TablesFile file(subnet::write_lfts(swept->subnet, view, tables));
  EXPECT_THAT(error_of(kTree, file.settings()), HasSubstr("goes round in a loop"));
}

constexpr std::string_view kRingOfSix =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"torus\"\nsizes = [6]\nhosts_per_leaf = 1\n"
    "[infiniband]\nvls = 2\n[routing]\npolicy = \"lft\"\n[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\n";

std::string cycle_of(const std::vector<std::string>& settings) {
  const Result<scenario::Scenario> scenario = scenario_of(kRingOfSix, settings);
  EXPECT_TRUE(scenario) << scenario.error().message;
  return buffer_cycle(*scenario, *build_topology(*scenario)).value();
}

// Shortest paths around a ring wait for one another all the way round; those of updn do not go round it.
TEST(BufferCycle, IsNamedByItsCablesWhereTablesCloseOne) {
  const std::string found = cycle_of({"routing.engine=minhop"});
  EXPECT_THAT(found, HasSubstr("routing.engine minhop: a cycle of 6 buffers that can block for ever"));
  std::size_t cables = 0;
  for (std::size_t at = found.find("] > ["); at != std::string::npos; at = found.find("] > [", at + 1)) {
    ++cables;
  }
  EXPECT_EQ(cables, 6U) << found;
  for (const char* engine : {"updn", "dnup", "lash", "dfsssp", "nue"}) {
    EXPECT_EQ(cycle_of({std::string("routing.engine=") + engine}), "") << engine;
  }
}

TEST(BufferCycle, OfADumpIsFoundAsThatOfTheEngineThatMadeIt) {
  const Result<scenario::Scenario> scenario = scenario_of(kRingOfSix, {"routing.engine=minhop"});
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Result<PlacedSubnet> placed = place_subnet(*build_topology(*scenario));
  ASSERT_TRUE(placed);
  const Result<subnet::SweptSubnet> swept = subnet::sweep(placed->subnet);
  ASSERT_TRUE(swept);
  for (const auto& [engine, cycle] : {std::pair("minhop", true), std::pair("nue", false)}) {
    const auto made = subnet::route_subnet(swept->view, *subnet::engine_by_name(engine), {.lanes = 1, .nue_lanes = 1});
    ASSERT_TRUE(made);
    const TablesFile file(subnet::write_lfts(swept->subnet, swept->view, made->routes.tables));
    const std::string found = cycle_of(file.settings());
    EXPECT_EQ(!found.empty(), cycle) << engine << found;
    EXPECT_EQ(found.find("a cycle of 6 buffers") != std::string::npos, cycle) << engine << found;
  }
}

}  // namespace
}  // namespace weft::study::assembly
