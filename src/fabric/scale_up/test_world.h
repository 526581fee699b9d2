// A scale-up fabric with senders and sinks in place of NICs: the world of the unit tests beside it, in no library.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ring.h"
#include "fabric/scale_up/scale_up_fabric.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"

namespace weft::fabric {

struct ScaleUpTestWorld {
  static constexpr std::uint32_t kUnit = 4352;  // wire bytes

  /// Sends what it is given, in order and as fast as it may, and counts what it gets.
  struct Port final : Endpoint {
    ScaleUpTestWorld* world = nullptr;
    EndpointId self{};
    Ring<PacketHandle> waiting;
    std::vector<std::uint64_t> bytes_from;  // payload, by source
    std::uint64_t received = 0;             // payload bytes
    Time last;
    bool ordered = true;
    std::vector<std::uint32_t> next_from;

    void on_packet(PacketHandle handle, Time now) override {
      const wire::PacketCommon& common = world->packets[handle].common;
      const std::uint32_t from = common.source.value();
      ordered = ordered && common.flow_hash == next_from[from]++;
      bytes_from[from] += common.payload_bytes;
      received += common.payload_bytes;
      last = now;
      world->packets.release(handle);
    }
    void on_wire_ready(Time now) override { pump(now); }
    void pump(Time now) {
      while (!waiting.empty()) {
        const SendPermit permit = world->fabric->permit(self, now);
        if (permit.free_at > now) {
          world->fabric->request_wire(self, permit.free_at);
          return;
        }
        const wire::Packet& packet = world->packets[waiting.front()];
        if (((permit.lanes >> world->fabric->lane_to(self, packet.common.destination)) & 1U) == 0) {
          return;
        }
        world->fabric->send(self, waiting.pop_front(), now);
      }
    }
  };

  explicit ScaleUpTestWorld(ScaleUpOptions options) {
    auto made = ScaleUpFabric::create(std::move(options), {.kernel = kernel, .packets = packets, .seed = 1});
    WEFT_ASSERT(made.has_value());
    fabric = std::move(*made);
    numbers.resize(fabric->endpoints() * fabric->endpoints());
    for (std::uint32_t i = 0; i < fabric->endpoints(); ++i) {
      Port& port = ports.emplace_back();
      port.world = this;
      port.self = EndpointId(i);
      port.bytes_from.resize(fabric->endpoints());
      port.next_from.resize(fabric->endpoints());
      fabric->attach(EndpointId(i), port);
    }
    sim::ActorOrder ranks;
    fabric->register_actors(ranks);
    ranks.assign();
  }

  void give(std::uint32_t from, std::uint32_t to, std::uint32_t wire_bytes = kUnit) {
    const PacketHandle handle = packets.allocate();
    wire::PacketCommon& common = packets[handle].common;
    common.kind = wire::PacketKind::kMemory;
    common.source = EndpointId(from);
    common.destination = EndpointId(to);
    common.flow_hash = numbers[from * fabric->endpoints() + to]++;
    common.wire_bytes = common.frame_bytes = static_cast<std::uint16_t>(wire_bytes);
    common.payload_bytes = static_cast<std::uint16_t>(wire_bytes - wire_bytes / 17);
    ports[from].waiting.push_back(handle);
    given += common.payload_bytes;
  }

  [[nodiscard]] bool prefetches() const { return false; }
  void prefetch_first(sim::ActorId) const {}
  void prefetch_second(sim::ActorId) const {}
  void prefetch_third(sim::ActorId) const {}
  [[nodiscard]] bool on_event(sim::ActorId actor, Time now) {
    if (actor.kind() == kScaleUpArrival) {
      fabric->on_arrival(actor.index(), now);
    } else {
      fabric->on_transmit(actor.index(), now);
    }
    return true;
  }

  /// Lets every port begin and runs to the end; the first thing that does not add up after an event, or nothing.
  std::string run(Time limit = Time::never()) {
    for (Port& port : ports) {
      port.pump(kernel.now());
    }
    while (kernel.run(limit, 1, *this) == sim::Kernel::Stop::kAsked) {
      if (std::string wrong = fabric->check_invariants(); !wrong.empty()) {
        return wrong;
      }
    }
    return {};
  }
  [[nodiscard]] std::uint64_t delivered() const {
    std::uint64_t sum = 0;
    for (const Port& port : ports) {
      sum += port.received;
    }
    return sum;
  }

  sim::Kernel kernel;
  PacketPool packets;
  std::unique_ptr<ScaleUpFabric> fabric;
  std::deque<Port> ports;
  std::vector<std::uint32_t> numbers;
  std::uint64_t given = 0;
};

/// So many GPUs of 450 GB/s on a switch, or in a mesh.
inline ScaleUpOptions gpus(std::uint32_t count, ScaleUpShape shape = ScaleUpShape::kSwitch) {
  ScaleUpDomain domain{.name = "domain0",
                       .shape = shape,
                       .switch_latency = 150_ns,
                       .switch_buffer = 512_kib,
                       .first_bytes = 16,
                       .ports = {}};
  for (std::uint32_t i = 0; i < count; ++i) {
    domain.ports.push_back(
        {.name = "host0/gpu" + std::to_string(i), .rate = 3600_gbps, .propagation = 25_ns, .buffer = 512_kib});
  }
  return {.first = EndpointId(0), .largest_packet = ScaleUpTestWorld::kUnit, .domains = {domain}};
}

}  // namespace weft::fabric
