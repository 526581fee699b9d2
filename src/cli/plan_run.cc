#include "cli/plan_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "cli/plan_failures.h"
#include "cli/run_interrupt.h"
#include "study/assembly/assembly_check.h"
#include "study/assembly/build_topology.h"
#include "study/compare/comparison_plan.h"
#include "study/compare/failure_study.h"
#include "study/compare/misconfigurations.h"
#include "study/compare/work_cost.h"
#include "study/results/results_key.h"
#include "study/run/level_choice.h"
#include "study/run/run_estimate.h"
#include "study/scenario/scenario_words.h"
#include "study/sweep/measure.h"
#include "study/sweep/quantile.h"

namespace weft::cli {
namespace {

using study::plan::Growth;
using study::plan::Measured;
using study::plan::PlannedDesign;
using study::results::RunResults;
using study::scenario::Scenario;

/// A run of packets that is expected to take more stays at the flow level. Machines differ, answers must not.
constexpr double kMostHops = 60e6;
/// Slices of runs with packets: many designs, each a first answer.
constexpr Bytes kSlice{1 << 20};
constexpr std::int64_t kSliceHops = 4'000'000;
/// Of the cost of a token: less is no gain.
constexpr double kGain = 0.002;
constexpr std::size_t kBatch = 4;
/// In the place of designs that cannot be run others are tried: so many times --designs in all.
constexpr std::size_t kMostTries = 4;
/// Moves of an iteration that are run at once.
constexpr std::size_t kMoves = 2;

/// By cost of tokens; what has no figures, or does not keep to the limits, is behind.
bool is_better(const PlannedDesign& a, const PlannedDesign& b) {
  const auto rank = [](const PlannedDesign& own) {
    return std::tuple(!own.measured.has_value(), !own.keeps_limits, own.cost.usd);
  };
  return rank(a) < rank(b);
}

std::size_t have_figures(const std::vector<PlannedDesign>& designs) {
  return static_cast<std::size_t>(
      std::ranges::count_if(designs, [](const PlannedDesign& own) { return own.measured.has_value(); }));
}

std::string parallelism_of(const Scenario& scenario) {
  const study::scenario::TrainingSettings& own = scenario.jobs.front().training;
  std::string text = fmt::format("tp {}, pp {}, dp {}", own.tensor, own.pipeline, own.data);
  text += own.context > 1 ? fmt::format(", cp {}", own.context) : "";
  text += own.expert > 1 ? fmt::format(", ep {}", own.expert) : "";
  text += own.interleave > 1 ? fmt::format(", interleave {}", own.interleave) : "";
  return fmt::format("{}, {}", text, study::scenario::word_of(scenario.jobs.front().placement));
}

}  // namespace

Result<void> PlanRun::run() {
  for (const auto stage : {&PlanRun::bound_all, &PlanRun::first_rounds, &PlanRun::loop, &PlanRun::finals}) {
    if (Result<void> ran = (this->*stage)(); !ran) {
      return ran;
    }
    if (interrupted()) {
      break;
    }
  }
  result_.interrupted = interrupted();
  result_.not_run += waiting_.size();
  add_growth();
  conclude(result_);
  return {};
}

Result<PlannedDesign> PlanRun::bounded(const study::plan::Design& design) const {
  Result<Scenario> scenario = scenario_of(question_, design, catalogue_);
  if (!scenario) {
    return pass_on(scenario);
  }
  Result<fabric::Graph> graph = study::assembly::build_topology(*scenario);
  if (!graph) {
    return pass_on(graph);
  }
  Result<study::plan::Bounds> bounds = study::plan::bounds_of(*scenario, *graph);
  if (!bounds) {
    return pass_on(bounds);
  }
  PlannedDesign made{.design = design, .name = name_of(design), .bounds = *std::move(bounds)};
  made.cost.usd = made.bounds.usd;
  made.parallelism = parallelism_of(*scenario);
  return made;
}

void PlanRun::bound(const study::plan::Design& design) {
  Result<PlannedDesign> made = bounded(design);
  if (!made) {
    ++result_.refused[made.error().message];
    return;
  }
  switch (pruned_by(made->bounds, question_.limits)) {
    case study::plan::Pruned::kNot:
      waiting_.push_back(*std::move(made));
      return;
    case study::plan::Pruned::kBudget:
      ++result_.beyond_budget;
      return;
    case study::plan::Pruned::kPower:
      ++result_.beyond_power;
      return;
    case study::plan::Pruned::kDeadline:
      ++result_.too_slow;
      return;
  }
}

Result<void> PlanRun::bound_all() {
  result_.enumerated = question_.space.designs.size();
  result_.beyond_capacity = question_.space.beyond_capacity;
  options_.tell(fmt::format("bounds of {}", counted(result_.enumerated, {"design", "designs"})));
  for (const study::plan::Design& design : question_.space.designs) {
    if (interrupted()) {
      return {};
    }
    bound(design);
  }
  if (waiting_.empty() && result_.beyond_budget + result_.beyond_power + result_.too_slow == 0) {
    return fail("no design can be built: of {} all are refused: {}", counted(result_.enumerated, {"design", "designs"}),
                result_.refused.empty() ? "none was bounded" : result_.refused.begin()->first);
  }
  if (waiting_.empty()) {
    std::string why = result_.refused.empty() ? "" : "; refused: " + result_.refused.begin()->first;
    return fail(
        "no design keeps to what is asked for: of {} designs {} are beyond the budget, {} beyond the power, {} too "
        "slow "
        "by the lower bound of their step{}",
        result_.enumerated, result_.beyond_budget, result_.beyond_power, result_.too_slow, why);
  }
  std::ranges::stable_sort(waiting_, {}, [](const PlannedDesign& own) { return own.bounds.usd; });
  return {};
}

/// The best bound of each network in turn, so that no network is judged by another's bound alone.
std::vector<PlannedDesign> PlanRun::next_batch(std::size_t most) {
  std::vector<PlannedDesign> batch;
  std::map<std::string, std::size_t> taken;
  for (const PlannedDesign& own : result_.designs) {
    ++taken[own.design.network.name];
  }
  while (batch.size() < most && !waiting_.empty()) {
    auto next = waiting_.begin();
    for (auto own = waiting_.begin(); own != waiting_.end(); ++own) {
      if (taken[own->design.network.name] < taken[next->design.network.name]) {
        next = own;
      }
    }
    ++taken[next->design.network.name];
    batch.push_back(std::move(*next));
    waiting_.erase(next);
  }
  return batch;
}

/// A design whose tokens cost more by its bound than those of one that was run and takes no more power cannot win.
void PlanRun::drop_by_bound() {
  const std::size_t before = waiting_.size();
  std::erase_if(waiting_, [this](const PlannedDesign& own) {
    return std::ranges::any_of(result_.designs, [&](const PlannedDesign& run) {
      return run.measured && run.keeps_limits && run.cost.usd < own.bounds.usd &&
             run.bounds.total.power <= own.bounds.total.power;
    });
  });
  result_.by_bound += before - waiting_.size();
}

Result<void> PlanRun::first_rounds() {
  std::size_t run = 0;
  std::size_t tried = 0;
  while (run < options_.designs && tried < kMostTries * options_.designs && !waiting_.empty() && !interrupted()) {
    std::vector<PlannedDesign> batch = next_batch(std::min(kBatch, options_.designs - run));
    tried += batch.size();
    options_.tell(fmt::format("{} at the flow level", counted(batch.size(), {"design", "designs"})));
    if (Result<void> ran = measure(batch, {.level = Level::kFlow}); !ran) {
      return ran;
    }
    const std::size_t size = have_figures(batch);
    run += size;
    std::ranges::move(batch, std::back_inserter(result_.designs));
    drop_by_bound();
    result_.rounds.push_back({.level = "flow", .designs = size, .left = waiting_.size()});
  }
  return {};
}

std::size_t PlanRun::leader() const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < result_.designs.size(); ++i) {
    best = is_better(result_.designs[i], result_.designs[best]) ? i : best;
  }
  return best;
}

Result<void> PlanRun::loop() {
  bool moved = true;
  for (int number = 1; number <= options_.iterations && moved && !interrupted(); ++number) {
    moved = false;
    if (Result<void> ran = iterate(number, moved); !ran) {
      return ran;
    }
  }
  return {};
}

Result<void> PlanRun::iterate(int number, bool& moved) {
  if (result_.designs.empty() || !result_.designs[leader()].metrics) {
    return {};
  }
  const PlannedDesign best = result_.designs[leader()];
  Result<Scenario> scenario = scenario_of(question_, best.design, catalogue_);
  if (!scenario) {
    return pass_on(scenario);
  }
  std::set<std::string> known;
  for (const PlannedDesign& own : result_.designs) {
    known.insert(own.name);
  }
  std::vector<PlannedDesign> batch;
  std::vector<study::plan::Iteration> tries;
  for (const study::plan::Move& move : next_moves(
           *best.metrics,
           {.design = best.design, .scenario = *scenario, .space = question_.space.designs, .catalogue = catalogue_})) {
    if (batch.size() == kMoves || !known.insert(name_of(move.design)).second) {
      continue;
    }
    study::plan::Iteration made{.number = number, .metric = move.metric, .change = move.change, .level = "flow"};
    Result<PlannedDesign> own = bounded(move.design);
    if (own && pruned_by(own->bounds, question_.limits) != study::plan::Pruned::kNot) {
      own = fail("beyond the budget, the power or the deadline by its bounds");
    }
    if (!own) {
      made.reason = own.error().message;
      PlannedDesign refused{.design = move.design, .name = name_of(move.design), .keeps_limits = false};
      refused.reason = made.reason;
      result_.designs.push_back(std::move(refused));
      result_.iterations.push_back(std::move(made));
      moved = true;
      continue;
    }
    batch.push_back(*std::move(own));
    tries.push_back(std::move(made));
  }
  if (batch.empty()) {
    return {};
  }
  options_.tell(fmt::format("iteration {}: {}", number, tries.front().metric));
  if (Result<void> ran = measure(batch, {.level = Level::kFlow}); !ran) {
    return ran;
  }
  moved = true;
  std::size_t winner = 0;
  for (std::size_t i = 1; i < batch.size(); ++i) {
    winner = is_better(batch[i], batch[winner]) ? i : winner;
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    tries[i].before = best.cost.usd;
    tries[i].reason = batch[i].reason;
    if (batch[i].measured) {
      tries[i].after = batch[i].cost.usd;
      tries[i].taken = i == winner && batch[i].keeps_limits && *tries[i].gain() > kGain;
    }
    result_.iterations.push_back(tries[i]);
    result_.designs.push_back(std::move(batch[i]));
  }
  return {};
}

/// The front of what was run so far, the cheapest first, with the job as the best design runs it.
std::vector<PlannedDesign> PlanRun::choose_finalists() const {
  std::vector<std::size_t> places;
  std::vector<study::plan::Criteria> criteria;
  for (std::size_t i = 0; i < result_.designs.size(); ++i) {
    const PlannedDesign& own = result_.designs[i];
    if (own.measured && own.keeps_limits) {
      places.push_back(i);
      criteria.push_back(study::plan::criteria_of(own));
    }
  }
  std::set<std::size_t> on_front;
  for (const std::size_t place : study::plan::pareto_front(criteria, 0.005)) {
    on_front.insert(places[place]);
  }
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
    const auto rank = [&](std::size_t i) { return std::tuple(!on_front.contains(i), result_.designs[i].cost.usd); };
    return rank(a) < rank(b);
  });
  std::vector<PlannedDesign> chosen;
  std::set<std::string> names;
  const std::vector<std::string> job = result_.designs[leader()].design.job;
  for (const std::size_t place : places) {
    study::plan::Design design = result_.designs[place].design;
    design.job = job;
    if (chosen.size() == options_.finalists || names.contains(name_of(design))) {
      continue;
    }
    Result<PlannedDesign> own = bounded(design);
    if (own) {
      names.insert(own->name);
      chosen.push_back(*std::move(own));
    }
  }
  return chosen;
}

Result<void> PlanRun::finals() {
  if (result_.designs.empty()) {
    return {};
  }
  std::vector<PlannedDesign> chosen = choose_finalists();
  if (chosen.empty()) {
    return {};
  }
  options_.tell(fmt::format("{} with packets, {} each", counted(chosen.size(), {"design", "designs"}),
                            counted(options_.seeds, {"seed", "seeds"})));
  Result<void> ran = measure(chosen, {.level = Level::kPackets, .seeds = options_.seeds});
  if (!ran || interrupted()) {
    return ran;
  }
  std::string levels;
  for (PlannedDesign& own : chosen) {
    own.finalist = own.measured.has_value();
    if (own.measured && levels.find(own.measured->level) == std::string::npos) {
      levels += (levels.empty() ? "" : ", ") + own.measured->level;
    }
  }
  result_.rounds.push_back({.level = levels, .designs = have_figures(chosen), .left = 0});
  if (ran = mistakes(chosen); ran) {
    ran = failures(chosen);
  }
  for (PlannedDesign& own : chosen) {
    std::erase_if(result_.designs, [&](const PlannedDesign& other) { return other.name == own.name; });
    result_.designs.push_back(std::move(own));
  }
  return ran;
}

Result<Scenario> PlanRun::runnable(const study::plan::Design& design, Level level,
                                   const std::vector<std::string>& more) const {
  Result<Scenario> scenario = scenario_of(question_, design, catalogue_, more);
  if (!scenario) {
    return scenario;
  }
  study::compare::add_chance(*scenario);
  scenario->output.sample_interval.reset();
  study::scenario::TrainingSettings& training = scenario->jobs.front().training;
  training.slice = std::min(training.slice, kSlice);
  training.slice_hops = std::min(training.slice_hops, kSliceHops);
  scenario = at_level(*scenario, study::run::Level::kComposed);
  if (level == Level::kPackets) {
    Result<fabric::Graph> graph = study::assembly::build_topology(*scenario);
    if (!graph) {
      return pass_on(graph);
    }
    const Result<study::run::HopsEstimate> hops = study::run::estimate_hops(*scenario, *graph);
    if (hops && hops->least <= kMostHops) {
      return scenario;
    }
  }
  scenario = at_level(*scenario, study::run::Level::kFlow);
  scenario->flow.probes = 0;
  return scenario;
}

Result<void> PlanRun::measure(std::vector<PlannedDesign>& designs, const Wanted& wanted) {
  std::list<Scenario> scenarios;
  std::vector<PooledCase> cases;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < designs.size(); ++i) {
    Result<Scenario> own = runnable(designs[i].design, wanted.level);
    Result<void> fits = own ? study::assembly::check_assembly(*own) : pass_on(own);
    if (!fits) {
      designs[i].reason = fits.error().message;
      continue;
    }
    for (std::size_t seed = 0; seed < wanted.seeds; ++seed) {
      Scenario& scenario = scenarios.emplace_back(*own);
      scenario.seed += static_cast<std::int64_t>(seed);
      scenario.case_name = designs[i].name;
      const bool checked = wanted.level == Level::kPackets && seed == 0;
      cases.push_back({.scenario = &scenario,
                       .options = {.name = fmt::format("{}, seed {}", designs[i].name, scenario.seed),
                                   .key = study::results::run_key(scenario, catalogue_, WEFT_VERSION),
                                   .captures = {},
                                   .timeline = {},
                                   .check_hops = checked ? kCheckHops : 0}});
      of.push_back(i);
    }
  }
  auto ran = pool_.run(cases);
  if (!ran) {
    return pass_on(ran);
  }
  for (std::size_t i = 0; i < designs.size(); ++i) {
    std::vector<const RunResults*> runs;
    const Scenario* scenario = nullptr;
    for (std::size_t j = 0; j < cases.size(); ++j) {
      if (of[j] != i || !(*ran)[j]) {
        continue;
      }
      const CaseResult& result = *(*ran)[j];
      if (!result) {
        designs[i].reason = result.error().message;
      } else if (result->run.end != study::results::RunEnd::kFinished || result->steps.empty()) {
        designs[i].reason = result->run.error.empty() ? std::string(to_string(result->run.end)) : result->run.error;
      } else {
        runs.push_back(&*result);
        scenario = scenario == nullptr ? cases[j].scenario : scenario;
        ++result_.runs;
      }
    }
    if (runs.size() == wanted.seeds) {
      take(designs[i], *scenario, runs);
    }
  }
  return {};
}

/// Figures of a design from its runs, the first seed's first.
void PlanRun::take(PlannedDesign& design, const Scenario& scenario, const std::vector<const RunResults*>& runs) const {
  const study::results::StepRow& first = runs.front()->steps.front();
  std::vector<double> times;
  for (const RunResults* const run : runs) {
    times.push_back(run->steps.front().time.seconds());
  }
  const study::sweep::MeanOfSeeds mean = study::sweep::mean_of_seeds(times);
  study::compare::Estimate of_seeds{.mean = mean.mean, .low = {}, .high = {}};
  if (mean.interval) {
    of_seeds.low = mean.interval->low;
    of_seeds.high = mean.interval->high;
  }
  study::report::RunFigures doubts;
  doubts.interval = first.interval;
  doubts.composition_error = first.composition_error;
  const study::compare::Estimate step = study::compare::with_run_doubts(of_seeds, doubts);
  const bool flow = runs.front()->run.fidelity == "flow";
  Measured made{.level = flow ? "flow" : first.fidelity,
                .step = step.mean,
                .low = step.low,
                .high = step.high,
                .interval = {},
                .seeds = runs.size()};
  made.interval = fmt::format("{} {}", runs.size(), runs.size() == 1 ? "seed" : "seeds");
  made.interval += first.composition_error ? fmt::format("; off by {:+.2f} %, measured on {}",
                                                         *first.composition_error * 100, first.composition_check)
                                           : "; what the level is off by was not measured";
  made.interval += first.interval ? fmt::format("; slices known to {:.1f} %", *first.interval * 100) : "";
  made.interval += first.settled() ? "" : "; slices that met marks, pauses or losses had not settled";
  design.metrics = study::plan::metrics_of(*runs.front());
  design.measured = made;
  design.cost = study::plan::cost_of_tokens(scenario, design.bounds.total,
                                            {.mean = step.mean, .low = step.low, .high = step.high, .goodput = {}},
                                            design.bounds.tokens);
  const std::optional<double> most = question_.limits.most_step(design.bounds.tokens);
  design.keeps_limits = !most || step.mean <= *most;
}

Result<void> PlanRun::mistakes(std::vector<PlannedDesign>& designs) {
  std::list<Scenario> scenarios;
  std::vector<PooledCase> cases;
  struct Tried {
    std::size_t design = 0;
    std::string name;
  };
  std::vector<Tried> tried;
  std::map<std::size_t, std::size_t> all;
  for (std::size_t i = 0; i < designs.size() && options_.mistakes > 0; ++i) {
    Result<Scenario> own = runnable(designs[i].design, Level::kPackets);
    if (!own || !designs[i].measured || designs[i].measured->level == "flow") {
      continue;  // mistakes are about queues, pauses and marks
    }
    auto found = study::compare::misconfigurations_of(*own);
    if (!found) {
      return pass_on(found);
    }
    all[i] = found->size();
    for (std::size_t j = 0; j < std::min(options_.mistakes, found->size()); ++j) {
      // Spread evenly over the list, in which like mistakes stand together.
      study::compare::Misconfiguration& one = (*found)[j * found->size() / std::min(options_.mistakes, found->size())];
      Scenario& scenario = scenarios.emplace_back(std::move(one.scenario));
      scenario.case_name = designs[i].name + ", " + one.name;
      cases.push_back({.scenario = &scenario,
                       .options = {.name = scenario.case_name,
                                   .key = study::results::run_key(scenario, catalogue_, WEFT_VERSION),
                                   .captures = {},
                                   .timeline = {}}});
      tried.push_back({.design = i, .name = one.name});
    }
  }
  if (cases.empty()) {
    return {};
  }
  options_.tell(fmt::format("{} with one mistake each", counted(cases.size(), {"run", "runs"})));
  auto ran = pool_.run(cases);
  if (!ran) {
    return pass_on(ran);
  }
  for (std::size_t j = 0; j < cases.size(); ++j) {
    if (!(*ran)[j]) {
      continue;  // an interrupt came first
    }
    PlannedDesign& own = designs[tried[j].design];
    const CaseResult& result = *(*ran)[j];
    const bool ended = result && result->run.end == study::results::RunEnd::kFinished && !result->steps.empty();
    // A job that does not end loses all of its work.
    const double loss = ended ? std::clamp(result->steps.front().time.seconds() / own.measured->step - 1, 0.0, 1.0) : 1;
    study::plan::TuningRisk& risk = own.risk ? *own.risk : own.risk.emplace();
    risk.of = all[tried[j].design];
    risk.mean = (risk.mean * static_cast<double>(risk.tried) + loss) / static_cast<double>(risk.tried + 1);
    ++risk.tried;
    ++result_.runs;
    if (risk.worst_name.empty() || loss > risk.worst) {
      risk.worst = loss;
      risk.worst_name = tried[j].name;
    }
  }
  return {};
}

Result<void> PlanRun::failures(std::vector<PlannedDesign>& designs) {
  if (!options_.failures || interrupted()) {
    return {};
  }
  // Without a library a queue pair has the patience that the scenario says, which is seldom meant.
  std::vector<std::string> library;
  if (question_.base.find("[library]") == std::string::npos) {
    library.push_back(fmt::format("library.profile={}", study::compare::kUsualLibrary));
  }
  std::vector<study::compare::FailureTask> tasks;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < designs.size(); ++i) {
    Result<Scenario> own = scenario_of(question_, designs[i].design, catalogue_, library);
    if (own && designs[i].measured) {
      tasks.push_back({.name = designs[i].name, .scenario = *std::move(own), .reason = {}});
      of.push_back(i);
    }
  }
  options_.tell(fmt::format("failures of {}", counted(tasks.size(), {"design", "designs"})));
  auto studied = study_designs(tasks, {.jobs = options_.jobs, .cache = options_.cache, .catalogue = catalogue_});
  if (!studied) {
    return pass_on(studied);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if ((*studied)[i]) {
      designs[of[i]].failures = failure_risk(*(*studied)[i], tasks[i].scenario, designs[of[i]].design.spares);
    }
  }
  return {};
}

void PlanRun::add_growth() {
  if (!question_.later) {
    return;
  }
  const std::int64_t per_host = std::max<std::int64_t>(question_.scenario.topology.gpus_per_host, 1);
  const std::int64_t hosts = (*question_.later + per_host - 1) / per_host;
  for (PlannedDesign& own : result_.designs) {
    if (!own.measured) {
      continue;
    }
    Growth made{.gpus = hosts * per_host};
    const std::optional<study::plan::Design> later = grown(own.design, hosts);
    Result<Scenario> scenario =
        later ? scenario_of(question_, *later, catalogue_)
              : Result<Scenario>(fail("its switches do not take so many; all of them would be replaced"));
    Result<fabric::Graph> graph = scenario ? study::assembly::build_topology(*scenario) : pass_on(scenario);
    if (graph) {
      made = study::plan::growth_between(own.bounds.bill, study::cost::bill_of(*scenario, *graph));
      made.gpus = hosts * per_host;
      made.shape = fmt::format("{} of {}", to_string(later->shape), counted(tiers_of(*later), {"tier", "tiers"}));
      const study::plan::Wiring& now = own.design.wiring;
      made.rewired = later->shape != own.design.shape || now.hosts_per_leaf != later->wiring.hosts_per_leaf ||
                     now.parallel_links != later->wiring.parallel_links || now.spines != later->wiring.spines;
    } else {
      made.possible = false;
      made.reason = graph.error().message;
    }
    own.growth = std::move(made);
  }
}

}  // namespace weft::cli
