#include "workload/training/layer_compute.h"

#include <algorithm>

namespace weft::workload {
namespace {

// Adds up kernels. Products count forward once and backward twice: by the input and by the weights.
class Kernels {
 public:
  explicit Kernels(const GpuTimer& timer) : timer_(timer) {}

  Kernels& product(const Gemm& g) {
    sum_.forward += timer_.gemm(g);
    sum_.backward += timer_.gemm({.m = g.m, .n = g.k, .k = g.n, .count = g.count});
    sum_.backward += timer_.gemm({.m = g.k, .n = g.n, .k = g.m, .count = g.count});
    return *this;
  }
  /// Bytes of memory traffic each way.
  Kernels& memory(std::int64_t forward, std::int64_t backward) {
    sum_.forward += timer_.memory_bound(Bytes(forward));
    sum_.backward += timer_.memory_bound(Bytes(backward));
    return *this;
  }
  [[nodiscard]] PartTime sum() const { return sum_; }

 private:
  const GpuTimer& timer_;
  PartTime sum_{};
};

// Sizes that one rank works with.
struct Local {
  std::int64_t tokens = 0;       // of its sequences' shares
  std::int64_t norm_tokens = 0;  // that norms and dropout see
  std::int64_t queries = 0;      // elements per token
  std::int64_t values = 0;
  std::int64_t kv = 0;
  std::int64_t heads = 0;
};

Local local_of(const TrainingJob& job) {
  const Parallelism& p = job.parallelism;
  const ModelShape& model = job.model;
  Local local;
  local.tokens = tokens_per_micro_batch(job);
  local.norm_tokens = p.sequence == SequenceParallel::kOn ? local.tokens / p.tensor : local.tokens;
  local.heads = model.heads / p.tensor;
  local.queries = query_elements(model) / p.tensor;
  local.values = value_elements(model) / p.tensor;
  local.kv = 2 * std::max(model.kv_heads / p.tensor, std::int64_t{1}) * model.head_size;
  return local;
}

// x in, y out; backward dy and x in, dx out.
void add_norm(Kernels& kernels, std::int64_t elements) {
  kernels.memory(2 * elements * kActivationBytes, 3 * elements * kActivationBytes);
}

// Branch and residual in, sum out; with dropout a mask of a byte per element, which backward reads.
void add_residual(Kernels& kernels, const ModelShape& model, std::int64_t elements) {
  const std::int64_t mask = has_dropout(model) ? elements : 0;
  kernels.memory(3 * elements * kActivationBytes + mask, 2 * elements * kActivationBytes + mask);
}

PartTime attention_input(const TrainingJob& job, const Local& local, const GpuTimer& timer) {
  const ModelShape& model = job.model;
  Kernels kernels(timer);
  add_norm(kernels, local.norm_tokens * model.hidden);
  if (model.latent) {
    const LatentAttention& latent = *model.latent;
    kernels.product({.m = local.tokens, .n = latent.query_rank, .k = model.hidden});
    kernels.product({.m = local.tokens, .n = latent.kv_rank + latent.rotary_size, .k = model.hidden});
    add_norm(kernels, local.tokens * (latent.query_rank + latent.kv_rank));
    kernels.product({.m = local.tokens, .n = local.queries, .k = latent.query_rank});
    kernels.product({.m = local.tokens, .n = local.heads * (model.head_size + latent.value_size), .k = latent.kv_rank});
  } else {
    kernels.product({.m = local.tokens, .n = local.queries + local.kv, .k = model.hidden});
  }
  if (model.style == BlockStyle::kLlama) {
    const std::int64_t turned = local.tokens * (local.queries + local.kv / 2) * kActivationBytes;
    kernels.memory(2 * turned, 2 * turned);
  }
  return kernels.sum();
}

PartTime unfused_core(const TrainingJob& job, const Local& local, const GpuTimer& timer) {
  Kernels kernels(timer);
  const std::int64_t keys = job.model.sequence;
  const std::int64_t queries = keys / job.parallelism.context;
  const std::int64_t count = local.heads * job.batch.micro;
  kernels.product({.m = queries, .n = keys, .k = local.queries / local.heads, .count = count});
  kernels.product({.m = queries, .n = local.values / local.heads, .k = keys, .count = count});
  const std::int64_t scores = count * queries * keys;
  kernels.memory(2 * scores * kActivationBytes, 3 * scores * kActivationBytes);  // scale, mask and softmax in one
  if (has_dropout(job.model)) {
    kernels.memory(2 * scores * kActivationBytes + scores, 2 * scores * kActivationBytes + scores);
  }
  return kernels.sum();
}

// The masked half is skipped: half the keys on average. Backward: five products for forward's two.
PartTime fused_core(const TrainingJob& job, const Local& local, const GpuTimer& timer) {
  const std::int64_t queries = job.model.sequence / job.parallelism.context;
  const std::int64_t keys = std::max(job.model.sequence / 2, std::int64_t{1});
  const std::int64_t count = local.heads * job.batch.micro;
  const Duration scores = timer.gemm({.m = queries, .n = keys, .k = local.queries / local.heads, .count = count});
  const Duration product = timer.gemm({.m = queries, .n = local.values / local.heads, .k = keys, .count = count});
  return {.forward = scores + product, .backward = 3 * scores + 2 * product};
}

PartTime attention_output(const TrainingJob& job, const Local& local, const GpuTimer& timer) {
  Kernels kernels(timer);
  kernels.product({.m = local.tokens, .n = job.model.hidden, .k = local.values});
  add_residual(kernels, job.model, local.norm_tokens * job.model.hidden);
  return kernels.sum();
}

struct FeedForwardShape {
  std::int64_t tokens = 0;
  std::int64_t inner = 0;
  std::int64_t count = 1;
};

// Gate and up are one product; the activation reads what it made and writes the inner vector.
void add_feed_forward(Kernels& kernels, const ModelShape& model, const FeedForwardShape& shape) {
  const std::int64_t inputs = feed_forward_matrices(model) - 1;
  const std::int64_t bytes = shape.count * shape.tokens * shape.inner * kActivationBytes;
  kernels.product({.m = shape.tokens, .n = inputs * shape.inner, .k = model.hidden, .count = shape.count});
  kernels.memory((inputs + 1) * bytes, (2 * inputs + 1) * bytes);
  kernels.product({.m = shape.tokens, .n = model.hidden, .k = shape.inner, .count = shape.count});
}

void add_experts(const TrainingJob& job, const Local& local, const GpuTimer& timer, LayerTimes& times) {
  const ModelShape& model = job.model;
  const Experts& experts = *model.experts;
  const Parallelism& p = job.parallelism;
  const std::int64_t routed = local.norm_tokens * experts.active;  // copies of this rank's tokens
  Kernels router(timer);
  add_norm(router, local.norm_tokens * model.hidden);
  router.product({.m = local.norm_tokens, .n = experts.count, .k = model.hidden});
  const std::int64_t sorted = 2 * routed * model.hidden * kActivationBytes;
  router.memory(sorted, sorted);
  times.feed_forward = router.sum();

  if (experts.shared > 0) {
    Kernels shared(timer);
    add_feed_forward(shared, model, {.tokens = local.tokens, .inner = experts.shared * experts.hidden / p.tensor});
    times.shared_experts = shared.sum();
  }
  // Evenly spread: this rank's experts get as many copies as its tensor-parallel group sends out.
  const std::int64_t held = experts.count / p.expert;
  const std::int64_t each = (local.tokens * experts.active + held - 1) / held;
  Kernels chosen(timer);
  add_feed_forward(chosen, model, {.tokens = each, .inner = experts.hidden / p.tensor, .count = held});
  times.experts = chosen.sum();

  Kernels combine(timer);
  combine.memory((routed + 2 * local.norm_tokens) * model.hidden * kActivationBytes,
                 (routed + local.norm_tokens) * model.hidden * kActivationBytes);
  times.combine = combine.sum();
}

PartTime operator+(PartTime a, PartTime b) {
  return {.forward = a.forward + b.forward, .backward = a.backward + b.backward};
}

}  // namespace

PartTime LayerTimes::attention() const { return attention_input + attention_core + attention_output; }

PartTime LayerTimes::total() const { return attention() + feed_forward + shared_experts + experts + combine; }

LayerTimes layer_times(const TrainingJob& job, std::int64_t layer, const GpuTimer& timer) {
  const Local local = local_of(job);
  LayerTimes times;
  times.attention_input = attention_input(job, local, timer);
  times.attention_core =
      job.attention == AttentionKernel::kFused ? fused_core(job, local, timer) : unfused_core(job, local, timer);
  times.attention_output = attention_output(job, local, timer);
  if (has_experts(job.model, layer)) {
    add_experts(job, local, timer, times);
    return times;
  }
  Kernels dense(timer);
  add_norm(dense, local.norm_tokens * job.model.hidden);
  add_feed_forward(dense, job.model,
                   {.tokens = local.tokens, .inner = job.model.feed_forward / job.parallelism.tensor});
  add_residual(dense, job.model, local.norm_tokens * job.model.hidden);
  times.feed_forward = dense.sum();
  return times;
}

PartTime embedding_time(const TrainingJob& job, const GpuTimer& timer) {
  const std::int64_t elements = tokens_per_micro_batch(job) * job.model.hidden;
  Kernels kernels(timer);
  kernels.memory(2 * elements * kActivationBytes, 2 * elements * kActivationBytes);
  if (has_dropout(job.model)) {
    add_residual(kernels, job.model, elements);
  }
  return kernels.sum();
}

PartTime output_time(const TrainingJob& job, const GpuTimer& timer) {
  const Local local = local_of(job);
  const std::int64_t words = (job.model.vocabulary + job.parallelism.tensor - 1) / job.parallelism.tensor;
  Kernels kernels(timer);
  add_norm(kernels, local.norm_tokens * job.model.hidden);
  kernels.product({.m = local.tokens, .n = words, .k = job.model.hidden});
  // Logits in fp32: written, read for the largest, for the sum and for the loss; backward writes their gradient.
  const std::int64_t logits = local.tokens * words * 4;
  kernels.memory(4 * logits, 2 * logits);
  return kernels.sum();
}

Duration optimizer_time(const TrainingJob& job, std::int64_t parameters, const GpuTimer& timer) {
  constexpr std::int64_t kStateBytes = 12;
  return timer.memory_bound(Bytes(parameters * (gradient_bytes(job.gradients) + 2 * kStateBytes + kActivationBytes)));
}

}  // namespace weft::workload
