#include "study/tune/tunable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    EXPECT_LT(own.factor.range->low, own.factor.range->high) << own.factor.key;
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
