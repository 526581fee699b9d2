// Walking through the bits of a small set.
#pragma once

#include <bit>
#include <cstdint>

namespace weft {

/// Calls `function(index)` for each bit that is set, lowest first.
template <class Function>
constexpr void for_each_bit(std::uint32_t bits, Function function) {
  for (; bits != 0; bits &= bits - 1) {
    function(static_cast<std::uint32_t>(std::countr_zero(bits)));
  }
}

}  // namespace weft
