// The entropy values that one flow may use: `paths` of them from `base` on.
#pragma once

#include <cstdint>

#include "base/assert.h"

namespace weft::transport {

/// base + paths <= 65,536.
struct EntropyRange {
  std::uint16_t base = 0xC000;  // first entropy value
  std::uint16_t paths = 1;      // number of values, at least 1

  [[nodiscard]] std::uint16_t at(std::uint32_t index) const {
    WEFT_DCHECK(index < paths);
    return static_cast<std::uint16_t>(base + index);
  }
  [[nodiscard]] bool contains(std::uint16_t entropy) const { return entropy >= base && entropy - base < paths; }
  /// Of an entropy that it contains.
  [[nodiscard]] std::uint32_t index_of(std::uint16_t entropy) const {
    WEFT_DCHECK(contains(entropy));
    return static_cast<std::uint32_t>(entropy - base);
  }
};

}  // namespace weft::transport
