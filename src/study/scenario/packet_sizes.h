// Sizes of the packets of a scenario's family, for everything that is computed from them without running it.
#pragma once

#include "study/scenario/scenario.h"
#include "wire/encapsulation.h"

namespace weft::study::scenario {

/// A packet from the middle of a WRITE, or what carries that in a stream. 0 <= payload.
[[nodiscard]] wire::FrameSizes data_packet(const Scenario& scenario, Bytes payload);
/// The largest packet that the family sends with this payload: a WRITE with immediate data in one packet.
[[nodiscard]] wire::FrameSizes largest_packet(const Scenario& scenario, Bytes payload);
[[nodiscard]] wire::FrameSizes acknowledgement(const Scenario& scenario);
/// What TSS adds to each packet of Ultra Ethernet, and to its way from one host to the other.
[[nodiscard]] Bytes security_bytes(const Scenario& scenario);
[[nodiscard]] Duration security_latency(const Scenario& scenario);

}  // namespace weft::study::scenario
