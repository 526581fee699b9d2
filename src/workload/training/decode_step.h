// Decoding with tensor parallelism: what inference does for every token, bound by memory and by the latency of small
// all-reduces.
//
// Each rank holds its share of every matrix and of the cache of keys and values. A step makes one token for each
// sequence of the batch: per layer two all-reduces of batch x hidden elements (tens of KiB), at the end an all-gather
// of the vocabulary's shares; the next token waits for it. Replicas work side by side and share nothing but the
// network.
#pragma once

#include "workload/training/gpu_model.h"
#include "workload/training/node_writer.h"

namespace weft::workload {

struct DecodeJob {
  ModelShape model{};
  std::int64_t tensor = 1;
  std::int64_t replicas = 1;
  std::int64_t batch = 1;                  // sequences of a replica
  std::int64_t context = 1;                // tokens in the cache at the first step
  std::uint32_t tokens = 1;                // steps
  Precision precision = Precision::kBf16;  // of weights; activations and cache have 2 bytes
};

class DecodePlan {
 public:
  /// Errors, with the numbers: check_model, check_gpu, ranks that are not tensor x replicas, heads, feed-forward or
  /// experts that tensor does not divide, numbers below 1, weights and cache that do not fit.
  [[nodiscard]] static Result<DecodePlan> make(const DecodeJob& job, const GpuModel& gpu, std::int64_t ranks);

  [[nodiscard]] const DecodeJob& job() const { return job_; }
  [[nodiscard]] const GpuModel& gpu() const { return gpu_; }
  [[nodiscard]] const std::vector<Communicator>& communicators() const { return communicators_; }  // "tp0", ...
  [[nodiscard]] Bytes weights_per_gpu() const;
  [[nodiscard]] Bytes cache_per_gpu() const;  // after the last step

  /// Compute of one layer's two blocks, and of the output layer, with `context` tokens in the cache.
  [[nodiscard]] Duration attention_time(std::int64_t context) const;
  [[nodiscard]] Duration feed_forward_time(std::int64_t layer) const;
  [[nodiscard]] Duration output_time() const;

 private:
  DecodePlan(const DecodeJob& job, const GpuModel& gpu, const GpuTimer& timer);

  DecodeJob job_;
  GpuModel gpu_;
  GpuTimer timer_;
  std::vector<Communicator> communicators_;
};

/// Of a step, which makes a token for every sequence, of this time above 0: tokens of all replicas; and the share of
/// the GPUs' peak that the model's operations make, attention over the cache at the middle of the run included.
[[nodiscard]] double tokens_per_second(const DecodePlan& plan, Duration step);
[[nodiscard]] double model_flops_utilisation(const DecodePlan& plan, Duration step);

class DecodeStep final : public StepGraph {
 public:
  /// The plan must outlive this. A step of the graph's labels is a token.
  DecodeStep(const DecodePlan& plan, RankId rank);

  [[nodiscard]] std::span<const Communicator> communicators() const override { return plan_.communicators(); }
  [[nodiscard]] std::uint32_t streams() const override { return 2; }
  [[nodiscard]] std::optional<GraphNode> next() override;

 private:
  void write_token();
  void exchange(CollectiveKind kind, std::int64_t bytes);

  const DecodePlan& plan_;
  std::optional<Membership> group_;
  NodeWriter writer_{StreamId(0)};
  std::uint32_t token_ = 0;
};

}  // namespace weft::workload
