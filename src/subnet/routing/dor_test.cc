#include "subnet/routing/dor.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(RoutingDor, HasTheTablesOfOpensmOnAFatTree) {
  const StoredComparison compared = compare_with_stored("fat_4x2x4", EngineKind::kDor);
  EXPECT_EQ(compared.used, EngineKind::kDor);
  EXPECT_EQ(compared.ours, compared.opensm);
}

TEST(RoutingDor, HasTheTablesOfOpensmOnARing) {
  const StoredComparison compared = compare_with_stored("ring6", EngineKind::kDor);
  EXPECT_EQ(compared.used, EngineKind::kDor);
  EXPECT_EQ(compared.ours, compared.opensm);
}

}  // namespace
}  // namespace weft::subnet
