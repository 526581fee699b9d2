// `weft subnet sweep` as a user meets it: its text, its JSON, and what it says of wrong input.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;

const std::string kNetwork = std::string(test_data_dir()) + "/opensm/fat_4x2x4.net";
const std::string kScenario = (std::filesystem::path(test_data_dir()) / "../../examples/subnet/torus.toml").string();

nlohmann::json swept(const std::string& options) {
  const Outcome outcome = run_weft("subnet sweep " + options + " --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  return outcome.exit_status == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
}

TEST(SubnetSweep, AsksWhatOpensmAsksAndLeavesItsTables) {
  const nlohmann::json document = swept(kNetwork);
  EXPECT_EQ(document["bring_up"]["requests"], 396);
  EXPECT_EQ(document["bring_up"]["attributes"]["PortInfo"]["set"], 166);
  EXPECT_EQ(document["light"]["requests"], 6);
  EXPECT_EQ(document["as_routed"], true);
  EXPECT_GE(document["bring_up"]["time_s"], document["bound_s"]);
}

TEST(SubnetSweep, SaysWhenTheLastBlockIsWrittenAfterAFailure) {
  const nlohmann::json document = swept(kNetwork + " --fail Leaf2[5] --fail Spine1");
  ASSERT_EQ(document["failures"].size(), 2U);
  EXPECT_EQ(document["failures"][0]["blocks"], 5);
  EXPECT_LT(document["failures"][0]["noticed_s"], document["failures"][0]["mended_s"]);
  EXPECT_EQ(document["failures"][1]["as_routed"], true);
}

// As OpenSM: six blocks in one sweep for both, where discovery has begun anew.
TEST(SubnetSweep, OneSweepMendsWhatFailsWhileItDiscovers) {
  const nlohmann::json document = swept(kNetwork + " --fail Leaf2[5] --fail Leaf3[6] --fail-interval 200us");
  ASSERT_EQ(document["failures"].size(), 2U);
  EXPECT_EQ(document["failures"][0]["blocks"], 6);
  EXPECT_EQ(document["failures"][1]["blocks"], 6);
  EXPECT_EQ(document["failures"][1]["as_routed"], true);
  EXPECT_NEAR(document["failures"][0]["mended_s"].get<double>() - document["failures"][1]["mended_s"].get<double>(),
              200e-6, 1e-9);
}

TEST(SubnetSweep, HandsOverToALaterManagerOfAHigherPriority) {
  const nlohmann::json higher = swept(kNetwork + " --later H7 --later-priority 3")["later"];
  EXPECT_EQ(higher["node"], "H7");
  EXPECT_EQ(higher["as_routed"], true);
  EXPECT_LT(higher["handed_over_s"], higher["up_s"]);
  const nlohmann::json equal = swept(kNetwork + " --later H7 --later-priority 0")["later"];
  EXPECT_TRUE(equal["stands_by_s"].is_number());
  EXPECT_TRUE(equal["up_s"].is_null());
}

TEST(SubnetSweep, NamesPortsOfAScenarioAsItDoes) {
  const Outcome outcome = run_weft("subnet sweep " + kScenario + " --engine dor --fail switch0/port2");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("routed by dor"));
  EXPECT_THAT(outcome.out, HasSubstr("switch0/port2"));
}

TEST(SubnetSweep, TakesLongerWithSlowerAgents) {
  const nlohmann::json fast = swept(kNetwork + " --agent-time 10us");
  const nlohmann::json slow = swept(kNetwork + " --agent-time 1ms");
  EXPECT_LT(fast["bring_up"]["time_s"], slow["bring_up"]["time_s"]);
}

TEST(SubnetSweep, HasTheTimesOfTheScenarioUnlessOptionsGiveOthers) {
  const std::string scenario =
      kScenario + " --set \"subnet.switch_sma_time=30 us\" --set \"subnet.manager_time=7 us\" --set subnet.retries=5";
  const nlohmann::json own = swept(scenario);
  EXPECT_DOUBLE_EQ(own["switch_sma_s"].get<double>(), 30e-6);
  EXPECT_DOUBLE_EQ(own["hca_sma_s"].get<double>(), 20e-6);
  EXPECT_DOUBLE_EQ(own["mad_s"].get<double>(), 7e-6);
  EXPECT_EQ(own["retries"], 5);
  const nlohmann::json other = swept(scenario + " --agent-time 40us --hca-sma-time 50us --retries 2");
  EXPECT_DOUBLE_EQ(other["switch_sma_s"].get<double>(), 40e-6);
  EXPECT_DOUBLE_EQ(other["hca_sma_s"].get<double>(), 50e-6);
  EXPECT_DOUBLE_EQ(other["mad_s"].get<double>(), 7e-6);
  EXPECT_EQ(other["retries"], 2);
}

TEST(SubnetSweep, RefusesWrongInputWithOneLine) {
  for (const auto& [options, says] :
       {std::pair("--fail Leaf9[1]", "--fail: no node is called 'Leaf9'"),
        std::pair("--fail Leaf1[7]", "Leaf1 has no port 7"), std::pair("--engine minhob", "--engine: "),
        std::pair("--later H99", "--later: "), std::pair("--later H1", "name another node"),
        std::pair("--fail Leaf1[1] --fail-interval 1s", "give --fail twice"),
        std::pair("--fail Leaf1[1] --fail Leaf1[2] --fail-interval soon", "--fail-interval: "),
        std::pair("--agent-time fast", "--agent-time: "), std::pair("--timeout 0s", "--timeout: "),
        std::pair("--conf /nowhere.conf", "/nowhere.conf"), std::pair("--smps 0", "--smps")}) {
    const Outcome outcome = run_weft("subnet sweep " + kNetwork + " " + options);
    EXPECT_EQ(outcome.exit_status, 2) << options;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << options;
  }
}

}  // namespace
}  // namespace weft::test
