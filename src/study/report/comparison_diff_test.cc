#include "study/report/comparison_diff_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "study/report/comparison_document.h"
#include "study/report/comparison_figures.h"
#include "study/report/comparison_headline.h"
#include "study/report/test_comparison.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;
using testing::test_comparison;

template <class Change>
ComparisonDiff diff_after(const Change& change) {
  const Json a = test_comparison("full.json");
  Json b = a;
  change(b);
  const Comparison before = comparison_from(a);
  const Comparison after = comparison_from(b);
  return diff_comparisons({.a = before, .b = after});
}

std::vector<std::string> wrapped_lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

const FigureDifference* figure(const ComparisonDiff& diff, const std::string& name) {
  const auto found = std::ranges::find(diff.figures, name, &FigureDifference::name);
  return found == diff.figures.end() ? nullptr : &*found;
}

TEST(ComparisonDiff, EqualComparisonsDoNotDiffer) {
  const ComparisonDiff diff = diff_after([](Json&) {});
  EXPECT_TRUE(diff.figures.empty());
  EXPECT_TRUE(diff.settings.empty());
  EXPECT_TRUE(diff.statements.empty());
  EXPECT_GT(diff.same, 150U);
  EXPECT_EQ(diff_text(diff), "Figures that differ: 0; that differ only within their confidence interval: 0; equal: " +
                                 std::to_string(diff.same) + ".\n");
}

TEST(ComparisonDiff, TheLargestRelativeChangeComesFirst) {
  const ComparisonDiff diff = diff_after([](Json& b) {
    b["fabrics"][0]["power_w"] = b["fabrics"][0]["power_w"].get<double>() * 0.9;
    b["fabrics"][1]["cost_usd"] = b["fabrics"][1]["cost_usd"].get<double>() * 1.5;
    b["fabrics"][0]["drops"] = 4;  // from 0: no relative change, but the largest there is
  });
  ASSERT_EQ(diff.figures.size(), 3U);
  EXPECT_EQ(diff.figures[0].name, "drops");
  EXPECT_FALSE(diff.figures[0].change);
  EXPECT_EQ(diff.figures[1].name, "cost_usd");
  EXPECT_EQ(diff.figures[1].fabric, "rocev2");
  EXPECT_NEAR(*diff.figures[1].change, 0.5, 1e-12);
  EXPECT_EQ(diff.figures[2].name, "power_w");
  EXPECT_NEAR(*diff.figures[2].change, -0.1, 1e-12);
}

TEST(ComparisonDiff, IntervalsThatOverlapMakeNoDifference) {
  // The interval of InfiniBand is 0.400 to 0.404 s.
  const auto moved = [](double by) {
    return diff_after([by](Json& b) {
      Json& fabric = b["fabrics"][0];
      for (const char* key : {"step_time_s", "step_time_low_s", "step_time_high_s"}) {
        fabric[key] = fabric[key].get<double>() + by;
      }
      fabric["tokens_per_second"] = 1;
    });
  };
  const ComparisonDiff within = moved(0.0039);
  EXPECT_EQ(figure(within, "step_time_s")->verdict, FigureVerdict::kWithinInterval);
  EXPECT_EQ(figure(within, "tokens_per_second")->verdict, FigureVerdict::kWithinInterval);
  EXPECT_NE(diff_text(within).find("none: within the confidence interval"), std::string::npos);
  const ComparisonDiff beyond = moved(0.0041);
  EXPECT_EQ(figure(beyond, "step_time_s")->verdict, FigureVerdict::kDiffers);
  EXPECT_EQ(figure(beyond, "tokens_per_second")->verdict, FigureVerdict::kDiffers);
}

// An interval that reaches up to 0.6 s from 0.402 s says little, and one from 0.39 to 0.41 s something.
TEST(ComparisonDiff, IntervalsThatSayLittleMakeNoKnownDifference) {
  const auto with_high = [](double high) {
    return diff_after([high](Json& b) {
      b["fabrics"][0]["step_time_s"] = b["fabrics"][0]["step_time_s"].get<double>() + 0.001;
      b["fabrics"][0]["step_time_high_s"] = high;
      b["fabrics"][0]["tokens_per_second"] = 1;
    });
  };
  const ComparisonDiff open = with_high(0.6);
  EXPECT_EQ(figure(open, "step_time_s")->verdict, FigureVerdict::kNotKnown);
  EXPECT_EQ(figure(open, "tokens_per_second")->verdict, FigureVerdict::kNotKnown);
  EXPECT_NE(diff_text(open).find("not known: an interval says little"), std::string::npos);
  EXPECT_NE(headline_text(open).find("not known"), std::string::npos);
  EXPECT_EQ(headline_text(open).find("no difference"), std::string::npos);
  EXPECT_EQ(figure(with_high(0.41), "step_time_s")->verdict, FigureVerdict::kWithinInterval);
}

TEST(ComparisonDiff, AFigureThatASideDoesNotHaveIsNotKnownThere) {
  const auto step = [](const ComparisonDiff& diff, const std::string& fabric) {
    const Json json = diff_json(diff);
    for (const Json& row : json["headline"]) {
      if (row["fabric"] == fabric && row["label"] == "Step time") {
        return row["difference"].get<std::string>();
      }
    }
    return std::string();
  };
  const Json full = test_comparison("full.json");
  Json none = full;
  for (const char* key : {"step_time_s", "step_time_low_s", "step_time_high_s"}) {
    none["fabrics"][0].erase(key);
  }
  const Comparison has = comparison_from(full);
  const Comparison has_not = comparison_from(none);
  EXPECT_NE(headline_text(diff_comparisons({.a = has, .b = has_not})).find("-> not known"), std::string::npos);
  EXPECT_NE(headline_text(diff_comparisons({.a = has_not, .b = has})).find("not known -> "), std::string::npos);
  const ComparisonDiff neither = diff_comparisons({.a = has_not, .b = has_not});
  EXPECT_EQ(step(neither, has.fabrics[0].name), "not known");
  EXPECT_EQ(step(neither, has.fabrics[1].name), "equal");
}

TEST(ComparisonDiff, ASingleIntervalIsComparedWithTheOthersFigure) {
  const auto against = [](double time) {
    return diff_after([time](Json& b) {
      b["fabrics"][0].erase("step_time_low_s");
      b["fabrics"][0].erase("step_time_high_s");
      b["fabrics"][0]["step_time_s"] = time;
    });
  };
  EXPECT_EQ(figure(against(0.4035), "step_time_s")->verdict, FigureVerdict::kWithinInterval);
  EXPECT_EQ(figure(against(0.4045), "step_time_s")->verdict, FigureVerdict::kDiffers);
}

TEST(ComparisonDiff, FiguresOfListsAreMatchedByTheirNames) {
  const ComparisonDiff diff = diff_after([](Json& b) {
    Json& lost = b["fabrics"][0]["lost_time"];
    std::swap(lost[0], lost[1]);  // the order is no difference
    lost[0]["s"] = lost[0]["s"].get<double>() * 2;
    b["fabrics"][0]["lost_time"].push_back({{"cause", "new"}, {"s", 0.5}});
    b["fabrics"][1]["bill"].erase(0);
    b["fabrics"][1]["tuning_risk"]["cases"][0]["loss"] = 0.7;
  });
  ASSERT_NE(figure(diff, "lost_time[waiting for credits].s"), nullptr);
  EXPECT_NEAR(*figure(diff, "lost_time[waiting for credits].s")->change, 1, 1e-12);
  EXPECT_EQ(figure(diff, "lost_time[new].s")->verdict, FigureVerdict::kOnlyInB);
  EXPECT_EQ(figure(diff, "bill[switch spectrum-4].count")->verdict, FigureVerdict::kOnlyInA);
  EXPECT_NE(figure(diff, "tuning_risk.cases[ECMP polarised one hash seed everywhere].loss"), nullptr);
  EXPECT_EQ(figure(diff, "lost_time[headers].s"), nullptr);
}

TEST(ComparisonDiff, SettingsAreComparedWithoutTheirSources) {
  const ComparisonDiff diff = diff_after([](Json& b) {
    b["fabrics"][0]["settings_text"] =
        "name            sample           derived: another place\nseed            1                default\n\n"
        "fabric.family   infiniband       x\nswitch.buffer   32 MiB           catalogue switch\nnic.ports       2     "
        "y\n";
    b["scenario"]["seed"] = 7;
    b["scenario"]["file"] = "elsewhere.toml";
  });
  ASSERT_EQ(diff.settings.size(), 3U);
  EXPECT_EQ(diff.settings[0].name, "seed");
  EXPECT_EQ(diff.settings[0].fabric, "");
  EXPECT_EQ(diff.settings[0].b, "7");
  EXPECT_EQ(diff.settings[1].name, "switch.buffer");
  EXPECT_EQ(diff.settings[1].a, "64 MiB");
  EXPECT_EQ(diff.settings[1].b, "32 MiB");
  EXPECT_EQ(diff.settings[2].name, "nic.ports");
  EXPECT_EQ(diff.settings[2].a, std::nullopt);
}

// "link.*.rate 400 Gbps" is what link.host.rate is where no line says otherwise; it was called absent.
TEST(ComparisonDiff, ALineOfAllStandsForEachThatHasNoLine) {
  const auto rates = [](Json& comparison, const std::string& lines) {
    comparison["fabrics"][0]["settings_text"] = lines;
  };
  const auto diff_of = [](const Json& one, const Json& other) {
    const Comparison before = comparison_from(one);
    const Comparison after = comparison_from(other);
    return diff_comparisons({.a = before, .b = after});
  };
  Json a = test_comparison("full.json");
  Json b = a;
  rates(a, "link.*.rate     400 Gbps   x\nlink.host.rate  400 Gbps   y\n");
  rates(b, "link.*.rate     400 Gbps   x\n");
  EXPECT_TRUE(diff_of(a, b).settings.empty());
  EXPECT_TRUE(diff_of(b, a).settings.empty());

  rates(b, "link.*.rate     400 Gbps   x\nlink.host.rate  100 Gbps   y\n");
  rates(a, "link.*.rate     400 Gbps   x\n");
  for (const bool forward : {true, false}) {
    const ComparisonDiff diff = forward ? diff_of(a, b) : diff_of(b, a);
    ASSERT_EQ(diff.settings.size(), 1U);
    EXPECT_EQ(diff.settings[0].name, "link.host.rate");
    EXPECT_EQ(forward ? diff.settings[0].a : diff.settings[0].b, "400 Gbps");
    EXPECT_EQ(forward ? diff.settings[0].b : diff.settings[0].a, "100 Gbps");
  }

  rates(b, "link.host.rate  100 Gbps   x\nlink.leaf.rate  200 Gbps   x\nlink.spine.rate  400 Gbps   x\n");
  const ComparisonDiff each = diff_of(a, b);
  ASSERT_EQ(each.settings.size(), 2U);
  EXPECT_EQ(each.settings[0].name, "link.host.rate");
  EXPECT_EQ(each.settings[1].name, "link.leaf.rate");
}

TEST(ComparisonDiff, FabricsOfOneSideAloneAndOtherWordsAreSaid) {
  const ComparisonDiff diff = diff_after([](Json& b) {
    b["fabrics"][4]["name"] = "tcp-bbr";
    b["fabrics"][0]["rows"][0]["value"] = "another strength";
    b["verdict"][0]["evidence"] = "other evidence";
    b["fabrics"][3]["reason"] = "not possible: another boundary";
  });
  EXPECT_EQ(diff.only_in_a, std::vector<std::string>{"tcp"});
  EXPECT_EQ(diff.only_in_b, std::vector<std::string>{"tcp-bbr"});
  ASSERT_EQ(diff.statements.size(), 3U);
  EXPECT_EQ(diff.statements[0].b, "other evidence");
  EXPECT_EQ(diff.statements[1].name, "Primary strength");
  EXPECT_EQ(diff.statements[2].name, "possible");
  EXPECT_TRUE(diff.figures.empty());
}

TEST(ComparisonDiff, FiveFiguresThatDecideComeFirstForEachFabricOfBothSides) {
  const ComparisonDiff diff = diff_after([](Json& b) {
    b["fabrics"][1]["cost_usd"] = b["fabrics"][1]["cost_usd"].get<double>() * 2;
    b["fabrics"][4]["name"] = "tcp-bbr";
  });
  std::set<std::string> labels;
  for (const HeadlineFigure& figure : diff.headline) {
    labels.insert(figure.label);
    EXPECT_NE(figure.fabric, "tcp");
    EXPECT_NE(figure.fabric, "tcp-bbr");
  }
  EXPECT_EQ(labels.size(), 5U);
  EXPECT_TRUE(labels.contains("Step time"));
  const auto doubled = std::ranges::find_if(diff.headline, [](const HeadlineFigure& figure) {
    return figure.label == "Price of the network" && figure.fabric == "rocev2";
  });
  ASSERT_NE(doubled, diff.headline.end());
  EXPECT_NEAR(*doubled->change, 1, 1e-12);
  EXPECT_EQ(doubled->verdict, FigureVerdict::kDiffers);
  EXPECT_NE(headline_text(diff).find("+100.0 %"), std::string::npos) << headline_text(diff);
  EXPECT_NE(headline_text(diff).find("equal"), std::string::npos);
}

TEST(ComparisonDiff, TheHeadlineFitsTheTerminal) {
  const ComparisonDiff diff = diff_after([](Json& b) { b["fabrics"][1]["cost_usd"] = 1; });
  for (const std::size_t width : {30U, 60U, 80U, 200U}) {
    for (const std::string& line : wrapped_lines_of(headline_text(diff, width) + diff_text(diff, width))) {
      EXPECT_LE(columns_of(line), width) << line;
    }
  }
}

TEST(ComparisonDiff, JsonSaysTheSame) {
  const ComparisonDiff diff = diff_after([](Json& b) { b["fabrics"][1]["cost_usd"] = 1; });
  const Json json = diff_json(diff);
  EXPECT_EQ(json["figures"].size(), 1U);
  EXPECT_EQ(json["figures"][0]["fabric"], "rocev2");
  EXPECT_EQ(json["figures"][0]["name"], "cost_usd");
  EXPECT_EQ(json["figures"][0]["b"], 1);
  EXPECT_EQ(json["figures"][0]["difference"], "differs");
  EXPECT_LT(json["figures"][0]["relative_change"].get<double>(), -0.99);
  EXPECT_EQ(json["figures_equal"], diff.same);
  EXPECT_EQ(json["headline"].size(), diff.headline.size());
  EXPECT_EQ(json["headline"][0]["label"], "Step time");
}

TEST(ComparisonFigures, BoundsOfAnIntervalAreNoFiguresOfTheirOwn) {
  const Comparison full = comparison_from(test_comparison("full.json"));
  for (const Figure& figure : figures_of(full.fabrics[0])) {
    EXPECT_EQ(figure.name.find("_low"), std::string::npos) << figure.name;
    if (is_step_time(figure.name)) {
      EXPECT_EQ(figure.low, 0.4);
      EXPECT_EQ(figure.high, 0.404);
    }
  }
}

TEST(ComparisonFigures, NamesThatComeTwiceAreNumbered) {
  const ComparedFabric fabric{.lost_time = {{{.cause = "x", .time = 1}, {.cause = "x", .time = 2}}}};
  const auto figures = figures_of(fabric);
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].name, "lost_time[x].s");
  EXPECT_EQ(figures[1].name, "lost_time[x].s (2)");
}

}  // namespace
}  // namespace weft::study::report
