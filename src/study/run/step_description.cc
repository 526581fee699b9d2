#include "study/run/step_description.h"

#include <fmt/core.h>

#include "base/match.h"
#include "study/results/summary_text.h"
#include "workload/training/memory_estimate.h"

namespace weft::study::run {
namespace {

using workload::DecodePlan;
using workload::HaloPlan;
using workload::TrainingPlan;

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
      faces += fmt::format("{}{}", faces.empty() ? ", faces of " : ", ", results::short_text(plan.face(axis)));
    }
  }
  return fmt::format("{} x {} x {} ranks of {} x {} x {} cells{}", job.grid[0], job.grid[1], job.grid[2], job.block[0],
                     job.block[1], job.block[2], faces);
}

void add_memory(results::StepRow& row, std::initializer_list<results::StepMemory> parts) {
  for (const results::StepMemory& part : parts) {
    if (part.size > Bytes::zero()) {
      row.memory.push_back(part);
    }
  }
}

void add_memory(results::StepRow& row, const TrainingPlan& plan) {
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

void describe(results::StepRow& row, const scenario::StepWork& work) {
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

}  // namespace weft::study::run
