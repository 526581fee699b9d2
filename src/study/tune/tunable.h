// Settings that can be tuned, each with the range in which to look for it: pairs of entries of the catalogue.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/sweep/factor.h"

namespace weft::study::tune {

struct Tunable {
  sweep::Factor factor;  // a continuous range
  std::string source;    // of both ends
};

/// Of the entries `tunable_low` and `tunable_high` that serve the family. Values of 0 to 8 times are even, others
/// logarithmic. Errors: an entry of one kind without the same keys in the other; an end of the wrong kind.
[[nodiscard]] Result<std::vector<Tunable>> tunables_of(const scenario::Catalogue& catalogue, scenario::Family family);

}  // namespace weft::study::tune
