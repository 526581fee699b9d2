#include "host/attack/attacks.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/stable_hash.h"
#include "host/actors.h"
#include "host/attack/attack_judge.h"
#include "transport/partition.h"
#include "wire/encapsulation.h"

namespace weft::host {
namespace {

constexpr std::uint16_t kLongestPause = 0xFFFF;  // quanta
constexpr std::uint32_t kAnnouncementBytes = wire::kEthernetMinFrame;

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
      ports_(environment.fabric.graph().endpoints) {
  for (std::uint32_t i = 0; i < options_.size(); ++i) {
    WEFT_ASSERT(options_[i].interval > Duration::zero() && options_[i].from != options_[i].victim);
    states_[i].forge = std::make_unique<Forge>(options_[i], find_nic_);
    states_[i].due = options_[i].start;
    make_port(options_[i].from).attacks.push_back(i);
    make_port(options_[i].victim);
  }
}

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
    if (attack.kind == AttackKind::kGidSpoof) {
      const fabric::NodeIndex leaf = fabric_.end_of(leaf_port).node;
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
    state.due = later(state.due + options.interval, now);
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
      send_announcement(attack, now);
      return true;
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
    case AttackKind::kRogueSm:
    case AttackKind::kBgpSpoof:
      return true;  // not of this engine
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
    return !made;
  }
  if (packet.has(wire::kHasCold)) {
    packets_.attach_cold(packet, cold);
  }
  origins_[handle.value()] = attack;
  ++states_[attack].counters.sent;
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
  ethernet->send_endpoint_pause(options_[attack].from, bit, kLongestPause, now);
}

// An unsolicited ARP reply, or neighbour advertisement: for the leaf, which is the router of its hosts.
void Attacks::send_announcement(std::uint32_t attack, Time now) {
  const AttackOptions& options = options_[attack];
  const fabric::PacketHandle handle = packets_.allocate();
  wire::Packet& packet = packets_[handle];
  packet = wire::Packet{};
  packet.common.source = options.victim;  // as it claims
  packet.common.destination = options.victim;
  packet.common.frame_bytes = static_cast<std::uint16_t>(kAnnouncementBytes);
  packet.common.wire_bytes = static_cast<std::uint16_t>(kAnnouncementBytes + wire::kEthernetGapBytes);
  packet.common.flags = kForgedMark;
  origins_[handle.value()] = attack;
  ++states_[attack].counters.sent;
  wires_.send(options.from, handle, now);
}

bool Attacks::check_at_switch(State& state, const AttackOptions& options, const wire::Packet& packet) const {
  if (defences_.source_check && packet.common.source != options.from) {
    ++state.counters.of(Outcome::kSwitchAddress);
    return true;
  }
  if (!defences_.switch_partitions || packet.common.kind != wire::PacketKind::kInfiniBandTransport) {
    return false;
  }
  const std::vector<std::uint16_t>& own = defences_.partitions[options.from.value()];
  const bool member = std::ranges::any_of(
      own, [&](std::uint16_t key) { return transport::partitions_match(key, packet.ib.partition_key); });
  state.counters.of(Outcome::kSwitchPartition) += member ? 0U : 1U;
  return !member;
}

bool Attacks::takes(fabric::PortIndex ingress, fabric::PacketHandle handle, wire::Packet& packet, Time now) {
  if (is_forged(packet)) {
    const std::uint32_t attack = origins_.at(handle.value());
    const AttackOptions& options = options_[attack];
    State& state = states_[attack];
    if (ingress != fabric_.peer_of(options.from.value())) {
      return false;
    }
    if (check_at_switch(state, options, packet)) {
      return true;
    }
    if (options.kind == AttackKind::kGidSpoof) {
      ++state.counters.arrived;
      ++state.counters.of(Outcome::kAccepted);
      state.owns = true;
      return true;
    }
    return false;
  }
  for (std::uint32_t i = 0; i < options_.size(); ++i) {
    const AttackOptions& options = options_[i];
    if (states_[i].owns && packet.common.destination == options.victim && now < options.stop) {
      packet.common.destination = options.from;
      packet.common.flags = static_cast<std::uint8_t>(packet.common.flags | kForgedMark);
      origins_[handle.value()] = i;
    }
  }
  return false;
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
  const std::uint32_t attack = origins_.at(handle.value());
  AttackCounters& counters = states_[attack].counters;
  if (options_[attack].kind == AttackKind::kGidSpoof) {
    ++counters.diverted;
    counters.diverted_bytes += packet.common.payload_bytes;
    packets_.release(handle);
    return;
  }
  packet.common.flags = static_cast<std::uint8_t>(packet.common.flags & ~kForgedMark);
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
  judge_forged(*port.nic, packets_, handle, now, counters);
}

AttackCounters Attacks::counters(std::size_t attack, Time now) const {
  AttackCounters counters = states_[attack].counters;
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
