// An Ethernet fabric, packet by packet: shared-buffer switches, PFC, ECN, equal-cost paths.
//
// One event per hop where a port is idle; a port's transmitter wakes only while something waits. A packet is charged to
// the buffer while it waits in an egress queue: one that leaves at once never is. Priorities of switch ports and of
// endpoint ports obey pauses alike; endpoints send them if what stands before a NIC asks for it (pause_peer), or when
// the NIC's receive buffer fills (Endpoint::room_at). Sources: IEEE 802.1Q (PFC, DWRR), RFC 3168 (marks).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/huge_pages.h"
#include "fabric/core/counters.h"
#include "fabric/core/fabric_core.h"
#include "fabric/ethernet/conga_state.h"
#include "fabric/ethernet/deadlock.h"
#include "fabric/ethernet/ethernet_port.h"
#include "fabric/ethernet/leaf_order.h"
#include "fabric/ethernet/link_control.h"
#include "fabric/ethernet/pinned_state.h"
#include "wire/encapsulation.h"
#include "wire/link_type.h"

namespace weft::fabric {

/// A cyclic buffer dependency: each port waits for the next one's switch to take a packet.
struct DeadlockReport {
  Time found;
  std::uint8_t priority = 0;
  std::vector<PortIndex> cycle;  // the ports that wait
};

class ControlPlane;
class EthernetControl;
struct ControlLosses;

class EthernetFabric final : public FabricCore<EthernetFabric, EthernetParts> {
 public:
  /// Errors: a switch whose buffer cannot hold the headroom and reserves of its ports (with the sums), a bad option.
  [[nodiscard]] static Result<std::unique_ptr<EthernetFabric>> create(Graph graph, EthernetOptions options,
                                                                      FabricContext context);
  ~EthernetFabric() override;

  /// Those of the control plane as well.
  void register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions = {});

  // Events of the actor kinds of fabric/actors.h.
  void on_arrival(PortIndex port, Time now);
  void on_control(PortIndex port, Time now);
  void on_transmit(PortIndex port, Time now);
  void on_port_timer(PortIndex port, Time now);
  void on_switch_timer(std::uint32_t switch_ordinal, Time now);
  void on_control_plane(std::uint32_t switch_ordinal, Time now);
  // Prefetch for the stages of prefetch_first: the port, then the queue, then the packet.
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
    prefetch_next_arrival(packets_, soon);
    if (!soon.crosses() || !kernel_.is_shared()) {
      ports_[soon.peer].in_flight.prefetch_back();
    }
    const std::uint32_t usual = own_[this_worker].usual_priority;
    __builtin_prefetch(&queues_[port * kPriorities + usual]);
    __builtin_prefetch(&groups_[port * kPriorities + usual]);
  }

  [[nodiscard]] SendPermit permit(EndpointId endpoint, Time now) override;
  Time send(EndpointId endpoint, PacketHandle packet, Time now) override;
  void request_wire(EndpointId endpoint, Time at) override;
  /// An endpoint cannot take more: pauses these priorities (bit p) of its peer by PFC and resumes all others that it
  /// has paused for that cause, until it is called again. The peer obeys for those that it keeps lossless.
  void pause_peer(EndpointId endpoint, PauseCause cause, std::uint8_t priorities, Time now);
  /// A PFC frame that the endpoint sends now: its wire must be free. What a NIC does that is broken, or not its
  /// owner's.
  void send_endpoint_pause(EndpointId endpoint, std::uint8_t priorities, std::uint16_t quanta, Time now);
  /// How long the port has been paused in that priority.
  [[nodiscard]] Duration paused_for(PortIndex port, std::uint32_t priority, Time now) const {
    return lane_counters(port, priority, now).held;
  }

  // Switches with PathPolicy::kCentral (flow_controller.h): ethernet_fabric_pinned.cc.
  /// After start(), in a world that is not divided. It outlives the run.
  void set_controller(FlowController& controller);
  /// Its next() has become earlier, for another reason than traffic.
  void wake_controller() { plan_fabric_timer(); }
  /// The table of a switch, in which the controller installs and removes entries.
  [[nodiscard]] PinnedFlows& pinned_flows(std::uint32_t switch_ordinal) { return pinned_->tables[switch_ordinal]; }
  /// What hosts have sent into a switch since this was last asked, by flow, of flows for which there were several next
  /// hops; in the order of flows.
  [[nodiscard]] std::vector<MeteredFlow> take_metered(std::uint32_t switch_ordinal) {
    return pinned_->meters[switch_ordinal].take();
  }

  // Distributed control: ethernet_fabric_control.cc. Null without it.
  [[nodiscard]] ControlPlane* control_plane() const;
  /// Packets that it lost.
  [[nodiscard]] const ControlLosses* control_losses() const;

  // For reports and tests.
  static constexpr wire::LinkType kLinkType = wire::LinkType::kEthernet;
  [[nodiscard]] std::uint32_t gap_bytes() const { return gap_bytes_; }  // on the wire beside each frame
  [[nodiscard]] static constexpr std::uint32_t lanes() { return kPriorities; }
  [[nodiscard]] LaneCounters lane_counters(PortIndex port, std::uint32_t priority, Time now) const;
  [[nodiscard]] PortCounters port_counters(PortIndex port, Time now) const;
  /// Egress ports of a flow at a switch: the one selected by ECMP, or every next hop with per-packet load balancing.
  [[nodiscard]] NextHops ports_taken(std::uint32_t switch_ordinal, const LeafFlow& flow,
                                     std::uint16_t entropy = 0) const;
  /// Whether packets with other hashes each go to all next hops alike, at every switch: no groups with weights or with
  /// places that stay, no paths that are pinned, no seed of hashes that two switches have alike.
  [[nodiscard]] bool spreads_hashes_evenly() const;
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
  [[nodiscard]] std::uint64_t drops_at(PortIndex ingress) const { return port_drops_[ingress]; }
  /// On wires and in queues now, link-level frames included.
  [[nodiscard]] std::uint64_t packets_inside() const;
  [[nodiscard]] std::span<const DeadlockReport> deadlocks() const { return deadlocks_; }
  /// Null unless the policy of the switches is kPinned or kCentral.
  [[nodiscard]] const PinnedState* pinned() const { return pinned_.get(); }
  [[nodiscard]] std::size_t heap_bytes() const;
  /// Empty if every count agrees with what the queues hold; otherwise what does not. O(everything).
  [[nodiscard]] std::string check_invariants() const;

 private:
  friend class FabricCore<EthernetFabric, EthernetParts>;
  friend class EthernetControl;

  using FabricCore::FabricCore;
  void lay_out_queues(const FabricContext& context);
  void set_up_queues(std::uint32_t threads);
  void set_up_queues_of(PortIndex index);
  /// As it is at a switch before anything comes.
  [[nodiscard]] IngressGroup empty_group(PortIndex index, std::uint32_t priority) const;
  [[nodiscard]] Result<void> size_buffers();
  [[nodiscard]] Result<void> set_up_telemetry();

  [[nodiscard]] EgressQueue& queue_of(PortIndex port, std::uint32_t priority) {
    return queues_[port * kPriorities + priority];
  }
  [[nodiscard]] IngressGroup& group_of(PortIndex port, std::uint32_t priority) {
    return groups_[port * kPriorities + priority];
  }
  void look_up_egress(PortIndex index);
  /// Inlined into what every arrival goes through; others call forward_later.
  [[gnu::always_inline]] void forward(EthernetPort& in, PortIndex, std::uint32_t egress, PacketHandle handle, Time now);
  void forward_later(EthernetPort& in, PacketHandle handle, Time now);
  /// Of a switch that does not choose by the flow alone.
  [[nodiscard, gnu::noinline]] std::uint32_t choose(EthernetPort& in, Switch& node, NextHops hops, PacketHandle handle,
                                                    Time now);
  [[nodiscard]] std::uint32_t in_order_hop(const EthernetPort& in, const Switch& node, const NextHops& hops,
                                           const wire::PacketCommon& common, const std::uint32_t* weights) const;
  /// Of a switch that balances.
  [[nodiscard]] std::uint32_t choose_balanced(EthernetPort& in, Switch& node, const NextHops& hops, PacketHandle handle,
                                              Time now);
  // Pinned paths: ethernet_fabric_pinned.cc.
  void set_up_pinned();
  /// A port, and what named it.
  struct PinnedPort {
    std::uint16_t port = 0;
    enum class By : std::uint8_t { kRule, kHash, kFallback } by = By::kRule;
  };
  [[nodiscard]] PinnedPort pinned_port(std::uint32_t switch_ordinal, const NextHops& hops, const LeafFlow& flow) const;
  [[nodiscard]] std::uint32_t choose_pinned(const EthernetPort& in, const NextHops& hops,
                                            const wire::PacketCommon& common);
  [[nodiscard, gnu::noinline]] std::uint32_t choose_central(const EthernetPort& in, const NextHops& hops,
                                                            const wire::PacketCommon& common, Time now);
  // CONGA: ethernet_fabric_conga.cc. Inlined into forward() and start_packet(), it would cost every packet registers.
  [[nodiscard]] Result<void> set_up_conga();
  [[nodiscard, gnu::noinline]] std::uint32_t choose_conga(const EthernetPort& in, const Switch& node,
                                                          const NextHops& hops, const wire::PacketCommon& common,
                                                          Time now);
  [[nodiscard]] std::uint8_t conga_metric(PortIndex out, std::uint32_t to_leaf, Time now);
  [[gnu::noinline]] void note_conga_departure(PortIndex out, PacketHandle handle, std::uint32_t wire_bytes, Time now);
  void note_conga_arrival(PortIndex in, PacketHandle handle, Time now);

  // Order restored by leaves, and ConWeave: ethernet_fabric_order.cc.
  /// Where a packet has come to a leaf.
  struct Arrival {
    EthernetPort& port;
    PortIndex index;
    LeafOrder& leaf;
  };
  void set_up_order();
  void on_links_changed(Time now);
  [[nodiscard]] const ConWeaveSource::Paths& paths_to(std::uint32_t leaf, const wire::PacketCommon& common);
  [[nodiscard, gnu::noinline]] std::uint32_t choose_conweave(const EthernetPort& in, const Switch& node,
                                                             const NextHops& hops, PacketHandle handle, Time now);
  [[nodiscard]] bool take_for_order(EthernetPort& port, PortIndex index, PacketHandle handle, Time now);
  void take_answer(LeafOrder& leaf, const wire::PacketCommon& common, const LeafHeader& header, Time now);
  void send_answer(const Arrival& at, const LeafFlow& flow, const ConWeaveHeader& content, Time now);
  [[nodiscard]] bool order_by_phase(const Arrival& at, PacketHandle handle, Time now);
  [[nodiscard]] bool order_by_number(const Arrival& at, PacketHandle handle, Time now);
  void note_late(const Arrival& at, const LeafFlow& flow, std::uint32_t number, Time now);
  void clear(const Arrival& at, const LeafFlow& flow, Time now);
  [[nodiscard]] bool hold(const Arrival& at, const LeafFlow& flow, PacketHandle handle, Time now);
  void release_front(OrderQueue& queue, std::uint32_t priority, Time now);
  void release_before(LeafOrder& leaf, const LeafFlow& flow, std::uint32_t number, Time now);
  void release_due(LeafOrder& leaf, const LeafFlow& flow, Time now);
  void release_all(LeafOrder& leaf, const LeafFlow& flow, Time now);
  void close_if_empty(LeafOrder& leaf, const LeafFlow& flow, Time now);
  void plan_order_timer(std::uint32_t ordinal);
  [[nodiscard]] Time end_waits(std::uint32_t ordinal, Time now);
  [[nodiscard]] std::uint64_t packets_held() const;
  void add_held(std::vector<std::uint64_t>& held) const;

  // Distributed control: ethernet_fabric_control.cc.
  [[nodiscard]] Result<void> set_up_control();
  void start_timers();
  [[nodiscard]] bool take_for_control(const EthernetPort& port, PortIndex index, PacketHandle handle, Time now);
  void note_cable(PortIndex end, Time now);
  void note_cable_done();  // what was on it is lost
  void count_control_loss(PacketHandle handle, const std::uint64_t& counter);

  void start_packet(EthernetPort& out, EgressQueue& queue, PacketHandle handle, std::uint32_t frame_bytes, Time now);
  /// The same, for the fast path.
  [[gnu::always_inline]] void start_packet_here(EthernetPort& out, EgressQueue& queue, PacketHandle handle,
                                                std::uint32_t frame_bytes, Time now);
  /// A packet on its way from one port of a switch to another.
  struct Passage {
    Switch& node;
    PortIndex ingress;
    PortIndex egress;
    std::uint32_t priority;
  };
  void enqueue(EthernetPort& in, PortIndex out, PacketHandle handle, wire::Packet& packet, Time now);
  [[gnu::always_inline]] void enqueue_here(EthernetPort& in, PortIndex out, PacketHandle handle, wire::Packet& packet,
                                           Time now);
  [[nodiscard]] bool admit(const Passage& passage, std::uint32_t size, Time now);
  void append(const Passage& passage, PacketHandle handle, const wire::Packet& packet, Time now);
  [[gnu::always_inline]] void dequeue(PortIndex index, std::uint32_t priority, Time now);
  [[nodiscard]] std::uint32_t pick(EthernetPort& port, PortIndex index, std::uint32_t eligible);
  void drop(PacketHandle handle, std::uint64_t& counter, PortIndex ingress);
  /// What a port looks like as a packet leaves it.
  struct EgressState {
    std::uint32_t queued = 0;  // bytes, of all priorities
    Time now;
  };
  [[gnu::noinline]] void write_telemetry(PortIndex out, wire::Packet& packet, const EgressState& left);

  // Limits of single queues, trimming, marks at the end of a transmission: ethernet_fabric_trimming.cc.
  void set_up_departures();
  [[nodiscard]] bool start_noted(EthernetPort& out, EgressQueue& queue, PacketHandle handle, std::uint32_t frame_bytes,
                                 Time now);
  void mark_departed(PortIndex index, Time now);
  [[nodiscard]] std::uint32_t on_wire(PortIndex index, std::uint32_t priority, Time now) const;
  [[nodiscard]] bool fits_limit(const Passage& passage, std::uint32_t size, Time now) const;
  void refuse(const Passage& passage, PacketHandle handle, wire::Packet& packet, Time now);
  [[nodiscard]] bool trims_tail(const Passage& passage, std::uint32_t size);
  void trim(const Passage& passage, PacketHandle handle, wire::Packet& packet, Time now);
  void trade_places(const Passage& passage, PacketHandle handle, const wire::Packet& packet, Time now);

  // LLR, and what it shares with credits: ethernet_fabric_retry.cc.
  [[nodiscard]] Result<void> set_up_link_control();
  /// Whether the port has LLR or credits.
  [[nodiscard]] bool has_link_control(PortIndex index) const { return !controls_.empty() && controls_[index].is_on(); }
  void set_up_retry(const CableEnds& ends);
  [[nodiscard]] LoopTerms loop_of(PortIndex index) const;
  void send_with_retry(PortIndex index, const RetryFrame& frame, Time now);
  void put_on_wire(PortIndex index, const RetryFrame& frame, Time now);
  void lose_on_wire(PortIndex index, const RetryFrame& frame, Time now);
  void send_ordered_sets(PortIndex index, std::uint32_t after_bytes);
  void note_damage(PortIndex index, Time now);
  [[nodiscard]] bool retransmits(PortIndex index, Time now);
  void replay_next(PortIndex index, Time now);
  void begin_replay(PortIndex index, Time now);
  void flush_retry(PortIndex index, Time now);
  void update_hold(PortIndex index, Time now);
  void send_message(PortIndex index, LinkMessage kind, const LinkContent& content, Time now);
  void on_link_message(PortIndex index, wire::Packet& frame, Time now);
  void defer_pause(PortIndex index, const PauseContent& content, Time now);
  void on_link_timer(PortIndex index, Time now);
  void plan_link_timer(PortIndex index, Time now);
  void reset_link_control(PortIndex index, Time now);
  void restart_link_control(PortIndex index);

  // Credits: ethernet_fabric_credits.cc.
  [[nodiscard]] Result<void> set_up_credits(const CableEnds& ends);
  void set_up_credit_lane(PortIndex sender, std::uint32_t priority);
  [[nodiscard]] std::uint32_t credit_unit(PortIndex receiver) const;
  [[nodiscard]] bool receives_credits(PortIndex index, std::uint32_t priority) const {
    return !controls_.empty() && ((controls_[index].credited_in >> priority) & 1U) != 0;
  }
  [[nodiscard]] bool on_slow_arrival(EthernetPort& port, PortIndex index, PacketHandle handle, Time now);
  [[nodiscard]] bool hold_credits(EthernetPort& port, PortIndex index, PacketHandle handle, Time now);
  void release_held_credits(PortIndex index, Time now);
  void consume_credits(PortIndex index, std::uint32_t priority, std::uint32_t frame_bytes, Time now);
  void update_stall(PortIndex index, std::uint32_t priority, Time now);
  /// A group that asked to be told has room again.
  void on_room(PortIndex ingress, std::uint32_t priority, std::uint32_t frame_bytes, Time now);
  void update_credits(PortIndex ingress, std::uint32_t priority, Time now);
  void on_consumed(PortIndex index, const wire::Packet& message, Time now);
  void resync_credits(PortIndex index, Time now);
  void send_consumed(PortIndex index, std::uint32_t priority, Time now);
  [[nodiscard]] std::string check_credits() const;

  // Pauses, and notifications of congestion: ethernet_fabric_pauses.cc.
  void send_notification(PortIndex ingress, const NotificationContent& content, Time now);
  [[nodiscard]] bool hold_back_peer(EthernetPort& port, PortIndex index, PacketHandle handle, Time now);
  void on_endpoint_timer(EthernetPort& port, PortIndex index, Time now);
  void update_xoff(PortIndex ingress, std::uint32_t priority, Time now);
  void say_pauses(EthernetPort& port, PortIndex index, Time now);
  void send_pause(EthernetPort& port, PortIndex index, Time now);
  void take_link_frame(EthernetPort& port, PortIndex index, const wire::Packet& frame, Time now);
  void process_pause(EthernetPort& port, PortIndex index, const PauseContent& content, Time now);
  void expire_pauses(EthernetPort& port, PortIndex index, Time now);
  void end_pause(EthernetPort& port, PortIndex index, std::uint32_t priority, Time now);
  void schedule_pause_expiry(EthernetPort& port, PortIndex index);

  // Link events, watchdog, deadlock search: ethernet_fabric_events.cc.
  void take_link_down(PortIndex index, Time now);
  void bring_link_up(const CableEnds& ends, Time now);
  void set_bit_error_rate(PortIndex receiver, Probability rate);
  void empty_queue(PortIndex index, std::uint32_t priority, std::uint64_t& counter, Time now);
  void watch_pause(PortIndex index, Time now);
  void plan_deadlock_check(Time now);
  void check_deadlocks_at(Time at);
  void watch_storms(PortIndex index, Time now, Time& next);
  [[nodiscard]] Time next_check() const {
    return earlier(deadlock_check_at_.load(std::memory_order_relaxed), next_round());
  }
  [[nodiscard]] Time next_round() const;
  void check_fabric(Time now);
  void check_deadlocks(Time now);
  /// Adds what ports of this process wait for; whether any is paused.
  bool find_waits(std::uint32_t priority, Time now, std::vector<WaitGraph::Wait>& waits) const;
  /// Adds those of other processes.
  bool gather_waits(bool any_pause, std::vector<WaitGraph::Wait>& waits) const;

  // The large tables lie on large pages, lest every look at them also misses the TLB.
  HugeVector<EgressQueue> queues_;
  HugeVector<IngressGroup> groups_;
  HugeVector<Red> markers_;
  HugeVector<PauseRecord> pauses_;
  std::vector<std::uint64_t> port_drops_;
  std::vector<DepartureRecord> departures_;  // per port; empty if none needs it
  std::vector<LinkControl> controls_;        // per port; empty without LLR and credits
  std::vector<std::uint8_t> speed_codes_;    // per port, for telemetry; empty without
  std::vector<std::uint8_t> strict_;         // per port profile: the priorities without a weight
  std::vector<std::uint8_t> lossless_;       // per port profile: those that PFC protects
  std::uint32_t gap_bytes_ = wire::kEthernetGapBytes;
  std::atomic<Time> deadlock_check_at_ = Time::never();
  std::vector<DeadlockReport> deadlocks_;
  std::unique_ptr<CongaState> conga_;         // null: no switch has it
  std::unique_ptr<OrderState> order_;         // null: no leaf restores an order
  std::unique_ptr<PinnedState> pinned_;       // null: no switch has pinned paths
  std::unique_ptr<EthernetControl> control_;  // null: routes do not come from the switches themselves
};

extern template class FabricCore<EthernetFabric, EthernetParts>;

}  // namespace weft::fabric
