#include "study/report/report_html.h"

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "study/report/comparison_document.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kTitleMark = "@WEFT_TITLE@";
constexpr std::string_view kDataMark = "@WEFT_DATA@";
constexpr std::string_view kBaselineMark = "@WEFT_BASELINE@";

std::string escaped_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

/// Inside a script element only "<" can end the element or open a comment; JSON has it in strings alone.
std::string escaped_json(const Json& document) {
  std::string escaped;
  for (const char c : document.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string title_of(const Comparison& comparison) {
  return comparison.scenario && comparison.scenario->name ? *comparison.scenario->name + ": networks compared"
                                                          : std::string("Networks compared");
}

}  // namespace

Result<std::string> report_html(const Comparison& comparison, const Baseline* baseline) {
  const Json document = to_json(comparison);
  if (Result<void> right = check_comparison(document); !right) {
    return pass_on(right);
  }
  return page_of(title_of(comparison), document, baseline == nullptr ? Json() : baseline_json(comparison, *baseline));
}

std::string page_of(std::string_view title, const Json& document, const Json& baseline) {
  const std::string_view page = report_page();
  const std::size_t name = page.find(kTitleMark);
  const std::size_t data = page.find(kDataMark);
  const std::size_t other = page.find(kBaselineMark);
  WEFT_ASSERT(name < data && data < other && other != std::string_view::npos);
  std::string html(page.substr(0, name));
  html += escaped_text(title);
  html += page.substr(name + kTitleMark.size(), data - name - kTitleMark.size());
  html += escaped_json(document);
  html += page.substr(data + kDataMark.size(), other - data - kDataMark.size());
  html += escaped_json(baseline);
  html += page.substr(other + kBaselineMark.size());
  return html;
}

}  // namespace weft::study::report
