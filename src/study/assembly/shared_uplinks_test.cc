#include "study/assembly/shared_uplinks.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "study/assembly/build_topology.h"
#include "study/assembly/build_traffic.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

using Uplinks = std::vector<std::vector<workload::SharedUplinks>>;

/// Of a collective of all hosts with lines of 400 Gb/s.
Uplinks uplinks_of(const std::string& topology) {
  const std::string text = "[fabric]\nfamily = \"infiniband\"\n[link]\nrate = \"400 Gbps\"\n[topology]\n" + topology +
                           "\n[[traffic]]\nkind = \"collective\"\n";
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  const Result<scenario::Scenario> scenario = scenario::parse_scenario(text, request, scenario::test_catalogue());
  if (!scenario) {
    ADD_FAILURE() << scenario.error().message;
    return {};
  }
  const Result<fabric::Graph> graph = build_topology(*scenario);
  if (!graph) {
    ADD_FAILURE() << graph.error().message;
    return {};
  }
  const Result<std::vector<TrafficPlan>> plans = plan_traffic(*scenario, *graph);
  if (!plans) {
    ADD_FAILURE() << plans.error().message;
    return {};
  }
  return shared_uplinks(plans->front().machines, *graph);
}

std::size_t blocks(const Uplinks& uplinks) {
  std::set<std::uint32_t> found;
  for (const auto& one : uplinks) {
    for (const workload::SharedUplinks& shared : one) {
      found.insert(shared.block);
    }
  }
  return found.size();
}

TEST(SharedUplinks, AreNoneWhereTheNetworkHasRoomForAllRails) {
  for (const auto& one : uplinks_of("kind = \"leaf-spine\"\nhosts = 16\nhosts_per_leaf = 4")) {
    EXPECT_TRUE(one.empty());
  }
  EXPECT_EQ(blocks(uplinks_of("kind = \"single-switch\"\nhosts = 8")), 0U);
}

TEST(SharedUplinks, OfALeafAreWhatItsHostsShare) {
  const Uplinks found = uplinks_of("kind = \"leaf-spine\"\nhosts = 16\nhosts_per_leaf = 8\noversubscription = \"4:1\"");
  ASSERT_EQ(found.size(), 16U);
  EXPECT_EQ(blocks(found), 2U);
  for (const auto& one : found) {
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(one.front().share, 100_gbps);
  }
  EXPECT_EQ(found[0], found[7]);
  EXPECT_NE(found[7], found[8]);
}

// Pods are what the tiers below the cores join.
TEST(SharedUplinks, OfAPodAreThoseOfItsUpperSwitches) {
  const Uplinks found = uplinks_of("kind = \"fat-tree\"\ntiers = 3\nradix = 12\noversubscription = \"2:1\"");
  ASSERT_FALSE(found.empty());
  EXPECT_GT(blocks(found), 0U);
  for (const auto& one : found) {
    for (const workload::SharedUplinks& shared : one) {
      EXPECT_EQ(shared.share, 200_gbps);
    }
  }
}

}  // namespace
}  // namespace weft::study::assembly
