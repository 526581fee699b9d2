#include "workload/training/transformer_step.h"

#include <gtest/gtest.h>

#include <set>

#include "workload/training/known_models.h"
#include "workload/training/test_cluster.h"

namespace weft::workload {
namespace {

using test::TestCluster;

GpuModel gpu() {
  return {.name = "test",
          .bf16_flops_per_second = 312'000'000'000'000,
          .fp8_flops_per_second = 0,
          .memory = 80_gb,
          .memory_rate = 16'000_gbps};
}

ModelShape small_gpt() {
  ModelShape model = test::gpt(8, 1024, 16);
  model.vocabulary = 1024;
  model.sequence = 512;
  return model;
}

CollectiveCost constant(Duration cost) {
  return [cost](const CostedOperation&) { return cost; };
}

CollectiveCost by_bytes(Rate rate) {
  return [rate](const CostedOperation& operation) {
    return rate.transmit_time(volume_sent(operation.request, operation.communicator.members.size()));
  };
}

struct JobRun {
  std::unique_ptr<TrainingPlan> plan;
  std::unique_ptr<TestCluster> cluster;
  Duration time{};
};

JobRun run_job(const TrainingJob& job, CollectiveCost cost, const TestCluster::Options& options = {}) {
  JobRun run;
  const auto ranks = job.parallelism.world();
  auto plan = TrainingPlan::make(job, gpu(), ranks);
  if (!plan) {
    ADD_FAILURE() << plan.error().message;
    return run;
  }
  run.plan = std::make_unique<TrainingPlan>(*std::move(plan));
  run.cluster = std::make_unique<TestCluster>(static_cast<std::uint32_t>(ranks), std::move(cost));
  auto time =
      run.cluster->run([&](RankId rank) { return std::make_unique<TransformerStep>(*run.plan, rank); }, options);
  if (!time) {
    ADD_FAILURE() << time.error().message;
    return run;
  }
  run.time = *time;
  return run;
}

Bytes sent(const JobRun& run, std::uint32_t rank, Purpose purpose) {
  return run.cluster->totals(rank).sent[static_cast<std::size_t>(purpose)];
}

TEST(TransformerStep, OfOneRankIsTheSumOfItsCompute) {
  const JobRun one = run_job({.model = small_gpt(), .batch = {.global = 4, .micro = 2}}, constant(1_s));
  const auto& plan = *one.plan;
  const LayerTimes& times = plan.times_of_layer(0);
  const PartTime layer = times.total();
  const Duration micro_batch = 8 * (layer.forward + layer.backward) + plan.embedding().forward +
                               plan.embedding().backward + plan.output().forward + plan.output().backward;
  const Duration update = optimizer_time(plan.job(), parameter_count(plan.job().model), plan.timer());
  EXPECT_EQ(one.time, 2 * micro_batch + update);
}

TEST(TransformerStep, RecomputationAddsWhatItComputesAgain) {
  TrainingJob job{.model = small_gpt(), .batch = {.global = 2, .micro = 2}};
  const JobRun none = run_job(job, constant({}));
  job.recomputation = Recomputation::kSelective;
  const JobRun selective = run_job(job, constant({}));
  job.recomputation = Recomputation::kFull;
  const JobRun full = run_job(job, constant({}));
  const LayerTimes& times = none.plan->times_of_layer(0);
  EXPECT_EQ(selective.time - none.time, 8 * times.attention_core.forward);
  EXPECT_EQ(full.time - none.time, 8 * times.total().forward);
}

// Facts of the papers: per layer and micro-batch four all-reduces of b s h, each 2 (t-1)/t of it.
TEST(TransformerStep, TensorParallelVolumeIsFourAllReducesPerLayerWithOrWithoutSequenceParallelism) {
  constexpr std::int64_t t = 4;
  const auto volume_of = [&](std::int64_t layers, SequenceParallel sequence) {
    ModelShape model = small_gpt();
    model.layers = layers;
    const JobRun r = run_job(
        {.model = model, .parallelism = {.tensor = t, .sequence = sequence}, .batch = {.global = 3}}, constant(1_us));
    return sent(r, 0, Purpose::kTensor);
  };
  const ModelShape model = small_gpt();
  const Bytes activations(model.sequence * model.hidden * 2);
  for (const auto sequence : {SequenceParallel::kOff, SequenceParallel::kOn}) {
    const Bytes per_layer = (volume_of(8, sequence) - volume_of(4, sequence)) / (4 * 3);
    EXPECT_EQ(per_layer, 4 * (2 * (activations * (t - 1) / t)));
  }
}

TEST(TransformerStep, PipelineVolumeIsOneActivationEachWayPerBoundaryAndMicroBatch) {
  const ModelShape model = small_gpt();
  const Bytes activations(model.sequence * model.hidden * 2);
  const JobRun r = run_job({.model = model, .parallelism = {.pipeline = 4}, .batch = {.global = 6}}, constant(1_us));
  EXPECT_EQ(sent(r, 0, Purpose::kPipeline), 6 * activations);
  EXPECT_EQ(sent(r, 1, Purpose::kPipeline), 2 * 6 * activations);
  EXPECT_EQ(sent(r, 3, Purpose::kPipeline), 6 * activations);
}

TEST(TransformerStep, ScatterGatherSendsAShareAndGathersIt) {
  const ModelShape model = small_gpt();
  TrainingJob job{.model = model, .parallelism = {.tensor = 2, .pipeline = 2}, .batch = {.global = 4}};
  const JobRun on = run_job(job, constant(1_us));
  job.scatter_gather = ScatterGather::kOff;
  const JobRun off = run_job(job, constant(1_us));
  const Bytes activations(model.sequence * model.hidden * 2);
  EXPECT_EQ(sent(off, 0, Purpose::kPipeline), 4 * activations);
  EXPECT_EQ(sent(on, 0, Purpose::kPipeline), 4 * activations / 2);
  // Stage 0 gathers the gradients it gets, stage 1 the activations: half of them come from the other rank.
  EXPECT_EQ(sent(on, 0, Purpose::kTensor) - sent(off, 0, Purpose::kTensor), 4 * activations / 2);
}

TEST(TransformerStep, InterleavedBoundariesMultiplyByTheChunks) {
  const ModelShape model = small_gpt();
  const Bytes activations(model.sequence * model.hidden * 2);
  const JobRun r = run_job(
      {.model = model, .parallelism = {.pipeline = 2, .virtual_stages = 4}, .batch = {.global = 4}}, constant(1_us));
  // 8 chunks in a row have 7 boundaries; stage 0 sends over 4 of them forward and 3 backward.
  EXPECT_EQ(sent(r, 0, Purpose::kPipeline), 4 * (4 + 3) * activations);
}

TEST(TransformerStep, GradientVolumeIsTwiceTheParametersHowEverTheyTravel) {
  constexpr std::int64_t n = 4;
  TrainingJob job{.model = small_gpt(), .parallelism = {.data = n}, .batch = {.global = 8}, .bucket = 4_mb};
  const Bytes parameters(parameter_count(job.model));
  const JobRun overlapped = run_job(job, constant(1_us));
  const auto buckets = overlapped.cluster->totals(0).operations[static_cast<std::size_t>(Purpose::kData)];
  EXPECT_GT(buckets, 4U);
  const auto near = [&](Bytes volume, Bytes expected) {
    EXPECT_LE(expected - volume, Bytes(static_cast<std::int64_t>(2 * buckets)));  // each is rounded down
    EXPECT_GE(expected, volume);
  };
  near(sent(overlapped, 0, Purpose::kData), 2 * (4 * parameters * (n - 1) / n));
  job.reduction = GradientReduction::kAtEnd;
  const JobRun at_end = run_job(job, constant(1_us));
  EXPECT_EQ(at_end.cluster->totals(0).operations[static_cast<std::size_t>(Purpose::kData)], 1U);
  near(sent(at_end, 0, Purpose::kData), 2 * (4 * parameters * (n - 1) / n));
  // ZeRO-1: gradients are scattered, updated parameters gathered; with gradients in bf16 as much as an all-reduce.
  job.parallelism.zero = ZeroStage::kOptimizer;
  job.gradients = GradientType::kBf16;
  const JobRun zero1 = run_job(job, constant(1_us));
  near(sent(zero1, 0, Purpose::kData) + sent(zero1, 0, Purpose::kParameter), 2 * (2 * parameters * (n - 1) / n));
}

TEST(TransformerStep, Zero3GathersEveryLayerTwiceAndScattersItOncePerMicroBatch) {
  constexpr std::int64_t n = 2;
  constexpr std::int64_t batches = 3;
  TrainingJob job{.model = small_gpt(),
                  .parallelism = {.data = n, .zero = ZeroStage::kParameters},
                  .batch = {.global = n * batches},
                  .gradients = GradientType::kBf16};
  const JobRun r = run_job(job, constant(1_us));
  const std::int64_t layer = layer_parameters(job.model, 0).total();
  const std::int64_t ends = parameter_count(job.model) - 8 * layer;
  EXPECT_EQ(sent(r, 0, Purpose::kParameter), Bytes((batches * 2 * 8 * layer + ends) * 2 * (n - 1) / n));
  EXPECT_EQ(sent(r, 0, Purpose::kData), Bytes((batches * 8 * layer + ends) * 2 * (n - 1) / n));
}

TEST(TransformerStep, Zero3GathersUnequalChunksInTheirOrder) {
  ModelShape model = small_gpt();
  model.layers = 6;
  model.embeddings = Embeddings::kSeparate;
  TrainingJob job{.model = model,
                  .parallelism = {.pipeline = 2,
                                  .data = 2,
                                  .virtual_stages = 2,
                                  .zero = ZeroStage::kParameters,
                                  .split = LayerSplit::kEndsAreLayers},
                  .batch = {.global = 8},
                  .gradients = GradientType::kBf16,
                  .prefetch = 2};
  const JobRun r = run_job(job, constant(1_us));
  const std::int64_t layer = layer_parameters(model, 0).total();
  // Stage 0 has layers 0, 2 and 3 (a chunk of one, a chunk of two), each twice in each of 4 micro-batches.
  EXPECT_EQ(sent(r, 0, Purpose::kParameter), Bytes(4 * 2 * 3 * layer + held_end_parameters(job, 0)));
}

TEST(TransformerStep, Zero3HidesGathersBehindTheLayerBefore) {
  TrainingJob job{
      .model = small_gpt(), .parallelism = {.data = 2, .zero = ZeroStage::kParameters}, .batch = {.global = 2}};
  // A layer's compute is longer than this, so only the root's gather and the first layer's are waited for.
  const Duration cost = 20_us;
  const auto gathers = [&](const CostedOperation& operation) {
    return operation.request.kind == CollectiveKind::kAllGather ? cost : Duration::zero();
  };
  ASSERT_GT(run_job(job, constant({})).plan->times_of_layer(0).total().forward, cost);
  EXPECT_EQ(run_job(job, gathers).time - run_job(job, constant({})).time, 2 * cost);
}

TEST(TransformerStep, ExpertVolumeIsFourTimesTheRoutedTokensThatLeave) {
  ModelShape model = small_gpt();
  model.style = BlockStyle::kLlama;
  model.embeddings = Embeddings::kSeparate;
  model.experts = Experts{.count = 8, .active = 2, .shared = 1, .hidden = 512, .dense_first = 2};
  TrainingJob job{.model = model, .parallelism = {.data = 4, .expert = 4}, .batch = {.global = 8, .micro = 2}};
  const Bytes routed(2 * model.sequence * 2 * model.hidden * 2);
  const JobRun r = run_job(job, constant(1_us));
  EXPECT_EQ(sent(r, 0, Purpose::kExpert), 6 * (4 * (routed * 3 / 4)));
  job.expert_dispatch = Precision::kFp8;
  const JobRun fp8 = run_job(job, constant(1_us));
  EXPECT_EQ(sent(fp8, 0, Purpose::kExpert), 6 * (3 * (routed * 3 / 4) + routed / 2 * 3 / 4));
  // Experts are nobody's replicas here: only the rest is reduced.
  std::int64_t shared = parameter_count(model);
  for (std::int64_t layer = 2; layer < 8; ++layer) {
    shared -= layer_parameters(model, layer).experts;
  }
  EXPECT_EQ(sent(r, 0, Purpose::kData), 2 * (Bytes(shared * 4) * 3 / 4));
}

TEST(TransformerStep, ContextParallelRanksGatherKeysAndValuesTwiceAndScatterTheirGradients) {
  ModelShape model = small_gpt();
  constexpr std::int64_t c = 4;
  const JobRun r = run_job({.model = model, .parallelism = {.context = c}, .batch = {.global = 2}}, constant(1_us));
  const Bytes keys_and_values(model.sequence * 2 * model.hidden * 2);
  EXPECT_EQ(sent(r, 0, Purpose::kContext), 2 * 8 * (3 * (keys_and_values * (c - 1) / c)));
}

TEST(TransformerStep, TiedEmbeddingsAreSummedBetweenFirstAndLastStage) {
  TrainingJob job{.model = small_gpt(), .parallelism = {.tensor = 2, .pipeline = 4}, .batch = {.global = 4}};
  const JobRun r = run_job(job, constant(1_us));
  const Bytes table(embedding_parameters(job.model) / 2 * 4);
  EXPECT_EQ(sent(r, 0, Purpose::kEmbedding), table);  // 2 x S x (2-1)/2
  EXPECT_EQ(sent(r, 2, Purpose::kEmbedding), Bytes::zero());
  EXPECT_EQ(sent(r, 6, Purpose::kEmbedding), table);
}

// One graph for each stage: uniform passes and nothing else.
class UniformPipeline final : public StepGraph {
 public:
  struct Shape {
    PipelineShape pipeline{};
    PartTime pass{};
    const RankGroups* groups = nullptr;
  };
  explicit UniformPipeline(const Shape& shape) : shape_(shape), schedule_(shape.pipeline) {
    const RankId self(static_cast<std::uint32_t>(shape.pipeline.stage));
    forward_ = *shape.groups->find(GroupKind::kPipelineForward, self);
    backward_ = *shape.groups->find(GroupKind::kPipelineBackward, self);
  }

  [[nodiscard]] std::span<const Communicator> communicators() const override { return shape_.groups->communicators(); }
  [[nodiscard]] std::uint32_t streams() const override { return 5; }
  [[nodiscard]] std::optional<GraphNode> next() override {
    while (writer_.empty() && index_ < schedule_.size()) {
      write(schedule_.at(index_++));
    }
    return writer_.take();
  }

 private:
  void write(const Pass& pass) {
    const bool forward = pass.direction == PassDirection::kForward;
    const std::int64_t last = shape_.pipeline.chunks * shape_.pipeline.stages - 1;
    const std::int64_t place = pass.chunk * shape_.pipeline.stages + shape_.pipeline.stage;
    if (place != (forward ? 0 : last)) {
      writer_.need(writer_.exchange_after(exchange(CollectiveKind::kReceive, forward, forward ? -1 : 1), {}));
    }
    writer_.compute(forward ? shape_.pass.forward : shape_.pass.backward);
    const auto results = writer_.results();
    if (place != (forward ? last : 0)) {
      writer_.exchange_after(exchange(CollectiveKind::kSend, forward, forward ? 1 : -1), results);
    }
  }
  [[nodiscard]] Exchange exchange(CollectiveKind kind, bool forward, std::int64_t step) const {
    const std::int64_t stages = shape_.pipeline.stages;
    const std::uint32_t stream = (kind == CollectiveKind::kSend ? 1U : 3U) + (forward ? 0U : 1U);
    return {.purpose = Purpose::kPipeline,
            .stream = StreamId(stream),
            .group = forward ? forward_ : backward_,
            .kind = kind,
            .size = Bytes(1),
            .peer = MemberIndex(static_cast<std::uint32_t>((shape_.pipeline.stage + step + stages) % stages))};
  }

  Shape shape_;
  PipelineSchedule schedule_;
  Membership forward_, backward_;
  NodeWriter writer_{StreamId(0)};
  std::int64_t index_ = 0;
};

TEST(TransformerStep, PipelineBubbleIsExactlyStagesLessOneOverMicroBatchesTimesChunks) {
  for (const std::int64_t stages : {2, 4, 8}) {
    for (const std::int64_t chunks : {1, 2, 3}) {
      for (const std::int64_t batches : {stages, 3 * stages}) {
        const RankGroups groups({.pipeline = stages}, Embeddings::kSeparate);
        const PartTime pass{.forward = 3_us, .backward = 6_us};
        TestCluster cluster(static_cast<std::uint32_t>(stages), constant({}));
        const auto time = cluster.run([&](RankId rank) {
          return std::make_unique<UniformPipeline>(UniformPipeline::Shape{
              .pipeline = {.stages = stages, .stage = rank.value(), .chunks = chunks, .micro_batches = batches},
              .pass = pass,
              .groups = &groups});
        });
        ASSERT_TRUE(time);
        const Duration busy = batches * chunks * (pass.forward + pass.backward);
        // Bubble / busy = (p - 1) / (m v).
        EXPECT_EQ((*time - busy) * (batches * chunks), busy * (stages - 1))
            << stages << " " << chunks << " " << batches;
      }
    }
  }
}

TEST(TransformerStep, IsMonotoneInTheNetworksRateAndTendsToPureCompute) {
  TrainingJob job{.model = small_gpt(), .parallelism = {.tensor = 2, .pipeline = 2, .data = 2}, .batch = {.global = 8}};
  const Duration pure = run_job(job, constant({})).time;
  Duration before = Duration::max();
  for (const Rate rate : {10_gbps, 100_gbps, 1000_gbps, 10'000_gbps}) {
    const Duration time = run_job(job, by_bytes(rate)).time;
    EXPECT_LT(time, before);
    EXPECT_GT(time, pure);
    before = time;
  }
  EXPECT_LT(run_job(job, by_bytes(Rate::bits_per_second(1'000'000'000'000'000'000))).time - pure, 1_us);
}

TEST(TransformerStep, OverlappedGradientsCostLessThanThoseAtTheEnd) {
  TrainingJob job{.model = small_gpt(), .parallelism = {.data = 4}, .batch = {.global = 8}, .bucket = 8_mb};
  const Duration overlapped = run_job(job, by_bytes(200_gbps)).time;
  job.reduction = GradientReduction::kAtEnd;
  EXPECT_LT(overlapped, run_job(job, by_bytes(200_gbps)).time);
}

TEST(TransformerStep, RepresentativeLayersAndMicroBatchesTakeTheirShare) {
  TrainingJob job{.model = small_gpt(), .batch = {.global = 8}};
  const Duration whole = run_job(job, constant({})).time;
  job.representative = {.layers_per_chunk = 2, .micro_batches = 3};
  const JobRun part = run_job(job, constant({}));
  const auto& plan = *part.plan;
  const PartTime layer = plan.times_of_layer(0).total();
  const Duration ends =
      plan.embedding().forward + plan.embedding().backward + plan.output().forward + plan.output().backward;
  const std::int64_t held = parameter_count(job.model) - 6 * layer_parameters(job.model, 0).total();
  EXPECT_EQ(part.time, 3 * (ends + 2 * (layer.forward + layer.backward)) + optimizer_time(job, held, plan.timer()));
  EXPECT_LT(part.time, whole);
}

TEST(TransformerStep, AllParallelismsTogetherRunToTheEndInAnyWindow) {
  ModelShape model = small_gpt();
  model.style = BlockStyle::kLlama;
  model.embeddings = Embeddings::kSeparate;
  model.experts = Experts{.count = 4, .active = 2, .shared = 1, .hidden = 512, .dense_first = 1};
  for (const auto zero : {ZeroStage::kNone, ZeroStage::kOptimizer, ZeroStage::kParameters}) {
    TrainingJob job{.model = model,
                    .parallelism = {.tensor = 2,
                                    .pipeline = 2,
                                    .data = 4,
                                    .expert = 2,
                                    .context = 2,
                                    .virtual_stages = 2,
                                    .sequence = SequenceParallel::kOn,
                                    .zero = zero},
                    .batch = {.global = 16},
                    .recomputation = Recomputation::kSelective,
                    .bucket = 2_mb,
                    .steps = 2};
    const Duration wide = run_job(job, by_bytes(400_gbps)).time;
    const Duration narrow = run_job(job, by_bytes(400_gbps), {.window = 128}).time;
    EXPECT_GE(narrow, wide);
    EXPECT_EQ(wide, run_job(job, by_bytes(400_gbps)).time);  // the same again
  }
}

TEST(TransformerStep, AStepTakesAsLongAsItsSlowestRank) {
  TrainingJob job{.model = small_gpt(), .parallelism = {.data = 4}, .batch = {.global = 4}, .steps = 3};
  const Duration even = run_job(job, constant({})).time;
  const UniformlySlow slow{.most = {500'000}};
  const JobRun uneven = run_job(job, constant({}), {.stragglers = slow, .seed = 7});
  // Every step waits for the slowest of four, whose stretch applies to all its compute.
  Duration expected{};
  for (std::uint32_t step = 0; step < 3; ++step) {
    std::int64_t most = 0;
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      const JobOptions named{.id = JobId(0), .name = "job", .seed = 7, .ranks = 4};
      most = std::max(most, Stragglers(slow, named, RankId(rank)).of_step(step).millionths);
    }
    expected += Duration::picoseconds(static_cast<std::int64_t>(static_cast<double>((even / 3).picoseconds()) *
                                                                (1 + static_cast<double>(most) * 1e-6)));
  }
  EXPECT_NEAR(uneven.time.seconds(), expected.seconds(), expected.seconds() * 0.03);
  EXPECT_GT(uneven.time, even);
}

}  // namespace
}  // namespace weft::workload
