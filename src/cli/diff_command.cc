#include "cli/diff_command.h"

#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_output.h"
#include "cli/terminal.h"
#include "study/report/comparison_diff_json.h"
#include "study/report/comparison_headline.h"
#include "study/report/comparison_read.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;
using study::report::Comparison;

Result<Comparison> read(const std::string& file) { return study::report::read_comparison({&file, 1}); }

int run_diff(const DiffText& text) {
  Result<Comparison> a = read(text.a);
  Result<Comparison> b = a ? read(text.b) : Result<Comparison>();
  if (!a || !b) {
    return complain("diff", a ? b.error() : a.error(), kUsageError);
  }
  const study::report::ComparisonDiff diff = study::report::diff_comparisons({.a = *a, .b = *b});
  if (text.json != "-") {
    const LineWidth width = terminal_columns(stdout);
    fmt::print("A  {}\nB  {}\n\n{}{}", terminal_text(text.a), terminal_text(text.b),
               study::report::headline_text(diff, width, colour_of(stdout)),
               terminal_text(study::report::diff_text(diff, width), LineBreaks::kKept));
  }
  if (text.json.empty()) {
    return kSuccess;
  }
  Json json{{"format", "weft-diff"}, {"format_version", 1}, {"a", text.a}, {"b", text.b}};
  json.update(study::report::diff_json(diff));
  const Result<void> written = write_text(text.json, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  return written ? kSuccess : complain("diff", written.error(), kFault);
}

}  // namespace

void add_diff_command(CLI::App& app, DiffText& text, int& exit_status) {
  CLI::App* diff = app.add_subcommand("diff", "What differs between two results, settings and figures");
  diff->add_option("A", text.a, "Results file of weft compare or weft run")->required();
  diff->add_option("B", text.b, "Another")->required();
  diff->add_option("--json", text.json, "The same as JSON, into a file; - prints it alone");
  diff->footer("Exit status: 0 compared, whether they differ or not, 1 it cannot be written, 2 they cannot be read.");
  diff->callback([&text, &exit_status] { exit_status = run_diff(text); });
}

}  // namespace weft::cli
