#include "study/report/report_html.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

#include "study/report/comparison_document.h"
#include "study/report/test_comparison.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;
using testing::test_comparison;

constexpr std::string_view kBegin = "<script type=\"application/json\" id=\"weft-data\">";

std::string html_of(const Json& document) {
  const Result<std::string> html = report_html(comparison_from(document));
  EXPECT_TRUE(html) << html.error().message;
  return html.value_or("");
}

/// What a browser takes for the data: everything up to the first end of a script element.
std::string data_in(const std::string& html) {
  const std::size_t begin = html.find(kBegin) + kBegin.size();
  return html.substr(begin, html.find("</script", begin) - begin);
}

TEST(ReportHtml, CarriesTheDocumentUnchanged) {
  for (const char* name : {"full.json", "empty.json"}) {
    const Json document = test_comparison(name);
    EXPECT_EQ(Json::parse(data_in(html_of(document))), document) << name;
  }
}

TEST(ReportHtml, CarriesTheDifferencesFromABaseline) {
  const Comparison comparison = comparison_from(test_comparison("full.json"));
  const Baseline baseline{.file = "</script>before", .comparison = comparison_from(test_comparison("full.json"))};
  const std::string html = report_html(comparison, &baseline).value_or("");
  const std::string_view begin = "id=\"weft-baseline\">";
  const std::size_t from = html.find(begin) + begin.size();
  EXPECT_EQ(Json::parse(html.substr(from, html.find("</script", from) - from)), baseline_json(comparison, baseline));
  EXPECT_NE(html_of(test_comparison("full.json")).find("id=\"weft-baseline\">null</script>"), std::string::npos);
}

TEST(ReportHtml, NothingInTheDataEndsItsElement) {
  Json document = test_comparison("empty.json");
  const std::string hostile =
      "</script><script>alert(1)</script><!-- <script> ]]> @WEFT_DATA@ \\u003c &lt; \xe2\x80\xa8";
  document["scenario"] = {{"name", hostile}};
  document["verdict"] = {{{"text", hostile}}};
  document["fabrics"][0]["name"] = hostile;
  const std::string html = html_of(document);
  EXPECT_EQ(Json::parse(data_in(html)), document);
  EXPECT_EQ(data_in(html).find('<'), std::string::npos);
  EXPECT_NE(html.find("<title>&lt;/script&gt;&lt;script&gt;alert(1)"), std::string::npos);
}

TEST(ReportHtml, BytesThatAreNoTextDoNotStopIt) {
  Json document = test_comparison("empty.json");
  document["fabrics"][1]["reason"] = "\xff\xfe";
  EXPECT_NE(data_in(html_of(document)).find("\xef\xbf\xbd"), std::string::npos);
}

TEST(ReportHtml, NeedsNothingFromOutside) {
  const std::string page(report_page());
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* outside : {"<script src", "<link rel=\"stylesheet\"", "@import", "url(http", "<iframe", "<img"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
}

TEST(ReportHtml, KeepsTheLicencesOfWhatItContains) {
  const std::string page(report_page());
  EXPECT_NE(page.find("echarts 6."), std::string::npos);
  EXPECT_NE(page.find("The Apache Software Foundation"), std::string::npos);
  EXPECT_NE(page.find("Apache License"), std::string::npos);
  EXPECT_NE(page.find("zrender 6."), std::string::npos);
  EXPECT_NE(page.find("Redistribution and use in source and binary forms"), std::string::npos);
}

TEST(ReportHtml, AWrongDocumentIsRefused) {
  const Result<std::string> lacking =
      report_html(comparison_from({{"format", "weft-comparison"}, {"format_version", 1}}));
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().message, "fabrics is missing");
  const Result<std::string> empty = report_html(Comparison{});
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message, "fabrics: the list is empty; a comparison has at least one");
}

}  // namespace
}  // namespace weft::study::report
