#include "study/compare/fabric_choice.h"

#include <gtest/gtest.h>

#include "study/scenario_test_support.h"

namespace weft::study {
namespace {

std::vector<FabricChoice> choices(std::vector<std::string> names, std::vector<std::string> cases = {}) {
  auto chosen = choose_fabrics(names, cases, test_catalogue());
  EXPECT_TRUE(chosen.has_value()) << (chosen ? "" : chosen.error().message);
  return chosen ? *chosen : std::vector<FabricChoice>();
}

std::string refusal(std::vector<std::string> names, std::vector<std::string> cases = {}) {
  const auto chosen = choose_fabrics(names, cases, test_catalogue());
  return chosen ? "no error" : chosen.error().message;
}

TEST(FabricChoice, AFamilyIsASetting) {
  EXPECT_EQ(choices({"infiniband"}).front(),
            (FabricChoice{.name = "infiniband", .case_name = "", .settings = {"fabric.family=infiniband"}}));
}

TEST(FabricChoice, ATuningBehindAFamilyIsAnotherSetting) {
  const FabricChoice untuned = choices({"rocev2-untuned"}).front();
  EXPECT_EQ(untuned.settings, (std::vector<std::string>{"fabric.family=rocev2", "fabric.tuning=untuned"}));
}

TEST(FabricChoice, TakesTheCaseOfItsNameOrItsFamily) {
  const auto chosen = choices({"rocev2-untuned", "rocev2", "spine-free"}, {"rocev2", "spine-free"});
  EXPECT_EQ(chosen[0].case_name, "rocev2");
  EXPECT_EQ(chosen[1].case_name, "rocev2");
  EXPECT_EQ(chosen[2].case_name, "spine-free");
  EXPECT_TRUE(chosen[2].settings.empty());
}

TEST(FabricChoice, AllUsualFabricsMeanSomething) { EXPECT_EQ(choices(usual_fabrics()).size(), usual_fabrics().size()); }

TEST(FabricChoice, WrongNamesAreRefused) {
  EXPECT_NE(refusal({"infinband"}).find("did you mean 'infiniband'"), std::string::npos) << refusal({"infinband"});
  EXPECT_NE(refusal({"tcp-untuned"}).find("tcp-untuned"), std::string::npos);
  EXPECT_NE(refusal({"tcp", "tcp"}).find("named twice"), std::string::npos);
  EXPECT_NE(refusal({}).find("no fabric"), std::string::npos);
}

TEST(FabricChoice, UntunedRoceNeitherPausesNorMarks) {
  ScenarioRequest request{.file = "test.toml", .case_name = {}, .settings = {}};
  request.settings = choices({"rocev2-untuned"}).front().settings;
  const auto scenario = parse_scenario(kSmallScenario, request, test_catalogue());
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const PrioritySettings& data =
      scenario->devices.ethernet.priorities[static_cast<std::size_t>(scenario->qos.data_priority)];
  EXPECT_FALSE(data.lossless);
  EXPECT_FALSE(data.ecn);
  EXPECT_EQ(scenario->transport.loss_recovery, LossRecoveryKind::kGoBackN);
}

}  // namespace
}  // namespace weft::study
