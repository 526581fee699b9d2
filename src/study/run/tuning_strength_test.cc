// How strong the settings of a tuning are: a network that is asked for by its name has its settings.
#include <gmock/gmock.h>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kOwnTuning = R"([congestion_control]
algorithm = "dcqcn"
profile = "paper"
)";

scenario::Scenario right(std::string_view more, std::vector<std::string> settings = {},
                         std::optional<std::string> name = {}) {
  scenario::ScenarioRequest request;
  request.settings = std::move(settings);
  request.case_name = std::move(name);
  const auto scenario = scenario::scenario_with(more, request);
  EXPECT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  return scenario ? *scenario : scenario::Scenario{};
}

TEST(Tuning, NamedByASettingIsStrongerThanTheFile) {
  EXPECT_EQ(right(kOwnTuning, {"fabric.tuning=pfc"}).congestion.algorithm, scenario::CongestionAlgorithm::kNone);
}

TEST(Tuning, NamedByACaseIsStrongerThanTheFileAndWeakerThanTheCase) {
  const std::string text =
      std::string(kOwnTuning) + "[[case]]\nname = \"a\"\nfabric.tuning = \"pfc\"\ncollectives.queue_pairs = 4\n";
  const scenario::Scenario scenario = right(text, {}, "a");
  EXPECT_EQ(scenario.congestion.algorithm, scenario::CongestionAlgorithm::kNone);
  EXPECT_EQ(scenario.collectives.queue_pairs, 4);
}

/// A file that names the tuning `pfc` itself.
scenario::Scenario in_file(std::string_view more) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  const auto scenario = scenario::parse_scenario(
      fmt::format(
          "[fabric]\nfamily = \"rocev2\"\ntuning = \"pfc\"\n[topology]\nkind = \"single-switch\"\nhosts = 4\n{}", more),
      request, scenario::test_catalogue());
  EXPECT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  return scenario ? *scenario : scenario::Scenario{};
}

TEST(Tuning, NamedByTheFileIsWeakerThanItsOtherValues) {
  const scenario::Scenario scenario = in_file("[collectives]\nqueue_pairs = 2\n");
  EXPECT_EQ(scenario.collectives.queue_pairs, 2);
  EXPECT_EQ(scenario.congestion.algorithm, scenario::CongestionAlgorithm::kNone);
}

TEST(Tuning, NoCongestionControlOverAFileThatNamesAProfileIsAllowed) {
  EXPECT_EQ(right(kOwnTuning, {"congestion_control.algorithm=none"}).congestion.algorithm,
            scenario::CongestionAlgorithm::kNone);
  EXPECT_EQ(right("[congestion_control]\nprofile = \"paper\"\n", {"fabric.family=infiniband"}).congestion.algorithm,
            scenario::CongestionAlgorithm::kNone);
  const auto refused = scenario::scenario_with("[congestion_control]\nalgorithm = \"none\"\nprofile = \"paper\"\n");
  EXPECT_THAT(scenario::message_of(refused), HasSubstr("has no effect with algorithm = \"none\""));
}

TEST(Tuning, RoceIsTunedForItsRateAndTheFilePrevails) {
  const scenario::Scenario tuned = right("");
  EXPECT_EQ(tuned.congestion.profile, "scaled");
  EXPECT_EQ(tuned.fabric.ecn_entry, "scaled");
  EXPECT_EQ(right(kOwnTuning).congestion.profile, "paper");
}

TEST(Tuning, DefaultsAreThoseOfFirmwareAndSwitch) {
  const scenario::Scenario scenario = right("", {"fabric.tuning=defaults"});
  EXPECT_EQ(scenario.congestion.profile, "connectx");
  EXPECT_EQ(scenario.fabric.ecn_entry, "onyx");
  EXPECT_EQ(scenario.dcqcn.additive_increase, 5_mbps);
}

}  // namespace
}  // namespace weft::study::run
