#include "study/plan/design_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "study/assembly/build_topology.h"
#include "study/cost/bill.h"
#include "study/plan/cabling_list.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::plan {
namespace {

constexpr Cluster kCluster{.gpus = 512, .gpus_per_host = 8};

DesignSpace usual() { return design_space({}, kCluster, scenario::test_catalogue()).value(); }

TEST(DesignSpace, NamesAreDifferentAndInAFixedOrder) {
  const DesignSpace first = usual();
  const DesignSpace second = usual();
  ASSERT_EQ(first.designs.size(), second.designs.size());
  EXPECT_GT(first.designs.size(), 20U);
  std::set<std::string> names;
  for (std::size_t i = 0; i < first.designs.size(); ++i) {
    EXPECT_EQ(name_of(first.designs[i]), name_of(second.designs[i]));
    EXPECT_TRUE(names.insert(name_of(first.designs[i])).second) << name_of(first.designs[i]);
  }
}

TEST(DesignSpace, DevicesWhosePortsAreGuessesHaveToBeNamed) {
  for (const Design& design : usual().designs) {
    EXPECT_NE(design.nic.name, "roce-400g");
    EXPECT_NE(design.switch_.name, "equal");
  }
  const SpaceOptions named{.networks = {"rocev2"}, .nics = {"roce-400g"}};
  EXPECT_FALSE(design_space(named, kCluster, scenario::test_catalogue())->designs.empty());
}

TEST(DesignSpace, SmallSwitchesAreBeyondCapacity) {
  const SpaceOptions options{
      .networks = {"infiniband"}, .switches = {"quantum-2"}, .shapes = {Shape::kSingleSwitch}, .rails = {8}};
  const auto made = design_space(options, kCluster, scenario::test_catalogue());
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(made->designs.empty());
  EXPECT_GT(made->beyond_capacity, 0U);
}

TEST(DesignSpace, NamedDevicesThatServeNoNetworkAreTheReason) {
  const auto made = design_space({.networks = {"infiniband", "rocev2"},
                                  .switches = {"tomahawk-5"},
                                  .nics = {"connectx-7"},
                                  .shapes = {Shape::kRailOptimised}},
                                 kCluster, scenario::test_catalogue());
  ASSERT_TRUE(made.has_value());
  EXPECT_FALSE(made->designs.empty());
  ASSERT_EQ(made->without_devices.size(), 1U);
  EXPECT_EQ(made->without_devices.front(), "infiniband: --switches tomahawk-5 does not serve it");
}

// 128 ports of 400 Gb/s as 256 of 200 Gb/s.
TEST(DesignSpace, PortsAreSplitForNicsOfTheRateThatIsLeft) {
  const SpaceOptions options{
      .networks = {"rocev2"}, .switches = {"tomahawk-5"}, .nics = {"connectx-6"}, .shapes = {Shape::kRailOptimised}};
  const auto made = design_space(options, kCluster, scenario::test_catalogue());
  ASSERT_TRUE(made.has_value());
  std::set<std::int64_t> ports;
  for (const Design& design : made->designs) {
    EXPECT_EQ(design.switch_.ports, 128 * design.switch_.breakout);
    EXPECT_EQ(design.switch_.rate, 400_gbps / design.switch_.breakout);
    ports.insert(design.switch_.ports);
  }
  EXPECT_EQ(ports, (std::set<std::int64_t>{128, 256}));
  SpaceOptions whole = options;
  whole.breakouts = {1};
  const auto unsplit = design_space(whole, kCluster, scenario::test_catalogue());
  ASSERT_TRUE(unsplit.has_value());
  for (const Design& design : unsplit->designs) {
    EXPECT_EQ(design.switch_.breakout, 1);
  }
}

struct Built {
  Design design;
  scenario::Scenario scenario;
  fabric::Graph graph;
};

/// The only design of that shape for 64 hosts with a NIC of two ports of 200 Gb/s each, under switches of 40 such
/// ports.
Built built(Shape shape, const SpaceOptions& ports) {
  SpaceOptions options = ports;
  options.networks = {"infiniband"};
  options.switches = {"quantum-1"};
  options.nics = {"connectx-6"};
  options.shapes = {shape};
  options.oversubscriptions = {{.down = 1, .up = 1}};
  options.rails = {1};
  const auto space = design_space(options, {.gpus = 64, .gpus_per_host = 1}, scenario::test_catalogue());
  EXPECT_TRUE(space && space->designs.size() == 1U);
  const Design& design = space->designs.at(0);
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = settings_of(design);
  auto scenario = scenario::parse_scenario("[fabric]\nfamily = \"infiniband\"\n", request, scenario::test_catalogue());
  EXPECT_TRUE(scenario) << scenario::message_of(scenario);
  auto graph = assembly::build_topology(*scenario);
  EXPECT_TRUE(graph) << graph.error().message;
  return {.design = design, .scenario = *scenario, .graph = *graph};
}

std::int64_t count_of(const cost::Bill& bill, scenario::BillPart part) {
  std::int64_t count = 0;
  for (const cost::BillLine& line : bill.lines) {
    count += line.part == part ? line.count : 0;
  }
  return count;
}

struct Counts {
  std::int64_t switches = 0;
  std::size_t cables = 0;  // between switches
};

/// Of the bill and the cabling list, which must agree with one another and with the NICs.
Counts counts_of(const Built& built) {
  const cost::Bill bill = cost::bill_of(built.scenario, built.graph);
  EXPECT_EQ(count_of(bill, scenario::BillPart::kNic), 64);
  const std::vector<CableRow> cables = cabling_of(built.scenario, built.graph, built.design.switch_.breakout);
  const auto to_hosts = std::ranges::count_if(cables, [](const CableRow& row) { return row.from.starts_with("host"); });
  EXPECT_EQ(to_hosts, 64 * ports_of_nic(built.design)) << name_of(built.design);
  std::set<std::pair<std::string, std::string>> used;
  for (const CableRow& row : cables) {
    EXPECT_TRUE(used.emplace(row.from, row.from_port).second) << row.from << row.from_port;
    EXPECT_TRUE(used.emplace(row.to, row.to_port).second) << row.to << row.to_port;
  }
  return {.switches = count_of(bill, scenario::BillPart::kSwitch),
          .cables = cables.size() - 64 * static_cast<std::size_t>(ports_of_nic(built.design))};
}

// By hand. Leaves of 16 hosts have 16 uplinks, also those of a fat-tree, which would take 20: four leaves are as few. A
// spine joins up to 40 / leaves cables to each leaf, of numbers that divide 16.
TEST(DesignSpace, TwoPortsOfANicHaveTwiceTheLeavesAndPlanesTwiceOfAll) {
  const auto expect = [](Shape shape, const SpaceOptions& ports, const Counts& expected) {
    const Built one = built(shape, ports);
    const Counts counts = counts_of(one);
    EXPECT_EQ(counts.switches, expected.switches) << name_of(one.design);
    EXPECT_EQ(counts.cables, expected.cables) << name_of(one.design);
  };
  for (const Shape shape : {Shape::kLeafSpine, Shape::kRailOptimised, Shape::kFatTree}) {
    expect(shape, {.planes = {1}}, {.switches = 4 + 2, .cables = 4 * 16});
    expect(shape, {.planes = {1}, .tors = {2}}, {.switches = 2 * 4 + 4, .cables = 2 * 4 * 16});
    expect(shape, {.planes = {2}}, {.switches = 2 * (4 + 2), .cables = 2 * 4 * 16});
  }
}

/// Whose hosts have eight GPUs and NICs each, under switches of 64 ports at the NICs' rate.
DesignSpace of_tomahawk_4(std::int64_t hosts, const SpaceOptions& shapes) {
  SpaceOptions options = shapes;
  options.networks = {"rocev2"};
  options.switches = {"tomahawk-4"};
  options.nics = {"connectx-7"};
  options.rails = {8};
  options.planes = {1};
  options.breakouts = {1};
  return design_space(options, {.gpus = 8 * hosts, .gpus_per_host = 8}, scenario::test_catalogue()).value();
}

std::vector<Shape> shapes_of(const DesignSpace& space) {
  std::vector<Shape> made;
  for (const Design& design : space.designs) {
    made.push_back(design.shape);
  }
  return made;
}

TEST(DesignSpace, OneSwitchIsOneDesign) {
  const std::vector<Shape> shapes = {Shape::kSingleSwitch, Shape::kLeafSpine, Shape::kFatTree};
  const DesignSpace all = of_tomahawk_4(4, {.shapes = shapes});
  EXPECT_EQ(shapes_of(all), (std::vector<Shape>{Shape::kSingleSwitch}));
  EXPECT_EQ(all.beyond_capacity, 0U);
  EXPECT_EQ(all.one_switch, 2U * 3U);  // three oversubscriptions
  const DesignSpace none = of_tomahawk_4(4, {.shapes = {Shape::kLeafSpine}});
  EXPECT_TRUE(none.designs.empty());
  EXPECT_EQ(none.beyond_capacity, 0U);
}

TEST(DesignSpace, ATreeOfTwoTiersIsALeafSpineUnlessItNeedsLess) {
  const std::vector<scenario::Oversubscription> even = {{.down = 1, .up = 1}};
  const std::vector<Shape> both = {Shape::kLeafSpine, Shape::kFatTree};
  EXPECT_EQ(shapes_of(of_tomahawk_4(16, {.shapes = both, .oversubscriptions = even})),
            (std::vector<Shape>{Shape::kLeafSpine}));
  // Both are eight leaves, of which one has three hosts.
  EXPECT_EQ(shapes_of(of_tomahawk_4(31, {.shapes = both, .oversubscriptions = even})),
            (std::vector<Shape>{Shape::kLeafSpine}));
  EXPECT_EQ(shapes_of(of_tomahawk_4(16, {.shapes = {Shape::kFatTree}, .oversubscriptions = even})),
            (std::vector<Shape>{Shape::kFatTree}));
}

// The closed form of a tree is the graph that is built, of two tiers and of three.
TEST(DesignSpace, ATreeHasTheSwitchesAndCablesOfItsGraph) {
  for (const std::int64_t hosts : {9, 31, 100, 257, 300, 600}) {
    for (const scenario::Oversubscription ratio :
         {scenario::Oversubscription{.down = 1, .up = 1}, {.down = 3, .up = 1}}) {
      const DesignSpace space = of_tomahawk_4(hosts, {.shapes = {Shape::kFatTree}, .oversubscriptions = {ratio}});
      ASSERT_EQ(space.designs.size(), 1U) << hosts;
      const Design& design = space.designs.front();
      scenario::ScenarioRequest request;
      request.file = "test.toml";
      request.settings = settings_of(design);
      const auto scenario =
          scenario::parse_scenario("[fabric]\nfamily = \"rocev2\"\n", request, scenario::test_catalogue());
      ASSERT_TRUE(scenario) << scenario::message_of(scenario);
      const auto graph = assembly::build_topology(*scenario);
      ASSERT_TRUE(graph) << graph.error().message;
      EXPECT_EQ(graph->switches(), design.tree.switches) << name_of(design) << hosts;
      EXPECT_EQ(static_cast<std::int64_t>(graph->links.size()), 8 * hosts + design.tree.cables) << hosts;
      const bool fits_two_tiers = hosts * 8 <= 64 * 64 * ratio.down / (ratio.down + ratio.up);
      EXPECT_EQ(tiers_of(design), fits_two_tiers ? 2 : 3) << hosts;
    }
  }
}

scenario::Scenario scenario_of_design(const Design& design) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = settings_of(design);
  auto scenario = scenario::parse_scenario("[fabric]\nfamily = \"rocev2\"\n", request, scenario::test_catalogue());
  EXPECT_TRUE(scenario) << scenario::message_of(scenario);
  return *scenario;
}

// The closed form of two tiers is the graph that is built, and its cabling list has every host at one leaf: also where
// the last leaf is partly filled.
TEST(DesignSpace, TwoTiersHaveTheSwitchesAndCablesOfTheirGraph) {
  for (const Shape shape : {Shape::kLeafSpine, Shape::kRailOptimised}) {
    for (const std::int64_t hosts : {9, 16, 25, 26, 28, 29, 31, 32, 33, 100, 199}) {
      for (const scenario::Oversubscription ratio :
           {scenario::Oversubscription{.down = 1, .up = 1}, {.down = 2, .up = 1}, {.down = 4, .up = 1}}) {
        const DesignSpace space = of_tomahawk_4(hosts, {.shapes = {shape}, .oversubscriptions = {ratio}});
        ASSERT_EQ(space.designs.size(), 1U) << hosts;
        const Design& design = space.designs.front();
        const scenario::Scenario scenario = scenario_of_design(design);
        const auto graph = assembly::build_topology(scenario);
        ASSERT_TRUE(graph) << graph.error().message;
        const Wiring& wiring = design.wiring;
        EXPECT_EQ(graph->host_endpoints(), 8 * hosts);
        EXPECT_EQ(graph->switches(), wiring.leaves + wiring.spines) << name_of(design) << hosts;
        EXPECT_EQ(static_cast<std::int64_t>(graph->links.size()), 8 * hosts + wiring.leaves * wiring.uplinks) << hosts;
        const std::vector<CableRow> cables = cabling_of(scenario, *graph, 1);
        std::set<std::string> seen;
        for (const CableRow& row : cables) {
          EXPECT_TRUE(!row.from.starts_with("host") || seen.insert(row.from).second) << row.from;
        }
        EXPECT_EQ(static_cast<std::int64_t>(seen.size()), 8 * hosts);
      }
    }
  }
}

TEST(DesignSpace, ANumberOfHostsNeedsNoMoreSwitchesThanTheNextConvenientOne) {
  const auto switches = [](std::int64_t hosts) {
    const DesignSpace space =
        of_tomahawk_4(hosts, {.shapes = {Shape::kLeafSpine}, .oversubscriptions = {{.down = 1, .up = 1}}});
    const Wiring wiring = space.designs.empty() ? Wiring{} : space.designs.front().wiring;
    return wiring.leaves + wiring.spines;
  };
  EXPECT_EQ(switches(25), 7 + 4);
  for (std::int64_t hosts = 25; hosts < 32; ++hosts) {
    EXPECT_LE(switches(hosts), switches(hosts + 1)) << hosts;
  }
}

// A leaf-spine of planes has none of one switch each, a tree has.
TEST(DesignSpace, PlanesOfOneSwitchAreOneDesign) {
  const SpaceOptions options{.networks = {"infiniband"},
                             .switches = {"quantum-1"},
                             .nics = {"connectx-6"},
                             .shapes = {Shape::kLeafSpine, Shape::kFatTree},
                             .rails = {1},
                             .planes = {2}};
  const auto space = design_space(options, {.gpus = 16, .gpus_per_host = 1}, scenario::test_catalogue());
  ASSERT_TRUE(space);
  ASSERT_EQ(space->designs.size(), 1U);
  EXPECT_EQ(space->designs.front().tree.switches, 1);
  EXPECT_EQ(tiers_of(space->designs.front()), 1);
  EXPECT_EQ(space->beyond_capacity, 0U);
}

TEST(DesignSpace, ThePortsOfANicEndAtTheLeavesOfItsRackOrInPlanes) {
  for (const auto& [ports, leaf] : {std::pair{SpaceOptions{.planes = {1}, .tors = {2}}, "rack0/leaf1"},
                                    std::pair{SpaceOptions{.planes = {2}}, "plane1/leaf0"}}) {
    const Built one = built(Shape::kLeafSpine, ports);
    const std::vector<CableRow> cables = cabling_of(one.scenario, one.graph, 1);
    const auto second = std::ranges::find(cables, "host3/nic0/port1", &CableRow::from);
    ASSERT_NE(second, cables.end());
    EXPECT_EQ(second->to, leaf);
    EXPECT_EQ(second->to_port, "port3");
  }
}

TEST(DesignSpace, ATreeWhoseRacksHaveTwoLeavesTakesHalfTheHosts) {
  Design design{.network = {},
                .switch_ = {.name = "s", .ports = 8, .rate = 200_gbps},
                .nic = {.name = "n", .ports = 2, .rate = 200_gbps},
                .shape = Shape::kFatTree};
  design.hosts = 8 * 8 * 8 / 4;
  EXPECT_TRUE(wire(design));
  design.tors = 2;
  EXPECT_FALSE(wire(design));
  design.hosts /= 2;
  EXPECT_TRUE(wire(design));
  design.tors = 1;
  design.planes = 2;
  design.hosts *= 2;
  EXPECT_TRUE(wire(design));
}

// Not those of InfiniBand, and not without a second port.
TEST(DesignSpace, PortsOfEthernetStandInForOneAnother) {
  const SpaceOptions options{.networks = {"rocev2", "infiniband", "uet"},
                             .nics = {"connectx-6", "equal"},
                             .shapes = {Shape::kLeafSpine, Shape::kRailOptimised, Shape::kFatTree},
                             .tors = {1, 2}};
  const auto space = design_space(options, kCluster, scenario::test_catalogue());
  ASSERT_TRUE(space);
  std::set<std::pair<bool, std::int64_t>> seen;
  for (const Design& design : space->designs) {
    const std::vector<std::string> settings = settings_of(design);
    const bool stands_in = std::ranges::count(settings, std::string("routing.port_failover=true")) > 0;
    const bool is_ethernet = design.network.name != "infiniband";
    EXPECT_EQ(stands_in, is_ethernet && ports_of_nic(design) > 1) << name_of(design);
    EXPECT_LE(ports_of_nic(design), 2);
    seen.emplace(is_ethernet, design.planes * 10 + design.tors);
  }
  const std::set<std::pair<bool, std::int64_t>> all{{false, 11}, {false, 12}, {false, 21},
                                                    {true, 11},  {true, 12},  {true, 21}};
  EXPECT_EQ(seen, all);
}

TEST(DesignSpace, UnknownNamesAreErrors) {
  const auto said = [](const SpaceOptions& options) {
    const auto made = design_space(options, kCluster, scenario::test_catalogue());
    return made ? std::string() : made.error().message;
  };
  EXPECT_NE(said({.networks = {"rocev3"}}).find("--networks"), std::string::npos);
  EXPECT_NE(said({.switches = {"tomahawk-9"}}).find("--switches"), std::string::npos);
  EXPECT_NE(said({.nics = {"connectx-77"}}).find("--nics"), std::string::npos);
}

}  // namespace
}  // namespace weft::study::plan
