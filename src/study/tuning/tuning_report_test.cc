#include "study/tuning/tuning_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"
#include "study/tuning/tuning_text.h"

namespace weft::study::tuning {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Settings = std::vector<std::string>;

TuningReport report_of(Settings settings) {
  scenario::ScenarioRequest request;
  request.settings = std::move(settings);
  const auto scenario = scenario::scenario_with("", request);
  EXPECT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  const auto graph = assembly::build_topology(*scenario);
  EXPECT_TRUE(graph.has_value());
  auto report = tuning_report(*scenario, *graph);
  EXPECT_TRUE(report.has_value());
  return report ? *report : TuningReport{};
}

/// The small scenario with this rate everywhere, and `more`.
Settings at_rate(int gbps, const Settings& more = {}) {
  Settings all;
  for (const char* key : {"link.rate", "switch.port_rate", "nic.port_rate"}) {
    all.push_back(fmt::format("{}={} Gbps", key, gbps));
  }
  all.insert(all.end(), more.begin(), more.end());
  return all;
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
  const TuningReport report = report_of(at_rate(400, {"fabric.tuning=defaults"}));
  EXPECT_THAT(report.warnings, Contains(HasSubstr("additive steps of 5 Mbps")));
}

TEST(TuningReport, HeadroomForAShorterCableIsNamed) {
  const TuningReport report = report_of(at_rate(400, {"link.length=300 m", "ethernet.priority.3.headroom=40 kB"}));
  EXPECT_THAT(report.warnings, Contains(HasSubstr("headroom of 40 kB is less than")));
  ASSERT_TRUE(report.ports.front().pause);
  EXPECT_GT(report.ports.front().pause->headroom_needed, report.ports.front().pause->headroom);
}

TEST(TuningReport, ASlotSlowerThanTheLineIsNamedWithWhatTheNicThenDoes) {
  const Settings staged = {"host.profile=modern"};
  EXPECT_THAT(report_of(at_rate(400, staged)).warnings, Not(Contains(HasSubstr("PCI Express takes"))));
  EXPECT_THAT(report_of(at_rate(800, staged)).warnings, Contains(HasSubstr("pauses its switch")));
  EXPECT_THAT(report_of(at_rate(800, {"host.profile=modern", "fabric.family=infiniband"})).warnings,
              Contains(HasSubstr("holds back credits")));
  EXPECT_THAT(report_of(at_rate(800, {"host.profile=modern", "ethernet.priority.3.lossless=false"})).warnings,
              Contains(HasSubstr("drops what its receive buffer")));
}

TEST(TuningReport, AHeadroomOfReceiveBuffersForAShorterCableIsNamed) {
  EXPECT_THAT(report_of(at_rate(400, {"host.profile=modern", "host.receive_headroom=20 kB"})).warnings,
              Contains(HasSubstr("host.receive_headroom of 20 kB is less than")));
}

TEST(TuningReport, ThresholdsAboveThePauseAreNamed) {
  const TuningReport report = report_of(at_rate(100, {"switch.buffer=2 MB", "ethernet.priority.3.alpha=1/16"}));
  EXPECT_THAT(report.warnings, Contains(HasSubstr("pauses before it marks")));
}

TEST(TuningReport, AWindowBelowTheBandwidthDelayProductIsNamed) {
  EXPECT_THAT(report_of(at_rate(400, {"congestion_control.window=2 BDP"})).warnings,
              Not(Contains(HasSubstr("of the line"))));
  EXPECT_THAT(report_of(at_rate(400, {"congestion_control.window=4 KiB"})).warnings,
              Contains(HasSubstr("a window of 4 KiB")));
}

TEST(TuningReport, DcqcnWithoutMarksIsNamed) {
  EXPECT_THAT(report_of({"ethernet.priority.3.ecn=false"}).warnings, Contains(HasSubstr("DCQCN without ECN")));
}

TEST(TuningReport, InfinibandHasCreditsInPlaceOfPauses) {
  scenario::ScenarioRequest request;
  request.settings = {"fabric.family=infiniband"};
  const auto scenario = scenario::scenario_with("", request);
  ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  const auto report = tuning_report(*scenario, *assembly::build_topology(*scenario));
  ASSERT_TRUE(report.has_value());
  ASSERT_FALSE(report->ports.empty());
  EXPECT_FALSE(report->ports.front().pause);
  EXPECT_GE(*report->ports.front().credits, *report->ports.front().credits_needed);
}

TEST(TuningReport, TextAndJsonSayTheSame) {
  const TuningReport report = report_of(at_rate(400));
  EXPECT_THAT(tuning_text(report), HasSubstr("BDP = C x round trip"));
  const auto json = tuning_json(report);
  EXPECT_EQ(json.at("ports").at(0).at("bdp_bytes"), report.ports.front().bdp.count());
  EXPECT_EQ(json.at("senders").at(0).at("queues").size(), 3U);
}

}  // namespace
}  // namespace weft::study::tuning
