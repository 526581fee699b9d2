// What a subnet manager of InfiniBand takes on the network of a scenario: to bring it up, and to mend its tables after
// each failure and return of a cable that the scenario names. Beside distributed control, and for runs whose routes
// follow after that time (routing.reroute_delay = "auto").
//
// Simulated MAD by MAD (subnet/manager/sweep_study.h), on links of the scenario's rates, with the times of [subnet]
// (study/assembly/manager_plan.h) and, beside distributed control, min-hop routing, OpenSM's default. MADs and data
// share no wire. Failures come when the scenario has them, so that one may meet a manager that sweeps for another;
// announced work counts as a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "fabric/link_schedule.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

/// Cables that fail, or return, at one time of the scenario.
struct ManagerEvent {
  Time at;
  bool is_return = false;
  std::uint32_t links = 0;
  std::optional<Duration> noticed{};  // until a heavy sweep began; none: no switch told the manager
  std::optional<Duration> mended{};   // until the last block of a table was written; none: no block had to be
  std::optional<Duration> ended{};    // until the last heavy sweep was done: each trap asks for one
  /// `mended` at most, where the trap is lost: the light sweep that finds the change begins a whole interval later.
  std::optional<Duration> without_trap{};
  std::uint64_t sweeps = 0;  // heavy ones
  std::uint64_t requests = 0;
  std::uint64_t blocks = 0;   // of 64 LIDs, that differ
  std::uint64_t entries = 0;  // that the routing engine computed
  std::string error{};        // why tables are not mended, as where the manager's own cable is down
};

struct ManagerStudy {
  std::string error{};      // why there can be no subnet, or its manager could not bring it up; the rest may be empty
  std::size_t subnets = 0;  // parts that no cable joins have a manager each
  Duration bring_up{};      // the longest
  std::uint64_t requests = 0;  // of all bring-ups
  std::vector<ManagerEvent> events{};
};

/// `links` in any order; changes of rate are left out.
[[nodiscard]] ManagerStudy study_manager(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                         std::span<const fabric::LinkEvent> links);

/// Where scenario::simulates_resweeps(): `reroute_delay` of each event becomes what its manager takes until the last
/// block of a table is written, with the scenario's engine, and while it is away; nothing where no block changes.
/// Errors: the manager cannot mend the tables, as where its own cable is down.
[[nodiscard]] Result<void> add_sweep_times(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                           std::vector<fabric::LinkEvent>& events);
/// From the first failure of a cable until routes avoid it, as add_sweep_times has it; none: no cable fails.
[[nodiscard]] Result<std::optional<Duration>> first_sweep_time(const scenario::Scenario& scenario,
                                                               const fabric::Graph& graph);

}  // namespace weft::study::run
