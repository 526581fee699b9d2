// A small world for tests: a scheduled fabric between endpoints that send what they are told, and count what comes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "fabric/scheduled/scheduled_fabric.h"
#include "fabric/topology/leaf_spine.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"

namespace weft::fabric::scheduled_test {

inline constexpr sim::ActorKind kStart = kFirstHostActor;
inline constexpr std::uint16_t kFrame = 4158;  // RoCEv2 with an MTU of 4096, in the middle of a message
inline constexpr std::uint32_t kGap = wire::kEthernetGapBytes;

struct Load {
  EndpointId to{};
  std::uint64_t count = 1;
  std::uint16_t frame_bytes = kFrame;
  std::uint8_t priority = 3;
  Time at{};  // not before
};

struct Arrival {
  EndpointId from;
  Time at;
  std::uint32_t number = 0;  // of its sender
  std::uint8_t priority = 0;
  wire::Ecn ecn = wire::Ecn::kNotEct;
};

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
  [[nodiscard]] std::uint64_t frames_from(std::uint32_t endpoint) const {
    std::uint64_t count = 0;
    for (const Arrival& arrival : received) {
      count += arrival.from.value() == endpoint ? 1 : 0;
    }
    return count;
  }

  std::deque<Load> loads;
  std::vector<Arrival> received;
  std::uint32_t sent = 0;
  sim::Wake start;

 private:
  [[nodiscard]] bool send_one(std::uint16_t lanes, Time now, Time& next);

  World* world_ = nullptr;
  EndpointId self_;
};

class World {
 public:
  World(Graph graph, ScheduledOptions options, std::uint64_t seed = 1) : talkers(graph.endpoints) {
    auto made = ScheduledFabric::create(std::move(graph), std::move(options),
                                        {.kernel = kernel, .packets = packets, .seed = seed});
    WEFT_ASSERT(made.has_value());
    fabric = std::move(*made);
    sim::ActorOrder ranks;
    for (std::uint32_t i = 0; i < talkers.size(); ++i) {
      fabric->attach(EndpointId(i), talkers[i]);
      talkers[i].join(*this, EndpointId(i));
      ranks.add({i, kStart}, talkers[i].start);
    }
    fabric->register_actors(ranks);
    ranks.assign();
    fabric->start();
  }

  Talker& operator[](std::uint32_t endpoint) { return talkers[endpoint]; }
  void send(std::uint32_t from, const Load& load) { talkers[from].add(load); }
  void run(Time limit = Time::never()) { (void)kernel.run(limit, ~std::uint64_t{0}, *this); }
  /// Empty, or what first did not add up, looked at every so many events.
  [[nodiscard]] std::string run_checked(std::uint64_t every = 1, Time limit = Time::never()) {
    while (kernel.run(limit, every, *this) == sim::Kernel::Stop::kAsked) {
      if (std::string wrong = check(); !wrong.empty()) {
        return "event " + std::to_string(kernel.events()) + ": " + wrong;
      }
    }
    return check();
  }
  [[nodiscard]] std::string check() const {
    return packets.live_count() == fabric->packets_inside() ? fabric->check_invariants() : "packets are lost or made";
  }
  [[nodiscard]] std::uint64_t delivered() const {
    std::uint64_t sum = 0;
    for (const Talker& talker : talkers) {
      sum += talker.received.size();
    }
    return sum;
  }
  /// The port at which the cable of an endpoint ends in its leaf.
  [[nodiscard]] PortIndex leaf_port(std::uint32_t endpoint) const { return fabric->port(endpoint).peer; }

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
  std::unique_ptr<ScheduledFabric> fabric;
  std::vector<Talker> talkers;
};

inline void Talker::add(const Load& load) {
  loads.push_back(load);
  world_->kernel.wake(start, sim::ActorId(kStart, self_.value()), later(load.at, world_->kernel.now()));
}

inline void Talker::on_packet(PacketHandle handle, Time now) {
  const wire::Packet& packet = world_->packets[handle];
  received.push_back({packet.common.source, now, packet.ib.psn.value(), packet.common.priority, packet.common.ecn});
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
    packet.common.wire_bytes = static_cast<std::uint16_t>(load->frame_bytes + kGap);
    packet.common.priority = load->priority;
    packet.common.ecn = wire::Ecn::kEct0;
    packet.ib.psn = Psn(sent++);
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

}  // namespace weft::fabric::scheduled_test
