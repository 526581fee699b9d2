#include "subnet/agent/served_subnet.h"

#include <algorithm>
#include <span>

#include "subnet/agent/performance_agent.h"
#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

constexpr std::uint8_t kClassVersion = 1;  // of subnet and of performance management

bool is_subnet_management(const wire::MadHeader& header) {
  return header.management_class == wire::kClassSubnetLidRouted ||
         header.management_class == wire::kClassSubnetDirectedRoute;
}

bool is_get_or_set(const wire::MadHeader& header) {
  return header.method == wire::kMethodGet || header.method == wire::kMethodSet;
}

SmpRequest smp_request(const MadPacket& packet, PortNumber port, Time now) {
  return {.header = *wire::MadHeader::parse(packet.mad),
          .m_key = wire::load_be64(packet.mad, mad_offset::kMKey),
          .port = port,
          .now = now};
}

SmpData smp_data(const MadPacket& packet) {
  SmpData data;
  std::copy_n(packet.mad.begin() + mad_offset::kSmpData, data.size(), data.begin());
  return data;
}

/// Makes the request its answer; the direction bit of a directed route is set where the answer begins.
void finish_answer(MadPacket& packet, MadStatus status) {
  packet.length = wire::kMadSize;
  wire::store_u8(packet.mad, mad_offset::kMethod, wire::kMethodGetResponse);
  wire::store_be16(packet.mad, mad_offset::kStatus, static_cast<std::uint16_t>(status));
}

}  // namespace

void ServedSubnet::send(PortPlace from, const MadPacket& packet, Time now) {
  const Result<wire::MadHeader> header = wire::MadHeader::parse(packet.mad);
  if (!header) {
    ++lost_.malformed;
    return;
  }
  if (header->management_class == wire::kClassSubnetDirectedRoute) {
    send_directed(from, packet, now);
    return;
  }
  MadPacket sent = packet;
  if (sent.source == 0) {
    sent.source = port_at(from).info.lid;
  }
  send_by_lid(from, sent, now);
}

std::optional<ServedSubnet::Delivery> ServedSubnet::poll_delivery() {
  if (deliveries_.empty()) {
    return std::nullopt;
  }
  Delivery first = deliveries_.front();
  deliveries_.pop_front();
  return first;
}

std::optional<ServedSubnet::Delivery> ServedSubnet::poll_trap() {
  if (traps_.empty()) {
    return std::nullopt;
  }
  Delivery first = traps_.front();
  traps_.pop_front();
  return first;
}

void ServedSubnet::set_manager(PortPlace at, Manager manager) {
  std::uint32_t& mask = port_at(at).info.capability_mask;
  mask = manager == Manager::kPresent ? mask | wire::kIsSm : mask & ~std::uint32_t{wire::kIsSm};
}

bool ServedSubnet::manager_takes(PortPlace at, const wire::MadHeader& header) const {
  return (port(at).info.capability_mask & wire::kIsSm) != 0 &&
         (header.attribute_id == wire::kAttributeSmInfo || header.method == wire::kMethodTrap ||
          header.management_class == wire::kClassSubnetAdministration);
}

/// A MAD at its destination: an end port, and for a switch its port 0.
void ServedSubnet::arrive(const Arrival& arrival, const MadPacket& packet, Time now) {
  const PortPlace at = arrival.end;
  const wire::MadHeader header = *wire::MadHeader::parse(packet.mad);
  // What ends no trap of the node's own is for the program at that port that has sent one, such as a manager that tells
  // another of itself.
  const bool represses = header.method == wire::kMethodTrapRepress && names_own_trap(at, header);
  const bool for_agent = !is_response(header.method) && (is_get_or_set(header) || represses);
  if (for_agent && is_subnet_management(header) && !manager_takes(at, header)) {
    answer_management(arrival, packet, now);
  } else if (for_agent && header.management_class == wire::kClassPerformance) {
    answer_counters(at, packet);
  } else {
    deliver(at, packet);
  }
}

std::optional<ServedSubnet::Answer> ServedSubnet::answer(PortPlace at, const MadPacket& request, Time now) {
  const SmpRequest smp = smp_request(request, at.port, now);
  if (!passes_m_key(node_at(at), smp)) {
    ++lost_.wrong_key;
    return std::nullopt;
  }
  if (repress(at, smp) || !is_get_or_set(smp.header)) {
    return std::nullopt;
  }
  SmpData data = smp_data(request);
  SmpAnswer said{.status = MadStatus::kBadVersion};
  if (smp.header.class_version == kClassVersion) {
    said = answer_smp(node_at(at), smp, data);
  }
  Answer made{.packet = turned_around(request), .command = said.command};
  std::ranges::copy(data, made.packet.mad.begin() + mad_offset::kSmpData);
  finish_answer(made.packet, said.status);
  ++answered_;
  return made;
}

void ServedSubnet::answer_management(const Arrival& arrival, const MadPacket& request, Time now) {
  const PortPlace at{.node = arrival.end.node, .port = arrival.ingress};
  const std::optional<Answer> made = answer(at, request, now);
  if (!made) {
    return;
  }
  send_by_lid(arrival.end, made->packet, now);
  if (made->command) {
    carry_out(at.node, *made->command, now);
  }
}

/// The same at the end of a directed route, where the answer takes it back.
void ServedSubnet::answer_directed(PortPlace at, const MadPacket& request, Time now) {
  PortPlace end = at;
  end.port = node_at(at).is_switch() ? PortNumber{0} : at.port;
  if (manager_takes(end, *wire::MadHeader::parse(request.mad))) {
    deliver(end, request);
    return;
  }
  const std::optional<Answer> made = answer(at, request, now);
  if (!made) {
    return;
  }
  return_directed(at, made->packet);
  if (made->command) {
    carry_out(at.node, *made->command, now);
  }
}

void ServedSubnet::answer_counters(PortPlace at, const MadPacket& request) {
  MadPacket back = turned_around(request);
  const SmpRequest asked = smp_request(request, at.port, {});
  MadStatus status = MadStatus::kMethodNotSupported;
  if (asked.header.class_version != kClassVersion) {
    status = MadStatus::kBadVersion;
  } else if (is_get_or_set(asked.header)) {
    status = answer_performance(node_at(at), asked, back.mad);
  }
  finish_answer(back, status);
  ++answered_;
  send_by_lid(at, back, asked.now);
}

/// Whether the SMP is a TrapRepress, which ends the trap that it names.
//= ibta-1.7 13.4.9
bool ServedSubnet::repress(PortPlace at, const SmpRequest& request) {
  if (request.header.method != wire::kMethodTrapRepress) {
    return false;
  }
  if (names_own_trap(at, request.header)) {
    node_at(at).trap.reset();
  }
  return true;
}

bool ServedSubnet::names_own_trap(PortPlace at, const wire::MadHeader& header) const {
  const std::optional<PendingTrap>& trap = nodes_[at.node.value()].trap;
  constexpr std::uint64_t kOwnBits = 0xFFFF'FFFF;  // the upper half is that of the manager's stack
  return trap && trap->transaction_id == (header.transaction_id & kOwnBits);
}

Time ServedSubnet::next_timeout() const {
  Time next = Time::never();
  for (const NodeIndex node : trapping_) {
    const std::optional<PendingTrap>& trap = nodes_[node.value()].trap;
    next = trap ? std::min(next, trap->next) : next;
  }
  return next;
}

void ServedSubnet::on_timeout(Time now) {
  std::erase_if(trapping_, [&](NodeIndex node) { return !nodes_[node.value()].trap; });
  const std::vector<NodeIndex> trapping = trapping_;
  for (const NodeIndex node : trapping) {
    const std::optional<PendingTrap>& trap = nodes_[node.value()].trap;
    if (trap && trap->next <= now) {
      send_trap(node, now);
    }
  }
}

}  // namespace weft::subnet
