#include "cli/tune_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
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
#include "cli/tune_run.h"
#include "cli/work_estimate.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/apply.h"
#include "study/scenario/collective_traffic.h"
#include "study/scenario/congestion/congestion_table.h"
#include "study/scenario/scenario_validate.h"

namespace weft::cli {
namespace {

using study::scenario::Scenario;
using study::sweep::Measure;
using study::tune::Limit;
using study::tune::Tunable;

constexpr std::string_view kAlgorithmKey = "congestion_control.algorithm";

/// `--for incast` and `--for fct` are the figures that people ask for so.
Result<Measure> figure_of(const TuneText& text, const Scenario& scenario) {
  if (text.figure.empty()) {
    return study::sweep::usual_measure(scenario);
  }
  const std::string name = text.figure == "fct" ? "fct-p99" : text.figure == "incast" ? "fct-max" : text.figure;
  Result<Measure> measure = study::sweep::parse_measure(name);
  return measure ? measure : fail("--for: {}", measure.error().message);
}

/// Errors: a figure that no run can have. A key that is searched may bring it, if it is one of what runs.
Result<void> check_figures(const TuneText& text, const Scenario& scenario, const study::tune::TuneResult& result) {
  const bool may_come = std::ranges::any_of(text.vary, [](const std::string& vary) {
    return vary.starts_with("traffic") || vary.starts_with("job") || vary.starts_with("output");
  });
  if (may_come) {
    return {};
  }
  if (Result<void> possible = check_measure(result.measure, scenario); !possible) {
    return fail("--for: {}", possible.error().message);
  }
  for (const study::tune::LimitState& own : result.limits) {
    if (Result<void> possible = check_measure(own.limit.measure, scenario); !possible) {
      return fail("--limit: {}", possible.error().message);
    }
  }
  return {};
}

/// "queue-peak=1MB", "fairness=0.99", "fct-p99@victim=1ms".
Result<Limit> limit_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  Result<Measure> measure = study::sweep::parse_measure(text.substr(0, equals));
  if (!measure) {
    return fail("--limit: {}", measure.error().message);
  }
  if (equals == std::string::npos) {
    return fail("--limit {}: expected FIGURE=VALUE, such as queue-peak=1MB", measure->name());
  }
  Result<double> value = study::sweep::parse_value(measure->kind->unit, text.substr(equals + 1));
  return value ? Result<Limit>(Limit{.measure = *measure, .most = *value})
               : fail("--limit {}: {}", measure->name(), value.error().message);
}

/// A port of a switch whose cable leads to another one, beside a second such cable; empty: there is none.
std::string cable_of(const Scenario& scenario) {
  const Result<fabric::Graph> graph = study::assembly::build_topology(scenario);
  if (!graph) {
    return {};
  }
  std::map<fabric::NodeIndex, std::string> first;
  for (const fabric::Link& link : graph->links) {
    const fabric::Node& a = (*graph)[link.a.node];
    const fabric::Node& b = (*graph)[link.b.node];
    if (a.kind != fabric::NodeKind::kSwitch || b.kind != fabric::NodeKind::kSwitch) {
      continue;
    }
    const fabric::LinkEnd& lower = a.tier <= b.tier ? link.a : link.b;
    const std::string port = fmt::format("{}/port{}", (*graph)[lower.node].name, lower.port);
    const auto [known, is_new] = first.try_emplace(lower.node, port);
    if (!is_new) {
      return known->second;
    }
  }
  return {};
}

struct TunePlan {
  study::tune::TuneResult result;
  std::string cable{};
  std::vector<Measure> measures;
  std::int64_t first_seed = 1;
  bool add_chance = true;
  Scenario scenario{};
};

Result<std::vector<Tunable>> wanted_keys(const TuneText& text, const study::scenario::Catalogue& catalogue,
                                         const Scenario& scenario) {
  if (text.vary.empty()) {
    return study::tune::tunables_of(catalogue, scenario.fabric.family);
  }
  std::vector<Tunable> keys;
  std::vector<study::sweep::Factor> factors;
  for (const std::string& vary : text.vary) {
    Result<study::sweep::Factor> factor =
        study::sweep::parse_factor(vary, {.cases = {}, .kind = study::sweep::FactorContext::Kind::kSamples});
    if (!factor) {
      return pass_on(factor);
    }
    if (factor->is_case()) {
      return fail("--vary case: a search sets keys; weft sweep --vary case tries cases");
    }
    factors.push_back(*factor);
    keys.push_back({.factor = std::move(*factor), .source = "--vary"});
  }
  Result<void> good = study::sweep::check_settings(factors, text.scenario.settings);
  if (good) {
    good = study::sweep::check_factors({.factors = factors, .scenario = scenario, .document = {}, .chosen = {}});
  }
  return good ? Result<std::vector<Tunable>>(std::move(keys)) : pass_on(good);
}

Result<void> check_value(const TuneText& text, const study::sweep::Factor& factor, const std::string& value,
                         const study::scenario::Catalogue& catalogue) {
  ScenarioText with = text.scenario;
  with.settings.push_back(factor.setting(value));
  const Result<Scenario> scenario = read_scenario(with, catalogue);
  return scenario ? Result<void>() : fail("{}", scenario.error().message);
}

/// Whether the key does anything here: the scenario takes it somewhere in its range. What it says if not. Levels that
/// it does not take are left out.
Result<void> check_use(const TuneText& text, const study::scenario::Catalogue& catalogue,
                       study::sweep::Factor& factor) {
  Result<void> last;
  if (factor.range) {
    for (const double at : {0.0, -1.0, 1.0}) {
      last = check_value(text, factor, factor.range->value_at(at), catalogue);
      if (last) {
        return last;
      }
    }
    return last;
  }
  std::erase_if(factor.levels, [&](const std::string& level) {
    Result<void> taken = check_value(text, factor, level, catalogue);
    last = taken ? last : taken;
    return !taken;
  });
  return factor.levels.size() > 1 ? Result<void>() : last;
}

/// Error: a parameter of a congestion control that does not run here.
Result<void> check_algorithm(const std::string& key, const Scenario& scenario) {
  const std::string section = key.substr(0, key.find('.'));
  const study::scenario::CongestionEntry* const own = study::scenario::entry_of_section(section);
  const study::scenario::CongestionAlgorithm runs = scenario.congestion.algorithm;
  if (own == nullptr || own->algorithm == runs) {
    return {};
  }
  return fail("it does nothing with {} = \"{}\"", kAlgorithmKey,
              study::scenario::kCongestionWords[static_cast<std::size_t>(runs)]);
}

/// Error: a setting of a library that nothing here uses.
Result<void> check_collectives(const std::string& key, const Scenario& scenario) {
  if (!key.starts_with("collectives.") || study::scenario::has_collectives(scenario)) {
    return {};
  }
  return fail("it does nothing without collectives: no job runs steps, and no [[traffic]] is one");
}

/// How flows and packets are spread changes nothing where every pair has one path.
bool needs_paths(const std::string& key) { return key.starts_with("routing.") || key.starts_with("uet.path"); }

bool has_one_switch(const Scenario& scenario) {
  const auto graph = study::assembly::build_topology(scenario);
  return graph && graph->switches() == 1;
}

Result<void> add_keys(const TuneText& text, const study::scenario::Catalogue& catalogue, Scenario& scenario,
                      study::tune::TuneResult& result) {
  Result<std::vector<Tunable>> keys = wanted_keys(text, catalogue, scenario);
  if (!keys) {
    return pass_on(keys);
  }
  const bool chooses = std::ranges::any_of(*keys, [](const Tunable& key) { return key.factor.key == kAlgorithmKey; });
  const bool no_paths = text.vary.empty() && has_one_switch(scenario);  // who names one may want its other effects
  for (Tunable& key : *keys) {
    if (no_paths && needs_paths(key.factor.key)) {
      result.passed_over.push_back(key.factor.key);
      continue;
    }
    Result<void> used = chooses ? Result<void>() : check_algorithm(key.factor.key, scenario);
    if (used) {
      used = check_collectives(key.factor.key, scenario);
    }
    if (used) {
      used = check_use(text, catalogue, key.factor);
    }
    if (!used) {
      if (!text.vary.empty()) {
        return fail("--vary {}: {}", key.factor.key, used.error().message);
      }
      result.passed_over.push_back(key.factor.key);
      continue;
    }
    const study::scenario::KeyAt at = study::scenario::expand(*study::scenario::find_path(key.factor.key)).front();
    result.keys.push_back({.tunable = std::move(key),
                           .start = study::scenario::value_text(at, study::scenario::target_of(scenario)),
                           .best = {}});
  }
  return result.keys.empty() ? fail(
                                   "no key of the catalogue does anything in this scenario; name some with --vary "
                                   "KEY=a..b")
                             : Result<void>();
}

Result<TunePlan> plan_tune(const TuneText& text, const study::scenario::Catalogue& catalogue) {
  Result<Scenario> scenario = read_scenario(text.scenario, catalogue);
  if (!scenario) {
    return pass_on(scenario);
  }
  if (Result<void> has_traffic = study::scenario::check_has_traffic(*scenario); !has_traffic) {
    return pass_on(has_traffic);
  }
  Result<Measure> measure = figure_of(text, *scenario);
  if (!measure) {
    return pass_on(measure);
  }
  TunePlan plan{.result = {}, .measures = {*measure}, .first_seed = scenario->seed};
  Result<double> tolerance = parse_share("--tolerance", text.tolerance);
  if (!tolerance) {
    return pass_on(tolerance);
  }
  std::vector<std::string> settings = text.scenario.settings;
  settings.insert(settings.end(), text.vary.begin(), text.vary.end());
  plan.add_chance = leaves_chance(settings);
  plan.cable = cable_of(*scenario);
  plan.result = {.file = text.scenario.file,
                 .version = WEFT_VERSION,
                 .measure = *measure,
                 .tolerance = *tolerance,
                 .chance = plan.add_chance ? chance_text(*scenario) : std::string()};
  for (const std::string& one : text.limits) {
    Result<Limit> limit = limit_of(one);
    if (!limit) {
      return pass_on(limit);
    }
    plan.measures.push_back(limit->measure);
    plan.result.limits.push_back({.limit = std::move(*limit)});
  }
  if (Result<void> possible = check_figures(text, *scenario, plan.result); !possible) {
    return pass_on(possible);
  }
  plan.scenario = *scenario;
  Result<void> added = add_keys(text, catalogue, *scenario, plan.result);
  return added ? Result<TunePlan>(std::move(plan)) : pass_on(added);
}

struct Finish {
  bool is_kept = false;               // what was run
  std::vector<std::string> chance{};  // chance_settings(), if it was added
};

int finish(const TuneText& text, study::tune::TuneResult& result, const PointRuns& runs, const Finish& how) {
  result.runs = runs.done();
  result.interrupted = interrupted();
  result.command = run_command(
      text.scenario, {.name = {}, .case_name = text.scenario.case_name, .settings = result.settings}, how.chance);
  if (!text.quiet && (!result.interrupted || !result.best.empty())) {
    std::FILE* const stream = text.json == "-" ? stderr : stdout;
    fmt::print(stream, "{}", study::tune::tune_text(result, terminal_columns(stream)));
  }
  if (!text.json.empty()) {
    if (Result<void> written = write_json(text.json, study::tune::tune_json(result)); !written) {
      return complain("tune", written.error(), kFault);
    }
  }
  if (result.interrupted) {
    fmt::print(stderr, "weft tune: interrupted; {} done{}\n", counted(result.runs, {"run is", "runs are"}),
               how.is_kept ? " and kept, and the same command goes on from there" : "");
    return kInterrupted;
  }
  return kSuccess;
}

void say_how_long(const TuneText& text, const Scenario& scenario, std::size_t runs) {
  const std::optional<WorkTime> time =
      text.quiet ? std::nullopt : time_of_runs(scenario, static_cast<double>(runs), text.jobs);
  if (time) {
    fmt::print(stderr, "weft tune: about {} runs: {}, or less where steps are composed\n", runs, work_time_text(*time));
  }
}

int run(const TuneText& text) {
  catch_interrupts();
  Result<study::scenario::Catalogue> catalogue = read_catalogue(text.scenario);
  if (!catalogue) {
    return complain("tune", catalogue.error(), kUsageError);
  }
  Result<LevelChooser> levels = LevelChooser::make(text.level);
  if (!levels) {
    return complain("tune", levels.error(), kUsageError);
  }
  Result<TunePlan> plan = plan_tune(text, *catalogue);
  if (!plan) {
    return complain("tune", plan.error(), kUsageError);
  }
  if (Result<void> possible = serves_ranks() ? Result<void>() : check_text_output(text.json); !possible) {
    return complain("tune", possible.error(), kFault);
  }
  Result<std::optional<RunCache>> cache = text.no_cache ? Result<std::optional<RunCache>>(std::nullopt) : usual_cache();
  if (!cache) {
    return complain("tune", cache.error(), kUsageError);
  }
  // A search runs a few points at a time: a line for each would say nothing.
  CasePool pool({.command = "tune",
                 .jobs = text.jobs,
                 .threads = 1,
                 .quiet = true,
                 .cache = *std::move(cache),
                 .progress = ProgressBar::Show::kNever},
                *catalogue);
  PointRuns runs({.scenario = text.scenario,
                  .measures = plan->measures,
                  .levels = &*levels,
                  .add_chance = plan->add_chance,
                  .first_seed = plan->first_seed},
                 pool, *catalogue);
  if (serves_ranks()) {
    runs.serve("tune");
    return kSuccess;
  }
  TuneRun search({.case_name = text.scenario.case_name,
                  .runs = static_cast<std::size_t>(text.runs),
                  .seeds = static_cast<std::size_t>(text.seeds),
                  .draw = static_cast<std::uint64_t>(plan->first_seed),
                  .cable = plan->cable,
                  .tell =
                      [&](const std::string& what) {
                        if (!text.quiet) {
                          fmt::print(stderr, "weft tune: {}; {} so far\n", what, counted(runs.done(), {"run", "runs"}));
                        }
                      }},
                 runs, plan->result);
  say_how_long(text, plan->scenario, search.most_runs());
  if (Result<void> ran = search.run(); !ran) {
    return complain("tune", ran.error(), kUsageError);
  }
  return finish(text, plan->result, runs,
                {.is_kept = pool.keeps(),
                 .chance = plan->add_chance ? chance_settings(plan->scenario) : std::vector<std::string>()});
}

}  // namespace

void add_tune_command(CLI::App& app, TuneText& text, int& exit_status) {
  CLI::App* command = app.add_subcommand("tune", "Find the settings with which a scenario does best");
  add_scenario_options(*command, text.scenario);
  command->add_option("--for", text.figure,
                      "Figure to improve: step, collective, incast (fct-max), fct (fct-p99), or any of weft sweep "
                      "--measure; default: by what the scenario runs");
  command
      ->add_option("--limit", text.limits,
                   "FIGURE=VALUE that the answer must keep to, such as queue-peak=1MB or fairness=0.98; several times")
      ->allow_extra_args(false);
  command
      ->add_option("--vary", text.vary,
                   "key=a..b, key=a..b:log, or values as in weft sweep (key=x,y,z, key=a..b:5): search these keys "
                   "alone; default: the tunables of the catalogue")
      ->allow_extra_args(false);
  command->add_option("--runs", text.runs, "Runs of the search; the answer and its mistakes come on top")
      ->check(CLI::Range(std::int64_t{40}, std::int64_t{100'000}))
      ->capture_default_str();
  command->add_option("--seeds", text.seeds, "Seeds of the answer and of the scenario as it is")
      ->check(CLI::Range(std::int64_t{3}, std::int64_t{1000}))
      ->capture_default_str();
  command->add_option("--tolerance", text.tolerance, "A change of the figure by less does not matter")
      ->capture_default_str();
  add_level_options(*command, text.level);
  command->add_option("--json", text.json, "Write the result as JSON to this file; - = standard output alone");
  command->add_flag("--no-cache", text.no_cache, "Neither use runs that are in the cache nor keep any there");
  command->add_option("-j,--jobs", text.jobs, "Runs at the same time; default: one per core")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1024}));
  command->add_flag("-q,--quiet", text.quiet, "No table and no progress");
  command->footer(
      "Exit status: 0 done, 1 a file cannot be written, 2 wrong input or no point can be run, 130 interrupted (the "
      "same "
      "command goes on).");
  command->callback([&text, &exit_status] { exit_status = run(text); });
}

}  // namespace weft::cli
