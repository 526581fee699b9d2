#include "study/plan/bounds.h"

#include <algorithm>

#include "study/compare/work_cost.h"
#include "study/cost/milli.h"
#include "study/scenario/step_work.h"
#include "workload/training/step_estimate.h"

namespace weft::study::plan {
namespace {

Result<workload::TrainingPlan> plan_of(const scenario::Scenario& scenario) {
  const scenario::JobSettings& job = scenario.jobs.front();
  return workload::TrainingPlan::make(scenario::training_job_of(job.training), job.training.gpu_model, job.ranks);
}

/// Of one GPU: its part of the ports of its host.
Rate network_rate_of(const scenario::Scenario& scenario) {
  const scenario::TopologySettings& topology = scenario.topology;
  const std::int64_t ports = topology.nics_per_host * topology.ports_per_nic;
  const std::int64_t rate = scenario.devices.link(scenario::LinkTier::kHost).rate.bits_per_second();
  return Rate::bits_per_second(
      std::max<std::int64_t>(rate * ports / std::max<std::int64_t>(topology.gpus_per_host, 1), 1));
}

}  // namespace

Result<double> least_step(const scenario::Scenario& scenario) {
  Result<workload::TrainingPlan> plan = plan_of(scenario);
  if (!plan) {
    return pass_on(plan);
  }
  const scenario::ScaleUpSettings& scale_up = scenario.scale_up;
  const bool has_domains = scale_up.kind != scenario::ScaleUpKind::kNone;
  const std::int64_t in_host = std::max<std::int64_t>(scenario.topology.gpus_per_host, 1);
  const Rate network = network_rate_of(scenario);
  const workload::ClusterLinks links{.gpus_per_host = has_domains ? scale_up.domain.value_or(in_host) : 1,
                                     .scale_up = has_domains ? scale_up.rate : network,
                                     .scale_up_latency = {},
                                     .scale_out = network,
                                     .scale_out_latency = {}};
  Result<workload::StepEstimate> estimate = workload::estimate_step(*plan, links);
  if (!estimate) {
    return pass_on(estimate);
  }
  const bool reduces = scale_up.reduction || scenario.reduction.enabled;
  const double sent = (estimate->tensor + estimate->context + estimate->expert).seconds();
  const double share = reduces ? 0.5 : 1;
  return std::max((estimate->compute + estimate->optimizer).seconds() + sent * share,
                  estimate->data_links.seconds() * share);
}

Result<double> tokens_of_step(const scenario::Scenario& scenario) {
  Result<workload::TrainingPlan> plan = plan_of(scenario);
  return plan ? Result<double>(static_cast<double>(workload::tokens_per_step(plan->job()))) : pass_on(plan);
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

Result<Bounds> bounds_of(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  Result<double> step = least_step(scenario);
  Result<double> tokens = tokens_of_step(scenario);
  if (!step || !tokens) {
    return step ? pass_on(tokens) : pass_on(step);
  }
  Bounds made{.step = *step, .tokens = *tokens, .bill = cost::bill_of(scenario, graph)};
  made.total = cost::total_cost_of(scenario, made.bill);
  made.bill.not_counted = made.bill.parts_not_counted();  // of running it, the total says what is missing
  made.usd = cost_of_tokens(scenario, made.total, {.mean = made.step}, made.tokens).usd;
  return made;
}

}  // namespace weft::study::plan
