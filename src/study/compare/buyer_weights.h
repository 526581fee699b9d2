// How much a buyer cares for speed, budget, and not having to tune, where money for the work done does not say it all.
#pragma once

#include <string>

#include "base/result.h"

namespace weft::study::compare {

/// What a buyer cares for, each weight >= 0 and, unless the name is "money", not all 0.
struct BuyerWeights {
  std::string name;  // "money": no weights, the recommendation alone; of the preset, or "own"
  double speed = 1;
  double budget = 1;
  double tuning = 1;

  [[nodiscard]] bool ranks() const { return name != "money"; }
};
/// "money", "peak-performance", "existing-ethernet", "balanced", or "speed=5,budget=2,tuning=1". Errors say what is
/// right.
[[nodiscard]] Result<BuyerWeights> parse_weights(const std::string& text);

}  // namespace weft::study::compare
