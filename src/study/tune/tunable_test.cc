#include "study/tune/tunable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace weft::study::tune {
namespace {

using ::testing::HasSubstr;

scenario::Catalogue read(const std::string& text) {
  const std::array files = {scenario::Catalogue::File{.name = "own.toml", .text = text}};
  Result<scenario::Catalogue> catalogue = scenario::Catalogue::read(files);
  EXPECT_TRUE(catalogue) << catalogue.error().message;
  return *std::move(catalogue);
}

std::string entry(const std::string& kind, const std::string& values) { return "[" + kind + ".own]\n" + values; }

std::string value(const std::string& key, const std::string& text) {
  return key + " = { value = " + text + ", mark = \"guess\", source = \"a test\" }\n";
}

TEST(Tunables, OfTheCatalogueAreRangesOfItsKeys) {
  const Result<scenario::Catalogue> catalogue = scenario::Catalogue::load(std::nullopt);
  const Result<std::vector<Tunable>> all = tunables_of(*catalogue, scenario::Family::kRoceV2);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_GE(all->size(), 10u);
  for (const Tunable& own : *all) {
    EXPECT_TRUE(own.factor.range ? own.factor.range->low < own.factor.range->high : own.factor.levels.size() > 1)
        << own.factor.key;
    EXPECT_FALSE(own.source.empty()) << own.factor.key;
  }
}

TEST(Tunables, OfAnotherFamilyAreNotSearched) {
  const Result<scenario::Catalogue> catalogue = scenario::Catalogue::load(std::nullopt);
  const Result<std::vector<Tunable>> all = tunables_of(*catalogue, scenario::Family::kInfiniband);
  ASSERT_TRUE(all) << all.error().message;
  for (const Tunable& own : *all) {
    EXPECT_EQ(own.factor.key.find("dcqcn."), std::string::npos);
  }
}

TEST(Tunables, WideRangesGoByFactors) {
  const scenario::Catalogue catalogue =
      read(entry("tunable_low", value("switch.buffer", "\"1 MiB\"") + value("switch.latency", "\"100 ns\"")) +
           entry("tunable_high", value("switch.buffer", "\"4 MiB\"") + value("switch.latency", "\"10 us\"")));
  const Result<std::vector<Tunable>> all = tunables_of(catalogue, scenario::Family::kRoceV2);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ((*all)[0].factor.range->spacing, sweep::Spacing::kEven);
  EXPECT_EQ((*all)[1].factor.range->spacing, sweep::Spacing::kLogarithmic);
  EXPECT_EQ((*all)[1].factor.range->value_at(0), "1 us");
}

TEST(Tunables, EveryFamilyThatIsTunedHasSome) {
  const Result<scenario::Catalogue> catalogue = scenario::Catalogue::load(std::nullopt);
  for (const auto& [family, key] :
       {std::pair(scenario::Family::kRoceV2, "swift.base_target"), std::pair(scenario::Family::kUet, "nscc.target"),
        std::pair(scenario::Family::kInfiniband, "infiniband.vl_buffer")}) {
    const Result<std::vector<Tunable>> all = tunables_of(*catalogue, family);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_NE(std::ranges::find(*all, key, [](const Tunable& own) { return own.factor.key; }), all->end()) << key;
    EXPECT_NE(std::ranges::find(*all, "routing.scheme", [](const Tunable& own) { return own.factor.key; }), all->end());
  }
}

TEST(Tunables, WordsOfEntriesAreLevelsOfOneKey) {
  const scenario::Catalogue catalogue =
      read("[tunable_word.a]\n" + value("routing.policy", "\"ecmp\"") + "[tunable_word.b]\nfamilies = [\"tcp\"]\n" +
           value("routing.policy", "\"drill\"") + "[tunable_word.c]\n" + value("routing.policy", "\"spray\"") +
           "[tunable_word.d]\n" + value("uet.delivery", "\"rud\""));
  const Result<std::vector<Tunable>> all = tunables_of(catalogue, scenario::Family::kRoceV2);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 1u);  // one word is no choice
  const sweep::Factor& factor = all->front().factor;
  EXPECT_EQ(factor.levels, (std::vector<std::string>{"ecmp", "spray"}));
  EXPECT_EQ(value_at(factor, -1), "ecmp");
  EXPECT_EQ(value_at(factor, 1), "spray");
  for (const std::size_t level : {0u, 1u}) {
    EXPECT_EQ(level_at(factor, coordinate_of(factor, level)), level);
  }
}

TEST(Tunables, AnEndWithoutTheOtherIsAnError) {
  const scenario::Catalogue catalogue =
      read(entry("tunable_low", value("switch.buffer", "\"1 MiB\"") + value("switch.latency", "\"100 ns\"")) +
           entry("tunable_high", value("switch.buffer", "\"4 MiB\"")));
  const Result<std::vector<Tunable>> all = tunables_of(catalogue, scenario::Family::kRoceV2);
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().message, HasSubstr("switch.latency has no upper end in [tunable_high.own]"));
  EXPECT_THAT(all.error().message, HasSubstr("own.toml:3:"));
}

TEST(Tunables, EndsTheWrongWayRoundAreAnError) {
  const scenario::Catalogue catalogue = read(entry("tunable_low", value("switch.buffer", "\"8 MiB\"")) +
                                             entry("tunable_high", value("switch.buffer", "\"4 MiB\"")));
  const Result<std::vector<Tunable>> all = tunables_of(catalogue, scenario::Family::kRoceV2);
  ASSERT_FALSE(all);
  EXPECT_THAT(all.error().message, HasSubstr("the lower end is not below the upper one"));
}

}  // namespace
}  // namespace weft::study::tune
