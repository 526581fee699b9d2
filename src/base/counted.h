// Numbers with their noun, for messages: "1 run", "2 runs".
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace weft {

/// The two forms of a noun.
struct Noun {
  std::string_view one;
  std::string_view many;
};

[[nodiscard]] std::string counted(std::integral auto count, const Noun& noun) {
  return fmt::format("{} {}", count, count == 1 ? noun.one : noun.many);
}

}  // namespace weft
