// What `weft failures` builds in place of a network, and that a second port saves a job there.
#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fabric/topology/graph_query.h"
#include "study/assembly/build_topology.h"
#include "study/compare/failure_study.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The networks of a file, and behind each what could stand in its place.
std::vector<FailureTask> tasks_of(std::string_view topology, const std::string& fabric = "rocev2") {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("weft_failure_variants_{}.toml", ::getpid());
  std::ofstream(file) << fmt::format(
      "hardware = \"equal\"\n[fabric]\nfamily = \"rocev2\"\n[topology]\n{}gpus_per_host = 1\n[link]\nrate = \"400 "
      "Gbps\"\n[[job]]\nname = \"job\"\ngpus = 16\n",
      topology);
  scenario::ScenarioRequest request;
  request.file = file.string();
  const auto choices = choose_fabrics(std::vector<std::string>{fabric}, {}, scenario::test_catalogue());
  EXPECT_TRUE(choices) << scenario::message_of(choices);
  auto tasks = plan_failures(*choices, request, scenario::test_catalogue(), {});
  EXPECT_TRUE(tasks) << scenario::message_of(tasks);
  std::filesystem::remove(file);
  return *std::move(tasks);
}

std::vector<std::string> names_of(const std::vector<FailureTask>& tasks) {
  std::vector<std::string> names;
  std::ranges::transform(tasks, std::back_inserter(names), &FailureTask::name);
  return names;
}

struct Counts {
  std::uint32_t leaves = 0;
  std::uint32_t spines = 0;
  std::uint32_t ports = 0;  // of NICs
  friend bool operator==(const Counts&, const Counts&) = default;
};

void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.leaves << " leaves, " << counts.spines << " spines, " << counts.ports << " ports";
}

/// Ports of hosts that have half of the rate in two.
Counts counts_of(const FailureTask& task) {
  EXPECT_EQ(task.reason, "") << task.name;
  const auto graph = assembly::build_topology(task.scenario);
  EXPECT_TRUE(graph) << task.name << ": " << scenario::message_of(graph);
  for (const Rate rate : fabric::endpoint_rates(*graph)) {
    EXPECT_EQ(rate, 400_gbps / task.scenario.topology.ports_per_nic) << task.name;
  }
  return {.leaves = fabric::switches_of_tier(*graph, 1),
          .spines = fabric::switches_of_tier(*graph, 2),
          .ports = graph->host_endpoints()};
}

constexpr std::string_view kLeafSpine = "kind = \"leaf-spine\"\nhosts = 16\nhosts_per_leaf = 4\nspines = 3\n";
constexpr std::string_view kRails = "kind = \"rail-optimised\"\nhosts = 16\nhosts_per_leaf = 4\nspines = 3\n";
constexpr std::string_view kTree = "kind = \"fat-tree\"\nhosts = 16\nradix = 8\n";

TEST(FailureVariants, OfALeafSpineAndOfRailsAreTwoTorsTwoPlanesAndASpine) {
  for (const std::string_view topology : {kLeafSpine, kRails}) {
    const std::vector<FailureTask> tasks = tasks_of(topology);
    ASSERT_THAT(names_of(tasks),
                ElementsAre("rocev2", "rocev2, dual ToR", "rocev2, two planes", "rocev2, one more spine"));
    EXPECT_EQ(counts_of(tasks[0]), (Counts{.leaves = 4, .spines = 3, .ports = 16}));
    EXPECT_EQ(counts_of(tasks[1]), (Counts{.leaves = 8, .spines = 3, .ports = 32}));
    EXPECT_EQ(counts_of(tasks[2]), (Counts{.leaves = 8, .spines = 6, .ports = 32}));
    EXPECT_EQ(counts_of(tasks[3]), (Counts{.leaves = 4, .spines = 4, .ports = 16}));
  }
}

// Eight hosts under two leaves of 8 downlinks at 1:1 have eight spines.
TEST(FailureVariants, OneMoreSpineThanFollowsFromTheOversubscription) {
  const std::vector<FailureTask> tasks = tasks_of("kind = \"leaf-spine\"\nhosts = 16\nhosts_per_leaf = 8\n");
  ASSERT_EQ(tasks.size(), 4U);
  EXPECT_EQ(counts_of(tasks[0]).spines, 8U);
  EXPECT_EQ(counts_of(tasks[3]).spines, 9U);
}

// Four racks of four hosts, below as many switches as a leaf has uplinks.
TEST(FailureVariants, OfAFatTreeAreTwoTorsAndTwoPlanes) {
  const std::vector<FailureTask> tasks = tasks_of(kTree);
  ASSERT_EQ(tasks.size(), 4U);
  EXPECT_EQ(counts_of(tasks[0]), (Counts{.leaves = 4, .spines = 4, .ports = 16}));
  EXPECT_EQ(counts_of(tasks[1]), (Counts{.leaves = 8, .spines = 4, .ports = 32}));
  EXPECT_EQ(counts_of(tasks[2]), (Counts{.leaves = 8, .spines = 8, .ports = 32}));
  EXPECT_THAT(tasks[3].reason, HasSubstr("follow from topology.radix"));
}

// Of radix 4 and three tiers the whole tree has 16 hosts, and half as many with two leaves for each rack. Radix 6 has
// pods of three leaves, which are no whole racks; of radix 8 two pods of two racks are used.
TEST(FailureVariants, AFullTreeIsBuiltOfLargerSwitches) {
  for (const char* const hosts : {"hosts = 16\n", ""}) {
    const std::vector<FailureTask> tasks =
        tasks_of(fmt::format("kind = \"fat-tree\"\ntiers = 3\nradix = 4\n{}", hosts));
    ASSERT_EQ(tasks.size(), 4U);
    EXPECT_EQ(tasks[1].reason, "");
    EXPECT_EQ(tasks[1].scenario.topology.radix, 8);
    EXPECT_EQ(counts_of(tasks[1]), (Counts{.leaves = 8, .spines = 8, .ports = 32}));
    EXPECT_EQ(tasks[2].scenario.topology.radix, 4);
    EXPECT_EQ(counts_of(tasks[2]), (Counts{.leaves = 16, .spines = 16, .ports = 32}));
  }
}

// Four leaves of radix 8 under two spines with two cables to each; racks of two leaves need four spines with one.
TEST(FailureVariants, ATreeOfBundledCablesHasFewerOfThemSideBySide) {
  const std::vector<FailureTask> tasks = tasks_of(std::string(kTree) + "parallel_links = 2\n");
  ASSERT_EQ(tasks.size(), 4U);
  EXPECT_EQ(tasks[1].reason, "");
  EXPECT_EQ(tasks[1].scenario.topology.radix, 8);
  EXPECT_EQ(tasks[1].scenario.topology.parallel_links, 1);
  EXPECT_EQ(counts_of(tasks[1]), (Counts{.leaves = 8, .spines = 4, .ports = 32}));
  EXPECT_EQ(tasks[2].scenario.topology.parallel_links, 2);
}

TEST(FailureVariants, PortsOfInfiniBandDoNotStandInForOneAnother) {
  const std::vector<FailureTask> tasks = tasks_of(kLeafSpine, "infiniband");
  ASSERT_EQ(tasks.size(), 4U);
  EXPECT_THAT(tasks[1].reason, HasSubstr("LIDs of their own"));
  EXPECT_EQ(tasks[3].reason, "");
}

TEST(FailureVariants, ASecondPortSavesTheJobFromCablesAndLeaves) {
  constexpr std::size_t kDualTor = 1;
  constexpr std::size_t kPlanes = 2;
  for (const auto& [topology, variant] : {std::pair{kLeafSpine, kPlanes}, std::pair{kTree, kDualTor}}) {
    const std::vector<FailureTask> tasks = tasks_of(topology);
    for (const std::size_t i : {std::size_t{0}, variant}) {
      const auto studied = study_failures(tasks[i], {.runs_job = false, .months = 2}, [](const auto&) { return true; });
      ASSERT_TRUE(studied);
      std::map<std::string, failures::FailureOutcome> outcomes;
      for (const failures::FailureOutcome& outcome : studied->outcomes) {
        outcomes.emplace(outcome.kind, outcome);
      }
      for (const char* const kind : {"host-link", "leaf"}) {
        ASSERT_TRUE(outcomes.contains(kind)) << tasks[i].name;
        const failures::FailureOutcome& outcome = outcomes.at(kind);
        EXPECT_TRUE(outcome.known) << tasks[i].name << ", " << kind << ": " << outcome.reason;
        EXPECT_EQ(outcome.lost, i == 0) << tasks[i].name << ", " << kind;
        if (!outcome.lost) {
          EXPECT_LT(outcome.speed, 0.75) << tasks[i].name << ", " << kind;
        }
      }
      // Of a flapping link one turn of sixty seconds is run; each has a stall.
      const failures::FailureOutcome& flapping = outcomes.at("flapping");
      EXPECT_GT(flapping.stall, 0) << tasks[i].name;
      EXPECT_LE(flapping.speed, 1 - flapping.stall / 60) << tasks[i].name;
    }
  }
}

}  // namespace
}  // namespace weft::study::compare
