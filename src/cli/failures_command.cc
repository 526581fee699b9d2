#include "cli/failures_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/idle_cores.h"
#include "cli/progress_bar.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/shell_word.h"
#include "cli/terminal.h"
#include "live/process_pool.h"
#include "study/compare/failure_study.h"
#include "study/failures/failure_text.h"
#include "study/report/report_html.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_words.h"

namespace weft::cli {
namespace {

using study::compare::FailureTask;
using study::failures::FailureReport;
using study::failures::NetworkFailures;

study::compare::FailureStudyOptions options_of(const FailuresText& text) {
  return {
      .variants = !text.no_variants, .runs_job = !text.ring_only, .months = static_cast<std::uint32_t>(text.months)};
}

Result<std::vector<FailureTask>> plan(const FailuresText& text, FailureReport& report) {
  auto catalogue = read_catalogue(text.scenario);
  if (!catalogue) {
    return pass_on(catalogue);
  }
  auto contents = read_file(text.scenario.file);
  if (!contents) {
    return pass_on(contents);
  }
  auto cases = study::scenario::case_names(*contents, text.scenario.file);
  if (!cases) {
    return pass_on(cases);
  }
  if (!text.scenario.case_name.empty()) {
    return fail("--case: each network uses the [[case]] of its name; choose with --fabrics");
  }
  const study::scenario::ScenarioRequest request{
      .file = text.scenario.file, .case_name = {}, .settings = text.scenario.settings};
  std::vector<std::string> names = text.fabrics;
  auto own = study::scenario::load_scenario(request, *catalogue);
  if (names.empty()) {
    // That of the file, and of the two that buyers choose between the other.
    if (!own) {
      return pass_on(own);
    }
    names = {"infiniband", "rocev2"};
    const std::string family(study::scenario::word_of(own->fabric.family));
    if (std::ranges::find(names, family) == names.end()) {
      names.push_back(family);
    }
  }
  auto choices = study::compare::choose_fabrics(names, *cases, *catalogue);
  if (!choices) {
    return fail("--fabrics: {}", choices.error().message);
  }
  auto tasks = study::compare::plan_failures(*choices, request, *catalogue, options_of(text));
  if (tasks) {
    for (const FailureTask& task : *tasks) {
      if (task.reason.empty()) {
        report.scenario = task.scenario.name;
        report.rates = task.scenario.failure_rates.rates;
        break;
      }
    }
  }
  return tasks;
}

std::string whole_command(const FailuresText& text) {
  std::string made = command_text("failures", text.scenario);
  made += text.fabrics.empty() ? "" : " --fabrics " + shell_word(fmt::format("{}", fmt::join(text.fabrics, ",")));
  made += fmt::format(" --months {}", text.months);
  made += text.no_variants ? " --no-variants" : "";
  return made + (text.ring_only ? " --ring-only" : "");
}

/// Each network in a process of its own.
Result<std::vector<NetworkFailures>> study(const FailuresText& text, const std::vector<FailureTask>& tasks) {
  std::vector<std::optional<NetworkFailures>> found(tasks.size());
  std::optional<Error> wrong;
  std::size_t ended = 0;
  ProgressBar bar(stderr, text.quiet ? ProgressBar::Show::kNever : ProgressBar::Show::kOnTerminal);
  const std::size_t at_once =
      text.jobs > 0 ? static_cast<std::size_t>(text.jobs) : std::max<std::size_t>(1, idle_cores());
  live::run_pool({.pieces = tasks.size(),
                  .at_once = at_once,
                  .work = {.run = [&](std::size_t piece) -> std::optional<std::string> {
                             const auto made = study::compare::study_failures(
                                 tasks[piece], options_of(text), [](const auto&) { return !interrupted(); });
                             return made ? std::optional(to_json(*made).dump()) : std::nullopt;
                           },
                           .end = [](int status) { ::_exit(status); },
                           .done =
                               [&](std::size_t piece, const live::PieceEnd& end) {
                                 ++ended;
                                 if (!end.text) {
                                   wrong = wrong ? wrong : Error{fmt::format("{}: {}", tasks[piece].name, end.fault)};
                                   return;
                                 }
                                 auto read = study::failures::network_from_json(*end.text);
                                 if (read) {
                                   found[piece] = std::move(*read);
                                 } else {
                                   wrong = wrong ? wrong : read.error();
                                 }
                               }},
                  .keep_going = [&](std::size_t under_way) {
                    bar.update([&](Duration) {
                      return ProgressFacts{.share = static_cast<double>(ended) / static_cast<double>(tasks.size()),
                                           .left = {},
                                           .parts = {fmt::format("{} of {} networks done", ended, tasks.size()),
                                                     fmt::format("{} running", under_way)}};
                    });
                    return !interrupted() && !wrong;
                  }});
  if (wrong) {
    return tl::unexpected<Error>(*wrong);
  }
  std::vector<NetworkFailures> networks;
  for (std::optional<NetworkFailures>& own : found) {
    if (own) {
      networks.push_back(std::move(*own));
    }
  }
  return networks;
}

Result<void> write(const FailuresText& text, const FailureReport& report) {
  std::FILE* const stream = text.json == "-" || text.csv == "-" || text.report == "-" ? stderr : stdout;
  if (!text.quiet) {
    fmt::print(stream, "{}", failure_text(report, terminal_columns(stream)));
  }
  if (!text.csv.empty()) {
    if (Result<void> written = write_csv_files(text.csv, failure_csv(report)); !written) {
      return written;
    }
  }
  if (!text.report.empty()) {
    const std::string title = "What failures cost" + (report.scenario.empty() ? "" : ": " + report.scenario);
    const std::string page = study::report::page_of(title, failure_json(report), nullptr);
    if (Result<void> written = write_html(text.report, page, text.quiet ? nullptr : stream); !written) {
      return written;
    }
  }
  return text.json.empty() ? Result<void>() : write_json(text.json, failure_json(report));
}

int run(const FailuresText& text) {
  catch_interrupts();
  FailureReport report{.version = WEFT_VERSION, .command = whole_command(text)};
  const Result<std::vector<FailureTask>> tasks = plan(text, report);
  if (!tasks) {
    return complain("failures", tasks.error(), kUsageError);
  }
  for (const Result<void>& possible :
       {check_text_output(text.json), check_text_output(text.report), check_csv_output(text.csv)}) {
    if (!possible) {
      return complain("failures", possible.error(), kFault);
    }
  }
  Result<std::vector<NetworkFailures>> networks = study(text, *tasks);
  if (interrupted()) {
    fmt::print(stderr, "weft failures: interrupted\n");
    return kInterrupted;
  }
  if (!networks) {
    return complain("failures", networks.error(), kFault);
  }
  report.networks = std::move(*networks);
  if (Result<void> written = write(text, report); !written) {
    return complain("failures", written.error(), kFault);
  }
  return kSuccess;
}

}  // namespace

void add_failures_command(CLI::App& app, FailuresText& text, int& exit_status) {
  CLI::App* command =
      app.add_subcommand("failures", "What failures do to a job on each network, and the goodput that is left");
  add_scenario_options(*command, text.scenario);
  command
      ->add_option(
          "--fabrics", text.fabrics,
          "Networks, as in `weft compare`, separated by commas; default: infiniband, rocev2 and the file's own")
      ->delimiter(',');
  command->add_option("--months", text.months, "Months that are drawn for the goodput and its interval; default: 400")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{100'000}));
  command->add_flag("--no-variants", text.no_variants, "Leave out dual ToR, two planes, one more spine");
  command->add_flag("--ring-only", text.ring_only, "Only the ring that is watched; the job's own step is not run");
  command->add_option("-j,--jobs", text.jobs, "Networks at the same time; default: one per core that is idle")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command->add_option("--json", text.json, "Write everything as JSON to this file; - = standard output alone");
  command->add_option("--csv", text.csv, "Write tables as CSV into this folder; - = standard output");
  command->add_option("--report", text.report, "Write everything as a page with charts to this HTML file");
  command->add_flag("-q,--quiet", text.quiet, "No table and no progress");
  command->footer("Exit status: 0 done, 1 a run or an output failed, 2 wrong input, 130 interrupted.");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
