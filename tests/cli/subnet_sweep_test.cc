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

TEST(SubnetSweep, RefusesWrongInputWithOneLine) {
  for (const auto& [options, says] :
       {std::pair("--fail Leaf9[1]", "--fail: no node is called 'Leaf9'"),
        std::pair("--fail Leaf1[7]", "Leaf1 has no port 7"), std::pair("--engine minhob", "--engine: "),
        std::pair("--agent-time fast", "--agent-time: "), std::pair("--timeout 0s", "--timeout: "),
        std::pair("--conf /nowhere.conf", "/nowhere.conf"), std::pair("--smps 0", "--smps")}) {
    const Outcome outcome = run_weft("subnet sweep " + kNetwork + " " + options);
    EXPECT_EQ(outcome.exit_status, 2) << options;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << options;
  }
}

}  // namespace
}  // namespace weft::test
