// Settings that can be tuned, each with what to look for among: a range, from a pair of entries of the catalogue, or
// words, of an entry each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/sweep/factor.h"

namespace weft::study::tune {

struct Tunable {
  sweep::Factor factor;  // a continuous range, or levels: words, and numbers that have no range
  std::string source;    // of both ends, or of all words
};

/// The value of a factor at a coordinate from -1 to 1: levels have equal parts of the way.
[[nodiscard]] std::string value_at(const sweep::Factor& factor, double coordinate);
/// Of a factor with levels.
[[nodiscard]] std::size_t level_at(const sweep::Factor& factor, double coordinate);
/// The middle of a level's part.
[[nodiscard]] double coordinate_of(const sweep::Factor& factor, std::size_t level);

/// Of the entries `tunable_low`, `tunable_high` and `tunable_word` that serve the family. Values of 0 to 8 times are
/// even, others logarithmic; a key with one word is none. Errors: an entry of one kind without the same keys in the
/// other; an end of the wrong kind.
[[nodiscard]] Result<std::vector<Tunable>> tunables_of(const scenario::Catalogue& catalogue, scenario::Family family);

}  // namespace weft::study::tune
