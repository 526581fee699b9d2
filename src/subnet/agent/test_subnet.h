// For tests: a chain H1 - S1 - S2 - H2 with a spare switch, and a manager's requests at H1.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/assert.h"
#include "subnet/agent/served_subnet.h"
#include "subnet/topology_file.h"
#include "wire/byte_order.h"

namespace weft::subnet {

inline constexpr std::string_view kChain =
    "Hca 1 \"H1\"\n[1] \"S1\"[1]\n\nHca 1 \"H2\"\n[1] \"S2\"[1]\n\n"
    "Switch 3 \"S1\"\n[2] \"S2\"[2]\n\nSwitch 3 \"S2\"\n\n";

inline Subnet chain() {
  Result<Subnet> subnet = parse_topology({.text = kChain, .name = "chain"});
  WEFT_ASSERT(subnet.has_value());
  return *std::move(subnet);
}

/// The chain as a manager at H1 sees it: directed routes name ports, from that of H1 on.
class TestSubnet {
 public:
  using Route = std::initializer_list<PortNumber>;
  static constexpr PortPlace kH1{.node = NodeIndex(0), .port = 1};
  static constexpr PortPlace kH2{.node = NodeIndex(1), .port = 1};
  static constexpr NodeIndex kS1{2};
  static constexpr NodeIndex kS2{3};
  static constexpr Lid kLids[] = {1, 2, 3, 4};  // of H1, H2, S1, S2

  /// The answer's MAD; none: lost.
  std::optional<MadPacket> ask(const wire::MadHeader& header, Route route, const SmpData& data = {}) {
    MadPacket packet{.source = kPermissiveLid, .destination = kPermissiveLid};
    wire::MadHeader sent = header;
    sent.management_class = wire::kClassSubnetDirectedRoute;
    sent.class_specific = static_cast<std::uint16_t>(route.size());
    sent.emit(packet.mad);
    wire::store_be64(packet.mad, mad_offset::kMKey, m_key);
    wire::store_be16(packet.mad, mad_offset::kDirectedSource, kPermissiveLid);
    wire::store_be16(packet.mad, mad_offset::kDirectedDestination, kPermissiveLid);
    std::ranges::copy(data, packet.mad.begin() + mad_offset::kSmpData);
    std::size_t hop = mad_offset::kInitialPath;
    for (const PortNumber port : route) {
      wire::store_u8(packet.mad, ++hop, port);
    }
    served.send(kH1, packet, now);
    return take(kH1);
  }

  std::optional<MadPacket> take(PortPlace at) {
    const std::optional<ServedSubnet::Delivery> delivery = served.poll_delivery();
    WEFT_ASSERT(!delivery || delivery->at == at);
    return delivery ? std::optional(delivery->packet) : std::nullopt;
  }

  static std::uint16_t status(const MadPacket& packet) {
    return wire::load_be16(packet.mad, mad_offset::kStatus) & 0x7FFFU;
  }
  static std::span<const std::byte> data(const MadPacket& packet) {
    return std::span(packet.mad).subspan(mad_offset::kSmpData, kSmpDataSize);
  }

  template <class Record>
  Record get(std::uint16_t attribute, Route route, std::uint32_t modifier = 0) {
    const auto answer =
        ask({.method = wire::kMethodGet, .attribute_id = attribute, .attribute_modifier = modifier}, route);
    WEFT_ASSERT(answer && status(*answer) == 0);
    return *Record::parse(data(*answer));
  }
  /// The status of the answer.
  template <class Record>
  std::uint16_t set(std::uint16_t attribute, Route route, const Record& record, std::uint32_t modifier = 0) {
    SmpData bytes{};
    record.emit(bytes);
    const auto answer =
        ask({.method = wire::kMethodSet, .attribute_id = attribute, .attribute_modifier = modifier}, route, bytes);
    WEFT_ASSERT(answer.has_value());
    return status(*answer);
  }

  void change_port(Route route, std::uint32_t port, auto&& change) {
    auto info = get<wire::PortInfo>(wire::kAttributePortInfo, route, port);
    info.port_state = info.physical_state = 0;
    change(info);
    WEFT_ASSERT(set(wire::kAttributePortInfo, route, info, port) == 0);
  }

  /// LIDs, tables and states as a manager leaves them.
  void bring_up() {
    const Route routes[] = {{}, {1, 2, 1}, {1}, {1, 2}};
    const std::vector<PortNumber> tables[] = {{}, {}, {255, 1, 2, 0, 2}, {255, 2, 1, 2, 0}};
    for (std::size_t i = 0; i < 4; ++i) {
      change_port(routes[i], 0, [&](wire::PortInfo& info) {
        info.lid = kLids[i];
        info.sm_lid = kLids[0];
      });
      if (!tables[i].empty()) {
        set_table(routes[i], tables[i]);
      }
    }
    for (const auto state : {wire::PortState::kArmed, wire::PortState::kActive}) {
      const auto become = [&](wire::PortInfo& info) { info.port_state = static_cast<std::uint8_t>(state); };
      change_port({}, 1, become);
      change_port({1, 2, 1}, 1, become);
      for (const std::uint32_t port : {1U, 2U}) {
        change_port({1}, port, become);
        change_port({1, 2}, port, become);
      }
    }
  }

  void set_table(Route route, const std::vector<PortNumber>& table) {
    SmpData block;
    block.fill(std::byte{255});
    std::ranges::transform(table, block.begin(), [](PortNumber port) { return static_cast<std::byte>(port); });
    WEFT_ASSERT(
        ask({.method = wire::kMethodSet, .attribute_id = wire::kAttributeLinearForwarding}, route, block).has_value());
    set(wire::kAttributeSwitchInfo, route, wire::SwitchInfo{.linear_top = 63});
  }

  /// From H1 to queue pair 1, or 0 for subnet management.
  void send_by_lid(Lid to, const wire::MadHeader& header) {
    const bool management = header.management_class == wire::kClassSubnetLidRouted;
    MadPacket packet{.destination = to,
                     .source_qp = management ? kSubnetQp : kGeneralQp,
                     .destination_qp = management ? kSubnetQp : kGeneralQp};
    header.emit(packet.mad);
    wire::store_u8(packet.mad, wire::kPerformanceData + 1, 1);  // PortSelect, where there is one
    wire::store_be64(packet.mad, mad_offset::kMKey, management ? m_key : 0);
    served.send(kH1, packet, now);
  }

  Subnet subnet = chain();
  ServedSubnet served{subnet};
  std::uint64_t m_key = 0;
  Time now;
};

}  // namespace weft::subnet
