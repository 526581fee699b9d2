#include "subnet/dumped_lids.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "subnet/forwarding_dump.h"
#include "subnet/route_report.h"
#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

Subnet parsed(const std::string& name) {
  Result<Subnet> subnet = parse_topology({.text = stored(name), .name = name});
  EXPECT_TRUE(subnet) << subnet.error().message;
  return std::move(*subnet);
}

/// What a manager at that node of the network writes.
std::string dump_of(const Subnet& subnet, std::string_view manager, std::uint8_t lmc) {
  const Result<NodeIndex> node = find_node(subnet, manager);
  EXPECT_TRUE(node);
  const Result<SweptSubnet> made = sweep(subnet, {.node = *node, .port = 1}, {.lmc = lmc});
  EXPECT_TRUE(made) << made.error().message;
  const Result<ManagedRoutes> routes = route_subnet(made->view, EngineKind::kUpdn);
  EXPECT_TRUE(routes);
  return write_lfts(made->subnet, made->view, routes->routes.tables);
}

TEST(DumpedLids, ArePortsOfAnotherManagersNumbering) {
  Subnet subnet = parsed("fat_4x2x4.net");
  for (const std::uint8_t lmc : {std::uint8_t{0}, std::uint8_t{2}}) {
    const std::string text = dump_of(subnet, "H7", lmc);
    Subnet named = subnet;
    const Result<std::optional<std::uint8_t>> found = adopt_lids({.text = text, .name = "d"}, named);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, lmc);
    const Result<SweptSubnet> made = sweep(named, {.lmc = **found});  // the manager at H1, where LID 1 would be
    ASSERT_TRUE(made) << made.error().message;
    const Result<ForwardingTables> tables = parse_lfts({.text = text, .name = "d"}, made->view);
    ASSERT_TRUE(tables) << tables.error().message;
    EXPECT_EQ(write_lfts(made->subnet, made->view, *tables), text);
    const RouteReport report = report_routes(made->view, {.tables = *tables, .plan = {}});
    EXPECT_EQ(report.broken, 0U);
  }
}

// A dump's line of a switch has the GUID of the node, its entries those of ports.
TEST(DumpedLids, NameASwitchByItsNodeAndByItsPort) {
  Subnet subnet = parsed("fat_4x2x4.net");
  Node& leaf = subnet[*find_node(subnet, "Leaf1")];
  for (Port& port : leaf.ports) {
    port.guid = {leaf.guid.value + 0x1000};
  }
  const std::string text = dump_of(subnet, "H7", 0);
  Subnet named = subnet;
  const Result<std::optional<std::uint8_t>> found = adopt_lids({.text = text, .name = "d"}, named);
  ASSERT_TRUE(found) << found.error().message;
  const Result<SweptSubnet> made = sweep(named);
  ASSERT_TRUE(made) << made.error().message;
  const Result<ForwardingTables> tables = parse_lfts({.text = text, .name = "d"}, made->view);
  ASSERT_TRUE(tables) << tables.error().message;
  EXPECT_EQ(write_lfts(made->subnet, made->view, *tables), text);
}

// A sweep serves ports with LIDs in the order of their GUIDs: one that the dump does not name would go first.
TEST(DumpedLids, AreKeptWhereAnUnnamedPortHasThem) {
  Subnet subnet = parsed("fat_4x2x4.net");
  const auto port = [&](const char* host) -> Port& { return subnet[*find_node(subnet, host)].ports[1]; };
  port("H2").lid = 30;
  port("H3").lid = 29;
  port("H4").lid = 40;
  const std::string entry = fmt::format(
      "0x001e 001 # Channel Adapter portguid 0x{:016x}: 'H5'\n"
      "0x001f 001 # Channel Adapter portguid 0x{:016x}: 'H5'\n",
      port("H5").guid.value, port("H5").guid.value);
  const Result<std::optional<std::uint8_t>> found = adopt_lids({.text = entry, .name = "d"}, subnet);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(port("H2").lid, 0);
  EXPECT_EQ(port("H3").lid, 0) << "with the LMC of the dump, 29 and 30";
  EXPECT_EQ(port("H4").lid, 40);
  const Result<SweptSubnet> made = sweep(subnet, {.lmc = **found});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->subnet[*find_node(made->subnet, "H5")].ports[1].lid, 30);
}

TEST(DumpedLids, AreNoneWithoutComments) {
  Subnet subnet = parsed("fat_4x2x4.net");
  const Subnet before = subnet;
  const Result<std::optional<std::uint8_t>> found = adopt_lids(
      {.text = "Unicast lids [0-2] of switch guid 0x0000000000200000 ('Leaf1'):\n0x0001 001\n", .name = "d"}, subnet);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(found->has_value());
  EXPECT_EQ(subnet, before);
}

TEST(DumpedLids, NameLineAndRemedy) {
  const auto error_of = [](const std::string& text) {
    Subnet subnet = parsed("fat_4x2x4.net");
    const Result<std::optional<std::uint8_t>> found = adopt_lids({.text = text, .name = "d"}, subnet);
    return found ? std::string("no error") : found.error().message;
  };
  const auto entry = [](const std::string& lid, const std::string& guid) {
    return "0x" + lid + " 001 # Channel Adapter portguid 0x" + guid + ": 'has portguid 0x7 in its name'\n";
  };
  EXPECT_EQ(error_of(entry("0001", "0000000000000007")),
            "d:1: no port of the subnet has the GUID 0x0000000000000007; the dump is of another subnet");
  EXPECT_EQ(error_of(entry("0001", "0000000000100001") + entry("0001", "0000000000100003")),
            "d:2: LID 0x1 is of the port with GUID 0x0000000000100003 here, and of 0x0000000000100001 before; a LID "
            "belongs to one port");
  EXPECT_EQ(error_of(entry("0002", "0000000000100001") + entry("0005", "0000000000100001")),
            "d:2: the port with GUID 0x0000000000100001 has 2 LIDs from 0x2 to 0x5; an LMC gives a port 1, 2, 4 to 128 "
            "LIDs in a row, the first a multiple of their number");
  EXPECT_EQ(error_of(entry("0002", "0000000000100001") + entry("0003", "0000000000100001") +
                     entry("0004", "0000000000100003")),
            "d:3: the port with GUID 0x0000000000100003 has an LMC of 0, and others of 1; all adapters have the same");
  EXPECT_EQ(error_of(entry("c000", "0000000000100001")), "d:1: LID 0xc000 is no unicast LID; they are 0x1 to 0xbfff");
}

}  // namespace
}  // namespace weft::subnet
