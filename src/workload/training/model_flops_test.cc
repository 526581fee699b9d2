#include "workload/training/model_flops.h"

#include <gtest/gtest.h>

#include <array>

#include "workload/training/known_models.h"

namespace weft::workload {
namespace {

// F = 96 B s l h^2 (1 + s/(6 h) + V/(16 l h)) with recomputation, Narayanan et al. 2021.
double megatron_flops(const ModelShape& model, double batch) {
  const auto l = static_cast<double>(model.layers);
  const auto h = static_cast<double>(model.hidden);
  const auto s = static_cast<double>(model.sequence);
  const auto v = static_cast<double>(model.vocabulary);
  return 96 * batch * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h));
}

TEST(ModelFlops, OfAGptWithRecomputationAreTheClosedForm) {
  for (const auto& [layers, hidden, heads] : {std::array<std::int64_t, 3>{24, 2304, 24}, {105, 20480, 128}}) {
    const ModelShape model = test::gpt(layers, hidden, heads);
    const double expected = megatron_flops(model, 512);
    EXPECT_NEAR(recomputed_flops(model, 512 * model.sequence).count, expected, expected * 1e-9);
  }
}

TEST(ModelFlops, IterationTimesOfTheSc21TableFollowFromTheirTeraflops) {
  // Row 7: 145.6 B, batch 2304, 1536 GPUs at 148 Tflop/s: 24.82 s. Row 10: 1008 B, 3072, 3072 GPUs at 163: 102.6 s.
  const ModelShape row7 = test::gpt(80, 12288, 96);
  EXPECT_NEAR(recomputed_flops(row7, 2304 * 2048).count / (1536 * 148e12), 24.82, 24.82 * 0.005);
  const ModelShape row10 = test::gpt(128, 25600, 160);
  EXPECT_NEAR(recomputed_flops(row10, 3072 * 2048).count / (3072 * 163e12), 102.6, 102.6 * 0.005);
}

TEST(ModelFlops, WithoutAttentionScoresAreSixPerParameterAndToken) {
  ModelShape model = test::llama3_70b();
  model.sequence = 1;  // scores vanish
  const double six = 6 * static_cast<double>(parameter_count(model) - embedding_parameters(model));
  EXPECT_NEAR(model_flops(model, 1).count, six, six * 1e-4);
}

TEST(ModelFlops, OfExpertsCountTheActiveOnes) {
  ModelShape model = test::mixtral_8x7b();
  const double two = layer_flops_per_token(model, 0).count;
  model.experts->active = 3;
  const double three = layer_flops_per_token(model, 0).count;
  EXPECT_DOUBLE_EQ(three - two, 2.0 * 3 * 4096 * 14336);
}

TEST(ModelFlops, OfLatentAttentionAreTwicePerMatrixElement) {
  ModelShape model = test::deepseek_v3();
  model.sequence = 1;
  const double scores = 2.0 * static_cast<double>(query_elements(model) + value_elements(model));
  const double twice = 2 * static_cast<double>(layer_parameters(model, 0).total());
  EXPECT_NEAR(layer_flops_per_token(model, 0).count, twice + scores, twice * 1e-3);
}

}  // namespace
}  // namespace weft::workload
