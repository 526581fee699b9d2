#include "subnet/routing/dnup.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(RoutingDnup, HasTheTablesOfOpensmOnAFatTree) {
  const StoredComparison compared = compare_with_stored("fat_4x2x4", EngineKind::kDnup);
  EXPECT_EQ(compared.used, EngineKind::kDnup);
  EXPECT_EQ(compared.ours, compared.opensm);
}

TEST(RoutingDnup, HasTheTablesOfOpensmOnARing) {
  const StoredComparison compared = compare_with_stored("ring6", EngineKind::kDnup);
  EXPECT_EQ(compared.used, EngineKind::kDnup);
  EXPECT_EQ(compared.ours, compared.opensm);
}

}  // namespace
}  // namespace weft::subnet
