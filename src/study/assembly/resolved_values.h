// What a run makes of values that a scenario leaves open: a count of 0, a word such as "catalogue" or "auto".
#pragma once

#include <string>
#include <vector>

#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"
#include "study/scenario/scenario_listing.h"

namespace weft::study::assembly {

struct ResolvedValue {
  std::string path;   // "topology.spines", "job[0].layers"
  std::string value;  // as a file could give it, without quotes
  std::string how;    // "as few as oversubscription 2:1 allows"
};

/// Of a scenario that can be built, with its topology's graph. Values that the scenario gives are not among them.
[[nodiscard]] std::vector<ResolvedValue> resolved_values(const scenario::Scenario& scenario,
                                                         const fabric::Graph& graph);

/// The values that matter as a run takes them: one that is left open stands as what it comes to, and its source says
/// how.
[[nodiscard]] std::vector<scenario::ListedValue> resolved_listing(const scenario::Scenario& scenario,
                                                                  const fabric::Graph& graph);

}  // namespace weft::study::assembly
