// The longest round trip of an idle network, and what is in flight during it: the bandwidth-delay product (BDP) that
// windows and marking thresholds are measured in.
//
// A full data packet one way and its acknowledgement back: propagation, the pipelines of the switches, the receiving
// pipelines of both NICs, and the serialisation of the packet, on every link where switches store and forward, on the
// slowest one where they cut through. Host software and the work request's fetch are no part of it: they delay a
// message and not what is in flight. Paths are shortest in hops; the pair is the farthest found from the first NIC and
// from the NIC farthest from that, which is exact on trees and on every topology that weft makes.
#pragma once

#include <cstdint>

#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

struct BaseRoundTrip {
  Duration time;
  std::int64_t switches = 0;   // one way
  Rate slowest = Rate::max();  // link on the way
};

/// Between NICs; zero of a graph without two of them that reach one another.
[[nodiscard]] BaseRoundTrip base_round_trip(const scenario::Scenario& scenario, const fabric::Graph& graph);

/// What a line sends during a round trip.
[[nodiscard]] inline Bytes bandwidth_delay_product(Rate line, Duration round_trip) { return line.bytes_in(round_trip); }

/// A window in bytes. One in units of BDP is rounded up to whole packets and has room for the packets that wait for the
/// acknowledgement that they share (transport.ack_interval).
[[nodiscard]] Bytes window_bytes(const scenario::Scenario& scenario, const scenario::WindowSize& window, Rate line,
                                 Duration round_trip);

}  // namespace weft::study::assembly
