// The nearest of a list of valid words: every "did you mean" comes from here.
//
// Distance is Damerau-Levenshtein in its optimal-string-alignment form: insertion, deletion, substitution and the swap
// of two neighbours cost one each, a difference of case only half, another digit two. Bytes are compared, not code
// points.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace weft {

/// The word of `valid` nearest to `word`; the first of several equally near. None when the distance is more than half
/// the length of the longer of the two, so that a suggestion always shares something with what was written.
[[nodiscard]] std::optional<std::string_view> nearest_word(std::string_view word,
                                                           std::span<const std::string_view> valid);

/// What was written where one of a list of words was expected.
struct UnknownWord {
  /// What the words name: "unit", "topology".
  std::string_view kind;
  std::string_view word;
  /// The words to suggest from.
  std::span<const std::string_view> valid;
  /// The words to list, when not all of `valid` (aliases) should be.
  std::span<const std::string_view> listed = valid;
};

/// "unknown unit 'msec'; did you mean 'ms'? one of ps, ns, us, ms, s", or without the question when nothing is near.
[[nodiscard]] Error unknown_word(const UnknownWord& unknown);

}  // namespace weft
