#include "study/report/comparison_csv.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>

#include "study/report/comparison_document.h"
#include "study/report/test_comparison.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;
using testing::test_comparison;

std::string text_of(const std::vector<results::CsvFile>& files, const std::string& name) {
  const auto found = std::ranges::find(files, name, &results::CsvFile::name);
  return found == files.end() ? "no " + name : found->text;
}

std::size_t lines_in(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

Json small() {
  return {{"format", "weft-comparison"},
          {"fabrics",
           {{{"name", "a, \"b\""},
             {"possible", true},
             {"fct_us", {{"p50", 1.5}, {"p99", nullptr}}},
             {"cdf", {{"fct", {{1, 0.5}, {2, 1}}}}},
             {"topology", {{"links", {{{"from", "x"}, {"utilisation", {0.25, 0.5}}}}}}}},
            {{"name", "c"}, {"possible", false}, {"reason", "two\nlines"}}}},
          {"verdict", {{{"text", "Take a."}}}}};
}

TEST(ComparisonCsv, FabricsAreRowsAndSingleFiguresTheirColumns) {
  const auto files = comparison_csv(comparison_from(small()));
  EXPECT_EQ(text_of(files, "fabrics.csv"),
            "name,possible,fct_us.p50,fct_us.p99,reason\n"
            "\"a, \"\"b\"\"\",true,1.5,,\n"
            "c,false,,,\"two\nlines\"\n");
  EXPECT_EQ(text_of(files, "comparison.csv"), "format\nweft-comparison\n");
  EXPECT_EQ(text_of(files, "verdict.csv"), "text\nTake a.\n");
}

TEST(ComparisonCsv, EveryListIsATableWithItsFabric) {
  const auto files = comparison_csv(comparison_from(small()));
  EXPECT_EQ(text_of(files, "cdf.fct.csv"), "fabric,place,x,y\n\"a, \"\"b\"\"\",0,1,0.5\n\"a, \"\"b\"\"\",1,2,1\n");
  EXPECT_EQ(text_of(files, "topology.links.csv"), "fabric,from\n\"a, \"\"b\"\"\",x\n");
  EXPECT_EQ(text_of(files, "topology.links.utilisation.csv"),
            "fabric,topology.links,place,value\n\"a, \"\"b\"\"\",0,0,0.25\n\"a, \"\"b\"\"\",0,1,0.5\n");
}

/// How many elements the lists of a document have together, by the name of their table.
void count_elements(const Json& value, const std::string& path, std::map<std::string, std::size_t>& counts) {
  for (const auto& [key, inner] : value.items()) {
    if (inner.is_object()) {
      count_elements(inner, path + key + ".", counts);
    } else if (inner.is_array()) {
      counts[path + key] += inner.size();
      for (const Json& row : inner) {
        if (row.is_object()) {
          count_elements(row, path + key + ".", counts);
        }
      }
    }
  }
}

TEST(ComparisonCsv, EveryElementOfEveryListIsARow) {
  Json document = test_comparison("full.json");
  const auto files = comparison_csv(comparison_from(document));
  std::map<std::string, std::size_t> counts;
  for (const Json& fabric : document["fabrics"]) {
    count_elements(fabric, "", counts);
  }
  document.erase("fabrics");
  count_elements(document, "", counts);
  EXPECT_GE(counts.size(), 18U);
  for (const auto& [name, elements] : counts) {
    EXPECT_EQ(lines_in(text_of(files, name + ".csv")), 1 + elements) << name;
  }
  EXPECT_EQ(files.size(), counts.size() + 2);  // and the fabrics, and what holds for all
}

}  // namespace
}  // namespace weft::study::report
