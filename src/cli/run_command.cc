#include "cli/run_command.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <span>

#include "base/file.h"
#include "base/printable.h"
#include "base/worker.h"
#include "cli/case_pool.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/terminal.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/subnet_routes.h"
#include "study/results/failed_jobs.h"
#include "study/results/results_key.h"
#include "study/results/summary_comparison.h"
#include "study/results/summary_text.h"
#include "study/run/flow_corrections_file.h"
#include "study/run/ladder.h"
#include "study/scenario/scenario_validate.h"

namespace weft::cli {
namespace {

/// --seed, --until and --hardware are short for settings.
ScenarioText with_shortcuts(const RunText& text) {
  ScenarioText scenario = text.scenario;
  const auto set = [&scenario](const char* key, const std::string& value) {
    if (!value.empty()) {
      scenario.settings.push_back(fmt::format("{}={}", key, value));
    }
  };
  set("seed", text.seed);
  set("stop", text.until);
  set("hardware", text.hardware);
  return scenario;
}

/// One scenario per case: the one that was asked for, or else all that the file has.
Result<std::vector<study::scenario::Scenario>> scenarios_of(const RunText& text) {
  Result<std::vector<study::scenario::Scenario>> scenarios = read_cases(with_shortcuts(text));
  if (!scenarios) {
    return scenarios;
  }
  for (const study::scenario::Scenario& scenario : *scenarios) {
    if (Result<void> has_traffic = study::scenario::check_has_traffic(scenario); !has_traffic) {
      return pass_on(has_traffic);
    }
  }
  return scenarios;
}

/// Tables of a subnet manager whose credits can wait for each other are named before the run begins.
void warn_of_cycles(std::span<const study::scenario::Scenario> scenarios) {
  for (const study::scenario::Scenario& scenario : scenarios) {
    if (serves_ranks() || !study::scenario::has_manager(scenario.routing) ||
        scenario.fidelity == study::scenario::Fidelity::kFlow) {
      continue;
    }
    const auto graph = study::assembly::build_topology(scenario);
    if (!graph) {
      continue;  // the run says it
    }
    const Result<std::string> cycle = study::assembly::buffer_cycle(scenario, *graph);
    if (cycle && !cycle->empty()) {
      fmt::print(stderr, "weft run: {}: {}\n",
                 terminal_text(scenario.case_name.empty() ? scenario.name : scenario.case_name), terminal_text(*cycle));
    }
  }
}

/// Each case at its level; what was chosen is said on standard error.
Result<void> choose_levels(const RunText& text, std::vector<study::scenario::Scenario>& scenarios) {
  Result<LevelChooser> chooser = LevelChooser::make(text.level);
  if (!chooser) {
    return pass_on(chooser);
  }
  for (study::scenario::Scenario& scenario : scenarios) {
    if (chooser->is_off()) {
      continue;
    }
    Result<study::run::LevelChoice> choice = chooser->choose(scenario);
    if (!choice) {
      return pass_on(choice);
    }
    if (chooser->is_auto() && !text.quiet) {
      fmt::print(stderr, "weft run: {}: level {} ({}); {}\n",
                 scenario.case_name.empty() ? scenario.name : scenario.case_name, to_string(choice->level), choice->why,
                 expected_error(choice->level));
    }
    scenario = at_level(scenario, choice->level);
  }
  warn_of_cycles(scenarios);
  return {};
}

std::string with_case(const std::string& file, const std::string& case_name) {
  const std::size_t dot = file.rfind('.');
  const std::size_t slash = file.rfind('/');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  const std::string stem = has_extension ? file.substr(0, dot) : file;
  return fmt::format("{}-{}{}", stem, file_name_of(case_name), has_extension ? file.substr(dot) : "");
}

/// "leaf0/port3=capture.pcapng"; without a file the port's name makes one, and of several cases each has its own.
std::vector<study::run::CaptureRequest> captures_of(const RunText& text, const std::string& case_name) {
  std::vector<study::run::CaptureRequest> captures;
  for (const std::string& option : text.pcap) {
    const std::size_t equals = option.find('=');
    study::run::CaptureRequest request{.port = option.substr(0, equals), .file = {}};
    request.file = equals == std::string::npos ? file_name_of(request.port) + ".pcapng" : option.substr(equals + 1);
    if (!case_name.empty()) {
      request.file = with_case(request.file, case_name);
    }
    captures.push_back(std::move(request));
  }
  return captures;
}

/// A job that is lost is what was asked for where the scenario makes something fail, or attacks it; so is one of which
/// every message failed, beside others that came through.
int status_of(const study::results::RunResults& results, const std::vector<study::results::FailedJob>& failed) {
  switch (results.run.end) {
    case study::results::RunEnd::kFinished:
    case study::results::RunEnd::kTimeLimit:
      return std::ranges::all_of(failed, &study::results::FailedJob::was_asked_for) ? kSuccess : kFault;
    case study::results::RunEnd::kInterrupted:
      return kInterrupted;
    case study::results::RunEnd::kJobLost:
      return study::results::has_planned_faults(results) ? kSuccess : kFault;
    case study::results::RunEnd::kStuck:
    case study::results::RunEnd::kError:
      break;
  }
  return kFault;
}

/// JSON and CSV have standard output to themselves; the summary goes to standard error then.
std::FILE* text_stream(const RunText& text) { return text.json == "-" || text.csv == "-" ? stderr : stdout; }

/// Of one case: several have a file each.
std::vector<study::run::CaptureRequest> captures_of(const RunText& text, const study::scenario::Scenario& scenario,
                                                    std::size_t cases) {
  return captures_of(text, cases > 1 ? scenario.case_name : "");
}

Result<void> check_captures(const RunText& text, std::span<const study::scenario::Scenario> scenarios) {
  std::set<std::string> files;
  for (const study::scenario::Scenario& scenario : scenarios) {
    for (const study::run::CaptureRequest& request : captures_of(text, scenario, scenarios.size())) {
      if (Result<void> possible = check_writable(request.file); !possible) {
        return possible;
      }
      if (!files.insert(request.file).second) {
        return fail("--pcap: two captures cannot both be written to '{}'", request.file);
      }
    }
  }
  return {};
}

/// Everything that will be written can be, as far as that is known before the first run.
Result<void> check_outputs(const RunText& text, std::span<const study::scenario::Scenario> scenarios,
                           const ResultFiles& files) {
  if (!text.no_results) {
    if (Result<void> possible = files.check(); !possible) {
      return possible;
    }
  }
  if (Result<void> possible = check_captures(text, scenarios); !possible) {
    return possible;
  }
  for (const std::string& where : {text.json, text.timeline}) {
    if (Result<void> possible = check_text_output(where); !possible) {
      return possible;
    }
  }
  return check_csv_output(text.csv);
}

Result<void> write_all(const RunText& text, const std::vector<study::results::RunResults>& runs) {
  if (!text.json.empty()) {
    const auto detail = text.messages ? study::results::JsonDetail::kMessages : study::results::JsonDetail::kSummary;
    if (Result<void> written = write_json(text.json, runs_json(runs, detail)); !written) {
      return written;
    }
  }
  return text.csv.empty() ? Result<void>() : write_csv(text.csv, runs);
}

std::string comparison_of(const std::vector<study::results::RunResults>& runs, LineWidth width) {
  std::vector<study::results::ComparedRun> columns;
  for (const study::results::RunResults& results : runs) {
    columns.push_back({.name = results.run.case_name,
                       .summary = study::results::summarise(results),
                       .end = results.run.end,
                       .ended_at = results.run.ended_at});
  }
  return study::results::comparison_text(columns, width);
}

std::string name_of(const study::scenario::Scenario& scenario) {
  return scenario.case_name.empty() ? scenario.name : scenario.case_name;
}

/// What --corrections says for each of the scenarios, all of which are at the flow level; none without it.
Result<std::vector<std::optional<flow::Corrections>>> corrections_of(
    const RunText& text, std::span<const study::scenario::Scenario> scenarios) {
  std::vector<std::optional<flow::Corrections>> made(scenarios.size());
  if (text.corrections.empty()) {
    return made;
  }
  const Result<std::string> file = read_file(text.corrections);
  if (!file) {
    return fail("--corrections: {}", file.error().message);
  }
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    if (scenarios[i].fidelity != study::scenario::Fidelity::kFlow) {
      return fail("--corrections: {} is no run at the flow level; add --fidelity flow", name_of(scenarios[i]));
    }
    if (std::ranges::any_of(scenarios[i].jobs, &study::scenario::JobSettings::runs_steps)) {
      return fail("--corrections: steps of jobs are not corrected; leave it out");
    }
    Result<flow::Corrections> read =
        study::run::read_corrections({.text = *file, .name = text.corrections}, scenarios[i]);
    if (!read) {
      return fail("--corrections {}", read.error().message);
    }
    made[i] = *read;
  }
  return made;
}

/// The key of each scenario's run. Cases with the same settings are runs of their own in a results file all the same:
/// the second of them is KEY-2.
std::vector<std::string> keys_of(std::span<const study::scenario::Scenario> scenarios,
                                 std::span<const std::optional<flow::Corrections>> corrections,
                                 const study::scenario::Catalogue& catalogue) {
  std::vector<std::string> keys;
  std::map<std::string, int> seen;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const std::string version =
        corrections[i] ? fmt::format("{} {}", WEFT_VERSION, study::run::exact_text(*corrections[i])) : WEFT_VERSION;
    std::string key = study::results::run_key(scenarios[i], catalogue, version);
    const int times = ++seen[key];
    keys.push_back(times == 1 ? std::move(key) : fmt::format("{}-{}", key, times));
  }
  return keys;
}

/// What has come of the cases so far, in their order: a case is taken when all before it are.
class Outcome {
 public:
  struct Options {
    const RunText& text;
    std::span<const study::scenario::Scenario> scenarios;
    ResultFiles& files;  // all of them must outlive this
  };
  explicit Outcome(const Options& options) : options_(options), waiting_(options.scenarios.size()) {}

  /// On disk first of all: printing may fail. Errors: it cannot be written.
  Result<void> add(std::size_t index, CaseResult result) {
    if (result && !options_.text.no_results && options_.files.has_file_per_run()) {
      if (Result<void> stored = options_.files.add(*result); !stored) {
        return stored;
      }
    }
    waiting_[index] = std::move(result);
    for (; next_ < waiting_.size() && waiting_[next_]; ++next_) {
      if (Result<void> taken = take(next_); !taken) {
        return taken;
      }
    }
    return {};
  }
  /// After an interrupt some may be missing in the middle.
  Result<void> add_the_rest() {
    for (; next_ < waiting_.size(); ++next_) {
      if (Result<void> taken = waiting_[next_] ? take(next_) : Result<void>(); !taken) {
        return taken;
      }
    }
    return {};
  }

  /// A capture or a timeline could not be written.
  void add_unwritten(const Error& error) { status_ = complain("run", error, kFault); }

  [[nodiscard]] const std::vector<study::results::RunResults>& runs() const { return runs_; }
  [[nodiscard]] int status() const { return status_; }

 private:
  void add_status(const std::string& name, const study::results::RunResults& results) {
    const std::vector<study::results::FailedJob> failed = study::results::failed_jobs(results);
    const int own = status_of(results, failed);
    status_ = std::max(status_, own);
    if (!results.run.error.empty() && own != kSuccess) {
      fmt::print(stderr, "weft run: {}: {}\n", name, terminal_text(results.run.error));
    }
    for (const study::results::FailedJob& job : failed) {
      fmt::print(stderr, "weft run: {}: {}\n", name, terminal_text(text_of(job)));
    }
  }

  Result<void> take(std::size_t index) {
    const study::scenario::Scenario& scenario = options_.scenarios[index];
    const std::string name = name_of(scenario);
    CaseResult result = *std::move(waiting_[index]);
    if (!result) {  // it does not keep the others away
      const std::string start = waiting_.size() > 1 ? name + ": not possible: " : "";
      status_ = complain("run", {start + result.error().message}, kUsageError);
      return {};
    }
    const RunText& text = options_.text;
    if (!text.no_results && !options_.files.has_file_per_run()) {
      if (Result<void> stored = options_.files.add(*result); !stored) {
        return stored;
      }
    }
    if (!text.quiet) {
      fmt::print(text_stream(text), "{}{}", runs_.empty() ? "" : "\n",
                 study::results::summary_text(*result, study::results::summarise(*result),
                                              terminal_columns(text_stream(text))));
      std::fflush(text_stream(text));
    }
    add_status(name, *result);
    if (result->run.end == study::results::RunEnd::kInterrupted) {
      for (const study::run::CaptureRequest& capture : captures_of(text, scenario, options_.scenarios.size())) {
        fmt::print(stderr, "weft run: {}: interrupted; {} has what was captured until then\n", name, capture.file);
      }
    }
    runs_.push_back(std::move(*result));
    return {};
  }

  Options options_;
  std::vector<std::optional<CaseResult>> waiting_;
  std::size_t next_ = 0;
  std::vector<study::results::RunResults> runs_;
  int status_ = kSuccess;
};

/// The outcome must outlive them.
std::vector<PooledCase> cases_of(const RunText& text, std::span<const study::scenario::Scenario> scenarios,
                                 const std::vector<std::string>& keys,
                                 std::span<const std::optional<flow::Corrections>> corrections, Outcome& outcome) {
  const bool several = scenarios.size() > 1;
  std::vector<PooledCase> cases;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const study::scenario::Scenario& scenario = scenarios[i];
    cases.push_back(
        {.scenario = &scenario,
         .options = {.name = name_of(scenario),
                     .key = keys[i],
                     .captures = captures_of(text, scenario, scenarios.size()),
                     .timeline = text.timeline.empty() || !several ? text.timeline
                                                                   : with_case(text.timeline, scenario.case_name),
                     .check_hops = text.no_check ? 0 : kCheckHops,
                     .memory = text.force ? RunCase::Memory::kForced : RunCase::Memory::kChecked,
                     .corrections = corrections[i],
                     .on_unwritten = [&outcome](const Error& error) { outcome.add_unwritten(error); }}});
  }
  return cases;
}

/// What all runs say together.
void print_comparison(const RunText& text, const std::vector<study::results::RunResults>& runs) {
  if (runs.size() > 1) {
    fmt::print(text_stream(text), "\n{}", comparison_of(runs, terminal_columns(text_stream(text))));
  }
  if (const std::string ladder = study::run::ladder_text(runs); !ladder.empty()) {
    fmt::print(text_stream(text), "\n{}", ladder);
  }
}

int run(const RunText& text) {
  if (text.json == "-" && text.csv == "-") {
    return complain("run", {"--json - and --csv - cannot both have standard output"}, kUsageError);
  }
  Result<std::vector<study::scenario::Scenario>> scenarios = scenarios_of(text);
  if (!scenarios) {
    return complain("run", scenarios.error(), kUsageError);
  }
  Result<study::scenario::Catalogue> catalogue = read_catalogue(text.scenario);
  if (!catalogue) {
    return complain("run", catalogue.error(), kUsageError);
  }
  if (Result<void> chosen = choose_levels(text, *scenarios); !chosen) {
    return complain("run", chosen.error(), kUsageError);
  }
  const Result<std::vector<std::optional<flow::Corrections>>> corrections = corrections_of(text, *scenarios);
  if (!corrections) {
    return complain("run", corrections.error(), kUsageError);
  }
  ResultFiles files(text.out);
  if (Result<void> possible = serves_ranks() ? Result<void>() : check_outputs(text, *scenarios, files); !possible) {
    return complain("run", possible.error(), kFault);
  }
  const auto runs_steps = [](const study::scenario::Scenario& own) {
    return std::ranges::any_of(own.jobs, &study::scenario::JobSettings::runs_steps);
  };
  if (!text.timeline.empty() && std::ranges::none_of(*scenarios, runs_steps)) {
    return complain("run", {"--timeline: no job of this scenario runs steps"}, kUsageError);
  }
  Result<std::optional<RunCache>> cache = text.no_cache ? Result<std::optional<RunCache>>(std::nullopt) : usual_cache();
  if (!cache) {
    return complain("run", cache.error(), kUsageError);
  }
  catch_interrupts();
  CasePool pool({.command = "run",
                 .jobs = text.jobs,
                 .threads = text.threads,
                 .quiet = text.quiet,
                 .shares = true,
                 .cache = *std::move(cache),
                 .progress = text.quiet ? ProgressBar::Show::kNever : ProgressBar::Show::kOnTerminal},
                *catalogue);
  Outcome outcome({.text = text, .scenarios = *scenarios, .files = files});
  Result<void> ran =
      pool.run(cases_of(text, *scenarios, keys_of(*scenarios, *corrections, *catalogue), *corrections, outcome),
               [&outcome](std::size_t i, CaseResult result) { return outcome.add(i, std::move(result)); });
  if (Result<void> rest = outcome.add_the_rest(); ran && !rest) {
    ran = std::move(rest);
  }
  if (!ran) {
    return complain("run", ran.error(), kFault);
  }
  const std::vector<study::results::RunResults>& runs = outcome.runs();
  const int status = interrupted() ? kInterrupted : outcome.status();
  if (runs.empty()) {
    return status;
  }
  if (!text.quiet) {
    print_comparison(text, runs);
    for (const std::string& file : files.written(runs)) {
      fmt::print(text_stream(text), "\nresults in {}\n", file);
    }
  }
  if (interrupted() && pool.keeps() && scenarios->size() > 1) {
    fmt::print(stderr,
               "weft run: interrupted; cases that were complete are kept, and the same command goes on from there\n");
  }
  Result<void> written = write_all(text, runs);
  return written ? status : complain("run", written.error(), kFault);
}

}  // namespace

void add_run_command(CLI::App& app, RunText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("run", "Simulate a scenario, or each of its cases");
  add_scenario_options(*command, text.scenario);
  command->add_flag("--all-cases", text.all_cases,
                    "Run every [[case]] of the file; without --case that is the default");
  command->add_option("--seed", text.seed, "Short for --set seed=...");
  command->add_option("--until", text.until, "Stop at this simulated time; short for --set stop=...");
  command->add_option("--hardware", text.hardware, "as-sold or equal; short for --set hardware=...");
  add_level_options(*command, text.level);
  command->add_option("--corrections", text.corrections,
                      "Of the flow level, from this file of weft calibrate flow; one of other devices is refused");
  add_lfts_option(*command, text.scenario);
  command->add_option("-o,--out", text.out, "Results file (.weft), or a folder that gets one per run")
      ->capture_default_str();
  command->add_flag("--no-results", text.no_results, "Write no results file");
  command->add_option("--json", text.json, "Write the summary as JSON to this file; - = standard output alone");
  command->add_flag("--messages", text.messages, "Every message in the JSON too");
  command->add_option("--csv", text.csv,
                      "Write messages, jobs, ports and samples as CSV to this folder; - = "
                      "standard output alone");
  command->add_option("--pcap", text.pcap, "PORT or PORT=FILE: capture a port (pcapng); may be given several times")
      ->allow_extra_args(false);
  command->add_option("--timeline", text.timeline,
                      "Write a timeline of a training job's ranks as a Chrome trace (opens in Perfetto)");
  command->add_flag("-q,--quiet", text.quiet, "No summary and no progress");
  command->add_flag("--no-check", text.no_check, "Do not measure the error of a composed training step");
  command->add_flag("--no-cache", text.no_cache, "Neither use runs that are in the cache nor keep any there");
  command->add_option("-j,--jobs", text.jobs, "Cases at the same time; default: one per core")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command
      ->add_option("--threads", text.threads,
                   "Threads of each run; default: the idle cores, at most 8, shared by cases")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{kMaxWorkers}));
  command->add_flag("--force", text.force, "Run even if memory seems insufficient");
  command->get_option("--all-cases")->excludes("--case");
  command->footer(
      "Exit status: 0 done, 1 the run or every message of a job failed, 2 wrong input, 130 interrupted (results under "
      "way are partial).");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
