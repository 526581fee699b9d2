// How a training job is spread over its ranks: degrees, their order over the ranks, and the checks that they divide.
//
// The numbers are Megatron-LM's: world = tensor x context x data x pipeline, and expert parallelism divides data
// parallelism (data = expert x replicas of the experts). A rank's coordinates are the digits of its number in a mixed
// radix whose first, fastest digit is by default tensor: "tp-cp-ep-dp-pp".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workload/rank.h"
#include "workload/training/model_shape.h"

namespace weft::workload {

/// Who keeps what once: kNone: every data-parallel rank keeps everything; kOptimizer (ZeRO-1): each keeps its share of
/// the optimiser's state; kParameters (ZeRO-3, FSDP): of parameters and gradients as well.
enum class ZeroStage : std::uint8_t { kNone, kOptimizer, kParameters };
/// Whether norms and dropout of tensor-parallel ranks work on shares of the sequence (Korthikanti et al. 2022).
enum class SequenceParallel : std::uint8_t { kOff, kOn };

/// kEven: every chunk has as many layers. kEndsAreLayers: embedding and output layer count as a layer each, so the
/// first and the last chunk have one layer less (Llama 3: 126 layers in 16 stages).
enum class LayerSplit : std::uint8_t { kEven, kEndsAreLayers };

enum class Axis : std::uint8_t { kTensor, kContext, kExpert, kData, kPipeline };
inline constexpr std::size_t kAxes = 5;
/// "tp", "cp", "ep", "dp", "pp".
[[nodiscard]] std::string_view to_string(Axis axis);
/// Fastest first. kData counts the replicas of the experts: the data-parallel degree without its expert part.
using AxisOrder = std::array<Axis, kAxes>;
inline constexpr AxisOrder kMegatronOrder{Axis::kTensor, Axis::kContext, Axis::kExpert, Axis::kData, Axis::kPipeline};
/// "tp-cp-ep-dp-pp", every axis once. Errors name what is missing, doubled or unknown.
[[nodiscard]] Result<AxisOrder> parse_axis_order(std::string_view text);

struct Parallelism {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  std::int64_t expert = 1;          // divides data
  std::int64_t context = 1;         // splits the sequence
  std::int64_t virtual_stages = 1;  // chunks of layers per pipeline stage; above 1: the interleaved schedule
  SequenceParallel sequence = SequenceParallel::kOff;
  ZeroStage zero = ZeroStage::kNone;
  LayerSplit split = LayerSplit::kEven;
  AxisOrder order = kMegatronOrder;

  [[nodiscard]] std::int64_t world() const { return tensor * pipeline * data * context; }
};

/// Sequences per step and per micro-batch.
struct BatchShape {
  std::int64_t global = 1;
  std::int64_t micro = 1;
};

/// Micro-batches that each data-parallel rank works through in a step.
[[nodiscard]] constexpr std::int64_t micro_batches(const BatchShape& batch, const Parallelism& parallelism) {
  return batch.global / (batch.micro * parallelism.data);
}

/// Errors, with the numbers: a degree below 1; ranks that are not their product; layers not divided by stages and
/// chunks; heads, KV heads (or tensor by KV heads), feed-forward, vocabulary or sequence not divided; experts; the
/// batch; interleaving with one stage or with micro-batches that the stages do not divide; experts over tensor-parallel
/// ranks without sequence parallelism.
struct ParallelJob {
  const ModelShape& model;
  const Parallelism& parallelism;
  const BatchShape& batch;
  std::int64_t ranks = 0;
};
[[nodiscard]] Result<void> check_parallelism(const ParallelJob& job);

/// The first thing that is wrong, and with which number: "tp", "cp", "ep", "dp", "pp", "virtual stages" or "batch".
struct ParallelFault {
  std::string_view what;
  std::string message;
};
[[nodiscard]] std::optional<ParallelFault> parallel_fault(const ParallelJob& job);

/// A rank's place on each axis.
struct RankCoordinates {
  std::array<std::int64_t, kAxes> at{};
  [[nodiscard]] std::int64_t operator[](Axis axis) const { return at[static_cast<std::size_t>(axis)]; }
  friend bool operator==(const RankCoordinates&, const RankCoordinates&) = default;
};
/// Members along an axis; of kData the replicas of the experts.
[[nodiscard]] std::int64_t degree(const Parallelism& parallelism, Axis axis);
[[nodiscard]] RankCoordinates coordinates_of(const Parallelism& parallelism, RankId rank);
[[nodiscard]] RankId rank_at(const Parallelism& parallelism, const RankCoordinates& coordinates);
/// The data-parallel index, 0 <= index < data, of a rank.
[[nodiscard]] std::int64_t data_index(const Parallelism& parallelism, const RankCoordinates& coordinates);

/// Ranks that differ from `from` only along `axes`, in the order of their numbers.
[[nodiscard]] std::vector<RankId> group_along(const Parallelism& parallelism, RankId from,
                                              std::initializer_list<Axis> axes);

}  // namespace weft::workload
