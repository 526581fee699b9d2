#include "cli/report_command.h"

#include <fmt/core.h>

#include <cstdio>
#include <optional>
#include <span>
#include <utility>

#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_output.h"
#include "study/report/baseline.h"
#include "study/report/comparison_csv.h"
#include "study/report/comparison_document.h"
#include "study/report/comparison_read.h"
#include "study/report/report_html.h"

namespace weft::cli {
namespace {

constexpr const char* kDefaultFile = "report.html";

using study::report::Baseline;
using study::report::Comparison;

/// What --baseline names, or nothing.
Result<std::optional<Baseline>> read_baseline(const ReportText& text, const Comparison& comparison) {
  if (text.baseline.empty()) {
    return std::optional<Baseline>();
  }
  const std::span<const std::string> files(&text.baseline, 1);
  Result<Comparison> read = study::report::read_comparison(files);
  if (!read) {
    return pass_on(read);
  }
  const auto kind = [](bool runs) { return runs ? "of `weft run`" : "of `weft compare`"; };
  if (const bool runs = study::report::are_runs(files); runs != study::report::are_runs(text.results)) {
    return fail("{}: results {}, but {} has results {}; a baseline is of the same kind", text.baseline, kind(runs),
                text.results.front(), kind(!runs));
  }
  Baseline baseline{.file = text.baseline, .comparison = std::move(*read)};
  if (Result<void> right = study::report::check_baseline(comparison, baseline); !right) {
    return pass_on(right);
  }
  return std::optional(std::move(baseline));
}

struct ReportParts {
  const Comparison& comparison;
  const std::optional<Baseline>& baseline;
};

Result<void> write_page(const std::string& where, const ReportParts& parts) {
  Result<std::string> html = study::report::report_html(parts.comparison, parts.baseline ? &*parts.baseline : nullptr);
  return html ? write_text(where, *html) : pass_on(html);
}

Result<void> write_all(const ReportText& text, const ReportParts& parts) {
  const Comparison& comparison = parts.comparison;
  const bool lists_only = text.html.empty() && !(text.json.empty() && text.csv.empty());
  const std::string html = text.html.empty() ? kDefaultFile : text.html;
  if (!text.json.empty()) {
    const std::string json = study::report::comparison_json_text(comparison, 2);
    if (Result<void> written = write_text(text.json, json + '\n'); !written) {
      return written;
    }
  }
  if (!text.csv.empty()) {
    if (Result<void> written = write_csv_files(text.csv, study::report::comparison_csv(comparison)); !written) {
      return written;
    }
  }
  if (lists_only) {
    return {};
  }
  if (Result<void> written = write_page(html, parts); !written) {
    return written;
  }
  if (html != "-" && text.json != "-" && text.csv != "-") {
    fmt::print("report in {}\n", html);
  }
  return {};
}

int run_report(const ReportText& text) {
  Result<Comparison> comparison = study::report::read_comparison(text.results);
  if (!comparison) {
    return complain("report", comparison.error(), kUsageError);
  }
  Result<std::optional<Baseline>> baseline = read_baseline(text, *comparison);
  if (!baseline) {
    return complain("report", baseline.error(), kUsageError);
  }
  const Result<void> written = write_all(text, {.comparison = *comparison, .baseline = *baseline});
  return written ? kSuccess : complain("report", written.error(), kFault);
}

}  // namespace

void add_report_command(CLI::App& app, ReportText& text, int& exit_status) {
  CLI::App* report = app.add_subcommand("report", "Make the report of a comparison, one HTML file, from its results");
  report->add_option("RESULTS", text.results, "Results file of weft compare, or files of weft run")->required();
  report->add_option("--baseline", text.baseline,
                     "Other results of the same kind; the page says what differs from them");
  report->add_option("-o,--output", text.html, "The report; report.html if nothing else is asked for; - prints it");
  report->add_option("--json", text.json, "Write all results as JSON to this file; - = standard output");
  report->add_option("--csv", text.csv, "Each list in the results as a table, into a folder; - prints them");
  report->footer(
      "Exit status: 0 written, 1 it cannot be written, 2 the results or the baseline cannot be read, or they do not "
      "match.");
  report->callback([&text, &exit_status] { exit_status = run_report(text); });
}

}  // namespace weft::cli
