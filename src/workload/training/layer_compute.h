// Compute time of the parts of a training step on one rank, as sums over the kernels that run there.
//
// Sides are those of the rank: heads, feed-forward and vocabulary split over tensor-parallel ranks, tokens over context
// ones; norms and dropout on all tokens, or on the rank's share with sequence parallelism. Backward computes two
// products for each one of forward; fused attention computes five for two, because it makes the scores again. Memory
// traffic of everything else is counted read by read (docs/decisions: the compute model of a step). Kernels of one rank
// run one after another.
#pragma once

#include "base/result.h"
#include "workload/training/training_job.h"

namespace weft::workload {

struct PartTime {
  Duration forward{};
  Duration backward{};
};

/// The parts of a layer between which messages may stand.
struct LayerTimes {
  PartTime attention_input{};   // norm, queries, keys, values
  PartTime attention_core{};    // scores, softmax, their product with the values
  PartTime attention_output{};  // projection, dropout, residual
  PartTime feed_forward{};      // norm and dense feed-forward; with experts: norm, router, sorting the tokens
  PartTime shared_experts{};    // while tokens travel
  PartTime experts{};
  PartTime combine{};  // weighting and adding what comes back from experts

  [[nodiscard]] PartTime attention() const;
  [[nodiscard]] PartTime total() const;
};

/// `layer` matters only for whether it has experts. One micro-batch.
[[nodiscard]] LayerTimes layer_times(const TrainingJob& job, std::int64_t layer, const GpuTimer& timer);

/// Looking tokens up and adding positions.
[[nodiscard]] PartTime embedding_time(const TrainingJob& job, const GpuTimer& timer);
/// Final norm, output layer and loss.
[[nodiscard]] PartTime output_time(const TrainingJob& job, const GpuTimer& timer);
/// Adam on `parameters` parameters: gradient, fp32 parameter and two moments read, the last three and the parameter
/// written.
[[nodiscard]] Duration optimizer_time(const TrainingJob& job, std::int64_t parameters, const GpuTimer& timer);

}  // namespace weft::workload
