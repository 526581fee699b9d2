#include "study/assembly/build_control.h"

#include <gtest/gtest.h>

#include "fabric/fabric.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

Result<scenario::Scenario> scenario_of(const std::string& text) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  return scenario::parse_scenario(text, request, scenario::test_catalogue());
}

Result<scenario::Scenario> with_control(const std::string& control) {
  return scenario_of(
      "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 2\nspines = 2\n"
      "[[traffic]]\nkind = \"permutation\"\nsize = \"1 MiB\"\n[control]\nkind = \"bgp\"\n" +
      control);
}

std::string message_with(const std::string& control) {
  const auto scenario = with_control(control);
  EXPECT_TRUE(scenario.has_value()) << (scenario ? "" : scenario.error().message);
  const auto graph = build_topology(*scenario);
  return graph ? "built" : graph.error().message;
}

TEST(BuildControl, RoutesDoNotFollowTheRerouteDelay) {
  const auto scenario =
      with_control("hold_time = \"6 s\"\nbfd = true\nfib_unit = \"group\"\nas_numbers = \"switch\"\n");
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const auto graph = build_topology(*scenario);
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  const auto options = ethernet_options(*scenario, *graph);
  ASSERT_TRUE(options.has_value()) << options.error().message;
  EXPECT_EQ(options->route_updates, fabric::LinkSchedule::RouteUpdates::kNone);
  ASSERT_TRUE(options->control.has_value());
  EXPECT_EQ(options->control->hold_time, 6_s);
  EXPECT_TRUE(options->control->has_bfd);
  EXPECT_EQ(options->control->fib_unit, fabric::FibUnit::kGroup);
  EXPECT_EQ(options->control->as_numbering, fabric::AsNumbering::kSwitch);
}

TEST(BuildControl, SwappedCablesAreExchangedAndKnownToThePlan) {
  const auto plain = build_topology(*with_control(""));
  const auto scenario = with_control("swapped_cables = [\"leaf0/port2 leaf1/port3\"]\n");
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const auto graph = build_topology(*scenario);
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  const auto options = control_options(*scenario, *graph);
  ASSERT_TRUE(options.has_value()) << options.error().message;
  ASSERT_EQ(options->swaps.size(), 1U);
  const std::uint32_t first = options->swaps[0].first.value();
  const std::uint32_t second = options->swaps[0].second.value();
  EXPECT_EQ(graph->links[first].b, plain->links[second].b);
  EXPECT_EQ(graph->links[second].b, plain->links[first].b);
  EXPECT_EQ(graph->links[first].a, plain->links[first].a);
}

TEST(BuildControl, SaysWhatIsWrongWithACable) {
  EXPECT_NE(message_with("swapped_cables = [\"leaf0/port2\"]\n").find("must be two ports"), std::string::npos);
  EXPECT_NE(message_with("swapped_cables = [\"leaf9/port2 leaf1/port3\"]\n").find("there is no port 'leaf9/port2'"),
            std::string::npos);
  EXPECT_NE(message_with("swapped_cables = [\"leaf0/port0 leaf1/port3\"]\n").find("leads to a host"),
            std::string::npos);
  EXPECT_NE(message_with("swapped_cables = [\"leaf0/port2 spine1/port1\"]\n").find("at the same side"),
            std::string::npos);
  EXPECT_NE(message_with("swapped_cables = [\"leaf0/port2 leaf1/port3\", \"leaf0/port2 leaf2/port2\"]\n")
                .find("exchanged twice"),
            std::string::npos);
}

}  // namespace
}  // namespace weft::study::assembly
