#include "base/printable.h"

#include <cstdint>

namespace weft {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not valid UTF-8
};

/// The character that `text`, which is not empty, begins with. Source: RFC 3629.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) {
    return {.code = lead, .bytes = 1};
  }
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || size > text.size()) {
    return {};
  }
  std::uint32_t code = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) {
      return {};
    }
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[size] || code > 0x10FFFF || surrogate ? Character{} : Character{.code = code, .bytes = size};
}

bool is_printable(std::uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool line = code == 0x2028 || code == 0x2029;
  const bool direction = code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                         (code >= 0x2066 && code <= 0x2069) || code == 0x061C;
  return !control && !line && !direction && code != 0xFEFF;
}

}  // namespace

std::string terminal_text(std::string_view text, LineBreaks breaks) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    const bool breaks_line = character.code == '\n' || character.code == '\t';
    const bool keeps =
        character.bytes != 0 && (is_printable(character.code) || (breaks_line && breaks == LineBreaks::kKept));
    if (keeps) {
      shown += text.substr(0, bytes);
    } else {
      shown += '?';
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? terminal_text(text) : terminal_text(text.substr(0, kMost)) + "...";
}

}  // namespace weft
