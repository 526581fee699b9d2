// The graph of one rank of a training job: passes in the order of the pipeline's schedule, and between them every
// message that the parallelism asks for.
//
// Per layer: tensor-parallel all-reduces (or, with sequence parallelism, all-gathers and reduce-scatters), keys and
// values of context ranks, tokens to experts and back. Per pass: activations or gradients over the stage's boundaries.
// Per step: gradients in buckets, behind the last micro-batch's backward pass or at its end; the embedding's gradient
// between first and last stage; the optimiser; parameters, where ZeRO shares them out. Not written: gradient clipping,
// the second all-gather of activations in a backward pass with sequence parallelism (it hides behind a product), the
// overlap of a tensor-parallel all-reduce with the weights' product, and uneven use of experts.
#pragma once

#include <memory>

#include "workload/training/node_writer.h"
#include "workload/training/pipeline_schedule.h"
#include "workload/training/training_plan.h"

namespace weft::workload {

class TransformerStep final : public StepGraph {
 public:
  /// The plan must outlive this; the rank is one of its job's.
  TransformerStep(const TrainingPlan& plan, RankId rank);

  [[nodiscard]] std::span<const Communicator> communicators() const override { return plan_.groups().communicators(); }
  [[nodiscard]] std::uint32_t streams() const override;
  [[nodiscard]] std::optional<GraphNode> next() override;

 private:
  using Group = std::optional<Membership>;
  struct Tensor {
    CollectiveKind kind{};
    std::int64_t elements = 0;
  };

  void write_more();
  void begin_step();
  void write_pass(const Pass& pass);
  void end_step();

  void forward_pass(const Pass& pass);
  void backward_pass(const Pass& pass);
  void receive(PassDirection direction);
  void send(PassDirection direction);
  void embedding_forward();
  void output_forward();
  void embedding_backward(const Pass& pass);
  void output_backward(const Pass& pass);

  // transformer_step_layers.cc
  void layer_forward(std::int64_t layer);
  void layer_backward(std::int64_t layer);
  void experts_forward(const LayerTimes& times);
  void experts_backward(const LayerTimes& times);
  void attention_backward(const LayerTimes& times);
  void block_begins();        // activations gathered, with sequence parallelism
  void block_ends_forward();  // activations summed
  void block_ends_backward();
  void tensor(const Tensor& what);
  void context(CollectiveKind kind);
  [[nodiscard]] std::optional<NodeId> to_experts(Precision precision);

  // transformer_step_data.cc
  void use_parameters();
  [[nodiscard]] bool gather_next();
  void layer_gradients(std::int64_t layer, const Pass& pass);
  void add_gradients(const HeldParameters& parameters);
  void reduce_gradients();
  void reduce(const HeldParameters& parameters);
  void update_parameters();
  [[nodiscard]] HeldParameters by_group(const HeldParameters& parameters) const;

  [[nodiscard]] LayerRange layers_in(const Pass& pass) const;
  [[nodiscard]] bool is_first(const Pass& pass) const;  // the model begins with this chunk
  [[nodiscard]] bool is_last(const Pass& pass) const;
  [[nodiscard]] bool splits_sequence() const { return job_.parallelism.sequence == SequenceParallel::kOn; }

  const TrainingPlan& plan_;
  const TrainingJob& job_;
  RankCoordinates at_;
  std::int64_t stage_;
  PipelineSchedule schedule_;
  Group tensor_, context_, expert_, data_, expert_data_, forward_, backward_, embedding_;
  NodeWriter writer_;

  std::uint32_t step_ = 0;
  std::int64_t pass_ = -1;                    // next one of the step; -1: it has not begun
  HeldParameters bucket_{};                   // gradients that are ready and not on their way
  HeldParameters all_{};                      // generated ones of this stage
  NodeId last_gradients_{};                   // on their way
  std::deque<std::vector<NodeId>> gathered_;  // ZeRO-3: for the uses that come next
  std::int64_t gather_pass_ = 0;              // whose layers are gathered next
  std::int64_t gather_turn_ = 0;              // and which of them, in the pass's order
};

}  // namespace weft::workload
