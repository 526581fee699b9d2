// What an Ethernet fabric has whose leaves restore the order of packets before hosts: ConWeave, or packets by number.
//
// A packet that came too early is in the switch's buffer, charged to the port it came in by, and in a queue of its flow
// instead of the egress queue. Queues, their bytes and how often either was short are counted for the port to the host.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "fabric/packet_notes.h"
#include "fabric/packet_pool.h"
#include "fabric/port_link.h"
#include "fabric/routing/conweave.h"
#include "fabric/routing/path_policy.h"
#include "fabric/routing/sequence_order.h"

namespace weft::fabric {

/// What a packet between leaves carries, by its handle.
struct LeafHeader {
  ConWeaveHeader conweave{};
  std::uint32_t number = 0;  // without ConWeave; meaningful if it has one
  bool has_number = false;
  std::uint8_t priority = 0;  // of the flow that an answer is about
};

struct HeldPacket {
  PacketHandle packet;
  std::uint16_t frame_bytes = 0;
  std::uint16_t ingress = 0;  // number of the port it came in by
  std::uint32_t number = 0;
  Time came;
};

struct OrderQueue {
  PortIndex egress = 0;
  Time until = Time::never();      // of the wait
  std::deque<HeldPacket> packets;  // in the order in which they leave
};

/// Packets of a flow that a wait has ended without, from one number to before another.
struct GivenUpPackets {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Time waited_since;
};

/// The part of one leaf.
class LeafOrder {
 public:
  LeafOrder(const ConWeaveOptions& options, std::uint64_t seed) : source(options, seed), destination(options) {}

  /// The flow waits until then.
  void set_deadline(const LeafFlow& flow, OrderQueue& queue, Time until) {
    deadlines_.erase({queue.until, flow});
    queue.until = until;
    deadlines_.insert({until, flow});
  }
  void erase(const LeafFlow& flow) {
    const auto found = queues.find(flow);
    deadlines_.erase({found->second.until, flow});
    queues.erase(found);
  }
  /// The one whose wait ends first; not if there is none.
  [[nodiscard]] std::pair<Time, LeafFlow> first_deadline() const { return *deadlines_.begin(); }

  ConWeaveSource source;
  ConWeaveDestination destination;
  SequenceSource numbers;
  SequenceOrder order;
  std::map<LeafFlow, OrderQueue> queues;                    // of flows of which something waits
  std::map<LeafFlow, std::deque<GivenUpPackets>> given_up;  // by number; the last ones of each flow
  std::vector<ConWeaveSource::Paths> paths;  // by the switch they lead to; without a round trip: not known yet

 private:
  std::set<std::pair<Time, LeafFlow>> deadlines_;
};

/// Of a port to a host.
struct OrderPort {
  std::uint64_t held = 0;  // packets so far
  std::uint64_t overflows = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t late = 0;    // packets that came after a wait for them had ended
  Duration latest{};         // from the beginning of such a wait, at most
  std::uint32_t queues = 0;  // now
  std::uint32_t queues_peak = 0;
  std::uint64_t bytes = 0;  // now
  std::uint64_t bytes_peak = 0;
};

struct OrderState {
  LeafReorderOptions options;
  bool is_conweave = false;
  std::vector<std::unique_ptr<LeafOrder>> leaves;  // by switch; null: no leaf
  std::vector<OrderPort> ports;
  PacketNotes<LeafHeader> headers;  // written where a packet enters the fabric

  [[nodiscard]] std::size_t heap_bytes() const;
};

}  // namespace weft::fabric
