// Shapes of published models for tests of this folder, which sees no catalogue. The catalogue has the same ones; a test
// of study/model_catalogue holds the two together.
#pragma once

#include "workload/training/model_shape.h"

namespace weft::workload::test {

/// A GPT as Megatron-LM makes it: feed-forward of 4 h, learned positions, vocabulary of 51200, 2048 tokens.
inline ModelShape gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  return {.name = "gpt",
          .layers = layers,
          .hidden = hidden,
          .heads = heads,
          .kv_heads = heads,
          .head_size = hidden / heads,
          .feed_forward = 4 * hidden,
          .vocabulary = 51200,
          .sequence = 2048,
          .style = BlockStyle::kGpt,
          .feed_forward_kind = FeedForward::kPlain,
          .embeddings = Embeddings::kTied,
          .latent = {},
          .experts = {}};
}

inline ModelShape llama3_8b() {
  return {.name = "llama3-8b",
          .layers = 32,
          .hidden = 4096,
          .heads = 32,
          .kv_heads = 8,
          .head_size = 128,
          .feed_forward = 14336,
          .vocabulary = 128256,
          .sequence = 8192};
}

inline ModelShape llama3_70b() {
  ModelShape model = llama3_8b();
  model.name = "llama3-70b";
  model.layers = 80;
  model.hidden = 8192;
  model.heads = 64;
  model.feed_forward = 28672;
  return model;
}

inline ModelShape llama3_405b() {
  ModelShape model = llama3_8b();
  model.name = "llama3-405b";
  model.layers = 126;
  model.hidden = 16384;
  model.heads = 128;
  model.feed_forward = 53248;
  return model;
}

inline ModelShape mixtral_8x7b() {
  ModelShape model = llama3_8b();
  model.name = "mixtral-8x7b";
  model.vocabulary = 32000;
  model.sequence = 4096;
  model.experts = Experts{.count = 8, .active = 2, .shared = 0, .hidden = 14336, .dense_first = 0};
  return model;
}

inline ModelShape deepseek_v3() {
  return {.name = "deepseek-v3",
          .layers = 61,
          .hidden = 7168,
          .heads = 128,
          .kv_heads = 128,
          .head_size = 128,
          .feed_forward = 18432,
          .vocabulary = 129280,
          .sequence = 4096,
          .style = BlockStyle::kLlama,
          .feed_forward_kind = FeedForward::kGated,
          .embeddings = Embeddings::kSeparate,
          .latent = LatentAttention{.query_rank = 1536, .kv_rank = 512, .rotary_size = 64, .value_size = 128},
          .experts = Experts{.count = 256, .active = 8, .shared = 1, .hidden = 2048, .dense_first = 3}};
}

}  // namespace weft::workload::test
