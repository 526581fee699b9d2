// Small rules that several claims share.
#pragma once

#include <cmath>

#include "study/claims/finding.h"

namespace weft::study::claims {

/// What it is if it holds; else it does not.
[[nodiscard]] inline Verdict by(bool holds, Verdict if_it_holds = Verdict::kHolds) {
  return holds ? if_it_holds : Verdict::kDoesNotHold;
}

/// A difference between two families, with equal hardware and as sold.
struct Difference {
  double equal = 0;
  double as_sold = 0;
};
/// It emerges if at least half of it is left on equal hardware.
[[nodiscard]] inline FigureOrigin origin_of(const Difference& difference) {
  return std::abs(difference.equal) * 2 >= std::abs(difference.as_sold) ? FigureOrigin::kEmerges
                                                                        : FigureOrigin::kCatalogue;
}

}  // namespace weft::study::claims
