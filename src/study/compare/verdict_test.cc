#include "study/compare/verdict.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weft::study::compare {
namespace {

using Json = nlohmann::ordered_json;

struct Figures {
  const char* name;
  double step;
  double half;
  double cost;
  double worst;
};

Json fabric_of(const Figures& own, bool differs) {
  return {{"name", own.name},
          {"family", own.name},
          {"possible", true},
          {"step_time_s", own.step},
          {"step_time_low_s", own.step - own.half},
          {"step_time_high_s", own.step + own.half},
          {"differs_from_best", differs},
          {"cost_usd", own.cost},
          {"lost_time", {{{"cause", "headers"}, {"s", own.step / 10}, {"origin", "emerges"}}}},
          {"tuning_risk",
           {{"median", own.worst / 2}, {"worst", own.worst}, {"worst_setting", "ECMP polarised"}, {"cases", {1, 2}}}}};
}

std::string text_of(const Json& fabrics, const char* weights) {
  std::string text;
  for (const Json& own : verdict_of(fabrics, *parse_weights(weights))) {
    EXPECT_FALSE(own.at("evidence").get<std::string>().empty()) << own;
    text += own.at("text").get<std::string>() + "\n";
  }
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Verdict, WeightsDecideWhoComesOutFirst) {
  const Json fabrics = {fabric_of({"infiniband", 1.0, 0.01, 3e6, 0.01}, false),
                        fabric_of({"rocev2", 1.2, 0.01, 1e6, 0.01}, true)};
  EXPECT_TRUE(has(text_of(fabrics, "balanced"), "rocev2 ranks first"));
  EXPECT_TRUE(has(text_of(fabrics, "speed=100,budget=1"), "infiniband ranks first"));
}

TEST(Verdict, NamesTheLargestCauseOfAGap) {
  const Json fabrics = {fabric_of({"infiniband", 1.0, 0.01, 3e6, 0.01}, false),
                        fabric_of({"rocev2", 1.2, 0.01, 1e6, 0.01}, true)};
  EXPECT_TRUE(has(text_of(fabrics, "balanced"), "rocev2 takes 20.0 % longer than infiniband, most of it for headers"));
}

TEST(Verdict, IntervalsThatOverlapAreNoDifference) {
  const Json fabrics = {fabric_of({"infiniband", 1.0, 0.05, 3e6, 0.01}, false),
                        fabric_of({"rocev2", 1.01, 0.05, 1e6, 0.01}, false)};
  const std::string text = text_of(fabrics, "balanced");
  EXPECT_TRUE(has(text, "there is no difference in step time")) << text;
  EXPECT_FALSE(has(text, "longer than")) << text;
}

TEST(Verdict, WhatIsNotPossibleIsNoContender) {
  Json fabrics = {fabric_of({"infiniband", 1.0, 0.05, 3e6, 0.01}, false)};
  fabrics.push_back({{"name", "rocev1"}, {"possible", false}, {"reason", "not possible: boundary leaf0"}});
  const std::string text = text_of(fabrics, "balanced");
  EXPECT_TRUE(has(text, "infiniband is the only fabric that can serve this job")) << text;
  EXPECT_TRUE(has(text, "rocev1 cannot serve this job")) << text;
}

TEST(Verdict, SaysNothingOfRiskOrCostThatWasNotMeasured) {
  Json one = fabric_of({"infiniband", 1.0, 0.05, 3e6, 0.01}, false);
  Json two = fabric_of({"rocev2", 1.4, 0.05, 1e6, 0.01}, true);
  for (Json* own : {&one, &two}) {
    own->erase("tuning_risk");
    own->erase("cost_usd");
  }
  const std::string text = text_of(Json::array({one, two}), "balanced");
  EXPECT_FALSE(has(text, "cost")) << text;
  EXPECT_FALSE(has(text, "set up wrongly")) << text;
}

}  // namespace
}  // namespace weft::study::compare
