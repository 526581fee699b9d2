#include "study/assembly/reach.h"

#include <gtest/gtest.h>

#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

/// What is said of a scenario with two leaves and two spines, and four hosts.
std::string reach_of(std::string_view family, std::string_view domains, std::string_view traffic,
                     std::string_view planes = "") {
  const std::string text = fmt::format(
      "[fabric]\nfamily = \"{}\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 4\nhosts_per_leaf = 2\nspines = 2\n"
      "domains = \"{}\"\n{}[[traffic]]\nname = \"work\"\n{}\n",
      family, domains, planes, traffic);
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  const Result<scenario::Scenario> scenario = scenario::parse_scenario(text, request, scenario::test_catalogue());
  if (!scenario) {
    return scenario.error().message;
  }
  const Result<fabric::Graph> graph = build_topology(*scenario);
  const Result<std::vector<TrafficPlan>> plans = plan_traffic(*scenario, *graph);
  if (!graph || !plans) {
    return graph ? plans.error().message : graph.error().message;
  }
  const Result<void> reached = check_reach(*scenario, *graph, *plans);
  return reached ? "" : reached.error().message;
}

constexpr std::string_view kAll = "kind = \"permutation\"";
constexpr std::string_view kInside = "kind = \"flows\"\nsources = [\"host2\"]\ndestinations = [\"host3\"]";
constexpr std::string_view kAcross = "kind = \"flows\"\nsources = [\"host2\"]\ndestinations = [\"host1\"]";

TEST(Reach, WhatHasAnIpHeaderIsRouted) {
  for (const std::string_view family : {"rocev2", "iwarp", "tcp"}) {
    EXPECT_EQ(reach_of(family, "routed", kAll), "") << family;
    EXPECT_EQ(reach_of(family, "one", kAll), "") << family;
  }
}

TEST(Reach, RoceV1StopsAtTheEdgeOfItsDomainAndTheErrorNamesTheCable) {
  EXPECT_EQ(reach_of("rocev1", "one", kAll), "");
  EXPECT_EQ(reach_of("rocev1", "routed", kAcross),
            "traffic 'work': rocev1 cannot leave one layer-2 domain, but host2/nic0 and host1/nic0 are in different "
            "ones; the boundary is the cable leaf1/port2 - spine0/port1. rocev2, iwarp and tcp can be routed");
}

TEST(Reach, RoceV1BesideARouterIsFineForThoseWhoNeedItNot) { EXPECT_EQ(reach_of("rocev1", "routed", kInside), ""); }

TEST(Reach, InfiniBandStopsAtTheEdgeOfItsSubnet) {
  EXPECT_EQ(reach_of("infiniband", "one", kAll), "");
  EXPECT_NE(reach_of("infiniband", "routed", kAll).find("infiniband cannot leave one subnet"), std::string::npos);
}

TEST(Reach, NoPatternSendsBetweenPlanes) {
  for (const std::string_view family : {"rocev2", "infiniband", "uet", "tcp"}) {
    const auto said = [&](std::string_view traffic) {
      return reach_of(family, "one", traffic, "ports_per_nic = 2\nplanes = 2\n[nic]\nports = 2\n");
    };
    EXPECT_NE(said(kAll).find("no cable joins the networks of host"), std::string::npos) << family << said(kAll);
    EXPECT_NE(said("kind = \"all-to-all\"").find("no cable joins"), std::string::npos) << family;
    EXPECT_EQ(said("kind = \"permutation\"\nshift = 2"), "") << family << ": every other port is of the same plane";
    EXPECT_EQ(said("kind = \"collective\""), "") << family;
  }
}

TEST(Reach, PortsOfAnotherKindThanTheFamilyNeedsAreRefused) {
  const Result<scenario::Scenario> scenario = scenario::scenario_with("");
  Result<fabric::Graph> graph = build_topology(*scenario);
  graph->nodes.back().port_type = fabric::PortType::kEthernet;
  EXPECT_TRUE(check_reach(*scenario, *graph, {}).has_value());
  graph->nodes.back().port_type = fabric::PortType::kInfiniBand;
  EXPECT_EQ(check_reach(*scenario, *graph, {}).error().message,
            "leaf0 has InfiniBand ports, but the family rocev2 needs Ethernet ports; a gateway is not modelled");
}

}  // namespace
}  // namespace weft::study::assembly
