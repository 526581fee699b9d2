#include "workload/training/model_shape.h"

#include <utility>

namespace weft::workload {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40;
constexpr std::int64_t kMostLayers = 65'536;
/// Counted in bytes with optimizer state, and as operations of a token, they stay in 64 bits.
constexpr double kMostParameters = 1e15;

struct NamedLength {
  std::string_view name;
  std::int64_t value;
};

Result<void> check_lengths(const ModelShape& model) {
  const NamedLength lengths[] = {{"layers", model.layers},         {"hidden", model.hidden},
                                 {"heads", model.heads},           {"kv_heads", model.kv_heads},
                                 {"head_size", model.head_size},   {"feed_forward", model.feed_forward},
                                 {"vocabulary", model.vocabulary}, {"sequence", model.sequence}};
  for (const auto& [name, value] : lengths) {
    if (value < 1 || value > kLargest) {
      return fail("model {}: {} = {}; from 1 to {}", model.name, name, value, kLargest);
    }
  }
  if (model.heads % model.kv_heads != 0) {
    return fail("model {}: {} KV heads do not divide {} heads", model.name, model.kv_heads, model.heads);
  }
  return {};
}

Result<void> check_experts(const ModelShape& model, const Experts& experts) {
  if (experts.count < 1 || experts.hidden < 1 || experts.shared < 0) {
    return fail("model {}: {} experts of inner size {}, {} shared; count and size are at least 1", model.name,
                experts.count, experts.hidden, experts.shared);
  }
  if (experts.active < 1 || experts.active > experts.count) {
    return fail("model {}: a token goes to {} of {} experts", model.name, experts.active, experts.count);
  }
  if (experts.dense_first < 0 || experts.dense_first > model.layers) {
    return fail("model {}: {} dense layers of {}", model.name, experts.dense_first, model.layers);
  }
  return {};
}

// Not in 64 bits, which the parameters may exceed.
Result<void> check_size(const ModelShape& model) {
  const auto of = [](std::int64_t number) { return static_cast<double>(number); };
  if (model.layers > kMostLayers) {
    return fail("model {}: {} layers; at most {}", model.name, model.layers, kMostLayers);
  }
  double attention = 4 * of(model.hidden) * of(model.heads) * of(model.head_size);
  if (model.latent) {
    const LatentAttention& latent = *model.latent;
    const double ranks = of(latent.query_rank) + of(latent.kv_rank) + of(latent.rotary_size) + of(latent.value_size);
    attention += ranks * (of(model.hidden) + of(model.heads) * (of(model.head_size) + ranks));
  }
  double inner = of(model.feed_forward);
  if (model.experts) {
    inner += (of(model.experts->count) + of(model.experts->shared)) * of(model.experts->hidden);
  }
  const double layer = attention + 3 * of(model.hidden) * inner;
  const double all = of(model.layers) * layer + of(model.hidden) * (2 * of(model.vocabulary) + of(model.sequence));
  if (all > kMostParameters) {
    return fail("model {}: about {:.0e} parameters; at most {:.0e}", model.name, all, kMostParameters);
  }
  return {};
}

bool has_biases(const ModelShape& model) { return model.style == BlockStyle::kGpt; }

// LayerNorm has a gain and a bias, RMSNorm a gain.
std::int64_t norm_parameters(const ModelShape& model, std::int64_t width) {
  return has_biases(model) ? 2 * width : width;
}

LayerParameters attention_parameters(const ModelShape& model) {
  const std::int64_t h = model.hidden;
  LayerParameters p{.replicated = norm_parameters(model, h)};
  if (model.latent) {
    const LatentAttention& latent = *model.latent;
    const std::int64_t key = model.head_size + latent.rotary_size;
    // The way down to the narrow vectors is done by every tensor-parallel rank; the way up is split by heads.
    p.replicated += h * latent.query_rank + h * (latent.kv_rank + latent.rotary_size);
    p.replicated += norm_parameters(model, latent.query_rank) + norm_parameters(model, latent.kv_rank);
    p.split += latent.query_rank * model.heads * key;
    p.split += latent.kv_rank * model.heads * (model.head_size + latent.value_size);
    p.split += model.heads * latent.value_size * h;
    return p;
  }
  const std::int64_t kv = model.kv_heads * model.head_size;
  const std::int64_t q = model.heads * model.head_size;
  p.split += h * (q + 2 * kv) + q * h;
  if (has_biases(model)) {
    p.split += q + 2 * kv;
    p.replicated += h;
  }
  return p;
}

}  // namespace

Result<void> check_model(const ModelShape& model) {
  if (auto checked = check_lengths(model); !checked) {
    return checked;
  }
  if (model.latent && (model.latent->query_rank < 1 || model.latent->kv_rank < 1 || model.latent->rotary_size < 0 ||
                       model.latent->value_size < 1)) {
    return fail("model {}: latent attention of query rank {}, KV rank {}, value size {}; each at least 1", model.name,
                model.latent->query_rank, model.latent->kv_rank, model.latent->value_size);
  }
  if (model.experts) {
    if (auto checked = check_experts(model, *model.experts); !checked) {
      return checked;
    }
  }
  return check_size(model);
}

std::int64_t query_elements(const ModelShape& model) {
  const std::int64_t rotary = model.latent ? model.latent->rotary_size : 0;
  return model.heads * (model.head_size + rotary);
}

std::int64_t value_elements(const ModelShape& model) {
  return model.heads * (model.latent ? model.latent->value_size : model.head_size);
}

std::int64_t kv_elements(const ModelShape& model) {
  return model.latent ? model.latent->kv_rank + model.latent->rotary_size : 2 * model.kv_heads * model.head_size;
}

bool has_experts(const ModelShape& model, std::int64_t layer) {
  return model.experts && layer >= model.experts->dense_first;
}

std::int64_t feed_forward_matrices(const ModelShape& model) {
  return model.feed_forward_kind == FeedForward::kGated ? 3 : 2;
}

LayerParameters layer_parameters(const ModelShape& model, std::int64_t layer) {
  LayerParameters p = attention_parameters(model);
  const std::int64_t h = model.hidden;
  const std::int64_t matrices = feed_forward_matrices(model);
  p.replicated += norm_parameters(model, h);
  if (has_experts(model, layer)) {
    const Experts& experts = *model.experts;
    p.experts += experts.count * matrices * h * experts.hidden;
    p.split += experts.shared * matrices * h * experts.hidden;
    p.replicated += h * experts.count;
    return p;
  }
  p.split += matrices * h * model.feed_forward;
  if (has_biases(model)) {
    p.split += (matrices - 1) * model.feed_forward;
    p.replicated += h;
  }
  return p;
}

std::int64_t embedding_parameters(const ModelShape& model) { return model.vocabulary * model.hidden; }

std::int64_t position_parameters(const ModelShape& model) {
  return model.style == BlockStyle::kGpt ? model.sequence * model.hidden : 0;
}

std::int64_t final_norm_parameters(const ModelShape& model) { return norm_parameters(model, model.hidden); }

std::int64_t parameter_count(const ModelShape& model) {
  const std::int64_t tables = model.embeddings == Embeddings::kTied ? 1 : 2;
  std::int64_t count = tables * embedding_parameters(model) + position_parameters(model) + final_norm_parameters(model);
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    count += layer_parameters(model, layer).total();
  }
  return count;
}

std::int64_t active_parameter_count(const ModelShape& model) {
  std::int64_t count = parameter_count(model);
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    if (has_experts(model, layer)) {
      const std::int64_t all = layer_parameters(model, layer).experts;
      count -= all - all / model.experts->count * model.experts->active;
    }
  }
  return count;
}

}  // namespace weft::workload
