// What fabrics of every discipline have: graph, routes, ports and peers, switches, the beginning of an arrival, choice
// among paths beyond a hash, link events, taps, errors, actors, counters, prefetching.
//
// A discipline says what happens between two wires: how packets wait, which may go, what is said to the other end of a
// cable. It is a class `Fabric final : public FabricCore<Fabric, Parts>`; calls between the two are resolved and
// inlined at compile time. Parts names its types: `Options` (FabricOptions<...>), `Port` (PortLink<...>), `Switch`
// (SwitchCore), kCutThroughBytes, what a switch that cuts through must have of a packet, and kSlowArrival, a port flag
// of its own with which arrivals go through on_slow_arrival, or 0. The core calls these of Fabric:
//
//   forward(in, index, egress, packet, now)    a packet at a switch; egress may be kNoEgress
//   look_up_egress(index)                      prefetching: the egress port of the next packet, if it is certain
//   prefetch_transmit, _queue, _packet(port)   what an event of the port's transmitter will need, in three stages
//   take_link_down(port, now)                  one end of a cable that fails
//   bring_link_up(ends, now)                   both ends of one that is repaired; the rate is set
//   in_order_hop(in, node, hops, packet, weights)   the hop of a packet that must stay on the path of its flow
//   send_notification(ingress, content, now)   of congestion, to the switch behind the port
//
// and those that are marked as defaults below, where Fabric declares its own. Fabrics include this header; one .cc of
// each includes fabric_core_definitions.h and instantiates the rest.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/huge_pages.h"
#include "base/worker.h"
#include "fabric/bit_errors.h"
#include "fabric/core/options.h"
#include "fabric/core/switch_core.h"
#include "fabric/fabric.h"
#include "fabric/hash/hash_groups.h"
#include "fabric/routing/non_minimal.h"
#include "fabric/routing/notification_content.h"
#include "fabric/routing/path_balancer.h"

namespace weft::fabric {

template <class Fabric, class Parts>
class FabricCore : public EndpointPort {
 public:
  using Options = typename Parts::Options;
  using Port = typename Parts::Port;
  using Switch = typename Parts::Switch;
  using CableEnds = std::array<PortIndex, 2>;

  /// Every endpoint must be attached before the first event.
  void attach(EndpointId endpoint, Endpoint& nic) {
    endpoints_[endpoint.value()] = &nic;
    if (nic.may_back_up()) {
      ports_[endpoint.value()].flags |= kMayBackUp;
    }
  }
  /// Adds the actors, so that all of a world get their ranks at once; then starts timers that always run.
  /// Of a divided world the partition of each node, in the order of the graph: cables between two take the lookahead.
  void register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions = {});
  void start();
  /// Before the first run on so many threads. Hidden by disciplines whose ports share more than packets.
  void set_workers(std::uint32_t /*workers*/) {}
  void set_tap(Tap* tap, std::span<const PortIndex> ports);
  /// Asked of every packet that comes in at these ports, of switches. Not beside a tap.
  void set_filter(PacketFilter& filter, std::span<const PortIndex> ports);
  void on_fabric_timer(Time now);
  /// What another partition has sent in the window that has just ended.
  void take(const sim::Crossing& crossing) {
    switch (crossing.kind) {
      case kPacketCrosses:
        return put_on_wire(kernel_, ports_[crossing.target], crossing.target, PacketHandle(crossing.content),
                           crossing.at);
      case kControlCrosses:
        return self().take_control(crossing.target, {crossing.at, crossing.content});
      default:
        return self().check_deadlocks_at(crossing.at);
    }
  }

  /// For a partition of another process: what the crossing is about, which is gone here afterwards; and over there.
  void pack(const sim::Crossing& crossing, std::string& bytes) {
    if (is_packet(crossing)) {
      packets_.give_away(PacketHandle(crossing.content), bytes);
    }
  }
  void unpack(std::string_view bytes, sim::Crossing& crossing) {
    if (is_packet(crossing)) {
      crossing.content = packets_.take_in(bytes).value();
    }
  }

  // Prefetch what an event of the actor needs, in three stages: the port, then the packet or queue, then the next port.
  // The port of an endpoint is read by its NIC, which may send.
  [[gnu::always_inline]] void prefetch_first(sim::ActorId actor) const {
    if (actor.kind() == kArrival) {
      __builtin_prefetch(&ports_[actor.index()]);
    } else if (actor.kind() == kTransmit) {
      self().prefetch_transmit(actor.index());
    }
  }
  [[gnu::always_inline]] void prefetch_second(sim::ActorId actor) const {
    if (actor.kind() == kArrival) {
      prefetch_next_arrival(packets_, ports_[actor.index()]);
    } else if (actor.kind() == kTransmit) {
      self().prefetch_transmit_queue(actor.index());
    } else {
      return;
    }
    if (is_endpoint(actor.index())) {
      self().prefetch_transmit(actor.index());
    }
  }
  /// Also looks up the egress port of the next packet, so that the event need not.
  [[gnu::always_inline]] void prefetch_third(sim::ActorId actor) {
    const PortIndex index = actor.index();
    if (is_endpoint(index)) {
      return;
    }
    if (actor.kind() == kTransmit) {
      self().prefetch_transmit_packet(index);
    } else if (actor.kind() == kArrival && ports_[index].egress == kNoEgress &&
               !ports_[index].arrival.pending().is_never()) {
      self().look_up_egress(index);
    }
  }
  /// The packet that arrives next; null if there is none.
  [[nodiscard]] const wire::Packet* next_arrival(PortIndex port) const {
    const Port& soon = ports_[port];
    return soon.arrival.pending().is_never() ? nullptr : &packets_[soon.first];
  }

  // For reports and tests.
  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Routes& routes() const { return routes_; }
  /// Of a packet that takes any path; hidden by a discipline that has other tables.
  [[nodiscard]] NextHops next_hops(std::uint32_t switch_ordinal, EndpointId destination) const {
    return routes_.next_hops(switch_ordinal, destination);
  }
  /// In what proportion packets go to those that are sprayed, or have another hash each: one weight for each; null: to
  /// all alike.
  [[nodiscard]] const std::uint32_t* hop_weights(std::uint32_t switch_ordinal, EndpointId destination) const {
    const auto& options = options_.switches[switches_[switch_ordinal].profile].balancing;
    return options.weighting == Weighting::kEqual ? nullptr
                                                  : weights_.of(switch_ordinal, leaf_seen(switch_ordinal, destination));
  }
  /// The one of several hops that a flow's hash picks.
  [[nodiscard]] NextHops hashed_hop(std::uint32_t switch_ordinal, const NextHops& hops, const LeafFlow& flow) const {
    const std::uint32_t* const weights = self().hop_weights(switch_ordinal, flow.destination);
    const std::uint32_t hash = switch_hash(flow.hash, switches_[switch_ordinal].hash_seed);
    return {hops.begin() + pick_weighted(weights, hops.size(), hash), 1};
  }
  [[nodiscard]] std::uint32_t port_count() const { return static_cast<std::uint32_t>(ports_.size()); }
  [[nodiscard]] PortIndex port_index(LinkEnd end) const { return map_.at(end); }
  [[nodiscard]] LinkEnd end_of(PortIndex port) const { return map_.end_of(port); }
  [[nodiscard]] const Port& port(PortIndex index) const { return ports_[index]; }
  /// What adaptive routing observed of the port; empty for other ports.
  [[nodiscard]] PortChoices choices(PortIndex port, Time now) const;
  /// Packets that were bound for an intermediate group.
  [[nodiscard]] std::uint64_t detours() const;
  /// Between runs.
  [[nodiscard]] FabricDrops drops() const;
  [[nodiscard]] std::uint64_t packets_sent() const;  // data, ACK and CNP over one link each: packet-hops

 protected:
  [[nodiscard]] const HashGroups& hash_groups() const { return groups_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  FabricCore(Graph graph, Options options, FabricContext context);

  /// Ports, switches, cables, cut-through, errors, balancers: all that the core has. Before a discipline lays out its
  /// own.
  void lay_out(std::uint32_t threads);

  [[nodiscard]] bool is_endpoint(PortIndex port) const { return port < graph_.endpoints; }

  /// What every arrival begins with. Inlined by force: every packet of every hop comes through here.
  [[gnu::always_inline]] void receive(PortIndex index, Time now) {
    Port& port = ports_[index];
    if (!port.arrival.fires(now)) {
      return;
    }
    // Read first: taking the packet puts the next one, with no egress port yet, in its place.
    const std::uint32_t egress = port.egress;
    const PacketHandle handle = take_arrival(kernel_, port, now);
    prefetch_next_arrival(packets_, port);
    // One test for both, so that other ports pay for neither.
    constexpr PortFlags kSlowPathFlags = kHasErrors | kTapped | kMayBackUp | Parts::kSlowArrival;
    if ((port.flags & kSlowPathFlags) != 0 && receive_slow(port, index, handle, now)) [[unlikely]] {
      return;
    }
    if (port.has(kIsEndpoint)) {
      self().deliver(port, index, handle, now);
    } else {
      self().forward(port, index, egress, handle, now);
    }
  }
  /// Whether the packet, which may be a control frame, arrives damaged; marks it.
  bool damage(const Port& port, PortIndex index, wire::Packet& packet) {
    const bool damaged = port.has(kHasErrors) && errors_[index]->damages(packet.common.wire_bytes);
    packet.common.flags |= damaged ? wire::kCorrupted : 0;
    return damaged;
  }

  /// Puts a frame for the other end of the cable on the wire at `begin`, when the wire is idle: in front of all that
  /// waits.
  template <class Content>
  void send_control_frame(PortIndex index, wire::PacketKind kind, std::uint16_t frame_bytes, std::uint16_t wire_bytes,
                          const Content& content, Time begin) {
    Port& port = ports_[index];
    const PacketHandle handle = packets_.allocate();
    wire::Packet& frame = packets_[handle];
    frame.common.kind = kind;
    frame.common.frame_bytes = frame_bytes;
    frame.common.wire_bytes = wire_bytes;
    content.store(frame);
    if (port.has(kTapped)) [[unlikely]] {
      tap_->on_frame(index, Tap::Direction::kSent, frame, begin);
    }
    start_control_transmission(kernel_, port, ports_[port.peer], port.peer, handle, wire_bytes, begin);
  }

  // Choice among paths beyond a table or a hash.
  [[nodiscard]] std::uint32_t balance(Port& in, Switch& node, const NextHops& hops, const wire::PacketCommon& common,
                                      Time now);
  /// Of a switch that detours; `hops` are those of Routes, and the packet's state is written.
  [[nodiscard]] std::uint32_t choose_detour(Port& in, Switch& node, const NextHops& hops, wire::PacketCommon& common,
                                            Time now);
  /// Of a switch that balances.
  [[nodiscard]] PathBalancer& balancer_of(std::uint32_t switch_ordinal) { return balancers_[switch_ordinal]; }
  /// Tells the switch behind the ingress port that packets to the destination meet congestion, unless it was told just
  /// now. At once if the wire is idle, otherwise as soon as it is, in front of all that waits.
  void notify(PortIndex ingress, EndpointId destination, Time now);
  /// The switch behind the port reported congestion.
  void mark_congested(const Port& port, const NotificationContent& content, Time at);

  void plan_fabric_timer();

  /// On wires, link-level frames apart.
  [[nodiscard]] std::uint64_t packets_on_wires() const;
  /// Of what the core holds.
  [[nodiscard]] std::size_t core_heap_bytes() const;

  // Defaults.
  /// Hands the packet to its endpoint.
  void deliver(const Port& port, PortIndex, PacketHandle handle, Time now) {
    WEFT_DCHECK(endpoints_[port.owner] != nullptr);
    endpoints_[port.owner]->on_packet(handle, now);
  }
  /// A packet that the filter has taken: its room in the buffer is free at once.
  void discard_taken(PortIndex, PacketHandle handle, Time) { packets_.release(handle); }
  /// A damaged packet; true: it goes no further.
  bool on_damaged(const Port&, PortIndex, PacketHandle, Time) { return false; }
  /// Control frames are packet records; hidden by a discipline that has all of a frame in its 32 bits.
  static constexpr bool kFramesArePackets = true;
  /// A control frame that another partition has sent.
  void take_control(PortIndex index, const ControlInFlight& frame) {
    put_control_on_wire(kernel_, ports_[index], index, frame);
  }
  /// A packet at a port with the flag kSlowArrival; true: everything is done.
  bool on_slow_arrival(Port&, PortIndex, PacketHandle, Time) { return false; }
  /// A packet at an endpoint that may back up; true: it has been delivered.
  bool hold_back_peer(Port&, PortIndex, PacketHandle, Time) { return false; }
  /// Takes the notifications that have come to these ports, if no event does.
  void receive_notifications(const Switch&, const NextHops&, Time) {}
  /// Of the wire that ends at a port which may have errors.
  void set_bit_error_rate(PortIndex receiver, Probability rate) { errors_[receiver]->set_bit_error_rate(rate); }
  /// A cable, or what routes know of one, has changed.
  void on_links_changed(Time) {}
  /// Timers of the discipline that always run.
  void start_timers() {}
  /// When the whole fabric is to be looked at, and what is done then.
  [[nodiscard]] Time next_check() const { return Time::never(); }
  void check_fabric(Time) {}
  void check_deadlocks_at(Time) {}

  Graph graph_;
  Options options_;
  sim::Kernel& kernel_;
  PacketPool& packets_;
  Routes routes_;
  PortMap map_;
  HugeVector<Port> ports_;
  std::vector<PortIndex> peers_;  // per port, for prefetching: the port's own record need not be there yet
  std::vector<Switch> switches_;
  std::vector<Endpoint*> endpoints_;
  std::vector<std::unique_ptr<BitErrors>> errors_;  // per port that receives; null without errors
  Tap* tap_ = nullptr;
  PacketFilter* filter_ = nullptr;
  /// What each worker has to itself.
  struct alignas(64) WorkersOwn {
    FabricDrops drops;
    std::uint32_t usual_priority = 0;  // of the packet that was forwarded last: for prefetching only
  };
  std::array<WorkersOwn, kMaxWorkers> own_{};
  [[nodiscard]] FabricDrops& drops_here() { return own_[this_worker].drops; }

 private:
  [[nodiscard]] static bool is_packet(const sim::Crossing& crossing) {
    return crossing.kind == kPacketCrosses || (crossing.kind == kControlCrosses && Fabric::kFramesArePackets);
  }
  [[nodiscard]] Fabric& self() { return static_cast<Fabric&>(*this); }
  [[nodiscard]] const Fabric& self() const { return static_cast<const Fabric&>(*this); }

  void lay_out_switches();
  void connect_link(std::uint32_t link);
  void allow_cut_through(const Switch& node);
  void expect_errors();
  void set_up_errors();
  void set_up_balancers();
  void set_up_hash_groups();
  void compute_port_weights();
  [[nodiscard]] NonMinimal::State decide_detour(const Port& in, Switch& node, const NextHops& hops,
                                                const wire::PacketCommon& common);
  [[nodiscard]] std::uint64_t least_queued(const Switch& node, const NextHops& hops) const;
  void invalidate_egress();
  void apply_link_event(const LinkEvent& event, Time now);
  [[nodiscard]] bool shortens(const CableEnds& ends, const LinkEvent& event) const;
  /// Rate, errors and latency of what leaves a port.
  void set_direction(PortIndex sender, const LinkEvent& event);
  [[nodiscard]] bool receive_slow(Port& port, PortIndex index, PacketHandle handle, Time now);
  /// Only with notifications, and while the destination's link is up.
  /// The leaf by which a switch reaches an endpoint's NIC.
  [[nodiscard]] std::uint32_t leaf_seen(std::uint32_t switch_ordinal, EndpointId destination) const {
    return routes_.leaf_of(routes_.seen_as(switch_ordinal, destination));
  }
  [[nodiscard]] std::uint32_t leaf_id(EndpointId destination) const {
    const std::uint32_t leaf = routes_.leaf_of(destination);
    return leaf < leaf_ids_.size() ? leaf_ids_[leaf] : 0;
  }

  std::uint64_t seed_;
  std::vector<PathBalancer> balancers_;  // per switch; empty: no switch has one
  PortWeights weights_;
  HashGroups groups_;                    // empty: no switch hashes as hardware does
  NonMinimal non_minimal_;               // empty: no switch detours
  std::vector<std::uint32_t> leaf_ids_;  // what notifications call each switch; empty: there are none
  sim::Wake fabric_timer_;
  LinkSchedule links_;
  std::map<PortIndex, Duration> added_latency_;  // of wires that events have made longer
};

}  // namespace weft::fabric
