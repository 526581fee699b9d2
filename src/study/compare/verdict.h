// What follows from a comparison's figures, as sentences that each name the figures they rest on.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "study/compare/buyer_weights.h"

namespace weft::study::compare {

/// [{"text", "evidence", "origin", "weights"}]; origin is "emerges" or "catalogue". No sentence without figures behind
/// it; where confidence intervals overlap, the sentence says that there is no difference.
[[nodiscard]] nlohmann::ordered_json verdict_of(const nlohmann::ordered_json& fabrics, const BuyerWeights& weights);

}  // namespace weft::study::compare
