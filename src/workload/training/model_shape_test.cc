#include "workload/training/model_shape.h"

#include <gtest/gtest.h>

#include <array>

#include "workload/training/known_models.h"

namespace weft::workload {
namespace {

TEST(ModelShape, ParametersOfAGptFollowTheClosedForm) {
  // P = 12 l h^2 (1 + 13/(12 h) + (V + s)/(12 l h)), Narayanan et al. 2021; the final norm's 2 h are not in it.
  for (const auto& [layers, hidden, heads] : {std::array<std::int64_t, 3>{24, 2304, 24}, {128, 25600, 160}}) {
    const ModelShape model = test::gpt(layers, hidden, heads);
    const std::int64_t closed = 12 * layers * hidden * hidden + 13 * layers * hidden + (51200 + 2048) * hidden;
    EXPECT_EQ(parameter_count(model), closed + 2 * hidden);
  }
}

struct Published {
  ModelShape model;
  double billions;
  double last_digit;
  double active_billions;
  double active_last_digit;
};

TEST(ModelShape, ParametersOfPublishedModelsComeOut) {
  // As printed by their publishers, to the last digit.
  const Published published[] = {{test::gpt(24, 2304, 24), 1.7, 0.1, 1.7, 0.1},
                                 {test::gpt(36, 4096, 32), 7.5, 0.1, 7.5, 0.1},
                                 {test::gpt(80, 12288, 96), 145.6, 0.1, 145.6, 0.1},
                                 {test::gpt(128, 25600, 160), 1008.0, 1.0, 1008.0, 1.0},
                                 {test::llama3_8b(), 8.03, 0.01, 8.03, 0.01},
                                 {test::llama3_70b(), 70.6, 0.1, 70.6, 0.1},
                                 {test::llama3_405b(), 406, 1.0, 406, 1.0},
                                 {test::mixtral_8x7b(), 46.7, 0.1, 12.9, 0.1},
                                 {test::deepseek_v3(), 671, 1.0, 37, 2.0}};
  for (const auto& [model, billions, digit, active, active_digit] : published) {
    ASSERT_TRUE(check_model(model)) << model.name;
    EXPECT_NEAR(static_cast<double>(parameter_count(model)) * 1e-9, billions, digit / 2) << model.name;
    EXPECT_NEAR(static_cast<double>(active_parameter_count(model)) * 1e-9, active, active_digit / 2) << model.name;
  }
}

TEST(ModelShape, GroupedQueriesShrinkOnlyKeysAndValues) {
  ModelShape grouped = test::llama3_8b();
  ModelShape full = grouped;
  full.kv_heads = full.heads;
  const auto difference = layer_parameters(full, 0).total() - layer_parameters(grouped, 0).total();
  EXPECT_EQ(difference, 2 * grouped.hidden * grouped.head_size * (full.kv_heads - grouped.kv_heads));
}

TEST(ModelShape, OnlyLayersBehindTheDenseOnesHaveExperts) {
  const ModelShape model = test::deepseek_v3();
  EXPECT_EQ(layer_parameters(model, 2).experts, 0);
  EXPECT_EQ(layer_parameters(model, 3).experts, std::int64_t{256} * 3 * 7168 * 2048);
}

TEST(ModelShape, MoreThanNumbersHoldIsRefused) {
  ModelShape model = test::gpt(24, 2304, 24);
  ASSERT_TRUE(check_model(model));
  model.layers = 1'000'000'000;
  ASSERT_FALSE(check_model(model));
  EXPECT_NE(check_model(model).error().message.find("1000000000 layers; at most 65536"), std::string::npos);
  model = test::gpt(24, 2304, 24);
  model.hidden = std::int64_t{1} << 40;
  ASSERT_FALSE(check_model(model));
  EXPECT_NE(check_model(model).error().message.find("parameters; at most 1e+15"), std::string::npos);
}

TEST(ModelShape, WrongShapesAreRefusedWithTheNumbers) {
  ModelShape model = test::llama3_8b();
  model.kv_heads = 5;
  EXPECT_EQ(check_model(model).error().message, "model llama3-8b: 5 KV heads do not divide 32 heads");
  model = test::mixtral_8x7b();
  model.experts->active = 9;
  EXPECT_EQ(check_model(model).error().message, "model mixtral-8x7b: a token goes to 9 of 8 experts");
  model = test::llama3_8b();
  model.layers = 0;
  EXPECT_NE(check_model(model).error().message.find("layers = 0"), std::string::npos);
}

}  // namespace
}  // namespace weft::workload
