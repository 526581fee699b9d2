#include "subnet/routing/dor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "subnet/route_report.h"
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

/// A grid of side x side switches with an adapter each: ports 1 and 2 along rows, 3 and 4 along columns, 5 the adapter;
/// `wraps`: rows and columns are rings.
SweptSubnet grid(int side, bool wraps) {
  std::string text;
  for (int place = 0; place < side * side; ++place) {
    text += fmt::format("Hca 1 \"h{0}\"\n[1] \"s{0}\"[5]\n\n", place);
  }
  for (int place = 0; place < side * side; ++place) {
    const int x = place % side;
    const int y = place / side;
    text += fmt::format("Switch 5 \"s{}\"\n", place);
    if (x + 1 < side || wraps) {
      text += fmt::format("[1] \"s{}\"[2]\n", y * side + (x + 1) % side);
    }
    if (y + 1 < side || wraps) {
      text += fmt::format("[3] \"s{}\"[4]\n", (y + 1) % side * side + x);
    }
    text += "\n";
  }
  return swept(text);
}

// In the order of dimensions a mesh has no cycle of buffers; the rings of a torus have.
TEST(RoutingDor, ClosesNoCycleOnAMesh) {
  for (const bool wraps : {false, true}) {
    const SweptSubnet made = grid(5, wraps);
    const Result<ManagedRoutes> routes = route_subnet(made.view, EngineKind::kDor);
    ASSERT_TRUE(routes) << routes.error().message;
    EXPECT_EQ(routes->used, EngineKind::kDor);
    const RouteReport report = report_routes(made.view, routes->routes);
    EXPECT_EQ(report.routes, 25U * 24U);
    EXPECT_EQ(report.has_cycle(), wraps);
  }
}

}  // namespace
}  // namespace weft::subnet
