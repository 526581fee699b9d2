// Text from outside, made fit for a terminal: what a file holds must not move the cursor, change colours or titles, or
// begin a line of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

enum class LineBreaks : std::uint8_t { kReplaced, kKept };

/// The text with a question mark in place of every byte that is not part of a printable character: control characters
/// (C0, DEL and C1), what is not valid UTF-8, marks that change the direction of writing. Letters of any script stay;
/// line breaks and tabs if asked for.
[[nodiscard]] std::string terminal_text(std::string_view text, LineBreaks breaks = LineBreaks::kReplaced);

/// The same of the beginning, with "..." behind it if the text is longer than 60 bytes: for a word or a line of a file
/// inside a message.
[[nodiscard]] std::string excerpt(std::string_view text);

}  // namespace weft
