// What the subnet managers of a run write when links fail and return: the engine's tables of what is left, in switches
// as soon as routes learn of it (`reroute_delay` of each event).
//
// All events are known before the run, and so is all that managers will write. Tables of a file stay as they are, for
// nobody knows what made them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "fabric/link_schedule.h"
#include "fabric/routing/table_schedule.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Tables that are in the switches from a time on.
struct Resweep {
  Time at;
  std::uint32_t links_down = 0;    // as far as managers know
  std::uint64_t entries = 0;       // that have changed, in
  std::uint64_t switches = 0;      // so many
  std::uint64_t levels = 0;        // service levels that have changed, of connections to come
  std::uint64_t paths = 0;         // ordered pairs of LIDs of different NIC ports that reach one another
  std::uint64_t paths_before = 0;  // at the beginning of the run
  /// Buffers can wait for each other in a cycle as they could not at the beginning: of queue pairs that were connected
  /// then, and keep their service levels.
  bool can_block = false;
  std::string fallback{};  // why minhop routes, in place of the engine; empty: it is the engine
};

struct ResweepPlan {
  fabric::TableSchedule schedule;  // against subnet_routes()
  std::vector<Resweep> resweeps{};
};

/// Memory that the states of all tables may take, by default.
inline constexpr std::uint64_t kMostStateBytes = std::uint64_t{4} << 30;

/// Of a scenario with scenario::has_manager(), up to its stop. `events` in any order. Errors: those of
/// ManagedNetwork::route_without(); as soon as what states take says that all of them would need more than `most`
/// bytes, how much.
[[nodiscard]] Result<ResweepPlan> plan_resweeps(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                                std::span<const fabric::LinkEvent> events,
                                                std::uint64_t most = kMostStateBytes);

}  // namespace weft::study::assembly
