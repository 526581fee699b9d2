#include "study/compare/work_cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::compare {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCluster = R"(
[fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
hosts = 4
hosts_per_leaf = 2
nics_per_host = 8
gpus_per_host = 8
spines = 4
[scale_up]
entry = "nvlink4"
[[job]]
name = "job"
model = "llama3-8b"
gpu = "h100-sxm"
gpus = 32
tp = 2
global_batch = 64
)";

cost::TotalCost total_of(const std::string& more) {
  const auto scenario = scenario::parse_scenario(
      kCluster + more, {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  EXPECT_EQ(scenario::message_of(scenario), "no error");
  const auto graph = assembly::build_topology(*scenario);
  EXPECT_TRUE(graph.has_value());
  return cost::total_cost_of(*scenario, cost::bill_of(*scenario, *graph));
}

double usd(scenario::Money money) { return static_cast<double>(money.count) / 1e3; }

TEST(TotalCost, CountsHostsAndGpusOfTheCatalogue) {
  const auto total = total_of("");
  ASSERT_TRUE(total.gpus && total.hosts);
  EXPECT_EQ(total.gpus->count, 32);
  EXPECT_EQ(usd(total.gpus->unit_price), 30'000);
  EXPECT_EQ(usd(total.gpus->price), 960'000);
  EXPECT_EQ(total.hosts->count, 4);
  EXPECT_EQ(usd(total.hosts->unit_price), 80'000);  // eight shares
  EXPECT_EQ(total.gpus->mark, "guess");
  EXPECT_THAT(total.gpus->source, HasSubstr("catalogue gpu/h100-sxm"));
  EXPECT_EQ(total.total(), (scenario::Money{total.network.count + total.gpus->price.count + total.hosts->price.count}));
  EXPECT_TRUE(total.years_assumed);
  EXPECT_EQ(total.years, cost::kUsualYears);
}

TEST(TotalCost, TakesWhatTheScenarioGives) {
  const auto total = total_of(R"(
[gpu]
price = "20000 USD"
power = "500 W"
[host]
price = "50000 USD"
power = "2 kW"
[cost]
years = 3
energy_price = "0.1 USD/kWh"
upkeep_per_year = "1000 USD"
staff_hours_per_year = 100
staff_hour_price = "80 USD"
other = "70000 USD"
downtime_hours_per_year = 876
[[override]]
select = "host1"
host.price = "60000 USD"
)");
  EXPECT_EQ(usd(total.gpus->price), 640'000);
  EXPECT_EQ(total.gpus->mark, "given");
  EXPECT_EQ(usd(total.hosts->price), 3 * 50'000 + 60'000);
  EXPECT_EQ(usd(*total.upkeep), 3'000);
  EXPECT_EQ(usd(*total.staff), 24'000);
  EXPECT_EQ(usd(total.other), 70'000);
  EXPECT_DOUBLE_EQ(total.availability, 0.9);
  const double kilowatts = static_cast<double>(total.power.count) / 1e6;
  EXPECT_GT(kilowatts, 32 * 0.5 + 4 * 2);
  EXPECT_NEAR(usd(*total.energy), kilowatts * 8'760 * 3 * 0.1, 0.01);
  EXPECT_THAT(total.not_counted, Not(Contains(HasSubstr("energy"))));
}

TEST(TotalCost, SaysWhatItLeavesOut) {
  const auto total = total_of("");
  for (const char* missing : {"energy", "upkeep", "staff", "downtime"}) {
    EXPECT_THAT(total.not_counted, Contains(HasSubstr(missing)));
  }
}

scenario::Scenario scenario_with(const std::string& more) {
  return *scenario::parse_scenario(kCluster + more, {.file = "test.toml", .case_name = {}, .settings = {}},
                                   scenario::test_catalogue());
}

/// Which prices are the catalogue's, for the words of the recommendation.
TEST(WorkCost, NamesThePricesThatTheScenarioGives) {
  const cost::TotalCost total = total_of("[gpu]\nprice = \"20000 USD\"\n");
  report::ComparedFabric fabric{.name = "rocev2", .possible = true, .step = {.mean = 1.0}};
  fabric.bill = {{.part = "switch", .count = 1, .price_usd = 100, .mark = "guess"}};
  const scenario::Scenario scenario = scenario_with("");
  EXPECT_THAT(*work_cost_of(fabric, scenario, total, 1e6).given_prices, ::testing::ElementsAre("GPUs"));
  fabric.bill->front().mark = "given";
  EXPECT_THAT(*work_cost_of(fabric, scenario, total, 1e6).given_prices, ::testing::ElementsAre("network", "GPUs"));
  fabric.bill->front().mark = "guess";
  EXPECT_FALSE(work_cost_of(fabric, scenario, total_of(""), 1e6).given_prices.has_value());
}

/// Money over the years, shared by the tokens of these years.
TEST(WorkCost, IsMoneyOverTheYearsForEachTokenOfThem) {
  cost::TotalCost total = total_of("");
  total.years = 2;
  total.availability = 0.5;
  report::ComparedFabric fabric{.name = "rocev2", .possible = true};
  fabric.step = {.mean = 2.0, .low = 1.9, .high = 2.1};
  const report::WorkCost made = work_cost_of(fabric, scenario_with(""), total, 4e6);
  EXPECT_EQ(made.unit, "million tokens");
  const double tokens = 2 * 8'760 * 3600.0 * 0.5 / 2.0 * 4e6;
  EXPECT_NEAR(made.usd, usd(total.total()) / tokens * 1e6, 1e-12);
  EXPECT_NEAR(*made.low / made.usd, 0.95, 1e-9);
  EXPECT_NEAR(*made.high / made.usd, 1.05, 1e-9);
}

TEST(WorkCost, ItsIntervalHoldsSeedsSlicesAndComposition) {
  const Estimate seeds{.mean = 1.0, .low = 0.97, .high = 1.03};
  report::RunFigures run;
  run.interval = 0.04;
  EXPECT_NEAR(*with_run_doubts(seeds, run).high, 1.05, 1e-12);
  run.composition_error = -0.12;
  EXPECT_NEAR(*with_run_doubts(seeds, run).low, 0.87, 1e-12);
}

TEST(WorkCost, AMisSettingCountsOnlyWithAProbability) {
  report::ComparedFabric fabric{.name = "rocev2", .possible = true};
  fabric.step = {.mean = 1.0, .low = 1.0, .high = 1.0};
  fabric.tuning_risk = report::TuningRisk{
      .cases = {{.setting = "a", .of = "a", .loss = 0.5}, {.setting = "b", .of = "b", .loss = -0.1}}};
  fabric.tuning_risk->cases.push_back({.setting = "c", .of = "c", .reason = "does not end"});  // all of the work
  const cost::TotalCost total = total_of("");
  const double without = work_cost_of(fabric, scenario_with(""), total, 1e6).usd;
  const auto with = work_cost_of(fabric, scenario_with("[cost]\nmisconfiguration_probability = \"10%\"\n"), total, 1e6);
  EXPECT_NEAR(with.usd / without, 1 + 0.1 * 1.5, 1e-9);
  EXPECT_NEAR(*with.misconfiguration, 0.15, 1e-9);
}

/// The defect: each harmless mistake that the program knows of a network made its misconfigurations cheaper.
TEST(LossOfSettings, HarmlessMistakesTakeNothingAway) {
  report::TuningRisk risk{.cases = {{.setting = "hash", .of = "hash", .loss = 0.4}}};
  const double alone = *loss_of_settings(risk);
  risk.cases.push_back({.setting = "MTU", .of = "MTU", .loss = 0.0});
  EXPECT_DOUBLE_EQ(*loss_of_settings(risk), alone);
  risk.cases.push_back({.setting = "PFC", .of = "PFC", .loss = 0.1});
  EXPECT_DOUBLE_EQ(*loss_of_settings(risk), alone + 0.1);
}

TEST(LossOfSettings, MistakesInOneSettingExcludeEachOther) {
  const report::TuningRisk risk{.cases = {{.setting = "too high", .of = "thresholds", .loss = 0.4},
                                          {.setting = "too low", .of = "thresholds", .loss = 0.2}}};
  EXPECT_DOUBLE_EQ(*loss_of_settings(risk), 0.3);
}

/// The defect: each was cut to 100 % of the step, in silence, and a network with one that costs 667 % came out first.
TEST(LossOfSettings, AMistakeMayCostMoreThanTheStep) {
  report::TuningRisk risk{
      .cases = {{.setting = "credits", .of = "credits", .loss = 6.67}, {.setting = "MTU", .of = "MTU", .loss = 0.03}}};
  EXPECT_DOUBLE_EQ(*loss_of_settings(risk), 6.7);
  risk.cases.push_back({.setting = "PFC", .of = "PFC", .loss = {}});
  EXPECT_DOUBLE_EQ(*loss_of_settings(risk), 6.7 + 6.67) << "it never ends: no better than the worst";
  risk.cases = {{.setting = "PFC", .of = "PFC", .loss = {}}, {.setting = "MTU", .of = "MTU", .loss = 0.03}};
  EXPECT_DOUBLE_EQ(*loss_of_settings(risk), 1.03);
}

/// The defect: a cable that runs at a quarter of its rate was a misconfiguration, of each network another share.
TEST(LossOfSettings, FaultsAndPairsAreNoSettings) {
  const report::TuningRisk risk{.cases = {{.setting = "MTU", .of = "MTU", .loss = 0.1},
                                          {.setting = "a link degraded", .fault = true, .loss = 0.8},
                                          {.setting = "MTU, and hash", .loss = 0.9}}};
  EXPECT_DOUBLE_EQ(*loss_of_settings(risk), 0.1);
  EXPECT_FALSE(loss_of_settings({.cases = {{.setting = "a link degraded", .fault = true, .loss = 0.8}}}).has_value());
}

}  // namespace
}  // namespace weft::study::compare
