// The level of fidelity that a run of a scenario fits into a time at: packets, composed steps, flows
// (docs/fidelity.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

enum class Level : std::uint8_t { kPacket, kComposed, kFlow };
/// "packet", "composed", "flow".
[[nodiscard]] std::string_view to_string(Level level);

/// The scenario at that level. kComposed is for jobs that train a model; others and traffic send every packet there.
[[nodiscard]] scenario::Scenario at_level(const scenario::Scenario& scenario, Level level);

struct LevelBudget {
  double seconds = 0;          // of real time, for one run
  double hops_per_second = 0;  // of this machine; above 0
};

struct LevelChoice {
  Level level = Level::kPacket;
  std::string why{};  // a sentence without its end: what the levels above would have taken
};

/// The first of packets, composed steps and flows that is expected to fit. Flows are not estimated: they are what is
/// left, and composed steps where the scenario has no flow level. `graph` is the scenario's. Errors: those of its
/// traffic.
[[nodiscard]] Result<LevelChoice> choose_level(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                               const LevelBudget& budget);

}  // namespace weft::study::run
