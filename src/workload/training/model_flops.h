// Floating-point operations of a model, counted as the papers count them for "model FLOPs utilisation".
//
// A multiplication with an addition is two operations. Only matrix products count: those of the layers, of attention
// and of the output layer. Attention is counted over the whole square of the sequence, although it is causal, as in
// Narayanan et al. 2021 and Chowdhery et al. 2022 (PaLM); kernels that skip the upper half do less. Backward is twice
// forward. Results are double: a step of a large model passes 2^63, and 53 bits are enough for a ratio.
#pragma once

#include "workload/training/model_shape.h"

namespace weft::workload {

/// A number of operations; for rates and shares, never for simulated time.
struct FlopCount {
  double count = 0;

  friend FlopCount operator+(FlopCount a, FlopCount b) { return {a.count + b.count}; }
  friend FlopCount operator*(double n, FlopCount a) { return {n * a.count}; }
};

/// Forward pass of one token through one layer, in a sequence of `model.sequence` tokens.
[[nodiscard]] FlopCount layer_flops_per_token(const ModelShape& model, std::int64_t layer);
/// Forward pass of one token through the output layer.
[[nodiscard]] FlopCount output_flops_per_token(const ModelShape& model);
/// Forward pass of one token through everything.
[[nodiscard]] FlopCount forward_flops_per_token(const ModelShape& model);

/// What a step has to do: forward and backward of all tokens.
[[nodiscard]] FlopCount model_flops(const ModelShape& model, std::int64_t tokens);
/// What a step does when all layers' activations are computed again for the backward pass.
[[nodiscard]] FlopCount recomputed_flops(const ModelShape& model, std::int64_t tokens);

}  // namespace weft::workload
