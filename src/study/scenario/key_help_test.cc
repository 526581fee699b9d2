#include "study/scenario/key_help.h"

#include <gmock/gmock.h>

#include <set>

#include "study/scenario/raw_value.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> paths_called(std::string_view path) {
  std::vector<std::string> paths;
  for (const KeyAt& at : keys_called(path)) {
    paths.push_back(path_of(at));
  }
  return paths;
}

TEST(KeyHelp, FindsAKeyHoweverItsPathIsWritten) {
  EXPECT_THAT(paths_called("link.rate"), ElementsAre("link.rate"));
  EXPECT_THAT(paths_called("LINK.RATE"), ElementsAre("link.rate"));
  EXPECT_THAT(paths_called("[link] rate"), ElementsAre("link.rate"));
  EXPECT_THAT(paths_called("link.leaf.rate"), ElementsAre("link.leaf.rate"));
  EXPECT_THAT(paths_called("job.tp"), ElementsAre("job.tp"));
  EXPECT_THAT(paths_called("job[3].tp"), ElementsAre("job.tp"));
  EXPECT_THAT(paths_called("[[job]] tp"), ElementsAre("job.tp"));
  EXPECT_THAT(paths_called("ethernet.priority.3.alpha"), ElementsAre("ethernet.priority.3.alpha"));
  EXPECT_THAT(paths_called("seed"), ElementsAre("seed"));
}

TEST(KeyHelp, ANameAloneFindsTheKeysOfAllTables) {
  EXPECT_THAT(paths_called("tp"), ElementsAre("job.tp"));
  EXPECT_GT(paths_called("rate").size(), 1U);
  EXPECT_THAT(paths_called("nonsense"), IsEmpty());
  EXPECT_THAT(paths_called(""), IsEmpty());
  EXPECT_THAT(paths_called("job.nonsense"), IsEmpty());
}

TEST(KeyHelp, SectionsAreFoundWithAndWithoutBrackets) {
  for (const char* name : {"link", "[link]", "[link.leaf]", "link.host"}) {
    ASSERT_NE(section_called(name), nullptr) << name;
    EXPECT_EQ(section_called(name)->path, "link") << name;
  }
  ASSERT_NE(section_called("[[job]]"), nullptr);
  EXPECT_EQ(section_called("nonsense"), nullptr);
  EXPECT_EQ(section_called(""), nullptr);
}

TEST(KeyHelp, NearMissesNameTheKeyOfTheSameTableFirst) {
  EXPECT_EQ(nearest_keys("link.rat", 3).front(), "link.rate");
  EXPECT_EQ(nearest_keys("job.tpp", 3).front(), "job.tp");
  EXPECT_EQ(nearest_keys("lnik.rate", 3).front(), "link.rate");
  EXPECT_THAT(nearest_keys("0123456789012345678901234567890123456789.", 3), IsEmpty());
}

TEST(KeyHelp, SuggestionsAreDistinctAndAtMostAsManyAsAskedFor) {
  const std::vector<std::string> near = nearest_keys("switch.rate", 3);
  EXPECT_LE(near.size(), 3U);
  EXPECT_EQ(std::set<std::string>(near.begin(), near.end()).size(), near.size());
}

TEST(KeyHelp, TheExampleOfEveryKeyIsAValueThatItTakes) {
  for (const Section& section : sections()) {
    for (const Key& key : section.keys) {
      const KeyAt at{.section = &section, .key = &key, .index = {}};
      const KeyExample example = example_of(at, test_catalogue());
      Scenario scratch;
      if (section.shape == SectionShape::kList) {
        section.resize(scratch, 1);
      }
      void* const settings = section.settings({.scenario = &scratch, .devices = &scratch.devices}, 0);
      const auto set = key.binding.set(settings, read_value(example.value), key);
      EXPECT_TRUE(set.has_value()) << general_path(at) << " = " << example.value << ": "
                                   << (set ? "" : set.error().message);
      EXPECT_NE(example.value, "\"\"") << general_path(at);
    }
  }
}

TEST(KeyHelp, QuantitiesNameTheirUnits) {
  const auto units = [](std::string_view path) { return units_of(*keys_called(path).front().key); };
  EXPECT_EQ(units("link.propagation"), "ps, ns, us, ms, s");
  EXPECT_EQ(units("switch.power"), "W, kW");
  EXPECT_EQ(units("switch.price"), "USD");
  EXPECT_EQ(units("ethernet.priority.alpha"), "");
  EXPECT_EQ(units("job.tp"), "");
}

}  // namespace
}  // namespace weft::study::scenario
