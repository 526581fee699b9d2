#include "study/run/control_study.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

Result<scenario::Scenario> scenario_of(const std::string& text) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  return scenario::parse_scenario(text, request, scenario::test_catalogue());
}

constexpr std::int64_t kLeaves = 4;

std::string network(const std::string& control, const std::string& traffic = {}) {
  return "seed = 3\n[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 2\n"
         "spines = 2\n[[event]]\nat = \"10 ms\"\nselect = \"leaf0/port2\"\naction = \"fail\"\n[[traffic]]\n" +
         (traffic.empty() ? "kind = \"permutation\"\nsize = \"64 KiB\"\n" : traffic) +
         "[control]\nkind = \"bgp\"\nlldp = false\n" + control;
}

ControlStudy study_of(const std::string& control) {
  const auto scenario = scenario_of(network(control));
  EXPECT_TRUE(scenario.has_value()) << (scenario ? "" : scenario.error().message);
  auto study = study_control(*scenario, [](Time) { return true; });
  EXPECT_TRUE(study.has_value()) << (study ? "" : study.error().message);
  return *std::move(study);
}

/// From a frame's beginning until the next switch has it, with a wire that is idle; generous.
constexpr Duration kHop = Duration::microseconds(5);

TEST(ControlStudy, ConvergesAsTheSumOfItsPartsAndTheTimeOnTheWire) {
  const ControlStudy study =
      study_of("signal_delay = \"1 ms\"\nprocessing_time = \"200 us\"\nfib_time = \"50 us\"\nlocal_repair = false\n");
  ASSERT_EQ(study.results.control_events.size(), 1U);
  const results::ControlEventRow& event = study.results.control_events[0];
  EXPECT_EQ(event.noticed - event.at, 1_ms);
  EXPECT_EQ(event.link, "leaf0/port2 - spine0/port0");
  const Duration last = event.last_entry - event.at;
  EXPECT_GT(last, 1_ms + 200_us + 50_us);
  EXPECT_LE(last, 1_ms + 200_us + 50_us + kHop);
  EXPECT_EQ(study.results.control->established, 2U * (2 * kLeaves - 1));
  EXPECT_TRUE(study.results.control->quiet);
  EXPECT_EQ(study.results.control_destinations[0].black_hole, last);
}

TEST(ControlStudy, WaitsForTheHoldTimerWhereThereIsNoSignal) {
  const ControlStudy study = study_of("loss_of_signal = false\nhold_time = \"3 s\"\n");
  const results::ControlEventRow& event = study.results.control_events[0];
  EXPECT_GE(event.noticed - event.at, 2_s);
  EXPECT_LE(event.noticed - event.at, 3_s + kHop);
  EXPECT_EQ(study.results.control->ended_by_hold_timer, 2U);
}

TEST(ControlStudy, IsTheSameAgainAndInARunWithTraffic) {
  const std::string control = "bfd = true\nbfd_interval = \"1 ms\"\n";
  const auto json = control_study_json(study_of(control));
  EXPECT_EQ(json.dump(), control_study_json(study_of(control)).dump());
  const results::RunResults results =
      results_of(scenario_of(network(control, "kind = \"permutation\"\nsize = \"64 KiB\"\nstart = \"30 ms\"\n")));
  ASSERT_EQ(results.control_events.size(), 1U);
  EXPECT_EQ((results.control_events[0].last_entry - Time::zero()).seconds(),
            json["control"]["events"][0]["last_entry_s"].get<double>());
}

TEST(ControlStudy, AScenarioWithoutControlIsRefused) {
  const auto scenario = scenario_of(
      "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\n[[traffic]]\nkind = "
      "\"permutation\"\nsize = \"1 MiB\"\n");
  const auto study = study_control(*scenario, [](Time) { return true; });
  ASSERT_FALSE(study.has_value());
  EXPECT_NE(study.error().message.find("set control.kind = \"bgp\""), std::string::npos);
}

TEST(ControlRun, PacketsAreLostUntilTheLeafHasNoticedAndMessagesArriveAllTheSame) {
  const results::RunResults results = results_of(scenario_of(
      network("signal_delay = \"200 us\"\n", "kind = \"permutation\"\nsize = \"8 MiB\"\nstart = \"9990 us\"\n")));
  ASSERT_TRUE(results.control.has_value());
  EXPECT_GT(results.control->black_holed + results.control->lost_on_cables, 0U);
  for (const results::MessageRow& message : results.messages) {
    EXPECT_EQ(message.record.status, verbs::WcStatus::kSuccess);
  }
}

TEST(Resweep, TakesTheTimeOfItsRequestsSoManyAtOnce) {
  const auto scenario =
      scenario_of(network("smp_time = \"10 us\"\nsmps_on_wire = 5\nroute_time = \"1 us\"\n"
                          "trap_time = \"3 ms\"\nsweep_interval = \"7 s\"\n"));
  fabric::Graph graph;
  graph.endpoints = 8;
  graph.nodes.resize(8 + 6);
  for (std::size_t i = 8; i < graph.nodes.size(); ++i) {
    graph.nodes[i].ports = 4;
  }
  const ResweepEstimate sum = estimate_resweep(graph, scenario->control);
  EXPECT_EQ(sum.discovery, 24U + 14 + 6 + (24 + 6 + 8));
  EXPECT_EQ(sum.blocks, 6U);
  EXPECT_EQ(sum.entries, 6U * 14);
  EXPECT_EQ(sum.asking, 10_us * ((82 + 4) / 5));
  EXPECT_EQ(sum.writing, 10_us * 2);
  EXPECT_EQ(sum.routing, 84_us);
  EXPECT_EQ(sum.with_trap, 3_ms + sum.asking + sum.routing + sum.writing);
  EXPECT_EQ(sum.without_trap, 7_s + sum.asking + sum.routing + sum.writing);
}

}  // namespace
}  // namespace weft::study::run
