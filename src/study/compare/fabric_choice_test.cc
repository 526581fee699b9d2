#include "study/compare/fabric_choice.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "study/scenario/scenario_test_support.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::compare {
namespace {

std::vector<FabricChoice> choices(std::vector<std::string> names, std::vector<std::string> cases = {}) {
  auto chosen = choose_fabrics(names, cases, scenario::test_catalogue());
  EXPECT_TRUE(chosen.has_value()) << (chosen ? "" : chosen.error().message);
  return chosen ? *chosen : std::vector<FabricChoice>();
}

std::string refusal(std::vector<std::string> names, std::vector<std::string> cases = {}) {
  const auto chosen = choose_fabrics(names, cases, scenario::test_catalogue());
  return chosen ? "no error" : chosen.error().message;
}

TEST(FabricChoice, AFamilyIsASetting) {
  const FabricChoice infiniband = choices({"infiniband"}).front();
  EXPECT_EQ(infiniband.name, "infiniband");
  EXPECT_EQ(infiniband.case_name, "");
  EXPECT_EQ(infiniband.settings, (std::vector<std::string>{"fabric.family=infiniband"}));
}

TEST(FabricChoice, EveryNetworkSaysWhatItStandsForAndWhatItNeeds) {
  std::vector<std::string> names = usual_fabrics();
  names.insert(names.end(), {"rocev2-defaults", "rocev2-lossy"});
  for (const FabricChoice& choice : choices(names)) {
    EXPECT_FALSE(choice.stands_for.empty()) << choice.name;
    EXPECT_FALSE(choice.needs_of_nic.empty()) << choice.name;
    EXPECT_FALSE(choice.needs_of_switch.empty()) << choice.name;
  }
}

scenario::Scenario network(const std::string& name) {
  scenario::ScenarioRequest request{.file = "test.toml", .case_name = {}, .settings = choices({name}).front().settings};
  const auto scenario = scenario::parse_scenario(scenario::kSmallScenario, request, scenario::test_catalogue());
  EXPECT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  return scenario ? *scenario : scenario::Scenario{};
}

scenario::Scenario network_with(const std::string& name, std::vector<std::string> settings) {
  const std::vector<std::string> own = choices({name}).front().settings;
  settings.insert(settings.end(), own.begin(), own.end());
  scenario::ScenarioRequest request{.file = "test.toml", .case_name = {}, .settings = settings};
  const auto scenario = scenario::parse_scenario(scenario::kSmallScenario, request, scenario::test_catalogue());
  EXPECT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  return scenario ? *scenario : scenario::Scenario{};
}

/// The defect: tables were headed by products of the family's entry, whatever was simulated.
TEST(FabricChoice, NamesTheDevicesOfTheScenario) {
  const auto named = [](const std::string& name, std::vector<std::string> settings) {
    return with_devices("a product", network_with(name, std::move(settings)), scenario::test_catalogue());
  };
  EXPECT_EQ(named("infiniband", {}), "a product");
  EXPECT_EQ(named("infiniband", {"fabric.switch=quantum-2", "fabric.nic=connectx-7"}), "a product");
  EXPECT_EQ(named("infiniband", {"fabric.nic=connectx-6"}),
            "switches quantum-2 and NICs connectx-6; otherwise as a product");
  EXPECT_EQ(named("rocev2-spray", {"fabric.switch=spectrum-2"}),
            "switches spectrum-2 and NICs " + network("rocev2-spray").fabric.nic_entry + "; otherwise as a product");
  EXPECT_EQ(named("infiniband", {"hardware=equal"}),
            "switches and NICs that are equal in all networks; otherwise as a product");
}

TEST(FabricChoice, RocePfcHasNoCongestionControlAndSixteenQueuePairs) {
  const scenario::Scenario pfc = network("rocev2-pfc");
  EXPECT_EQ(pfc.congestion.algorithm, scenario::CongestionAlgorithm::kNone);
  EXPECT_EQ(pfc.collectives.queue_pairs, 16);
  EXPECT_TRUE(pfc.devices.ethernet.priorities[3].lossless);
  EXPECT_FALSE(pfc.devices.ethernet.priorities[3].ecn);
}

TEST(FabricChoice, SprayedNetworksPlaceInAnyOrder) {
  for (const char* name : {"rocev2-spray", "infiniband-ar"}) {
    const scenario::Scenario sprayed = network(name);
    EXPECT_EQ(sprayed.routing.policy, scenario::RoutingPolicy::kAdaptive) << name;
    EXPECT_TRUE(sprayed.transport.out_of_order_placement) << name;
  }
}

TEST(FabricChoice, LossyRoceMarksAndNeverPauses) {
  const scenario::Scenario lossy = network("rocev2-lossy");
  EXPECT_FALSE(lossy.devices.ethernet.priorities[3].lossless);
  EXPECT_TRUE(lossy.devices.ethernet.priorities[3].ecn);
  EXPECT_EQ(lossy.transport.loss_recovery, scenario::LossRecoveryKind::kSelectiveRepeat);
}

TEST(FabricChoice, ATuningBehindAFamilyIsAnotherSetting) {
  const FabricChoice untuned = choices({"rocev2-untuned"}).front();
  EXPECT_EQ(untuned.settings, (std::vector<std::string>{"fabric.family=rocev2", "fabric.tuning=untuned"}));
}

TEST(FabricChoice, ASchemeOfLoadBalancingFollowsAPlusSign) {
  const auto chosen = choices({"rocev2-pfc+drill", "tcp+letflow", "mine+ecmp"}, {"mine"});
  EXPECT_EQ(chosen[0].settings,
            (std::vector<std::string>{"fabric.family=rocev2", "fabric.tuning=pfc", "routing.scheme=drill"}));
  EXPECT_EQ(chosen[1].settings, (std::vector<std::string>{"fabric.family=tcp", "routing.scheme=letflow"}));
  EXPECT_EQ(chosen[2].case_name, "mine");
  EXPECT_EQ(chosen[2].settings, (std::vector<std::string>{"routing.scheme=ecmp"}));
}

TEST(FabricChoice, ASchemeAddsToWhatItsNetworkNeeds) {
  const auto chosen = choices({"rocev2-pfc+e-ecmp", "rocev2-lossy+spray"});
  EXPECT_EQ(chosen[0].needs_of_nic, "nothing beside RoCEv2; a collective library that takes turns on its queue pairs");
  EXPECT_EQ(chosen[1].needs_of_switch, "ECN marking; no PFC; packet spraying");
}

TEST(FabricChoice, SchemesThatDoNotExistOrServeAreRefused) {
  EXPECT_NE(refusal({"rocev2+dril"}).find("did you mean 'drill'"), std::string::npos) << refusal({"rocev2+dril"});
  EXPECT_NE(refusal({"tcp+reps"}).find("'reps' does not serve tcp; one of ecmp"), std::string::npos)
      << refusal({"tcp+reps"});
  EXPECT_NE(refusal({"rocv2+drill"}).find("did you mean 'rocev2'"), std::string::npos) << refusal({"rocv2+drill"});
}

TEST(WithSchemes, AllAreThoseThatServeEachFabric) {
  const std::vector<std::string> all = {"all"};
  const std::vector<std::string> fabrics = {"infiniband", "rocev2-pfc"};
  const auto names = with_schemes(fabrics, all, scenario::Family::kTcp, scenario::test_catalogue());
  ASSERT_TRUE(names.has_value()) << names.error().message;
  EXPECT_EQ(std::ranges::count(*names, "infiniband+lft"), 1);
  EXPECT_EQ(std::ranges::count(*names, "infiniband+ecmp"), 0);
  EXPECT_EQ(std::ranges::count(*names, "rocev2-pfc+e-ecmp"), 1);
  EXPECT_EQ(std::ranges::count(*names, "rocev2-pfc+lft"), 0);
  EXPECT_EQ(choices(*names).size(), names->size());
}

TEST(WithSchemes, ACaseHasTheFamilyOfTheScenario) {
  const std::vector<std::string> all = {"all"};
  const std::vector<std::string> fabrics = {"mine"};
  const auto names = with_schemes(fabrics, all, scenario::Family::kUet, scenario::test_catalogue());
  ASSERT_TRUE(names.has_value()) << names.error().message;
  EXPECT_EQ(std::ranges::count(*names, "mine+reps"), 1);
  EXPECT_EQ(std::ranges::count(*names, "mine+e-ecmp"), 0);
}

TEST(WithSchemes, OneThatServesNoneIsRefused) {
  const std::vector<std::string> wanted = {"ecmp", "lft"};
  const std::vector<std::string> fabrics = {"rocev2"};
  const auto names = with_schemes(fabrics, wanted, scenario::Family::kRoceV2, scenario::test_catalogue());
  ASSERT_FALSE(names.has_value());
  EXPECT_NE(names.error().message.find("'lft' serves none of rocev2"), std::string::npos) << names.error().message;
}

/// What the catalogue offers for a family can be run on it.
TEST(Schemes, AllMakeAScenarioOfEveryFamilyThatTheyServe) {
  for (std::size_t i = 0; i < scenario::WordsOf<scenario::Family>::kWords.size(); ++i) {
    const auto family = static_cast<scenario::Family>(i);
    for (const std::string_view name : scenario::test_catalogue().names("scheme", family)) {
      const scenario::Scenario made = network(fmt::format("{}+{}", scenario::word_of(family), name));
      EXPECT_EQ(made.routing.scheme, name);
    }
  }
}

TEST(Schemes, AreStrongerThanTheFileThatTheyAreHeldAgainst) {
  const scenario::Scenario sprayed = network("rocev2-spray+ecmp");
  EXPECT_EQ(sprayed.routing.policy, scenario::RoutingPolicy::kEcmp);
  EXPECT_EQ(network("rocev2+spray-in-order").transport.loss_recovery, scenario::LossRecoveryKind::kGoBackN);
  EXPECT_EQ(network("rocev2+reps").transport.path_selector, scenario::PathRule::kReps);
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
  scenario::ScenarioRequest request{.file = "test.toml", .case_name = {}, .settings = {}};
  request.settings = choices({"rocev2-untuned"}).front().settings;
  const auto scenario = scenario::parse_scenario(scenario::kSmallScenario, request, scenario::test_catalogue());
  ASSERT_TRUE(scenario.has_value()) << scenario.error().message;
  const scenario::PrioritySettings& data =
      scenario->devices.ethernet.priorities[static_cast<std::size_t>(scenario->qos.data_priority)];
  EXPECT_FALSE(data.lossless);
  EXPECT_FALSE(data.ecn);
  EXPECT_EQ(scenario->transport.loss_recovery, scenario::LossRecoveryKind::kGoBackN);
}

}  // namespace
}  // namespace weft::study::compare
