// The rows that buyers compare first: one text per fabric and question, each with where it is from.
#pragma once

#include <vector>

#include "study/report/comparison.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// Origin is "emerges", "catalogue" or "not measured". `fabric` has its figures already. The row of its primary
/// strength is there, and filled in by add_primary_strengths.
[[nodiscard]] std::vector<report::BuyerRow> buyer_rows(const report::ComparedFabric& fabric,
                                                       const scenario::Scenario& scenario,
                                                       const scenario::Catalogue& catalogue);

/// What each fabric is best at among those compared; a tie is nobody's strength.
void add_primary_strengths(std::vector<report::ComparedFabric>& fabrics);

}  // namespace weft::study::compare
