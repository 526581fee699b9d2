#include "base/nearest_word.h"

#include <gtest/gtest.h>

#include <array>

namespace weft {
namespace {

constexpr std::array<std::string_view, 5> kUnits = {"ps", "ns", "us", "ms", "s"};
constexpr std::array<std::string_view, 3> kTopologies = {"fat-tree", "dragonfly", "rail"};

TEST(NearestWord, FindsTheWordItself) {
  for (const auto word : kTopologies) {
    EXPECT_EQ(nearest_word(word, kTopologies), word);
  }
}

TEST(NearestWord, ForgivesOneEditOfEachKind) {
  EXPECT_EQ(nearest_word("fattree", kTopologies), "fat-tree");
  EXPECT_EQ(nearest_word("dragonfly+", kTopologies), "dragonfly");
  EXPECT_EQ(nearest_word("rain", kTopologies), "rail");
  EXPECT_EQ(nearest_word("rial", kTopologies), "rail");
}

TEST(NearestWord, CountsASwapOfNeighboursAsOneEdit) {
  // "abdc" is one swap from "abcd" but two substitutions from "abxx".
  constexpr std::array<std::string_view, 2> kWords = {"abxx", "abcd"};
  EXPECT_EQ(nearest_word("abdc", kWords), "abcd");
}

TEST(NearestWord, PrefersADifferenceOfCase) {
  constexpr std::array<std::string_view, 3> kWords = {"GB", "kB", "KiB"};
  EXPECT_EQ(nearest_word("KB", kWords), "kB");
}

TEST(NearestWord, SuggestsNothingFarAway) {
  EXPECT_EQ(nearest_word("torus", kTopologies), std::nullopt);
  EXPECT_EQ(nearest_word("x", kUnits), std::nullopt);
  EXPECT_EQ(nearest_word("", kUnits), std::nullopt);
  EXPECT_EQ(nearest_word("ms", {}), std::nullopt);
}

TEST(NearestWord, AnotherNumberIsNoSlipOfTheFinger) {
  constexpr std::array<std::string_view, 3> kGpus = {"b200", "gb200", "h200"};
  EXPECT_EQ(nearest_word("a100", kGpus), std::nullopt);
  constexpr std::array<std::string_view, 4> kMoreGpus = {"b200", "h100", "gb200", "h200"};
  EXPECT_EQ(nearest_word("a100", kMoreGpus), "h100");
}

TEST(NearestWord, TakesTheFirstOfEquallyNearWords) { EXPECT_EQ(nearest_word("xs", kUnits), "ps"); }

TEST(UnknownWord, AsksAndLists) {
  EXPECT_EQ(unknown_word({.kind = "unit", .word = "msec", .valid = kUnits}).message,
            "unknown unit 'msec'; did you mean 'ms'? one of ps, ns, us, ms, s");
}

TEST(UnknownWord, OnlyListsWhenNothingIsNear) {
  EXPECT_EQ(unknown_word({.kind = "topology", .word = "torus", .valid = kTopologies}).message,
            "unknown topology 'torus'; one of fat-tree, dragonfly, rail");
}

}  // namespace
}  // namespace weft
