// An InfiniBand fabric, packet by packet: credits per virtual lane, input-buffered switches, virtual output queues.
//
// One event per hop where the egress port is idle and has credits; a port's transmitter wakes only while something
// waits, and waits for credits without any event. A packet is in its input buffer from its arrival until its
// transmission starts; one that goes on at once never is. No packet is lost for want of a buffer. Choices:
// docs/decisions/0012.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/huge_pages.h"
#include "fabric/bit_errors.h"
#include "fabric/fabric.h"
#include "fabric/flow_control/credits.h"
#include "fabric/infiniband/credit_content.h"
#include "fabric/infiniband/infiniband_port.h"
#include "fabric/infiniband/options.h"
#include "fabric/infiniband/virtual_output_queues.h"
#include "fabric/routing/forwarding_table.h"
#include "fabric/routing/path_balancer.h"

namespace weft::fabric {

class InfiniBandFabric final : public EndpointPort {
 public:
  /// Errors: a lane buffer that cannot hold the largest packet, a lane without weight, an option out of range.
  [[nodiscard]] static Result<std::unique_ptr<InfiniBandFabric>> create(Graph graph, InfiniBandOptions options,
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
    const InfiniBandPort& soon = ports_[port];
    return soon.arrival.pending().is_never() ? nullptr : &packets_[soon.first];
  }
  [[gnu::always_inline]] void prefetch_transmit(PortIndex port) const {
    __builtin_prefetch(&ports_[port]);
    __builtin_prefetch(&ports_[port].free_at);
    if (port < graph_.endpoints) {
      __builtin_prefetch(&ports_[port].wanted_at);
    }
  }
  [[gnu::always_inline]] void prefetch_transmit_queue(PortIndex port) const {
    __builtin_prefetch(&ports_[ports_[port].peer]);
    __builtin_prefetch(&credits_[port * lanes_]);
    __builtin_prefetch(&outputs_[port * lanes_]);
    queues_.prefetch(port * lanes_);
  }
  [[gnu::always_inline]] void prefetch_transmit_packet(PortIndex port) const { queues_.prefetch_turn(port * lanes_); }
  // Prefetch for a whole window: first the records of a port and its peer, then what they point to.
  [[gnu::always_inline]] void prefetch_port(PortIndex port) const {
    const InfiniBandPort& peer = ports_[peers_[port]];
    prefetch_transmit(port);
    __builtin_prefetch(&ports_[port].control_delay);
    __builtin_prefetch(&credits_[port * lanes_]);
    __builtin_prefetch(&outputs_[port * lanes_]);
    __builtin_prefetch(&peer);
    __builtin_prefetch(&peer.control_delay);
  }
  [[gnu::always_inline]] void prefetch_port_contents(PortIndex port) const {
    const InfiniBandPort& peer = ports_[peers_[port]];
    prefetch_arrival_packet(port);
    ports_[port].control.prefetch_front();
    peer.in_flight.prefetch_back();
    peer.control.prefetch_back();
    queues_.prefetch(port * lanes_);
    queues_.prefetch_input(port);
  }

  [[nodiscard]] SendPermit permit(EndpointId endpoint, Time now) override {
    InfiniBandPort& own = ports_[endpoint.value()];
    if (!takes_next(own, now)) {
      return {.lanes = 0, .free_at = own.free_at};
    }
    if (own.low_credit_lanes != 0) [[unlikely]] {
      recheck_low_credit_lanes(own, endpoint.value(), now);
    }
    if (own.blocked != 0) [[unlikely]] {
      begin_stalls(own, endpoint.value(), own.blocked, now);
    }
    return {.lanes = static_cast<std::uint16_t>(~own.blocked & all_lanes_), .free_at = now};
  }
  Time send(EndpointId endpoint, PacketHandle packet, Time now) override;
  void request_wire(EndpointId endpoint, Time at) override;

  // For reports and tests.
  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Routes& routes() const { return routes_; }
  /// Egress ports of a flow at a switch: the one selected by the forwarding table or by ECMP, or every next hop with
  /// per-packet load balancing.
  [[nodiscard]] NextHops ports_taken(std::uint32_t switch_ordinal, EndpointId destination,
                                     std::uint32_t flow_hash) const;
  [[nodiscard]] std::uint32_t port_count() const { return static_cast<std::uint32_t>(ports_.size()); }
  [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
  [[nodiscard]] PortIndex port_index(LinkEnd end) const { return map_.at(end); }
  [[nodiscard]] LinkEnd end_of(PortIndex port) const { return map_.end_of(port); }
  [[nodiscard]] const InfiniBandPort& port(PortIndex index) const { return ports_[index]; }
  [[nodiscard]] const LaneCredits& credits(PortIndex port, std::uint32_t lane) const {
    return credits_[port * lanes_ + lane];
  }
  [[nodiscard]] const OutputLane& output(PortIndex port, std::uint32_t lane) const {
    return outputs_[port * lanes_ + lane];
  }
  /// The lane of a service level on the wire that begins at this port; kDropLane: none.
  [[nodiscard]] std::uint8_t lane_of(PortIndex port, std::uint8_t service_level) const {
    return options_.ports[ports_[port].profile].sl_to_vl[service_level & (kServiceLevels - 1)];
  }
  /// With a current wait, and a current stall, up to `now`.
  [[nodiscard]] InfiniBandCounters counters(PortIndex port, Time now) const;
  [[nodiscard]] Duration credit_stall(PortIndex port, std::uint32_t lane, Time now) const;
  /// What adaptive routing observed of the port; empty for other ports.
  [[nodiscard]] PortChoices choices(PortIndex port, Time now) const;
  [[nodiscard]] const FabricDrops& drops() const { return drops_; }
  [[nodiscard]] std::uint64_t packets_sent() const;  // data, ACK and CNP over one link each: packet-hops
  [[nodiscard]] std::uint64_t credits_sent() const;  // flow control packets over one link each
  [[nodiscard]] std::size_t heap_bytes() const;
  /// Packets on wires and in buffers; flow control packets have no record.
  [[nodiscard]] std::uint64_t packets_inside() const;
  /// Empty if packets and credits add up everywhere; otherwise what does not. O(everything).
  [[nodiscard]] std::string check_invariants() const;

 private:
  static constexpr std::uint16_t kMixedProfiles = 0xFFFF;
  struct Switch {
    PortIndex first_port = 0;
    std::uint16_t ports = 0;
    PathPolicy path = PathPolicy::kTable;
    bool balances = false;               // by its PathBalancer
    bool expires = false;                // has a head-of-queue lifetime
    std::uint16_t map = kMixedProfiles;  // profile whose SL-to-VL table all ports share
    std::uint16_t profile = 0;
    std::uint64_t hash_seed = 0;
    std::uint32_t sprayed = 0;
    std::uint32_t notify_from = 0xFFFFFFFF;  // bytes waiting for an egress port
    Duration lifetime;
    sim::Wake timer;
  };

  // Lay-out: infiniband_fabric_build.cc.
  InfiniBandFabric(Graph graph, InfiniBandOptions options, FabricContext context);
  [[nodiscard]] Result<void> check_options();
  void lay_out_ports();
  void connect_link(std::uint32_t link);
  void set_up_lanes(PortIndex index);
  void fill_credits();
  void allow_cut_through(const Switch& node);
  void add_stages(const Switch& node);

  [[nodiscard]] std::string check_lane(PortIndex index, std::uint32_t lane, std::uint32_t stored) const;

  [[nodiscard]] LaneCredits& credits_of(PortIndex port, std::uint32_t lane) { return credits_[port * lanes_ + lane]; }
  [[nodiscard]] OutputLane& output_of(PortIndex port, std::uint32_t lane) { return outputs_[port * lanes_ + lane]; }

  /// The wire is idle, or will be in the time of a block: what is started now follows without a gap.
  [[nodiscard]] static bool takes_next(const InfiniBandPort& port, Time now) {
    return port.free_at <= now || port.free_at - now <= port.wire_time(kBlockBytes);
  }

  // Forwarding: infiniband_fabric.cc.
  [[nodiscard]] bool receive_slow(InfiniBandPort& port, PortIndex index, PacketHandle handle, Time now);
  void look_up_egress(PortIndex index);
  void forward(InfiniBandPort& in, PortIndex in_index, std::uint32_t egress, PacketHandle handle, Time now);
  [[nodiscard]] std::uint32_t choose(InfiniBandPort& in, Switch& node, const NextHops& hops,
                                     const wire::PacketCommon& common, Time now) {
    if (node.path == PathPolicy::kTable || hops.size() == 1) {
      return table_.choose(in.owner, common.destination, hops);
    }
    return choose_slow(in, node, hops, common, now);
  }
  [[nodiscard]] std::uint32_t choose_slow(InfiniBandPort& in, Switch& node, const NextHops& hops,
                                          const wire::PacketCommon& common, Time now);
  struct Sizes {
    std::uint32_t frame = 0;  // bytes
    std::uint32_t wire = 0;
  };
  [[nodiscard]] static Sizes sizes_of(const wire::Packet& packet) {
    return {.frame = packet.common.frame_bytes, .wire = packet.common.wire_bytes};
  }
  void start_packet(InfiniBandPort& out, LaneCredits& lane, PacketHandle handle, const Sizes& sizes, Time now);
  struct EgressLane {
    PortIndex port = 0;
    std::uint32_t lane = 0;
  };
  void wait_in_buffer(PortIndex in_index, PacketHandle handle, EgressLane egress, Time now);
  void transmit_next(InfiniBandPort& port, PortIndex index, Time now);
  void dequeue(InfiniBandPort& port, PortIndex index, std::uint32_t lane, Time now);
  [[nodiscard]] std::uint32_t pick_lane(InfiniBandPort& port, PortIndex index, Time now);
  void take_from_queue(InfiniBandPort& port, PortIndex index, std::uint32_t lane, const WaitingPacket& entry);
  void discard(PacketHandle handle, std::uint64_t& counter, PortIndex output);
  [[gnu::always_inline]] void pass_through(PortIndex index, std::uint32_t lane, std::uint32_t blocks, Time now) {
    CreditReceiver& receiver = credits_of(index, lane).receiver;
    receiver.count(blocks);
    if (receiver.update_due()) [[unlikely]] {
      send_credit_update(index, lane, now);
    }
  }

  // Choice among paths beyond a table or a hash: infiniband_fabric_paths.cc.
  void set_up_balancers();
  void compute_port_weights();
  [[nodiscard]] std::uint32_t balance(InfiniBandPort& in, Switch& node, const NextHops& hops,
                                      const wire::PacketCommon& common, Time now);
  /// Only with notifications, and while the destination's link is up.
  [[nodiscard]] std::uint32_t leaf_id(EndpointId destination) const {
    const std::uint32_t leaf = routes_.leaf_of(destination);
    return leaf < leaf_ids_.size() ? leaf_ids_[leaf] : 0;
  }
  void notify(PortIndex ingress, EndpointId destination, Time now);
  void process_notification(InfiniBandPort& port, PortIndex index, std::uint32_t frame, Time at);

  // Credits: infiniband_fabric_credits.cc.
  void send_credit_update(PortIndex index, std::uint32_t lane, Time now);
  void schedule_credit_updates(InfiniBandPort& port, PortIndex index);
  std::uint32_t process_credit_updates(InfiniBandPort& port, PortIndex index, Time now);
  [[nodiscard]] bool is_lost(InfiniBandPort& port, PortIndex index, Time now);
  void resynchronise(PortIndex index, const CreditContent& content, Time now);
  /// Whether credits for so many blocks are available, with the updates received by now.
  [[nodiscard]] bool has_credits(InfiniBandPort& port, PortIndex index, LaneCredits& lane, std::uint32_t blocks,
                                 Time now) {
    return lane.sender.admits(blocks) ||
           (!port.waits_for_credits() && process_credit_updates(port, index, now) != 0 && lane.sender.admits(blocks));
  }
  void recheck_low_credit_lanes(InfiniBandPort& port, PortIndex index, Time now);
  void take_credits(InfiniBandPort& port, PortIndex index, std::uint32_t lane, Time now);
  void begin_stalls(InfiniBandPort& port, PortIndex index, std::uint32_t lanes, Time now);
  void end_stall(InfiniBandPort& port, PortIndex index, std::uint32_t lane, Time now);
  static void begin_xmit_wait(InfiniBandPort& port, Time now) {
    if (!port.has(kHasXmitWait)) {
      port.flags |= kHasXmitWait;
      port.waiting_since = now;
    }
  }
  static void end_xmit_wait(InfiniBandPort& port, Time now) {
    if (port.has(kHasXmitWait)) [[unlikely]] {
      port.flags = static_cast<std::uint8_t>(port.flags & ~kHasXmitWait);
      port.waited += now - port.waiting_since;
      port.waiting_since = Time::never();
    }
  }
  void release_input(const WaitingPacket& entry, Time now);
  void refresh_permit(InfiniBandPort& port, PortIndex index);
  [[nodiscard]] Duration repetition(const InfiniBandPort& port) const;

  // Link events: infiniband_fabric_events.cc.
  void apply_link_event(const LinkEvent& event, Time now);
  void take_link_down(PortIndex index, Time now);
  void bring_link_up(const Link& link, Time now);
  void expire_heads(PortIndex index, std::uint32_t lane, Time now);
  void remove_waiting(PortIndex output, std::uint32_t lane, const WaitingPacket& entry, std::uint64_t& counter,
                      Time now);
  void plan_fabric_timer();

  Graph graph_;
  InfiniBandOptions options_;
  sim::Kernel& kernel_;
  PacketPool& packets_;
  std::uint64_t seed_;
  std::uint32_t lanes_ = 1;
  std::uint16_t all_lanes_ = 1;
  Routes routes_;
  ForwardingTable table_;
  PortMap map_;
  HugeVector<InfiniBandPort> ports_;
  HugeVector<LaneCredits> credits_;  // per port and lane
  HugeVector<OutputLane> outputs_;   // per port and lane
  std::vector<PortIndex> peers_;     // per port, for prefetching: the port's own record need not be there yet
  VirtualOutputQueues queues_;
  std::vector<std::unique_ptr<BitErrors>> errors_;                   // per port that receives; null without errors
  std::vector<std::uint16_t> largest_blocks_;                        // per port profile
  std::vector<std::array<std::uint8_t, kServiceLevels>> lane_maps_;  // per port profile
  std::vector<Switch> switches_;
  std::vector<PathBalancer> balancers_;  // per switch; empty: no switch has one
  PortWeights weights_;
  std::vector<std::uint32_t> leaf_ids_;  // what notifications call each switch; empty: there are none
  std::vector<Endpoint*> endpoints_;
  Tap* tap_ = nullptr;
  FabricDrops drops_;
  sim::Wake fabric_timer_;
  LinkSchedule links_;
};

}  // namespace weft::fabric
