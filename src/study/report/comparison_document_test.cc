#include "study/report/comparison_document.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>

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

TEST(ComparisonDocument, ListsThatBelongTogetherHaveOneLength) {
  EXPECT_EQ(said_after([](Json& d) { d["fabrics"][0]["queues"][0]["bytes"].erase(0); }),
            "fabrics[0].queues, \"leaf0/port2\": 11 values of bytes for 12 instants");
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
    const Result<Json> parsed = parse_comparison(text + "1" + ends + "}");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().message, "lists and objects nested more than 64 deep");
  }
}

TEST(ComparisonDocument, TextThatIsNoJsonIsRefusedWithItsPlace) {
  const Result<Json> parsed = parse_comparison("{\n  \"format\": oops\n}");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message.substr(0, 42), "not JSON: parse error at line 2, column 13");
  const Result<Json> huge = parse_comparison("{\"x\": 1e400}");
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().message, "not JSON: number overflow parsing '1e400'");
  EXPECT_FALSE(parse_comparison(""));
  EXPECT_FALSE(parse_comparison("{}"));
  EXPECT_TRUE(parse_comparison(test_comparison("full.json").dump()));
}

}  // namespace
}  // namespace weft::study::report
