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

#include "base/assert.h"
#include "base/huge_pages.h"
#include "base/shared_pool.h"
#include "fabric/core/counters.h"
#include "fabric/core/fabric_core.h"
#include "fabric/flow_control/credits.h"
#include "fabric/flow_control/held_arrivals.h"
#include "fabric/infiniband/credit_content.h"
#include "fabric/infiniband/infiniband_port.h"
#include "fabric/infiniband/options.h"
#include "fabric/infiniband/virtual_output_queues.h"
#include "fabric/routing/forwarding_table.h"
#include "fabric/routing/lane_phases.h"
#include "fabric/routing/leaf_flow.h"
#include "wire/link_type.h"
#include "wire/multicast.h"

namespace weft::fabric {

class InfiniBandFabric final : public FabricCore<InfiniBandFabric, InfiniBandParts> {
 public:
  /// Errors: a lane buffer that cannot hold the largest packet, a lane without weight, an option out of range.
  [[nodiscard]] static Result<std::unique_ptr<InfiniBandFabric>> create(Graph graph, InfiniBandOptions options,
                                                                        FabricContext context);

  // Events of the actor kinds of fabric/actors.h.
  void on_arrival(PortIndex port, Time now);
  void on_control(PortIndex port, Time now);
  void on_transmit(PortIndex port, Time now);
  void on_port_timer(PortIndex port, Time now);
  void on_switch_timer(std::uint32_t switch_ordinal, Time now);
  // Prefetch for the stages of prefetch_first: the port, then the queue, then the packet.
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
    prefetch_next_arrival(packets_, ports_[port]);
    ports_[port].control.prefetch_front();
    if (!ports_[port].crosses() || !kernel_.is_shared()) {
      peer.in_flight.prefetch_back();
      peer.control.prefetch_back();
    }
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
    return {.lanes = static_cast<std::uint16_t>(~own.blocked & endpoint_lanes_), .free_at = now};
  }
  Time send(EndpointId endpoint, PacketHandle packet, Time now) override;
  void request_wire(EndpointId endpoint, Time at) override;

  void set_workers(std::uint32_t workers) {
    queues_.set_workers(workers);
    waiting_copies_.set_workers(workers);
  }

  // For reports and tests.
  static constexpr wire::LinkType kLinkType = wire::LinkType::kInfiniBand;
  [[nodiscard]] static constexpr std::uint32_t gap_bytes() { return 0; }  // on the wire beside each frame
  [[nodiscard]] LaneCounters lane_counters(PortIndex port, std::uint32_t lane, Time now) const;
  [[nodiscard]] PortCounters port_counters(PortIndex port, Time now) const;
  /// Egress ports of a flow at a switch: the one selected by the forwarding table or by ECMP, or every next hop with
  /// per-packet load balancing.
  [[nodiscard]] NextHops ports_taken(std::uint32_t switch_ordinal, const LeafFlow& flow, std::uint16_t entropy) const;
  /// By the routes, or the tables of a subnet manager, to the destination's base LID.
  [[nodiscard]] NextHops next_hops(std::uint32_t switch_ordinal, EndpointId destination) const {
    return hops_to(switch_ordinal, {.destination = destination});
  }
  [[nodiscard]] const std::uint32_t* hop_weights(std::uint32_t switch_ordinal, EndpointId destination) const {
    return options_.tables.empty() ? FabricCore::hop_weights(switch_ordinal, destination) : nullptr;
  }
  [[nodiscard]] std::uint8_t lid_mask_control() const { return options_.lid_mask_control; }
  /// What the subnet manager says of paths at present; empty: nothing.
  [[nodiscard]] const PathLevels& path_levels() const { return options_.levels; }
  [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
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
  [[nodiscard]] std::uint64_t credits_sent() const;  // flow control packets over one link each
  [[nodiscard]] std::size_t heap_bytes() const;
  /// Packets on wires and in buffers; flow control packets have no record.
  [[nodiscard]] std::uint64_t packets_inside() const;
  /// Empty if packets and credits add up everywhere; otherwise what does not. O(everything).
  [[nodiscard]] std::string check_invariants() const;

 private:
  friend class FabricCore<InfiniBandFabric, InfiniBandParts>;

  // Lay-out: infiniband_fabric_build.cc.
  InfiniBandFabric(Graph graph, InfiniBandOptions options, FabricContext context);
  [[nodiscard]] Result<void> check_options();
  [[nodiscard]] Result<void> check_levels(const InfiniBandPortOptions& profile) const;
  void lay_out_lanes();
  void lay_out_queues(std::uint32_t threads);
  void set_up_lanes(PortIndex index);
  void fill_credits();
  void add_stages(const Switch& node);
  void start_timers();

  [[nodiscard]] std::string check_lane(PortIndex index, std::uint32_t lane, std::uint32_t stored) const;

  [[nodiscard]] LaneCredits& credits_of(PortIndex port, std::uint32_t lane) { return credits_[port * lanes_ + lane]; }
  [[nodiscard]] OutputLane& output_of(PortIndex port, std::uint32_t lane) { return outputs_[port * lanes_ + lane]; }

  /// The wire is idle, or will be in the time of a block: what is started now follows without a gap.
  [[nodiscard]] static bool takes_next(const InfiniBandPort& port, Time now) {
    return port.free_at <= now || port.free_at - now <= port.wire_time(kBlockBytes);
  }

  // Forwarding: infiniband_fabric.cc.
  [[nodiscard]] bool on_damaged(InfiniBandPort& port, PortIndex index, PacketHandle handle, Time now);
  [[gnu::always_inline]] void deliver(const InfiniBandPort& port, PortIndex index, PacketHandle handle, Time now) {
    const wire::PacketCommon& common = packets_[handle].common;
    pass_through(index, common.priority, blocks_of(common.frame_bytes), now);
    FabricCore::deliver(port, index, handle, now);
  }
  void discard_taken(PortIndex index, PacketHandle handle, Time now) {
    const wire::PacketCommon& common = packets_[handle].common;
    pass_through(index, common.priority, blocks_of(common.frame_bytes), now);
    packets_.release(handle);
  }
  [[nodiscard]] ForwardingTable::Target lid_of(EndpointId destination, std::uint16_t entropy) const {
    WEFT_DCHECK(!wire::is_multicast(destination));
    return {.destination = destination, .offset = entropy & lid_mask_};
  }
  [[nodiscard]] NextHops hops_to(std::uint32_t switch_ordinal, const ForwardingTable::Target& lid) const {
    return options_.tables.empty() ? routes_.next_hops(switch_ordinal, lid.destination)
                                   : options_.tables.next_hop(switch_ordinal, lid);
  }
  void look_up_egress(PortIndex index);
  void forward(InfiniBandPort& in, PortIndex in_index, std::uint32_t egress, PacketHandle handle, Time now);
  [[nodiscard]] std::uint32_t choose(InfiniBandPort& in, Switch& node, const NextHops& hops,
                                     const wire::PacketCommon& common, Time now) {
    if (node.path == PathPolicy::kTable || hops.size() == 1) {
      return table_.choose(in.owner, lid_of(common.destination, common.entropy), hops);
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
  struct PhasedHop {
    PortIndex in = 0;
    PortIndex out = 0;
    std::uint32_t in_lane = 0;
  };
  [[nodiscard]] std::uint32_t lane_in_phase(std::uint32_t mapped, const PhasedHop& hop) const;
  void wait_in_buffer(PortIndex in_index, PacketHandle handle, EgressLane egress, Time now);
  void transmit_next(InfiniBandPort& port, PortIndex index, Time now);
  void dequeue(InfiniBandPort& port, PortIndex index, std::uint32_t lane, Time now);
  void dequeue_from_other_lane(InfiniBandPort& port, EgressLane egress, WaitingPacket entry, Time now);
  [[nodiscard]] std::uint32_t pick_lane(InfiniBandPort& port, PortIndex index, Time now);
  void take_from_queue(InfiniBandPort& port, PortIndex index, std::uint32_t lane, const WaitingPacket& entry);
  void discard(PacketHandle handle, std::uint64_t& counter, PortIndex output);
  /// A packet that goes on at once is counted and never stored, which saves two changes of the buffer.
  [[gnu::always_inline]] void pass_through(PortIndex index, std::uint32_t lane, std::uint32_t blocks, Time now) {
    CreditReceiver& receiver = credits_of(index, lane).receiver;
    receiver.count(blocks);
    if (receiver.update_due()) [[unlikely]] {
      send_credit_update(index, lane, now);
    }
  }

  // Packets to groups.
  /// In WaitingPacket::input_lane: the packet is one of several copies that share a place in the input buffer, whose
  /// number is in the packet's PacketCommon::cold.
  static constexpr std::uint8_t kSharesBuffer = 0x80;
  static constexpr std::uint32_t kNoPlace = 0xFFFFFFFF;
  struct Arrived {
    PortIndex in = 0;
    std::uint32_t lane = 0;
    std::uint32_t blocks = 0;
    std::uint32_t place = kNoPlace;  // in waiting_copies_, if one of the copies waits
  };
  [[nodiscard]] bool on_slow_arrival(InfiniBandPort& in, PortIndex index, PacketHandle handle, Time now);
  void replicate(const InfiniBandPort& in, Arrived& arrived, PacketHandle handle, Time now);
  void forward_copy(Arrived& arrived, PacketHandle copy, PortIndex index, Time now);
  void wait_as_copy(Arrived& arrived, PacketHandle copy, const EgressLane& egress, Time now);
  /// A copy leaves its queue: the entry becomes that of a packet which has the buffer for itself, without blocks if
  /// others still wait.
  void leave_copies(WaitingPacket& entry);
  void leave_place(std::uint32_t place, WaitingPacket& entry);
  void wait_in_queue(const WaitingPacket& entry, EgressLane egress, const wire::PacketCommon& common, Time now);

  // A table beside choices per packet, and notifications of congestion: infiniband_fabric_notifications.cc.
  [[nodiscard]] std::uint32_t in_order_hop(const InfiniBandPort& in, const Switch&, const NextHops& hops,
                                           const wire::PacketCommon& common, const std::uint32_t*) const {
    return table_.choose(in.owner, lid_of(common.destination, common.entropy), hops);
  }
  void receive_notifications(const Switch& node, const NextHops& hops, Time now);
  void send_notification(PortIndex ingress, const NotificationContent& content, Time now);
  void process_notification(InfiniBandPort& port, PortIndex index, std::uint32_t frame, Time at);

  // Credits: infiniband_fabric_credits.cc.
  void send_credit_update(PortIndex index, std::uint32_t lane, Time now);
  void send_control(const InfiniBandPort& port, std::uint32_t frame);
  static constexpr bool kFramesArePackets = false;
  void take_control(PortIndex index, const ControlInFlight& frame);
  void schedule_credit_updates(InfiniBandPort& port, PortIndex index);
  std::uint32_t process_credit_updates(InfiniBandPort& port, PortIndex index, Time now);
  [[nodiscard]] bool is_lost(InfiniBandPort& port, PortIndex index, Time now);
  void resynchronise(PortIndex index, const CreditContent& content, Time now);
  /// Whether credits for so many blocks are available, with the updates received by now. Those are taken in only when
  /// credits lack, so that most packets do not look at the ring.
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
      WEFT_DCHECK(port.waiting_since <= now);
      port.flags = static_cast<PortFlags>(port.flags & ~kHasXmitWait);
      port.waited += now - port.waiting_since;
      port.waiting_since = Time::never();
    }
  }
  void release_input(const WaitingPacket& entry, Time now);
  [[nodiscard]] bool hold_back_peer(InfiniBandPort& port, PortIndex index, PacketHandle handle, Time now);
  void on_endpoint_timer(const InfiniBandPort& port, PortIndex index, Time now);
  void refresh_permit(InfiniBandPort& port, PortIndex index);
  [[nodiscard]] Duration repetition(const InfiniBandPort& port) const;

  // Link events: infiniband_fabric_events.cc.
  void on_links_changed(Time now) { options_.sweeps.take_due(now, options_.tables, options_.levels); }
  void take_link_down(PortIndex index, Time now);
  void bring_link_up(const CableEnds& ends, Time now);
  void expire_heads(PortIndex index, std::uint32_t lane, Time now);
  void remove_waiting(PortIndex output, std::uint32_t lane, WaitingPacket entry, std::uint64_t& counter, Time now);

  std::uint32_t lanes_ = 1;
  std::uint16_t all_lanes_ = 1;
  std::uint16_t endpoint_lanes_ = 1;  // that endpoints send in: the first set
  ForwardingTable table_;
  std::uint32_t lid_mask_ = 0;  // of entropy: which LID of the destination
  // The large tables lie on large pages, lest every look at them also misses the TLB.
  HugeVector<LaneCredits> credits_;  // per port and lane
  HugeVector<OutputLane> outputs_;   // per port and lane
  VirtualOutputQueues queues_;
  SharedPool<std::uint32_t> waiting_copies_{std::size_t{1} << 24};  // how many wait, of each place that they share
  /// Of an endpoint whose receive side may back up.
  struct EndpointHold {
    HeldArrivals arrivals;
    Time repeat_at = Time::never();  // of all limits, where packets may be lost
  };
  std::vector<EndpointHold> holds_;            // per endpoint; empty if none may back up
  std::vector<std::uint16_t> largest_blocks_;  // per port profile
  std::vector<std::array<std::uint8_t, kServiceLevels>>
      lane_maps_;  // per port profile; with kPhased where there are sets
  LanePhases phases_;
  /// Above all lanes, so that the lane is looked up where one that does not exist is.
  static constexpr std::uint8_t kPhased = 0x80;
};

extern template class FabricCore<InfiniBandFabric, InfiniBandParts>;

}  // namespace weft::fabric
