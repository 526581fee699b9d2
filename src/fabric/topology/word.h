// The words by which a scenario names the values of an enumeration among a topology's options.
#pragma once

#include <string_view>

namespace weft::fabric {

template <class Enum>
struct Word {
  std::string_view word;
  Enum value;
};

/// Specialised beside each such enumeration with a constexpr array `kAll` of Word<Enum>.
template <class Enum>
struct WordsOf;

}  // namespace weft::fabric
