// A small world for tests: an Ethernet fabric between endpoints that send what they are told and write down what comes.
//
// An endpoint sends its loads in the order given, lane by lane in turn where it has several, as soon as the fabric
// permits; packets of a load leave back to back. run_checked() looks at every sum after every event.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/stable_hash.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "fabric/routing/ecmp_hash.h"
#include "fabric/topology/graph_builder.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"
#include "wire/encapsulation.h"

namespace weft::fabric::ethernet_test {

inline constexpr sim::ActorKind kStart = kFirstHostActor;

/// What a test sends.
struct Load {
  EndpointId to{};
  std::uint64_t count = 1;
  std::uint16_t frame_bytes = 4158;  // RoCEv2 with an MTU of 4096, in the middle of a message
  std::uint8_t priority = 3;
  Time at{};  // not before
  std::uint16_t entropy = 0;
  wire::Ecn ecn = wire::Ecn::kEct0;
  std::uint8_t hop_limit = 64;
  std::uint8_t traffic_class = 26;
  std::uint8_t flags = 0;  // PacketFlag bits
};

struct Delivery {
  EndpointId from;
  Time at;
  std::uint32_t number = 0;  // of its sender, over all its loads
  wire::PacketCommon common;
};

/// Endpoints "host0/nic0" and so on, each with its own cable to one switch.
inline Graph star(const std::vector<Cable>& cables) {
  GraphBuilder builder(Domains::kOne);
  builder.add_hosts({.hosts = static_cast<std::uint32_t>(cables.size())});
  const NodeIndex node = builder.add_switch({.name = "switch"});
  for (std::uint32_t i = 0; i < cables.size(); ++i) {
    builder.connect({.lower = NodeIndex(i), .upper = node}, cables[i]);
  }
  return std::move(builder).finish();
}

/// host0 - s0 - s1 - ... - host1: one cable more than switches.
inline Graph chain(const std::vector<Cable>& cables, Domains domains = Domains::kOne) {
  GraphBuilder builder(domains);
  builder.add_hosts({.hosts = 2});
  std::vector<NodeIndex> nodes;
  for (std::size_t i = 0; i + 1 < cables.size(); ++i) {
    nodes.push_back(builder.add_switch({.name = "s" + std::to_string(i)}));
  }
  builder.connect({.lower = NodeIndex(0), .upper = nodes.front()}, cables.front());
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    builder.connect({.lower = nodes[i], .upper = nodes[i + 1]}, cables[i + 1]);
  }
  builder.connect({.lower = NodeIndex(1), .upper = nodes.back()}, cables.back());
  return std::move(builder).finish();
}

/// Every switch with `latency`, priority 3 lossless with what `lossless` says, all others lossy.
inline EthernetOptions one_profile(Duration latency = Duration::zero(), PriorityOptions lossless = {}) {
  EthernetOptions options;
  options.switches[0].latency = latency;
  lossless.lossless = true;
  options.ports[0].priorities[3] = lossless;
  return options;
}

/// How long a frame keeps a wire busy.
inline Duration wire_time(Rate rate, std::int64_t frame_bytes) {
  return rate.transmit_time(Bytes(frame_bytes + wire::kEthernetGapBytes));
}

class World;

class Talker final : public Endpoint {
 public:
  void join(World& world, EndpointId self) {
    world_ = &world;
    self_ = self;
  }
  void add(const Load& load);
  void on_packet(PacketHandle handle, Time now) override;
  void on_wire_ready(Time now) override;
  void on_start(Time now) {
    if (start.fires(now)) {
      on_wire_ready(now);
    }
  }

  std::deque<Load> loads;
  std::vector<Delivery> received;
  std::vector<Time> sent;
  sim::Wake start;

 private:
  [[nodiscard]] bool send_one(std::uint16_t lanes, Time now, Time& next);

  World* world_ = nullptr;
  EndpointId self_;
};

class World {
 public:
  World(Graph graph, EthernetOptions options, std::uint64_t seed = 1) : talkers(graph.endpoints), seed_(seed) {
    auto made = EthernetFabric::create(std::move(graph), std::move(options),
                                       {.kernel = kernel, .packets = packets, .seed = seed});
    WEFT_ASSERT(made.has_value());
    fabric = std::move(*made);
    sim::ActorOrder ranks;
    for (std::uint32_t i = 0; i < talkers.size(); ++i) {
      fabric->attach(EndpointId(i), talkers[i]);
      talkers[i].join(*this, EndpointId(i));
      ranks.add({address(EndpointId(i)), kStart}, talkers[i].start);
    }
    fabric->register_actors(ranks);
    ranks.assign();
    fabric->start();
  }

  [[nodiscard]] std::uint64_t address(EndpointId endpoint) const {
    return stable_hash(seed_, fabric->graph().nodes[endpoint.value()].name);
  }
  Talker& operator[](std::uint32_t endpoint) { return talkers[endpoint]; }
  void send(std::uint32_t from, const Load& load) { talkers[from].add(load); }

  void run(Time limit = Time::never()) { (void)kernel.run(limit, ~std::uint64_t{0}, *this); }
  /// Empty, or what first did not add up.
  [[nodiscard]] std::string run_checked(Time limit = Time::never()) {
    while (kernel.run(limit, 1, *this) == sim::Kernel::Stop::kAsked) {
      std::string wrong = fabric->check_invariants();
      if (wrong.empty() && packets.live_count() != fabric->packets_inside()) {
        wrong = "packets are lost or made";
      }
      if (!wrong.empty()) {
        return "event " + std::to_string(kernel.events()) + ": " + wrong;
      }
    }
    return {};
  }
  [[nodiscard]] std::uint64_t delivered() const {
    std::uint64_t sum = 0;
    for (const Talker& talker : talkers) {
      sum += talker.received.size();
    }
    return sum;
  }
  /// The port at which the cable of an endpoint ends in its switch.
  [[nodiscard]] PortIndex switch_port(std::uint32_t endpoint) const { return fabric->port(endpoint).peer; }

  // As a large world does it: no result may depend on it.
  [[nodiscard]] bool prefetches() const { return true; }
  void prefetch_first(sim::ActorId actor) const { fabric->prefetch_first(actor); }
  void prefetch_second(sim::ActorId actor) const { fabric->prefetch_second(actor); }
  void prefetch_third(sim::ActorId actor) const { fabric->prefetch_third(actor); }
  [[nodiscard]] bool on_event(sim::ActorId actor, Time now) {
    switch (actor.kind()) {
      case kArrival:
        fabric->on_arrival(actor.index(), now);
        break;
      case kControlArrival:
        fabric->on_control(actor.index(), now);
        break;
      case kTransmit:
        fabric->on_transmit(actor.index(), now);
        break;
      case kPortTimer:
        fabric->on_port_timer(actor.index(), now);
        break;
      case kSwitchTimer:
        fabric->on_switch_timer(actor.index(), now);
        break;
      case kFabricTimer:
        fabric->on_fabric_timer(now);
        break;
      case kControlPlane:
        fabric->on_control_plane(actor.index(), now);
        break;
      case kStart:
        talkers[actor.index()].on_start(now);
        break;
      default:
        WEFT_ASSERT(false);
    }
    return true;
  }

  sim::Kernel kernel;
  PacketPool packets;
  std::unique_ptr<EthernetFabric> fabric;
  std::vector<Talker> talkers;

 private:
  std::uint64_t seed_;
};

inline void Talker::add(const Load& load) {
  loads.push_back(load);
  world_->kernel.wake(start, sim::ActorId(kStart, self_.value()), later(load.at, world_->kernel.now()));
}

inline void Talker::on_packet(PacketHandle handle, Time now) {
  const wire::Packet& packet = world_->packets[handle];
  received.push_back({packet.common.source, now, packet.ib.psn.value(), packet.common});
  world_->packets.release(handle);
}

inline void Talker::on_wire_ready(Time now) {
  Time next = Time::never();
  for (;;) {
    const SendPermit permit = world_->fabric->permit(self_, now);
    if (permit.free_at > now) {
      return world_->fabric->request_wire(self_, permit.free_at);
    }
    if (!send_one(permit.lanes, now, next)) {
      break;
    }
  }
  if (!next.is_never()) {
    world_->kernel.wake(start, sim::ActorId(kStart, self_.value()), next);
  }
}

inline bool Talker::send_one(std::uint16_t lanes, Time now, Time& next) {
  for (auto load = loads.begin(); load != loads.end(); ++load) {
    if (load->at > now) {
      next = earlier(next, load->at);
      continue;
    }
    if (((lanes >> load->priority) & 1U) == 0) {
      continue;
    }
    const PacketHandle handle = world_->packets.allocate();
    wire::Packet& packet = world_->packets[handle];
    packet.common.source = self_;
    packet.common.destination = load->to;
    packet.common.frame_bytes = load->frame_bytes;
    packet.common.wire_bytes = static_cast<std::uint16_t>(load->frame_bytes + wire::kEthernetGapBytes);
    packet.common.priority = load->priority;
    packet.common.entropy = load->entropy;
    packet.common.ecn = load->ecn;
    packet.common.hop_limit = load->hop_limit;
    packet.common.traffic_class = load->traffic_class;
    packet.common.flags = load->flags;
    packet.common.flow_hash = flow_hash(
        {.source = world_->address(self_), .destination = world_->address(load->to), .entropy = load->entropy});
    packet.ib.psn = Psn(static_cast<std::uint32_t>(sent.size()));
    sent.push_back(now);
    // Loads take turns.
    Load rest = *load;
    loads.erase(load);
    if (--rest.count > 0) {
      loads.push_back(rest);
    }
    world_->fabric->send(self_, handle, now);
    return true;
  }
  return false;
}

}  // namespace weft::fabric::ethernet_test
