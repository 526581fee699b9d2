#include "study/assembly/resize.h"

#include <gtest/gtest.h>

#include "study/assembly/build_topology.h"
#include "study/assembly/topology_table.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

constexpr std::string_view kLeafSpine = R"([fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
leaves = 2
hosts_per_leaf = 4
spines = 2
gpus_per_host = 8
nics_per_host = 8
[scale_up]
entry = "nvlink4"
[[job]]
name = "llm"
model = "llama3-8b"
tp = 8
gpus = 64
global_batch = 32
)";

scenario::Scenario leaf_spine() {
  return scenario::parse_scenario(kLeafSpine, {.file = "test.toml", .case_name = {}, .settings = {}},
                                  scenario::test_catalogue())
      .value();
}

TEST(Resize, CopiesOfTheModelAndTheirBatchFollowTheGpus) {
  const scenario::Scenario whole = leaf_spine();
  const Result<scenario::Scenario> more = resized(whole, {.gpus = 256});
  ASSERT_TRUE(more) << more.error().message;
  const scenario::TrainingSettings& training = more->jobs.front().training;
  EXPECT_EQ(more->jobs.front().ranks, 256);
  EXPECT_EQ(training.data, 4 * whole.jobs.front().training.data);
  EXPECT_EQ(training.tensor, 8);
  EXPECT_EQ(training.global_batch, 4 * 32);
}

TEST(Resize, LeavesAreAddedAndEachStaysAsItWas) {
  const Result<scenario::Scenario> more = resized(leaf_spine(), {.gpus = 256});
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(more->topology.leaves, 8);
  EXPECT_EQ(more->topology.hosts_per_leaf, 4);
  EXPECT_EQ(more->topology.hosts, 32);
  const Result<fabric::Graph> graph = build_topology(*more);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->host_endpoints(), 32U * 8);
}

TEST(Resize, ALastLeafThatIsPartlyFilledStaysSo) {
  scenario::TopologySettings topology;
  topology.kind = scenario::TopologyKind::kLeafSpine;
  topology.hosts = 25;
  topology.hosts_per_leaf = 4;
  for (const std::int64_t hosts : {25, 30, 32}) {
    ASSERT_TRUE(resize_topology(topology, hosts));
    EXPECT_EQ(topology.hosts, hosts);
    EXPECT_EQ(topology.hosts_per_leaf, 4);
    EXPECT_EQ(topology.leaves, (hosts + 3) / 4);
  }
  ASSERT_TRUE(resize_topology(topology, 33));
  EXPECT_EQ(topology.hosts, 36) << "whole leaves follow whole leaves";
}

TEST(Resize, FewerGpusThanOneLeafTakesFewerHostsOfIt) {
  const Result<scenario::Scenario> less = resized(leaf_spine(), {.gpus = 16});
  ASSERT_TRUE(less) << less.error().message;
  EXPECT_EQ(less->topology.leaves, 1);
  EXPECT_EQ(less->topology.hosts_per_leaf, 2);
  EXPECT_EQ(less->jobs.front().training.global_batch, 32 / 8 * 2);
}

TEST(Resize, GroupsOfADragonflyAreAddedAndEachStaysAsItWas) {
  std::string text(kLeafSpine);
  text.replace(text.find("leaf-spine"), 10, "dragonfly-plus");
  const auto whole = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                              scenario::test_catalogue());
  ASSERT_TRUE(whole) << whole.error().message;
  const Result<scenario::Scenario> more = resized(*whole, {.gpus = 256});
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(more->topology.groups, 4);
  EXPECT_EQ(more->topology.hosts, 32);
  EXPECT_TRUE(build_topology(*more));
}

TEST(Resize, ATorusGetsLongerRingsInItsLastDimension) {
  scenario::TopologySettings topology;
  topology.kind = scenario::TopologyKind::kTorus;
  topology.sizes = {4, 3};
  topology.hosts = 24;
  ASSERT_TRUE(resize_topology(topology, 33));
  EXPECT_EQ(topology.sizes, (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(topology.hosts, 40);
  EXPECT_EQ(topology.hosts_per_leaf, 2);
}

TEST(Resize, StrongScalingKeepsTheBatch) {
  const Result<scenario::Scenario> more = resized(leaf_spine(), {.gpus = 128, .scaling = Scaling::kStrong});
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(more->jobs.front().training.global_batch, 32);
}

TEST(Resize, SaysWhatDoesNotDivideWithTheNumbers) {
  const Result<scenario::Scenario> odd = resized(leaf_spine(), {.gpus = 12});
  ASSERT_FALSE(odd);
  EXPECT_NE(odd.error().message.find("12 GPUs is not a multiple of one model copy: tp 8"), std::string::npos)
      << odd.error().message;
  const Result<scenario::Scenario> shared = resized(leaf_spine(), {.gpus = 512, .scaling = Scaling::kStrong});
  ASSERT_FALSE(shared);
  EXPECT_NE(shared.error().message.find("a global batch of 32 is not a multiple of dp 64"), std::string::npos)
      << shared.error().message;
}

TEST(Resize, NeedsOneJobWithAModel) {
  const Result<scenario::Scenario> bare = resized(scenario::scenario_with("").value(), {.gpus = 8});
  ASSERT_FALSE(bare);
  EXPECT_NE(bare.error().message.find("found 0 jobs"), std::string::npos) << bare.error().message;
}

TEST(Resize, TheSmallestClusterIsOneCopy) { EXPECT_EQ(smallest_size(leaf_spine()).value(), 8); }

}  // namespace
}  // namespace weft::study::assembly
