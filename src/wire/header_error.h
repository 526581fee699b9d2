// Errors that every header's parser shares.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace weft::wire {

/// What a header needs and what there is.
struct HeaderLength {
  std::size_t needed = 0;
  std::size_t found = 0;
};

/// "BTH needs 12 bytes, found 7".
[[nodiscard]] inline tl::unexpected<Error> too_short(std::string_view header, HeaderLength length) {
  return fail("{} needs {} bytes, found {}", header, length.needed, length.found);
}

}  // namespace weft::wire
