// What a checkpoint of a model holds.
#pragma once

#include "base/data_size.h"
#include "workload/training/model_shape.h"

namespace weft::workload {

/// Of each parameter: 2 bytes as layers use it, and the optimiser's master copy and two moments of 4 bytes each.
inline constexpr std::int64_t kCheckpointBytes = 14;

/// Weights and optimiser states of the whole model, each once.
[[nodiscard]] inline Bytes checkpoint_bytes(const ModelShape& model) {
  return Bytes(parameter_count(model) * kCheckpointBytes);
}
/// What each of so many ranks writes if they share it out evenly; rounded up.
[[nodiscard]] inline Bytes checkpoint_shard(const ModelShape& model, std::int64_t ranks) {
  return Bytes((checkpoint_bytes(model).count() + ranks - 1) / ranks);
}

}  // namespace weft::workload
