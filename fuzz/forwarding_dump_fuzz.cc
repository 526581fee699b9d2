// Any bytes as a dump of multicast tables, and as one of forwarding tables: refused with its place, or LIDs and tables
// of a fixed subnet, whose routes can be followed, and which are written and read again as the same. LIDs that the dump
// names outlive the sweep, also where the subnet has given them to other ports.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "subnet/dumped_lids.h"
#include "subnet/forwarding_dump.h"
#include "subnet/lids.h"
#include "subnet/multicast/multicast_dump.h"
#include "subnet/route_report.h"
#include "subnet/swept_subnet.h"
#include "subnet/topology_file.h"

namespace {

using namespace weft;
using namespace weft::subnet;

/// Two leaves with two hosts each, one spine; GUIDs are those that ibsim gives, and the ports of a leaf have others
/// than the leaf.
constexpr std::string_view kNetwork =
    "Hca 1 \"a\"\n[1] \"l\"[1]\n\nHca 1 \"b\"\n[1] \"l\"[2]\n\nHca 1 \"c\"\n[1] \"m\"[1]\n\nHca 2 \"d\"\n[1] "
    "\"m\"[2]\n\n"
    "switchguid=0x200000(200010)\nSwitch 4 \"l\"\n[3] \"s\"[1]\n\nSwitch 4 \"m\"\n[3] \"s\"[2]\n\nSwitch 4 \"s\"\n";

/// As if a manager had been there before.
Subnet numbered() {
  Subnet subnet = parse_topology({.text = kNetwork, .name = "network"}).value();
  Lid lid = 1;
  for (const PortPlace& place : end_ports(subnet)) {
    subnet.port(place).lid = lid++;
  }
  return subnet;
}

/// Of end ports, with their places.
std::set<std::pair<PortPlace, Lid>> lids(const Subnet& subnet) {
  std::set<std::pair<PortPlace, Lid>> found;
  for (const PortPlace& place : end_ports(subnet)) {
    found.insert({place, subnet.port(place).lid});
  }
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const TopologyText source{.text = {reinterpret_cast<const char*>(data), size}, .name = "input"};
  Subnet subnet = numbered();
  const std::set<std::pair<PortPlace, Lid>> before = lids(subnet);
  const Result<std::optional<std::uint8_t>> lmc = adopt_lids(source, subnet);
  if (!lmc) {
    WEFT_ASSERT(lmc.error().message.starts_with("input"));
    return 0;
  }
  const Result<SweptSubnet> swept = sweep(subnet, {.lmc = lmc->value_or(0)});
  if (!swept) {
    WEFT_ASSERT(!swept.error().message.empty());
    return 0;
  }
  const std::set<std::pair<PortPlace, Lid>> after = lids(swept->subnet);
  for (const auto& [place, lid] : lids(subnet)) {
    const bool named = lid != 0 && !before.contains({place, lid});
    WEFT_ASSERT(!named || after.contains({place, lid}));
  }
  if (const Result<MulticastTables> groups = parse_mcfdbs(source, swept->view); groups) {
    const std::string text = write_mcfdbs(swept->view, *groups);
    const Result<MulticastTables> again = parse_mcfdbs({.text = text, .name = "again"}, swept->view);
    WEFT_ASSERT(again.has_value() && write_mcfdbs(swept->view, *again) == text);
  } else {
    WEFT_ASSERT(groups.error().message.starts_with("input"));
  }
  const Result<ForwardingTables> tables = parse_lfts(source, swept->view);
  if (!tables) {
    WEFT_ASSERT(tables.error().message.starts_with("input"));
    return 0;
  }
  const RouteReport report = report_routes(swept->view, {.tables = *tables, .plan = {}});
  if (report.first_broken) {
    WEFT_ASSERT(!trace_route(swept->view, *tables, *report.first_broken).has_value());
  }
  const std::string text = write_lfts(swept->subnet, swept->view, *tables);
  const Result<ForwardingTables> again = parse_lfts({.text = text, .name = "again"}, swept->view);
  WEFT_ASSERT(again.has_value() && *again == *tables);
  return 0;
}
