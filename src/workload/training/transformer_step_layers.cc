// Layers: their compute, and the messages between their parts.
#include "workload/training/transformer_step.h"
#include "workload/training/transformer_streams.h"

namespace weft::workload {

using namespace transformer;

void TransformerStep::tensor(const Tensor& what) {
  if (!tensor_) {
    return;
  }
  writer_.exchange_and_need({.purpose = Purpose::kTensor,
                             .stream = kTensor,
                             .group = *tensor_,
                             .kind = what.kind,
                             .size = Bytes(what.elements * kActivationBytes)});
}

void TransformerStep::block_begins() {
  if (splits_sequence()) {
    tensor({.kind = CollectiveKind::kAllGather, .elements = tokens_per_micro_batch(job_) * job_.model.hidden});
  }
}

void TransformerStep::block_ends_forward() {
  tensor({.kind = splits_sequence() ? CollectiveKind::kReduceScatter : CollectiveKind::kAllReduce,
          .elements = tokens_per_micro_batch(job_) * job_.model.hidden});
}

void TransformerStep::block_ends_backward() { block_ends_forward(); }

void TransformerStep::context(CollectiveKind kind) {
  if (!context_) {
    return;
  }
  // A tensor-parallel rank has the keys and values of its heads; a latent vector serves all heads.
  const std::int64_t shares = job_.model.latent ? 1 : std::min(job_.parallelism.tensor, job_.model.kv_heads);
  const std::int64_t tokens = tokens_per_micro_batch(job_) * job_.parallelism.context;
  writer_.exchange_and_need({.purpose = Purpose::kContext,
                             .stream = kContext,
                             .group = *context_,
                             .kind = kind,
                             .size = Bytes(tokens * kv_elements(job_.model) / shares * kActivationBytes)});
}

void TransformerStep::layer_forward(std::int64_t layer) {
  const LayerTimes& times = plan_.times_of_layer(layer);
  writer_.set_layer(layer);
  // Computing a layer again happens within its use by the backward pass.
  if (writer_.label().purpose == Purpose::kForward) {
    use_parameters();
  }
  block_begins();
  writer_.compute(times.attention_input.forward);
  context(CollectiveKind::kAllGather);
  writer_.compute(times.attention_core.forward + times.attention_output.forward);
  block_ends_forward();
  if (has_experts(job_.model, layer)) {
    experts_forward(times);
    return;
  }
  block_begins();
  writer_.compute(times.feed_forward.forward);
  block_ends_forward();
}

void TransformerStep::layer_backward(std::int64_t layer) {
  const LayerTimes& times = plan_.times_of_layer(layer);
  writer_.set_layer(layer);
  use_parameters();
  if (job_.recomputation == Recomputation::kFull) {
    writer_.set_purpose(Purpose::kRecompute);
    layer_forward(layer);
    writer_.set_purpose(Purpose::kBackward);
  }
  if (has_experts(job_.model, layer)) {
    experts_backward(times);
  } else {
    block_begins();
    writer_.compute(times.feed_forward.backward);
    block_ends_backward();
  }
  attention_backward(times);
}

void TransformerStep::attention_backward(const LayerTimes& times) {
  block_begins();
  writer_.compute(times.attention_output.backward);
  // Keys and values of the other ranks were not kept, unless they have just been computed again.
  if (job_.recomputation != Recomputation::kFull) {
    context(CollectiveKind::kAllGather);
  }
  if (job_.recomputation == Recomputation::kSelective) {
    writer_.set_purpose(Purpose::kRecompute);
    writer_.compute(times.attention_core.forward);
    writer_.set_purpose(Purpose::kBackward);
  }
  writer_.compute(times.attention_core.backward);
  context(CollectiveKind::kReduceScatter);
  writer_.compute(times.attention_input.backward);
  block_ends_backward();
}

std::optional<NodeId> TransformerStep::to_experts(Precision precision) {
  if (!expert_) {
    return std::nullopt;
  }
  const std::int64_t tokens = tokens_per_micro_batch(job_) / job_.parallelism.tensor;  // sequence parallel, if split
  const std::int64_t bytes = precision == Precision::kFp8 ? 1 : kActivationBytes;
  return writer_.exchange_results({.purpose = Purpose::kExpert,
                                   .stream = kExpert,
                                   .group = *expert_,
                                   .kind = CollectiveKind::kAllToAll,
                                   .size = Bytes(tokens * job_.model.experts->active * job_.model.hidden * bytes)});
}

void TransformerStep::experts_forward(const LayerTimes& times) {
  const std::int64_t tokens = tokens_per_micro_batch(job_) * job_.model.hidden;
  const std::int64_t routed = tokens * job_.model.experts->active;
  const bool shared = job_.model.experts->shared > 0;
  writer_.compute(times.feed_forward.forward);
  const auto sent = to_experts(job_.expert_dispatch);
  if (shared) {
    block_begins();
    writer_.compute(times.shared_experts.forward);
    block_ends_forward();
  }
  if (sent) {
    writer_.need(*sent);
  }
  tensor({.kind = CollectiveKind::kAllGather, .elements = routed});
  writer_.compute(times.experts.forward);
  tensor({.kind = CollectiveKind::kReduceScatter, .elements = routed});
  if (const auto returned = to_experts(Precision::kBf16)) {
    writer_.need(*returned);
  }
  writer_.compute(times.combine.forward);
}

void TransformerStep::experts_backward(const LayerTimes& times) {
  const std::int64_t tokens = tokens_per_micro_batch(job_) * job_.model.hidden;
  const std::int64_t routed = tokens * job_.model.experts->active;
  const bool shared = job_.model.experts->shared > 0;
  writer_.compute(times.combine.backward);
  const auto sent = to_experts(Precision::kBf16);
  if (shared) {
    block_begins();
    writer_.compute(times.shared_experts.backward);
    block_ends_backward();
  }
  if (sent) {
    writer_.need(*sent);
  }
  tensor({.kind = CollectiveKind::kAllGather, .elements = routed});
  writer_.compute(times.experts.backward);
  tensor({.kind = CollectiveKind::kReduceScatter, .elements = routed});
  if (const auto returned = to_experts(Precision::kBf16)) {
    writer_.need(*returned);
  }
  writer_.compute(times.feed_forward.backward);
}

}  // namespace weft::workload
