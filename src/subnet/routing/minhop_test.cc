#include "subnet/routing/minhop.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(RoutingMinhop, HasTheTablesOfOpensmOnAFatTree) {
  const StoredComparison compared = compare_with_stored("fat_4x2x4", EngineKind::kMinhop);
  EXPECT_EQ(compared.used, EngineKind::kMinhop);
  EXPECT_EQ(compared.ours, compared.opensm);
}

TEST(RoutingMinhop, HasTheTablesOfOpensmOnARing) {
  const StoredComparison compared = compare_with_stored("ring6", EngineKind::kMinhop);
  EXPECT_EQ(compared.used, EngineKind::kMinhop);
  EXPECT_EQ(compared.ours, compared.opensm);
}

}  // namespace
}  // namespace weft::subnet
