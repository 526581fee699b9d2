// The part of a port that does not depend on flow control: the wire that ends here, and the wire that begins here.
//
// A packet is in flight from the start of its transmission until the receiving device can process it: propagation and
// the receiver's constant pipeline latency are one delay. Packets of one direction arrive in the order they were sent,
// so the port keeps them in a ring, and one pending wake-up serves all of them. Link-level control frames (PFC, flow
// control packets) take wire time like data but bypass the pipeline: they have a separate ring.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/rate.h"
#include "base/ring.h"
#include "base/time.h"
#include "fabric/actors.h"
#include "fabric/packet_pool.h"
#include "sim/actor_order.h"
#include "sim/kernel.h"

namespace weft::fabric {

/// A port of a device, in the table of its fabric.
using PortIndex = std::uint32_t;

struct InFlight {
  Time at;  // when the receiver has it
  PacketHandle packet;
};
/// A link-level control frame.
struct ControlInFlight {
  Time at;
  std::uint32_t frame = 0;  // fabric-specific: the handle of a packet record, or the encoded frame
};

/// PortLink::egress: not looked up yet.
inline constexpr std::uint16_t kNoEgress = 0xFFFF;

enum PortFlag : std::uint8_t {
  kIsEndpoint = 1 << 0,       // the device is an endpoint; otherwise a switch
  kCutThrough = 1 << 1,       // packets are handed over when their first bytes have come
  kHasErrors = 1 << 2,        // the wire that ends here has a bit error rate
  kLinkDown = 1 << 3,         // nothing arrives and nothing leaves
  kRoutedHop = 1 << 4,        // the wire joins two layer-2 domains
  kTapped = 1 << 5,           // a capture is attached
  kWatchdogTripped = 1 << 6,  // a PFC watchdog has disabled a priority
  kHasStage = 1 << 7,         // InfiniBand: output stage, which holds one packet that waits only for the wire
};

struct alignas(64) PortLink {
  // What a packet's arrival needs: one cache line. The packet that arrives next lies here, those behind it in the ring.
  PacketHandle first;       // arrives when `arrival` fires; meaningful while that is pending
  std::uint32_t owner = 0;  // ordinal of the switch, or the endpoint
  sim::Wake arrival;
  Ring<InFlight> in_flight;          // behind the first
  PortIndex peer = 0;                // the other end of the cable
  std::uint16_t number = 0;          // within the owner
  std::uint16_t egress = kNoEgress;  // egress port of `first`, if it has been looked up
  std::uint8_t flags = 0;            // PortFlag bits
  std::uint8_t pending_pauses = 0;   // Ethernet: priorities with a PFC frame still to be sent
  bool has_xmit_wait = false;  // InfiniBand: the wire is idle, packets wait, and no lane has credits (PortXmitWait)

  // What a transmission needs: one more.
  alignas(64) Time free_at;  // the wire that begins here is idle from then on
  Time begun_at;             // InfiniBand: the packet that was started last begins
  sim::Wake transmit;
  Duration delay;                          // of the wire that begins here, with the pipeline at its end
  std::uint16_t picoseconds_per_byte = 0;  // 0: not a whole number, or more
  std::uint16_t cut_through_bytes = 0;     // the peer has a packet in hand after that many bytes; 0: after all
  std::uint32_t queued_bytes = 0;          // that wait to leave
  std::uint16_t queued = 0;                // bit l: packets of lane (priority, virtual lane) l wait
  std::uint16_t blocked = 0;               // bit l: lane l is blocked by flow control
  std::uint16_t stalled = 0;               // InfiniBand, bit l: lane l is stalled for lack of credits
  std::uint16_t low_credit_lanes = 0;      // InfiniBand, bit l: lane l of an endpoint may be out of credits
  std::uint64_t packets_sent = 0;

  // What only flow control and changes need.
  Duration control_delay;  // of the wire that begins here, for control frames
  Ring<ControlInFlight> control;
  sim::Wake control_arrival;
  std::uint64_t credits_sent = 0;  // InfiniBand: flow control packets
  std::uint64_t credits_received = 0;
  sim::Wake timer;
  Rate rate;

  [[nodiscard]] bool has(PortFlag flag) const { return (flags & flag) != 0; }
  [[nodiscard]] Duration wire_time(std::uint32_t bytes) const {
    return picoseconds_per_byte != 0 ? Duration::picoseconds(std::int64_t{picoseconds_per_byte} * bytes)
                                     : rate.transmit_time(Bytes(bytes));
  }
  /// When what is sent now, or as soon as the wire that begins here is idle, begins: the later of the two, in a form
  /// that stays in registers where it is inlined.
  [[nodiscard]] Time transmission_start(Time now) const {
    if (free_at > now) {
      return free_at;
    }
    return now;
  }
  /// Sets the rate of the wire that begins here.
  void set_rate(Rate value);
};

/// Puts a packet of so many bytes on the wire from `from` to `to`, its peer; transmission starts at `now`, or later,
/// but not before the wire is idle. Counts it. The packet itself is not looked at.
inline void start_transmission(sim::Kernel& kernel, PortLink& from, PortLink& to, PortIndex to_index,
                               PacketHandle packet, std::uint32_t wire_bytes, Time now) {
  const Duration occupied = from.wire_time(wire_bytes);
  Duration first_part = occupied;
  if (from.cut_through_bytes != 0) [[unlikely]] {
    first_part = from.wire_time(std::min<std::uint32_t>(from.cut_through_bytes, wire_bytes));
  }
  const Time at = now + from.delay + first_part;
  from.free_at = now + occupied;
  ++from.packets_sent;
  if (to.arrival.pending().is_never()) {
    to.first = packet;
    to.egress = kNoEgress;
    kernel.wake_always(to.arrival, sim::ActorId(kArrival, to_index), at);
  } else {
    to.in_flight.push_back({at, packet});
  }
}

/// Takes the packet that has arrived; invalid if the event is stale.
inline PacketHandle take_arrival(sim::Kernel& kernel, PortLink& port, Time now) {
  if (!port.arrival.fires(now)) {
    return PacketHandle::invalid();
  }
  const PacketHandle arrived = port.first;
  if (!port.in_flight.empty()) {
    const InFlight next = port.in_flight.pop_front();
    port.first = next.packet;
    port.egress = kNoEgress;
    kernel.reschedule_current(port.arrival, next.at);
  }
  return arrived;
}

/// Prefetches the packet that arrives next, and the ring entry of the one after it.
[[gnu::always_inline]] inline void prefetch_next_arrival(const PacketPool& packets, const PortLink& port) {
  packets.prefetch(port.first);
  port.in_flight.prefetch_front();
}

/// Removes everything on the wire that ends here: calls lose(packet) for every packet and lose_control(frame) for every
/// control frame.
template <class Lose, class LoseControl>
void flush_wire(PortLink& port, Lose lose, LoseControl lose_control) {
  if (!port.arrival.pending().is_never()) {
    lose(port.first);
    port.arrival.cancel();
  }
  while (!port.in_flight.empty()) {
    lose(port.in_flight.pop_front().packet);
  }
  while (!port.control.empty()) {
    lose_control(port.control.pop_front().frame);
  }
  port.control_arrival.cancel();
}

/// Adds the four actors of a port; `name` is the hash of its stable name.
inline void register_port_actors(sim::ActorOrder& ranks, std::uint64_t name, PortLink& port,
                                 sim::PartitionIndex partition) {
  ranks.add({name, kArrival}, port.arrival, partition);
  ranks.add({name, kControlArrival}, port.control_arrival, partition);
  ranks.add({name, kTransmit}, port.transmit, partition);
  ranks.add({name, kPortTimer}, port.timer, partition);
}

/// The same for a control frame in a packet record: it goes around the receiver's pipeline and counts as no packet.
inline void start_control_transmission(sim::Kernel& kernel, PortLink& from, PortLink& to, PortIndex to_index,
                                       PacketHandle frame, std::uint32_t wire_bytes, Time now) {
  from.free_at = now + from.wire_time(wire_bytes);
  const Time at = from.free_at + from.control_delay;
  if (to.control.empty()) {
    kernel.wake_always(to.control_arrival, sim::ActorId(kControlArrival, to_index), at);
  }
  to.control.push_back({at, frame.value()});
}

inline PacketHandle take_control_arrival(sim::Kernel& kernel, PortLink& port, Time now) {
  if (!port.control_arrival.fires(now)) {
    return PacketHandle::invalid();
  }
  const ControlInFlight first = port.control.pop_front();
  if (!port.control.empty()) {
    kernel.reschedule_current(port.control_arrival, port.control.front().at);
  }
  return PacketHandle(first.frame);
}

}  // namespace weft::fabric
