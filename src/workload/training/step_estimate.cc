#include "workload/training/step_estimate.h"

#include <algorithm>

namespace weft::workload {
namespace {

// Time of one micro-batch on one stage, forward and backward, by what takes it.
struct MicroBatch {
  Duration compute{};
  Duration tensor{};
  Duration context{};
  Duration expert{};
  Duration backward{};  // compute of the backward pass, behind which gradients may hide

  [[nodiscard]] Duration total() const { return compute + tensor + context + expert; }
  MicroBatch& operator+=(const MicroBatch& other) {
    compute += other.compute;
    tensor += other.tensor;
    context += other.context;
    expert += other.expert;
    backward += other.backward;
    return *this;
  }
};

class Estimator {
 public:
  Estimator(const TrainingPlan& plan, const ClusterLinks& links) : plan_(plan), job_(plan.job()), links_(links) {}

  StepEstimate estimate() {
    const Parallelism& p = job_.parallelism;
    const std::int64_t batches = micro_batches(job_);
    MicroBatch slowest;
    MicroBatch sum;
    std::int64_t slowest_stage = 0;
    for (std::int64_t stage = 0; stage < p.pipeline; ++stage) {
      const MicroBatch all = stage_time(stage);
      sum += all;
      if (all.total() > slowest.total()) {
        slowest = all;
        slowest_stage = stage;
      }
    }
    StepEstimate estimate{.compute = batches * slowest.compute,
                          .tensor = batches * slowest.tensor,
                          .context = batches * slowest.context,
                          .expert = batches * slowest.expert};
    estimate.bubble = (sum.total() - slowest.total()) / p.virtual_stages;
    if (p.pipeline > 1) {
      const std::int64_t waits = p.virtual_stages == 1 ? 2 * batches * (p.pipeline - 1) / p.pipeline : 0;
      estimate.pipeline = (waits + 2 * (p.pipeline - 1)) * boundary_time();
    }
    add_update(slowest, slowest_stage, estimate);
    return estimate;
  }

 private:
  [[nodiscard]] GroupSpan span(GroupKind kind, std::int64_t stage) const {
    RankCoordinates at;
    at.at[static_cast<std::size_t>(Axis::kPipeline)] = stage;
    const auto found = plan_.groups().find(kind, rank_at(job_.parallelism, at));
    return found ? span_of(plan_.groups().communicators()[found->communicator.value()], links_) : GroupSpan{};
  }

  [[nodiscard]] Duration time(const GroupSpan& group, CollectiveKind kind, std::int64_t bytes) const {
    return collective_time(links_, group, {.kind = kind, .size = Bytes(bytes)});
  }

  // The sum of activations that begins and ends a block takes as long in two halves as in one piece.
  [[nodiscard]] Duration block_sum(std::int64_t stage) const {
    const std::int64_t bytes = tokens_per_micro_batch(job_) * job_.model.hidden * kActivationBytes;
    return time(span(GroupKind::kTensor, stage), CollectiveKind::kAllReduce, bytes);
  }

  [[nodiscard]] Duration context_time(std::int64_t stage) const {
    const std::int64_t shares = job_.model.latent ? 1 : std::min(job_.parallelism.tensor, job_.model.kv_heads);
    const std::int64_t bytes =
        tokens_per_micro_batch(job_) * job_.parallelism.context * kv_elements(job_.model) / shares * kActivationBytes;
    // Gathered forward and again for backward (or its recomputation), gradients scattered.
    return 3 * time(span(GroupKind::kContext, stage), CollectiveKind::kAllGather, bytes);
  }

  [[nodiscard]] Duration expert_time(std::int64_t stage) const {
    const std::int64_t bytes = tokens_per_micro_batch(job_) / job_.parallelism.tensor * job_.model.experts->active *
                               job_.model.hidden * kActivationBytes;
    const GroupSpan group = span(GroupKind::kExpert, stage);
    const Duration plain = time(group, CollectiveKind::kAllToAll, bytes);
    const Duration out =
        time(group, CollectiveKind::kAllToAll, job_.expert_dispatch == Precision::kFp8 ? bytes / 2 : bytes);
    const bool again = job_.recomputation == Recomputation::kFull;
    return (again ? 2 : 1) * (out + plain) + 2 * plain;
  }

  [[nodiscard]] MicroBatch layer_time(std::int64_t stage, std::int64_t layer) const {
    const LayerTimes& times = plan_.times_of_layer(layer);
    const PartTime total = times.total();
    const bool full = job_.recomputation == Recomputation::kFull;
    MicroBatch all{.compute = total.forward + total.backward};
    if (full) {
      all.compute += total.forward;
    } else if (job_.recomputation == Recomputation::kSelective) {
      all.compute += times.attention_core.forward;
    }
    all.backward = all.compute - total.forward;
    const bool experts = has_experts(job_.model, layer);
    // Two blocks each way; what stands for the dense one with experts gathers and scatters routed tokens.
    const std::int64_t passes = full ? 3 : 2;
    all.tensor = passes * (experts ? 1 : 2) * block_sum(stage);
    if (experts) {
      const std::int64_t routed = tokens_per_micro_batch(job_) * job_.model.experts->active * job_.model.hidden;
      const GroupSpan tensor = span(GroupKind::kTensor, stage);
      all.tensor += passes * time(tensor, CollectiveKind::kAllReduce, routed * kActivationBytes);
      all.expert = expert_time(stage);
    }
    all.context = context_time(stage);
    return all;
  }

  [[nodiscard]] MicroBatch stage_time(std::int64_t stage) const {
    const Parallelism& p = job_.parallelism;
    MicroBatch all;
    for (std::int64_t chunk = 0; chunk < p.virtual_stages; ++chunk) {
      const LayerRange range = layers_of(job_, {.stage = stage, .chunk = chunk});
      for (std::int64_t layer = range.first; layer < range.first + range.count; ++layer) {
        all += layer_time(stage, layer);
      }
    }
    const auto add_end = [&](const PartTime& end) {
      all += {.compute = end.forward + end.backward, .tensor = block_sum(stage), .backward = end.backward};
    };
    if (stage == 0) {
      add_end(plan_.embedding());
    }
    if (stage == p.pipeline - 1) {
      add_end(plan_.output());
    }
    return all;
  }

  [[nodiscard]] Duration boundary_time() const {
    const Parallelism& p = job_.parallelism;
    const std::int64_t bytes = tokens_per_micro_batch(job_) * job_.model.hidden * kActivationBytes;
    const bool splits = p.sequence == SequenceParallel::kOn;
    const bool shares = splits || job_.scatter_gather == ScatterGather::kOn;
    GroupSpan pair = span(GroupKind::kPipelineForward, 0);
    Duration sum = time(pair, CollectiveKind::kSend, bytes / (shares ? p.tensor : 1));
    if (shares && !splits) {
      sum += time(span(GroupKind::kTensor, 0), CollectiveKind::kAllGather, bytes);
    }
    return sum;
  }

  void add_update(const MicroBatch& slowest, std::int64_t stage, StepEstimate& estimate) const {
    const Parallelism& p = job_.parallelism;
    HeldParameters held = held_parameters(job_, stage);
    if (p.expert == 1) {
      held = {.shared = held.total()};
    }
    const GroupSpan data = span(GroupKind::kData, stage);
    const GroupSpan replicas = span(GroupKind::kExpertData, stage);
    const auto both = [&](CollectiveKind kind, std::int64_t bytes) {
      return time(data, kind, held.shared * bytes) + time(replicas, kind, held.experts * bytes);
    };
    const auto least = [&](CollectiveKind kind, std::int64_t bytes) {
      return least_time(links_, data, {.kind = kind, .size = Bytes(held.shared * bytes)}) +
             least_time(links_, replicas, {.kind = kind, .size = Bytes(held.experts * bytes)});
    };
    const std::int64_t gradient = gradient_bytes(job_.gradients);
    const bool whole = p.zero == ZeroStage::kNone;
    if (p.zero == ZeroStage::kParameters) {
      // Both take turns on one communicator; what compute does not hide is left, and the last scatter in any case.
      const Duration gathers = both(CollectiveKind::kAllGather, kActivationBytes);
      const Duration scatters = both(CollectiveKind::kReduceScatter, gradient);
      const Duration forward = slowest.compute - slowest.backward;
      const Duration last = scatters * 2 / job_.model.layers;
      estimate.data = last + micro_batches(job_) * (std::max(Duration::zero(), gathers - forward) +
                                                    std::max(Duration::zero(), gathers + scatters - slowest.backward));
      estimate.data_links = micro_batches(job_) * (2 * least(CollectiveKind::kAllGather, kActivationBytes) +
                                                   least(CollectiveKind::kReduceScatter, gradient));
    } else {
      const CollectiveKind sums = whole ? CollectiveKind::kAllReduce : CollectiveKind::kReduceScatter;
      const Duration all = both(sums, gradient);
      estimate.data_links = least(sums, gradient);
      const std::int64_t bytes = (held.shared + held.experts) * gradient;
      const std::int64_t buckets = std::max((bytes + job_.bucket.count() - 1) / job_.bucket.count(), std::int64_t{1});
      const bool overlaps = job_.reduction == GradientReduction::kOverlapped;
      const Duration hidden = overlaps ? slowest.backward * (buckets - 1) / buckets : Duration::zero();
      estimate.data = std::max(overlaps ? all / buckets : all, all - hidden);
    }
    if (p.zero == ZeroStage::kOptimizer) {
      estimate.data += both(CollectiveKind::kAllGather, kActivationBytes);
      estimate.data_links += least(CollectiveKind::kAllGather, kActivationBytes);
    }
    const std::int64_t sharers = whole ? 1 : p.data * p.context;
    if (p.pipeline > 1 && job_.model.embeddings == Embeddings::kTied) {
      estimate.data += time(span(GroupKind::kEmbedding, 0), CollectiveKind::kAllReduce,
                            embedding_parameters(job_.model) / p.tensor / sharers * gradient);
    }
    const std::int64_t expert_sharers = whole ? 1 : std::max(sharers / p.expert, std::int64_t{1});
    estimate.optimizer = optimizer_time(job_, held.shared / sharers + held.experts / expert_sharers, plan_.timer());
  }

  const TrainingPlan& plan_;
  const TrainingJob& job_;
  const ClusterLinks& links_;
};

}  // namespace

Result<StepEstimate> estimate_step(const TrainingPlan& plan, const ClusterLinks& links) {
  if (auto checked = check_links(links); !checked) {
    return pass_on(checked);
  }
  return Estimator(plan, links).estimate();
}

}  // namespace weft::workload
