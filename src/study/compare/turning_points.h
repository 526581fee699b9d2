// What would turn a recommendation round: prices, shares and sizes at which another fabric costs as little, solved for.
#pragma once

#include <span>
#include <vector>

#include "study/compare/estimate.h"
#include "study/report/comparison.h"

namespace weft::study::compare {

/// A possible fabric with what its work costs.
struct CostedFabric {
  report::ComparedFabric* fabric = nullptr;
  double usd_per_second = 0;  // for a unit of work, by each second of its step; > 0
  Estimate known;             // its own step time
  double step = 0;            // that counts: one for all whose steps do not differ
  std::size_t group = 0;      // equal for fabrics whose steps do not differ

  [[nodiscard]] double cost() const { return usd_per_second * step; }
};

/// `ranked` by cost, of which the first `tied` cost the same. Of the first that does not, and of the first of another
/// family: for each
///  - the price of the first's network, and of the other's, at which both cost the same;
///  - the price of a GPU;
///  - the share of exposed communication in the first's step, all of it growing alike;
///  - the probability that a setting is wrong, the same for each setting of both, where losses were measured;
///  - the size, where other sizes were run: between which two the order changes.
/// What no positive value reaches, or only a change beyond tenfold, is left out.
[[nodiscard]] std::vector<report::TurningPoint> turning_points_of(std::span<const CostedFabric> ranked,
                                                                  std::size_t tied);

}  // namespace weft::study::compare
