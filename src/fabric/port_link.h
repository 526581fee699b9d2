// The part of a port that does not depend on flow control: the wire that ends here, and the wire that begins here.
//
// A packet is in flight from the start of its transmission until the receiving device has it in its hands: the wire,
// and the constant delay of the receiver's pipeline, are one delay. Packets of one direction arrive in the order they
// were sent, so the port keeps them in a ring, and one pending wake-up serves all of them. Link-level control frames
// (PFC, flow control packets) take wire time like all others but go around the pipeline: they have a ring of their own.
#pragma once

#include <cstdint>

#include "base/rate.h"
#include "base/ring.h"
#include "base/time.h"
#include "fabric/actors.h"
#include "fabric/packet_pool.h"
#include "sim/kernel.h"

namespace weft::fabric {

/// A port of a device, in the table of its fabric.
using PortIndex = std::uint32_t;

struct InFlight {
  Time at;  // when the receiver has it
  PacketHandle packet;
};

enum PortFlag : std::uint8_t {
  kIsEndpoint = 1 << 0,  // owner is an endpoint, else a switch
  kCutThrough = 1 << 1,  // packets are handed over when their first bytes have come
  kHasErrors = 1 << 2,   // the wire that ends here has a bit error rate
  kLinkDown = 1 << 3,    // nothing arrives and nothing leaves
  kRoutedHop = 1 << 4,   // the wire joins two layer-2 domains
  kTapped = 1 << 5,      // a capture runs here
  kGuarded = 1 << 6,     // a watchdog has taken a priority out of service
};

struct PortLink {
  // What a packet's arrival needs: about a cache line.
  Ring<InFlight> in_flight;
  sim::Wake arrival;
  std::uint32_t owner = 0;   // ordinal of the switch, or the endpoint
  PortIndex peer = 0;        // the other end of the cable
  std::uint16_t number = 0;  // within the owner
  std::uint8_t flags = 0;    // PortFlag bits

  // What a transmission needs.
  Time free_at;  // the wire that begins here is idle from then on
  sim::Wake transmit;
  Duration delay;                          // of the wire that begins here, with the pipeline at its end
  Duration control_delay;                  // of the same wire, for control frames
  std::uint32_t picoseconds_per_byte = 0;  // 0: not a whole number
  std::uint32_t cut_through_bytes = 0;     // the peer has a packet in hand after that many bytes; 0: after all
  Rate rate;
  std::uint64_t packets_sent = 0;
  std::uint64_t bytes_sent = 0;  // of frames

  Ring<InFlight> control;
  sim::Wake control_arrival;
  sim::Wake timer;

  [[nodiscard]] bool has(PortFlag flag) const { return (flags & flag) != 0; }
  [[nodiscard]] Duration wire_time(std::uint32_t bytes) const {
    return picoseconds_per_byte != 0 ? Duration::picoseconds(std::int64_t{picoseconds_per_byte} * bytes)
                                     : rate.transmit_time(Bytes(bytes));
  }
  /// Sets the rate of the wire that begins here.
  void set_rate(Rate value);
};

/// Puts a packet on the wire from `from` to `to`, its peer; transmission starts now. Counts it.
inline void launch(sim::Kernel& kernel, PortLink& from, PortLink& to, PortIndex to_index, PacketHandle packet,
                   const wire::PacketCommon& common, Time now) {
  const Duration occupied = from.wire_time(common.wire_bytes);
  const bool early = from.cut_through_bytes != 0 && from.cut_through_bytes < common.wire_bytes;
  const Time at = now + from.delay + (early ? from.wire_time(from.cut_through_bytes) : occupied);
  from.free_at = now + occupied;
  ++from.packets_sent;
  from.bytes_sent += common.frame_bytes;
  if (to.in_flight.empty()) {
    kernel.wake_always(to.arrival, sim::ActorId(kArrival, to_index), at);
  }
  to.in_flight.push_back({at, packet});
}

/// Takes the packet that has arrived; null if the event means nothing.
inline PacketHandle land(sim::Kernel& kernel, PortLink& port, PortIndex index, Time now) {
  if (!port.arrival.fires(now)) {
    return PacketHandle::invalid();
  }
  const InFlight first = port.in_flight.pop_front();
  if (!port.in_flight.empty()) {
    kernel.wake_always(port.arrival, sim::ActorId(kArrival, index), port.in_flight.front().at);
  }
  return first.packet;
}

/// The same for a control frame of `wire_bytes`, which goes around the receiver's pipeline and counts as no packet.
inline void launch_control(sim::Kernel& kernel, PortLink& from, PortLink& to, PortIndex to_index, PacketHandle frame,
                           std::uint32_t wire_bytes, Time now) {
  from.free_at = now + from.wire_time(wire_bytes);
  const Time at = from.free_at + from.control_delay;
  if (to.control.empty()) {
    kernel.wake_always(to.control_arrival, sim::ActorId(kControlArrival, to_index), at);
  }
  to.control.push_back({at, frame});
}

inline PacketHandle land_control(sim::Kernel& kernel, PortLink& port, PortIndex index, Time now) {
  if (!port.control_arrival.fires(now)) {
    return PacketHandle::invalid();
  }
  const InFlight first = port.control.pop_front();
  if (!port.control.empty()) {
    kernel.wake_always(port.control_arrival, sim::ActorId(kControlArrival, index), port.control.front().at);
  }
  return first.packet;
}

}  // namespace weft::fabric
