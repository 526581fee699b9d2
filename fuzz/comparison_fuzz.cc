// Any bytes as the results of a comparison: never a crash, and what is accepted has a report, tables, and no difference
// from itself.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "study/report/comparison_csv.h"
#include "study/report/comparison_diff.h"
#include "study/report/comparison_document.h"
#include "study/report/report_html.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  using namespace weft::study::report;
  const auto document = parse_comparison({reinterpret_cast<const char*>(data), size});
  if (!document) {
    WEFT_ASSERT(!document.error().message.empty());
    return 0;
  }
  const auto html = report_html(*document);
  WEFT_ASSERT(html.has_value());
  WEFT_ASSERT(html->size() > report_page().size() - 100);
  WEFT_ASSERT(comparison_csv(*document).size() >= 2);
  const ComparisonDiff diff = diff_comparisons({.a = *document, .b = *document});
  WEFT_ASSERT(diff.figures.empty() && diff.settings.empty() && diff.statements.empty());
  WEFT_ASSERT(diff.only_in_a.empty() && diff.only_in_b.empty());
  return 0;
}
