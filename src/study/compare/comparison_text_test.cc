#include "study/compare/comparison_text.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "study/compare/quick_answer.h"

namespace weft::study::compare {
namespace {

/// Schemes of one network, each a tenth of a second slower than the one before.
report::Comparison of_schemes(int count) {
  report::Comparison made;
  for (int i = 0; i < count; ++i) {
    report::ComparedFabric& fabric = made.fabrics.emplace_back();
    fabric.name = fmt::format("rocev2+scheme-{}", i);
    fabric.possible = true;
    fabric.rows.emplace();
    fabric.step.mean = 1 + 0.1 * i;
    fabric.step.low = *fabric.step.mean - 0.01;
    fabric.step.high = *fabric.step.mean + 0.01;
    fabric.ratio_to_best = *fabric.step.mean;
    fabric.differs_from_best = i != 1;
    fabric.run.retransmissions = 1'000'000U + static_cast<std::uint64_t>(i);
    fabric.run.slice_caution = i == 0 ? "short" : "shorter";
  }
  return made;
}

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != std::string::npos) {
      found.push_back(line);
    }
  }
  return found;
}

TEST(ComparisonText, OfMoreThanTenFabricsHasALineEachWithinAHundredColumns) {
  for (const std::size_t width : {80U, 100U, 130U}) {
    const std::string text = comparison_text(of_schemes(17), width);
    for (int i = 0; i < 17; ++i) {
      const auto rows = lines_with(text, fmt::format("{:.3f}x", 1 + 0.1 * i));
      ASSERT_EQ(rows.size(), 1U) << text;
      EXPECT_NE(rows[0].find(fmt::format("rocev2+scheme-{} ", i)), std::string::npos) << text;
    }
    for (const std::string& line : lines_with(text, "")) {
      EXPECT_LE(line.size(), std::min<std::size_t>(width, 100)) << line;
    }
  }
}

TEST(ComparisonText, OfMoreThanTenFabricsMarksTiesAndRepeatsNoCaution) {
  const std::string text = comparison_text(of_schemes(11));
  EXPECT_EQ(lines_with(text, "1.100x ").size(), 1U);
  const std::string tie = lines_with(text, "1.100x ")[0];
  EXPECT_TRUE(tie.find("1.100x =") != std::string::npos || tie.find("1.100x ?") != std::string::npos) << tie;
  EXPECT_EQ(lines_with(text, "1.200x =").size() + lines_with(text, "1.200x ?").size(), 0U);
  EXPECT_EQ(lines_with(text, ": shorter").size(), 1U) << text;
}

/// The defect: what every quick answer says stood in each row where some say more.
TEST(ComparisonText, AQuickAnswerSaysOnceThatItIsOne) {
  for (const int count : {5, 17}) {
    report::Comparison made = of_schemes(count);
    for (std::size_t i = 0; i < made.fabrics.size(); ++i) {
      const std::string more = i % 2 == 0 ? fmt::format("; another seed may put {} times as much", i + 2) : "";
      made.fabrics[i].run.slice_caution = std::string(kQuickCaution) + more;
    }
    const std::string text = comparison_text(made, 200);
    EXPECT_EQ(lines_with(text, "quick: shorter slices").size(), 1U) << text;
    EXPECT_EQ(lines_with(text, "all of them: quick: shorter slices").size(), 1U) << text;
    EXPECT_NE(text.find("another"), std::string::npos) << text;
  }
}

TEST(ComparisonText, OfTenFabricsHasAColumnEach) {
  const std::string text = comparison_text(of_schemes(10), 130);
  EXPECT_EQ(lines_with(text, "Retransmitted packets").size(), 2U) << text;  // two tables
  EXPECT_TRUE(lines_with(text, "sent again").empty()) << text;
}

}  // namespace
}  // namespace weft::study::compare
