#include "study/plan/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "study/compare/work_cost.h"
#include "study/cost/milli.h"
#include "study/plan/pods.h"
#include "study/scenario/step_work.h"

namespace weft::study::plan {
namespace {

/// Who is joined by scale-up links, and at which rates.
struct JobLinks {
  std::int64_t in_host = 1;  // GPUs
  std::int64_t in_domain = 1;
  Rate alone{};  // of a GPU to the network, while no other of its host sends
  Rate share{};  // with all of them
};

JobLinks job_links_of(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  const std::int64_t ports = std::max<std::int64_t>(topology.nics_per_host * topology.ports_per_nic, 1);
  const std::int64_t rate = scenario.devices.link(scenario::LinkTier::kHost).rate.bits_per_second();
  JobLinks made{.in_host = std::max<std::int64_t>(topology.gpus_per_host, 1)};
  const bool has_domains = scenario.scale_up.kind != scenario::ScaleUpKind::kNone;
  made.in_domain = has_domains ? scenario.scale_up.domain.value_or(made.in_host) : 1;
  // Where ports do not divide, some GPUs have one more.
  made.alone = Rate::bits_per_second(rate * ((ports + made.in_host - 1) / made.in_host));
  made.share = Rate::bits_per_second(std::max<std::int64_t>(rate * ports / made.in_host, 1));
  return made;
}

workload::BoundLinks links_of(const scenario::Scenario& scenario, const JobLinks& cluster) {
  const bool has_domains = scenario.scale_up.kind != scenario::ScaleUpKind::kNone;
  return {.gpus_per_domain = cluster.in_domain,
          .scale_up = has_domains ? scenario.scale_up.rate : cluster.alone,
          .scale_out = cluster.alone,
          .is_packed = scenario.jobs.front().placement == scenario::Placement::kPacked,
          .reduces = scenario.scale_up.reduction || scenario.reduction.enabled};
}

/// Seconds that links are busy for, all of them alike.
struct Busy {
  double all = 0;
  double updates = 0;
};

/// A part has so many domains; `rate` is what leads out of all parts, in bits per second.
Busy busy_of(const workload::StepBound& bound, std::int64_t domains, double rate) {
  Busy made;
  for (const workload::StepVolume& volume : bound.volumes) {
    const std::int64_t parts = (volume.span.hosts + domains - 1) / domains;
    const std::int64_t together = std::min(volume.span.members, volume.span.per_host() * domains);
    const double seconds = least_crossing(volume, parts, together) * 8 / rate;
    made.all += seconds;
    made.updates += volume.is_update ? seconds : 0;
  }
  return made;
}

}  // namespace

Result<const StepBounds::Known*> StepBounds::of(const scenario::Scenario& scenario, const std::string& job) {
  const JobLinks cluster = job_links_of(scenario);
  const workload::BoundLinks links = links_of(scenario, cluster);
  const std::string key = fmt::format("{} {} {} {} {} {}", job, links.gpus_per_domain, links.scale_up.bits_per_second(),
                                      links.scale_out.bits_per_second(), links.is_packed, links.reduces);
  if (const auto known = known_.find(key); known != known_.end()) {
    return &known->second;
  }
  const scenario::JobSettings& settings = scenario.jobs.front();
  Result<workload::TrainingPlan> plan = workload::TrainingPlan::make(scenario::training_job_of(settings.training),
                                                                     settings.training.gpu_model, settings.ranks);
  if (!plan) {
    return pass_on(plan);
  }
  Result<workload::StepBound> bound = workload::bound_step(*plan, links);
  if (!bound) {
    return pass_on(bound);
  }
  const auto tokens = static_cast<double>(workload::tokens_per_step(plan->job()));
  return &(known_[key] = {.bound = *std::move(bound), .tokens = tokens});
}

double least_step(const workload::StepBound& bound, const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const JobLinks cluster = job_links_of(scenario);
  const double share = scenario.scale_up.reduction || scenario.reduction.enabled ? 0.5 : 1;
  double least = bound.step.seconds();
  const auto take = [&](const Busy& busy) {
    least = std::max({least, busy.all * share, bound.first_update.seconds() + busy.updates * share});
  };
  const auto ranks = static_cast<double>(scenario.jobs.front().ranks);
  take(busy_of(bound, 1, ranks * static_cast<double>(cluster.share.bits_per_second())));
  const Pods pods = pods_of(graph);
  const std::int64_t gpus = pods.most_hosts * cluster.in_host;
  // Domains that reach over several pods are a way around them.
  if (pods.count > 1 && pods.out > 0 && gpus % cluster.in_domain == 0) {
    take(busy_of(bound, gpus / cluster.in_domain, pods.out));
  }
  return least;
}

std::optional<double> Limits::most_step(double tokens_of_step) const {
  if (!deadline || !tokens) {
    return deadline;
  }
  return *deadline * tokens_of_step / *tokens;
}

report::WorkCost cost_of_tokens(const scenario::Scenario& scenario, const cost::TotalCost& total, const KnownStep& step,
                                double tokens) {
  report::ComparedFabric fabric;
  fabric.possible = true;
  fabric.step = {.mean = step.mean, .low = step.low, .high = step.high};
  if (step.goodput) {
    fabric.failures = report::FailureFigures{.goodput = step.goodput};
  }
  return compare::work_cost_of(fabric, scenario, total, tokens);
}

scenario::Money Bounds::to_buy() const {
  scenario::Money sum = total.network;
  cost::add_to(sum, total.other);
  cost::add_to(sum, total.hosts ? total.hosts->price : scenario::Money{});
  cost::add_to(sum, total.gpus ? total.gpus->price : scenario::Money{});
  return sum;
}

Pruned pruned_by(const Bounds& bounds, const Limits& limits) {
  if (limits.budget && bounds.to_buy() > *limits.budget) {
    return Pruned::kBudget;
  }
  if (limits.power && bounds.total.power > *limits.power) {
    return Pruned::kPower;
  }
  const std::optional<double> most = limits.most_step(bounds.tokens);
  return most && bounds.step > *most ? Pruned::kDeadline : Pruned::kNot;
}

Result<Bounds> bounds_of(const scenario::Scenario& scenario, const fabric::Graph& graph, StepBounds& steps,
                         const std::string& job) {
  Result<const StepBounds::Known*> known = steps.of(scenario, job);
  if (!known) {
    return pass_on(known);
  }
  Bounds made{.step = least_step((*known)->bound, scenario, graph),
              .tokens = (*known)->tokens,
              .bill = cost::bill_of(scenario, graph)};
  made.total = cost::total_cost_of(scenario, made.bill);
  made.bill.not_counted = made.bill.parts_not_counted();  // of running it, the total says what is missing
  made.usd = cost_of_tokens(scenario, made.total, {.mean = made.step}, made.tokens).usd;
  return made;
}

}  // namespace weft::study::plan
