#include "subnet/routing/sssp.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(RoutingSssp, HasTheTablesOfOpensmOnAFatTree) {
  const StoredComparison compared = compare_with_stored("fat_4x2x4", EngineKind::kSssp);
  EXPECT_EQ(compared.used, EngineKind::kSssp);
  EXPECT_EQ(compared.ours, compared.opensm);
}

TEST(RoutingSssp, HasTheTablesOfOpensmOnARing) {
  const StoredComparison compared = compare_with_stored("ring6", EngineKind::kSssp);
  EXPECT_EQ(compared.used, EngineKind::kSssp);
  EXPECT_EQ(compared.ours, compared.opensm);
}

}  // namespace
}  // namespace weft::subnet
