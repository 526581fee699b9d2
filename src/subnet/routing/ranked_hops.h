// Hops along paths that may turn once between ascending and descending ranks: what updn and dnup share.
#pragma once

#include <cstdint>
#include <vector>

#include "subnet/routing/hop_matrix.h"

namespace weft::subnet {

/// Where a step leads; kLevel is neither, and no turn.
enum class StepDirection : std::uint8_t { kUp, kDown, kLevel };

/// The direction that no path may take after another one, seen from the destination.
struct ForbiddenTurn {
  StepDirection first;
  StepDirection then;
};

/// Ranks by hops from the switches of rank 0, which are the only ones that have a rank when this is called.
inline constexpr std::uint32_t kUnranked = ~std::uint32_t{0};
void rank_from_zero(const RoutingView& view, std::vector<std::uint32_t>& ranks);

class RankedPaths {
 public:
  virtual ~RankedPaths() = default;
  /// Of a step between neighbours, away from the destination.
  [[nodiscard]] virtual StepDirection direction(SwitchIndex from, SwitchIndex to) const = 0;
  [[nodiscard]] virtual StepDirection start() const = 0;
  [[nodiscard]] virtual ForbiddenTurn forbidden() const = 0;
};

/// For each destination a search outwards. A switch keeps the direction in which it was first reached while it waits,
/// also if a further step reaches it in another one: as OpenSM does.
[[nodiscard]] HopMatrix ranked_hops(const RoutingView& view, const RankedPaths& paths);

}  // namespace weft::subnet
