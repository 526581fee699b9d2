// The shape of a transformer language model: what its size, its work and its messages follow from.
//
// Counts are of the whole model, lengths in elements. `check_model` says what a shape must hold; everything else that
// takes a ModelShape expects it checked. Parameters are counted by hand, term by term, so that published totals of very
// different models come out (model_shape_test.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft::workload {

/// kGpt: learned positions, LayerNorm, biases, dropout. kLlama: rotary positions, RMSNorm, no biases, no dropout.
enum class BlockStyle : std::uint8_t { kGpt, kLlama };
/// kPlain: up, GELU, down. kGated: gate and up, SiLU, down.
enum class FeedForward : std::uint8_t { kPlain, kGated };
/// Bytes of an activation, or of a parameter as layers use it, in bf16 or fp16.
inline constexpr std::int64_t kActivationBytes = 2;

/// Whether the output layer uses the embedding's matrix.
enum class Embeddings : std::uint8_t { kTied, kSeparate };

/// Multi-head latent attention (DeepSeek-V2, section 2.1): queries, and keys with values, pass through narrow vectors.
struct LatentAttention {
  std::int64_t query_rank = 0;
  std::int64_t kv_rank = 0;
  std::int64_t rotary_size = 0;  // per head, beside head_size; one key part serves all heads
  std::int64_t value_size = 0;   // per head

  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

/// Layers whose feed-forward is a choice of experts.
struct Experts {
  std::int64_t count = 0;
  std::int64_t active = 0;       // that a token goes to
  std::int64_t shared = 0;       // that every token goes to as well
  std::int64_t hidden = 0;       // inner size of one expert
  std::int64_t dense_first = 0;  // layers at the beginning that have none

  friend bool operator==(const Experts&, const Experts&) = default;
};

struct ModelShape {
  std::string name{};
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;      // equal to heads: multi-head attention; fewer: grouped queries
  std::int64_t head_size = 0;     // of a query and a key
  std::int64_t feed_forward = 0;  // inner size of a dense layer
  std::int64_t vocabulary = 0;
  std::int64_t sequence = 0;  // tokens
  BlockStyle style = BlockStyle::kLlama;
  FeedForward feed_forward_kind = FeedForward::kGated;
  Embeddings embeddings = Embeddings::kSeparate;
  std::optional<LatentAttention> latent{};
  std::optional<Experts> experts{};

  friend bool operator==(const ModelShape&, const ModelShape&) = default;
};

/// Errors, with the numbers: a length below 1, KV heads that do not divide the heads, more active experts than there
/// are, dense layers beyond the last, a length above 2^40.
[[nodiscard]] Result<void> check_model(const ModelShape& model);

/// Elements of queries, and of keys or values, that a token has in one layer.
[[nodiscard]] std::int64_t query_elements(const ModelShape& model);
[[nodiscard]] std::int64_t value_elements(const ModelShape& model);
/// Elements of a token's keys and values together, as context parallelism passes them around.
[[nodiscard]] std::int64_t kv_elements(const ModelShape& model);
/// Whether the feed-forward of layer `layer` (from 0) is made of experts.
[[nodiscard]] bool has_experts(const ModelShape& model, std::int64_t layer);
/// Matrices of a feed-forward: 2, or 3 with a gate.
[[nodiscard]] std::int64_t feed_forward_matrices(const ModelShape& model);

/// Parameters of one layer by who holds them.
struct LayerParameters {
  std::int64_t split = 0;       // matrices that tensor parallelism splits
  std::int64_t replicated = 0;  // norms, biases that it does not split, the router
  std::int64_t experts = 0;     // that expert parallelism spreads
  [[nodiscard]] std::int64_t total() const { return split + replicated + experts; }
};
[[nodiscard]] LayerParameters layer_parameters(const ModelShape& model, std::int64_t layer);

/// Token embedding; the output layer has as many again if it is separate.
[[nodiscard]] std::int64_t embedding_parameters(const ModelShape& model);
/// Learned positions; 0 with rotary ones.
[[nodiscard]] std::int64_t position_parameters(const ModelShape& model);
/// The norm behind the last layer.
[[nodiscard]] std::int64_t final_norm_parameters(const ModelShape& model);
[[nodiscard]] std::int64_t parameter_count(const ModelShape& model);
/// Parameters that one token's way leads through.
[[nodiscard]] std::int64_t active_parameter_count(const ModelShape& model);

[[nodiscard]] inline bool has_dropout(const ModelShape& model) { return model.style == BlockStyle::kGpt; }

}  // namespace weft::workload
