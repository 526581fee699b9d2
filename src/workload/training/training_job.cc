#include "workload/training/training_job.h"

#include <algorithm>

#include "base/format_quantity.h"

namespace weft::workload {
namespace {

/// Times and sizes of what has more are beyond all numbers here, and beyond all GPUs.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 24;

std::int64_t divided_up(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }

Result<void> check_representative(const TrainingJob& job) {
  const auto& [layers, batches] = job.representative;
  if (layers && (*layers < 1 || *layers > layers_per_chunk(job))) {
    return fail("{} representative layers per chunk; from 1 to {}", *layers, layers_per_chunk(job));
  }
  if (batches && (*batches < 1 || *batches > micro_batches(job))) {
    return fail("{} representative micro-batches; from 1 to {}", *batches, micro_batches(job));
  }
  if (batches && job.parallelism.virtual_stages > 1 && *batches % job.parallelism.pipeline != 0) {
    return fail("{} representative micro-batches; the interleaved schedule needs multiples of pp = {}", *batches,
                job.parallelism.pipeline);
  }
  return {};
}

}  // namespace

Result<void> check_job(const TrainingJob& job, std::int64_t ranks) {
  if (auto checked = check_model(job.model); !checked) {
    return checked;
  }
  const ParallelJob parallel{.model = job.model, .parallelism = job.parallelism, .batch = job.batch, .ranks = ranks};
  if (auto checked = check_parallelism(parallel); !checked) {
    return checked;
  }
  if (const std::int64_t most = std::max(job.model.sequence, tokens_per_micro_batch(job)); most > kMostTokens) {
    return fail("{} tokens in a sequence, or on a GPU in a micro-batch; at most {}", most, kMostTokens);
  }
  if (job.bucket <= Bytes::zero()) {
    return fail("gradient buckets of {}; above 0", job.bucket);
  }
  if (job.prefetch < 1 || job.prefetch > job.model.layers) {
    return fail("{} layers gathered ahead; from 1 to {}", job.prefetch, job.model.layers);
  }
  if (job.steps < 1 || job.steps > 65535) {
    return fail("{} steps; from 1 to 65535", job.steps);
  }
  return check_representative(job);
}

std::int64_t micro_batches(const TrainingJob& job) { return micro_batches(job.batch, job.parallelism); }

std::int64_t layers_per_chunk(const TrainingJob& job) {
  const Parallelism& p = job.parallelism;
  const std::int64_t layers = job.model.layers + (p.split == LayerSplit::kEndsAreLayers ? 2 : 0);
  return layers / (p.pipeline * p.virtual_stages);
}

LayerRange layers_of(const TrainingJob& job, const ChunkPlace& place) {
  const Parallelism& p = job.parallelism;
  const std::int64_t number = place.chunk * p.pipeline + place.stage;
  LayerRange range{.first = number * layers_per_chunk(job), .count = layers_per_chunk(job)};
  if (p.split == LayerSplit::kEndsAreLayers) {
    const bool is_first = number == 0;
    const bool is_last = number == p.pipeline * p.virtual_stages - 1;
    range.first -= is_first ? 0 : 1;
    range.count -= (is_first ? 1 : 0) + (is_last ? 1 : 0);
  }
  return range;
}

std::int64_t generated_micro_batches(const TrainingJob& job) {
  return job.representative.micro_batches.value_or(micro_batches(job));
}

LayerRange generated_layers_of(const TrainingJob& job, const ChunkPlace& place) {
  const LayerRange all = layers_of(job, place);
  const std::int64_t count = std::min(job.representative.layers_per_chunk.value_or(all.count), all.count);
  return {.first = all.first + all.count - count, .count = count};
}

std::int64_t tokens_per_micro_batch(const TrainingJob& job) {
  return job.batch.micro * job.model.sequence / job.parallelism.context;
}

std::int64_t tokens_per_step(const TrainingJob& job) { return job.batch.global * job.model.sequence; }

HeldParameters held_layer_parameters(const TrainingJob& job, std::int64_t layer) {
  const LayerParameters all = layer_parameters(job.model, layer);
  const Parallelism& p = job.parallelism;
  return {.shared = divided_up(all.split, p.tensor) + all.replicated,
          .experts = divided_up(all.experts, p.tensor * p.expert)};
}

std::int64_t held_end_parameters(const TrainingJob& job, std::int64_t stage) {
  const Parallelism& p = job.parallelism;
  const std::int64_t table = divided_up(embedding_parameters(job.model), p.tensor);
  const bool is_last = stage == p.pipeline - 1;
  std::int64_t count = stage == 0 ? table + position_parameters(job.model) : 0;
  if (is_last) {
    count += final_norm_parameters(job.model);
    // A pipeline's last stage keeps a copy even of a tied table.
    count += job.model.embeddings == Embeddings::kSeparate || p.pipeline > 1 ? table : 0;
  }
  return count;
}

HeldParameters held_parameters(const TrainingJob& job, std::int64_t stage) {
  HeldParameters sum{.shared = held_end_parameters(job, stage)};
  for (std::int64_t chunk = 0; chunk < job.parallelism.virtual_stages; ++chunk) {
    const LayerRange range = layers_of(job, {.stage = stage, .chunk = chunk});
    for (std::int64_t layer = range.first; layer < range.first + range.count; ++layer) {
      const HeldParameters held = held_layer_parameters(job, layer);
      sum.shared += held.shared;
      sum.experts += held.experts;
    }
  }
  return sum;
}

}  // namespace weft::workload
