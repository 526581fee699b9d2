#include "study/report/comparison_members.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "study/report/comparison_tables.h"
#include "study/report/figure_labels.h"
#include "study/report/test_comparison.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

const std::filesystem::path kProject = std::filesystem::path(test_data_dir()) / ".." / "..";
constexpr std::string_view kBegin = "<!-- reference: begin -->\n";
constexpr std::string_view kEnd = "<!-- reference: end -->";

std::string text_of(const std::filesystem::path& path) {
  std::stringstream contents;
  contents << std::ifstream(path).rdbuf();
  return contents.str();
}

std::vector<Member> all_members() {
  std::vector<Member> all(document_members().begin(), document_members().end());
  all.insert(all.end(), fabric_members().begin(), fabric_members().end());
  return all;
}

TEST(ComparisonMembers, EachSaysWhatItIsAndEachNumberInWhichUnit) {
  for (const Member& member : all_members()) {
    EXPECT_TRUE(member.about.ends_with(".")) << member.path;
    const bool counts = member.kind == MemberKind::kNumber || member.kind == MemberKind::kNumbers;
    EXPECT_EQ(counts, !member.unit.empty()) << member.path;
  }
}

TEST(ComparisonMembers, EachIsDescribedOnce) {
  std::set<std::string> paths;
  for (const Member& member : all_members()) {
    EXPECT_TRUE(paths.insert(member.path).second) << member.path;
  }
}

TEST(ComparisonMembers, AFullDocumentHasNoOthers) {
  std::set<std::string> known = {"name", "possible"};
  for (const Member& member : fabric_members()) {
    known.insert(member.path);
  }
  const Json document = testing::test_comparison("full.json");
  for (const Json& fabric : document.at("fabrics")) {
    for (const auto& [name, value] : fabric.items()) {
      EXPECT_TRUE(known.contains(name)) << name;
    }
  }
}

// A name that stands in a second place would be forgotten there when it changes; figure_label("name") would not
// compile.
TEST(ComparisonMembers, NamesThatCodeAsksForAreWrittenOnce) {
  std::set<std::string> names;  // those of several words: single words are other things' names, too
  for (const RecordTable* table :
       {&record_table<ComparedFabric>(), &record_table<SmallMessage>(), &record_table<LinkFault>(),
        &record_table<TuningRisk>(), &record_table<CostPerUnit>(), &record_table<BillLine>()}) {
    for (const MemberField& field : table->fields) {
      if (field.name.find('_') != std::string_view::npos) {
        names.insert('"' + std::string(field.name) + '"');
      }
    }
  }
  ASSERT_GT(names.size(), 50U);
  const std::regex kLabelCall("figure_label\\(\"[^\"]*\"\\)");
  for (const char* folder : {"report", "compare", "claims"}) {
    for (const auto& file : std::filesystem::directory_iterator(kProject / "src/study" / folder)) {
      const std::string path = file.path().filename().string();
      const bool table = path.starts_with("comparison_tables") || path == "task_figures.cc";
      if (!path.ends_with(".cc") || path.ends_with("_test.cc") || table) {
        continue;
      }
      const std::string text = std::regex_replace(text_of(file.path()), kLabelCall, "");
      for (const std::string& name : names) {
        EXPECT_EQ(text.find(name), std::string::npos) << path << ": " << name;
      }
    }
  }
}

TEST(ComparisonMembers, LabelsAreThoseOfFigures) {
  std::set<std::string_view> names{"jobs", "interval", "longest_operation",
                                   "step_time_interval"};  // of the terminal's table alone
  for (const RecordTable* table : {&record_table<ComparedFabric>(), &record_table<TuningRisk>()}) {
    for (const MemberField& field : table->fields)
      names.insert(field.name);
  }
  for (const FigureLabel& label : kFigureLabels)
    EXPECT_TRUE(names.contains(label.name.substr(0, label.name.find('.')))) << label.name;
}

// With WEFT_UPDATE_DOCS set, the test writes what it would otherwise ask for.
TEST(ComparisonMembers, StandInTheDocumentAsTheTableSays) {
  const std::filesystem::path path = kProject / "docs/report.md";
  const std::string document = text_of(path);
  const auto begin = document.find(kBegin);
  const auto end = document.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const auto from = begin + kBegin.size();
  const std::string reference = "\n" + comparison_reference() + "\n";
  if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) {
    std::ofstream(path) << document.substr(0, from) << reference << document.substr(end);
    return;
  }
  EXPECT_EQ(document.substr(from, end - from), reference)
      << "docs/report.md is out of date; run this test with WEFT_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace weft::study::report
