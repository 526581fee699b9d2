#include "host/attack/attacks.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/stable_hash.h"
#include "fabric/control/control_plane.h"
#include "fabric/topology/graph_query.h"
#include "host/actors.h"
#include "host/attack/attack_judge.h"
#include "host/attack/forge.h"
#include "transport/congestion/ib_congestion_control.h"
#include "transport/partition.h"
#include "transport/qp_core.h"
#include "wire/encapsulation.h"
#include "wire/opcode.h"

namespace weft::host {
namespace {

constexpr std::uint16_t kLongestPause = 0xFFFF;  // quanta
constexpr std::uint16_t kAnnouncementBytes = wire::kEthernetMinFrame;
constexpr std::uint16_t kSegmentBytes = 70;  // TCP over IPv4 with timestamps, without data
constexpr std::uint32_t kMadBytes = 256;
constexpr std::uint16_t kDefaultPartition = 0xFFFF;  // per-job partitions take it away from all ports

/// For the switch of the victim, and not for the victim.
bool is_for_switch(AttackKind kind) {
  return kind == AttackKind::kGidSpoof || kind == AttackKind::kBgpSpoof || kind == AttackKind::kRogueSm ||
         kind == AttackKind::kForgedSmKey;
}

bool is_mad(AttackKind kind) {
  return kind == AttackKind::kRogueSm || kind == AttackKind::kRogueCc || kind == AttackKind::kForgedSmKey;
}

}  // namespace

Attacks::Attacks(std::vector<AttackOptions> attacks, Defences defences, Environment environment)
    : options_(std::move(attacks)),
      defences_(std::move(defences)),
      kernel_(environment.kernel),
      packets_(environment.packets),
      fabric_(environment.fabric),
      find_nic_(std::move(environment.find_nic)),
      wires_(environment.fabric.endpoint_port()),
      states_(options_.size()),
      rates_(fabric::endpoint_rates(environment.fabric.graph())),
      ports_(environment.fabric.graph().endpoints) {
  for (std::uint32_t i = 0; i < options_.size(); ++i) {
    WEFT_ASSERT(options_[i].interval > Duration::zero() && options_[i].from != options_[i].victim);
    if (options_[i].kind == AttackKind::kForgedSmKey) {
      WEFT_ASSERT(options_[i].administration.is_valid() && options_[i].administration != options_[i].from);
      make_port(options_[i].administration);
    }
    states_[i].forge = std::make_unique<Forge>(options_[i], find_nic_);
    states_[i].due = options_[i].start;
    make_port(options_[i].from).attacks.push_back(i);
    make_port(options_[i].victim);
  }
}

Attacks::~Attacks() = default;

Attacks::State::State() = default;
Attacks::State::~State() = default;
Attacks::State::State(State&&) noexcept = default;

Attacks::Port& Attacks::make_port(EndpointId endpoint) {
  std::unique_ptr<Port>& port = ports_[endpoint.value()];
  if (port == nullptr) {
    port = std::make_unique<Port>();
    port->all = this;
  }
  return *port;
}

// A limit of notifications is one of every NIC.
bool Attacks::is_wanted(EndpointId endpoint) const {
  return ports_[endpoint.value()] != nullptr || defences_.cnp_interval > Duration::zero();
}

fabric::EndpointPort& Attacks::port_of(EndpointId endpoint) {
  return is_wanted(endpoint) ? static_cast<fabric::EndpointPort&>(make_port(endpoint)) : wires_;
}

fabric::Endpoint& Attacks::attach(EndpointId endpoint, Nic& nic) {
  if (!is_wanted(endpoint)) {
    return nic;
  }
  Port& port = make_port(endpoint);
  port.nic = &nic;
  return port;
}

void Attacks::register_actors(sim::ActorOrder& ranks, std::uint64_t seed) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    ranks.add({stable_hash(seed, "attack " + options_[i].name), kAttack}, states_[i].wake);
  }
}

// Switches look at what comes from hosts of attackers; one that believes a false address, at all that it forwards.
void Attacks::start() {
  std::vector<fabric::PortIndex> watched;
  for (std::uint32_t i = 0; i < options_.size(); ++i) {
    const AttackOptions& attack = options_[i];
    const fabric::PortIndex leaf_port = fabric_.peer_of(attack.from.value());
    watched.push_back(leaf_port);
    if (is_for_switch(attack.kind)) {
      const fabric::NodeIndex leaf = leaf_of(attack.victim);
      for (fabric::PortIndex port = 0; port < fabric_.port_count(); ++port) {
        if (fabric_.end_of(port).node == leaf) {
          watched.push_back(port);
        }
      }
    }
    if (attack.start < attack.stop) {
      kernel_.wake(states_[i].wake, sim::ActorId(kAttack, i), attack.start);
    }
  }
  std::ranges::sort(watched);
  watched.erase(std::unique(watched.begin(), watched.end()), watched.end());
  if (!watched.empty()) {
    fabric_.set_filter(*this, watched);
  }
}

void Attacks::on_timer(std::uint32_t attack, Time now) {
  if (states_[attack].wake.fires(now)) {
    pump(attack, now);
  }
}

void Attacks::Port::on_wire_ready(Time now) {
  for (const std::uint32_t attack : attacks) {
    if (all->states_[attack].waits) {
      all->pump(attack, now);
    }
  }
  nic->on_wire_ready(now);
}

void Attacks::pump(std::uint32_t attack, Time now) {
  const AttackOptions& options = options_[attack];
  State& state = states_[attack];
  state.waits = false;
  while (state.due <= now && state.due < options.stop) {
    const fabric::SendPermit permit = wires_.permit(options.from, now);
    if (permit.free_at > now) {
      state.waits = true;
      wires_.request_wire(options.from, permit.free_at);
      return;
    }
    if (!send_one(attack, permit, now)) {
      state.waits = true;  // the end of the pause calls
      return;
    }
    const bool by_bytes = options.bandwidth > Rate::zero() && state.wire_bytes > 0;
    const Duration gap = by_bytes ? options.bandwidth.transmit_time(Bytes(state.wire_bytes)) : options.interval;
    state.due = later(state.due + gap, now);
  }
  if (state.due < options.stop) {
    kernel_.wake(state.wake, sim::ActorId(kAttack, attack), later(state.due, now));
  }
}

bool Attacks::send_one(std::uint32_t attack, const fabric::SendPermit& permit, Time now) {
  switch (options_[attack].kind) {
    case AttackKind::kPauseFlood:
      send_pause(attack, now);
      return true;
    case AttackKind::kGidSpoof:
    case AttackKind::kBgpSpoof:
    case AttackKind::kRogueSm:
    case AttackKind::kRogueCc:
    case AttackKind::kForgedSmKey:
      return send_to_switch(attack, permit, now);
    case AttackKind::kForgedQKey:
      if (!states_[attack].forge->make_service()) {
        return true;
      }
      break;
    case AttackKind::kForgedRKey:
    case AttackKind::kForgedPKey:
    case AttackKind::kPsnGuess:
    case AttackKind::kCnpFlood:
      break;
  }
  return send_packet(attack, permit, now);
}

bool Attacks::send_packet(std::uint32_t attack, const fabric::SendPermit& permit, Time now) {
  const fabric::PacketHandle handle = packets_.allocate();
  wire::Packet& packet = packets_[handle];
  wire::ColdPacket cold;
  const bool made = states_[attack].forge->make(packet, cold);
  if (!made || ((permit.lanes >> packet.common.priority) & 1U) == 0) {
    packet.common.flags = 0;
    packets_.release(handle);
    states_[attack].forge->take_back();
    return !made;
  }
  if (packet.has(wire::kHasCold)) {
    packets_.attach_cold(packet, cold);
  }
  origins_[handle.value()] = {.attack = attack, .sent = now};
  ++states_[attack].counters.sent;
  states_[attack].wire_bytes = packet.common.wire_bytes;
  wires_.send(options_[attack].from, handle, now);
  return true;
}

std::uint8_t Attacks::data_priority(EndpointId victim) const {
  const Nic& nic = find_nic_(victim);
  for (const Qpn qpn : nic.device().queue_pair_numbers()) {
    const transport::QpCore& core = nic.device().core_of(nic.device().slot_of(qpn));
    return nic.options().lane_of_mark[core.attributes().address.traffic_class >> 2];
  }
  return 0;
}

void Attacks::send_pause(std::uint32_t attack, Time now) {
  auto* const ethernet = fabric_.get_if<fabric::EthernetFabric>();
  WEFT_ASSERT(ethernet != nullptr);
  const auto bit = static_cast<std::uint8_t>(1U << data_priority(options_[attack].victim));
  ++states_[attack].counters.sent;
  states_[attack].wire_bytes = wire::kEthernetMinFrame + wire::kEthernetGapBytes;
  ethernet->send_endpoint_pause(options_[attack].from, bit, kLongestPause, now);
}

// With the M_Key as soon as it is known; one that is said to be 0 is tried, and asked for again.
Attacks::Origin Attacks::next_management(std::uint32_t attack, Time now) const {
  const State& state = states_[attack];
  Origin next{.attack = attack, .sent = now};
  if (options_[attack].kind != AttackKind::kForgedSmKey) {
    return next;
  }
  if (state.told == Told::kNothing || now < state.told_at) {
    next.step = state.asks_trusted ? Step::kAskTrusted : Step::kAskUntrusted;
  } else {
    next.has_m_key = state.told == Told::kKey;
  }
  return next;
}

void Attacks::note_management(const Origin& origin) {
  State& state = states_[origin.attack];
  if (origin.step != Step::kForge) {
    state.asks_trusted = !state.asks_trusted;
  } else if (state.told == Told::kZero) {
    state.told = Told::kNothing;
  }
}

// An unsolicited ARP reply or neighbour advertisement; a segment of BGP; a management packet with its MAD.
bool Attacks::send_to_switch(std::uint32_t attack, const fabric::SendPermit& permit, Time now) {
  const AttackOptions& options = options_[attack];
  const fabric::PacketHandle handle = packets_.allocate();
  wire::Packet& packet = packets_[handle];
  packet = wire::Packet{};
  const Origin origin = next_management(attack, now);
  packet.common.source = is_mad(options.kind) ? options.from : options.victim;  // as it claims
  packet.common.destination = origin.step == Step::kForge ? options.victim : options.administration;
  if (is_mad(options.kind)) {
    packet.common.encapsulation = wire::Encapsulation::kIbLocal;
    packet.common.priority = find_nic_(options.from).options().lane_of_mark[0];
    packet.ib.opcode = wire::make_opcode(wire::Service::kUd, wire::Operation::kSendOnly);
    packet.ib.partition_key = options.kind == AttackKind::kRogueCc ? kDefaultPartition : packet.ib.partition_key;
    transport::set_payload(packet, kMadBytes);
  } else {
    packet.common.frame_bytes = options.kind == AttackKind::kGidSpoof ? kAnnouncementBytes : kSegmentBytes;
    packet.common.wire_bytes = static_cast<std::uint16_t>(packet.common.frame_bytes + wire::kEthernetGapBytes);
  }
  packet.common.flags = kForgedMark;
  if (((permit.lanes >> packet.common.priority) & 1U) == 0) {
    packet.common.flags = 0;
    packets_.release(handle);
    return false;
  }
  note_management(origin);
  origins_[handle.value()] = origin;
  ++states_[attack].counters.sent;
  states_[attack].wire_bytes = packet.common.wire_bytes;
  wires_.send(options.from, handle, now);
  return true;
}

bool Attacks::check_at_switch(State& state, const AttackOptions& options, const wire::Packet& packet) const {
  if (defences_.source_check && packet.common.source != options.from) {
    ++state.counters.of(Outcome::kSwitchAddress);
    return true;
  }
  // Subnet management has no P_Key, and every port is in the partition in which it asks subnet administration.
  if (!defences_.switch_partitions || packet.common.kind != wire::PacketKind::kInfiniBandTransport ||
      options.kind == AttackKind::kForgedSmKey) {
    return false;
  }
  const std::vector<std::uint16_t>& own = defences_.partitions[options.from.value()];
  const bool member = std::ranges::any_of(
      own, [&](std::uint16_t key) { return transport::partitions_match(key, packet.ib.partition_key); });
  state.counters.of(Outcome::kSwitchPartition) += member ? 0U : 1U;
  return !member;
}

Outcome Attacks::reset_session(std::uint32_t attack, Time now) {
  const AttackOptions& options = options_[attack];
  State& state = states_[attack];
  const fabric::NodeIndex leaf = leaf_of(options.victim);
  const bool is_far = leaf_of(options.from) != leaf;
  if (defences_.bgp_password || (defences_.bgp_ttl_security && is_far)) {
    return Outcome::kSwitchKey;
  }
  const auto* const ethernet = fabric_.get_if<fabric::EthernetFabric>();
  fabric::ControlPlane* const plane = ethernet == nullptr ? nullptr : ethernet->control_plane();
  if (plane == nullptr) {
    return Outcome::kOther;
  }
  const std::uint32_t ordinal = leaf.value() - fabric_.graph().endpoints;
  const std::uint16_t ports = fabric_.graph()[leaf].ports;
  for (std::uint16_t tried = 0; tried < ports; ++tried) {
    const auto port = static_cast<std::uint16_t>(state.session_turn++ % ports);
    const fabric::BgpSession* const session = plane->at(ordinal).session(port);
    if (session == nullptr || !session->is_established()) {
      continue;
    }
    if (state.forge->value(options.knows.psn, session->expected(), 32) != session->expected()) {
      return Outcome::kAhead;
    }
    fabric::ControlFrame reset{.kind = fabric::ControlFrameKind::kSegment, .segment = {}, .bytes = {}};
    reset.segment.sequence = session->expected();
    reset.segment.flags = wire::kTcpRst;
    plane->on_frame({.switch_ordinal = ordinal, .port = port}, reset, now);
    ++state.counters.sessions_broken;
    return Outcome::kAccepted;
  }
  return Outcome::kOther;
}

Outcome Attacks::take_at_switch(const Origin& origin, Time now) {
  const AttackOptions& options = options_[origin.attack];
  if (options.kind == AttackKind::kBgpSpoof) {
    return reset_session(origin.attack, now);
  }
  if (is_mad(options.kind) && defences_.m_key && !origin.has_m_key) {
    return Outcome::kSwitchKey;
  }
  states_[origin.attack].owns = true;
  return Outcome::kAccepted;
}

// SubnAdmGet(PortInfoRecord). The answer takes as long as the request did.
//= ibta-1.7 15.4.1
Outcome Attacks::take_at_administration(const Origin& origin, Time now) {
  State& state = states_[origin.attack];
  const bool is_trusted = origin.step == Step::kAskTrusted;
  if (is_trusted && defences_.sa_key && !options_[origin.attack].knows.sm_key) {
    return Outcome::kSmKey;
  }
  const Told told = is_trusted ? Told::kKey : Told::kZero;
  if (state.told < told) {
    state.told = told;
    state.told_at = now + (now - origin.sent);
  }
  return is_trusted ? Outcome::kAccepted : Outcome::kUntrusted;
}

// CongestionControlSet(CACongestionSetting): the least index of all service levels becomes the last of the table.
//= ibta-1.7 A10
Outcome Attacks::take_setting(std::uint32_t attack, Time now) {
  if (defences_.cc_key) {
    return Outcome::kSwitchKey;
  }
  State& state = states_[attack];
  std::uint32_t flows = 0;
  const transport::Device& device = find_nic_(options_[attack].victim).device();
  for (const Qpn qpn : device.queue_pair_numbers()) {
    const transport::RcQueuePair* const rc = device.find_rc(qpn);
    auto* const control =
        rc == nullptr ? nullptr : dynamic_cast<transport::IbCongestionControl*>(rc->options().congestion_control);
    if (control != nullptr) {
      control->set_minimum(control->limit(), now);
      ++flows;
    }
  }
  if (flows > 0 && state.set_flows == 0) {
    state.set_since = now;
  }
  state.set_flows = std::max(state.set_flows, flows);
  return flows > 0 ? Outcome::kAccepted : Outcome::kOther;
}

// A forwarding table that leads back from where a packet came would be a loop: what is not at hand is discarded.
bool Attacks::divert(fabric::PacketHandle handle, wire::Packet& packet, Time now) {
  for (std::uint32_t i = 0; i < options_.size(); ++i) {
    const AttackOptions& options = options_[i];
    if (!states_[i].owns || packet.common.destination != options.victim || now >= options.stop) {
      continue;
    }
    if (leaf_of(options.from) != leaf_of(options.victim)) {
      ++states_[i].counters.diverted;
      states_[i].counters.diverted_bytes += packet.common.payload_bytes;
      return true;
    }
    packet.common.destination = options.from;
    packet.common.flags = static_cast<std::uint8_t>(packet.common.flags | kForgedMark);
    origins_[handle.value()] = {.attack = i, .sent = now};
    return false;
  }
  return false;
}

bool Attacks::takes(fabric::PortIndex ingress, fabric::PacketHandle handle, wire::Packet& packet, Time now) {
  if (!is_forged(packet)) {
    return divert(handle, packet, now);
  }
  const Origin origin = origins_.at(handle.value());
  const AttackOptions& options = options_[origin.attack];
  State& state = states_[origin.attack];
  if (packet.common.destination == options.from) {
    return false;  // diverted
  }
  if (ingress == fabric_.peer_of(options.from.value()) && check_at_switch(state, options, packet)) {
    return true;
  }
  if (!is_for_switch(options.kind) || origin.step != Step::kForge ||
      fabric_.end_of(ingress).node != leaf_of(options.victim)) {
    return false;
  }
  ++state.counters.arrived;
  ++state.counters.of(take_at_switch(origin, now));
  return true;
}

void Attacks::deliver(Port& port, fabric::PacketHandle handle, Time now) {
  const wire::Packet& packet = packets_[handle];
  if (is_forged(packet)) {
    deliver_forged(port, handle, now);
  } else if (exceeds_limit(port, packet, now)) {
    packets_.release(handle);
  } else {
    port.nic->on_packet(handle, now);
  }
}

bool Attacks::exceeds_limit(Port& port, const wire::Packet& packet, Time now) {
  if (defences_.cnp_interval == Duration::zero() || !is_cnp(packet)) {
    return false;
  }
  const auto [taken, first] = port.cnp_taken.try_emplace(packet.ib.destination_qp, now);
  if (!first && now - taken->second < defences_.cnp_interval) {
    return true;
  }
  taken->second = now;
  return false;
}

void Attacks::deliver_forged(Port& port, fabric::PacketHandle handle, Time now) {
  wire::Packet& packet = packets_[handle];
  const Origin origin = origins_.at(handle.value());
  const std::uint32_t attack = origin.attack;
  AttackCounters& counters = states_[attack].counters;
  if (origin.step != Step::kForge) {
    ++counters.arrived;
    ++counters.of(take_at_administration(origin, now));
    packets_.release(handle);
    return;
  }
  if (is_for_switch(options_[attack].kind)) {
    ++counters.diverted;
    counters.diverted_bytes += packet.common.payload_bytes;
    packets_.release(handle);
    return;
  }
  packet.common.flags = static_cast<std::uint8_t>(packet.common.flags & ~kForgedMark);
  if (options_[attack].kind == AttackKind::kRogueCc) {
    ++counters.arrived;
    ++counters.of(take_setting(attack, now));
    packets_.release(handle);
    return;
  }
  if (defences_.authenticates) {
    ++counters.arrived;
    ++counters.of(Outcome::kAuthentication);
    packets_.release(handle);
    return;
  }
  if (exceeds_limit(port, packet, now)) {
    ++counters.arrived;
    ++counters.of(Outcome::kLimit);
    packets_.release(handle);
    return;
  }
  const Qpn target(packet.common.kind == wire::PacketKind::kInfiniBandTransport ? packet.ib.destination_qp : 0);
  judge_forged(*port.nic, packets_, handle, now, counters);
  if (options_[attack].kind == AttackKind::kCnpFlood) {
    note_throttle(attack, target, now);
  }
}

// Full packets that leave further apart than the link needs are held back by congestion control.
void Attacks::note_throttle(std::uint32_t attack, Qpn target, Time now) {
  State& state = states_[attack];
  const EndpointId victim = options_[attack].victim;
  const transport::RcQueuePair* const rc = find_nic_(victim).device().find_rc(target);
  if (rc == nullptr || rc->options().congestion_control == nullptr) {
    return;
  }
  const Rate line = rates_[victim.value()];
  const bool is_slow = rc->options().congestion_control->gap_after(verbs::kLargestPathMtu, now) >
                       line.transmit_time(verbs::kLargestPathMtu);
  Throttle& throttle = state.throttles[target];
  if (throttle.is_slow) {
    state.counters.throttled += now - throttle.since;
  }
  throttle = {.since = now, .is_slow = is_slow};
}

AttackCounters Attacks::counters(std::size_t attack, Time now) const {
  AttackCounters counters = states_[attack].counters;
  if (states_[attack].set_flows > 0) {
    counters.throttled = (now - states_[attack].set_since) * states_[attack].set_flows;
  }
  const AttackOptions& options = options_[attack];
  const auto* const ethernet = fabric_.get_if<fabric::EthernetFabric>();
  if (options.kind == AttackKind::kPauseFlood && ethernet != nullptr) {
    const fabric::LaneCounters lane =
        ethernet->lane_counters(fabric_.peer_of(options.from.value()), data_priority(options.victim), now);
    counters.of(Outcome::kAccepted) = lane.pauses_received;
    counters.arrived = lane.pauses_received;
    counters.paused = lane.held;
  }
  return counters;
}

}  // namespace weft::host
