// The attacks of a world: attackers that send through the ports of their hosts, victims whose packets are judged as
// they arrive, and what switches check for them.
//
// It stands between the NICs concerned and their wires; other NICs do not know of it. The world must not be divided,
// for attackers look into the state of victims: what they know of it (Knowledge) they know at once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "fabric/any_fabric.h"
#include "host/attack/attack_types.h"
#include "host/nic.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"

namespace weft::host {

class Forge;

class Attacks final : public fabric::PacketFilter {
 public:
  struct Environment {
    sim::Kernel& kernel;
    fabric::PacketPool& packets;
    fabric::AnyFabric& fabric;
    FindNic find_nic;
  };
  Attacks(std::vector<AttackOptions> attacks, Defences defences, Environment environment);
  ~Attacks() override;

  /// What the NIC of the endpoint is to send through, and what the fabric is to call for it.
  [[nodiscard]] fabric::EndpointPort& port_of(EndpointId endpoint);
  [[nodiscard]] fabric::Endpoint& attach(EndpointId endpoint, Nic& nic);
  void register_actors(sim::ActorOrder& ranks, std::uint64_t seed);
  /// Once, when everything is attached and registered.
  void start();

  void on_timer(std::uint32_t attack, Time now);
  [[nodiscard]] bool takes(fabric::PortIndex ingress, fabric::PacketHandle handle, wire::Packet& packet,
                           Time now) override;

  [[nodiscard]] std::span<const AttackOptions> options() const { return options_; }
  /// Until now.
  [[nodiscard]] AttackCounters counters(std::size_t attack, Time now) const;

 private:
  /// Between a NIC and its wire.
  struct Port final : fabric::Endpoint, fabric::EndpointPort {
    Attacks* all = nullptr;
    Nic* nic = nullptr;
    std::vector<std::uint32_t> attacks{};  // from here
    /// When a queue pair was last slowed down.
    std::unordered_map<std::uint32_t, Time> cnp_taken{};  // lookup only

    void on_packet(fabric::PacketHandle packet, Time now) override { all->deliver(*this, packet, now); }
    void on_wire_ready(Time now) override;
    [[nodiscard]] bool may_back_up() const override { return nic != nullptr && nic->may_back_up(); }
    [[nodiscard]] Time room_at(fabric::PacketHandle packet, Time now) override { return nic->room_at(packet, now); }
    [[nodiscard]] fabric::SendPermit permit(EndpointId endpoint, Time now) override {
      return all->wires_.permit(endpoint, now);
    }
    Time send(EndpointId endpoint, fabric::PacketHandle packet, Time now) override {
      return all->wires_.send(endpoint, packet, now);
    }
    void request_wire(EndpointId endpoint, Time at) override { all->wires_.request_wire(endpoint, at); }
  };
  /// What a forged packet is for. Of kForgedSmKey they follow one another; all others write or send what they forge.
  enum class Step : std::uint8_t { kForge, kAskTrusted, kAskUntrusted };
  /// Of a packet under way.
  struct Origin {
    std::uint32_t attack = 0;
    Step step = Step::kForge;
    Time sent{};
    bool has_m_key = false;  // the one of the victim's switch, in a packet of kForgedSmKey that writes
  };
  /// What an attacker of kForgedSmKey has been told by subnet administration.
  enum class Told : std::uint8_t { kNothing, kZero, kKey };
  /// Of a connection, as the last forged notification left it.
  struct Throttle {
    Time since;
    bool is_slow = false;
  };
  struct State {
    State();
    ~State();
    State(State&&) noexcept;
    std::unique_ptr<Forge> forge;
    AttackCounters counters{};
    Time due;
    sim::Wake wake;
    bool waits = false;            // for the wire
    bool owns = false;             // the victim's address, as its leaf believes
    std::uint32_t wire_bytes = 0;  // of the packet sent last
    Time set_since{};              // settings of congestion control have been in force, of
    std::uint32_t set_flows = 0;   // so many connections
    std::uint16_t session_turn = 0;
    Told told = Told::kNothing;
    Time told_at{};            // when the answer is there
    bool asks_trusted = true;  // the next request has an SM_Key
    std::map<Qpn, Throttle> throttles{};
  };

  Port& make_port(EndpointId endpoint);
  [[nodiscard]] bool is_wanted(EndpointId endpoint) const;
  void pump(std::uint32_t attack, Time now);
  /// False: flow control does not let it.
  [[nodiscard]] bool send_one(std::uint32_t attack, const fabric::SendPermit& permit, Time now);
  [[nodiscard]] bool send_packet(std::uint32_t attack, const fabric::SendPermit& permit, Time now);
  void send_pause(std::uint32_t attack, Time now);
  /// To the switch that the victim is at.
  [[nodiscard]] bool send_to_switch(std::uint32_t attack, const fabric::SendPermit& permit, Time now);
  void deliver(Port& port, fabric::PacketHandle handle, Time now);
  void deliver_forged(Port& port, fabric::PacketHandle handle, Time now);
  void note_throttle(std::uint32_t attack, Qpn target, Time now);
  [[nodiscard]] bool exceeds_limit(Port& port, const wire::Packet& packet, Time now);
  /// What the victim's switch does with a packet for itself.
  [[nodiscard]] Outcome take_at_switch(const Origin& origin, Time now);
  /// What subnet administration does with a request for the victim's switch.
  [[nodiscard]] Outcome take_at_administration(const Origin& origin, Time now);
  /// What an attacker of kForgedSmKey sends next.
  [[nodiscard]] Origin next_management(std::uint32_t attack, Time now) const;
  void note_management(const Origin& origin);
  /// What the victim's agent of congestion control does.
  [[nodiscard]] Outcome take_setting(std::uint32_t attack, Time now);
  [[nodiscard]] Outcome reset_session(std::uint32_t attack, Time now);
  [[nodiscard]] bool check_at_switch(State& state, const AttackOptions& options, const wire::Packet& packet) const;
  /// Packets of the victim that the switch sends elsewhere; true: nowhere.
  [[nodiscard]] bool divert(fabric::PacketHandle handle, wire::Packet& packet, Time now);
  [[nodiscard]] fabric::NodeIndex leaf_of(EndpointId endpoint) const {
    return fabric_.end_of(fabric_.peer_of(endpoint.value())).node;
  }
  [[nodiscard]] std::uint8_t data_priority(EndpointId victim) const;

  std::vector<AttackOptions> options_;
  Defences defences_;
  sim::Kernel& kernel_;
  fabric::PacketPool& packets_;
  fabric::AnyFabric& fabric_;
  FindNic find_nic_;
  fabric::EndpointPort& wires_;
  std::vector<State> states_;
  std::vector<Rate> rates_;                            // of endpoints
  std::vector<std::unique_ptr<Port>> ports_;           // by endpoint; null: nothing stands there
  std::unordered_map<std::uint32_t, Origin> origins_;  // lookup only
};

}  // namespace weft::host
