#include "workload/training/model_flops.h"

namespace weft::workload {
namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

// Elements of the matrices of an attention, without norms and biases.
std::int64_t attention_matrix_elements(const ModelShape& model) {
  const std::int64_t h = model.hidden;
  if (model.latent) {
    const LatentAttention& latent = *model.latent;
    return h * latent.query_rank + latent.query_rank * query_elements(model) + h * kv_elements(model) +
           latent.kv_rank * model.heads * (model.head_size + latent.value_size) + value_elements(model) * h;
  }
  return h * query_elements(model) + h * kv_elements(model) + value_elements(model) * h;
}

std::int64_t feed_forward_elements(const ModelShape& model, std::int64_t layer) {
  const std::int64_t matrices = feed_forward_matrices(model);
  if (!has_experts(model, layer)) {
    return matrices * model.hidden * model.feed_forward;
  }
  const Experts& experts = *model.experts;
  return (experts.active + experts.shared) * matrices * model.hidden * experts.hidden + model.hidden * experts.count;
}

}  // namespace

FlopCount layer_flops_per_token(const ModelShape& model, std::int64_t layer) {
  const double products = as_double(attention_matrix_elements(model) + feed_forward_elements(model, layer));
  const double scores = as_double(query_elements(model) + value_elements(model)) * as_double(model.sequence);
  return {2 * (products + scores)};
}

FlopCount output_flops_per_token(const ModelShape& model) { return {2 * as_double(embedding_parameters(model))}; }

FlopCount forward_flops_per_token(const ModelShape& model) {
  FlopCount sum = output_flops_per_token(model);
  for (std::int64_t layer = 0; layer < model.layers; ++layer) {
    sum = sum + layer_flops_per_token(model, layer);
  }
  return sum;
}

FlopCount model_flops(const ModelShape& model, std::int64_t tokens) {
  return 3 * as_double(tokens) * forward_flops_per_token(model);
}

FlopCount recomputed_flops(const ModelShape& model, std::int64_t tokens) {
  const double n = as_double(tokens);
  const FlopCount output = output_flops_per_token(model);
  const FlopCount layers = forward_flops_per_token(model) + -1.0 * output;
  return 4 * n * layers + 3 * n * output;
}

}  // namespace weft::workload
