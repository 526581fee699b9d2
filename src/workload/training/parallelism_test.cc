#include "workload/training/parallelism.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "workload/training/known_models.h"
#include "workload/training/rank_groups.h"
#include "workload/training/training_job.h"

namespace weft::workload {
namespace {

std::string error_of(const ModelShape& model, const Parallelism& p, const BatchShape& batch, std::int64_t ranks) {
  const auto checked = check_parallelism({.model = model, .parallelism = p, .batch = batch, .ranks = ranks});
  return checked ? "" : checked.error().message;
}

constexpr BatchShape kBatch{.global = 2304, .micro = 1};
const ModelShape kModel = test::gpt(80, 12288, 96);

TEST(Parallelism, RowsOfTheSc21TablePass) {
  const Parallelism p{.tensor = 8, .pipeline = 8, .data = 24, .virtual_stages = 2};
  EXPECT_EQ(error_of(kModel, p, kBatch, 1536), "");
  EXPECT_EQ(micro_batches(kBatch, p), 96);
}

TEST(Parallelism, WhatDoesNotDivideIsRefusedWithTheNumbers) {
  const Parallelism base{.tensor = 8, .pipeline = 8, .data = 24};
  EXPECT_EQ(error_of(kModel, base, kBatch, 1024), "tp 8 x cp 1 x dp 24 x pp 8 = 1536 ranks, but the job has 1024");
  Parallelism p = base;
  p.pipeline = 6;
  p.data = 32;
  EXPECT_EQ(error_of(kModel, p, kBatch, 1536), "80 layers cannot be divided by pp x virtual stages = 6");
  p = {.tensor = 5, .data = 2};
  EXPECT_EQ(error_of(kModel, p, kBatch, 10), "96 KV heads and tp = 5: neither divides the other");
  p = {.data = 7};
  EXPECT_EQ(error_of(kModel, p, kBatch, 7), "a batch of 2304 sequences cannot be divided by dp 7 x micro-batch 1 = 7");
  p = {.pipeline = 5, .data = 24, .virtual_stages = 2};
  EXPECT_NE(error_of(kModel, p, kBatch, 120).find("multiples of pp = 5"), std::string::npos);
  p = {.virtual_stages = 2};
  EXPECT_EQ(error_of(kModel, p, kBatch, 1), "2 virtual stages need a pipeline; pp = 1");
  p = {.tensor = 0};
  EXPECT_NE(error_of(kModel, p, kBatch, 0).find("tp = 0"), std::string::npos);
}

TEST(Parallelism, EmbeddingAndOutputMayCountAsLayers) {
  const ModelShape model = test::llama3_405b();
  const BatchShape batch{.global = 64};
  Parallelism p{.tensor = 8, .pipeline = 16};
  EXPECT_EQ(error_of(model, p, batch, 128), "126 layers cannot be divided by pp x virtual stages = 16");
  p.split = LayerSplit::kEndsAreLayers;
  EXPECT_EQ(error_of(model, p, batch, 128), "");
  p.virtual_stages = 3;
  EXPECT_NE(error_of(model, p, batch, 128).find("128 layers, embedding and output layer cannot be divided"),
            std::string::npos);
  p.virtual_stages = 8;
  EXPECT_NE(error_of(model, p, batch, 128).find("too few for 128 chunks"), std::string::npos);
}

TEST(TrainingJob, ChunksCoverEveryLayerOnceInTheirOrder) {
  for (const auto split : {LayerSplit::kEven, LayerSplit::kEndsAreLayers}) {
    ModelShape model = test::llama3_8b();
    model.layers = split == LayerSplit::kEven ? 32 : 30;
    const TrainingJob job{
        .model = model, .parallelism = {.pipeline = 4, .virtual_stages = 2, .split = split}, .batch = {.global = 4}};
    std::int64_t next = 0;
    for (std::int64_t chunk = 0; chunk < 2; ++chunk) {
      for (std::int64_t stage = 0; stage < 4; ++stage) {
        const LayerRange range = layers_of(job, {.stage = stage, .chunk = chunk});
        EXPECT_EQ(range.first, next);
        next += range.count;
      }
    }
    EXPECT_EQ(next, model.layers);
    const bool even = split == LayerSplit::kEven;
    EXPECT_EQ(layers_of(job, {.stage = 0, .chunk = 0}).count, even ? 4 : 3);
    EXPECT_EQ(layers_of(job, {.stage = 3, .chunk = 1}).count, even ? 4 : 3);
  }
}

TEST(Parallelism, ExpertsAreCheckedAgainstTheModel) {
  const ModelShape moe = test::mixtral_8x7b();
  EXPECT_EQ(error_of(kModel, {.data = 4, .expert = 2}, {.global = 4}, 4), "ep = 2, but model gpt has no experts");
  EXPECT_EQ(error_of(moe, {.data = 6, .expert = 3}, {.global = 6}, 6), "8 experts cannot be divided by ep = 3");
  EXPECT_EQ(error_of(moe, {.data = 6, .expert = 4}, {.global = 6}, 6),
            "6 data-parallel ranks cannot be divided by ep = 4");
  EXPECT_NE(error_of(moe, {.tensor = 2}, {.global = 1}, 2).find("needs sequence parallelism"), std::string::npos);
  EXPECT_EQ(error_of(moe, {.tensor = 2, .data = 8, .expert = 8, .sequence = SequenceParallel::kOn}, {.global = 8}, 16),
            "");
}

TEST(Parallelism, CoordinatesAndRanksAreInverse) {
  Parallelism p{.tensor = 2, .pipeline = 3, .data = 4, .expert = 2, .context = 2};
  for (const char* order : {"tp-cp-ep-dp-pp", "tp-pp-dp-ep-cp"}) {
    p.order = *parse_axis_order(order);
    for (std::uint32_t rank = 0; rank < p.world(); ++rank) {
      EXPECT_EQ(rank_at(p, coordinates_of(p, RankId(rank))), RankId(rank));
    }
  }
}

TEST(Parallelism, TensorParallelRanksAreNeighboursAndStagesFarApart) {
  const Parallelism p{.tensor = 2, .pipeline = 2, .data = 4};
  EXPECT_EQ(group_along(p, RankId(5), {Axis::kTensor}), (std::vector{RankId(4), RankId(5)}));
  EXPECT_EQ(group_along(p, RankId(5), {Axis::kData}), (std::vector{RankId(1), RankId(3), RankId(5), RankId(7)}));
  EXPECT_EQ(group_along(p, RankId(5), {Axis::kPipeline}), (std::vector{RankId(5), RankId(13)}));
}

TEST(Parallelism, OrdersAreReadAndRefused) {
  EXPECT_EQ(*parse_axis_order("tp-cp-ep-dp-pp"), kMegatronOrder);
  EXPECT_EQ(parse_axis_order("tp-cp-ep-dp-dp").error().message, "order 'tp-cp-ep-dp-dp': dp twice");
  EXPECT_NE(parse_axis_order("tp-cp-ep-dp").error().message.find("4 of 5 axes"), std::string::npos);
  EXPECT_NE(parse_axis_order("tp-cp-xp-dp-pp").error().message.find("'xp'"), std::string::npos);
}

TEST(RankGroups, EveryRankIsInOneGroupOfEachKindThatHasSeveralMembers) {
  const Parallelism p{.tensor = 2, .pipeline = 3, .data = 4, .expert = 2, .context = 2};
  const RankGroups groups(p, Embeddings::kTied);
  for (std::uint32_t rank = 0; rank < p.world(); ++rank) {
    for (std::size_t kind = 0; kind < kGroupKinds; ++kind) {
      const auto found = groups.find(static_cast<GroupKind>(kind), RankId(rank));
      const bool middle = coordinates_of(p, RankId(rank))[Axis::kPipeline] == 1;
      if (static_cast<GroupKind>(kind) == GroupKind::kEmbedding && middle) {
        EXPECT_FALSE(found);
        continue;
      }
      ASSERT_TRUE(found);
      const auto& members = groups.communicators()[found->communicator.value()].members;
      EXPECT_EQ(members[found->self.value()], RankId(rank));
      EXPECT_EQ(members.size(), found->size);
    }
  }
  EXPECT_EQ(groups.find(GroupKind::kData, RankId(0))->size, 8U);        // data x context
  EXPECT_EQ(groups.find(GroupKind::kExpertData, RankId(0))->size, 4U);  // their replicas
  EXPECT_EQ(groups.find(GroupKind::kExpert, RankId(0))->size, 2U);
}

TEST(RankGroups, NamesAreUniqueAndLonersHaveNone) {
  const RankGroups groups({.tensor = 1, .pipeline = 2, .data = 4}, Embeddings::kSeparate);
  std::vector<std::string> names;
  for (const auto& communicator : groups.communicators()) {
    names.push_back(communicator.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"dp0", "dp1", "pp-fwd0", "pp-fwd1", "pp-fwd2", "pp-fwd3", "pp-bwd0",
                                             "pp-bwd1", "pp-bwd2", "pp-bwd3"}));
  EXPECT_FALSE(groups.find(GroupKind::kTensor, RankId(0)));
  EXPECT_FALSE(groups.find(GroupKind::kEmbedding, RankId(0)));
}

}  // namespace
}  // namespace weft::workload
