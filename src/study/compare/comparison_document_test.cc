#include "study/compare/comparison_document.h"

#include <gtest/gtest.h>

namespace weft::study {
namespace {

TEST(Estimate, OfOneValueHasNoInterval) {
  const Estimate estimate = estimate_of(std::vector<double>{3});
  EXPECT_EQ(estimate.mean, 3);
  EXPECT_FALSE(estimate.low || estimate.high);
}

TEST(Estimate, IntervalIsStudents) {
  // Standard deviation 1, so half the interval is t(2) / sqrt(3).
  const Estimate estimate = estimate_of(std::vector<double>{11, 12, 13});
  EXPECT_DOUBLE_EQ(estimate.mean, 12);
  EXPECT_NEAR(*estimate.high - estimate.mean, 4.303 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(estimate.mean - *estimate.low, *estimate.high - estimate.mean, 1e-12);
}

TEST(Estimate, OfDurationsIsNotBelowZero) { EXPECT_EQ(*estimate_of(std::vector<double>{1, 2, 3}).low, 0); }

TEST(Weights, PresetsAndOwn) {
  EXPECT_EQ(parse_weights("balanced")->name, "balanced");
  EXPECT_GT(parse_weights("peak-performance")->speed, parse_weights("peak-performance")->budget);
  const auto own = parse_weights("speed=5,tuning=0.5");
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->speed, 5);
  EXPECT_EQ(own->budget, 0);
  EXPECT_EQ(own->tuning, 0.5);
}

TEST(Weights, WrongOnesAreRefusedWithWhatIsRight) {
  for (const char* wrong : {"", "fast", "speed", "speed=", "speed=x", "speed=-1", "speed=1,", "speed=0", "cost=1"}) {
    const auto weights = parse_weights(wrong);
    ASSERT_FALSE(weights.has_value()) << wrong;
    EXPECT_NE(weights.error().message.find("existing-ethernet"), std::string::npos) << weights.error().message;
  }
}

}  // namespace
}  // namespace weft::study
