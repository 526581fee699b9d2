#include "subnet/routing/ftree.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(RoutingFtree, HasTheTablesOfOpensmOnAFatTree) {
  const StoredComparison compared = compare_with_stored("fat_4x2x4", EngineKind::kFtree);
  EXPECT_EQ(compared.used, EngineKind::kFtree);
  EXPECT_EQ(compared.ours, compared.opensm);
}

TEST(RoutingFtree, LeavesARingToMinhop) {
  const StoredComparison compared = compare_with_stored("ring6", EngineKind::kFtree);
  EXPECT_EQ(compared.used, EngineKind::kMinhop);
  EXPECT_EQ(compared.ours, compared.opensm);
}

std::string why_not(const std::string& text, std::uint8_t lmc = 0) {
  const Result<Routes> routes = route_ftree(swept(text, lmc).view, {});
  return routes ? "it is one" : routes.error().message;
}

TEST(RoutingFtree, SaysWhatIsNoFatTree) {
  EXPECT_EQ(why_not(stored("ring6.net")), "a fat-tree has 2 to 8 ranks of switches, not 1");
  EXPECT_EQ(why_not(stored("fat_4x2x4.net"), 1), "ftree routes an LMC of 0 alone");
  std::string without_cable = stored("fat_4x2x4.net");
  without_cable.erase(without_cable.find("[6] \"Spine2\"[3]"), 16);
  without_cable.erase(without_cable.find("[3] \"Leaf3\"[6]"), 15);
  EXPECT_EQ(why_not(without_cable),
            "the switch with GUID 0x0000000000200002 has 1 neighbours up and 4 down, another of rank 1 has 2 and 4");
}

// Descending routes to the adapters of a leaf, and ascending ones from it, are evenly spread over its two uplinks.
TEST(RoutingFtree, SpreadsEvenlyOverUplinks) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  const Result<Routes> routes = route_ftree(made.view, {});
  ASSERT_TRUE(routes);
  for (std::size_t i = 0; i < made.view.switches.size(); ++i) {
    std::array<int, 8> adapters{};
    for (const EndPort& end : made.view.end_ports) {
      if (!end.is_switch() && end.at != made.view.switch_at(i)) {
        ++adapters.at(routes->tables[i][end.lid]);
      }
    }
    if (made.view.switches[i].ports.size() == 7) {  // a leaf: 12 adapters elsewhere
      EXPECT_EQ(adapters[5], 6);
      EXPECT_EQ(adapters[6], 6);
    }
  }
}

}  // namespace
}  // namespace weft::subnet
