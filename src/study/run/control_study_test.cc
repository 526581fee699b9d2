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

/// The defect: the subnet manager mended what BGP never saw.
TEST(ControlStudy, EventsAfterTheStopAreLeftOutOfBothAndNamed) {
  const auto study_with = [](const std::string& stop) {
    const auto scenario = scenario_of(stop + network(""));
    EXPECT_TRUE(scenario.has_value()) << (scenario ? "" : scenario.error().message);
    return study_control(*scenario, [](Time) { return true; }).value();
  };
  const ControlStudy stopped = study_with("stop = \"5 ms\"\n");  // the event is at 10 ms
  EXPECT_TRUE(stopped.results.control_events.empty());
  EXPECT_TRUE(stopped.manager.events.empty());
  EXPECT_EQ(stopped.after_stop, std::vector<Time>{Time::zero() + 10_ms});
  EXPECT_NE(control_text(stopped).find("link events at 10 ms: they come after the scenario's stop, 5 ms"),
            std::string::npos)
      << control_text(stopped);
  EXPECT_EQ(control_study_json(stopped)["after_stop_s"].dump(), "[0.01]");
  for (const char* const stop : {"", "stop = \"10 ms\"\n", "stop = \"20 ms\"\n"}) {
    const ControlStudy study = study_with(stop);
    EXPECT_EQ(study.results.control_events.size(), 1U) << stop;
    EXPECT_EQ(study.manager.events.size(), 1U) << stop;
    EXPECT_TRUE(study.after_stop.empty()) << stop;
  }
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

/// Four leaves, two spines and 16 hosts: what OpenSM 3.3.23 asked a network of that shape (docs/decisions/0070).
constexpr std::uint64_t kOpensmRequests = 396;

ManagerStudy manager_of(const std::vector<std::string>& settings, const std::string& events) {
  const std::string text =
      "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 16\nhosts_per_leaf = 4\nspines = "
      "2\n[[traffic]]\nkind = \"permutation\"\nsize = \"64 KiB\"\n" +
      events + "[control]\nkind = \"bgp\"\nlldp = false\n";
  const auto scenario = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = settings},
                                                 scenario::test_catalogue());
  EXPECT_TRUE(scenario.has_value()) << (scenario ? "" : scenario.error().message);
  auto study = study_control(*scenario, [](Time) { return true; });
  EXPECT_TRUE(study.has_value()) << (study ? "" : study.error().message);
  return std::move(study->manager);
}

constexpr const char* kFailAndReturn =
    "[[event]]\nat = \"10 ms\"\nselect = \"leaf0/port4\"\naction = \"fail\"\n[[event]]\nat = \"2 s\"\nselect = "
    "\"leaf0/port4\"\naction = \"restore\"\n";

TEST(ManagerStudy, AsksWhatOpensmAsks) {
  const ManagerStudy study = manager_of({}, "");
  EXPECT_EQ(study.error, "");
  EXPECT_EQ(study.subnets, 1U);
  EXPECT_EQ(study.requests, kOpensmRequests);
  EXPECT_TRUE(study.events.empty());
}

TEST(ManagerStudy, MendsTablesAfterACableHasFailedAndReturned) {
  const ManagerStudy study = manager_of({"subnet.trap_time=3 ms", "subnet.sweep_interval=7 s"}, kFailAndReturn);
  ASSERT_EQ(study.events.size(), 2U);
  for (const ManagerEvent& event : study.events) {
    EXPECT_EQ(event.links, 1U);
    ASSERT_TRUE(event.noticed && event.mended && event.ended && event.without_trap);
    EXPECT_GT(*event.noticed, 3_ms);
    EXPECT_LT(*event.noticed, 4_ms);  // a trap by way of a spine at most
    EXPECT_LT(*event.noticed, *event.mended);
    EXPECT_LT(*event.mended, *event.ended);
    EXPECT_GE(event.blocks, 1U);
    EXPECT_GT(*event.without_trap, 7_s + (*event.mended - *event.noticed));
    EXPECT_GE(event.sweeps, 1U);
    EXPECT_EQ(event.error, "");
  }
  EXPECT_FALSE(study.events[0].is_return);
  EXPECT_TRUE(study.events[1].is_return);
}

TEST(ManagerStudy, TakesLongerWithSlowerAgentsAndFewerRequestsAtOnce) {
  const Duration usual = manager_of({}, "").bring_up;
  const auto requests = static_cast<std::int64_t>(kOpensmRequests);
  EXPECT_GE(manager_of({"subnet.smps_on_wire=1"}, "").bring_up, 20_us * requests);
  EXPECT_GT(manager_of({"subnet.switch_sma_time=200 us", "subnet.hca_sma_time=200 us"}, "").bring_up, usual * 3);
  // Six switches, whose tables have 22 LIDs.
  EXPECT_EQ(manager_of({"subnet.route_time=10100 ns"}, "").bring_up - usual, 10_us * (6 * 22));
}

TEST(ManagerStudy, ACableToTheManagersOwnHostIsNotNoticed) {
  const ManagerStudy study = manager_of({}, "[[event]]\nat = \"10 ms\"\nselect = \"leaf0/port0\"\naction = \"fail\"\n");
  ASSERT_EQ(study.events.size(), 1U);
  EXPECT_TRUE(!study.error.empty() || !study.events[0].mended);
  EXPECT_EQ(study.error, "");  // the network came up
  EXPECT_EQ(study.requests, kOpensmRequests);
  EXPECT_NE(study.events[0].error, "");
}

}  // namespace
}  // namespace weft::study::run
