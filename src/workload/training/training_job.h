// A training job as its user describes it: model, parallelism, batch, and how the step is carried out.
//
// Everything that is derived (compute times, memory, the graph of a step, closed forms) starts from this. `check_job`
// says what must hold; whatever else takes a TrainingJob expects it checked.
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "workload/training/gpu_model.h"
#include "workload/training/model_shape.h"
#include "workload/training/parallelism.h"

namespace weft::workload {

/// What of the activations is not kept but computed again: nothing, the attention core (scores, softmax, their product
/// with the values), or everything but each layer's input (Korthikanti et al. 2022).
enum class Recomputation : std::uint8_t { kNone, kSelective, kFull };
/// kFused: scores stay on chip and the masked half is skipped (FlashAttention). kUnfused: scores go through memory.
enum class AttentionKernel : std::uint8_t { kFused, kUnfused };
enum class GradientType : std::uint8_t { kFp32, kBf16 };
/// kOverlapped: bucket by bucket during the last micro-batch's backward pass. kAtEnd: in one piece, after it.
enum class GradientReduction : std::uint8_t { kOverlapped, kAtEnd };
/// Whether tensor-parallel ranks send a share of the activations each and gather them at the next stage (SC'21, 4.1).
enum class ScatterGather : std::uint8_t { kOff, kOn };

/// Parts of a job that stand for the whole, for a caller that extrapolates: numbers to generate instead of the real
/// ones.
struct Representative {
  std::optional<std::int64_t> layers_per_chunk{};  // the last ones of each chunk; at least 1, at most all
  std::optional<std::int64_t> micro_batches{};     // with chunks: a multiple of the stages
};

struct TrainingJob {
  ModelShape model{};
  Parallelism parallelism{};
  BatchShape batch{};
  Precision precision = Precision::kBf16;
  GradientType gradients = GradientType::kFp32;
  Recomputation recomputation = Recomputation::kNone;
  AttentionKernel attention = AttentionKernel::kFused;
  GradientReduction reduction = GradientReduction::kOverlapped;
  Bytes bucket{160'000'000};  // of gradients that travel together; above 0
  ScatterGather scatter_gather = ScatterGather::kOn;
  std::int64_t prefetch = 1;                     // layers whose parameters ZeRO-3 gathers ahead; at least 1
  Precision expert_dispatch = Precision::kBf16;  // of tokens on their way to experts
  std::uint32_t steps = 1;
  Representative representative{};
};

/// Errors: check_model, check_parallelism, an option out of range, representative numbers beyond the real ones.
[[nodiscard]] Result<void> check_job(const TrainingJob& job, std::int64_t ranks);

/// Of the whole job: micro-batches of one data-parallel rank, and the most layers that a chunk has.
[[nodiscard]] std::int64_t micro_batches(const TrainingJob& job);
[[nodiscard]] std::int64_t layers_per_chunk(const TrainingJob& job);
/// A chunk of the model's layers, by the stage that has it and its number there.
struct ChunkPlace {
  std::int64_t stage = 0;
  std::int64_t chunk = 0;
};
/// Layers [first, first + count) of the model.
struct LayerRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
[[nodiscard]] LayerRange layers_of(const TrainingJob& job, const ChunkPlace& place);
/// As `representative` asks for.
[[nodiscard]] std::int64_t generated_micro_batches(const TrainingJob& job);
[[nodiscard]] LayerRange generated_layers_of(const TrainingJob& job, const ChunkPlace& place);

/// Tokens of a micro-batch on one context-parallel rank.
[[nodiscard]] std::int64_t tokens_per_micro_batch(const TrainingJob& job);
/// Tokens of a whole step.
[[nodiscard]] std::int64_t tokens_per_step(const TrainingJob& job);
/// Parameters that one rank holds before ZeRO-3 shares them out: of a layer's non-experts, and of its experts.
struct HeldParameters {
  std::int64_t shared = 0;   // reduced over data and context ranks
  std::int64_t experts = 0;  // reduced over the experts' replicas
  [[nodiscard]] std::int64_t total() const { return shared + experts; }
};
[[nodiscard]] HeldParameters held_layer_parameters(const TrainingJob& job, std::int64_t layer);
/// Of embeddings, positions, final norm and output layer on a stage.
[[nodiscard]] std::int64_t held_end_parameters(const TrainingJob& job, std::int64_t stage);
/// Everything on a stage.
[[nodiscard]] HeldParameters held_parameters(const TrainingJob& job, std::int64_t stage);
/// Bytes of one gradient.
[[nodiscard]] constexpr std::int64_t gradient_bytes(GradientType type) { return type == GradientType::kFp32 ? 4 : 2; }

}  // namespace weft::workload
