// The graph that a scenario describes, with the cables of its overrides.
#pragma once

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Errors: what the topology refuses; selectors of the scenario that match nothing in it.
[[nodiscard]] Result<fabric::Graph> build_topology(const scenario::Scenario& scenario);

/// Which of the scenario's tiers a link belongs to: by the tier of its upper end.
[[nodiscard]] scenario::LinkTier tier_of(const fabric::Graph& graph, const fabric::Link& link);

/// The host that an endpoint belongs to: "host3" of "host3/nic0".
[[nodiscard]] std::string host_of(const fabric::Graph& graph, EndpointId endpoint);

}  // namespace weft::study::assembly
