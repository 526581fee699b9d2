// What follows from a comparison's figures, as sentences that each name the figures they rest on.
#pragma once

#include <span>
#include <vector>

#include "study/compare/buyer_weights.h"
#include "study/report/comparison.h"

namespace weft::study::compare {

/// Origin is "emerges" or "catalogue". No sentence without figures behind it; where the mean of one is within the
/// confidence interval of the other, the sentence says that there is no difference.
[[nodiscard]] std::vector<report::VerdictSentence> verdict_of(std::span<const report::ComparedFabric> fabrics,
                                                              const BuyerWeights& weights);

}  // namespace weft::study::compare
