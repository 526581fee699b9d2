#include "study/scenario/catalogue_listing.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace weft::study::scenario {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const CatalogueListing& listing() {
  static const CatalogueListing kListing = *CatalogueListing::load({});
  return kListing;
}

TEST(CatalogueListing, HasEveryValueWithItsMarkAndSource) {
  EXPECT_GT(listing().entries().size(), 100U);
  for (const ListedEntry& entry : listing().entries()) {
    EXPECT_FALSE(entry.place.empty()) << entry.name;
    for (const ListedParameter& value : entry.values) {
      EXPECT_FALSE(value.value.empty()) << entry.name << " " << value.key;
      EXPECT_NE(value.value, "?") << entry.name << " " << value.key;
      EXPECT_FALSE(value.source.empty()) << entry.name << " " << value.key;
    }
  }
}

TEST(CatalogueListing, EachKindIsExplained) {
  for (const std::string& kind : listing().kinds()) {
    EXPECT_FALSE(about_kind(kind).empty()) << kind;
  }
}

TEST(CatalogueListing, ModelsAndGpusAreListedLikeDevices) {
  EXPECT_THAT(listing().kinds(), Contains("model"));
  const auto gpu = listing().find("gpu/h100-sxm");
  ASSERT_TRUE(gpu.has_value());
  const auto& values = gpu->front()->values;
  const auto memory = std::ranges::find(values, "memory", &ListedParameter::key);
  ASSERT_NE(memory, values.end());
  EXPECT_EQ(memory->value, "\"80 GB\"");
  EXPECT_EQ(memory->mark, Mark::kSpecified);
}

TEST(CatalogueListing, ANameMayBeThatOfSeveralKinds) {
  const auto found = listing().find("quantum-2");
  ASSERT_TRUE(found.has_value());
  EXPECT_GT(found->size(), 1U);
  EXPECT_EQ(listing().find("switch quantum-2")->size(), 1U);
  EXPECT_EQ(listing().find("Switch/QUANTUM-2")->size(), 1U);
}

TEST(CatalogueListing, UnknownNamesSuggestTheNearest) {
  EXPECT_THAT(listing().find("tomahwak-5").error().message, HasSubstr("did you mean 'tomahawk-5'?"));
  EXPECT_THAT(listing().find("switsh/tomahawk-5").error().message, HasSubstr("did you mean 'switch'?"));
  EXPECT_THAT(listing().find("switch/tomahwak-5").error().message, HasSubstr("did you mean 'tomahawk-5'?"));
  EXPECT_THAT(listing().find("0123456789012345678901234567890123").error().message, HasSubstr("lists them"));
}

}  // namespace
}  // namespace weft::study::scenario
