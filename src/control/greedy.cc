#include "control/greedy.h"

#include <numeric>
#include <optional>

namespace weft::control {

OrderedResult place_in_order(CandidatePaths& candidates, const std::vector<Demand>& demands,
                             const std::vector<std::size_t>& order) {
  OrderedResult result;
  result.placement.choice.resize(demands.size());
  Loads loads(candidates.view());
  for (const std::size_t i : order) {
    const Demand& demand = demands[i];
    const std::vector<Path>& paths = candidates.between({.from = demand.from, .to = demand.to});
    // The path that is filled least has room if any has.
    const std::optional<std::uint32_t> best = loads.least_filled(paths, demand.rate);
    result.placement.choice[i] = best;
    if (best) {
      result.unfit += loads.fill(paths[*best], demand.rate).highest > 1 ? 1U : 0U;
      loads.add(paths[*best], demand.rate);
    }
  }
  return result;
}

Placement place_greedily(CandidatePaths& candidates, const std::vector<Demand>& demands) {
  std::vector<std::size_t> as_given(demands.size());
  std::iota(as_given.begin(), as_given.end(), std::size_t{0});
  return place_in_order(candidates, demands, as_given).placement;
}

}  // namespace weft::control
