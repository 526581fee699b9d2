#include "study/scenario/step_work.h"

#include "base/match.h"
#include "workload/training/transformer_step.h"

namespace weft::study::scenario {
namespace {

using workload::DecodePlan;
using workload::HaloPlan;
using workload::TrainingPlan;

workload::DecodeJob decode_job_of(const JobSettings& job) {
  workload::DecodeJob decode{.model = job.training.shape,
                             .tensor = job.training.tensor,
                             .replicas = job.training.data,
                             .batch = job.decode.batch,
                             .context = job.decode.context,
                             .tokens = static_cast<std::uint32_t>(job.training.steps),
                             .precision = job.training.precision};
  if (job.training.layers > 0) {
    decode.model.layers = job.training.layers;
  }
  return decode;
}

std::array<std::int64_t, 3> three(const std::vector<std::int64_t>& sides) { return {sides[0], sides[1], sides[2]}; }

Result<workload::HaloJob> halo_job_of(const JobSettings& job) {
  const HaloSettings& halo = job.halo;
  if (halo.grid.size() != 3 || halo.block.size() != 3) {
    return fail("a grid of {} and a block of {} numbers; 3 each, for x, y and z", halo.grid.size(), halo.block.size());
  }
  return workload::HaloJob{.grid = three(halo.grid),
                           .block = three(halo.block),
                           .cell = halo.cell,
                           .traffic = halo.cell_traffic,
                           .compute = halo.compute,
                           .iterations = static_cast<std::uint32_t>(job.training.steps)};
}

template <class Plan>
Result<StepWork> as_work(Result<Plan> plan) {
  return plan ? Result<StepWork>(StepWork(*std::move(plan))) : pass_on(plan);
}

}  // namespace

workload::TrainingJob training_job_of(const TrainingSettings& settings) {
  workload::TrainingJob job{.model = settings.shape};
  if (settings.sequence > 0) {
    job.model.sequence = settings.sequence;
  }
  if (settings.layers > 0) {
    job.model.layers = settings.layers;
  }
  using workload::SequenceParallel;
  using workload::ZeroStage;
  job.parallelism = {
      .tensor = settings.tensor,
      .pipeline = settings.pipeline,
      .data = settings.data,
      .expert = settings.expert,
      .context = settings.context,
      .virtual_stages = settings.interleave,
      .sequence = settings.sequence_parallel && settings.tensor > 1 ? SequenceParallel::kOn : SequenceParallel::kOff,
      .zero = settings.zero == 0   ? ZeroStage::kNone
              : settings.zero == 1 ? ZeroStage::kOptimizer
                                   : ZeroStage::kParameters,
      .split = settings.layer_split};
  job.batch = {.global = settings.global_batch, .micro = settings.micro_batch};
  job.precision = settings.precision;
  job.gradients = settings.gradients;
  job.recomputation = settings.recomputation;
  job.reduction = settings.overlap ? workload::GradientReduction::kOverlapped : workload::GradientReduction::kAtEnd;
  job.bucket = settings.bucket;
  job.steps = static_cast<std::uint32_t>(settings.steps);
  return job;
}

Result<StepWork> make_step_work(const JobSettings& job) {
  const workload::GpuModel& gpu = job.training.gpu_model;
  switch (job.workload) {
    case JobWorkload::kTraining:
      return as_work(TrainingPlan::make(training_job_of(job.training), gpu, job.ranks));
    case JobWorkload::kDecode:
      return as_work(DecodePlan::make(decode_job_of(job), gpu, job.ranks));
    case JobWorkload::kHalo:
      break;
  }
  Result<workload::HaloJob> halo = halo_job_of(job);
  return halo ? as_work(HaloPlan::make(*halo, gpu, job.ranks)) : pass_on(halo);
}

std::span<const workload::Communicator> communicators_of(const StepWork& work) {
  using Span = std::span<const workload::Communicator>;
  return std::visit(Match{[](const TrainingPlan& plan) { return Span(plan.groups().communicators()); },
                          [](const auto& plan) { return Span(plan.communicators()); }},
                    work);
}

std::uint32_t steps_of(const StepWork& work) {
  return std::visit(Match{[](const TrainingPlan& plan) { return plan.job().steps; },
                          [](const DecodePlan& plan) { return plan.job().tokens; },
                          [](const HaloPlan& plan) { return plan.job().iterations; }},
                    work);
}

std::unique_ptr<workload::StepGraph> make_graph(const StepWork& work, workload::RankId rank) {
  using Graph = std::unique_ptr<workload::StepGraph>;
  return std::visit(Match{[rank](const TrainingPlan& plan) { return Graph(new workload::TransformerStep(plan, rank)); },
                          [rank](const DecodePlan& plan) { return Graph(new workload::DecodeStep(plan, rank)); },
                          [rank](const HaloPlan& plan) { return Graph(new workload::HaloExchange(plan, rank)); }},
                    work);
}

}  // namespace weft::study::scenario
