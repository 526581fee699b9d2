// A scale-up fabric, unit by unit: domains of GPUs on a switch or in a mesh, credits, no loss.
//
// Switches are input-buffered with virtual output queues in round robin, as an InfiniBand switch of one lane; what is
// sent is a unit of several wire packets, cut through after the first of them. Domains share nothing. One event per hop
// where the way out is idle and has credits. Endpoints are numbered behind those of the scale-out fabric. Choices and
// their error: docs/decisions/0020.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/result.h"
#include "fabric/endpoint.h"
#include "fabric/fabric.h"
#include "fabric/infiniband/virtual_output_queues.h"
#include "fabric/scale_up/receive_memory.h"
#include "fabric/scale_up/scale_up_options.h"
#include "fabric/scale_up/scale_up_wire.h"

namespace weft::fabric {

class ScaleUpFabric final : public EndpointPort {
 public:
  /// A mesh has at most this many ports: a lane for each peer.
  static constexpr std::size_t kMeshPorts = 17;

  /// Errors: a domain without ports or with too many, a rate or propagation of zero, a buffer that cannot hold the
  /// largest packet.
  [[nodiscard]] static Result<std::unique_ptr<ScaleUpFabric>> create(ScaleUpOptions options, FabricContext context);

  /// Every endpoint must be attached before the first event. `memory` may be null.
  void attach(EndpointId endpoint, Endpoint& nic, ReceiveMemory* memory = nullptr);
  /// `partitions`: of a divided world, by domain; empty: it is not divided.
  void register_actors(sim::ActorOrder& ranks, std::span<const sim::PartitionIndex> partitions = {});
  /// Before the first event: so many threads run partitions.
  void set_workers(std::uint32_t workers) { queues_.set_workers(workers); }

  // Events of the actor kinds kScaleUpArrival (at the end of a wire, or in an endpoint's memory) and kScaleUpTransmit.
  void on_arrival(std::uint32_t place, Time now);
  void on_transmit(std::uint32_t sender, Time now);

  [[nodiscard]] SendPermit permit(EndpointId endpoint, Time now) override;
  Time send(EndpointId endpoint, PacketHandle packet, Time now) override;
  void request_wire(EndpointId endpoint, Time at) override;

  /// In a mesh the lane of the wire from one endpoint to another of its domain; 0 on a switch.
  [[nodiscard]] std::uint8_t lane_to(EndpointId from, EndpointId to) const;

  // For reports and tests.
  [[nodiscard]] const ScaleUpOptions& options() const { return options_; }
  [[nodiscard]] std::uint32_t endpoints() const { return static_cast<std::uint32_t>(endpoints_.size()); }
  [[nodiscard]] const ScaleUpPort& port(EndpointId endpoint) const;
  [[nodiscard]] std::uint32_t domain_of(EndpointId endpoint) const { return endpoints_[local(endpoint)].domain; }
  [[nodiscard]] std::uint32_t wires() const { return static_cast<std::uint32_t>(wires_.size()); }
  [[nodiscard]] const ScaleUpWire& wire(WireIndex index) const { return wires_[index]; }
  /// "host0/gpu1 > domain", with the names of both ends.
  [[nodiscard]] const std::string& wire_name(WireIndex index) const { return names_[index]; }
  /// With a current stall up to `now`.
  [[nodiscard]] ScaleUpCounters counters(WireIndex index, Time now) const;
  /// Sum over the wires that begin at an endpoint.
  [[nodiscard]] ScaleUpCounters sent_by(EndpointId endpoint, Time now) const;
  /// The wires from one endpoint to another of its domain, in order: one in a mesh, two over a switch.
  [[nodiscard]] std::vector<WireIndex> path(EndpointId from, EndpointId to) const;
  /// Unloaded time of a train of units, first bit out of one endpoint to last bit into another: `total` wire bytes of
  /// which the last packet has `last`.
  struct Train {
    Bytes total{};
    Bytes last{};
  };
  [[nodiscard]] Duration unloaded_time(EndpointId from, EndpointId to, const Train& train) const;
  [[nodiscard]] std::uint64_t packets_sent() const;  // over one wire each: packet-hops
  [[nodiscard]] std::uint64_t packets_inside() const;
  [[nodiscard]] std::size_t heap_bytes() const;
  /// Empty if packets and credits add up everywhere; otherwise what does not. O(everything).
  [[nodiscard]] std::string check_invariants() const;

 private:
  /// Has arrived where memory may be slow, and keeps its credits until it is written.
  struct PendingWrite {
    PacketHandle packet;
    WireIndex wire = 0;
  };
  struct Port {
    Endpoint* nic = nullptr;
    ReceiveMemory* memory = nullptr;
    Ring<PendingWrite> pending_writes;  // the first is being written
    sim::Wake written;
    std::uint32_t domain = 0;
    std::uint32_t number = 0;  // within the domain
    WireIndex first_out = 0;   // a mesh: in the order of the peers, itself left out
    std::uint32_t out_wires = 0;
    WireIndex from_switch = 0;
    sim::Wake transmit;
  };

  ScaleUpFabric(ScaleUpOptions options, const FabricContext& context);
  [[nodiscard]] Result<void> check_options() const;
  void lay_out();
  void add_star(const ScaleUpDomain& domain, std::uint32_t first_port);
  void add_mesh(const ScaleUpDomain& domain, std::uint32_t first_port);
  WireIndex add_wire(ScaleUpWire wire, std::string name);

  [[nodiscard]] std::uint32_t local(EndpointId endpoint) const {
    WEFT_DCHECK(endpoint.value() >= options_.first.value());
    return endpoint.value() - options_.first.value();
  }
  [[nodiscard]] WireIndex out_wire(const Port& from, const Port& to) const {
    WEFT_DCHECK(from.domain == to.domain && from.number != to.number);
    return from.out_wires == 1 ? from.first_out : from.first_out + to.number - (to.number > from.number ? 1 : 0);
  }
  /// Cut-through, unless the egress link is faster than the ingress link: it would underrun.
  [[nodiscard]] bool cuts_through(const ScaleUpWire& wire, EndpointId to, std::uint32_t bytes) const {
    return wire.cut_through_bytes != 0 && wire.cut_through_bytes < bytes &&
           wires_[endpoints_[local(to)].from_switch].rate <= wire.rate;
  }
  [[nodiscard]] bool may_start(ScaleUpWire& wire, std::uint64_t bytes, Time now);
  void start(ScaleUpWire& wire, WireIndex index, PacketHandle packet, Time now);
  void return_credits(ScaleUpWire& wire, std::uint32_t bytes, Time at);
  void await_credits(ScaleUpWire& wire, Time now);
  void wake_sender(ScaleUpWire& wire, Time at);
  void forward(WireIndex input, PacketHandle packet, Time now);
  void deliver(WireIndex index, PacketHandle packet, Time now);
  void write_next(std::uint32_t endpoint, Time now);
  void on_written(std::uint32_t endpoint, Time now);
  void transmit_next(WireIndex output, Time now);

  ScaleUpOptions options_;
  sim::Kernel& kernel_;
  PacketPool& packets_;
  std::uint64_t seed_;
  std::vector<Port> endpoints_;
  std::vector<ScaleUpWire> wires_;
  std::vector<std::string> names_;
  VirtualOutputQueues queues_;
};

}  // namespace weft::fabric
