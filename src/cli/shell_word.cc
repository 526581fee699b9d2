#include "cli/shell_word.h"

#include <algorithm>

namespace weft::cli {

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "_./:=,+-@%";
  const bool plain = !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  });
  if (plain) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) {
    word += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return word + "'";
}

}  // namespace weft::cli
