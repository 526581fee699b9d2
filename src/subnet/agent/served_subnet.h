// A subnet that a real manager can manage: its nodes with their agents, and MADs that move between them hop by hop.
//
// A program at a port sends a MAD; agents answer those that are theirs, and what is for a program at another port, or
// comes back to the first, is polled. A MAD with a directed route goes by the ports that it names, any other by its LID
// through the forwarding tables that a manager has set; one to a multicast LID leaves each switch by all ports of its
// entry but the one it came in by. A port passes subnet management from Initialize on, and the
// rest once it is active. What meets a link that is down, a table without the LID or a loop is lost and counted, as on
// a real fabric; nothing takes time. No sockets and no clock: time is an argument, and deadlines are those of traps
// that are repeated until the manager represses them.
//
// In a world where MADs take time (manager/timed_subnet.h) the owner moves them: it crosses links one by one, asks for
// answers where they arrive, and polls the traps that switches send.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "subnet/agent/mad_packet.h"
#include "subnet/agent/served_node.h"
#include "subnet/agent/subnet_agent.h"

namespace weft::subnet {

/// Why MADs were lost.
struct LostMads {
  std::uint64_t malformed = 0;  // no MAD, or a directed route that cannot be
  std::uint64_t no_route = 0;   // a LID that a switch has no entry for, or a port that is not its owner's
  std::uint64_t link_down = 0;  // an egress port without a link, or one that is not active yet
  std::uint64_t loops = 0;      // forwarding tables that lead in a circle
  std::uint64_t wrong_key = 0;  // an M_Key that its port does not let pass

  [[nodiscard]] std::uint64_t total() const { return malformed + no_route + link_down + loops + wrong_key; }
};

class ServedSubnet {
 public:
  /// Who moves MADs: `send` at once, or the owner, hop by hop.
  enum class Movement : std::uint8_t { kAtOnce, kByOwner };
  explicit ServedSubnet(const Subnet& subnet, Movement movement = Movement::kAtOnce)
      : nodes_(served_nodes(subnet)), movement_(movement) {}

  /// From a program at an end port: one of an adapter, or port 0 of a switch.
  void send(PortPlace from, const MadPacket& packet, Time now);

  /// A MAD that has come to a program's port.
  struct Delivery {
    PortPlace at;
    MadPacket packet;
  };
  [[nodiscard]] std::optional<Delivery> poll_delivery();

  /// VL15, which passes from Initialize on, or a data lane.
  enum class Lane : std::uint8_t { kManagement, kData };
  /// To the other end of the link at that port; nothing: the MAD is lost there, and counted.
  [[nodiscard]] std::optional<PortPlace> cross(PortPlace egress, Lane lane);

  /// What an agent says, and what it does to a link once the answer has left.
  struct Answer {
    MadPacket packet;
    std::optional<LinkCommand> command{};
  };
  /// Of the agent at a node to an SMP that came in at that port; 0: at a switch, from the switch itself. None: it is no
  /// request, represses a trap, or has a wrong M_Key.
  [[nodiscard]] std::optional<Answer> answer(PortPlace at, const MadPacket& request, Time now);
  void carry_out(NodeIndex node, const LinkCommand& command, Time now);
  /// Whether the SMP is for the subnet manager at the end port, if there is one: SMInfo, traps, and
  /// requests of subnet administration.
  [[nodiscard]] bool manager_takes(PortPlace at, const wire::MadHeader& header) const;
  /// With kByOwner, a trap that the switch sends from there.
  [[nodiscard]] std::optional<Delivery> poll_trap();

  /// Whether a subnet manager runs at the port: bit IsSM of its PortInfo. SMInfo then goes to it, else to nobody.
  enum class Manager : std::uint8_t { kAbsent, kPresent };
  void set_manager(PortPlace at, Manager manager);

  /// A cable is pulled at one of its ports, or put back. Switches at its ends send trap 128 to their manager. Errors:
  /// no such port; no cable there, or it is as asked already.
  enum class Cable : std::uint8_t { kUnplugged, kPlugged };
  [[nodiscard]] Result<void> set_cable(PortPlace at, Cable cable, Time now);

  /// The earliest time at which a trap is repeated.
  [[nodiscard]] Time next_timeout() const;
  void on_timeout(Time now);

  [[nodiscard]] const std::vector<ServedNode>& nodes() const { return nodes_; }
  [[nodiscard]] const ServedNode& operator[](NodeIndex node) const { return nodes_[node.value()]; }
  [[nodiscard]] const ServedPort& port(PortPlace place) const { return nodes_[place.node.value()].ports[place.port]; }
  /// For counters of a run, which are added before anybody asks.
  [[nodiscard]] CounterSet& counters(PortPlace place) { return port_at(place).counters; }
  [[nodiscard]] const LostMads& lost() const { return lost_; }
  /// SMPs and other requests that agents have answered.
  [[nodiscard]] std::uint64_t answered() const { return answered_; }

 private:
  [[nodiscard]] ServedNode& node_at(PortPlace place) { return nodes_[place.node.value()]; }
  [[nodiscard]] ServedPort& port_at(PortPlace place) { return nodes_[place.node.value()].ports[place.port]; }

  // Moving (served_subnet_moves.cc).
  struct Arrival {
    PortPlace end;           // that of an adapter, or port 0 of a switch
    PortNumber ingress = 0;  // where the MAD came in; 0: at a switch, from the switch itself
  };
  [[nodiscard]] std::optional<Arrival> by_lid(PortPlace from, const MadPacket& packet);
  void send_by_lid(PortPlace from, const MadPacket& packet, Time now);
  void send_multicast(PortPlace from, const MadPacket& packet, Time now);
  [[nodiscard]] std::optional<PortPlace> cross_multicast(PortPlace egress);
  void send_directed(PortPlace from, MadPacket packet, Time now);
  void return_directed(PortPlace from, MadPacket packet);

  void arrive(const Arrival& at, const MadPacket& packet, Time now);
  void answer_management(const Arrival& arrival, const MadPacket& request, Time now);
  void answer_directed(PortPlace at, const MadPacket& request, Time now);
  void answer_counters(PortPlace at, const MadPacket& request);
  [[nodiscard]] bool repress(PortPlace at, const SmpRequest& request);
  [[nodiscard]] bool names_own_trap(PortPlace at, const wire::MadHeader& header) const;
  void deliver(PortPlace at, const MadPacket& packet) { deliveries_.push_back({.at = at, .packet = packet}); }

  // Links (served_subnet_links.cc).
  enum class Cause : std::uint8_t { kCable, kManager };
  void link_down(PortPlace at, Cause cause, Time now);
  void link_up(PortPlace at, Time now);
  void note_switch(PortPlace at, Time now);
  void send_trap(NodeIndex node, Time now);

  std::vector<ServedNode> nodes_;
  Movement movement_;
  std::deque<Delivery> deliveries_;
  std::deque<Delivery> traps_;       // with kByOwner
  std::vector<NodeIndex> trapping_;  // nodes that have, or lately had, a trap to repeat
  LostMads lost_;
  std::uint64_t answered_ = 0;
};

}  // namespace weft::subnet
