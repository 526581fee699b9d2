#include "study/compare/recommendation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "study/compare/money_text.h"

namespace weft::study::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A cluster of 100 GPUs of 30,000 USD; one unit of work costs total x step.
struct Given {
  const char* name;
  double step;
  double half;         // of its interval; 0: one seed
  double network_usd;  // beside 3 million for GPUs
  double exposed = 0;
};

report::ComparedFabric fabric_of(const Given& own) {
  report::ComparedFabric fabric{.name = own.name, .family = std::string(own.name).substr(0, 5), .possible = true};
  fabric.step.mean = own.step;
  report::WorkCost cost{.unit = "million tokens", .network_usd = own.network_usd, .gpus = 100, .years = 4};
  cost.gpus_usd = 3e6;
  cost.gpu_price_usd = 3e4;
  cost.total_usd = own.network_usd + 3e6;
  cost.usd = cost.total_usd * own.step;
  if (own.half > 0) {
    fabric.step.low = own.step - own.half;
    fabric.step.high = own.step + own.half;
    cost.low = cost.total_usd * *fabric.step.low;
    cost.high = cost.total_usd * *fabric.step.high;
  } else {
    cost.uncertain = "one seed";
  }
  fabric.run.exposed_communication = own.exposed;
  fabric.work_cost = cost;
  return fabric;
}

report::Recommendation recommended(std::vector<report::ComparedFabric> fabrics) {
  const auto made = recommend(fabrics);
  EXPECT_TRUE(made.has_value());
  return made.value_or(report::Recommendation{});
}

const report::TurningPoint* point_with(const report::Recommendation& own, const std::string& what) {
  const auto found = std::ranges::find(own.turning_points, what, &report::TurningPoint::what);
  return found == own.turning_points.end() ? nullptr : &*found;
}

/// The former verdict put a network first whose step took 48 % longer, because its switches were cheaper.
TEST(Recommendation, ANetworkWithALongStepIsNotFirstForItsPrice) {
  const auto own = recommended({fabric_of({"rocev2", 1.48, 0.01, 0.2e6}), fabric_of({"infiniband", 1.0, 0.01, 0.5e6})});
  EXPECT_EQ(own.kind, "clear");
  EXPECT_THAT(own.fabrics, ElementsAre("infiniband"));
  EXPECT_NEAR(*own.saving, 1 - 3.5 / (3.2 * 1.48), 1e-12);
  EXPECT_THAT(own.text, HasSubstr("Choose infiniband: 3.50 M USD for a million tokens, 26.1 % less than with rocev2"));
}

TEST(Recommendation, ADifferenceInStepsThatIsNoneAddsNothing) {
  const auto own = recommended({fabric_of({"rocev2", 1.02, 0.05, 0.3e6}), fabric_of({"infiniband", 1.0, 0.05, 0.4e6})});
  EXPECT_THAT(own.fabrics, ElementsAre("rocev2"));
  EXPECT_NEAR(*own.saving, 1 - 3.3 / 3.4, 1e-12);
  EXPECT_THAT(own.text, HasSubstr("Their step times do not differ; the price does."));
}

/// The defect: 1.40 s +- 2 % and 1.74 s +- 23 % cost the same, what 1.57 s make, which the first cannot take.
TEST(Recommendation, AWideIntervalIsNoTieWithANarrowOne) {
  const auto own =
      recommended({fabric_of({"infiniband", 1.40, 0.03, 0.4e6}), fabric_of({"rocev2-spray", 1.74, 0.4, 0.4e6})});
  EXPECT_EQ(own.kind, "likely");
  EXPECT_THAT(own.fabrics, ElementsAre("infiniband"));
  EXPECT_NEAR(*own.saving, 1 - 1.40 / 1.74, 1e-12);
  EXPECT_LT(*own.saving_low, 0);
  EXPECT_THAT(own.text, Not(HasSubstr("do not differ")));
}

/// The defect: of two that cost the same, the one that was listed first was the next best.
TEST(Recommendation, AllThatTieForTheNextBestAreNamedWhateverTheirOrder) {
  const auto best = fabric_of({"infiniband", 1.0, 0.05, 0.3e6});
  const auto one = fabric_of({"rocev2", 1.02, 0.05, 0.4e6});
  const auto two = fabric_of({"rocev2-spray", 1.01, 0.02, 0.4e6});
  const auto own = recommended({best, one, two});
  const auto turned = recommended({two, one, best});
  EXPECT_THAT(own.text, HasSubstr("less than with rocev2-spray or rocev2, the next best"));
  EXPECT_EQ(own.text, turned.text);
  EXPECT_EQ(own.sure, turned.sure);
  EXPECT_EQ(own.next, turned.next);
  EXPECT_NEAR(*own.saving_low, *recommended({best, one}).saving_low, 1e-9);  // the widest of both
}

/// Of several jobs the first's step was made one, and the money still differed by the others'.
TEST(Recommendation, OfSeveralJobsAllStepsAreSharedOrNone) {
  const auto with_second = [](const Given& given, double second) {
    auto fabric = fabric_of(given);
    fabric.run.jobs = {{.name = "one", .time = given.step}, {.name = "two", .time = second}};
    // A unit of work is one step of the first, and as many of the second as are done meanwhile.
    fabric.work_cost->usd = fabric.work_cost->total_usd / (1 / given.step + 1 / second);
    return fabric;
  };
  const auto alike = recommended(
      {with_second({"infiniband", 1.0, 0.05, 0.3e6}, 1.0), with_second({"rocev2", 1.01, 0.05, 0.4e6}, 1.02)});
  EXPECT_THAT(alike.text, HasSubstr("Their step times do not differ; the price does."));
  EXPECT_NEAR(*alike.saving, 1 - 3.3 / 3.4, 1e-12);
  const auto apart = recommended(
      {with_second({"infiniband", 1.0, 0.05, 0.3e6}, 1.0), with_second({"rocev2", 1.01, 0.05, 0.4e6}, 1.2)});
  EXPECT_THAT(apart.text, Not(HasSubstr("do not differ")));
  EXPECT_NEAR(*apart.saving, 1 - 3.3 / 2 / (3.4 / (1 / 1.01 + 1 / 1.2)), 1e-12);
}

/// Two that are alike, and far from the best, once made one step: the dearest of six was called the next best.
TEST(Recommendation, WhatItSavesAgainstAnotherDependsOnNoThird) {
  const auto best = fabric_of({"infiniband", 1.0, 0.01, 0.3e6});
  const auto next = fabric_of({"rocev2", 1.27, 0.1, 0.3e6});
  const auto slow = fabric_of({"tcp", 1.36, 0.1, 0.29e6});
  const auto of_two = recommended({best, next});
  const auto of_three = recommended({best, next, slow});
  EXPECT_EQ(of_three.next, "rocev2");
  EXPECT_DOUBLE_EQ(*of_three.saving, *of_two.saving);
  EXPECT_NEAR(*of_three.saving, 1 - 1 / 1.27, 1e-12);
  const auto* price = point_with(of_three, "network price of infiniband");
  ASSERT_NE(price, nullptr);
  EXPECT_DOUBLE_EQ(price->then, point_with(of_two, "network price of infiniband")->then);
}

/// Sharing a step would make the third the cheapest of all.
TEST(Recommendation, StepsAreNotSharedWhereThatMakesAnotherTheCheaperOne) {
  const auto own = recommended({fabric_of({"rocev2", 1.0, 0.12, 0.3e6}), fabric_of({"infiniband", 1.1, 0.01, 0.3e6}),
                                fabric_of({"uetxx", 1.04, 0.001, 0.3e6})});
  EXPECT_THAT(own.fabrics.front(), "rocev2");
}

TEST(Recommendation, IsNotClearWhereIntervalsLeaveItOpen) {
  const auto own = recommended({fabric_of({"rocev2", 1.02, 0.05, 0.3e6}), fabric_of({"infiniband", 1.0, 0.05, 0.4e6})});
  EXPECT_EQ(own.kind, "likely");
  EXPECT_LT(*own.saving_low, 0);
  EXPECT_GT(*own.saving_high, *own.saving);
  EXPECT_THAT(own.text, HasSubstr("not for certain"));
}

TEST(Recommendation, AStepThatIsALowerBoundIsPooledWithNoOther) {
  auto bound = fabric_of({"rocev2", 1.1, 0.1, 0.3e6});
  bound.step.high = 1.6;
  bound.work_cost->high = bound.work_cost->total_usd * 1.6;
  const auto own = recommended({bound, fabric_of({"infiniband", 1.0, 0.05, 0.3e6})});
  EXPECT_THAT(own.fabrics, ElementsAre("infiniband"));
  EXPECT_EQ(own.kind, "likely");
  EXPECT_NEAR(*own.saving, 1 - 1.0 / 1.1, 1e-12);
  EXPECT_NEAR(*own.saving_high, 1 - 0.95 / 1.6, 1e-12);
  EXPECT_LT(*own.saving_low, 0);
}

TEST(Recommendation, OneSeedIsNeverClear) {
  const auto own = recommended({fabric_of({"rocev2", 2.0, 0, 0.3e6}), fabric_of({"infiniband", 1.0, 0, 0.4e6})});
  EXPECT_EQ(own.kind, "likely");
  EXPECT_FALSE(own.saving_low.has_value());
  EXPECT_THAT(own.sure, HasSubstr("one seed"));
}

TEST(Recommendation, AnUncertainSliceIsNeverClear) {
  auto slow = fabric_of({"rocev2", 2.0, 0.01, 0.3e6});
  slow.work_cost->uncertain = "slices have not converged";
  const auto own = recommended({slow, fabric_of({"infiniband", 1.0, 0.01, 0.4e6})});
  EXPECT_EQ(own.kind, "likely");
  EXPECT_THAT(own.sure, HasSubstr("rocev2: slices have not converged"));
}

/// 40,000 USD of 3 million are decided by prices that nobody has quoted.
TEST(Recommendation, GuessedPricesAloneAreNeverClear) {
  auto one = fabric_of({"rocev2", 1.0, 0.001, 0.30e6});
  auto two = fabric_of({"infiniband", 1.0, 0.001, 0.36e6});
  one.bill = {{.part = "switch", .name = "tomahawk", .count = 10, .unit_price_usd = 30e3, .mark = "guess"}};
  two.bill = {{.part = "switch", .name = "quantum", .count = 10, .unit_price_usd = 36e3, .mark = "guess"}};
  for (auto* own : {&one, &two}) {
    own->work_cost->price_uncertainty = 0.2;
  }
  const auto guessed = recommended({one, two});
  EXPECT_EQ(guessed.kind, "likely");
  EXPECT_THAT(guessed.sure, HasSubstr("prices of the catalogue that are 20 % off"));
  one.bill->front().mark = two.bill->front().mark = "given";
  EXPECT_EQ(recommended({one, two}).kind, "clear");
}

TEST(Recommendation, PartsThatBothHaveAreOffInBothAlike) {
  auto one = fabric_of({"rocev2", 1.0, 0.001, 0.30e6});
  auto two = fabric_of({"rocev2-pfc", 1.1, 0.001, 0.30e6});
  one.bill = {{.part = "switch", .name = "tomahawk", .count = 10, .unit_price_usd = 30e3, .mark = "guess"}};
  two.bill = one.bill;
  for (auto* own : {&one, &two}) {
    own->work_cost->price_uncertainty = 0.5;
  }
  EXPECT_EQ(recommended({one, two}).kind, "clear");
}

TEST(Recommendation, NothingDecidesNamesTheTieAndWhatToChooseBy) {
  auto one = fabric_of({"rocev2", 1.0, 0.01, 0.30e6});
  auto two = fabric_of({"infiniband", 1.001, 0.01, 0.31e6});
  one.power = 10e3;
  two.power = 12e3;
  const auto own = recommended({one, two, fabric_of({"tcp", 1.5, 0.01, 0.3e6})});
  EXPECT_EQ(own.kind, "tie");
  EXPECT_THAT(own.fabrics, ElementsAre("rocev2", "infiniband"));
  EXPECT_THAT(own.text, HasSubstr("Nothing decides between rocev2 and infiniband"));
  EXPECT_THAT(own.text, HasSubstr("tcp, the next, costs 49."));
  EXPECT_THAT(own.choose_by, ElementsAre("price of the network: rocev2 0.30 M USD, infiniband 0.31 M USD",
                                         "power of the network: rocev2 10.0 kW, infiniband 12.0 kW"));
}

TEST(Recommendation, SetupsOfOneFamilyThatTieAreOneChoice) {
  const auto own =
      recommended({fabric_of({"infiniband", 1.0, 0.01, 0.3e6}), fabric_of({"infiniband-ar", 1.0, 0.01, 0.3e6}),
                   fabric_of({"rocev2", 1.5, 0.01, 0.3e6})});
  EXPECT_EQ(own.kind, "clear");
  EXPECT_THAT(own.text, HasSubstr("Choose infiniband or infiniband-ar"));
  EXPECT_EQ(own.next, "rocev2");
}

TEST(Recommendation, TheOnlyFabricIsSaidToBeIt) {
  report::ComparedFabric not_possible{.name = "rocev1", .possible = false};
  const auto own = recommended({fabric_of({"infiniband", 1.0, 0.01, 0.3e6}), not_possible});
  EXPECT_EQ(own.kind, "only");
  EXPECT_THAT(own.text, HasSubstr("Only infiniband can serve this job"));
}

TEST(Recommendation, ThereIsNoneWithoutAFabric) {
  std::vector<report::ComparedFabric> none;
  EXPECT_FALSE(recommend(none).has_value());
}

/// A network whose work costs nothing.
report::ComparedFabric free_of(const Given& own) {
  auto fabric = fabric_of(own);
  fabric.work_cost->usd = fabric.work_cost->total_usd = fabric.work_cost->network_usd = 0;
  fabric.work_cost->gpus_usd.reset();
  fabric.work_cost->low.reset();
  fabric.work_cost->high.reset();
  return fabric;
}

/// The defect: where nothing had a price there was no recommendation, and nothing said why.
TEST(Recommendation, TimeDecidesWhereNothingHasAPrice) {
  const auto own = recommended({free_of({"rocev2", 1.25, 0.01, 0}), free_of({"infiniband", 1.0, 0.01, 0})});
  EXPECT_EQ(own.kind, "clear");
  EXPECT_THAT(own.fabrics, ElementsAre("infiniband"));
  EXPECT_EQ(own.next, "rocev2");
  EXPECT_THAT(own.text, HasSubstr("Nothing that is counted has a price, so time decides. Choose infiniband"));
  EXPECT_THAT(own.text, HasSubstr("20.0 % less than with rocev2"));
  EXPECT_THAT(own.sure, HasSubstr("gpu.price"));
  EXPECT_FALSE(own.saving.has_value());  // which is money
}

TEST(Recommendation, ByTimeStepsThatDoNotDifferAreATie) {
  const auto own = recommended(
      {free_of({"rocev2", 1.02, 0.05, 0}), free_of({"infiniband", 1.0, 0.05, 0}), free_of({"tcpxx", 1.5, 0.05, 0})});
  EXPECT_EQ(own.kind, "tie");
  EXPECT_THAT(own.fabrics, ElementsAre("infiniband", "rocev2"));
  EXPECT_EQ(own.next, "tcpxx");
}

TEST(Recommendation, ByTimeOneSeedIsNeverClear) {
  const auto own = recommended({free_of({"rocev2", 2.0, 0, 0}), free_of({"infiniband", 1.0, 0, 0})});
  EXPECT_EQ(own.kind, "likely");
  EXPECT_THAT(own.sure, HasSubstr("infiniband and rocev2: one seed"));
}

TEST(Recommendation, TheOnlyFabricNeedsNoPrice) {
  const auto own = recommended({free_of({"infiniband", 1.0, 0.01, 0})});
  EXPECT_EQ(own.kind, "only");
  EXPECT_THAT(own.text, HasSubstr("Only infiniband can serve this job; nothing that is counted has a price."));
}

TEST(Recommendation, AFreeNetworkThatIsNoSlowerIsTheChoice) {
  const auto own = recommended({fabric_of({"rocev2", 1.25, 0.01, 0.3e6}), free_of({"infiniband", 1.0, 0.01, 0})});
  EXPECT_EQ(own.kind, "clear");
  EXPECT_THAT(own.fabrics, ElementsAre("infiniband"));
  EXPECT_THAT(own.text, HasSubstr("infiniband costs nothing by the prices of this scenario"));
}

/// It would be the cheapest however slow it is: what the time is worth has no price.
TEST(Recommendation, AFreeNetworkThatIsSlowerIsNotRecommendedAndItIsSaidWhatToSet) {
  const auto own = recommended({fabric_of({"rocev2", 1.0, 0.01, 0.3e6}), free_of({"infiniband", 1.25, 0.01, 0})});
  EXPECT_EQ(own.kind, "none");
  EXPECT_TRUE(own.fabrics.empty());
  EXPECT_THAT(own.text, HasSubstr("No recommendation: the work costs nothing with infiniband"));
  EXPECT_THAT(own.text, HasSubstr("25.0 % longer than with rocev2"));
  EXPECT_THAT(own.sure, HasSubstr("gpu.price, host.price, cost.energy_price"));
}

TEST(Recommendation, WithoutACostThereIsNoneAndItIsSaid) {
  auto unknown = fabric_of({"infiniband", 1.0, 0.01, 0.3e6});
  unknown.work_cost.reset();
  const auto own = recommended({unknown});
  EXPECT_EQ(own.kind, "none");
  EXPECT_THAT(own.text, HasSubstr("what the work costs with infiniband is not known"));
}

/// The defect: prices that the scenario gave were called indicative.
TEST(Recommendation, PricesAreIndicativeUnlessTheScenarioGivesThem) {
  auto fabric = fabric_of({"infiniband", 1.0, 0.01, 0.3e6});
  EXPECT_THAT(recommended({fabric}).sure, HasSubstr("prices are indicative."));
  fabric.work_cost->given_prices = {"network"};
  EXPECT_THAT(recommended({fabric}).sure, HasSubstr("prices are indicative, but for those of network."));
  fabric.work_cost->given_prices = {"network", "GPUs"};
  EXPECT_THAT(recommended({fabric}).sure, HasSubstr("all prices are the scenario's own."));
}

TEST(Recommendation, PricesOfTheCatalogueAreNotOffWhereThereAreNone) {
  auto one = fabric_of({"rocev2", 1.0, 0.01, 0.30e6});
  auto two = fabric_of({"infiniband", 1.2, 0.01, 0.36e6});
  one.bill = two.bill = {{.part = "switch", .count = 1, .unit_price_usd = 3e5, .price_usd = 3e5, .mark = "given"}};
  EXPECT_THAT(recommended({one, two}).sure, Not(HasSubstr("prices of the catalogue")));
  two.bill->front().mark = "guess";
  EXPECT_THAT(recommended({one, two}).sure, HasSubstr("prices of the catalogue"));
}

/// At each turning point the two cost the same: the scenario with that value is made, and gives a tie.
TEST(TurningPoints, AreWhereBothCostTheSame) {
  const Given fast{"infiniband", 1.0, 0.01, 0.6e6, 0.2};
  const Given slow{"rocev2", 1.1, 0.01, 0.4e6, 0.3};
  const auto own = recommended({fabric_of(slow), fabric_of(fast)});
  ASSERT_THAT(own.fabrics, ElementsAre("infiniband"));

  const auto cost = [](double network, double gpu_price, double step) { return (network + 100 * gpu_price) * step; };
  const auto* dearer = point_with(own, "network price of infiniband");
  ASSERT_NE(dearer, nullptr);
  EXPECT_NEAR(cost(dearer->then, 3e4, 1.0), cost(0.4e6, 3e4, 1.1), 1);
  const auto* cheaper = point_with(own, "network price of rocev2");
  ASSERT_NE(cheaper, nullptr);
  EXPECT_NEAR(cost(0.6e6, 3e4, 1.0), cost(cheaper->then, 3e4, 1.1), 1);
  const auto* gpu = point_with(own, "price of a GPU");
  ASSERT_NE(gpu, nullptr);
  EXPECT_NEAR(cost(0.6e6, gpu->then, 1.0), cost(0.4e6, gpu->then, 1.1), 1);
  const auto* share = point_with(own, "exposed communication");
  ASSERT_NE(share, nullptr);
  EXPECT_DOUBLE_EQ(share->now, 0.2);
  const double k = share->then / (1 - share->then) * 0.8 / 0.2;
  EXPECT_NEAR(cost(0.6e6, 3e4, 0.8 + k * 0.2), cost(0.4e6, 3e4, 0.8 + k * 0.3), 1);
}

TEST(TurningPoints, WhatNoValueReachesIsLeftOut) {
  // The first is faster and cheaper: no price of a GPU and no share of communication turns that round.
  const auto own =
      recommended({fabric_of({"infiniband", 1.0, 0.01, 0.3e6, 0.2}), fabric_of({"rocev2", 1.1, 0.01, 0.4e6, 0.3})});
  EXPECT_EQ(point_with(own, "price of a GPU"), nullptr);
  EXPECT_EQ(point_with(own, "exposed communication"), nullptr);
  EXPECT_NE(point_with(own, "network price of infiniband"), nullptr);
}

// Two whose steps do not differ have one step, and the part of it that each exposes of its own.
TEST(TurningPoints, ExposedCommunicationIsAPartOfTheStepThatCounts) {
  const auto own = recommended({fabric_of({"infiniband", 0.99, 0.02, 0.4e6, 0.495}),
                                fabric_of({"infiniband-ar", 1.01, 0.02, 0.4e6, 0.505}),
                                fabric_of({"rocev2", 1.15, 0.01, 0.4e6, 0.6475})});
  ASSERT_THAT(own.fabrics, ::testing::Contains("infiniband"));
  // What is left of 1.0 without half of it is less than what is left of rocev2's: no share of communication turns it.
  EXPECT_EQ(point_with(own, "exposed communication"), nullptr);
}

TEST(TurningPoints, ASizeIsBetweenTwoThatWereRun) {
  auto fast = fabric_of({"infiniband", 1.0, 0.01, 0.6e6});
  auto slow = fabric_of({"rocev2", 1.2, 0.01, 0.4e6});
  fast.work_cost->by_size = {{.gpus = 10, .usd = 1.1}};
  slow.work_cost->by_size = {{.gpus = 10, .usd = 1.0}};
  const auto own = recommended({fast, slow});
  const auto* size = point_with(own, "size");
  ASSERT_NE(size, nullptr);
  EXPECT_GT(size->then, 10);
  EXPECT_LT(size->then, 100);
  EXPECT_THAT(size->text, HasSubstr("runs on 10 and 100 come out differently"));
}

TEST(TurningPoints, MisconfigurationsHaveAProbability) {
  auto fast = fabric_of({"rocev2", 1.0, 0.01, 0.4e6});
  auto calm = fabric_of({"infiniband", 1.1, 0.01, 0.4e6});
  fast.tuning_risk = report::TuningRisk{
      .cases = {{.setting = "ECMP", .of = "ECMP", .loss = 0.5}, {.setting = "PFC", .of = "PFC", .loss = 0.1}}};
  calm.tuning_risk = report::TuningRisk{.cases = {{.setting = "credits", .of = "credits", .loss = 0.0}}};
  const auto own = recommended({fast, calm});
  const auto* point = point_with(own, "probability of misconfigurations");
  ASSERT_NE(point, nullptr);
  EXPECT_NEAR(1.0 * (1 + point->then * 0.6), 1.1, 1e-9);
  EXPECT_THAT(point->text, HasSubstr("each setting that a network needs is wrong with a probability of 17 % or more"));
}

TEST(MoneyText, HasThreeDigitsAtLeast) {
  EXPECT_EQ(money_text(3'410'000), "3.41 M USD");
  EXPECT_EQ(money_text(12'300), "12,300 USD");
  EXPECT_EQ(money_text(412.4), "412 USD");
  EXPECT_EQ(money_text(4.123), "4.12 USD");
  EXPECT_EQ(money_text(0.41234), "0.412 USD");
  EXPECT_EQ(money_text(0.004), "0.00400 USD");
}

}  // namespace
}  // namespace weft::study::compare
