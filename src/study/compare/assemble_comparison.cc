#include "study/compare/assemble_comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "study/assembly/build_topology.h"
#include "study/compare/buyer_rows.h"
#include "study/compare/estimate.h"
#include "study/compare/fabric_costs.h"
#include "study/compare/fabric_settings.h"
#include "study/compare/lost_time.h"
#include "study/compare/quick_answer.h"
#include "study/compare/recommendation.h"
#include "study/compare/verdict.h"
#include "study/compare/work_cost.h"
#include "study/report/comparison_tables.h"
#include "study/run/settled_excess.h"
#include "study/scenario/data_class.h"
#include "study/scenario/optional_traffic.h"
#include "study/scenario/packet_sizes.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::compare {
namespace {

/// Bytes of a full packet's wire time that are no payload.
double header_share(const scenario::Scenario& scenario) {
  const Bytes mtu(scenario.fabric.mtu);
  const Bytes wire = scenario::data_packet(scenario, mtu).wire;
  return 1 - static_cast<double>(mtu.count()) / static_cast<double>(wire.count());
}

/// Of a hash, whose paths are looked at for a quick answer.
constexpr std::uint32_t kHashSeeds = 100;

/// Slices of an operation have not settled.
bool is_unsettled_anywhere(const report::RunFigures& run) {
  const auto unsettled = [](const report::StepCollective& own) { return !own.settled; };
  return run.collectives && std::ranges::any_of(*run.collectives, unsettled);
}

/// Slices have not settled, and no smaller job says what that leaves them off by: how much seeds differ is too little.
bool is_unchecked(const report::RunFigures& run) {
  return run.parts && !run.composition_error && is_unsettled_anywhere(run);
}

/// One fabric, from the figures of its tasks.
class FabricAssembly {
 public:
  FabricAssembly(const ComparisonPlan& plan, std::size_t index, std::span<const TaskFigures> figures,
                 const scenario::Catalogue& catalogue)
      : planned_(plan.fabrics[index]),
        catalogue_(catalogue),
        quick_(plan.quick),
        job_(plan.quick ? TaskKind::kSlice : TaskKind::kJob) {
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
      if (plan.tasks[i].fabric == index) {
        tasks_.push_back({.task = &plan.tasks[i], .figures = &figures[i]});
      }
    }
  }

  report::ComparedFabric make() {
    fabric_.name = planned_.choice.name;
    if (!planned_.choice.stands_for.empty()) {
      fabric_.stands_for = planned_.choice.stands_for;
      if (planned_.reason.empty()) {
        fabric_.stands_for = with_devices(planned_.choice.stands_for, planned_.scenario, catalogue_);
      }
      fabric_.needs =
          report::HardwareNeeds{.of_nic = planned_.choice.needs_of_nic, .of_switch = planned_.choice.needs_of_switch};
    }
    if (!planned_.reason.empty()) {
      fabric_.reason = "not possible: " + planned_.reason;
      return std::move(fabric_);
    }
    fabric_.family = scenario::word_of(planned_.scenario.fabric.family);
    if (const std::optional<std::string> why = first_failure()) {
      fabric_.reason = "not possible: " + *why;
      return std::move(fabric_);
    }
    fabric_.possible = true;
    if (!planned_.scenario.left_out.empty()) {
      fabric_.left_out = scenario::left_out_text(planned_.scenario);
    }
    fabric_.link_rate = planned_.scenario.devices.link(scenario::LinkTier::kHost).rate.bits_per_second();
    add_jobs();
    add_lost_time();
    add_probes();
    add_risk();
    Result<fabric::Graph> graph = assembly::build_topology(planned_.scenario);
    if (graph) {
      add_settings(*graph);
      add_costs(fabric_, planned_.scenario, *graph, tokens_);
      add_other_sizes();
    }
    fabric_.rows = buyer_rows(fabric_, planned_.scenario, catalogue_);
    fabric_.settings_text = scenario::listing_text(planned_.scenario);
    return std::move(fabric_);
  }

 private:
  struct Done {
    const ComparisonTask* task = nullptr;
    const TaskFigures* figures = nullptr;
  };
  using RunFigure = std::optional<double> report::RunFigures::*;

  [[nodiscard]] std::vector<Done> of(TaskKind kind, std::int64_t gpus = 0) const {
    std::vector<Done> found;
    std::ranges::copy_if(tasks_, std::back_inserter(found),
                         [&](const Done& own) { return own.task->kind == kind && own.task->gpus == gpus; });
    return found;
  }

  [[nodiscard]] std::optional<std::string> first_failure() const {
    for (const Done& own : of(job_)) {
      if (own.figures->failed) {
        return own.figures->failed;
      }
    }
    return std::nullopt;
  }

  /// A quick interval covers what slices that have not settled leave open. Beside it a run's own counts as far as what
  /// was put together is off where nothing else is known of it (decision 0024).
  static Estimate with_doubts_beside_quick(const Estimate& quick, const report::RunFigures& run) {
    constexpr double kPutTogether = 0.15;  // of what is exposed
    double exposed = 0;
    for (const report::StepPart& part : run.parts.value_or(std::vector<report::StepPart>())) {
      exposed += part.communication ? part.exposed : 0;
    }
    report::RunFigures own;
    own.composition_error = run.composition_error;
    if (run.interval) {
      own.interval = std::min(*run.interval, kPutTogether * exposed / quick.mean);
    }
    return with_run_doubts(quick, own);
  }

  void add_jobs() {
    const auto jobs = of(job_);
    std::vector<double> times;
    for (const Done& own : jobs) {
      times.push_back(*own.figures->time);
    }
    const Estimate estimate = estimate_of(times);
    step_ = estimate.mean;
    fabric_.step = {.mean = estimate.mean, .low = estimate.low, .high = estimate.high, .each = times};
    fabric_.run = *jobs.front().figures->run;
    tokens_ = fabric_.run.tokens_per_second.value_or(0) * times.front();
    for (const Done& own : jobs) {
      if (!own.figures->run->slice_caution) {
        continue;
      }
      if (!fabric_.run.slice_caution) {  // the first seed has none: it is written behind all figures of the run
        write_behind(fabric_, report::name_of<&report::ComparedFabric::run, &report::RunFigures::slice_caution>(),
                     report::name_of<&report::ComparedFabric::run, &report::RunFigures::timeline>());
      }
      fabric_.run.slice_caution = own.figures->run->slice_caution;
    }
    if (quick_ && fabric_.run.parts) {
      const QuickInterval known =
          quick_interval(fabric_.run, step_, run::settled_excess(planned_.scenario), hashes_of(jobs.front()));
      fabric_.step.low = known.low;
      fabric_.step.high = known.high;
      fabric_.run.slice_caution = std::string(kQuickCaution) + (known.caution.empty() ? "" : "; ") + known.caution;
    } else if (is_unchecked(fabric_.run)) {
      const QuickInterval known = quick_interval(fabric_.run, step_, run::settled_excess(planned_.scenario));
      fabric_.step.low = std::min(known.low, fabric_.step.low.value_or(known.low));
      fabric_.step.high = std::max(known.high, fabric_.step.high.value_or(known.high));
    }
    const bool is_quick_interval = fabric_.run.parts && (quick_ || is_unchecked(fabric_.run));
    const Estimate known = is_quick_interval && is_unsettled_anywhere(fabric_.run)
                               ? with_doubts_beside_quick(known_step(fabric_), fabric_.run)
                               : with_run_doubts(known_step(fabric_), fabric_.run);
    fabric_.step.low = known.low ? std::optional(above_bound(*known.low, jobs)) : std::nullopt;
    fabric_.step.high = known.high;
    // Another class being lossless says nothing of the job's.
    if (!scenario::can_be_paused(planned_.scenario)) {
      fabric_.run.pause.reset();
      fabric_.run.pause_frames.reset();
    }
    for (const RunFigure mean :
         {&report::RunFigures::compute, &report::RunFigures::exposed_communication,
          &report::RunFigures::tokens_per_second, &report::RunFigures::model_flops_utilisation}) {
      add_mean(mean, jobs);
    }
  }

  /// Where a network has too many flows for that, nothing is said of other hashes.
  const std::vector<run::HashReach>& hashes_of(const Done& job) {
    const auto [found, is_new] = hashes_.try_emplace(job.task);
    if (is_new) {
      found->second = run::hash_reaches(job.task->scenario, kHashSeeds).value_or(std::vector<run::HashReach>());
    }
    return found->second;
  }

  /// The lower end of the step's interval, no lower than what is known to be a bound, whatever was combined.
  [[nodiscard]] double above_bound(double low, std::span<const Done> jobs) {
    double bound = step_;
    for (const Done& own : jobs) {
      bound = std::min(bound, least_step(*own.figures->run));
    }
    if (low >= bound) {
      return low;
    }
    for (const Done& own : jobs) {  // other seeds of a hash may put less on the fullest link
      bound = std::min(bound, least_step(*own.figures->run, hashes_of(own)));
    }
    return std::max(low, bound);
  }

  void add_mean(RunFigure figure, std::span<const Done> jobs) {
    double sum = 0;
    for (const Done& own : jobs) {
      const std::optional<double>& value = (*own.figures->run).*figure;
      if (!value) {
        return;
      }
      sum += *value;
    }
    fabric_.run.*figure = sum / static_cast<double>(jobs.size());
  }

  void add_lost_time() {
    const auto slices = of(TaskKind::kSlice);
    const auto ablations = of(TaskKind::kAblation);
    const double slice = slices.empty() ? 0 : slices.front().figures->time.value_or(0);
    if (slice <= 0 || ablations.empty()) {
      return;
    }
    AblationLadder ladder{.slice = slice, .after = {}};
    for (const Done& own : ablations) {
      if (own.figures->time) {
        ladder.after.push_back({.cause = own.task->label, .seconds = *own.figures->time});
      }
    }
    if (!has_settled(slices.front())) {
      fabric_.lost_time_reason = "not measured: a slice of the step has not converged";
      return;
    }
    fabric_.lost_time.emplace();
    for (const LostTime& lost : lost_time(step_shares(), ladder)) {
      const bool of_catalogue = lost.cause == "collective library" || lost.cause == "hosts and NICs";
      fabric_.lost_time->push_back(
          {.cause = lost.cause, .time = lost.seconds, .origin = of_catalogue ? "catalogue" : "emerges"});
    }
  }

  [[nodiscard]] StepShares step_shares() const {
    StepShares shares{.step = step_, .header_share = header_share(planned_.scenario)};
    if (!fabric_.run.parts) {
      return shares;
    }
    shares.compute = fabric_.run.compute.value_or(0);
    const double exposed = fabric_.run.exposed_communication.value_or(0);
    double communication = 0;
    double waiting = 0;
    double tensor = 0;
    double busy = 0;
    for (const report::StepPart& part : *fabric_.run.parts) {
      if (part.communication) {
        communication += part.exposed;
        busy += part.busy;
        waiting += part.waiting;
        tensor += part.name == "tp" ? part.exposed : 0;
      }
    }
    // What is neither computing nor waiting for data is idle: bubbles.
    const double idle = std::max(step_ - shares.compute - exposed, 0.0);
    const double scale = communication > 0 ? exposed / communication : 0;
    shares.waiting = idle + waiting * scale;
    const bool inside_hosts = planned_.scenario.scale_up.kind != scenario::ScaleUpKind::kNone;
    shares.hidden = std::max(busy - communication, 0.0);
    for (const report::StepTier& tier : fabric_.run.tiers.value_or(std::vector<report::StepTier>())) {
      if (tier.name == "network") {
        shares.network_payload = std::max(shares.network_payload, 0.0) + tier.wire_time;
      } else {
        shares.inside_payload += tier.wire_time;
      }
    }
    shares.network_share = communication > 0 && inside_hosts ? 1 - tensor / communication : 1;
    return shares;
  }

  void add_probes() {
    for (const Done& own : of(TaskKind::kSmallMessages)) {
      fabric_.small_message = own.figures->small_message;
      fabric_.jitter_us = own.figures->jitter_us;
      if (own.figures->small_message_cdf) {
        if (!fabric_.run.cdf) {
          fabric_.run.cdf.emplace();
        }
        fabric_.run.cdf->small_message = own.figures->small_message_cdf;
      }
    }
    for (const Done& own : of(TaskKind::kFailures)) {
      fabric_.failures =
          own.figures->failures ? own.figures->failures : report::FailureFigures{.reason = own.figures->failed};
    }
    for (const Done& own : of(TaskKind::kFault)) {
      fabric_.fault = own.figures->fault ? own.figures->fault : report::LinkFault{.reason = own.figures->failed};
    }
  }

  static bool has_settled(const Done& slice) {
    return !slice.figures->run || slice.figures->run->settled.value_or(true);
  }

  /// Losses of step time by mistakes on one size of the cluster.
  std::optional<report::TuningRisk> risk_of(std::int64_t gpus) {
    const auto slices = of(TaskKind::kSlice, gpus);
    const double base = slices.empty() ? 0 : slices.front().figures->time.value_or(0);
    const auto mistakes = of(TaskKind::kMisconfiguration, gpus);
    if (base <= 0 || mistakes.empty()) {
      return std::nullopt;
    }
    report::TuningRisk risk;
    // A difference from a time that has not settled is the slices', not the mistake's.
    const bool settled = has_settled(slices.front());
    if (!settled) {
      risk.figures.reason = "the correctly configured step has not converged: " +
                            slices.front().figures->run->slice_caution.value_or("its slices are too short");
    }
    for (const Done& own : mistakes) {
      report::MisconfigurationCase& made = risk.cases.emplace_back();
      made.setting = own.task->label;
      made.change = own.task->change;
      if (!own.task->of.empty()) {
        made.of = own.task->of;
      }
      if (own.task->fault) {
        made.fault = true;
      }
      if (!settled && own.figures->time) {
        made.reason = "not measured: the step without it has not converged";
        made.unmeasured = true;
      } else if (own.figures->time) {
        made.loss = *own.figures->time / base - 1;
      } else {
        made.reason = own.figures->failed;
      }
    }
    if (settled) {
      add_losses(risk);
    }
    return risk;
  }

  /// Of mistakes, not of faults, which are none of the network's settings; infinite of one with which the run does not
  /// end.
  static void add_losses(report::TuningRisk& risk) {
    std::vector<double> single;
    double most = -std::numeric_limits<double>::infinity();
    for (const report::MisconfigurationCase& own : risk.cases) {
      if (own.fault.value_or(false)) {
        continue;
      }
      const double loss = own.loss.value_or(std::numeric_limits<double>::infinity());
      if (own.of) {
        single.push_back(loss);
      }
      if (loss > most) {
        most = loss;
        risk.figures.worst_setting = own.setting;
      }
    }
    if (single.empty()) {
      return;
    }
    std::ranges::sort(single);
    const std::size_t middle = single.size() / 2;
    const double median = single.size() % 2 == 1 ? single[middle] : (single[middle - 1] + single[middle]) / 2;
    if (std::isfinite(median)) {
      risk.figures.median = median;
    }
    if (std::isfinite(most)) {
      risk.figures.worst = most;
    } else {
      risk.figures.worst_fails = true;
    }
    risk.figures.sum = loss_of_settings(risk);
  }

  void add_risk() {
    fabric_.tuning_risk = risk_of(0);
    if (!fabric_.tuning_risk) {
      return;
    }
    std::set<std::int64_t> sizes;
    for (const Done& own : tasks_) {
      if (own.task->gpus > 0) {
        sizes.insert(own.task->gpus);
      }
    }
    std::vector<report::TuningRiskOfSize> by_size;
    for (const std::int64_t gpus : sizes) {
      if (const std::optional<report::TuningRisk> own = risk_of(gpus)) {
        by_size.push_back({.figures = own->figures, .gpus = gpus});
      }
    }
    if (!by_size.empty()) {
      fabric_.tuning_risk->by_size = std::move(by_size);
    }
  }

  /// What the work costs on the other sizes of the cluster.
  void add_other_sizes() {
    std::vector<report::WorkCostAtSize> by_size;
    for (const Done& own : tasks_) {
      if (own.task->kind != TaskKind::kJob || own.task->gpus == 0) {
        continue;
      }
      report::WorkCostAtSize& made = by_size.emplace_back();
      made.gpus = own.task->gpus;
      const Result<fabric::Graph> graph = assembly::build_topology(own.task->scenario);
      if (!own.figures->time || !own.figures->run || !graph) {
        made.reason = own.figures->failed.value_or("not measured");
        continue;
      }
      made.step = own.figures->time;
      report::ComparedFabric sized{.step = {.mean = made.step}, .run = *own.figures->run};
      add_costs(sized, own.task->scenario, *graph, sized.run.tokens_per_second.value_or(0) * *made.step);
      made.usd = sized.work_cost->usd;
    }
    if (!by_size.empty()) {
      fabric_.work_cost->by_size = std::move(by_size);
    }
  }

  void add_settings(const fabric::Graph& graph) {
    const std::vector<FabricSetting> settings = settings_to_get_right(planned_.scenario, graph);
    fabric_.settings = report::SettingsToGetRight{.count = settings.size(), .devices = devices_touched(settings)};
    for (const FabricSetting& own : settings) {
      fabric_.settings->list.push_back(
          {.key = own.key, .value = own.value, .devices = own.where, .count = own.devices});
    }
  }

  const PlannedFabric& planned_;
  const scenario::Catalogue& catalogue_;
  bool quick_;
  TaskKind job_;  // of the tasks that the step time is from
  std::vector<Done> tasks_;
  std::map<const ComparisonTask*, std::vector<run::HashReach>> hashes_;  // of those that were asked for
  report::ComparedFabric fabric_;
  double step_ = 0;
  double tokens_ = 0;  // of a step; 0: its work has none
};

report::ComparedScenario scenario_of(const ComparisonPlan& plan, const ComparisonHeader& header) {
  const auto possible = std::ranges::find(plan.fabrics, std::string(), &PlannedFabric::reason);
  const scenario::Scenario& scenario = (possible == plan.fabrics.end() ? plan.fabrics.front() : *possible).scenario;
  report::ComparedScenario made{
      .name = scenario.name,
      .file = scenario.file,
      .seed = scenario.seed,
      .seeds = std::vector<std::int64_t>(),
      .hardware = std::string(scenario::word_of(scenario.hardware)),
      .topology =
          fmt::format("{}: {} hosts of {} NICs and {} GPUs", scenario::word_of(scenario.topology.kind),
                      scenario.topology.hosts, scenario.topology.nics_per_host, scenario.topology.gpus_per_host),
      .weights = header.weights.name};
  for (const ComparisonTask& task : plan.tasks) {
    const TaskKind job = plan.quick ? TaskKind::kSlice : TaskKind::kJob;
    if (task.kind == job && task.gpus == 0 && task.fabric == plan.tasks.front().fabric) {
      made.seeds->push_back(task.scenario.seed);
    }
  }
  if (!scenario.traffic.empty()) {
    made.start_jitter = scenario.traffic.front().start_jitter.seconds();
  }
  if (!scenario.jobs.empty()) {
    const scenario::JobSettings& job = scenario.jobs.front();
    made.job = fmt::format(
        "{}: {} on {} GPUs", job.name,
        job.training.model.empty() ? std::string(scenario::word_of(job.workload)) : job.training.model, job.ranks);
    if (job.runs_steps()) {
      made.stragglers =
          fmt::format("by up to {:g} %, by rank and seed (an assumption)", kUsualStragglers.millionths / 1e4);
    }
  }
  return made;
}

void add_ratios(std::vector<report::ComparedFabric>& fabrics) {
  Estimate best;
  for (const report::ComparedFabric& fabric : fabrics) {
    if (fabric.possible && (best.mean == 0 || *fabric.step.mean < best.mean)) {
      best = known_step(fabric);
    }
  }
  for (report::ComparedFabric& fabric : fabrics) {
    if (fabric.possible) {
      const Estimate own = known_step(fabric);
      fabric.ratio_to_best = own.mean / best.mean;
      fabric.differs_from_best = own.mean > best.mean && !is_alike(own, best);
    }
  }
}

}  // namespace

report::Comparison assemble_comparison(const ComparisonPlan& plan, std::span<const TaskFigures> figures,
                                       const ComparisonHeader& header) {
  report::Comparison comparison{.version = header.version, .scenario = scenario_of(plan, header)};
  for (std::size_t i = 0; i < plan.fabrics.size(); ++i) {
    comparison.fabrics.push_back(FabricAssembly(plan, i, figures, *header.catalogue).make());
  }
  add_ratios(comparison.fabrics);
  add_primary_strengths(comparison.fabrics);
  comparison.recommendation = recommend(comparison.fabrics);
  comparison.verdict = verdict_of(comparison.fabrics, header.weights);
  comparison.reproduce = header.command;
  return comparison;
}

}  // namespace weft::study::compare
