// What htsim_uec's options say of queues, transport and congestion control, as sections of a scenario.
//
// Family `uet` has all of it: queues with a limit of their own that trim by a coin, marks by what waits when a packet
// has left, control packets strictly before data, NSCC, paths. Family `rocev2` has what RoCEv2 can do on the same
// network: packets sprayed at random, selective repeat, a constant window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/import/htsim_scenario.h"
#include "study/import/htsim_values.h"

namespace weft::study::import {

/// Keys of [fabric], each a line, beside the family.
[[nodiscard]] std::string fabric_keys(const HtsimInputs& inputs);

/// A key of [ethernet.priority.N].
struct QueueKey {
  int priority = 0;
  std::string line;  // "kmin = ..."
};
/// Queues and bounds of marking of switch ports, divided by `divisor` as for links that are slower by it; in ascending
/// order of priority.
[[nodiscard]] std::vector<QueueKey> queue_keys(const HtsimInputs& inputs, const HtsimValues& values,
                                               std::int64_t divisor);

/// Sections of queues, routing, transport and congestion control.
[[nodiscard]] std::string protocol_sections(const HtsimInputs& inputs, const HtsimValues& values);

/// What the family does otherwise than htsim, each a sentence.
[[nodiscard]] std::vector<std::string> protocol_notes(const HtsimInputs& inputs);

}  // namespace weft::study::import
