// Memory that a training job needs on its fullest GPU, before anything runs.
//
// Parameters in 2 bytes, gradients in 2 or 4, the optimiser's three fp32 numbers in 12, each shared out as ZeRO says.
// Activations as in Korthikanti et al. 2022 ("Reducing activation recomputation"), section 4, term by term, so that
// grouped queries, gated feed-forwards and experts come out as well; times the passes that the schedule keeps in
// flight. Not counted: fragmentation, and what collectives keep (the GPU's `reserved` stands for both).
#pragma once

#include "workload/training/training_job.h"

namespace weft::workload {

struct MemoryEstimate {
  std::int64_t stage = 0;  // that needs most
  Bytes parameters{};
  Bytes gradients{};
  Bytes optimizer{};
  Bytes activations{};  // kept for backward passes
  Bytes working{};      // one layer computed again; ZeRO-3's gathered layers
  Bytes output{};       // logits and what the output layer keeps
  Bytes reserved{};

  [[nodiscard]] Bytes total() const {
    return parameters + gradients + optimizer + activations + working + output + reserved;
  }
};

/// Bytes that one layer keeps of one micro-batch without any recomputation; `layer` as in held_layer_parameters.
struct LayerActivations {
  Bytes scores{};  // of unfused attention: what selective recomputation drops
  Bytes rest{};
  Bytes input{};  // of the layer: what full recomputation keeps
  [[nodiscard]] Bytes kept(Recomputation recomputation) const;
};
[[nodiscard]] LayerActivations layer_activations(const TrainingJob& job, std::int64_t layer);

/// Of the whole job, whatever it calls representative.
[[nodiscard]] MemoryEstimate estimate_memory(const TrainingJob& job, const GpuModel& gpu);
/// Errors, with the numbers: it does not fit.
[[nodiscard]] Result<MemoryEstimate> check_memory(const TrainingJob& job, const GpuModel& gpu);

}  // namespace weft::workload
