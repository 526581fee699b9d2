#include "study/run/flow_run.h"

#include <gtest/gtest.h>

#include "study/run/flow_probe.h"
#include "study/run/flow_simulation.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

scenario::Scenario parse(std::string_view more) {
  auto parsed =
      scenario::parse_scenario(fmt::format("fidelity = \"flow\"\n[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = "
                                           "\"single-switch\"\n{}",
                                           more),
                               {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *parsed;
}

Duration time_of(const FlowRun& run) { return run.results.run.ended_at.since_start(); }

struct LastEnd final : workload::MessageSink {
  void on_message(const workload::MessageRecord&) override {}
  void on_collective(const workload::CollectiveRecord& record) override { end = later(end, record.finished); }
  Time end;
};

TEST(FlowRun, ARingContinuedFromAFewStepsTakesTheTimeOfAll) {
  const scenario::Scenario scenario =
      parse("hosts = 48\n[[traffic]]\nkind = \"collective\"\nsize = \"25165828 B\"\nalgorithm = \"ring\"\ncount = 2\n");
  const auto sampled = run_as_flows(scenario, {});
  ASSERT_TRUE(sampled) << sampled.error().message;
  EXPECT_NE(sampled->sampled.find("all 47"), std::string::npos) << sampled->sampled;
  LastEnd whole;
  const auto simulation = FlowSimulation::create(scenario, whole, {});
  ASSERT_TRUE(simulation);
  ASSERT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
  EXPECT_NEAR(time_of(*sampled).seconds() / whole.end.since_start().seconds(), 1, 0.002);
}

TEST(FlowRun, ALongRingWhoseStepsRepeatIsNeitherSampledNorRunWhole) {
  const auto ran = run_as_flows(
      parse("hosts = 64\n[[traffic]]\nkind = \"collective\"\nsize = \"32 MiB\"\nalgorithm = \"ring\"\n"), {});
  ASSERT_TRUE(ran);
  EXPECT_NE(ran->sampled.find("repeated"), std::string::npos) << ran->sampled;
  EXPECT_EQ(ran->results.collectives.size(), 64U);
  EXPECT_LT(ran->results.messages.size(), 64U * 126 / 2);
  EXPECT_EQ(ran->scale_out,
            Bytes(std::int64_t{2} * 63 * (32 << 20)));  // 63/64 of the vector, by 64 ranks, in each pass
}

TEST(FlowRun, AShortRingIsRunWhole) {
  const auto ran = run_as_flows(
      parse("hosts = 8\n[[traffic]]\nkind = \"collective\"\nsize = \"1 MiB\"\nalgorithm = \"ring\"\n"), {});
  ASSERT_TRUE(ran);
  EXPECT_TRUE(ran->sampled.empty());
  EXPECT_EQ(ran->results.collectives.size(), 8U);
  EXPECT_EQ(ran->results.run.fidelity, "flow");
}

TEST(FlowProbe, MeasuresTheErrorAgainstPackets) {
  const scenario::Scenario scenario = parse("hosts = 16\n[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\n");
  const auto ran = run_as_flows(scenario, {});
  ASSERT_TRUE(ran);
  const FlowCheck check = probe_flow_level(scenario, *ran, [] { return true; });
  ASSERT_TRUE(check.error) << check.what;
  EXPECT_NEAR(*check.error, 0, 0.02);
  EXPECT_NE(check.what.find("16 messages of 1 probe"), std::string::npos) << check.what;
}

// Messages behind a jump have the numbers of earlier ones.
TEST(FlowProbe, OfARingWhoseRoundsRepeatWhatWentBeforeTheJumpIsCompared) {
  const scenario::Scenario scenario =
      parse("hosts = 64\n[[traffic]]\nkind = \"collective\"\nsize = \"16 MiB\"\nalgorithm = \"ring\"\n");
  const auto ran = run_as_flows(scenario, {});
  ASSERT_TRUE(ran);
  ASSERT_FALSE(ran->first_jump.is_never()) << ran->sampled;
  const FlowCheck check = probe_flow_level(scenario, *ran, [] { return true; });
  ASSERT_TRUE(check.error) << check.what;
  EXPECT_NEAR(*check.error, 0, 0.02);
  EXPECT_NE(check.what.find("the beginning of the run"), std::string::npos) << check.what;
}

TEST(FlowProbe, ResultsThatAreOffHaveTheirError) {
  const scenario::Scenario scenario = parse("hosts = 16\n[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\n");
  auto ran = run_as_flows(scenario, {});
  ASSERT_TRUE(ran);
  for (results::MessageRow& row : ran->results.messages) {
    row.record.finished = row.record.posted + (row.record.finished - row.record.posted) * 2;
  }
  const FlowCheck check = probe_flow_level(scenario, *ran, [] { return true; });
  ASSERT_TRUE(check.error) << check.what;
  EXPECT_NEAR(*check.error, 1, 0.04);
}

TEST(FlowProbe, SaysWhyNothingWasMeasured) {
  const scenario::Scenario scenario =
      parse("hosts = 4\n[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\n[flow]\nprobes = 0\n");
  const FlowCheck check = probe_flow_level(scenario, {}, [] { return true; });
  EXPECT_FALSE(check.error);
  EXPECT_EQ(check.what, "flow.probes is 0");
}

}  // namespace
}  // namespace weft::study::run
