#include "study/compare/buyer_weights.h"

#include <gtest/gtest.h>

namespace weft::study::compare {
namespace {

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
}  // namespace weft::study::compare
