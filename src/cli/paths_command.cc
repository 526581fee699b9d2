#include "cli/paths_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/nearest_word.h"
#include "base/parse_quantity.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/run_output.h"
#include "cli/shell_word.h"
#include "cli/terminal.h"
#include "study/report/report_html.h"
#include "study/run/path_study.h"
#include "study/scenario/scenario_words.h"

namespace weft::cli {
namespace {

/// The value that a word stands for. Errors: another word, with the nearest.
template <class Enum>
Result<Enum> value_of_word(std::string_view option, std::string_view kind, const std::string& word) {
  static constexpr auto kWords = study::scenario::WordsOf<Enum>::kWords;
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i] == word) {
      return static_cast<Enum>(i);
    }
  }
  return fail("{}: {}", option, unknown_word({.kind = kind, .word = word, .valid = kWords}).message);
}

Result<study::run::PathStudyOptions> options_of(const PathsText& text) {
  study::run::PathStudyOptions options{.seeds = static_cast<std::uint32_t>(text.seeds), .function = {}, .fields = {}};
  if (!text.function.empty()) {
    Result<fabric::HashFunction> function =
        value_of_word<fabric::HashFunction>("--function", "function", text.function);
    if (!function) {
      return pass_on(function);
    }
    options.function = *function;
  }
  for (const std::string& word : text.fields) {
    Result<study::scenario::HashedField> field = value_of_word<study::scenario::HashedField>("--fields", "field", word);
    if (!field) {
      return pass_on(field);
    }
    options.fields.push_back(*field);
  }
  if (!text.at.empty()) {
    const Result<Duration> at = parse_duration(text.at);
    if (!at || *at < Duration::zero()) {
      return fail("--at: {}", at ? "a time from 0 on is needed, such as 5ms" : at.error().message);
    }
    options.at = *at;
  }
  options.without_links = text.without_links;
  return options;
}

std::string whole_command(const PathsText& text) {
  std::string made = command_text("paths", text.scenario);
  made += text.scenario.lfts.empty() ? "" : " --lfts " + shell_word(text.scenario.lfts);
  made += fmt::format(" --seeds {}", text.seeds);
  made += text.function.empty() ? "" : " --function " + shell_word(text.function);
  made += text.fields.empty() ? "" : " --fields " + shell_word(fmt::format("{}", fmt::join(text.fields, ",")));
  made += text.at.empty() ? "" : " --at " + shell_word(text.at);
  for (const std::string& link : text.without_links) {
    made += " --without-link " + shell_word(link);
  }
  return made;
}

Result<void> write(const PathsText& text, const study::results::PathReport& report) {
  std::FILE* const stream = text.json == "-" || text.csv == "-" || text.report == "-" ? stderr : stdout;
  if (!text.quiet) {
    fmt::print(stream, "{}", study::results::path_text(report, terminal_columns(stream)));
  }
  if (!text.csv.empty()) {
    if (Result<void> written = write_csv_files(text.csv, study::results::path_csv(report)); !written) {
      return written;
    }
  }
  if (!text.report.empty()) {
    const std::string page =
        study::report::page_of("Paths of " + report.scenario, study::results::path_json(report), nullptr);
    if (Result<void> written = write_html(text.report, page, text.quiet ? nullptr : stream); !written) {
      return written;
    }
  }
  return text.json.empty() ? Result<void>() : write_json(text.json, study::results::path_json(report));
}

int run(const PathsText& text) {
  const Result<study::run::PathStudyOptions> options = options_of(text);
  if (!options) {
    return complain("paths", options.error(), kUsageError);
  }
  const Result<study::scenario::Scenario> scenario = read_scenario(text.scenario);
  if (!scenario) {
    return complain("paths", scenario.error(), kUsageError);
  }
  for (const Result<void>& possible :
       {check_text_output(text.json), check_text_output(text.report), check_csv_output(text.csv)}) {
    if (!possible) {
      return complain("paths", possible.error(), kFault);
    }
  }
  Result<study::results::PathReport> report = study::run::study_paths(*scenario, *options);
  if (!report) {
    return complain("paths", report.error(), kUsageError);
  }
  report->version = WEFT_VERSION;
  report->command = whole_command(text);
  if (Result<void> written = write(text, *report); !written) {
    return complain("paths", written.error(), kFault);
  }
  return kSuccess;
}

}  // namespace

void add_paths_command(CLI::App& app, PathsText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("paths", "Find the collisions of a scenario's flows, before any run");
  add_scenario_options(*command, text.scenario);
  add_lfts_option(*command, text.scenario);
  command->add_option("--seeds", text.seeds, "Seeds of the hash, for what is likely; default: 100")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000}));
  command->add_option("--function", text.function, "Beside the scenario's, this function alone; default: each");
  command->add_option("--fields", text.fields, "Beside the scenario's, these header fields: 5-tuple,destination-qp")
      ->delimiter(',');
  command
      ->add_option("--without-link", text.without_links,
                   "Without these links: a port or device as [[event]] selects it; may be given several times")
      ->allow_extra_args(false);
  command->add_option("--at", text.at, "With links as the scenario's events have left them by this time; default: 0");
  command->add_option("--json", text.json, "Write everything as JSON to this file; - = standard output alone");
  command->add_option("--csv", text.csv, "Write tables as CSV into this folder; - = standard output");
  command->add_option("--report", text.report, "Write everything as a page with charts to this HTML file");
  command->add_flag("-q,--quiet", text.quiet, "No table");
  command->footer("Exit status: 0 done, 1 a file cannot be written, 2 wrong input.");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
