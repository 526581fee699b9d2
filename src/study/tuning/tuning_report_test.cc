#include "study/tuning/tuning_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "study/build_topology.h"
#include "study/scenario_test_support.h"
#include "study/tuning/tuning_text.h"

namespace weft::study {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TuningReport report_of(std::string_view more) {
  const auto scenario = scenario_with(more);
  EXPECT_TRUE(scenario.has_value()) << message_of(scenario);
  const auto graph = build_topology(*scenario);
  EXPECT_TRUE(graph.has_value());
  auto report = tuning_report(*scenario, *graph);
  EXPECT_TRUE(report.has_value());
  return report ? *report : TuningReport{};
}

std::string at_rate(int gbps) {
  return fmt::format("[link]\nrate = \"{0} Gbps\"\n[switch]\nport_rate = \"{0} Gbps\"\n[nic]\nport_rate = \"{0} Gbps\"\n",
                     gbps);
}

TEST(TuningReport, TheTunedFamilyContradictsNothingAtAnyRate) {
  for (const int gbps : {100, 200, 400, 800}) {
    EXPECT_THAT(report_of(at_rate(gbps)).warnings, IsEmpty()) << gbps;
  }
}

TEST(TuningReport, MarksComeBeforePausesInTheTunedFamily) {
  const TuningReport report = report_of(at_rate(400));
  ASSERT_EQ(report.ports.size(), 1U);
  const PortTuning& port = report.ports.front();
  ASSERT_TRUE(port.pause && port.mark && port.mark->before_pause);
  EXPECT_LT(port.mark->kmin, *port.mark->before_pause);
  EXPECT_LT(port.mark->kmax, port.pause->threshold);
}

TEST(TuningReport, FirmwareDefaultsAreStepsAndThresholdsOfALowerRateAt400) {
  const TuningReport report = report_of(at_rate(400) + "fabric.tuning = \"defaults\"\n");
  EXPECT_THAT(report.warnings, Contains(HasSubstr("additive steps of 5 Mbps")));
}

TEST(TuningReport, HeadroomForAShorterCableIsNamed) {
  const TuningReport report =
      report_of(at_rate(400) + "link.length = \"300 m\"\nethernet.priority.3.headroom = \"40 kB\"\n");
  EXPECT_THAT(report.warnings, Contains(HasSubstr("headroom of 40 kB is less than")));
  ASSERT_TRUE(report.ports.front().pause);
  EXPECT_GT(report.ports.front().pause->headroom_needed, report.ports.front().pause->headroom);
}

TEST(TuningReport, ThresholdsAboveThePauseAreNamed) {
  const TuningReport report =
      report_of(at_rate(100) + "switch.buffer = \"4 MB\"\nethernet.priority.3.alpha = \"1/16\"\n");
  EXPECT_THAT(report.warnings, Contains(HasSubstr("pauses before it marks")));
}

TEST(TuningReport, AWindowBelowTheBandwidthDelayProductIsNamed) {
  EXPECT_THAT(report_of(at_rate(400) + "congestion_control.window = \"0.5 BDP\"\n").warnings,
              Not(Contains(HasSubstr("of the line"))))
      << "0.5 BDP and what an acknowledgement covers";
  EXPECT_THAT(report_of(at_rate(400) + "congestion_control.window = \"4 KiB\"\n").warnings,
              Contains(HasSubstr("a window of 4 KiB")));
}

TEST(TuningReport, DcqcnWithoutMarksIsNamed) {
  EXPECT_THAT(report_of("ethernet.priority.3.ecn = false\n").warnings, Contains(HasSubstr("DCQCN without marks")));
}

TEST(TuningReport, InfinibandHasCreditsInPlaceOfPauses) {
  ScenarioRequest request;
  request.settings = {"fabric.family=infiniband"};
  const auto scenario = scenario_with("", request);
  ASSERT_TRUE(scenario.has_value()) << message_of(scenario);
  const auto report = tuning_report(*scenario, *build_topology(*scenario));
  ASSERT_TRUE(report.has_value());
  ASSERT_FALSE(report->ports.empty());
  EXPECT_FALSE(report->ports.front().pause);
  EXPECT_GE(*report->ports.front().credits, *report->ports.front().credits_needed);
}

TEST(TuningReport, TextAndJsonSayTheSame) {
  const TuningReport report = report_of(at_rate(400));
  EXPECT_THAT(tuning_text(report), HasSubstr("BDP = rate x round trip"));
  const auto json = tuning_json(report);
  EXPECT_EQ(json.at("ports").at(0).at("bdp_bytes"), report.ports.front().bdp.count());
  EXPECT_EQ(json.at("senders").at(0).at("queues").size(), 3U);
}

}  // namespace
}  // namespace weft::study
