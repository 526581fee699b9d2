// Where a fabric's time goes, by taking causes away one after the other: the same job without losses, without
// congestion control, with ideal routing, on one switch, without the library's costs, without the host's.
//
// The scenarios are a ladder: each has all that the one before it has removed. What a step gains from one to the next
// is what the cause between them costs; below the last there is only data at the rate of the line, with its headers,
// and computing.
#pragma once

#include <string_view>
#include <vector>

#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

struct Ablation {
  std::string_view cause;  // what is gone here and was there in the scenario before: "hash collisions"
  scenario::Scenario scenario;
};

/// `graph` is that of the scenario. In the order of the ladder; without causes that the scenario cannot have.
[[nodiscard]] std::vector<Ablation> ablations_of(const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::compare
