// The topologies of a scenario, a row each: from its keys to the options of a graph, and how it grows.
//
// A new one is its graph in fabric/topology/, a value and a word in scenario/topology_kind.h, its keys, and a row here.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/topologies.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

struct TopologyRow {
  scenario::TopologyKind kind = scenario::TopologyKind::kSingleSwitch;
  /// Errors: counts that do not fit together.
  Result<fabric::TopologyOptions> (*options)(const scenario::Scenario& scenario) = nullptr;
  /// Makes room for so many hosts, or for more; what hangs on one leaf stays. Null: it cannot grow.
  void (*resize)(scenario::TopologySettings& topology, std::int64_t hosts) = nullptr;
};

[[nodiscard]] const TopologyRow& row_of(scenario::TopologyKind kind);

/// The same topology with so many hosts, or with more. Errors: one that cannot grow.
[[nodiscard]] Result<void> resize_topology(scenario::TopologySettings& topology, std::int64_t hosts);

}  // namespace weft::study::assembly
