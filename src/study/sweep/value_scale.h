// Values of a key as numbers on a scale: what ranges, grids and samples are made on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "study/scenario/key.h"

namespace weft::study::sweep {

/// The scale of one type of value; constant data.
struct ValueScale {
  std::string_view type;                                // as the reference names it: "duration"
  std::string_view example;                             // "500 ns"
  bool steps_of_one = false;                            // integers, and powers of two by their exponent
  Result<double> (*parse)(std::string_view) = nullptr;  // in the smallest step of the type; of probabilities, 0 to 1
  std::string (*text)(double) = nullptr;                // the nearest value that can be written, understood by `parse`
};

/// None: the key takes words, lists or several kinds of value, which a range cannot go through.
[[nodiscard]] const ValueScale* scale_of(const scenario::Key& key);

/// A number with at most four significant digits and without an exponent, which is exact where so many are enough.
[[nodiscard]] double rounded_to_four_digits(double value);

}  // namespace weft::study::sweep
