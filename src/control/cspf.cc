#include "control/cspf.h"

namespace weft::control {

OrderedResult place_cspf(CandidatePaths& candidates, const std::vector<Demand>& demands) {
  return place_in_order(candidates, demands, largest_first(demands));
}

}  // namespace weft::control
