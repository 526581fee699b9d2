// A small world for tests: a fabric between endpoints that send what they are told, count, and may answer.
//
// Everything is synchronous with the kernel's clock.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/stable_hash.h"
#include "fabric/infiniband/infiniband_fabric.h"
#include "fabric/routing/ecmp_hash.h"
#include "fabric/topology/graph_builder.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"

namespace weft::fabric::ib_test {

/// What a test sends.
struct Load {
  EndpointId to;
  std::uint32_t count = 1;
  std::uint16_t frame_bytes = 4122;
  std::uint8_t service_level = 0;
  std::uint8_t flags = 0;  // PacketFlag bits
  std::uint16_t entropy = 0;
};

struct Delivery {
  EndpointId from;
  Time at;
  std::uint32_t number = 0;  // of its sender
  std::uint8_t lane = 0;
  bool marked = false;
};

class World;

/// Sends its loads lane by lane in turn, as fast as the fabric lets it. With `echo`, answers each packet with a small
/// one.
class Sender final : public Endpoint {
 public:
  void start(World& world, EndpointId self) {
    world_ = &world;
    self_ = self;
  }
  void add(const Load& load);
  void on_packet(PacketHandle handle, Time now) override;
  void on_wire_ready(Time now) override;

  [[nodiscard]] std::uint32_t left() const {
    std::uint32_t sum = 0;
    for (const Load& load : loads) {
      sum += load.count;
    }
    return sum;
  }

  bool echo = false;
  std::deque<Load> loads;
  std::vector<Delivery> received;
  std::uint64_t received_bytes = 0;
  std::uint32_t damaged = 0;
  std::uint32_t sent = 0;

 private:
  World* world_ = nullptr;
  EndpointId self_;
};

class World {
 public:
  World(Graph graph, InfiniBandOptions options, std::uint64_t seed = 1) : senders(graph.endpoints), seed_(seed) {
    auto made = InfiniBandFabric::create(std::move(graph), std::move(options),
                                         {.kernel = kernel, .packets = packets, .seed = seed});
    WEFT_ASSERT(made);
    fabric = std::move(*made);
    for (std::uint32_t i = 0; i < senders.size(); ++i) {
      fabric->attach(EndpointId(i), senders[i]);
      senders[i].start(*this, EndpointId(i));
    }
    sim::ActorOrder ranks;
    fabric->register_actors(ranks);
    ranks.assign();
    fabric->start();
  }

  void send(EndpointId from, const Load& load) { senders[from.value()].add(load); }

  /// Runs to `limit`, or until nothing is left to do.
  void run(Time limit) { (void)kernel.run(limit, ~std::uint64_t{0}, *this); }
  /// The same; looks at every sum after every event, and returns what first did not add up.
  [[nodiscard]] std::string run_checked(Time limit) {
    while (kernel.run(limit, 1, *this) == sim::Kernel::Stop::kAsked) {
      const std::string wrong = fabric->check_invariants();
      if (!wrong.empty()) {
        return "event " + std::to_string(kernel.events()) + ": " + wrong;
      }
      if (packets.live_count() != fabric->packets_inside()) {
        return "event " + std::to_string(kernel.events()) + ": packets are lost or made";
      }
    }
    return {};
  }

  // As a large world does it: no result may depend on it.
  [[nodiscard]] bool prefetches() const { return true; }
  void prefetch_first(sim::ActorId actor) const { fabric->prefetch_first(actor); }
  void prefetch_second(sim::ActorId actor) const { fabric->prefetch_second(actor); }
  void prefetch_third(sim::ActorId actor) const { fabric->prefetch_third(actor); }
  bool on_event(sim::ActorId actor, Time now) {
    dispatch(actor, now);
    return true;
  }
  void dispatch(sim::ActorId actor, Time now) {
    switch (actor.kind()) {
      case kArrival:
        return fabric->on_arrival(actor.index(), now);
      case kControlArrival:
        return fabric->on_control(actor.index(), now);
      case kTransmit:
        return fabric->on_transmit(actor.index(), now);
      case kPortTimer:
        return fabric->on_port_timer(actor.index(), now);
      case kSwitchTimer:
        return fabric->on_switch_timer(actor.index(), now);
      case kFabricTimer:
        return fabric->on_fabric_timer(now);
      default:
        WEFT_ASSERT(false);
    }
  }

  [[nodiscard]] std::uint32_t flow_hash_of(EndpointId from, EndpointId to) const {
    if (wire::is_multicast(to)) {
      return 0;
    }
    const auto address = [&](EndpointId id) {
      return stable_hash(seed_, fabric->graph()[fabric->graph().node_of(id)].name);
    };
    return flow_hash(AddressPair{.source = address(from), .destination = address(to)});
  }
  [[nodiscard]] PortIndex port_of(const char* node, std::uint16_t number) const {
    for (std::uint32_t i = 0; i < fabric->graph().nodes.size(); ++i) {
      if (fabric->graph().nodes[i].name == node) {
        return fabric->port_index({NodeIndex(i), number});
      }
    }
    WEFT_ASSERT(false);
    return 0;
  }

  sim::Kernel kernel;
  PacketPool packets;
  std::vector<Sender> senders;
  std::unique_ptr<InfiniBandFabric> fabric;

 private:
  std::uint64_t seed_;
};

inline void Sender::add(const Load& load) {
  loads.push_back(load);
  world_->fabric->request_wire(self_, world_->kernel.now());
}

inline void Sender::on_packet(PacketHandle handle, Time now) {
  const wire::Packet& packet = world_->packets[handle];
  if (packet.has(wire::kCorrupted)) {
    ++damaged;
  } else {
    received_bytes += packet.common.frame_bytes;
    received.push_back({packet.common.source, now, packet.ib.psn.value(), packet.common.priority,
                        packet.common.ecn == wire::Ecn::kCe});
    if (echo) {
      add({.to = packet.common.source, .frame_bytes = 30, .service_level = packet.common.traffic_class});
    }
  }
  world_->packets.release(handle);
}

inline void Sender::on_wire_ready(Time now) {
  const SendPermit permit = world_->fabric->permit(self_, now);
  bool is_sent = false;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    Load load = loads.front();
    loads.pop_front();
    const std::uint8_t lane = world_->fabric->lane_of(self_.value(), load.service_level);
    if (((permit.lanes >> lane) & 1U) == 0) {
      loads.push_back(load);
      continue;
    }
    const PacketHandle handle = world_->packets.allocate();
    wire::Packet& packet = world_->packets[handle];
    packet.common.source = self_;
    packet.common.destination = load.to;
    packet.common.encapsulation = wire::Encapsulation::kIbLocal;
    packet.common.frame_bytes = load.frame_bytes;
    packet.common.wire_bytes = load.frame_bytes;
    packet.common.traffic_class = load.service_level;
    packet.common.entropy = load.entropy;
    packet.common.flags = load.flags;
    packet.common.priority = lane;
    packet.common.ecn = wire::Ecn::kEct0;
    packet.common.flow_hash = world_->flow_hash_of(self_, load.to);
    packet.ib.psn = Psn(sent++);
    world_->fabric->send(self_, handle, now);
    if (--load.count > 0) {
      loads.push_back(load);
    }
    is_sent = true;
    break;
  }
  if (!loads.empty()) {
    const Time free_at = world_->fabric->permit(self_, now).free_at;
    if (free_at > now) {
      world_->fabric->request_wire(self_, free_at);
    } else if (is_sent) {
      on_wire_ready(now);
    }
  }
}

/// A chain of hosts and switches: host0 - s0 - s1 - ... - host1.
struct ChainOptions {
  std::uint32_t switches = 1;
  Cable cable{.rate = 400_gbps, .propagation = 500_ns};
};
inline Graph chain(const ChainOptions& options) {
  GraphBuilder builder(Domains::kOne);
  const NodeIndex a = builder.add_endpoint({.name = "host0/nic0"});
  const NodeIndex b = builder.add_endpoint({.name = "host1/nic0"});
  NodeIndex before = a;
  for (std::uint32_t i = 0; i < options.switches; ++i) {
    const NodeIndex next = builder.add_switch({.name = "s" + std::to_string(i)});
    builder.connect({.lower = before, .upper = next}, options.cable);
    before = next;
  }
  builder.connect({.lower = b, .upper = before}, options.cable);
  return std::move(builder).finish();
}

/// One switch "s" and hosts "host0/nic0"...: host i on port i.
inline Graph star(std::uint32_t hosts, const Cable& cable = {.rate = 400_gbps, .propagation = 500_ns}) {
  GraphBuilder builder(Domains::kOne);
  std::vector<NodeIndex> nodes;
  for (std::uint32_t i = 0; i < hosts; ++i) {
    nodes.push_back(builder.add_endpoint({.name = "host" + std::to_string(i) + "/nic0"}));
  }
  const NodeIndex middle = builder.add_switch({.name = "s"});
  for (const NodeIndex node : nodes) {
    builder.connect({.lower = node, .upper = middle}, cable);
  }
  return std::move(builder).finish();
}

}  // namespace weft::fabric::ib_test
