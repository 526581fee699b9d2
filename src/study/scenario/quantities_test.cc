#include "study/scenario/quantities.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::study::scenario {
namespace {

using namespace literals;

TEST(Length, ParsesWhatItWrites) {
  for (const auto* text : {"0 m", "3 m", "2.5 m", "1500 m", "0.001 m"}) {
    const auto length = parse_length(text);
    ASSERT_TRUE(length.has_value()) << text;
    EXPECT_EQ(to_string(*length), text);
  }
  EXPECT_EQ(parse_length("1.5km"), parse_length("1500 m"));
}

TEST(Length, TakesFiveNanosecondsPerMetre) {
  EXPECT_EQ(propagation_of(parse_length("100 m").value()), 500_ns);
  EXPECT_EQ(propagation_of(parse_length("0.001 m").value()), 5_ps);
}

TEST(Length, RefusesWhatItDoesNotUnderstand) {
  EXPECT_THAT(parse_length("5").error().message, testing::HasSubstr("missing unit; one of m, km"));
  EXPECT_THAT(parse_length("5 M").error().message, testing::HasSubstr("did you mean 'm'?"));
  for (const auto* text : {"", "m", "-5 m", "1.2345 m", "1. m", "5 m m", "99999999999 m", "999999999999999999999 m"}) {
    EXPECT_FALSE(parse_length(text).has_value()) << text;
  }
}

TEST(PowerAndMoney, HaveTheirUnits) {
  EXPECT_EQ(parse_power("1.2 kW"), parse_power("1200 W"));
  EXPECT_EQ(to_string(parse_money("1500.5 USD").value()), "1500.5 USD");
  EXPECT_FALSE(parse_money("1500 EUR").has_value());
}

TEST(PowerOfTwo, ParsesWhatItWrites) {
  for (int exponent = -7; exponent <= 7; ++exponent) {
    const PowerOfTwo value{static_cast<std::int8_t>(exponent)};
    EXPECT_EQ(parse_power_of_two(to_string(value)), value);
  }
  for (const auto* text : {"", "3", "1/3", "0", "256", "1/256", "2/4", "0.5"}) {
    EXPECT_FALSE(parse_power_of_two(text).has_value()) << text;
  }
}

TEST(Oversubscription, IsTwoCountsFromOne) {
  EXPECT_EQ(parse_oversubscription("3:2"), (Oversubscription{.down = 3, .up = 2}));
  for (const auto* text : {"", "3", "3:", ":2", "0:1", "1:0", "-1:2", "1:1025", "1:2:3", "a:b"}) {
    EXPECT_FALSE(parse_oversubscription(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace weft::study::scenario
