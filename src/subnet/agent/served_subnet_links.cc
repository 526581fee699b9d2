// Links that change, and what the agents of switches say of it.
#include <algorithm>

#include "subnet/agent/link_rate.h"
#include "subnet/agent/served_subnet.h"
#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

using wire::PhysicalState;
using wire::PortState;

/// 4.096 us doubled SubnetTimeOut times is the least between traps; a subnet without a timeout would be flooded.
constexpr Duration kTimeoutUnit = Duration::nanoseconds(4'096);
constexpr Duration kLeastTrapInterval = Duration::milliseconds(100);

Duration trap_interval(const wire::PortInfo& info) {
  return std::max(kLeastTrapInterval, kTimeoutUnit * (std::int64_t{1} << info.subnet_timeout));
}

bool is_off(const ServedPort& port) {
  return port.physical() == PhysicalState::kDisabled || port.physical() == PhysicalState::kSleep;
}

PhysicalState down_default(const ServedPort& port) { return static_cast<PhysicalState>(port.info.down_default_state); }

PhysicalState physical_after(const LinkCommand& command, const ServedPort& port) {
  switch (command.kind) {
    case LinkCommand::Kind::kDown:
      break;
    case LinkCommand::Kind::kPoll:
      return PhysicalState::kPolling;
    case LinkCommand::Kind::kSleep:
      return PhysicalState::kSleep;
    case LinkCommand::Kind::kDisable:
      return PhysicalState::kDisabled;
  }
  return down_default(port);
}

}  // namespace

Result<void> ServedSubnet::set_cable(PortPlace at, Cable cable, Time now) {
  if (at.node.value() >= nodes_.size() || at.port >= node_at(at).ports.size()) {
    return fail("no such port");
  }
  if (!port_at(at).cable) {
    return fail("port {} has no cable", at.port);
  }
  const PortPlace peer = *port_at(at).cable;
  const bool unplug = cable == Cable::kUnplugged;
  if (port_at(at).is_unplugged == unplug) {
    return fail("the cable of port {} is {} already", at.port, unplug ? "unlinked" : "linked");
  }
  port_at(at).is_unplugged = unplug;
  port_at(peer).is_unplugged = unplug;
  if (unplug) {
    for (const PortPlace end : {at, peer}) {
      port_at(end).counters.counted().link_downed += port_at(end).state() == PortState::kDown ? 0 : 1;
    }
    link_down(at, Cause::kCable, now);
  } else {
    link_up(at, now);
  }
  return {};
}

void ServedSubnet::carry_out(NodeIndex node, const LinkCommand& command, Time now) {
  const PortPlace at{.node = node, .port = command.port};
  if (port_at(at).cable) {
    link_down(at, Cause::kManager, now);
  }
  port_at(at).set(PortState::kDown, physical_after(command, port_at(at)));
  if (port_at(at).cable) {
    link_up(at, now);
  }
}

/// Both ends go to the state that each has for a link that is down.
//= ibta-1.7 14.2.5.6
void ServedSubnet::link_down(PortPlace at, Cause cause, Time now) {
  const PortPlace peer = *port_at(at).cable;
  if (port_at(at).state() == PortState::kDown) {
    return;
  }
  for (const PortPlace end : {at, peer}) {
    port_at(end).set(PortState::kDown, down_default(port_at(end)));
  }
  if (cause == Cause::kCable) {  // where a manager set the port, it knows of that end
    note_switch(at, now);
  }
  note_switch(peer, now);
}

/// The link comes up where the cable is plugged, both ends poll and have a rate in common. That it does is the work of
/// the ports and not of a Set: both switches say so.
//= ibta-1.7 14.2.5.4
void ServedSubnet::link_up(PortPlace at, Time now) {
  const PortPlace peer = *port_at(at).cable;
  ServedPort& a = port_at(at);
  ServedPort& b = port_at(peer);
  if (a.is_unplugged || is_off(a) || is_off(b) || a.state() != PortState::kDown || !negotiate(a.info, b.info)) {
    return;
  }
  a.set(PortState::kInitialize, PhysicalState::kLinkUp);
  b.set(PortState::kInitialize, PhysicalState::kLinkUp);
  note_switch(at, now);
  note_switch(peer, now);
}

/// A switch says that one of its ports has changed: PortStateChange and a trap.
//= ibta-1.7 14.2.5.1
void ServedSubnet::note_switch(PortPlace at, Time now) {
  ServedNode& node = node_at(at);
  if (!node.is_switch()) {
    return;
  }
  node.switch_info.port_state_change = 1;
  node.trap = PendingTrap{.transaction_id = ++node.traps_sent, .next = now};
  if (std::ranges::find(trapping_, at.node) == trapping_.end()) {
    trapping_.push_back(at.node);
  }
  send_trap(at.node, now);
}

/// The pending one, to the manager that the switch knows; without one there is nothing to repeat.
void ServedSubnet::send_trap(NodeIndex index, Time now) {
  ServedNode& node = nodes_[index.value()];
  const wire::PortInfo& info = node.ports[0].info;
  if (!node.trap || info.lid == 0 || info.sm_lid == 0) {
    node.trap.reset();
    return;
  }
  node.trap->next = now + trap_interval(info);
  MadPacket packet{.source = info.lid, .destination = info.sm_lid, .source_qp = kSubnetQp, .destination_qp = kSubnetQp};
  const wire::MadHeader header{.management_class = wire::kClassSubnetLidRouted,
                               .method = wire::kMethodTrap,
                               .transaction_id = node.trap->transaction_id,
                               .attribute_id = wire::kAttributeNotice};
  header.emit(packet.mad);
  const wire::Notice notice{.type = wire::Notice::kUrgent,
                            .producer_type = wire::NodeInfo::kSwitch,
                            .trap_number = wire::Notice::kLinkStateChange,
                            .issuer_lid = info.lid,
                            .lid = info.lid};
  notice.emit(std::span(packet.mad).subspan(mad_offset::kSmpData));
  const PortPlace from{.node = index, .port = 0};
  if (movement_ == Movement::kByOwner) {
    traps_.push_back({.at = from, .packet = packet});
    return;
  }
  send_by_lid(from, packet, now);
}

}  // namespace weft::subnet
