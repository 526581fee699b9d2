#include "study/run/level_choice.h"

#include <gtest/gtest.h>

#include "study/assembly/build_topology.h"
#include "study/run/run_estimate.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

scenario::Scenario parse(std::string_view more) {
  auto parsed = scenario::parse_scenario(
      fmt::format("[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"single-switch\"\nhosts = 16\n{}", more),
      {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *parsed;
}

constexpr std::string_view kJob =
    "gpus_per_host = 1\n[[job]]\nname = \"llm\"\nmodel = \"llama3-8b\"\ngpus = 16\npp = 2\n";

/// At one packet-hop in a second, so that the budget is a number of packet-hops.
LevelChoice chosen(const scenario::Scenario& scenario, double hops) {
  const auto graph = assembly::build_topology(scenario);
  EXPECT_TRUE(graph);
  const auto choice = choose_level(scenario, *graph, {.seconds = hops, .hops_per_second = 1});
  EXPECT_TRUE(choice) << choice.error().message;
  return *choice;
}

double hops_of(const scenario::Scenario& scenario) {
  const auto graph = assembly::build_topology(scenario);
  return estimate_hops(scenario, *graph)->most;
}

TEST(LevelChoice, IsTheFirstThatFits) {
  const scenario::Scenario scenario = parse(kJob);
  const double packets = hops_of(at_level(scenario, Level::kPacket));
  const double composed = hops_of(at_level(scenario, Level::kComposed));
  ASSERT_LT(composed, packets / 4);
  EXPECT_EQ(chosen(scenario, packets).level, Level::kPacket);
  EXPECT_EQ(chosen(scenario, packets / 2).level, Level::kComposed);
  const LevelChoice flows = chosen(scenario, composed / 2);
  EXPECT_EQ(flows.level, Level::kFlow);
  EXPECT_NE(flows.why.find("composed steps"), std::string::npos) << flows.why;
}

TEST(LevelChoice, TrafficHasNoComposedLevel) {
  const scenario::Scenario scenario = parse("[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\n");
  const double packets = hops_of(scenario);
  EXPECT_EQ(chosen(scenario, packets).level, Level::kPacket);
  EXPECT_EQ(chosen(scenario, packets / 2).level, Level::kFlow);
}

TEST(LevelChoice, WithoutAFlowLevelTheOneAboveIsLeft) {
  const scenario::Scenario scenario = parse(std::string(kJob) + "[reduction]\nenabled = true\n");
  const LevelChoice choice = chosen(scenario, 1);
  EXPECT_EQ(choice.level, Level::kComposed);
  EXPECT_NE(choice.why.find("flows are not possible"), std::string::npos) << choice.why;
}

TEST(LevelChoice, SetsBothKeys) {
  const scenario::Scenario flows = at_level(parse(kJob), Level::kFlow);
  EXPECT_EQ(flows.fidelity, scenario::Fidelity::kFlow);
  EXPECT_EQ(flows.jobs.front().training.fidelity, scenario::StepFidelity::kComposed);
  const scenario::Scenario packets = at_level(flows, Level::kPacket);
  EXPECT_EQ(packets.fidelity, scenario::Fidelity::kPacket);
  EXPECT_EQ(packets.jobs.front().training.fidelity, scenario::StepFidelity::kPacket);
}

}  // namespace
}  // namespace weft::study::run
