// One direction of a scale-up link: what is on it, and the credits for the buffer at its end.
//
// The sender counts the bytes that it has sent and that have not come free again; they are returned after the
// propagation delay, in flits that flow in that direction anyway, so a return of credits is an entry with a time and no
// event. Nothing overflows: what does not fit is not sent.
#pragma once

#include <cstdint>

#include "base/assert.h"
#include "base/rate.h"
#include "base/ring.h"
#include "fabric/port_link.h"
#include "sim/actor.h"

namespace weft::fabric {

/// A wire, in the table of its fabric.
using WireIndex = std::uint32_t;

struct ScaleUpCounters {
  std::uint64_t packets = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t wire_bytes = 0;
  Duration busy;                 // sending
  Duration stalled;              // something to send, the wire idle, and no credit
  std::uint64_t queue_peak = 0;  // bytes that waited in the switch for this wire, at most
};

struct alignas(64) ScaleUpWire {
  struct Return {
    Time at;
    std::uint32_t bytes = 0;
  };

  // Where it ends.
  PacketHandle first;    // arrives when `arrival` fires; meaningful while that is pending
  std::uint32_t to = 0;  // endpoint, unless it ends at a switch
  bool ends_at_switch = false;
  bool from_switch = false;
  bool stalls = false;       // since `stalled_since`
  bool waits = false;        // its sender is waiting for credits
  std::uint32_t sender = 0;  // actor index of kScaleUpTransmit
  sim::Wake arrival;
  Ring<InFlight> in_flight;  // behind the first

  // Where it begins.
  Time free_at;
  Duration delay;  // of the wire, and of the switch at its end
  Duration back;   // of credits
  Rate rate;
  std::uint32_t cut_through_bytes = 0;  // it arrives after that many bytes; 0: after all
  std::uint32_t timed_bytes = 0;
  Duration timed;  // wire time of `timed_bytes`
  std::uint64_t buffer = 0;
  std::uint64_t used = 0;    // of it, as far as the sender knows
  std::uint64_t queued = 0;  // bytes in the switch that wait for this wire
  Ring<Return> returns;
  Time last_return;
  sim::Wake transmit;  // of a wire that begins at a switch
  Time stalled_since;
  ScaleUpCounters counters;

  [[nodiscard]] Duration wire_time(std::uint32_t bytes) {
    if (bytes != timed_bytes) {
      timed_bytes = bytes;
      timed = rate.transmit_time(Bytes(bytes));
    }
    return timed;
  }
  void take_returns(Time now) {
    while (!returns.empty() && returns.front().at <= now) {
      WEFT_DCHECK(returns.front().bytes <= used);
      used -= returns.pop_front().bytes;
    }
  }
  [[nodiscard]] bool has_room(std::uint64_t bytes) const { return used + bytes <= buffer; }
};

}  // namespace weft::fabric
