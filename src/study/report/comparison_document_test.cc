#include "study/report/comparison_document.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

#include "study/report/test_comparison.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;
using testing::test_comparison;

/// What is said of the full comparison after `change`.
template <class Change>
std::string said_after(const Change& change) {
  Json document = test_comparison("full.json");
  change(document);
  const Result<void> right = check_comparison(document);
  return right ? "" : right.error().message;
}

TEST(ComparisonDocument, TakesEverythingAndAlmostNothing) {
  for (const char* name : {"full.json", "empty.json"}) {
    const Result<void> right = check_comparison(test_comparison(name));
    EXPECT_TRUE(right) << name << ": " << right.error().message;
  }
}

TEST(ComparisonDocument, NullIsAsGoodAsAbsent) {
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["step_time_s"] = nullptr; }), "");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["topology"] = nullptr; }), "");
  EXPECT_EQ(said_after([](Json& d) { d["scenario"] = nullptr; }), "");
}

TEST(ComparisonDocument, AnotherFormatOrVersionIsSaidFirst) {
  EXPECT_EQ(said_after([](Json& d) { d = Json::array(); }),
            "not the results of a comparison: no \"format\": \"weft-comparison\"");
  EXPECT_EQ(said_after([](Json& d) { d["format"] = "weft-diff"; }),
            "not the results of a comparison: no \"format\": \"weft-comparison\"");
  EXPECT_EQ(said_after([](Json& d) { d.erase("format_version"); }), "format_version is missing; it should be 1");
  EXPECT_EQ(
      said_after([](Json& d) {
        d["format_version"] = 2;
        d["version"] = "9.0";
        d["fabrics"] = "of another kind";
      }),
      "a comparison in format version 2, written by weft 9.0; this weft reads version 1: run the comparison again");
}

TEST(ComparisonDocument, AMissingPartIsNamed) {
  EXPECT_EQ(said_after([](Json& d) { d.erase("fabrics"); }), "fabrics is missing");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"] = Json::array(); }),
            "fabrics: the list is empty; a comparison has at least one");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][1].erase("name"); }), "fabrics[1].name is missing");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][2]["lost_time"][0].erase("s"); }),
            "fabrics[2].lost_time[0].s is missing");
  EXPECT_EQ(said_after([](Json& d) { d["verdict"][3].erase("text"); }), "verdict[3].text is missing");
}

TEST(ComparisonDocument, APartOfAnotherKindIsNamedWithWhatWasFound) {
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][1]["step_time_s"] = "fast"; }),
            "fabrics[1].step_time_s: a number expected, found \"fast\"");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["cdf"]["fct"][2] = 7; }).substr(0, 63),
            "fabrics[0].cdf.fct: a list of pairs of numbers expected, found ");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["possible"] = "yes"; }),
            "fabrics[0].possible: true or false expected, found \"yes\"");
  EXPECT_EQ(said_after([](Json& d) {
              d["fabrics"][0]["parts"] = {{"forward", 1}};
            }),
            "fabrics[0].parts: a list of objects expected, found {\"forward\":1}");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["queues"][1]["at_s"] = 0; }),
            "fabrics[0].queues[1].at_s: a list of numbers expected, found 0");
}

TEST(ComparisonDocument, EveryKindOfMemberIsHeldToItsKind) {
  EXPECT_EQ(said_after([](Json& d) { d["reproduce"] = 1.5; }), "reproduce: a text expected, found 1.5");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["drops"] = true; }),
            "fabrics[0].drops: a number expected, found true");
  EXPECT_EQ(said_after([](Json& d) {
              d["fabrics"][0]["step_times_s"] = {0.1, "x"};
            }),
            "fabrics[0].step_times_s: a list of numbers expected, found [0.1,\"x\"]");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["fct_us"] = 88; }),
            "fabrics[0].fct_us: an object expected, found 88");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["tuning_risk"]["cases"] = {7}; }),
            "fabrics[0].tuning_risk.cases: a list of objects expected, found [7]");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["tuning_risk"]["by_size"][0].erase("gpus"); }),
            "fabrics[0].tuning_risk.by_size[0].gpus is missing");
}

TEST(ComparisonDocument, IsWrittenAsItWasRead) {
  for (const char* name : {"full.json", "empty.json"}) {
    const std::string text = test_comparison(name).dump(1);
    const Result<Comparison> comparison = parse_comparison(text);
    ASSERT_TRUE(comparison) << comparison.error().message;
    EXPECT_EQ(comparison_json_text(*comparison, 1), text) << name;
  }
}

TEST(ComparisonDocument, ReadingFillsTheComparison) {
  const Comparison full = comparison_from(test_comparison("full.json"));
  ASSERT_EQ(full.fabrics.size(), 5U);
  const ComparedFabric& fabric = full.fabrics[0];
  EXPECT_EQ(full.scenario->name, "sample");
  EXPECT_EQ(full.scenario->seeds, (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(fabric.step.low, 0.4);
  EXPECT_EQ(fabric.run.parts->at(2).sent_bytes, 2147483648);
  EXPECT_EQ(fabric.run.fct->p999, 260.0);
  EXPECT_EQ(fabric.small_message->loaded_p999, 11.0);  // an integer in the file
  EXPECT_EQ(fabric.tuning_risk->figures.worst, 0.014);
  EXPECT_EQ(fabric.settings->list[0].key, "pfc.enabled");
  EXPECT_EQ(fabric.run.cdf->fct->size(), test_comparison("full.json")["fabrics"][0]["cdf"]["fct"].size());
  EXPECT_FALSE(fabric.run.pause);
  EXPECT_FALSE(full.fabrics[3].possible);
}

// Documents of other versions of weft, or made by hand.
TEST(ComparisonDocument, WhatIsUnknownOrOfAnotherFormIsKept) {
  Json document = test_comparison("empty.json");
  Json& fabric = document["fabrics"][0];
  fabric["marks"] = nullptr;
  fabric["future"] = {{"figure", 2}, {"rows", {{{"name", "x"}, {"value", 1.5}}}}};
  fabric["small_message"] = {{"idle_us", "text"}, {"bytes", 1e3}, {"more", {1, "two", nullptr}}};
  fabric["drops"] = 4.5;
  fabric["step_time_s"] = 1;
  fabric["tiers"] = {{{"sent_bytes", 2.5}}, Json::object()};
  fabric["running_cost"] = {{"not_counted", {"hosts", 3}}};
  document["scenario"] = {{"seed", "seven"}, {"name", "x"}};
  const Result<Comparison> comparison = parse_comparison(document.dump());
  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_EQ(comparison_json_text(*comparison, -1), document.dump());
  EXPECT_EQ(comparison->fabrics[0].step.mean, 1.0);
  EXPECT_FALSE(comparison->fabrics[0].small_message->idle);
}

TEST(ComparisonDocument, ListsThatBelongTogetherHaveOneLength) {
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["queues"][0]["bytes"].erase(0); }),
            "fabrics[0].queues, \"leaf0/port2\": 11 values of bytes for 12 instants");
  EXPECT_EQ(said_after([](Json& d) {
              d["fabrics"][0]["decisions"] = {{{"decision", "detour"}, {"at_s", {1e-3, 2e-3}}, {"count", {7}}}};
            }),
            "fabrics[0].decisions, \"detour\": 1 values of count for 2 instants");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["topology"]["instants_s"].erase(0); }),
            "fabrics[0].topology.links, \"host0\" to \"leaf0\": 12 values of utilisation for 11 instants");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["topology"]["links"][0]["to"] = "leaf9"; }),
            "fabrics[0].topology.links: unknown node \"leaf9\"");
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][1]["name"] = d["fabrics"][0]["name"]; }),
            "fabrics[1].name: \"infiniband\" appears twice");
}

TEST(ComparisonDocument, NestingWithoutEndIsRefused) {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"x\": ", "}")}) {
    std::string text = "{\"format\": \"weft-comparison\", \"format_version\": 1, \"x\": ";
    std::string ends;
    for (int i = 0; i < 100'000; ++i) {
      text += open;
      ends += close;
    }
    const Result<Comparison> parsed = parse_comparison(text + "1" + ends + "}");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().message, "lists and objects nested more than 64 deep");
  }
}

TEST(ComparisonDocument, TextThatIsNoJsonIsRefusedWithItsPlace) {
  const Result<Comparison> parsed = parse_comparison("{\n  \"format\": oops\n}");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message.substr(0, 42), "not JSON: parse error at line 2, column 13");
  const Result<Comparison> huge = parse_comparison("{\"x\": 1e400}");
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().message, "not JSON: number overflow parsing '1e400'");
  EXPECT_FALSE(parse_comparison(""));
  EXPECT_FALSE(parse_comparison("{}"));
  EXPECT_TRUE(parse_comparison(test_comparison("full.json").dump()));
}

}  // namespace
}  // namespace weft::study::report
