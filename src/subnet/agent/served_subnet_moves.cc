// How MADs move: across a link, by LID through forwarding tables, and along a directed route.
#include "subnet/agent/served_subnet.h"
#include "subnet/multicast/multicast_blocks.h"
#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

std::uint8_t hop_pointer(const MadPacket& packet) { return wire::load_u8(packet.mad, mad_offset::kHopPointer); }
std::uint8_t hop_count(const MadPacket& packet) { return wire::load_u8(packet.mad, mad_offset::kHopCount); }
void set_hop_pointer(MadPacket& packet, unsigned hop) {
  wire::store_u8(packet.mad, mad_offset::kHopPointer, static_cast<std::uint8_t>(hop));
}
bool is_returning(const MadPacket& packet) {
  return (wire::load_be16(packet.mad, mad_offset::kStatus) & wire::DirectedRouteSmp::kReturning) != 0;
}
bool begins_by_lid(const MadPacket& packet) {
  return wire::load_be16(packet.mad, mad_offset::kDirectedSource) != kPermissiveLid;
}

}  // namespace

std::optional<PortPlace> ServedSubnet::cross(PortPlace egress, Lane lane) {
  ServedPort& out = port_at(egress);
  const wire::PortState needed = lane == Lane::kManagement ? wire::PortState::kInitialize : wire::PortState::kActive;
  if (!out.cable || out.state() < needed) {
    ++lost_.link_down;
    ++out.counters.counted().xmit_discards;
    return std::nullopt;
  }
  ServedPort& in = port_at(*out.cable);
  if (lane == Lane::kData && in.state() < wire::PortState::kArmed) {
    ++lost_.link_down;
    ++in.counters.counted().receive_errors;
    return std::nullopt;
  }
  //= ibta-1.7 7.2.7
  if (lane == Lane::kData && in.state() == wire::PortState::kArmed) {
    in.info.port_state = static_cast<std::uint8_t>(wire::PortState::kActive);
  }
  out.counters.counted().xmit_packets += 1;
  out.counters.counted().xmit_data += kMadPacketWords;
  in.counters.counted().receive_packets += 1;
  in.counters.counted().receive_data += kMadPacketWords;
  return out.cable;
}

/// The end port that has the LID, as far as links and tables lead there.
std::optional<ServedSubnet::Arrival> ServedSubnet::by_lid(PortPlace from, const MadPacket& packet) {
  const Lid lid = packet.destination;
  const Lane lane = packet.destination_qp == kSubnetQp ? Lane::kManagement : Lane::kData;
  if (port_at(from).has_lid(lid) || lid == kPermissiveLid) {
    return Arrival{.end = from, .ingress = from.port};
  }
  std::optional<PortPlace> at = from;
  if (!node_at(from).is_switch()) {
    at = cross(from, lane);
  }
  for (std::size_t hop = 0; at && hop <= nodes_.size(); ++hop) {
    const ServedNode& node = node_at(*at);
    const std::optional<PortNumber> port = node.is_switch() ? node.egress(lid) : PortNumber{0};
    if (!port || *port >= node.ports.size()) {
      ++lost_.no_route;
      ++port_at(*at).counters.counted().switch_relay_errors;
      return std::nullopt;
    }
    if (*port == 0) {
      const PortPlace end{.node = at->node, .port = node.is_switch() ? PortNumber{0} : at->port};
      if (!port_at(end).has_lid(lid)) {
        ++lost_.no_route;
        return std::nullopt;
      }
      return Arrival{.end = end, .ingress = at->port};
    }
    at = cross({.node = at->node, .port = *port}, lane);
  }
  lost_.loops += at ? 1 : 0;
  return std::nullopt;
}

std::optional<PortPlace> ServedSubnet::cross_multicast(PortPlace egress) {
  const std::optional<PortPlace> to = cross(egress, Lane::kData);
  if (to) {
    ++port_at(egress).counters.multicast().xmit_packets;
    ++port_at(*to).counters.multicast().receive_packets;
  }
  return to;
}

/// A copy to every port of the entry but the one of arrival. Adapters take what reaches them.
//= ibta-1.7 18.2.4.3.3
void ServedSubnet::send_multicast(PortPlace from, const MadPacket& packet, Time now) {
  std::deque<PortPlace> copies;
  if (node_at(from).is_switch()) {
    copies.push_back(from);
  } else if (const std::optional<PortPlace> to = cross_multicast(from)) {
    copies.push_back(*to);
  }
  std::size_t left = 1;  // a tree crosses each cable once
  for (const ServedNode& node : nodes_) {
    left += node.ports.size();
  }
  for (; !copies.empty(); copies.pop_front()) {
    const PortPlace at = copies.front();
    const ServedNode& node = node_at(at);
    if (left-- == 0) {
      ++lost_.loops;
      return;
    }
    if (!node.is_switch()) {
      arrive({.end = at, .ingress = at.port}, packet, now);
      continue;
    }
    const PortMask ports = multicast_ports(node, packet.destination);
    if (ports.none()) {
      ++lost_.no_route;
      ++port_at(at).counters.counted().switch_relay_errors;
    }
    for (std::size_t number = 0; number < node.ports.size(); ++number) {
      const PortPlace egress{.node = at.node, .port = static_cast<PortNumber>(number)};
      if (!ports[number] || number == at.port) {
        continue;
      }
      if (number == 0) {
        arrive({.end = egress, .ingress = at.port}, packet, now);
      } else if (const std::optional<PortPlace> to = cross_multicast(egress)) {
        copies.push_back(*to);
      }
    }
  }
}

void ServedSubnet::send_by_lid(PortPlace from, const MadPacket& packet, Time now) {
  if (is_multicast(packet.destination)) {
    send_multicast(from, packet, now);
    return;
  }
  if (const std::optional<Arrival> at = by_lid(from, packet)) {
    arrive(*at, packet, now);
  }
}

/// From the requester's port out along InitialPath, noting at each node where it came in.
//= ibta-1.7 14.2.2
void ServedSubnet::send_directed(PortPlace from, MadPacket packet, Time now) {
  if (is_returning(packet)) {
    return_directed(from, packet);
    return;
  }
  const std::uint8_t hops = hop_count(packet);
  const bool ends_by_lid = wire::load_be16(packet.mad, mad_offset::kDirectedDestination) != kPermissiveLid;
  if (hop_pointer(packet) != 0 || hops >= wire::DirectedRouteSmp::kMaxHops || ends_by_lid) {
    ++lost_.malformed;
    return;
  }
  std::optional<PortPlace> at = from;
  bool may_forward = true;  // the requester's own node, or a switch
  if (begins_by_lid(packet)) {
    packet.source = packet.source == 0 ? port_at(from).info.lid : packet.source;
    const std::optional<Arrival> begin = by_lid(from, packet);
    at = begin ? std::optional(PortPlace{.node = begin->end.node, .port = begin->ingress}) : std::nullopt;
    may_forward = at && node_at(*at).is_switch();
  }
  for (unsigned hop = 1; at && hop <= hops; ++hop) {
    const PortNumber port = wire::load_u8(packet.mad, mad_offset::kInitialPath + hop);
    const ServedNode& node = node_at(*at);
    if (!may_forward || port == 0 || port >= node.ports.size()) {
      ++lost_.malformed;
      return;
    }
    at = cross({.node = at->node, .port = port}, Lane::kManagement);
    if (at) {
      wire::store_u8(packet.mad, mad_offset::kReturnPath + hop, at->port);
      may_forward = node_at(*at).is_switch();
    }
  }
  if (at) {
    set_hop_pointer(packet, hops + 1U);
    answer_directed(*at, packet, now);
  }
}

/// From the node that answers back along ReturnPath, and to a program at the requester's port.
//= ibta-1.7 14.2.2
void ServedSubnet::return_directed(PortPlace from, MadPacket packet) {
  const std::uint8_t hops = hop_count(packet);
  if (hops >= wire::DirectedRouteSmp::kMaxHops || hop_pointer(packet) != hops + 1) {
    ++lost_.malformed;
    return;
  }
  const std::uint16_t status = wire::load_be16(packet.mad, mad_offset::kStatus);
  wire::store_be16(packet.mad, mad_offset::kStatus, status | wire::DirectedRouteSmp::kReturning);
  std::optional<PortPlace> at = from;
  for (unsigned hop = hops; at && hop > 0; --hop) {
    const PortNumber port = wire::load_u8(packet.mad, mad_offset::kReturnPath + hop);
    if (port == 0 || port >= node_at(*at).ports.size()) {
      ++lost_.malformed;
      return;
    }
    at = cross({.node = at->node, .port = port}, Lane::kManagement);
  }
  if (!at) {
    return;
  }
  set_hop_pointer(packet, 0);
  PortPlace end{.node = at->node, .port = node_at(*at).is_switch() ? PortNumber{0} : at->port};
  if (begins_by_lid(packet)) {
    packet.destination = wire::load_be16(packet.mad, mad_offset::kDirectedSource);
    const std::optional<Arrival> requester = by_lid(end, packet);
    if (!requester) {
      return;
    }
    end = requester->end;
  }
  deliver(end, packet);
}

}  // namespace weft::subnet
