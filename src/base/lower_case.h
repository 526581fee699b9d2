// Words compared whatever their case.
#pragma once

#include <string>
#include <string_view>

namespace weft {

/// ASCII letters in lower case; everything else, UTF-8 too, as it is.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string made(text);
  for (char& c : made) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return made;
}

}  // namespace weft
