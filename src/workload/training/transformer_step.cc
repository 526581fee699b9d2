#include "workload/training/transformer_step.h"

#include "workload/training/transformer_streams.h"

namespace weft::workload {

using namespace transformer;

TransformerStep::TransformerStep(const TrainingPlan& plan, RankId rank)
    : plan_(plan),
      job_(plan.job()),
      at_(coordinates_of(job_.parallelism, rank)),
      stage_(at_[Axis::kPipeline]),
      schedule_({.stages = job_.parallelism.pipeline,
                 .stage = stage_,
                 .chunks = job_.parallelism.virtual_stages,
                 .micro_batches = generated_micro_batches(job_)}),
      tensor_(plan.groups().find(GroupKind::kTensor, rank)),
      context_(plan.groups().find(GroupKind::kContext, rank)),
      expert_(plan.groups().find(GroupKind::kExpert, rank)),
      data_(plan.groups().find(GroupKind::kData, rank)),
      expert_data_(plan.groups().find(GroupKind::kExpertData, rank)),
      forward_(plan.groups().find(GroupKind::kPipelineForward, rank)),
      backward_(plan.groups().find(GroupKind::kPipelineBackward, rank)),
      embedding_(plan.groups().find(GroupKind::kEmbedding, rank)),
      writer_(kCompute) {
  all_.shared = held_end_parameters(job_, stage_);
  for (std::int64_t chunk = 0; chunk < job_.parallelism.virtual_stages; ++chunk) {
    const LayerRange range = generated_layers_of(job_, {.stage = stage_, .chunk = chunk});
    for (std::int64_t layer = range.first; layer < range.first + range.count; ++layer) {
      const auto held = held_layer_parameters(job_, layer);
      all_.shared += held.shared;
      all_.experts += held.experts;
    }
  }
}

std::uint32_t TransformerStep::streams() const { return kStreams; }

std::optional<GraphNode> TransformerStep::next() {
  while (writer_.empty() && step_ < job_.steps) {
    write_more();
  }
  return writer_.take();
}

void TransformerStep::write_more() {
  if (pass_ < 0) {
    begin_step();
    pass_ = 0;
    return;
  }
  if (pass_ < schedule_.size()) {
    write_pass(schedule_.at(pass_));
    ++pass_;
    return;
  }
  end_step();
  pass_ = -1;
  ++step_;
}

void TransformerStep::begin_step() {
  gather_pass_ = 0;
  gather_turn_ = 0;
  last_gradients_ = NodeId();
  writer_.set_label({.purpose = Purpose::kForward, .step = static_cast<std::uint16_t>(step_)});
  const std::int64_t ends = held_end_parameters(job_, stage_);
  if (job_.parallelism.zero == ZeroStage::kParameters && data_ && ends > 0) {
    writer_.exchange_and_need({.purpose = Purpose::kParameter,
                               .stream = kGather,
                               .group = *data_,
                               .kind = CollectiveKind::kAllGather,
                               .size = Bytes(ends * kActivationBytes)});
  }
}

LayerRange TransformerStep::layers_in(const Pass& pass) const {
  return generated_layers_of(job_, {.stage = stage_, .chunk = pass.chunk});
}

bool TransformerStep::is_first(const Pass& pass) const { return stage_ == 0 && pass.chunk == 0; }

bool TransformerStep::is_last(const Pass& pass) const {
  return stage_ == job_.parallelism.pipeline - 1 && pass.chunk == job_.parallelism.virtual_stages - 1;
}

void TransformerStep::write_pass(const Pass& pass) {
  const bool forward = pass.direction == PassDirection::kForward;
  writer_.set_label({.purpose = forward ? Purpose::kForward : Purpose::kBackward,
                     .chunk = static_cast<std::uint8_t>(pass.chunk),
                     .step = static_cast<std::uint16_t>(step_),
                     .micro_batch = static_cast<std::uint16_t>(pass.micro_batch)});
  if (forward) {
    forward_pass(pass);
  } else {
    backward_pass(pass);
  }
}

void TransformerStep::forward_pass(const Pass& pass) {
  if (is_first(pass)) {
    embedding_forward();
  } else {
    receive(PassDirection::kForward);
  }
  const LayerRange range = layers_in(pass);
  for (std::int64_t layer = range.first; layer < range.first + range.count; ++layer) {
    layer_forward(layer);
  }
  if (is_last(pass)) {
    output_forward();
  } else {
    send(PassDirection::kForward);
  }
}

void TransformerStep::backward_pass(const Pass& pass) {
  if (is_last(pass)) {
    output_backward(pass);
  } else {
    receive(PassDirection::kBackward);
  }
  const LayerRange range = layers_in(pass);
  for (std::int64_t layer = range.first + range.count - 1; layer >= range.first; --layer) {
    layer_backward(layer);
    layer_gradients(layer, pass);
  }
  if (is_first(pass)) {
    embedding_backward(pass);
  } else {
    send(PassDirection::kBackward);
  }
  const bool ends_chunk = pass.micro_batch == generated_micro_batches(job_) - 1;
  if (ends_chunk && job_.reduction == GradientReduction::kOverlapped) {
    reduce_gradients();
  }
}

void TransformerStep::receive(PassDirection direction) {
  const bool forward = direction == PassDirection::kForward;
  const std::int64_t stages = job_.parallelism.pipeline;
  const std::int64_t from = (stage_ + (forward ? stages - 1 : 1)) % stages;
  const std::int64_t elements = tokens_per_micro_batch(job_) * job_.model.hidden;
  const bool gathers = tensor_ && !splits_sequence() && job_.scatter_gather == ScatterGather::kOn;
  const bool shares = gathers || splits_sequence();
  const NodeId received =
      writer_.exchange_after({.purpose = Purpose::kPipeline,
                              .stream = forward ? kReceiveForward : kReceiveBackward,
                              .group = forward ? *forward_ : *backward_,
                              .kind = CollectiveKind::kReceive,
                              .size = Bytes(elements * kActivationBytes / (shares ? job_.parallelism.tensor : 1)),
                              .peer = MemberIndex(static_cast<std::uint32_t>(from))},
                             {});
  if (!gathers) {
    writer_.need(received);
    return;
  }
  writer_.need(writer_.exchange_after({.purpose = Purpose::kTensor,
                                       .stream = kTensor,
                                       .group = *tensor_,
                                       .kind = CollectiveKind::kAllGather,
                                       .size = Bytes(elements * kActivationBytes)},
                                      {received}));
}

void TransformerStep::send(PassDirection direction) {
  const bool forward = direction == PassDirection::kForward;
  const std::int64_t stages = job_.parallelism.pipeline;
  const std::int64_t to = (stage_ + (forward ? 1 : stages - 1)) % stages;
  const bool shares = splits_sequence() || job_.scatter_gather == ScatterGather::kOn;
  const std::int64_t elements = tokens_per_micro_batch(job_) * job_.model.hidden;
  writer_.exchange_results({.purpose = Purpose::kPipeline,
                            .stream = forward ? kSendForward : kSendBackward,
                            .group = forward ? *forward_ : *backward_,
                            .kind = CollectiveKind::kSend,
                            .size = Bytes(elements * kActivationBytes / (shares ? job_.parallelism.tensor : 1)),
                            .peer = MemberIndex(static_cast<std::uint32_t>(to))});
}

void TransformerStep::embedding_forward() {
  writer_.compute(plan_.embedding().forward);
  block_ends_forward();  // every rank looked up its share of the vocabulary
}

void TransformerStep::output_forward() {
  block_begins();
  writer_.compute(plan_.output().forward);
  // The largest logit, the sum of exponentials and the right word's logit of every token, over the vocabulary's shares.
  for (int i = 0; i < 3; ++i) {
    tensor({.kind = CollectiveKind::kAllReduce, .elements = tokens_per_micro_batch(job_) * 2});
  }
}

void TransformerStep::output_backward(const Pass& pass) {
  writer_.compute(plan_.output().backward);
  block_ends_backward();
  if (!is_first(pass) && pass.micro_batch == generated_micro_batches(job_) - 1) {
    add_gradients({.shared = held_end_parameters(job_, stage_)});
  }
}

void TransformerStep::embedding_backward(const Pass& pass) {
  block_begins();
  writer_.compute(plan_.embedding().backward);
  if (pass.micro_batch == generated_micro_batches(job_) - 1) {
    add_gradients({.shared = held_end_parameters(job_, stage_)});
  }
}

void TransformerStep::end_step() {
  writer_.set_label({.purpose = Purpose::kOptimizer, .step = static_cast<std::uint16_t>(step_)});
  reduce_gradients();
  update_parameters();
}

}  // namespace weft::workload
