#include "study/compare/misconfigurations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>

#include "study/compare/fabric_choice.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::compare {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kData = 3;  // priority of the data

scenario::Scenario network(const std::string& name) {
  const std::vector<std::string> names = {name};
  const auto chosen = choose_fabrics(names, {}, scenario::test_catalogue());
  EXPECT_TRUE(chosen.has_value()) << (chosen ? "" : chosen.error().message);
  scenario::ScenarioRequest request{.file = "test.toml", .case_name = {}, .settings = chosen->front().settings};
  request.settings.insert(request.settings.end(), {"topology.kind=leaf-spine", "topology.hosts=4",
                                                   "topology.hosts_per_leaf=2", "topology.spines=2"});
  const auto scenario = scenario::parse_scenario(scenario::kSmallScenario, request, scenario::test_catalogue());
  EXPECT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  return scenario ? *scenario : scenario::Scenario{};
}

std::vector<Misconfiguration> mistakes(const std::string& name) {
  const auto made = misconfigurations_of(network(name));
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  return made ? *made : std::vector<Misconfiguration>();
}

const Misconfiguration& named(const std::vector<Misconfiguration>& made, const std::string& name) {
  const auto found = std::ranges::find(made, name, &Misconfiguration::name);
  EXPECT_NE(found, made.end()) << name;
  return found == made.end() ? made.front() : *found;
}

TEST(MisSettings, AreOfOneSettingOrAreNone) {
  const auto made = mistakes("rocev2");
  EXPECT_EQ(named(made, "ECN thresholds too high").of, "ECN thresholds");
  EXPECT_EQ(named(made, "ECN thresholds too low").of, "ECN thresholds");
  EXPECT_EQ(named(made, "small packets").of, "small packets");
  EXPECT_TRUE(named(made, "a link to a NIC degraded").fault);
  EXPECT_EQ(named(made, "a link to a NIC degraded").of, "");
  for (const Misconfiguration& mistake : made) {
    const bool pair = mistake.name.find(", and ") != std::string::npos;
    EXPECT_EQ(mistake.of.empty(), pair || mistake.fault) << mistake.name;
    EXPECT_EQ(mistake.fault, mistake.name.find("degraded") != std::string::npos) << mistake.name;
  }
}

/// The defect: a length of headroom was compared with a time of a cable.
TEST(MisSettings, NameBothCablesByTheirDelay) {
  EXPECT_THAT(named(mistakes("rocev2"), "headroom for a shorter cable").change,
              HasSubstr("for a cable of 1 m (5 ns) and a NIC with no pause response time, where one has a delay of "));
}

TEST(MisSettings, FollowFromWhatTheFabricDependsOn) {
  const auto names = [](const std::string& fabric) {
    std::vector<std::string> all;
    for (const Misconfiguration& mistake : mistakes(fabric)) {
      all.push_back(mistake.name);
    }
    return all;
  };
  EXPECT_THAT(names("rocev2"), Contains("ECN thresholds too high"));
  EXPECT_THAT(names("rocev2-pfc"), Not(Contains("ECN thresholds too high")));
  EXPECT_THAT(names("rocev2-pfc"), Contains("PFC on the wrong priority"));
  EXPECT_THAT(names("rocev2"), Contains("one host with congestion control off"));
  EXPECT_THAT(names("rocev2-pfc"), Not(Contains("one host with congestion control off")));
  EXPECT_THAT(names("infiniband"), Contains("credits short for the cable"));
  EXPECT_THAT(names("infiniband"), Not(Contains("PFC on the wrong priority")));
  EXPECT_THAT(names("infiniband-ar"), Contains("adaptive routing off"));
  EXPECT_THAT(names("tcp"), Contains("socket buffers too small"));
}

TEST(MisSettings, OneHostWithoutCongestionControlIsThatHostAlone) {
  const std::vector<Misconfiguration> made = mistakes("rocev2");
  const scenario::Scenario& off = named(made, "one host with congestion control off").scenario;
  EXPECT_FALSE(scenario::settings_of_device(off, "host0/nic0").nic.congestion_control);
  EXPECT_TRUE(scenario::settings_of_device(off, "host1/nic0").nic.congestion_control);
}

// Both mistakes of a pair are the single ones, value for value.
TEST(MisSettings, APairMakesBothItsMistakes) {
  const scenario::Scenario right = network("rocev2");
  const std::vector<Misconfiguration> made = mistakes("rocev2");
  const Misconfiguration& alone = named(made, "a link between switches degraded");
  const Misconfiguration& polarised = named(made, "ECMP polarised, and a link between switches degraded");
  EXPECT_TRUE(polarised.scenario.routing.polarised);
  ASSERT_EQ(polarised.scenario.events.size(), 1U);
  EXPECT_EQ(polarised.scenario.events[0].select, alone.scenario.events[0].select);
  EXPECT_EQ(polarised.scenario.events[0].rate, alone.scenario.events[0].rate);
  EXPECT_FALSE(alone.scenario.routing.polarised);

  const Misconfiguration& late = named(made, "ECN thresholds of another rate, and PFC on the wrong priority");
  const auto& once = named(made, "ECN thresholds of another rate").scenario.devices.ethernet.priorities[kData];
  EXPECT_EQ(late.scenario.devices.ethernet.priorities[kData].kmin, once.kmin);
  EXPECT_NE(once.kmin, right.devices.ethernet.priorities[kData].kmin);
  EXPECT_FALSE(late.scenario.devices.ethernet.priorities[kData].lossless);

  const Misconfiguration& slow = named(made, "ECN thresholds too low, and DCQCN recovers slowly");
  EXPECT_EQ(slow.scenario.devices.ethernet.priorities[kData].kmax,
            named(made, "ECN thresholds too low").scenario.devices.ethernet.priorities[kData].kmax);
  EXPECT_EQ(slow.scenario.dcqcn.increase_timer, named(made, "DCQCN recovers slowly").scenario.dcqcn.increase_timer);
}

TEST(MisSettings, EachSaysWhatItChanges) {
  for (const char* fabric : {"rocev2", "rocev2-pfc", "rocev2-spray", "infiniband", "infiniband-ar", "iwarp", "tcp"}) {
    for (const Misconfiguration& mistake : mistakes(fabric)) {
      EXPECT_THAT(mistake.change, Not(IsEmpty())) << fabric << ", " << mistake.name;
    }
  }
  EXPECT_THAT(named(mistakes("rocev2"), "a link to a NIC degraded").change, HasSubstr("at 100 Gbps"));
}

}  // namespace
}  // namespace weft::study::compare
