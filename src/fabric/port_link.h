// The part of a port that does not depend on flow control: the wire that ends here, and the wire that begins here.
//
// A packet is in flight from the start of its transmission until the receiving device can process it: propagation and
// the receiver's constant pipeline latency are one delay. Packets of one direction arrive in the order they were sent,
// so the port keeps them in a ring, and one pending wake-up serves all of them. Link-level control frames (PFC, flow
// control packets) take wire time like data but bypass the pipeline: they have a separate ring.
//
// Where the two ends of a cable lie in different partitions of a divided world, what is sent in a window is posted, and
// put on the wire at the end of that (sim/kernel.h).
//
// A discipline derives its port from PortLink<Transmission>. Transmission derives from PortTransmission and adds what
// the discipline's flow control looks at whenever a packet starts, so that all of that lies in one cache line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/assert.h"
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

using PortFlags = std::uint16_t;
enum PortFlag : PortFlags {
  kIsEndpoint = 1 << 0,    // the device is an endpoint; otherwise a switch
  kCutThrough = 1 << 1,    // packets are handed over when their first bytes have come
  kHasErrors = 1 << 2,     // the wire that ends here has a bit error rate
  kLinkDown = 1 << 3,      // nothing arrives and nothing leaves
  kTapped = 1 << 4,        // a capture is attached
  kFirstOwnFlag = 1 << 5,  // of the discipline, named beside its port
  kSecondOwnFlag = 1 << 6,
  kThirdOwnFlag = 1 << 7,
  kRoutedHop = 1 << 8,  // the wire joins two layer-2 domains
  kMayBackUp = 1 << 9,  // the device is an endpoint whose receive side may be slower than the wire
};

/// What a packet's arrival needs: one cache line. The packet that arrives next lies here, those behind it in the ring.
struct alignas(64) PortArrival {
  PacketHandle first;       // arrives when `arrival` fires; meaningful while that is pending
  std::uint32_t owner = 0;  // ordinal of the switch, or the endpoint
  sim::Wake arrival;
  Ring<InFlight> in_flight;          // behind the first
  PortIndex peer = 0;                // the other end of the cable
  std::uint16_t number = 0;          // within the owner
  std::uint16_t egress = kNoEgress;  // egress port of `first`, if it has been looked up
  PortFlags flags = 0;               // PortFlag bits

  [[nodiscard]] bool has(PortFlag flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(PortArrival) == 64);

/// What a transmission needs: 52 bytes; the other 12 of the cache line are the discipline's.
struct alignas(64) PortTransmission {
  Time free_at;  // the wire that begins here is idle from then on
  sim::Wake transmit;
  Duration delay;  // of the wire that begins here, with the pipeline at its end
  std::uint64_t packets_sent = 0;
  std::uint16_t picoseconds_per_byte = 0;  // 0: not a whole number, or more
  std::uint16_t exceptions = 0;            // of cut-through and partitions, in one: most ports have none
  std::uint32_t queued_bytes = 0;          // that wait to leave
  std::uint16_t queued = 0;                // bit l: packets of lane (priority, virtual lane) l wait
  std::uint16_t blocked = 0;               // bit l: lane l is blocked by flow control

  static constexpr std::uint16_t kCrosses = 0x8000;

  /// The peer has a packet in hand after that many bytes; 0: after all.
  [[nodiscard]] std::uint16_t cut_through_bytes() const { return static_cast<std::uint16_t>(exceptions & ~kCrosses); }
  void set_cut_through_bytes(std::uint16_t bytes) {
    WEFT_DCHECK((bytes & kCrosses) == 0);
    exceptions = static_cast<std::uint16_t>((exceptions & kCrosses) | bytes);
  }
  /// The peer is in another partition.
  [[nodiscard]] bool crosses() const { return (exceptions & kCrosses) != 0; }
  void set_crosses() { exceptions |= kCrosses; }

  /// When what is sent now, or as soon as the wire that begins here is idle, begins: the later of the two, in a form
  /// that stays in registers where it is inlined.
  [[nodiscard]] Time transmission_start(Time now) const {
    if (free_at > now) {
      return free_at;
    }
    return now;
  }
};

/// PortTransmission::picoseconds_per_byte of a rate.
[[nodiscard]] std::uint16_t whole_picoseconds_per_byte(Rate rate);

template <class Transmission>
struct PortLink : PortArrival, Transmission {
  static_assert(std::is_base_of_v<PortTransmission, Transmission> && sizeof(Transmission) == 64,
                "what a transmission needs takes one cache line");

  // What only flow control and changes need.
  Duration control_delay;  // of the wire that begins here, for control frames
  Ring<ControlInFlight> control;
  sim::Wake control_arrival;
  sim::Wake timer;
  Rate rate;  // of the wire that begins here
  sim::PartitionIndex peer_partition = 0;

  /// A multiplication where the rate allows it, for every packet of every hop would take a division otherwise.
  [[nodiscard]] Duration wire_time(std::uint32_t bytes) const {
    if (this->picoseconds_per_byte != 0) [[likely]] {
      return Duration::picoseconds(std::int64_t{this->picoseconds_per_byte} * bytes);
    }
    return rate.transmit_time(Bytes(bytes));
  }
  void set_rate(Rate value) {
    rate = value;
    this->picoseconds_per_byte = whole_picoseconds_per_byte(value);
  }
};

/// What sim::Crossing::kind says; the target is a port.
enum CrossingKind : std::uint8_t {
  kPacketCrosses,
  kControlCrosses,
  kDeadlockCheckCrosses,  // no target: the whole network is to be searched
};

// Templates are declared inline as well: the compiler then inlines larger ones, and every hop comes through these. The
// first is inlined by force, for rare callers would otherwise take it out of line for all.

/// A packet is on the wire that ends at a port.
[[gnu::always_inline]] inline void put_on_wire(sim::Kernel& kernel, PortArrival& to, PortIndex to_index,
                                               PacketHandle packet, Time at) {
  if (to.arrival.pending().is_never()) {
    to.first = packet;
    to.egress = kNoEgress;
    kernel.wake_always(to.arrival, sim::ActorId(kArrival, to_index), at);
  } else {
    // One wake-up serves all of them only because they arrive in the order of sending.
    WEFT_DCHECK((to.in_flight.empty() ? to.arrival.pending() : to.in_flight.back().at) <= at);
    to.in_flight.push_back({at, packet});
  }
}

/// A control frame is on the wire that ends at a port, which takes them by events.
template <class Port>
inline void put_control_on_wire(sim::Kernel& kernel, Port& to, PortIndex to_index, const ControlInFlight& frame) {
  if (to.control.empty()) {
    kernel.wake_always(to.control_arrival, sim::ActorId(kControlArrival, to_index), frame.at);
  }
  WEFT_DCHECK(to.control.empty() || to.control.back().at <= frame.at);
  to.control.push_back(frame);
}

/// How a receiver takes control frames: by an event when one arrives, or whenever it looks, so that it may do something
/// else if it has one in hand before that has arrived.
enum class ControlFrames : std::uint8_t { kAwaited, kLookedAt };

/// Of a control frame for the other end of a cable: whether it was posted, because that is in another partition.
template <class Port>
[[nodiscard]] inline bool posts_control(sim::Kernel& kernel, const Port& from, const ControlInFlight& frame,
                                        ControlFrames frames = ControlFrames::kAwaited) {
  if (!from.crosses() || !(frames == ControlFrames::kLookedAt ? kernel.in_window() : kernel.is_shared())) [[likely]] {
    return false;
  }
  kernel.post(from.peer_partition,
              {.at = frame.at, .target = from.peer, .content = frame.frame, .kind = kControlCrosses});
  return true;
}

/// Puts a packet of so many bytes on the wire from `from` to `to`, its peer; transmission starts at `now`, or later,
/// but not before the wire is idle. Counts it. The packet itself is not looked at.
template <class Port>
[[gnu::always_inline]] inline void start_transmission(sim::Kernel& kernel, Port& from, PortArrival& to,
                                                      PortIndex to_index, PacketHandle packet, std::uint32_t wire_bytes,
                                                      Time now) {
  WEFT_DCHECK(from.free_at <= now && !from.has(kLinkDown));
  const Duration occupied = from.wire_time(wire_bytes);
  Duration first_part = occupied;
  if (const std::uint16_t early = from.cut_through_bytes(); early != 0) [[unlikely]] {
    first_part = from.wire_time(std::min<std::uint32_t>(early, wire_bytes));
  }
  const Time at = now + from.delay + first_part;
  from.free_at = now + occupied;
  ++from.packets_sent;
  // In this order: with one worker no port is asked.
  if (kernel.is_shared() && from.crosses()) [[unlikely]] {
    return kernel.post(from.peer_partition,
                       {.at = at, .target = to_index, .content = packet.value(), .kind = kPacketCrosses});
  }
  put_on_wire(kernel, to, to_index, packet, at);
}

/// Takes the packet that has arrived, once its event has fired.
[[gnu::always_inline]] inline PacketHandle take_arrival(sim::Kernel& kernel, PortArrival& port,
                                                        [[maybe_unused]] Time now) {
  const PacketHandle arrived = port.first;
  if (!port.in_flight.empty()) {
    const InFlight next = port.in_flight.pop_front();
    WEFT_DCHECK(next.at >= now);
    port.first = next.packet;
    port.egress = kNoEgress;
    kernel.reschedule_current(port.arrival, next.at);
  }
  return arrived;
}

/// Prefetches the packet that arrives next, and the ring entry of the one after it.
[[gnu::always_inline]] inline void prefetch_next_arrival(const PacketPool& packets, const PortArrival& port) {
  packets.prefetch(port.first);
  port.in_flight.prefetch_front();
}

/// Removes everything on the wire that ends here: calls lose(packet) for every packet and lose_control(frame) for every
/// control frame.
template <class Port, class Lose, class LoseControl>
inline void flush_wire(Port& port, Lose lose, LoseControl lose_control) {
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

inline constexpr std::size_t kActorsOfPort = 4;

/// Adds the actors of a port; `name` is the hash of its stable name.
template <class Port>
inline void register_port_actors(sim::ActorOrder& ranks, std::uint64_t name, Port& port,
                                 sim::PartitionIndex partition) {
  ranks.add({name, kArrival}, port.arrival, partition);
  ranks.add({name, kControlArrival}, port.control_arrival, partition);
  ranks.add({name, kTransmit}, port.transmit, partition);
  ranks.add({name, kPortTimer}, port.timer, partition);
}

/// The same for a control frame in a packet record: it goes around the receiver's pipeline and counts as no packet.
template <class Port>
inline void start_control_transmission(sim::Kernel& kernel, Port& from, Port& to, PortIndex to_index,
                                       PacketHandle frame, std::uint32_t wire_bytes, Time now) {
  from.free_at = now + from.wire_time(wire_bytes);
  const ControlInFlight sent{from.free_at + from.control_delay, frame.value()};
  if (!posts_control(kernel, from, sent)) {
    put_control_on_wire(kernel, to, to_index, sent);
  }
}

template <class Port>
inline PacketHandle take_control_arrival(sim::Kernel& kernel, Port& port, Time now) {
  if (!port.control_arrival.fires(now)) {
    return PacketHandle::invalid();
  }
  const ControlInFlight first = port.control.pop_front();
  WEFT_DCHECK(first.at <= now);
  if (!port.control.empty()) {
    kernel.reschedule_current(port.control_arrival, port.control.front().at);
  }
  return PacketHandle(first.frame);
}

}  // namespace weft::fabric
