// Max-min fair rates by progressive filling: what flows get from links that they share, without any protocol.
//
// All rates grow together from zero until a link is full; its flows keep what they have, the others go on. A flow may
// load a link with a part of its rate only, where its packets take several paths. Source: Bertsekas and Gallager, Data
// Networks, 6.5.2. O(links^2 + links x flows) at worst; the same result on every platform for the same order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::study::world {

/// One link that a flow uses.
struct LinkUse {
  std::uint32_t link = 0;  // its place among the capacities
  double part = 1;         // of the flow's rate that goes over it, above 0
};

/// The links of one flow, each once. A flow without links is not limited.
using FlowLinks = std::vector<LinkUse>;

/// Rates in the unit of the capacities, by flow; infinite for one without links. Capacities are above 0.
[[nodiscard]] std::vector<double> max_min_rates(std::span<const FlowLinks> flows, std::span<const double> capacities);

}  // namespace weft::study::world
