#include "study/step_work.h"

#include <fmt/format.h>

#include "study/summary_text.h"
#include "study/training_report.h"
#include "workload/training/memory_estimate.h"
#include "workload/training/transformer_step.h"

namespace weft::study {
namespace {

using workload::DecodePlan;
using workload::HaloPlan;
using workload::TrainingPlan;

template <class... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};

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

std::string text_of(const workload::TrainingJob& job) {
  const workload::Parallelism& own = job.parallelism;
  std::string text = fmt::format("tp {}, pp {}, dp {}", own.tensor, own.pipeline, own.data);
  if (own.context > 1) {
    text += fmt::format(", cp {}", own.context);
  }
  if (own.expert > 1) {
    text += fmt::format(", ep {}", own.expert);
  }
  return text + fmt::format(", {} sequences of {}", job.batch.global, job.model.sequence);
}

std::string text_of(const HaloPlan& plan) {
  const workload::HaloJob& job = plan.job();
  std::string faces;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (job.grid[axis] > 1) {
      faces += fmt::format("{}{}", faces.empty() ? ", faces of " : ", ", short_text(plan.face(axis)));
    }
  }
  return fmt::format("{} x {} x {} ranks of {} x {} x {} cells{}", job.grid[0], job.grid[1], job.grid[2], job.block[0],
                     job.block[1], job.block[2], faces);
}

void add_memory(StepRow& row, std::initializer_list<StepMemory> parts) {
  for (const StepMemory& part : parts) {
    if (part.size > Bytes::zero()) {
      row.memory.push_back(part);
    }
  }
}

void add_memory(StepRow& row, const TrainingPlan& plan) {
  const workload::MemoryEstimate memory = workload::estimate_memory(plan.job(), plan.gpu());
  add_memory(row, {{"parameters", memory.parameters},
                   {"gradients", memory.gradients},
                   {"optimizer", memory.optimizer},
                   {"activations", memory.activations},
                   {"working", memory.working},
                   {"output", memory.output},
                   {"reserved", memory.reserved},
                   {"of", plan.gpu().memory}});
}

}  // namespace

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

void describe(StepRow& row, const StepWork& work) {
  const auto add_rates = [&row](const auto& plan) {
    row.tokens_per_second = tokens_per_second(plan, row.time);
    row.utilisation = model_flops_utilisation(plan, row.time);
  };
  std::visit(Match{[&](const TrainingPlan& plan) {
                     row.parallelism = text_of(plan.job());
                     add_rates(plan);
                     add_memory(row, plan);
                   },
                   [&](const DecodePlan& plan) {
                     const workload::DecodeJob& job = plan.job();
                     row.parallelism = fmt::format("tp {}, {} replicas, batch {}, context {}", job.tensor, job.replicas,
                                                   job.batch, job.context);
                     add_rates(plan);
                     add_memory(row, {{"weights", plan.weights_per_gpu()},
                                      {"cache", plan.cache_per_gpu()},
                                      {"reserved", plan.gpu().reserved},
                                      {"of", plan.gpu().memory}});
                   },
                   [&](const HaloPlan& plan) { row.parallelism = text_of(plan); }},
             work);
}

}  // namespace weft::study
