#include "study/assembly/build_failures.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

using Kind = fabric::LinkEvent::Kind;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kTwoLeaves = R"([fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
hosts = 8
hosts_per_leaf = 4
spines = 4
[link]
rate = "400 Gbps"
[routing]
reroute_delay = "7 us"
[[traffic]]
kind = "permutation"
)";

scenario::Scenario scenario_of(std::string_view more, std::vector<std::string> settings = {}) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = std::move(settings);
  auto made = scenario::parse_scenario(fmt::format("{}{}", kTwoLeaves, more), request, scenario::test_catalogue());
  EXPECT_TRUE(made.has_value()) << scenario::message_of(made);
  return std::move(*made);
}

std::string fault_of(std::string_view more) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  return scenario::message_of(
      scenario::parse_scenario(fmt::format("{}{}", kTwoLeaves, more), request, scenario::test_catalogue()));
}

std::vector<fabric::LinkEvent> events_of(const scenario::Scenario& scenario) {
  const auto graph = build_topology(scenario);
  EXPECT_TRUE(graph.has_value());
  auto events = failure_events(scenario, *graph);
  EXPECT_TRUE(events.has_value()) << (events ? "" : events.error().message);
  return std::move(*events);
}

std::vector<Kind> kinds_of(const std::vector<fabric::LinkEvent>& events) {
  std::vector<Kind> kinds;
  for (const fabric::LinkEvent& event : events) {
    kinds.push_back(event.kind);
  }
  return kinds;
}

Time at(Duration since) { return Time::zero() + since; }

std::string failure(std::string_view kind, std::string_view rest) {
  return fmt::format("[[failure]]\nkind = \"{}\"\n{}\n", kind, rest);
}

TEST(BuildFailures, ALinkGoesDownAndComesBackAfterItsDuration) {
  const auto events =
      events_of(scenario_of(failure("link-down", "select = \"leaf0/port4\"\nat = \"1 ms\"\nduration = \"2 ms\"")));
  ASSERT_THAT(kinds_of(events), ElementsAre(Kind::kFail, Kind::kRestore));
  EXPECT_EQ(events[0].at, at(1_ms));
  EXPECT_EQ(events[1].at, at(3_ms));
  EXPECT_EQ(events[0].reroute_delay, 7_us);
}

TEST(BuildFailures, WithoutADurationItStaysDown) {
  const auto events = events_of(scenario_of(failure("link-down", "select = \"leaf0/port4\"\nat = \"1 ms\"")));
  EXPECT_THAT(kinds_of(events), ElementsAre(Kind::kFail));
}

TEST(BuildFailures, ALinkThatFlapsIsDownForItsPartOfEachPeriod) {
  const auto events = events_of(scenario_of(
      failure("flapping",
              "select = \"leaf0/port4\"\nat = \"1 ms\"\nduration = \"3 ms\"\nperiod = \"1 ms\"\ndown = \"250 us\"")));
  ASSERT_EQ(events.size(), 6U);
  Duration down;
  for (std::size_t i = 0; i < events.size(); i += 2) {
    EXPECT_EQ(events[i].at, at(1_ms + 1_ms * static_cast<std::int64_t>(i / 2)));
    down += events[i + 1].at - events[i].at;
  }
  EXPECT_EQ(down, 3 * 250_us);
}

TEST(BuildFailures, LostLanesLeaveTheirPartOfTheRate) {
  const auto events = events_of(scenario_of(
      failure("degraded-lanes",
              "select = \"leaf0/port4\"\nat = \"1 ms\"\nduration = \"1 ms\"\nwidth = \"25%\"\nbit_error_rate = "
              "1e-9\nfec_latency = \"100 ns\"")));
  ASSERT_THAT(kinds_of(events), ElementsAre(Kind::kDegrade, Kind::kRestore));
  EXPECT_EQ(events[0].rate, 100_gbps);
  EXPECT_EQ(events[0].added_latency, 100_ns);
  EXPECT_GT(events[0].bit_error_rate, Probability::zero());
}

TEST(BuildFailures, ASwitchThatRebootsTakesAllItsLinks) {
  const auto events =
      events_of(scenario_of(failure("switch-reboot", "select = \"spine1\"\nat = \"1 ms\"\nduration = \"2 ms\"")));
  EXPECT_EQ(events.size(), 2U * 2U);
  std::set<std::uint32_t> links;
  for (const fabric::LinkEvent& event : events) {
    links.insert(event.link.value());
  }
  EXPECT_EQ(links.size(), 2U);
}

TEST(BuildFailures, ALinkIsUpAgainOnlyWhenNothingHoldsItDown) {
  const auto events =
      events_of(scenario_of(failure("switch-reboot", "select = \"spine0\"\nat = \"1 ms\"\nduration = \"4 ms\"") +
                            failure("link-down", "select = \"leaf0/port4\"\nat = \"2 ms\"\nduration = \"9 ms\"")));
  std::vector<Time> restored;
  for (const fabric::LinkEvent& event : events) {
    if (event.kind == Kind::kRestore) {
      restored.push_back(event.at);
    }
  }
  EXPECT_THAT(restored, testing::UnorderedElementsAre(at(5_ms), at(11_ms)));
}

TEST(BuildFailures, ALinkThatComesBackIsStillDegraded) {
  const auto events = events_of(scenario_of(
      failure("degraded-lanes", "select = \"leaf0/port4\"\nat = \"1 ms\"\nduration = \"9 ms\"\nwidth = \"50%\"") +
      failure("link-down", "select = \"leaf0/port4\"\nat = \"2 ms\"\nduration = \"1 ms\"")));
  ASSERT_THAT(kinds_of(events),
              ElementsAre(Kind::kDegrade, Kind::kFail, Kind::kRestore, Kind::kDegrade, Kind::kRestore));
  EXPECT_EQ(events[3].rate, 200_gbps);
  EXPECT_EQ(events[3].at, at(3_ms));
}

// Of n components with rate r the number in a time t is Poisson: mean and variance n r t. Of 400 seeds with a mean of
// 8 links x 2 = 16 each the sum is within five standard deviations.
TEST(BuildFailures, DrawnFailuresComeAsOftenAsTheirRateSays) {
  constexpr std::int64_t kSeeds = 400;
  std::size_t events = 0;
  for (std::int64_t seed = 0; seed < kSeeds; ++seed) {
    scenario::Scenario scenario =
        scenario_of("[[failure]]\nkind = \"link-down\"\nfit = 3600000000000000\nduration = \"1 ns\"\n",
                    {"stop=2 ms", fmt::format("seed={}", seed)});
    // 10^15 times 3.6 in 10^9 h: a thousand in a second, so two in 2 ms for each of eight links.
    for (const fabric::LinkEvent& event : events_of(scenario)) {
      events += event.kind == Kind::kFail ? 1 : 0;
    }
  }
  const double expected = kSeeds * 8.0 * 2.0;
  EXPECT_NEAR(static_cast<double>(events), expected, 5 * std::sqrt(expected));
}

TEST(BuildFailures, TheSameSeedDrawsTheSameAndAnotherComponentChangesNothing) {
  const std::string drawn = "[[failure]]\nname = \"a\"\nkind = \"nic-port\"\nfit = 3600000000000000\n";
  const auto spans = [&](const scenario::Scenario& scenario, const char* component) {
    return *failure_spans(scenario, scenario.failures[0], component);
  };
  const auto one = scenario_of(drawn, {"stop=50 ms"});
  const auto two = scenario_of(drawn, {"stop=50 ms", "topology.hosts=12"});
  EXPECT_EQ(spans(one, "host0/nic0/port0-leaf0/port0"), spans(two, "host0/nic0/port0-leaf0/port0"));
  EXPECT_NE(spans(one, "host0/nic0/port0-leaf0/port0"), spans(one, "host1/nic0/port0-leaf0/port1"));
}

TEST(BuildFailures, RoutesLearnOfAFailureOnlyWhenAManagerIsThereAndHasSwept) {
  std::vector<fabric::LinkEvent> events{{.at = at(1_ms), .reroute_delay = 5_ms},
                                        {.at = at(20_ms), .reroute_delay = 5_ms},
                                        {.at = at(90_ms), .reroute_delay = 5_ms}};
  // It dies within the first sweep, and is there again before the last event.
  delay_routes(events, {{.from = at(3_ms), .until = at(60_ms)}});
  EXPECT_EQ(events[0].at + events[0].reroute_delay, at(65_ms));
  EXPECT_EQ(events[1].at + events[1].reroute_delay, at(65_ms));
  EXPECT_EQ(events[2].reroute_delay, 5_ms);
}

TEST(BuildFailures, WhatCannotHappenIsRefusedWithItsPlace) {
  EXPECT_THAT(fault_of(failure("link-down", "select = \"leaf0/port4\"")),
              HasSubstr("set stop at the top of the scenario, or at here"));
  EXPECT_THAT(fault_of(failure("link-down", "at = \"1 ms\"")), HasSubstr("which one fails then? Set select"));
  EXPECT_THAT(fault_of(failure("link-down", "at = \"1 ms\"\nselect = \"leaf0\"\nfit = 5")),
              HasSubstr("failure[0].fit: has no effect with at"));
  EXPECT_THAT(fault_of(failure("flapping",
                               "at = \"1 ms\"\nselect = \"leaf0\"\nduration = \"1 ms\"\nperiod = \"1 "
                               "ms\"\ndown = \"1 ms\"")),
              HasSubstr("it has to be up for a part"));
  EXPECT_THAT(fault_of(failure("subnet-manager", "at = \"1 ms\"")), HasSubstr("is of infiniband"));
  EXPECT_THAT(fault_of(failure("gpu-slow", "at = \"0 s\"\nselect = \"host0/gpu0\"")), HasSubstr("no [[job]] computes"));
  const auto scenario = scenario_of(failure("nic-port", "at = \"1 ms\"\nselect = \"leaf0/port4\""));
  const auto events = failure_events(scenario, *build_topology(scenario));
  ASSERT_FALSE(events.has_value());
  EXPECT_THAT(events.error().message, HasSubstr("'leaf0/port4' selects no NIC port"));
}

}  // namespace
}  // namespace weft::study::assembly
