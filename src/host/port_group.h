// The ports of one NIC as a bond: what the queue pairs of one port send leaves through another while its link is down.
//
// It stands between the NIC's ports and their wires. The first port, counted in a ring from its own, whose link is
// known to be up carries a port's packets, and the packets of those that share a wire take turns. Where ports lie in
// planes of their own, a packet leaves through the plane in which its receiver can be reached; if that wire is busy, it
// waits here, alone, and its port sends nothing else meanwhile. Packets that come in go to the port that they are
// addressed to, whichever they came through: routes let ports stand in for one another (fabric/routing/routes.h). As
// HPN's dual-ToR (Qian et al., SIGCOMM 2024) and bonding drivers do it; nothing is resent here, transports do that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/endpoint.h"
#include "fabric/topology/graph.h"
#include "host/nic.h"
#include "host/port_states.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"

namespace weft::host {

/// What all groups of a world look up. It and what it names must outlive them.
struct PortGroupView {
  const fabric::Graph& graph;
  const std::vector<EndpointId>& next_port;  // per endpoint, in a ring (fabric::next_ports)
  const PortStates& own;                     // as a NIC hears of its own ports
  const PortStates& others;                  // as it hears of other NICs'; used where ports lie in several planes
};

class PortGroup final : public fabric::EndpointPort {
 public:
  struct Environment {
    sim::Kernel& kernel;
    fabric::EndpointPort& wires;
    fabric::PacketPool& packets;
    const PortGroupView& view;
    std::uint32_t index = 0;  // of its actor
  };
  /// `ports`: at least two, of one NIC, each with at most one NIC object that attach() names.
  PortGroup(const Environment& environment, std::vector<EndpointId> ports);

  /// The NIC object behind a port; what the fabric is to call for that port.
  fabric::Endpoint& attach(EndpointId port, Nic& nic);
  void register_actor(sim::ActorOrder& ranks, std::uint64_t name_hash, sim::PartitionIndex partition);
  /// Asks to be woken for the first news. Call once, when everything is registered.
  void start() { await_news(Time::zero()); }
  [[nodiscard]] EndpointId first_port() const { return ports_.front().endpoint; }
  /// News of an own port's link.
  void on_news(Time now);

  [[nodiscard]] fabric::SendPermit permit(EndpointId endpoint, Time now) override;
  Time send(EndpointId endpoint, fabric::PacketHandle packet, Time now) override;
  void request_wire(EndpointId endpoint, Time at) override;

  /// Packets that wait here for a wire.
  [[nodiscard]] std::uint32_t packets_kept() const;
  [[nodiscard]] std::size_t heap_bytes() const { return ports_.capacity() * sizeof(Port); }

 private:
  using Place = std::uint32_t;  // of a port in the group

  struct Port final : fabric::Endpoint {
    PortGroup* group = nullptr;
    EndpointId endpoint;
    Place place = 0;
    std::uint16_t plane = 0;
    Nic* nic = nullptr;
    std::optional<fabric::PacketHandle> waiting;  // for the wire of `waits_for`
    Place waits_for = 0;

    void on_packet(fabric::PacketHandle packet, Time now) override { group->deliver(packet, now); }
    void on_wire_ready(Time now) override { group->offer(place, now); }
    [[nodiscard]] bool may_back_up() const override { return nic != nullptr && nic->may_back_up(); }
    [[nodiscard]] Time room_at(fabric::PacketHandle packet, Time now) override { return group->room_at(packet, now); }
  };

  [[nodiscard]] Place place_of(EndpointId endpoint) const;
  /// The port through which `from` sends what any plane would take.
  [[nodiscard]] Place way_out(Place from, Time now) const;
  [[nodiscard]] Place way_to(Place from, EndpointId destination, Time now) const;
  /// Whether the NIC of `destination` has a port in the plane whose link is known to be up.
  [[nodiscard]] bool reaches(std::uint16_t plane, EndpointId destination, Time now) const;
  /// Whom the packet is for, whichever port it comes through.
  [[nodiscard]] Nic& receiver_of(fabric::PacketHandle packet);
  void deliver(fabric::PacketHandle packet, Time now) { receiver_of(packet).on_packet(packet, now); }
  [[nodiscard]] Time room_at(fabric::PacketHandle packet, Time now) {
    Nic& receiver = receiver_of(packet);
    return receiver.may_back_up() ? receiver.room_at(packet, now) : now;
  }
  /// The wire of `place` may take packets.
  void offer(Place place, Time now);
  /// Sends a waiting packet if its wire takes it now, else asks for that wire.
  void try_waiting(Port& port, Time now);
  /// At `from` or later.
  void await_news(Time from);

  sim::Kernel& kernel_;
  fabric::EndpointPort& wires_;
  fabric::PacketPool& packets_;
  const PortGroupView& view_;
  std::uint32_t index_;
  std::vector<Port> ports_;
  bool in_planes_ = false;
  Place turn_ = 0;  // who is offered a wire first
  sim::Wake news_;
};

}  // namespace weft::host
