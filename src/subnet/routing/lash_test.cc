#include "subnet/routing/lash.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(RoutingLash, HasTheTablesOfOpensmOnAFatTree) {
  const StoredComparison compared = compare_with_stored("fat_4x2x4", EngineKind::kLash);
  EXPECT_EQ(compared.used, EngineKind::kLash);
  EXPECT_EQ(compared.ours, compared.opensm);
}

TEST(RoutingLash, HasTheTablesOfOpensmOnARing) {
  const StoredComparison compared = compare_with_stored("ring6", EngineKind::kLash);
  EXPECT_EQ(compared.used, EngineKind::kLash);
  EXPECT_EQ(compared.ours, compared.opensm);
}

}  // namespace
}  // namespace weft::subnet
