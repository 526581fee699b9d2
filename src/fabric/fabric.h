// What both kinds of fabric have: the graph they are built from, packets, routes, addresses, and link events.
//
// A fabric owns its ports, switches and packets in flight; it borrows the kernel and the packet pool of its world.
// The world hands it the events of its actor kinds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/probability.h"
#include "base/result.h"
#include "fabric/endpoint.h"
#include "fabric/link_schedule.h"
#include "fabric/port_link.h"
#include "fabric/port_map.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"

namespace weft::fabric {

/// What a capture sees: every frame that begins on a wire of a tapped port, or has arrived there completely. Those of
/// one direction come in the order of their times; one that is sent may be told of before it begins, while nothing can
/// come in front of it any more.
class Tap {
 public:
  enum class Direction : std::uint8_t { kSent, kReceived };
  virtual ~Tap() = default;
  virtual void on_frame(PortIndex port, Direction direction, const wire::Packet& packet, Time at) = 0;
};

/// What switches look at in a packet that comes in at some of their ports, besides its way: its partition, its address.
class PacketFilter {
 public:
  virtual ~PacketFilter() = default;
  /// True: it goes no further; the filter counts it. It may give it another destination.
  [[nodiscard]] virtual bool takes(PortIndex ingress, PacketHandle handle, wire::Packet& packet, Time now) = 0;
};

/// Packet drops inside the fabric by cause, in total; per-port figures are with the ports.
struct FabricDrops {
  std::uint64_t buffer_full = 0;  // lossy class, or headroom too small
  std::uint64_t damaged = 0;      // CRC error seen by a switch that stores
  std::uint64_t hop_limit = 0;
  std::uint64_t unreachable = 0;  // no route
  std::uint64_t link_down = 0;    // lost on or in front of a failed link
  std::uint64_t watchdog = 0;     // discarded by a PFC watchdog
  std::uint64_t lifetime = 0;     // head-of-queue lifetime (InfiniBand)
  std::uint64_t replays = 0;      // lost on a link whose retries were exhausted (LLR)

  FabricDrops& operator+=(const FabricDrops& other) {
    buffer_full += other.buffer_full;
    damaged += other.damaged;
    hop_limit += other.hop_limit;
    unreachable += other.unreachable;
    link_down += other.link_down;
    watchdog += other.watchdog;
    lifetime += other.lifetime;
    replays += other.replays;
    return *this;
  }
  [[nodiscard]] std::uint64_t total() const {
    return buffer_full + damaged + hop_limit + unreachable + link_down + watchdog + lifetime + replays;
  }
};

/// What a fabric borrows.
struct FabricContext {
  sim::Kernel& kernel;
  PacketPool& packets;
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  // that may lay out a large fabric together; changes no result
  /// Paths, links and delays alone are asked for, and nothing is ever sent: what packets need at each port (queues,
  /// buffers, credits, pauses) is not laid out. What cannot be built is refused alike.
  bool paths_alone = false;
};

/// Without partitions, the first.
[[nodiscard]] inline sim::PartitionIndex partition_of(std::span<const sim::PartitionIndex> partitions, NodeIndex node) {
  return partitions.empty() ? 0 : partitions[node.value()];
}

/// "leaf1/port3": the port's name in reports and selectors.
[[nodiscard]] std::string port_name(const Graph& graph, LinkEnd end);

}  // namespace weft::fabric
