#include "study/results/results_reference.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "base/test_paths.h"

namespace weft::study::results {
namespace {

constexpr std::string_view kBegin = "<!-- reference: begin -->\n";
constexpr std::string_view kEnd = "<!-- reference: end -->";

// With WEFT_UPDATE_DOCS set, the test writes what it would otherwise ask for.
TEST(ResultsReference, StandsInTheDocumentAsTheTablesOfRecordsSay) {
  const std::string path = std::string(test_data_dir()) + "/../../docs/results.md";
  std::stringstream contents;
  contents << std::ifstream(path).rdbuf();
  const std::string document = contents.str();
  const auto begin = document.find(kBegin);
  const auto end = document.find(kEnd);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const auto from = begin + kBegin.size();
  const std::string reference = "\n" + results_reference() + "\n";
  if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) {
    std::ofstream(path) << document.substr(0, from) << reference << document.substr(end);
    return;
  }
  EXPECT_EQ(document.substr(from, end - from), reference)
      << "docs/results.md is out of date; run this test with WEFT_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace weft::study::results
