// A scheduled Ethernet fabric: virtual output queues in leaves, credits from egress ports, cells over all links.
//
// A packet from an endpoint waits in its leaf, in the queue of its egress port and priority. The queue asks the port's
// scheduler, at the leaf of the destination, for what has come; credits arrive at the rate of that port. A packet whose
// bytes are all granted is cut into cells, which go over all uplinks from which the destination is reached; its leaf
// puts it together, and sends it. Spines hold cells only while links to one leaf are briefly busy.
//
// Two events for a packet between its leaves, not two for each cell: what its cells take on each uplink is added up as
// it is sent, on each downlink when the first cell is in a spine. Requests and grants take the time of the way, and no
// bytes of it. Choices: docs/decisions/0049.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/huge_pages.h"
#include "fabric/core/counters.h"
#include "fabric/core/fabric_core.h"
#include "fabric/ethernet/pause_content.h"
#include "fabric/routing/leaf_flow.h"
#include "fabric/scheduled/leaf.h"
#include "wire/link_type.h"

namespace weft::fabric {

class ScheduledFabric final : public FabricCore<ScheduledFabric, ScheduledParts> {
 public:
  /// Errors: a graph that is not of two tiers, errors on links between switches, a buffer that cannot hold headroom and
  /// reserves, cells, credits or buffers out of range.
  [[nodiscard]] static Result<std::unique_ptr<ScheduledFabric>> create(Graph graph, ScheduledOptions options,
                                                                       FabricContext context);

  // Events of the actor kinds of fabric/actors.h.
  void on_arrival(PortIndex port, Time now) { receive(port, now); }
  void on_control(PortIndex port, Time now);
  void on_transmit(PortIndex port, Time now);
  void on_port_timer(PortIndex port, Time now);
  void on_switch_timer(std::uint32_t switch_ordinal, Time now);
  // Prefetch for the stages of prefetch_first, and for a whole window.
  [[gnu::always_inline]] void prefetch_transmit(PortIndex port) const {
    __builtin_prefetch(&ports_[port]);
    __builtin_prefetch(&ports_[port].free_at);
  }
  [[gnu::always_inline]] void prefetch_transmit_queue(PortIndex port) const {
    __builtin_prefetch(&ports_[ports_[port].peer]);
  }
  [[gnu::always_inline]] void prefetch_transmit_packet(PortIndex) const {}
  [[gnu::always_inline]] void prefetch_port(PortIndex port) const { prefetch_transmit(port); }
  [[gnu::always_inline]] void prefetch_port_contents(PortIndex port) const {
    prefetch_next_arrival(packets_, ports_[port]);
  }

  [[nodiscard]] SendPermit permit(EndpointId endpoint, Time now) override;
  Time send(EndpointId endpoint, PacketHandle packet, Time now) override;
  void request_wire(EndpointId endpoint, Time at) override;

  // For reports and tests. On links between switches, packets are cells, and bytes those of cells.
  static constexpr wire::LinkType kLinkType = wire::LinkType::kEthernet;
  [[nodiscard]] std::uint32_t gap_bytes(PortIndex port) const { return is_fabric_port(port) ? 0 : gap_bytes_; }
  [[nodiscard]] static constexpr std::uint32_t lanes() { return kPriorities; }
  [[nodiscard]] LaneCounters lane_counters(PortIndex port, std::uint32_t priority, Time now) const;
  [[nodiscard]] PortCounters port_counters(PortIndex port, Time now) const;
  [[nodiscard]] std::uint32_t queued_bytes(PortIndex port, Time now) const;
  /// Every next hop: cells take all of them.
  [[nodiscard]] NextHops ports_taken(std::uint32_t switch_ordinal, const LeafFlow& flow,
                                     std::uint16_t /*entropy*/) const {
    return routes_.next_hops(switch_ordinal, flow.destination);
  }
  /// Of frames of the largest size, what the wire that begins here carries: cells have headers.
  [[nodiscard]] Rate frame_rate(PortIndex port) const;
  /// From the first bit of a train of frames, the last of `last` wire bytes, to its end at the destination, with
  /// nothing else in the network: requests, grants and cells included.
  [[nodiscard]] Duration idle_time(EndpointId source, EndpointId destination, Bytes total, Bytes last) const;
  [[nodiscard]] const CreditScheduler& scheduler(EndpointId endpoint) const {
    return egress_[endpoint.value()].scheduler;
  }
  /// Of the leaf that the endpoint of `source` is attached to.
  struct VoqName {
    EndpointId source;
    EndpointId destination;
    std::uint32_t priority = 0;
  };
  [[nodiscard]] std::uint32_t voq_bytes(const VoqName& name) const;
  [[nodiscard]] const CellFormat& cells() const { return cells_; }
  [[nodiscard]] std::uint64_t packets_inside() const;
  [[nodiscard]] std::size_t heap_bytes() const;
  /// Empty if every count agrees with what the queues hold; otherwise what does not. O(everything).
  [[nodiscard]] std::string check_invariants() const;

 private:
  friend class FabricCore<ScheduledFabric, ScheduledParts>;

  // Lay-out: scheduled_fabric_build.cc.
  using FabricCore::FabricCore;
  [[nodiscard]] Result<void> check_options() const;
  void lay_out_leaves();
  void lay_out_leaf(std::uint32_t ordinal);
  [[nodiscard]] Result<void> size_buffers();
  void set_up_group(PortIndex index);
  void set_up_schedulers();
  void on_links_changed(Time now);
  void measure_links(Leaf& leaf);

  [[nodiscard]] bool is_fabric_port(PortIndex index) const {
    return !is_endpoint(index) && !ports_[ports_[index].peer].has(kIsEndpoint);
  }
  [[nodiscard]] Leaf& leaf_at(std::uint32_t ordinal) { return leaves_[switches_[ordinal].leaf]; }
  [[nodiscard]] const Leaf& leaf_at(std::uint32_t ordinal) const { return leaves_[switches_[ordinal].leaf]; }
  /// The leaf's port that leads to the endpoint.
  [[nodiscard]] PortIndex port_of(EndpointId endpoint) const { return peers_[endpoint.value()]; }
  [[nodiscard]] Leaf& leaf_of(EndpointId endpoint) { return leaf_at(ports_[port_of(endpoint)].owner); }
  [[nodiscard]] const Leaf& leaf_of(EndpointId endpoint) const { return leaf_at(ports_[port_of(endpoint)].owner); }
  [[nodiscard]] EgressQueue& queue_of(PortIndex port, std::uint32_t priority) {
    return queues_[port * kPriorities + priority];
  }
  [[nodiscard]] const EgressQueue& queue_at(PortIndex port, std::uint32_t priority) const {
    return queues_[port * kPriorities + priority];
  }
  [[nodiscard]] IngressGroup& group_of(PortIndex port, std::uint32_t priority) {
    return groups_[port * kPriorities + priority];
  }

  // At the ingress leaf: scheduled_fabric.cc.
  void look_up_egress(PortIndex) {}
  void forward(ScheduledPort& in, PortIndex index, std::uint32_t egress, PacketHandle handle, Time now);
  [[nodiscard]] std::uint32_t voq_of(Leaf& leaf, EndpointId destination, std::uint32_t priority);
  [[nodiscard]] bool admit(Leaf& leaf, PortIndex ingress, const Voq& voq, const wire::PacketCommon& common, Time now);
  void on_grant(Leaf& leaf, std::uint32_t voq, std::uint32_t bytes, Time now);
  void feed_uplinks(Leaf& leaf, Time now);
  [[nodiscard]] PacketHandle take_released(Leaf& leaf, Voq& voq, std::uint32_t priority, Time now);
  void drop(PacketHandle handle, std::uint64_t& counter, PortIndex port);

  // Between leaves: scheduled_fabric_cells.cc.
  void plan(Leaf& leaf, LeafEvent event);
  void take_event(Leaf& leaf, const LeafEvent& event, Time now);
  [[nodiscard]] Duration transit_time(const Leaf& from, const Leaf& to) const;
  void send_cells(Leaf& leaf, PacketHandle handle, Time now);
  void put_on_uplink(CellTransit& transit, PortIndex up, std::uint32_t priority, Time now);
  void cross_spines(Leaf& leaf, std::uint32_t transit, Time now);
  void put_on_downlink(CellTransit& transit, CellBundle& bundle, std::uint32_t priority);
  void finish_transit(Leaf& leaf, std::uint32_t transit, Time now);
  void expire_transit(std::uint32_t transit, Time now);
  void lose_cells(PortIndex index, Time now);
  [[nodiscard]] std::uint32_t new_transit();
  void count_cells(PortIndex port, std::uint32_t priority, const CellBundle& bundle);

  // At the egress leaf, and ports to endpoints: scheduled_fabric_egress.cc.
  void on_request(EndpointId destination, CreditSource source, std::uint32_t bytes, Time now);
  void give_credits(EndpointId destination, Time now);
  void release_credit(EndpointId destination, std::uint32_t bytes, Time now);
  void leave(CreditSource source, PacketHandle handle, Time now);
  [[nodiscard]] static std::uint32_t pick(ScheduledPort& port, std::uint32_t eligible, std::uint32_t strict);
  void start_packet(PortIndex index, PacketHandle handle, std::uint32_t frame_bytes, std::uint32_t priority, Time now);
  void take_link_down(PortIndex index, Time now);
  void bring_link_up(const CableEnds& ends, Time now);

  // Pauses of endpoints: scheduled_fabric_pauses.cc.
  void update_xoff(PortIndex ingress, std::uint32_t priority, Time now);
  void send_pause(ScheduledPort& port, PortIndex index, Time now);
  void refresh_pause(ScheduledPort& port, PortIndex index, Time now);
  void process_pause(ScheduledPort& port, PortIndex index, const PauseContent& content, Time now);
  void expire_pauses(ScheduledPort& port, PortIndex index, Time now);
  void end_pause(ScheduledPort& port, PortIndex index, std::uint32_t priority, Time now);
  void schedule_pause_expiry(ScheduledPort& port, PortIndex index);

  // No choice among paths is anything but even.
  [[nodiscard]] std::uint32_t in_order_hop(const ScheduledPort&, const Switch&, const NextHops& hops,
                                           const wire::PacketCommon&, const std::uint32_t*) const {
    return hops[0];
  }
  void send_notification(PortIndex, const NotificationContent&, Time) {}

  // Sums of check_invariants().
  [[nodiscard]] std::string check_queues() const;
  [[nodiscard]] std::string check_credits() const;

  CellFormat cells_;
  std::int64_t excess_ = 0;  // of credits over the line, in thousandths
  std::uint32_t gap_bytes_ = wire::kEthernetGapBytes;
  HugeVector<EgressQueue> queues_;       // per port and priority; of links between switches, counters alone
  HugeVector<IngressGroup> groups_;      // per port and priority
  std::vector<PauseRecord> pauses_;      // per port
  std::vector<std::uint64_t> drops_at_;  // per port
  std::vector<Leaf> leaves_;
  std::vector<EgressRecord> egress_;  // per endpoint
  std::vector<CellTransit> transits_;
  std::vector<std::uint32_t> free_transits_;
  std::vector<std::uint16_t> counts_;  // scratch of the sprayers
  std::vector<std::uint32_t> strict_;  // per port profile: the priorities without a weight
  std::uint64_t waiting_packets_ = 0;  // in virtual output queues
};

extern template class FabricCore<ScheduledFabric, ScheduledParts>;

}  // namespace weft::fabric
