#include "study/claims/claims_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weft::study::claims {
namespace {

std::vector<Judged> all_judged() {
  std::vector<Judged> all;
  for (const Claim& claim : claim_table()) {
    Finding finding;
    if (claim.measure == nullptr) {
      finding.condition = std::string(claim.missing);
    } else {
      finding = {.verdict = Verdict::kHoldsWhen,
                 .condition = "it is so",
                 .origin = FigureOrigin::kCatalogue,
                 .figure = "3 us",
                 .text = "It took 3 us.",
                 .figures = {{"time", 3, "us"}}};
    }
    all.push_back({.claim = claim, .finding = finding});
  }
  return all;
}

TEST(ClaimsPage, HasARowForEveryClaimAndAParagraphForEachThatWasMeasured) {
  const std::string page = claims_page(all_judged());
  for (const Claim& claim : claim_table()) {
    const std::string id(claim.id);
    EXPECT_NE(page.find("| [" + id + "](#"), std::string::npos) << id;
    EXPECT_EQ(page.find("\n### " + id + "\n") != std::string::npos, claim.measure != nullptr) << id;
    EXPECT_EQ(page.find("\n- `" + id + "` (articles") != std::string::npos, claim.contested) << id;
    EXPECT_EQ(page.find("\n| `" + id + "`: ") != std::string::npos, claim.measure == nullptr) << id;
  }
  EXPECT_NE(page.find("| holds when it is so | 3 us | from the catalogue |"), std::string::npos);
  for (const Article& article : articles()) {
    EXPECT_NE(page.find(article.title), std::string::npos);
  }
}

TEST(ClaimsPage, RowsHaveAsManyCellsAsTheHead) {
  const std::string page = claims_page(all_judged());
  for (std::size_t begin = page.find("| ["); begin != std::string::npos; begin = page.find("\n| [", begin + 1)) {
    const std::string line = page.substr(begin + 1, page.find('\n', begin + 1) - begin - 1);
    EXPECT_EQ(std::ranges::count(line, '|'), begin == page.find("| [") ? 6 : 7) << line;
  }
}

TEST(ClaimsPage, JsonLeavesOutWhatWasNotMeasured) {
  const nlohmann::ordered_json json = claims_json(all_judged());
  ASSERT_EQ(json["claims"].size(), claim_table().size());
  for (const auto& claim : json["claims"]) {
    const bool measured = claim["verdict"] != "not measured yet";
    EXPECT_EQ(claim.contains("figures"), measured) << claim;
    EXPECT_EQ(claim.contains("origin"), measured) << claim;
    EXPECT_EQ(claim.contains("reason"), !measured) << claim;
  }
}

}  // namespace
}  // namespace weft::study::claims
