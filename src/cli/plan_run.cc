#include "cli/plan_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "base/counted.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/plan_failures.h"
#include "cli/plan_growth.h"
#include "cli/rank_pool.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "study/assembly/build_topology.h"
#include "study/compare/work_cost.h"
#include "study/scenario/scenario_words.h"
#include "study/sweep/measure.h"
#include "study/sweep/quantile.h"

namespace weft::cli {
namespace {

using study::plan::Measured;
using study::plan::PlannedDesign;
using study::results::RunResults;
using study::scenario::Scenario;

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

double power_of(const PlannedDesign& design) { return static_cast<double>(design.bounds.total.power.count); }

/// Cost of tokens, step, power: as they are, and as they are at best.
study::plan::Criteria known_figures(const PlannedDesign& run) {
  return {run.cost.usd, run.measured->step, power_of(run)};
}
study::plan::Criteria known_bounds(const PlannedDesign& design) {
  return {design.bounds.usd, design.bounds.step, power_of(design)};
}
double growth_cost(const PlannedDesign& design) {
  const bool is_known = design.growth && design.growth->possible;
  return is_known ? static_cast<double>(design.growth->cost.count) : std::numeric_limits<double>::infinity();
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
  for (PlannedDesign& own : result_.designs) {
    if (own.measured) {
      add_growth(own);
    }
  }
  conclude(result_);
  return {};
}

void PlanRun::serve() {
  while (const std::optional<std::string> order = next_order()) {
    const bool is_failures = nlohmann::json::parse(*order).contains("failures");
    const Result<void> served =
        is_failures ? serve_failures(*order, question_, catalogue_, {.jobs = options_.jobs}) : cases_.serve(*order);
    if (!served && served.error().message != kServed) {
      (void)complain("plan", served.error(), kFault);
      tell_cannot();
    }
  }
}

Result<PlannedDesign> PlanRun::bounded(const study::plan::Design& design) {
  Result<Scenario> scenario = scenario_of(question_, design, catalogue_);
  if (!scenario) {
    return pass_on(scenario);
  }
  Result<fabric::Graph> graph = study::assembly::build_topology(*scenario);
  if (!graph) {
    return pass_on(graph);
  }
  Result<study::plan::Bounds> bounds =
      study::plan::bounds_of(*scenario, *graph, steps_, fmt::format("{}", fmt::join(design.job, " ")));
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
  result_.one_switch = question_.space.one_switch;
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

/// The cheapest bound of each network in turn, so that no network is judged by another's bound alone. In each batch one
/// is the fastest by its bound, or the one of least power: the front has those ends as well.
std::vector<PlannedDesign> PlanRun::next_batch(std::size_t most) {
  std::vector<PlannedDesign> batch;
  std::map<std::string, std::size_t> taken;
  for (const PlannedDesign& own : result_.designs) {
    ++taken[own.design.network.name];
  }
  const bool is_fast = batches_++ % 2 == 0;
  while (batch.size() < most && !waiting_.empty()) {
    auto next = waiting_.begin();
    if (batch.size() + 1 == kBatch) {
      next = is_fast ? std::ranges::min_element(waiting_, {}, [](const auto& own) { return own.bounds.step; })
                     : std::ranges::min_element(waiting_, {}, power_of);
    } else {
      next = std::ranges::min_element(waiting_, {}, [&](const auto& own) { return taken[own.design.network.name]; });
    }
    ++taken[next->design.network.name];
    batch.push_back(std::move(*next));
    waiting_.erase(next);
  }
  return batch;
}

void PlanRun::add_growth(PlannedDesign& design) {
  if (question_.later && !design.growth) {
    design.growth = growth_of(question_, design, catalogue_);
  }
}

/// Something that was run is no worse by its figures than this design is by its bounds, in all that the front looks at
/// before risks are measured, and better in something.
bool PlanRun::cannot_win(PlannedDesign& design) {
  return std::ranges::any_of(result_.designs, [&](PlannedDesign& run) {
    if (!run.measured || !run.keeps_limits || !study::plan::dominates(known_figures(run), known_bounds(design))) {
      return false;
    }
    add_growth(run);  // takes two bills, so it comes last
    add_growth(design);
    return growth_cost(run) <= growth_cost(design);
  });
}

void PlanRun::drop_by_bound() {
  if (!options_.prunes) {
    return;
  }
  const std::size_t before = waiting_.size();
  std::erase_if(waiting_, [this](PlannedDesign& own) { return cannot_win(own); });
  result_.by_bound += before - waiting_.size();
}

Result<void> PlanRun::first_rounds() {
  std::size_t run = 0;
  std::size_t tried = 0;
  while (run < options_.designs && tried < kMostTries * options_.designs && !waiting_.empty() && !interrupted()) {
    std::vector<PlannedDesign> batch = next_batch(std::min(kBatch, options_.designs - run));
    tried += batch.size();
    options_.tell(fmt::format("{} at the flow level", counted(batch.size(), {"design", "designs"})));
    if (Result<void> ran = measure(batch, {.level = PlanLevel::kFlow}); !ran) {
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
  drop_by_bound();
  return {};
}

/// Of a move from the best so far: bounded, or with the reason why it is not run.
PlannedDesign PlanRun::looked_at(const study::plan::Design& design, const PlannedDesign& best) {
  Result<PlannedDesign> own = bounded(design);
  if (!own) {
    PlannedDesign refused{.design = design, .name = name_of(design), .keeps_limits = false};
    refused.reason = own.error().message;
    refused.not_run = study::plan::NotRun::kImpossible;
    return refused;
  }
  if (pruned_by(own->bounds, question_.limits) != study::plan::Pruned::kNot) {
    own->keeps_limits = false;
    own->reason = "beyond the budget, the power or the deadline by its bounds";
    own->not_run = study::plan::NotRun::kBeyondLimits;
  } else if (options_.prunes && own->bounds.usd > best.cost.usd) {
    own->reason = fmt::format("a million tokens cost {:.4g} USD at least", own->bounds.usd);
    own->not_run = study::plan::NotRun::kNoGain;
  }
  return *std::move(own);
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
    PlannedDesign own = looked_at(move.design, best);
    if (!own.reason.empty()) {
      made.reason = own.reason;
      made.not_run = own.not_run;
      result_.designs.push_back(std::move(own));
      result_.iterations.push_back(std::move(made));
      moved = true;
      continue;
    }
    batch.push_back(std::move(own));
    tries.push_back(std::move(made));
  }
  if (batch.empty()) {
    return {};
  }
  options_.tell(fmt::format("iteration {}: {}", number, tries.front().metric));
  if (Result<void> ran = measure(batch, {.level = PlanLevel::kFlow}); !ran) {
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
    tries[i].not_run = batch[i].not_run;
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
std::vector<PlannedDesign> PlanRun::choose_finalists() {
  std::vector<std::size_t> places;
  std::vector<study::plan::Criteria> criteria;
  for (std::size_t i = 0; i < result_.designs.size(); ++i) {
    PlannedDesign& own = result_.designs[i];
    if (own.measured && own.keeps_limits) {
      add_growth(own);
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
  if (result_.designs.empty() || options_.finalists == 0) {
    return {};
  }
  std::vector<PlannedDesign> chosen = choose_finalists();
  if (chosen.empty()) {
    return {};
  }
  options_.tell(fmt::format("{} with packets, {} each", counted(chosen.size(), {"design", "designs"}),
                            counted(options_.seeds, {"seed", "seeds"})));
  Result<void> ran = measure(chosen, {.level = PlanLevel::kPackets, .seeds = options_.seeds});
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

Result<void> PlanRun::measure(std::vector<PlannedDesign>& designs, const Wanted& wanted) {
  std::vector<PlanCase> cases;
  for (const PlannedDesign& own : designs) {
    for (std::size_t seed = 0; seed < wanted.seeds; ++seed) {
      cases.push_back({.name = own.name,
                       .settings = settings_of(own.design),
                       .level = wanted.level,
                       .seed = static_cast<std::int64_t>(seed),
                       .is_checked = wanted.level == PlanLevel::kPackets && seed == 0});
    }
  }
  auto ran = cases_.run(cases);
  if (!ran) {
    return pass_on(ran);
  }
  for (std::size_t i = 0; i < designs.size(); ++i) {
    std::vector<const RunResults*> runs;
    for (std::size_t j = i * wanted.seeds; j < (i + 1) * wanted.seeds; ++j) {
      if (!(*ran)[j]) {
        continue;
      }
      const CaseResult& result = *(*ran)[j];
      if (!result) {
        designs[i].reason = result.error().message;
      } else if (result->run.end != study::results::RunEnd::kFinished || result->steps.empty()) {
        designs[i].reason = result->run.error.empty() ? std::string(to_string(result->run.end)) : result->run.error;
      } else {
        runs.push_back(&*result);
        ++result_.runs;
      }
    }
    designs[i].not_run = designs[i].reason.empty() ? study::plan::NotRun::kNoReason : study::plan::NotRun::kImpossible;
    if (runs.size() == wanted.seeds) {
      take(designs[i], *cases_.scenario_of(cases[i * wanted.seeds]), runs);
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

}  // namespace weft::cli
