// What load balancing has decided between two sample instants: a row of a results file, as plain values.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace weft::study::results {

enum class Decision : std::uint8_t {
  kFlowletKept,   // a switch: a flowlet began, and its flow stays at the port, or is new
  kFlowletMoved,  // a switch: a flowlet began at another port than the one before it
  kReroute,       // a leaf: ConWeave moved a flow to another path
  kPortChoice,    // a switch: a packet took a port by the depth of queues
  kDetour,        // a switch: a packet was bound for a third group
  kPathChange,    // a sender: PathSelector::changes()
  kEntries,       // a controller: entries that a plan wrote into tables
};
/// "flowlet-kept", "flowlet-moved", "reroute", "port-choice", "detour", "path-change", "entries".
[[nodiscard]] std::string_view to_string(Decision decision);

/// All switches or senders together; what did not happen has no row.
struct DecisionRow {
  Time at;  // of the sample that ends the interval; kEntries: when the plan took effect
  Decision decision = Decision::kFlowletKept;
  std::uint64_t count = 0;

  friend bool operator==(const DecisionRow&, const DecisionRow&) = default;
};

}  // namespace weft::study::results
