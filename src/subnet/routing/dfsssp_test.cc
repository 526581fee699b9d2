#include "subnet/routing/dfsssp.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(RoutingDfsssp, HasTheTablesOfOpensmOnAFatTree) {
  const StoredComparison compared = compare_with_stored("fat_4x2x4", EngineKind::kDfsssp);
  EXPECT_EQ(compared.used, EngineKind::kDfsssp);
  EXPECT_EQ(compared.ours, compared.opensm);
}

TEST(RoutingDfsssp, HasTheTablesOfOpensmOnARing) {
  const StoredComparison compared = compare_with_stored("ring6", EngineKind::kDfsssp);
  EXPECT_EQ(compared.used, EngineKind::kDfsssp);
  EXPECT_EQ(compared.ours, compared.opensm);
}

}  // namespace
}  // namespace weft::subnet
