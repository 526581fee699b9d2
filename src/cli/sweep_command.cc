#include "cli/sweep_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/counted.h"
#include "cli/case_pool.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/point_runs.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/sweep_plan.h"
#include "cli/terminal.h"
#include "study/report/report_html.h"
#include "study/sweep/sweep_json.h"
#include "study/sweep/sweep_text.h"

namespace weft::cli {
namespace {

using study::sweep::SeedValues;
using study::sweep::SweepResult;
using study::sweep::SweptFigure;

/// Runs what the plan asks for, round by round, until the question is answered.
class SweepRounds {
 public:
  SweepRounds(SweepPlan& plan, PointRuns& runs, const SweepText& text) : plan_(plan), runs_(runs), text_(text) {
    for (const RunPoint& point : plan.points) {
      numbers_.push_back(runs.add(point));
    }
  }

  /// Errors: a figure that no point can have, before anything runs.
  Result<void> check_measures() {
    for (const study::sweep::Measure& measure : plan_.measures) {
      Result<void> last;
      for (const std::size_t number : numbers_) {
        const Result<study::scenario::Scenario>& scenario = runs_.scenario_of(number);
        if (!scenario) {
          continue;
        }
        last = study::sweep::check_measure(measure, *scenario);
        if (last) {
          break;
        }
      }
      if (!last) {
        return fail("--measure: {}", last.error().message);
      }
    }
    return {};
  }

  Result<void> run() {
    const study::sweep::StopRule& rule = plan_.result.rule;
    std::vector<std::size_t> wanted(plan_.points.size(), rule.first);
    for (int round = 1; round <= kMostRounds; ++round) {
      Result<void> ran = run_round(wanted, round);
      if (!ran || interrupted()) {
        return ran;
      }
      const std::vector<SeedValues>& values = plan_.result.figures.front().values;
      wanted = study::sweep::seeds_needed(values, rule);
    }
    return {};
  }

 private:
  /// Seeds grow by half in each, so few rounds reach any number; a bound all the same.
  static constexpr int kMostRounds = 30;

  Result<void> run_round(const std::vector<std::size_t>& wanted, int round) {
    std::vector<PointSeed> jobs;
    std::vector<std::size_t> of;  // which point
    for (std::size_t point = 0; point < wanted.size(); ++point) {
      const std::size_t have = plan_.result.figures.front().values[point].size();
      if (!plan_.result.points[point].reason.empty()) {
        continue;
      }
      for (std::size_t seed = have; seed < wanted[point]; ++seed) {
        jobs.push_back({.point = numbers_[point], .seed = seed});
        of.push_back(point);
      }
    }
    if (jobs.empty()) {
      return {};
    }
    if (round > 1 && !text_.quiet) {
      fmt::print(stderr, "weft sweep: {} for the question '{}'\n", counted(jobs.size(), {"more run", "more runs"}),
                 text_.question);
    }
    Result<std::vector<std::optional<PointFigures>>> ran = runs_.run(jobs);
    if (!ran) {
      return pass_on(ran);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if ((*ran)[i]) {
        take(of[i], jobs[i].seed, *(*ran)[i]);
      }
    }
    clear_failed();
    return {};
  }

  void take(std::size_t point, std::size_t seed, const PointFigures& figures) {
    SweepResult& result = plan_.result;
    if (!figures.reason.empty() && result.points[point].reason.empty()) {
      result.points[point].reason = figures.reason;
    }
    if (!figures.level.empty() && std::ranges::count(result.levels, figures.level) == 0) {
      result.levels.push_back(figures.level);
    }
    for (std::size_t i = 0; i < figures.values.size(); ++i) {
      // Seeds are in order; after an interrupt, what lies behind a gap does not count.
      SeedValues& values = result.figures[i].values[point];
      if (figures.values[i] && values.size() == seed) {
        values.push_back(*figures.values[i]);
      }
    }
  }

  /// A point that fails under one seed has no figures: those of the others alone would flatter it.
  void clear_failed() {
    for (std::size_t point = 0; point < plan_.points.size(); ++point) {
      if (!plan_.result.points[point].reason.empty()) {
        for (SweptFigure& figure : plan_.result.figures) {
          figure.values[point].clear();
        }
      }
    }
  }

  SweepPlan& plan_;
  PointRuns& runs_;
  const SweepText& text_;
  std::vector<std::size_t> numbers_;
};

/// A level with its error says more than the level alone.
void tidy_levels(SweepResult& result) {
  std::vector<std::string> kept;
  for (const std::string& level : result.levels) {
    const bool is_said =
        std::ranges::any_of(result.levels, [&](const std::string& other) { return other.starts_with(level + ","); });
    if (!is_said) {
      kept.push_back(level);
    }
  }
  result.levels = std::move(kept);
}

std::string results_file(const SweepText& text) {
  if (text.out.ends_with(".weft")) {
    return text.out;
  }
  const std::string stem = std::filesystem::path(text.scenario.file).stem().string();
  return (std::filesystem::path(text.out) / ("sweep-" + file_name_of(stem) + ".weft")).string();
}

Result<void> check_outputs(const SweepText& text) {
  if (text.json == "-" && text.csv == "-") {
    return fail("--json - and --csv - cannot both have standard output");
  }
  if (text.report == "-" && (text.json == "-" || text.csv == "-")) {
    return fail("--report - and --{} - cannot both have standard output", text.json == "-" ? "json" : "csv");
  }
  if (!text.no_results) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(results_file(text)).parent_path(), ignored);
    if (Result<void> possible = ResultFiles(results_file(text)).check(); !possible) {
      return possible;
    }
  }
  for (const std::string* file : {&text.json, &text.report}) {
    if (Result<void> possible = check_text_output(*file); !possible) {
      return possible;
    }
  }
  return check_csv_output(text.csv);
}

Result<void> write_all(const SweepText& text, const SweepResult& result) {
  std::FILE* const stream = text.json == "-" || text.csv == "-" || text.report == "-" ? stderr : stdout;
  if (!text.quiet) {
    fmt::print(stream, "{}", study::sweep::sweep_text(result, terminal_columns(stream)));
    if (!text.no_results) {
      fmt::print(stream, "\nresults of all runs in {}\n", results_file(text));
    }
  }
  if (!text.json.empty()) {
    if (Result<void> written = write_json(text.json, study::sweep::sweep_json(result)); !written) {
      return written;
    }
  }
  if (!text.report.empty()) {
    const std::string title = std::filesystem::path(result.file).filename().string() + ": settings swept";
    const std::string page = study::report::page_of(title, study::sweep::sweep_json(result), nullptr);
    if (Result<void> written = write_html(text.report, page, text.quiet ? nullptr : stream); !written) {
      return written;
    }
  }
  return text.csv.empty() ? Result<void>() : write_csv_files(text.csv, study::sweep::sweep_csv(result));
}

/// Behind the runs: what they say, and how the command ends.
int finish(const SweepText& text, SweepPlan& plan, const PointRuns& runs, bool is_kept) {
  SweepResult& result = plan.result;
  result.runs = runs.done();
  result.interrupted = interrupted();
  tidy_levels(result);
  const std::vector<SeedValues>& values = result.figures.front().values;
  const bool any = std::ranges::any_of(values, [](const SeedValues& own) { return !own.empty(); });
  if (any) {
    study::sweep::analyse(result);
    if (Result<void> written = write_all(text, result); !written) {
      return complain("sweep", written.error(), kFault);
    }
  }
  if (result.interrupted) {
    fmt::print(stderr, "weft sweep: interrupted; {} done{}\n", counted(result.runs, {"run is", "runs are"}),
               is_kept ? " and kept, and the same command goes on from there" : "");
    return kInterrupted;
  }
  if (!any) {
    const auto failed = std::ranges::find_if(result.points, [](const auto& point) { return !point.reason.empty(); });
    return complain("sweep", {fmt::format("no point is possible; {}: {}", failed->name, failed->reason)}, kUsageError);
  }
  return kSuccess;
}

int run(const SweepText& text) {
  catch_interrupts();
  Result<study::scenario::Catalogue> catalogue = read_catalogue(text.scenario);
  if (!catalogue) {
    return complain("sweep", catalogue.error(), kUsageError);
  }
  Result<LevelChooser> levels = LevelChooser::make(text.level);
  if (!levels) {
    return complain("sweep", levels.error(), kUsageError);
  }
  Result<SweepPlan> plan = plan_sweep(text, *catalogue);
  if (!plan) {
    return complain("sweep", plan.error(), kUsageError);
  }
  if (Result<void> possible = serves_ranks() ? Result<void>() : check_outputs(text); !possible) {
    return complain("sweep", possible.error(), kFault);
  }
  Result<std::optional<RunCache>> cache = text.no_cache ? Result<std::optional<RunCache>>(std::nullopt) : usual_cache();
  if (!cache) {
    return complain("sweep", cache.error(), kUsageError);
  }
  CasePool pool({.command = "sweep",
                 .jobs = text.jobs,
                 .quiet = text.quiet,
                 .cache = *std::move(cache),
                 .progress = text.quiet ? ProgressBar::Show::kNever : ProgressBar::Show::kOnTerminal},
                *catalogue);
  ResultFiles files(results_file(text));
  PointRuns runs({.scenario = text.scenario,
                  .measures = plan->measures,
                  .levels = &*levels,
                  .add_chance = plan->add_chance,
                  .first_seed = plan->result.first_seed,
                  .keep =
                      [&](const study::results::RunResults& results) {
                        return text.no_results ? Result<void>() : files.add(results);
                      }},
                 pool, *catalogue);
  if (serves_ranks()) {
    runs.serve("sweep");
    return kSuccess;
  }
  SweepRounds rounds(*plan, runs, text);
  if (Result<void> possible = rounds.check_measures(); !possible) {
    return complain("sweep", possible.error(), kUsageError);
  }
  if (Result<void> ran = rounds.run(); !ran) {
    return complain("sweep", ran.error(), kFault);
  }
  return finish(text, *plan, runs, pool.keeps());
}

void add_output_options(CLI::App& command, SweepText& text) {
  command.add_option("-o,--out", text.out, "Results file (.weft) with every run, or the folder for it")
      ->capture_default_str();
  command.add_flag("--no-results", text.no_results, "Write no results file");
  command.add_option("--json", text.json, "Write points and effects as JSON to this file; - = standard output alone");
  command.add_option("--csv", text.csv, "Write points, runs and effects as CSV into this folder; - prints them");
  command.add_option("--report", text.report, "Write points and effects as a page with charts to this HTML file");
  command.add_flag("--no-cache", text.no_cache, "Neither use runs that are in the cache nor keep any there");
  command.add_option("-j,--jobs", text.jobs, "Runs at the same time; default: one per core")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command.add_flag("-q,--quiet", text.quiet, "No table and no progress");
}

std::string measure_names() {
  std::vector<std::string_view> names;
  for (const study::sweep::MeasureKind& kind : study::sweep::measure_kinds()) {
    names.push_back(kind.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

void add_sweep_command(CLI::App& app, SweepText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("sweep", "Vary keys of a scenario: the best values, and what each key does");
  add_scenario_options(*command, text.scenario);
  command
      ->add_option(
          "--vary", text.vary,
          "key=x,y,z; key=a..b:5, key=a..b:log:5 or key=a..b:by:STEP; case=x,y, or case alone for all; several "
          "times")
      ->required()
      ->allow_extra_args(false);
  command
      ->add_option("--sample", text.sample,
                   "Points of a Latin hypercube in place of the grid; ranges then need no number of levels")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{study::sweep::kMostPoints}));
  command
      ->add_option("--measure", text.measures,
                   fmt::format("Figures, separated by commas; the first decides. {}; FIGURE@JOB for one job or "
                               "traffic. Default: step, collective or fct-p99, by what the scenario runs",
                               measure_names()))
      ->delimiter(',');
  command->add_option("--for", text.question,
                      "Add seeds until this is known: best, ranking, or each mean to a precision such as 2%");
  command->add_option("--seeds", text.seeds, "Seeds of every point, from the scenario's on")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}))
      ->capture_default_str();
  command->add_option("--most-seeds", text.most_seeds, "With --for: seeds of one point at most")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{1000}))
      ->needs("--for")
      ->capture_default_str();
  command->add_option("--same", text.same, "Points that differ by less are alike")->capture_default_str();
  command->add_option("--tolerance", text.tolerance, "A key that changes the mean by less does not matter")
      ->capture_default_str();
  add_level_options(*command, text.level);
  add_output_options(*command, text);
  command->footer(
      "Exit status: 0 done, 1 a file cannot be written or a run died, 2 wrong input, 130 interrupted (the same command "
      "goes on).");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
