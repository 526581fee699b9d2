#include "study/scenario/vl_tables.h"

#include <gtest/gtest.h>

namespace weft::study::scenario {
namespace {

using Table = std::vector<VlWeight>;

TEST(VlTables, WithoutListsAreTheWeightsOfVlsThatExist) {
  InfinibandSettings settings{.vls = 2};
  EXPECT_EQ(vl_tables(settings).low, (Table{{0, 66}, {1, 66}}));
  EXPECT_TRUE(vl_tables(settings).high.empty());
  settings.vl[1].weight = 12;
  settings.vl[2].weight = 5;  // there is no such VL
  EXPECT_EQ(vl_tables(settings).low, (Table{{0, 66}, {1, 12}}));
}

TEST(VlTables, AVlWithoutWeightHasNoEntry) {
  InfinibandSettings settings{.vls = 4};
  settings.vl[0] = {.weight = 0, .high_weight = 255};
  settings.vl[2].weight = 0;
  EXPECT_EQ(vl_tables(settings).low, (Table{{1, 66}, {3, 66}}));
  EXPECT_EQ(vl_tables(settings).high, (Table{{0, 255}}));
}

TEST(VlTables, AListCountsAlone) {
  InfinibandSettings settings{.vls = 2, .vl_arbitration_low = {{1, 4}, {0, 8}, {1, 4}}};
  EXPECT_EQ(vl_tables(settings).low, (Table{{1, 4}, {0, 8}, {1, 4}}));
  EXPECT_TRUE(vl_tables(settings).high.empty());
}

}  // namespace
}  // namespace weft::study::scenario
