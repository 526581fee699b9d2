#include "study/scenario/scenario_reference.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "base/file.h"
#include "base/test_paths.h"
#include "study/scenario/key_table.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

constexpr std::string_view kBegin = "<!-- reference: begin -->\n";
constexpr std::string_view kEnd = "<!-- reference: end -->";

// With WEFT_UPDATE_DOCS set, the test writes what it would otherwise ask for.
TEST(ScenarioReference, StandsInTheDocumentAsTheTableOfKeysSays) {
  const std::string path = std::string(test_data_dir()) + "/../../docs/scenario.md";
  const auto document = read_file(path);
  ASSERT_TRUE(document.has_value());
  const auto begin = document->find(kBegin);
  const auto end = document->find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const auto from = begin + kBegin.size();
  const auto reference = "\n" + scenario_reference(test_catalogue()) + "\n";
  if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) {
    std::ofstream(path) << document->substr(0, from) << reference << document->substr(end);
    return;
  }
  EXPECT_EQ(document->substr(from, end - from), reference)
      << "docs/scenario.md is out of date; run this test with WEFT_UPDATE_DOCS=1";
}

TEST(ScenarioReference, HasARowForEveryKey) {
  const auto reference = scenario_reference(test_catalogue());
  for (const auto& section : sections()) {
    for (const auto& key : section.keys) {
      EXPECT_NE(reference.find("| `" + std::string(key.name) + "` | "), std::string::npos) << key.name;
      EXPECT_FALSE(key.about.empty()) << key.name;
    }
  }
}

}  // namespace
}  // namespace weft::study::scenario
