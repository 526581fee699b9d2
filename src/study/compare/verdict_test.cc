#include "study/compare/verdict.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "study/compare/quick_answer.h"

namespace weft::study::compare {
namespace {

struct Figures {
  const char* name;
  double step;
  double half;
  double cost;
  double worst;
};

report::ComparedFabric fabric_of(const Figures& own, bool differs) {
  return {.name = own.name,
          .family = own.name,
          .possible = true,
          .step = {.mean = own.step, .low = own.step - own.half, .high = own.step + own.half},
          .lost_time = {{{.cause = "headers", .time = own.step / 10, .origin = "emerges"}}},
          .tuning_risk =
              report::TuningRisk{
                  .cases = std::vector<report::MisconfigurationCase>(2),
                  .figures = {.worst_setting = "ECMP polarised", .median = own.worst / 2, .worst = own.worst}},
          .cost_usd = own.cost,
          .differs_from_best = differs};
}

using Fabrics = std::vector<report::ComparedFabric>;

std::string text_of(const Fabrics& fabrics, const char* weights) {
  std::string text;
  for (const report::VerdictSentence& own : verdict_of(fabrics, *parse_weights(weights))) {
    EXPECT_FALSE(own.evidence.empty()) << own.text;
    text += own.text + "\n";
  }
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Verdict, WeightsDecideWhoComesOutFirst) {
  const Fabrics fabrics = {fabric_of({"infiniband", 1.0, 0.01, 3e6, 0.01}, false),
                           fabric_of({"rocev2", 1.2, 0.01, 1e6, 0.01}, true)};
  EXPECT_TRUE(has(text_of(fabrics, "balanced"), "rocev2 ranks first"));
  EXPECT_TRUE(has(text_of(fabrics, "speed=100,budget=1"), "infiniband ranks first"));
}

TEST(Verdict, NamesTheLargestCauseOfAGap) {
  Fabrics fabrics = {fabric_of({"infiniband", 1.0, 0.01, 3e6, 0.01}, false),
                     fabric_of({"rocev2", 1.2, 0.01, 1e6, 0.01}, true)};
  const std::string gap = "rocev2 takes 20.0 % longer than infiniband, ";
  EXPECT_TRUE(has(text_of(fabrics, "balanced"), gap + "the largest part of it for headers")) << "a tenth of it";
  fabrics[1].lost_time->front().time = 0.25;
  EXPECT_TRUE(has(text_of(fabrics, "balanced"), gap + "most of it for headers"));
}

TEST(Verdict, SeedsThatAreFarApartSayNothing) {
  const Fabrics fabrics = {fabric_of({"infiniband", 1.0, 0.05, 3e6, 0.01}, false),
                           fabric_of({"rocev2", 15.0, 60, 1e6, 0.01}, false)};
  const std::string text = text_of(fabrics, "balanced");
  EXPECT_FALSE(has(text, "there is no difference in step time")) << text;
  EXPECT_TRUE(has(text, "How long rocev2 takes is not known")) << text;
}

/// As `fabric_of`, with a step that may be longer by so much.
report::ComparedFabric reaching_up(const Figures& own, double up) {
  report::ComparedFabric made = fabric_of(own, false);
  made.step.high = own.step + up;
  return made;
}

TEST(Verdict, AStepThatIsALowerBoundIsNotKnownAndNotAlike) {
  const Fabrics fabrics = {fabric_of({"infiniband", 2.82, 0.15, 3e6, 0.01}, false),
                           reaching_up({"rocev2", 3.09, 0.23, 3e6, 0.01}, 0.84)};
  const std::string text = text_of(fabrics, "balanced");
  EXPECT_TRUE(has(text, "How long rocev2 takes is not known: 2.860 s at least, but perhaps 3.930 s")) << text;
  EXPECT_TRUE(has(text, "infiniband has the shortest step as far as steps are known")) << text;
  EXPECT_TRUE(has(text, "Not decided between")) << text;
  for (const char* const claim :
       {"no difference", "No difference", "infiniband is the fastest", "longer than", "ranks first"}) {
    EXPECT_FALSE(has(text, claim)) << text;
  }
}

/// The defect: "hardly less than the figure" stood beside an interval that began a fifth below it.
TEST(Verdict, WhatIsNotKnownIsSaidWithTheEndsOfItsInterval) {
  report::ComparedFabric rocev2 = reaching_up({"rocev2", 1.135, 0.241, 3e6, 0.01}, 0.55);
  const Fabrics fabrics = {fabric_of({"infiniband", 1.0, 0.05, 3e6, 0.01}, false), rocev2};
  const std::string text = text_of(fabrics, "money");
  EXPECT_TRUE(has(text, "894.00 ms at least, but perhaps 1.685 s")) << text;
  EXPECT_TRUE(has(text, "A larger job.slice_hops narrows it.")) << text;
}

/// The defect: --seeds was advised, which --quick does not heed.
TEST(Verdict, AFirstAnswerIsNarrowedByTheWholeComparison) {
  for (const double up : {0.3, 0.9}) {
    report::ComparedFabric rocev2 = reaching_up({"rocev2", 1.1, 0.1, 3e6, 0.01}, up);
    rocev2.run.slice_caution = std::string(kQuickCaution);
    const std::string text = text_of({fabric_of({"infiniband", 1.0, 0.05, 3e6, 0.01}, false), rocev2}, "money");
    EXPECT_TRUE(has(text, "The same command without --quick narrows it.")) << text;
    EXPECT_FALSE(has(text, "--seeds")) << text;
  }
}

TEST(Verdict, ALowerBoundThatIsLowestIsNotTheFastest) {
  const Fabrics fabrics = {reaching_up({"rocev2-spray", 2.8, 0.15, 3e6, 0.01}, 0.7),
                           fabric_of({"infiniband", 2.82, 0.15, 3e6, 0.01}, false)};
  const std::string text = text_of(fabrics, "balanced");
  EXPECT_TRUE(has(text, "How long rocev2-spray takes is not known")) << text;
  for (const char* const claim : {"no difference", "No difference", "rocev2-spray is the fastest", "longer than"}) {
    EXPECT_FALSE(has(text, claim)) << text;
  }
}

TEST(Verdict, IntervalsThatOverlapAreNoDifference) {
  const Fabrics fabrics = {fabric_of({"infiniband", 1.0, 0.05, 3e6, 0.01}, false),
                           fabric_of({"rocev2", 1.01, 0.05, 1e6, 0.01}, false)};
  const std::string text = text_of(fabrics, "balanced");
  EXPECT_TRUE(has(text, "there is no difference in step time")) << text;
  EXPECT_FALSE(has(text, "longer than")) << text;
}

/// The defect: of two that cost the same, the one that came first was the cheapest.
TEST(Verdict, AllThatCostLeastOrMostAreNamed) {
  const Fabrics fabrics = {
      fabric_of({"uet", 1.3, 0.01, 4e6, 0.01}, true), fabric_of({"infiniband-ar", 1.1, 0.01, 3e6, 0.01}, true),
      fabric_of({"infiniband", 1.0, 0.01, 3e6, 0.01}, false), fabric_of({"rocev2", 1.2, 0.01, 4e6, 0.01}, true)};
  const std::string text = text_of(fabrics, "money");
  EXPECT_TRUE(has(text, "infiniband and infiniband-ar cost least and rocev2 and uet most, 1.33 times as much")) << text;
}

std::string evidence_of(const Fabrics& fabrics) {
  std::string text;
  for (const report::VerdictSentence& own : verdict_of(fabrics, *parse_weights("money"))) {
    text += own.evidence + "\n";
  }
  return text;
}

/// The defect: "indicative" stood beside prices of which the catalogue had none.
TEST(Verdict, PricesThatTheScenarioGivesAreNotIndicative) {
  Fabrics fabrics = {fabric_of({"infiniband", 1.0, 0.01, 3e6, 0.01}, false),
                     fabric_of({"rocev2", 1.2, 0.01, 1e6, 0.01}, true)};
  for (report::ComparedFabric& own : fabrics) {
    own.bill = {{.part = "nic", .count = 1, .price_usd = *own.cost_usd, .mark = "given"}};
  }
  EXPECT_FALSE(has(evidence_of(fabrics), "indicative"));
  fabrics.front().bill->push_back({.part = "switch", .count = 1, .price_usd = 1, .mark = "guess", .owned = true});
  EXPECT_FALSE(has(evidence_of(fabrics), "indicative"));
  fabrics.front().bill->back().owned = false;
  EXPECT_TRUE(has(evidence_of(fabrics), "1.00 against 3.00 M USD (indicative prices)"));
}

/// The defect: "0.00 times as much".
TEST(Verdict, WhatCostsNothingHasNoRatio) {
  const std::string text =
      text_of({fabric_of({"infiniband", 1.0, 0.01, 3e6, 0.01}, false), fabric_of({"rocev2", 1.2, 0.01, 0, 0.01}, true)},
              "money");
  EXPECT_TRUE(has(text, "rocev2 costs nothing and infiniband most.")) << text;
}

TEST(Verdict, WhatIsNotPossibleIsNoContender) {
  Fabrics fabrics = {fabric_of({"infiniband", 1.0, 0.05, 3e6, 0.01}, false)};
  fabrics.push_back({.name = "rocev1", .possible = false, .reason = "not possible: boundary leaf0"});
  const std::string text = text_of(fabrics, "balanced");
  EXPECT_TRUE(has(text, "infiniband is the only fabric that can serve this job")) << text;
  EXPECT_TRUE(has(text, "rocev1 cannot serve this job")) << text;
}

TEST(Verdict, SaysNothingOfRiskOrCostThatWasNotMeasured) {
  report::ComparedFabric one = fabric_of({"infiniband", 1.0, 0.05, 3e6, 0.01}, false);
  report::ComparedFabric two = fabric_of({"rocev2", 1.4, 0.05, 1e6, 0.01}, true);
  for (report::ComparedFabric* own : {&one, &two}) {
    own->tuning_risk.reset();
    own->cost_usd.reset();
  }
  const std::string text = text_of({one, two}, "balanced");
  EXPECT_FALSE(has(text, "cost")) << text;
  EXPECT_FALSE(has(text, "set up wrongly")) << text;
}

}  // namespace
}  // namespace weft::study::compare
