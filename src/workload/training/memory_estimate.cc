#include "workload/training/memory_estimate.h"

#include <algorithm>

#include "base/format_quantity.h"
#include "base/int128.h"
#include "workload/training/pipeline_schedule.h"

namespace weft::workload {
namespace {

constexpr std::int64_t kStateBytes = 12;

// Elements of a token, divided over tensor-parallel ranks or, with sequence parallelism, over their shares.
struct PerToken {
  std::int64_t split = 0;       // bytes; over tensor-parallel ranks
  std::int64_t replicated = 0;  // bytes; over them only with sequence parallelism
};

void add_attention(const ModelShape& model, PerToken& bytes) {
  const std::int64_t h = model.hidden;
  bytes.replicated += 2 * h * kActivationBytes + (has_dropout(model) ? h : 0);  // norm's and products' input, mask
  const std::int64_t kv = model.latent ? query_elements(model) + value_elements(model) : kv_elements(model);
  bytes.split += (query_elements(model) + kv + value_elements(model)) * kActivationBytes;
  if (model.latent) {
    bytes.replicated += (model.latent->query_rank + kv_elements(model)) * kActivationBytes;
  }
}

void add_feed_forward(const ModelShape& model, std::int64_t layer, PerToken& bytes) {
  const std::int64_t h = model.hidden;
  const std::int64_t inner =
      feed_forward_matrices(model) * kActivationBytes;  // inputs of the activation, and its result
  bytes.replicated += 2 * h * kActivationBytes + (has_dropout(model) ? h : 0);
  if (!has_experts(model, layer)) {
    bytes.split += inner * model.feed_forward;
    return;
  }
  const Experts& experts = *model.experts;
  bytes.split += inner * experts.hidden * (experts.active + experts.shared);
  bytes.replicated += 2 * experts.active * h * kActivationBytes;  // what came in and what goes back
}

/// Sums of these are far from overflow, and no memory holds as much.
constexpr Int128 kMostBytes = Int128{1} << 59;

Bytes bounded(Int128 bytes) { return Bytes(static_cast<std::int64_t>(std::min(bytes, kMostBytes))); }

Bytes times(Bytes bytes, std::int64_t passes, std::int64_t layers) {
  return bounded(static_cast<Int128>(bytes.count()) * passes * layers);
}

Bytes logits(const TrainingJob& job) {
  const Parallelism& p = job.parallelism;
  const Int128 tokens = tokens_per_micro_batch(job);
  const std::int64_t shares = p.sequence == SequenceParallel::kOn ? p.tensor : 1;
  return bounded(tokens * (2 * job.model.hidden * kActivationBytes / shares + 4 * job.model.vocabulary / p.tensor));
}

MemoryEstimate of_stage(const TrainingJob& job, std::int64_t stage) {
  const Parallelism& p = job.parallelism;
  const HeldParameters held = held_parameters(job, stage);
  const std::int64_t sharers = p.data * p.context;
  const std::int64_t expert_sharers = std::max(sharers / p.expert, std::int64_t{1});
  const auto shared_out = [&](std::int64_t bytes, bool is_shared) {
    return is_shared ? bounded(Int128{held.shared} * bytes / sharers + Int128{held.experts} * bytes / expert_sharers)
                     : bounded(Int128{held.total()} * bytes);
  };
  const bool everything = p.zero == ZeroStage::kParameters;
  MemoryEstimate estimate{.stage = stage};
  estimate.parameters = shared_out(kActivationBytes, everything);
  estimate.gradients = shared_out(gradient_bytes(job.gradients), everything);
  estimate.optimizer = shared_out(kStateBytes, p.zero != ZeroStage::kNone);

  const PipelineSchedule schedule(
      {.stages = p.pipeline, .stage = stage, .chunks = p.virtual_stages, .micro_batches = micro_batches(job)});
  const LayerRange range = layers_of(job, {.stage = stage, .chunk = p.virtual_stages - 1});
  const std::int64_t last_layer = range.first + range.count - 1;
  std::int64_t layers = 0;  // of a chunk
  for (std::int64_t chunk = 0; chunk < p.virtual_stages; ++chunk) {
    layers = std::max(layers, layers_of(job, {.stage = stage, .chunk = chunk}).count);
  }
  const LayerActivations layer = layer_activations(job, last_layer);
  estimate.activations = times(layer.kept(job.recomputation), schedule.max_in_flight(), layers);
  if (job.recomputation == Recomputation::kFull) {
    estimate.working += layer.scores + layer.rest;
  } else if (job.recomputation == Recomputation::kSelective) {
    estimate.working += layer.scores;
  }
  if (everything) {
    const std::int64_t gathered = held_layer_parameters(job, last_layer).total();
    estimate.working +=
        bounded(Int128{job.prefetch + 1} * gathered * kActivationBytes + gathered * gradient_bytes(job.gradients) +
                held_end_parameters(job, stage) * kActivationBytes);
  }
  if (stage == p.pipeline - 1) {
    estimate.output = logits(job);
  }
  return estimate;
}

}  // namespace

Bytes LayerActivations::kept(Recomputation recomputation) const {
  switch (recomputation) {
    case Recomputation::kNone:
      return scores + rest;
    case Recomputation::kSelective:
      return rest;
    case Recomputation::kFull:
      return input;
  }
  return rest;
}

LayerActivations layer_activations(const TrainingJob& job, std::int64_t layer) {
  const Parallelism& p = job.parallelism;
  const ModelShape& model = job.model;
  const Int128 tokens = tokens_per_micro_batch(job);
  const std::int64_t shares = p.sequence == SequenceParallel::kOn ? p.tensor : 1;
  PerToken bytes;
  add_attention(model, bytes);
  add_feed_forward(model, layer, bytes);
  LayerActivations activations;
  activations.rest = bounded(tokens * bytes.split / p.tensor + tokens * bytes.replicated / shares);
  activations.input = bounded(tokens * model.hidden * kActivationBytes / shares);
  if (job.attention == AttentionKernel::kUnfused) {
    // Softmax; with dropout its mask and its result.
    const std::int64_t each = has_dropout(model) ? 2 * kActivationBytes + 1 : kActivationBytes;
    activations.scores = bounded(tokens * model.sequence * model.heads / p.tensor * each);
  }
  return activations;
}

MemoryEstimate estimate_memory(const TrainingJob& job, const GpuModel& gpu) {
  MemoryEstimate most;
  for (std::int64_t stage = 0; stage < job.parallelism.pipeline; ++stage) {
    const MemoryEstimate estimate = of_stage(job, stage);
    if (estimate.total() > most.total()) {
      most = estimate;
    }
  }
  most.reserved = gpu.reserved;
  return most;
}

Result<MemoryEstimate> check_memory(const TrainingJob& job, const GpuModel& gpu) {
  const MemoryEstimate e = estimate_memory(job, gpu);
  if (e.total() > gpu.memory) {
    const auto gb = [](Bytes bytes) { return static_cast<double>(bytes.count()) * 1e-9; };
    return fail(
        "model {} does not fit: pipeline stage {} needs {:.1f} GB per GPU (parameters {:.1f}, gradients {:.1f}, "
        "optimizer {:.1f}, activations {:.1f}, working memory {:.1f}, output {:.1f}, reserved {:.1f}), but {} has "
        "{:.1f} GB",
        job.model.name, e.stage, gb(e.total()), gb(e.parameters), gb(e.gradients), gb(e.optimizer), gb(e.activations),
        gb(e.working), gb(e.output), gb(e.reserved), gpu.name, gb(gpu.memory));
  }
  return e;
}

}  // namespace weft::workload
