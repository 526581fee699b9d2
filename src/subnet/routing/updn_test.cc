#include "subnet/routing/updn.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(RoutingUpdn, HasTheTablesOfOpensmOnAFatTree) {
  const StoredComparison compared = compare_with_stored("fat_4x2x4", EngineKind::kUpdn);
  EXPECT_EQ(compared.used, EngineKind::kUpdn);
  EXPECT_EQ(compared.ours, compared.opensm);
}

TEST(RoutingUpdn, LeavesARingWithoutRootToMinhop) {
  const StoredComparison compared = compare_with_stored("ring6", EngineKind::kUpdn);
  EXPECT_EQ(compared.used, EngineKind::kMinhop);
  EXPECT_EQ(compared.ours, compared.opensm);
}

// Spines are the roots; the paths between them would go down and up again.
TEST(RoutingUpdn, HasNoRouteBetweenRootsWithoutACable) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const Result<Routes> routes = route_updn(made.view, {});
  ASSERT_TRUE(routes);
  for (std::size_t i = 0; i < made.view.switches.size(); ++i) {
    for (const RoutedSwitch& to : made.view.switches) {
      const bool both_spines = made.view.switches[i].ports.size() == 5 && to.ports.size() == 5;
      const bool routed = routes->tables[i][to.lid] != kNoRoute;
      EXPECT_EQ(routed, !both_spines || to.guid == made.view.switches[i].guid);
    }
  }
}

}  // namespace
}  // namespace weft::subnet
