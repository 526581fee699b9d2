#include "subnet/manager/timed_subnet.h"

#include "base/assert.h"
#include "subnet/agent/link_rate.h"
#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

std::uint8_t hop_count_of(const MadPacket& packet) { return wire::load_u8(packet.mad, mad_offset::kHopCount); }

PortNumber hop_port(const MadPacket& packet, std::size_t path, unsigned hop) {
  return wire::load_u8(packet.mad, path + hop);
}

void set_returning(MadPacket& packet) {
  const std::uint16_t status = wire::load_be16(packet.mad, mad_offset::kStatus);
  wire::store_be16(packet.mad, mad_offset::kStatus, status | wire::DirectedRouteSmp::kReturning);
}

}  // namespace

TimedSubnet::TimedSubnet(const Subnet& subnet, const MadTimes& times)
    : served_(subnet, ServedSubnet::Movement::kByOwner), times_(times) {
  for (const ServedNode& node : served_.nodes()) {
    nodes_.push_back({.port_free = std::vector<Time>(node.ports.size(), Time::zero())});
  }
}

std::size_t TimedSubnet::add_manager(PortPlace at, const ManagerOptions& options) {
  managers_.push_back({.at = at, .manager = std::make_unique<SubnetManager>(options)});
  return managers_.size() - 1;
}

void TimedSubnet::start_manager(std::size_t manager, Time at) {
  schedule(at, What::kStart, static_cast<std::uint32_t>(manager));
}

void TimedSubnet::stop_manager(std::size_t manager, Time at) {
  schedule(at, What::kStop, static_cast<std::uint32_t>(manager));
}

void TimedSubnet::set_cable(PortPlace at, ServedSubnet::Cable cable, Time when) {
  schedule(when, cable == ServedSubnet::Cable::kUnplugged ? What::kUnplug : What::kPlug, 0, at);
}

void TimedSubnet::send(PortPlace from, const MadPacket& packet, Time when) {
  programs_.push_back(packet);
  schedule(when, What::kSend, static_cast<std::uint32_t>(programs_.size() - 1), from);
}

void TimedSubnet::schedule(Time at, What what, std::uint32_t index, PortPlace place) {
  WEFT_DCHECK(at >= now_);
  events_queue_.push({.at = at, .order = ++order_, .what = what, .index = index, .place = place});
}

void TimedSubnet::run(const std::function<bool()>& is_done, Time limit) {
  while (!events_queue_.empty() && events_queue_.top().at <= limit && !is_done()) {
    const Event event = events_queue_.top();
    events_queue_.pop();
    now_ = event.at;
    ++events_;
    dispatch(event);
  }
}

void TimedSubnet::dispatch(const Event& event) {
  switch (event.what) {
    case What::kArrive:
      arrive(event.index);
      break;
    case What::kHandled:
      handled(event.index);
      break;
    case What::kManager: {
      Host& host = managers_[event.index];
      host.alarm = host.alarm <= event.at ? Time::never() : host.alarm;
      if (host.is_running && host.manager->next_timeout() <= now_) {
        host.manager->on_timeout(now_);
      }
      attend(event.index);
      break;
    }
    case What::kTrap:
      trap_alarm_ = Time::never();
      served_.on_timeout(now_);
      collect_traps();
      break;
    case What::kStart:
      managers_[event.index].is_running = true;
      served_.set_manager(managers_[event.index].at, ServedSubnet::Manager::kPresent);
      managers_[event.index].manager->start(now_);
      attend(event.index);
      break;
    case What::kStop:
      managers_[event.index].is_running = false;
      served_.set_manager(managers_[event.index].at, ServedSubnet::Manager::kAbsent);
      break;
    case What::kSend: {
      MadPacket packet = programs_[event.index];
      packet.destination = packet.destination == 0 ? served_.port(event.place).info.sm_lid : packet.destination;
      inject(event.place, packet);
      break;
    }
    case What::kUnplug:
    case What::kPlug: {
      const bool unplug = event.what == What::kUnplug;
      // A cable that both of two failures name is pulled once.
      (void)served_.set_cable(event.place, unplug ? ServedSubnet::Cable::kUnplugged : ServedSubnet::Cable::kPlugged,
                              now_);
      collect_traps();
      break;
    }
  }
}

/// Sends what the manager has to send, and sees to it that it is called again in time.
void TimedSubnet::attend(std::size_t manager) {
  Host& host = managers_[manager];
  if (!host.is_running) {
    return;
  }
  while (const std::optional<MadPacket> packet = host.manager->poll_transmit(now_)) {
    inject(host.at, *packet);
  }
  const Time next = host.manager->next_timeout();
  if (!next.is_never() && next < host.alarm) {
    host.alarm = later(next, now_);
    schedule(host.alarm, What::kManager, static_cast<std::uint32_t>(manager));
  }
}

void TimedSubnet::collect_traps() {
  while (const std::optional<ServedSubnet::Delivery> trap = served_.poll_trap()) {
    inject(trap->at, trap->packet);
  }
  const Time next = served_.next_timeout();
  if (!next.is_never() && next < trap_alarm_) {
    trap_alarm_ = later(next, now_);
    schedule(trap_alarm_, What::kTrap, 0);
  }
}

std::uint32_t TimedSubnet::add(const Transit& transit) {
  if (free_transits_.empty()) {
    transits_.push_back(transit);
    return static_cast<std::uint32_t>(transits_.size() - 1);
  }
  const std::uint32_t index = free_transits_.back();
  free_transits_.pop_back();
  transits_[index] = transit;
  return index;
}

/// The port whose agent or manager it is: of a switch port 0.
PortPlace TimedSubnet::end_of(PortPlace place) const {
  return {.node = place.node, .port = served_[place.node].is_switch() ? PortNumber{0} : place.port};
}

/// A MAD that a manager or an agent sends from its end port.
void TimedSubnet::inject(PortPlace from, const MadPacket& packet) {
  const wire::MadHeader header = *wire::MadHeader::parse(packet.mad);
  const std::uint32_t transit = add({.packet = packet, .at = from});
  Transit& made = transits_[transit];
  made.is_directed = header.management_class == wire::kClassSubnetDirectedRoute;
  if (!made.is_directed) {
    made.packet.source = made.packet.source == 0 ? served_.port(from).info.lid : made.packet.source;
    forward_by_lid(transit);
    return;
  }
  made.is_returning = is_response(header.method);
  if (made.is_returning) {
    made.hop = hop_count_of(packet);
    set_returning(made.packet);
    go_back(transit);
  } else if (hop_count_of(packet) == 0) {
    handle(transit, agent_time(from.node));
  } else {
    transmit(transit, {.node = from.node, .port = hop_port(packet, mad_offset::kInitialPath, 1)});
  }
}

/// Onto the link of that port, when it is free, and not before `after` has passed.
void TimedSubnet::transmit(std::uint32_t transit, PortPlace egress, Duration after) {
  const bool exists = egress.port > 0 && egress.port < served_[egress.node].ports.size();
  const std::optional<PortPlace> to = exists ? served_.cross(egress, ServedSubnet::Lane::kManagement) : std::nullopt;
  if (!to) {
    drop(transit);
    return;
  }
  Time& free = nodes_[egress.node.value()].port_free[egress.port];
  free = later(now_ + after, free) + data_rate(served_.port(egress).info).transmit_time(kMadWireSize);
  transits_[transit].at = *to;
  schedule(free + times_.cable, What::kArrive, transit);
}

void TimedSubnet::arrive(std::uint32_t transit) {
  Transit& mad = transits_[transit];
  if (served_.port(mad.at).state() == wire::PortState::kDown) {  // the cable was pulled meanwhile
    drop(transit);
    return;
  }
  if (!mad.is_directed) {
    ++mad.hops;
    forward_by_lid(transit);
    return;
  }
  if (mad.is_returning) {
    --mad.hop;
    if (mad.hop == 0) {
      at_destination(transit);
    } else {
      handle(transit, times_.pass);
    }
    return;
  }
  ++mad.hop;
  wire::store_u8(mad.packet.mad, mad_offset::kReturnPath + mad.hop, mad.at.port);
  const bool ends = mad.hop == hop_count_of(mad.packet);
  if (!ends && !served_[mad.at.node].is_switch()) {
    drop(transit);
    return;
  }
  handle(transit, ends ? agent_time(mad.at.node) : times_.pass);
}

/// The node takes its time, after what has come before.
void TimedSubnet::handle(std::uint32_t transit, Duration takes) {
  NodeState& node = nodes_[transits_[transit].at.node.value()];
  if (node.held >= times_.buffer) {
    ++overflowed_;
    drop(transit);
    return;
  }
  ++node.held;
  node.free = later(now_, node.free) + takes;
  schedule(node.free, What::kHandled, transit);
}

void TimedSubnet::handled(std::uint32_t transit) {
  Transit& mad = transits_[transit];
  --nodes_[mad.at.node.value()].held;
  if (!mad.is_directed) {
    answer(transit);
  } else if (mad.is_returning) {
    go_back(transit);
  } else if (mad.hop == hop_count_of(mad.packet)) {
    answer(transit);
  } else {
    transmit(transit, {.node = mad.at.node, .port = hop_port(mad.packet, mad_offset::kInitialPath, mad.hop + 1U)});
  }
}

/// By the port through which the request came in at this node.
void TimedSubnet::go_back(std::uint32_t transit) {
  const Transit& mad = transits_[transit];
  transmit(transit, {.node = mad.at.node, .port = hop_port(mad.packet, mad_offset::kReturnPath, mad.hop)});
}

/// The agent's answer, or the manager's who is asked instead.
//= ibta-1.7 14.2.2
void TimedSubnet::answer(std::uint32_t transit) {
  Transit& mad = transits_[transit];
  const PortPlace at = mad.at;
  const PortPlace end = end_of(at);
  if (served_.manager_takes(end, *wire::MadHeader::parse(mad.packet.mad))) {
    const MadPacket packet = mad.packet;
    drop(transit);
    (void)give_to_manager(end, packet);
    return;
  }
  const std::optional<ServedSubnet::Answer> made = served_.answer(at, mad.packet, now_);
  if (!made) {
    drop(transit);
    return;
  }
  mad.packet = made->packet;
  if (!mad.is_directed) {
    mad.hops = 0;
    mad.at = end;
    forward_by_lid(transit);
  } else {
    mad.is_returning = true;
    set_returning(mad.packet);
    if (mad.hop == 0) {
      at_destination(transit);
    } else {
      go_back(transit);
    }
  }
  if (made->command) {
    served_.carry_out(at.node, *made->command, now_);
    collect_traps();
  }
}

/// Of a MAD without a directed route: on by the forwarding table, or it is where it is to be.
void TimedSubnet::forward_by_lid(std::uint32_t transit) {
  Transit& mad = transits_[transit];
  const PortPlace end = end_of(mad.at);
  const ServedNode& node = served_[mad.at.node];
  if (served_.port(end).has_lid(mad.packet.destination)) {
    at_destination(transit);
    return;
  }
  const bool begins = mad.hops == 0;
  std::optional<PortNumber> port = node.egress(mad.packet.destination);
  if (!node.is_switch()) {
    port = begins ? std::optional(mad.at.port) : std::nullopt;
  }
  if (!port || *port == 0 || mad.hops > nodes_.size()) {
    drop(transit);
    return;
  }
  const bool is_forwarded = node.is_switch() && !begins;
  transmit(transit, {.node = mad.at.node, .port = *port}, is_forwarded ? times_.forward : Duration::zero());
}

void TimedSubnet::at_destination(std::uint32_t transit) {
  const Transit& mad = transits_[transit];
  const PortPlace end = end_of(mad.at);
  const wire::MadHeader header = *wire::MadHeader::parse(mad.packet.mad);
  if (is_response(header.method) || served_.manager_takes(end, header)) {
    const MadPacket packet = mad.packet;
    drop(transit);
    if (!give_to_manager(end, packet)) {
      received_.push_back({.at = end, .packet = packet, .when = now_});
    }
    return;
  }
  handle(transit, agent_time(end.node));
}

bool TimedSubnet::give_to_manager(PortPlace end, const MadPacket& packet) {
  for (std::size_t i = 0; i < managers_.size(); ++i) {
    if (managers_[i].at == end && managers_[i].is_running) {
      managers_[i].manager->on_mad(packet, now_);
      attend(i);
      return true;
    }
  }
  return false;
}

}  // namespace weft::subnet
