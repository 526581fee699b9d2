// AS numbers and identifiers of the switches of a graph, and which addresses each leaf announces.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "fabric/control/control_options.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// The first of the private numbers of four octets.
//= rfc6996 5
inline constexpr std::uint32_t kFirstPrivateAs = 4'200'000'000;

struct ControlPlan {
  std::vector<std::uint32_t> as_numbers;   // per switch ordinal
  std::vector<std::uint32_t> identifiers;  // per switch ordinal; not 0, all different, in an order by name
  std::vector<std::uint32_t> prefix_of;    // per switch ordinal: what it announces, or kNoPrefix
  std::vector<std::uint32_t> leaf_of;      // per prefix: the switch ordinal
};

/// By the plan of the cables: what a cable in the wrong port joins changes no switch's configuration. `name_hash` is
/// f(seed, name) per switch ordinal. Errors: more leaves than there are prefixes.
[[nodiscard]] Result<ControlPlan> plan_control(const Graph& graph, const ControlOptions& options,
                                               const std::vector<std::uint64_t>& name_hash);

}  // namespace weft::fabric
