// An Ethernet fabric, packet by packet: shared-buffer switches, PFC, ECN, equal-cost paths.
//
// One event per hop where a port is idle; a port's transmitter wakes only while something waits. A packet is charged to
// the buffer while it waits in an egress queue: one that leaves at once never is. Priorities of switch ports and of
// endpoint ports obey pauses alike; endpoints never send any. Sources: IEEE 802.1Q (PFC, DWRR), RFC 3168 (marks).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/huge_pages.h"
#include "fabric/bit_errors.h"
#include "fabric/ethernet/ethernet_port.h"
#include "fabric/fabric.h"
#include "fabric/flow_control/shared_buffer.h"
#include "fabric/routing/path_balancer.h"

namespace weft::fabric {

struct EthernetOptions {
  /// One entry per profile in use; `switch_profile` and `port_profile` say who has which (empty: everyone has the
  /// first).
  std::vector<EthernetSwitchOptions> switches{EthernetSwitchOptions{}};
  std::vector<EthernetPortOptions> ports{EthernetPortOptions{}};
  std::vector<std::uint16_t> switch_profile;   // per switch ordinal
  std::vector<std::uint16_t> port_profile;     // per link end: 2 * link for a, 2 * link + 1 for b
  std::vector<Probability> bit_error_rate;     // per link; empty: no errors
  std::vector<Probability> packet_error_rate;  // the same of whole packets
  std::vector<Duration> endpoint_pipeline;     // per endpoint: receive pipeline; empty: none
  std::vector<LinkEvent> events;               // in any order
  Duration deadlock_check;                     // every so often while pauses last; zero: never
  bool telemetry = false;                      // packets with telemetry are to be written to
};

/// A cyclic buffer dependency: each port waits for the next one's switch to take a packet.
struct DeadlockReport {
  Time found;
  std::uint8_t priority = 0;
  std::vector<PortIndex> cycle;  // the ports that wait
};

class EthernetFabric final : public EndpointPort {
 public:
  /// Errors: a switch whose buffer cannot hold the headroom and reserves of its ports (with the sums), a bad option.
  [[nodiscard]] static Result<std::unique_ptr<EthernetFabric>> create(Graph graph, EthernetOptions options,
                                                                      FabricContext context);

  /// Every endpoint must be attached before the first event.
  void attach(EndpointId endpoint, Endpoint& nic) { endpoints_[endpoint.value()] = &nic; }
  /// Adds the actors, so that all of a world get their ranks at once; then starts timers that always run.
  /// Of a divided world the partition of each node, in the order of the graph: cables between two take the lookahead.
  void register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions = {});
  void start();
  void set_tap(Tap* tap, std::span<const PortIndex> ports);

  // Events of the actor kinds of fabric/actors.h.
  void on_arrival(PortIndex port, Time now);
  void on_control(PortIndex port, Time now);
  void on_transmit(PortIndex port, Time now);
  void on_port_timer(PortIndex port, Time now);
  void on_switch_timer(std::uint32_t switch_ordinal, Time now);
  void on_fabric_timer(Time now);
  // Prefetch what an event at a port needs, in three stages: the port, then the packet or queue, then the next port.
  [[gnu::always_inline]] void prefetch_arrival(PortIndex port) const { __builtin_prefetch(&ports_[port]); }
  [[gnu::always_inline]] void prefetch_arrival_packet(PortIndex port) const {
    prefetch_next_arrival(packets_, ports_[port]);
  }
  /// Also looks up the egress port of the next packet, so that the event need not.
  [[gnu::always_inline]] void prefetch_arrival_egress(PortIndex port) {
    if (port >= graph_.endpoints && ports_[port].egress == kNoEgress && !ports_[port].arrival.pending().is_never()) {
      look_up_egress(port);
    }
  }
  /// The packet that arrives next; null if there is none.
  [[nodiscard]] const wire::Packet* next_arrival(PortIndex port) const {
    const EthernetPort& soon = ports_[port];
    return soon.arrival.pending().is_never() ? nullptr : &packets_[soon.first];
  }
  [[gnu::always_inline]] void prefetch_transmit(PortIndex port) const {
    __builtin_prefetch(&ports_[port]);
    __builtin_prefetch(&ports_[port].free_at);
  }
  [[gnu::always_inline]] void prefetch_transmit_queue(PortIndex port) const {
    const EthernetPort& soon = ports_[port];
    __builtin_prefetch(&ports_[soon.peer]);
    if (soon.queued != 0) {
      __builtin_prefetch(&queues_[port * kPriorities + static_cast<std::uint32_t>(std::countr_zero(soon.queued))]);
    }
  }
  [[gnu::always_inline]] void prefetch_transmit_packet(PortIndex port) const {
    const EthernetPort& soon = ports_[port];
    if (soon.queued != 0) {
      queue(port, static_cast<std::uint32_t>(std::countr_zero(soon.queued))).packets.prefetch_front();
    }
  }
  // Prefetch for a whole window: first the records of a port and its peer, then what they point to.
  [[gnu::always_inline]] void prefetch_port(PortIndex port) const {
    prefetch_transmit(port);
    __builtin_prefetch(&ports_[peers_[port]]);
  }
  [[gnu::always_inline]] void prefetch_port_contents(PortIndex port) const {
    const EthernetPort& soon = ports_[port];
    prefetch_arrival_packet(port);
    ports_[soon.peer].in_flight.prefetch_back();
    __builtin_prefetch(&queues_[port * kPriorities + usual_priority_]);
    __builtin_prefetch(&groups_[port * kPriorities + usual_priority_]);
  }

  [[nodiscard]] SendPermit permit(EndpointId endpoint, Time now) override;
  Time send(EndpointId endpoint, PacketHandle packet, Time now) override;
  void request_wire(EndpointId endpoint, Time at) override;

  // For reports and tests.
  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Routes& routes() const { return routes_; }
  /// Egress ports of a flow at a switch: the one selected by ECMP, or every next hop with per-packet load balancing.
  [[nodiscard]] NextHops ports_taken(std::uint32_t switch_ordinal, EndpointId destination,
                                     std::uint32_t flow_hash) const;
  [[nodiscard]] std::uint32_t port_count() const { return static_cast<std::uint32_t>(ports_.size()); }
  [[nodiscard]] PortIndex port_index(LinkEnd end) const { return map_.at(end); }
  [[nodiscard]] LinkEnd end_of(PortIndex port) const { return map_.end_of(port); }
  [[nodiscard]] const EthernetPort& port(PortIndex index) const { return ports_[index]; }
  [[nodiscard]] const EgressQueue& queue(PortIndex port, std::uint32_t priority) const {
    return queues_[port * kPriorities + priority];
  }
  [[nodiscard]] const IngressGroup& group(PortIndex port, std::uint32_t priority) const {
    return groups_[port * kPriorities + priority];
  }
  [[nodiscard]] const PauseRecord& pauses(PortIndex port) const { return pauses_[port]; }
  [[nodiscard]] const SharedBuffer& buffer(std::uint32_t switch_ordinal) const {
    return switches_[switch_ordinal].buffer;
  }
  /// What adaptive routing observed of the port; empty for other ports.
  [[nodiscard]] PortChoices choices(PortIndex port, Time now) const;
  [[nodiscard]] const FabricDrops& drops() const { return drops_; }
  [[nodiscard]] std::uint64_t drops_at(PortIndex ingress) const { return port_drops_[ingress]; }
  [[nodiscard]] std::uint64_t packets_sent() const;  // data, ACK and CNP over one link each: packet-hops
  /// On wires and in queues now, link-level frames included.
  [[nodiscard]] std::uint64_t packets_inside() const;
  [[nodiscard]] std::span<const DeadlockReport> deadlocks() const { return deadlocks_; }
  [[nodiscard]] std::size_t heap_bytes() const;
  /// Empty if every count agrees with what the queues hold; otherwise what does not. O(everything).
  [[nodiscard]] std::string check_invariants() const;

 private:
  struct Switch {
    PortIndex first_port = 0;
    std::uint16_t ports = 0;
    bool hashes = true;     // the path of a packet follows from its flow alone
    bool balances = false;  // by its PathBalancer
    Forwarding forwarding = Forwarding::kStoreAndForward;
    std::uint32_t notify_from = 0xFFFFFFFF;  // bytes waiting for an egress port
    std::uint64_t hash_seed = 0;
    std::uint32_t sprayed = 0;  // packets so far
    SharedBuffer buffer;
    sim::Wake timer;
    std::uint16_t profile = 0;
  };

  EthernetFabric(Graph graph, EthernetOptions options, FabricContext context);
  void lay_out_ports();
  void connect_link(std::uint32_t link);
  [[nodiscard]] Result<void> size_buffers();
  void set_up_queues(PortIndex index);
  void allow_cut_through(const Switch& node);
  void set_up_errors();
  [[nodiscard]] Result<void> set_up_telemetry();

  [[nodiscard]] EgressQueue& queue_of(PortIndex port, std::uint32_t priority) {
    return queues_[port * kPriorities + priority];
  }
  [[nodiscard]] IngressGroup& group_of(PortIndex port, std::uint32_t priority) {
    return groups_[port * kPriorities + priority];
  }
  void look_up_egress(PortIndex index);
  void invalidate_egress();
  void forward(EthernetPort& in, std::uint32_t egress, PacketHandle handle, Time now);
  [[nodiscard]] std::uint32_t choose(EthernetPort& in, Switch& node, const NextHops& hops,
                                     const wire::PacketCommon& common, Time now);
  void start_packet(EthernetPort& out, EgressQueue& queue, PacketHandle handle, std::uint32_t frame_bytes, Time now);
  void enqueue(EthernetPort& in, PortIndex out, PacketHandle handle, wire::Packet& packet, Time now);
  void dequeue(PortIndex index, std::uint32_t priority, Time now);
  [[nodiscard]] std::uint32_t pick(EthernetPort& port, PortIndex index, std::uint32_t eligible);
  void drop(PacketHandle handle, std::uint64_t& counter, PortIndex ingress);
  void damage(const EthernetPort& arrived_at, PortIndex index, wire::Packet& packet);
  /// What a port looks like as a packet leaves it.
  struct EgressState {
    std::uint32_t queued = 0;  // bytes, of all priorities
    Time now;
  };
  [[gnu::noinline]] void write_telemetry(PortIndex out, wire::Packet& packet, const EgressState& left);

  // Choice among paths beyond a hash: ethernet_fabric_paths.cc.
  void set_up_balancers();
  void compute_port_weights();
  [[nodiscard]] std::uint32_t balance(EthernetPort& in, Switch& node, const NextHops& hops,
                                      const wire::PacketCommon& common, Time now);
  /// Only with notifications, and while the destination's link is up.
  [[nodiscard]] std::uint32_t leaf_id(EndpointId destination) const {
    const std::uint32_t leaf = routes_.leaf_of(destination);
    return leaf < leaf_ids_.size() ? leaf_ids_[leaf] : 0;
  }
  void notify(PortIndex ingress, EndpointId destination, Time now);
  void process_notification(EthernetPort& port, const wire::Packet& frame, Time now);

  // Pauses: ethernet_fabric_pauses.cc.
  void update_xoff(PortIndex ingress, std::uint32_t priority, Time now);
  void send_pause(EthernetPort& port, PortIndex index, Time now);
  void process_pause(EthernetPort& port, PortIndex index, const wire::Packet& frame, Time now);
  void expire_pauses(EthernetPort& port, PortIndex index, Time now);
  void end_pause(EthernetPort& port, PortIndex index, std::uint32_t priority, Time now);
  void schedule_pause_expiry(EthernetPort& port, PortIndex index);

  // Link events, watchdog, deadlock search: ethernet_fabric_events.cc.
  void apply_link_event(const LinkEvent& event, Time now);
  void take_link_down(PortIndex index, Time now);
  void bring_link_up(PortIndex index, Time now);
  void empty_queue(PortIndex index, std::uint32_t priority, std::uint64_t& counter, Time now);
  void plan_fabric_timer();
  void watch_pause(PortIndex index, Time now);
  void watch_storms(PortIndex index, Time now, Time& next);
  void find_deadlock(Time now);

  Graph graph_;
  EthernetOptions options_;
  sim::Kernel& kernel_;
  PacketPool& packets_;
  std::uint64_t seed_;
  Routes routes_;
  PortMap map_;
  HugeVector<EthernetPort> ports_;
  HugeVector<EgressQueue> queues_;
  HugeVector<IngressGroup> groups_;
  HugeVector<Red> markers_;
  std::vector<PortIndex> peers_;  // per port, for prefetching: the port's own record need not be there yet
  std::vector<PauseRecord> pauses_;
  std::vector<std::uint64_t> port_drops_;
  std::vector<std::uint8_t> speed_codes_;                           // per port, for telemetry; empty without
  std::vector<std::unique_ptr<BitErrors>> errors_;                  // per port that receives; null without errors
  std::vector<std::uint8_t> strict_;                                // per port profile: the priorities without a weight
  std::vector<std::array<std::int8_t, kPriorities>> egress_alpha_;  // per port profile
  std::vector<Switch> switches_;
  std::vector<PathBalancer> balancers_;  // per switch; empty: no switch has one
  PortWeights weights_;
  std::vector<std::uint32_t> leaf_ids_;  // what notifications call each switch; empty: there are none
  std::vector<Endpoint*> endpoints_;
  Tap* tap_ = nullptr;
  FabricDrops drops_;
  sim::Wake fabric_timer_;
  LinkSchedule links_;
  std::uint32_t usual_priority_ = 0;  // of the packet that was forwarded last: for prefetching only
  Time deadlock_check_at_ = Time::never();
  std::vector<DeadlockReport> deadlocks_;
};

}  // namespace weft::fabric
