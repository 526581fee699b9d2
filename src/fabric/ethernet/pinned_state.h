// What an Ethernet fabric has whose switches have pinned paths: by a rule (PathPolicy::kPinned) or by the entries of a
// controller (PathPolicy::kCentral).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/flow_controller.h"
#include "fabric/routing/pinned_flows.h"
#include "fabric/routing/routes.h"

namespace weft::fabric {

/// Packets for which a switch had several next hops.
struct PinnedCounters {
  std::uint64_t pinned = 0;     // on the port that the rule or the entry names
  std::uint64_t hashed = 0;     // for want of an entry
  std::uint64_t fallbacks = 0;  // hashed because that port leads nowhere now
};

struct PinnedState {
  std::vector<PinnedCounters> counters;  // per switch
  std::optional<Routes> wired;           // kPinned: as if all links were up
  std::vector<PinnedFlows> tables;       // kCentral: per switch
  std::vector<FlowMeter> meters;         // likewise
  FlowController* controller = nullptr;

  [[nodiscard]] std::size_t heap_bytes() const {
    std::size_t bytes = counters.capacity() * sizeof(counters[0]) + (wired ? wired->heap_bytes() : 0);
    for (const PinnedFlows& table : tables) {
      bytes += sizeof(table) + table.heap_bytes();
    }
    for (const FlowMeter& meter : meters) {
      bytes += sizeof(meter) + meter.heap_bytes();
    }
    return bytes;
  }
};

}  // namespace weft::fabric
