#include "study/run/flow_calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/run/calibration_worlds.h"
#include "study/run/flow_corrections_file.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

using testing::HasSubstr;

scenario::Scenario parse_with(std::string_view family, std::vector<std::string> settings = {}) {
  auto parsed = scenario::parse_scenario(
      fmt::format("[fabric]\nfamily = \"{}\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\n", family),
      {.file = "test.toml", .case_name = {}, .settings = std::move(settings)}, scenario::test_catalogue());
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *parsed;
}

const FittedCorrection& find(const FlowCalibration& calibration, std::string_view what) {
  const auto found = std::ranges::find(calibration.fitted, what, &FittedCorrection::what);
  WEFT_ASSERT(found != calibration.fitted.end());
  return *found;
}

Result<FlowCalibration> calibrate(const scenario::Scenario& scenario) {
  return calibrate_flow_level(scenario, [] { return true; });
}

// Nothing slows senders down, so a queue is what they have sent: one value explains all runs.
TEST(FlowCalibration, QueuesWithoutCongestionControlAreExplained) {
  const auto made = calibrate(parse_with("rocev2", {"congestion_control.algorithm=none"}));
  ASSERT_TRUE(made) << made.error().message;
  const FittedCorrection& queues = find(*made, "queues");
  EXPECT_TRUE(queues.kept);
  EXPECT_GT(queues.before, 1);
  EXPECT_LT(queues.after, 0.05);
  EXPECT_EQ(made->corrections.start_window, Bytes::zero()) << "RDMA has no slow start";
}

// An input waits for its turn, not for what other inputs hold: a packet of each.
TEST(FlowCalibration, AFlowOfInfiniBandHasAPacketInTheQueueOfAnOutputEachTime) {
  const scenario::Scenario scenario = parse_with("infiniband");
  const auto made = calibrate(scenario);
  ASSERT_TRUE(made) << made.error().message;
  const auto again = calibrate(scenario);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(corrections_text(scenario, *made, "v"), corrections_text(scenario, *again, "v"));
  EXPECT_LE(made->corrections.flow_backlog, 8_kib);
  EXPECT_LT(find(*made, "queues").after, 0.05);
}

TEST(FlowCalibration, AStreamStartsWithItsInitialWindow) {
  const auto made = calibrate(parse_with("tcp"));
  ASSERT_TRUE(made) << made.error().message;
  const FittedCorrection& start = find(*made, "start of streams");
  EXPECT_TRUE(start.kept);
  EXPECT_LT(start.after, 0.05);
  EXPECT_DOUBLE_EQ(made->corrections.window_growth, 2) << "slow start";
}

TEST(FlowCorrectionsFile, IsReadAsItWasWritten) {
  const scenario::Scenario scenario = parse_with("tcp");
  const FlowCalibration made{.corrections = {.flow_backlog = 100_kb,
                                             .link_backlog = 2_mb,
                                             .answer_wait = 0.25,
                                             .start_window = Bytes(14'600),
                                             .window_growth = 1.5}};
  const auto read = read_corrections({.text = corrections_text(scenario, made, "v"), .name = "c.toml"}, scenario);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, made.corrections);
}

TEST(FlowCorrectionsFile, NamesTheKeyThatIsAnother) {
  const std::string text = corrections_text(parse_with("rocev2"), {}, "v");
  const auto other = read_corrections({.text = text, .name = "c.toml"}, parse_with("rocev2", {"fabric.mtu=1024"}));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("c.toml: made for other devices or settings: fabric.mtu is 4096 there"));
  EXPECT_TRUE(read_corrections({.text = text, .name = "c.toml"}, parse_with("rocev2", {"topology.hosts=9", "seed=5"})))
      << "topology and seed are not the devices'";
}

TEST(FlowCorrectionsFile, ValuesOutOfRangeAreRefused) {
  const scenario::Scenario scenario = parse_with("rocev2");
  std::string text = corrections_text(scenario, {}, "v");
  const std::string growth = "window_growth = 2.000000";
  ASSERT_NE(text.find(growth), std::string::npos) << text;
  text.replace(text.find(growth), growth.size(), "window_growth = 0.500000");
  const auto read = read_corrections({.text = text, .name = "c.toml"}, scenario);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("window_growth above 1"));
}

TEST(FlowCorrectionsFile, OverridesAreRefused) {
  scenario::Scenario scenario = parse_with("rocev2");
  scenario.overrides.push_back({.select = "leaf0"});
  EXPECT_FALSE(calibrate(scenario));
  EXPECT_FALSE(read_corrections({.text = corrections_text(scenario, {}, "v"), .name = "c.toml"}, scenario));
}

}  // namespace
}  // namespace weft::study::run
