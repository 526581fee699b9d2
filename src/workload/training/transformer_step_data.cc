// Parameters and gradients: what data-parallel ranks exchange.
#include "workload/training/transformer_step.h"
#include "workload/training/transformer_streams.h"

namespace weft::workload {

using namespace transformer;

// Without expert parallelism experts are reduced with everything else.
HeldParameters TransformerStep::by_group(const HeldParameters& parameters) const {
  return job_.parallelism.expert > 1 ? parameters : HeldParameters{.shared = parameters.total()};
}

void TransformerStep::use_parameters() {
  if (job_.parallelism.zero != ZeroStage::kParameters || !data_) {
    return;
  }
  while (gathered_.size() <= static_cast<std::size_t>(job_.prefetch) && gather_next()) {
  }
  for (const NodeId node : gathered_.front()) {
    writer_.need(node);
  }
  gathered_.pop_front();
}

// A layer's parameters may come in while the one `prefetch` before it computes: when the one before that has ended.
bool TransformerStep::gather_next() {
  if (gather_pass_ == schedule_.size()) {
    return false;
  }
  const Pass pass = schedule_.at(gather_pass_);
  const LayerRange range = layers_in(pass);
  const bool forward = pass.direction == PassDirection::kForward;
  const std::int64_t layer = range.first + (forward ? gather_turn_ : range.count - 1 - gather_turn_);
  if (++gather_turn_ == range.count) {
    gather_turn_ = 0;
    ++gather_pass_;
  }
  const HeldParameters held = by_group(held_layer_parameters(job_, layer));
  std::vector<NodeId> after;
  if (const NodeId before = writer_.last_compute(); before.is_valid()) {
    after.push_back(before);
  }
  std::vector<NodeId> nodes;
  const auto add = [&](const Group& group, std::int64_t parameters) {
    if (group && parameters > 0) {
      nodes.push_back(writer_.exchange_after({.purpose = Purpose::kParameter,
                                              .stream = kGather,
                                              .group = *group,
                                              .kind = CollectiveKind::kAllGather,
                                              .size = Bytes(parameters * kActivationBytes)},
                                             after));
    }
  };
  add(data_, held.shared);
  add(expert_data_, held.experts);
  gathered_.push_back(std::move(nodes));
  return true;
}

void TransformerStep::layer_gradients(std::int64_t layer, const Pass& pass) {
  const HeldParameters held = held_layer_parameters(job_, layer);
  if (job_.parallelism.zero == ZeroStage::kParameters) {
    reduce(by_group(held));  // nobody has room for all gradients: every micro-batch gives its own away
    return;
  }
  if (pass.micro_batch == generated_micro_batches(job_) - 1) {
    add_gradients(held);
  }
}

void TransformerStep::add_gradients(const HeldParameters& parameters) {
  const HeldParameters added = by_group(parameters);
  bucket_.shared += added.shared;
  bucket_.experts += added.experts;
  const std::int64_t bytes = (bucket_.shared + bucket_.experts) * gradient_bytes(job_.gradients);
  if (job_.reduction == GradientReduction::kOverlapped && bytes >= job_.bucket.count()) {
    reduce_gradients();
  }
}

void TransformerStep::reduce_gradients() {
  reduce(bucket_);
  bucket_ = {};
}

void TransformerStep::reduce(const HeldParameters& parameters) {
  const CollectiveKind kind =
      job_.parallelism.zero == ZeroStage::kNone ? CollectiveKind::kAllReduce : CollectiveKind::kReduceScatter;
  const auto add = [&](const Group& group, std::int64_t count) {
    if (group && count > 0) {
      last_gradients_ = writer_.exchange_after({.purpose = Purpose::kData,
                                                .stream = kData,
                                                .group = *group,
                                                .kind = kind,
                                                .size = Bytes(count * gradient_bytes(job_.gradients))},
                                               {writer_.last_compute()});
    }
  };
  add(data_, parameters.shared);
  add(expert_data_, parameters.experts);
}

void TransformerStep::update_parameters() {
  const Parallelism& p = job_.parallelism;
  if (last_gradients_.is_valid()) {
    writer_.need(last_gradients_);
  }
  if (embedding_) {
    const std::int64_t table = (embedding_parameters(job_.model) + p.tensor - 1) / p.tensor;
    const std::int64_t shares = p.zero == ZeroStage::kNone ? 1 : p.data * p.context;
    writer_.exchange_and_need({.purpose = Purpose::kEmbedding,
                               .stream = kEmbedding,
                               .group = *embedding_,
                               .kind = CollectiveKind::kAllReduce,
                               .size = Bytes(table / shares * gradient_bytes(job_.gradients))});
  }
  const HeldParameters all = by_group(all_);
  const std::int64_t sharers = p.zero == ZeroStage::kNone ? 1 : p.data * p.context;
  const std::int64_t expert_sharers = p.zero == ZeroStage::kNone ? 1 : p.data / p.expert * p.context;
  writer_.compute(optimizer_time(job_, all.shared / sharers + all.experts / expert_sharers, plan_.timer()));
  const std::vector<NodeId> updated = writer_.results();
  if (p.zero != ZeroStage::kOptimizer) {
    return;
  }
  const auto give = [&](const Group& group, std::int64_t parameters) {
    if (group && parameters > 0) {
      writer_.need(writer_.exchange_after({.purpose = Purpose::kParameter,
                                           .stream = kGather,
                                           .group = *group,
                                           .kind = CollectiveKind::kAllGather,
                                           .size = Bytes(parameters * kActivationBytes)},
                                          updated));
    }
  };
  give(data_, all.shared);
  give(expert_data_, all.experts);
}

}  // namespace weft::workload
