#include "host/header_fields.h"

#include <algorithm>

#include "base/assert.h"
#include "wire/ipv4.h"
#include "wire/udp.h"
#include "wire/uet/entropy.h"

namespace weft::host {
namespace {

std::array<std::byte, fabric::HeaderFields::kMaxAddress> address_bytes(std::span<const std::uint8_t> octets) {
  std::array<std::byte, fabric::HeaderFields::kMaxAddress> bytes{};
  std::ranges::transform(octets, bytes.begin(), [](std::uint8_t octet) { return std::byte{octet}; });
  return bytes;
}

std::array<std::byte, fabric::HeaderFields::kMaxAddress> address_bytes(wire::Ipv4Address address) {
  std::array<std::byte, fabric::HeaderFields::kMaxAddress> bytes{};
  for (unsigned i = 0; i < 4; ++i) {
    bytes[i] = static_cast<std::byte>(address.value >> (24 - 8 * i) & 0xFF);
  }
  return bytes;
}

bool has_ipv6(wire::Encapsulation encapsulation) {
  return encapsulation == wire::Encapsulation::kRoceV2Ipv6 || encapsulation == wire::Encapsulation::kTcpIpv6 ||
         encapsulation == wire::Encapsulation::kUetUdpIpv6 || encapsulation == wire::Encapsulation::kUetIpv6;
}

bool is_native_uet(wire::Encapsulation encapsulation) {
  return encapsulation == wire::Encapsulation::kUetIpv4 || encapsulation == wire::Encapsulation::kUetIpv6;
}

}  // namespace

fabric::HeaderFields header_fields(const wire::Packet& packet, std::span<const wire::EndAddresses> addresses) {
  const wire::PacketCommon& common = packet.common;
  WEFT_DCHECK(common.source.value() < addresses.size() && common.destination.value() < addresses.size());
  const wire::EndAddresses& source = addresses[common.source.value()];
  const wire::EndAddresses& destination = addresses[common.destination.value()];
  fabric::HeaderFields fields;
  if (common.encapsulation == wire::Encapsulation::kRoceV1) {
    fields.source = address_bytes(source.mac.octets);
    fields.destination = address_bytes(destination.mac.octets);
    fields.address_bytes = 6;
    return fields;
  }
  if (has_ipv6(common.encapsulation)) {
    fields.source = address_bytes(source.ipv6.octets);
    fields.destination = address_bytes(destination.ipv6.octets);
    fields.address_bytes = 16;
    fields.flow_label = common.entropy;
  } else {
    fields.source = address_bytes(source.ipv4);
    fields.destination = address_bytes(destination.ipv4);
  }
  if (common.kind == wire::PacketKind::kTcp) {
    fields.protocol = wire::kIpProtocolTcp;
    fields.source_port = packet.tcp.source_port;
    fields.destination_port = packet.tcp.destination_port;
    return fields;
  }
  fields.source_port = common.entropy;
  if (is_native_uet(common.encapsulation)) {
    fields.protocol = wire::uet::kIpProtocol;
    return fields;
  }
  fields.protocol = wire::kIpProtocolUdp;
  fields.destination_port = common.kind == wire::PacketKind::kUet ? wire::uet::kUdpPort : wire::kRoceV2Port;
  if (common.kind == wire::PacketKind::kInfiniBandTransport) {
    fields.destination_qp = packet.ib.destination_qp;
  }
  return fields;
}

std::uint32_t tuple_hash(const wire::Packet& packet, const fabric::AddressPair& addresses) {
  const auto [source, destination] = addresses;
  if (packet.common.kind == wire::PacketKind::kTcp) {
    constexpr std::uint8_t kTcpProtocol = 6;
    return fabric::flow_hash(fabric::FlowKey{.source = source,
                                             .destination = destination,
                                             .entropy = packet.tcp.source_port,
                                             .destination_port = packet.tcp.destination_port,
                                             .protocol = kTcpProtocol});
  }
  if (packet.common.kind == wire::PacketKind::kUet) {
    return fabric::flow_hash(fabric::FlowKey{.source = source,
                                             .destination = destination,
                                             .entropy = packet.common.entropy,
                                             .destination_port = wire::uet::kUdpPort});
  }
  if (packet.common.encapsulation == wire::Encapsulation::kRoceV1) {
    return fabric::flow_hash(addresses);
  }
  return fabric::flow_hash(
      fabric::FlowKey{.source = source, .destination = destination, .entropy = packet.common.entropy});
}

}  // namespace weft::host
