// The designs that no other one is better than: the Pareto front of what a buyer looks at.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace weft::study::plan {

/// What is compared, lower is better. A figure that is not known is worse than any other.
using Criteria = std::vector<double>;

/// As good in everything, within `same` of the other's figure, and better by more than that in something.
[[nodiscard]] bool dominates(const Criteria& a, const Criteria& b, double same = 0);

/// Places in `designs`, ascending. Of those that are alike in everything, the first.
[[nodiscard]] std::vector<std::size_t> pareto_front(std::span<const Criteria> designs, double same = 0);

}  // namespace weft::study::plan
