// Colours of text on a terminal, as escape sequences (ECMA-48, SGR). A colour only repeats what the words say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

enum class Colour : std::uint8_t { kNone, kAnsi };

/// What a piece of text is, which says how it looks.
enum class Tone : std::uint8_t { kPlain, kHeading, kGood, kBad };

/// The text between the sequences of its tone; as it is if there are no colours, the tone is plain or the text empty.
/// No line breaks in it.
[[nodiscard]] std::string toned(std::string_view text, Tone tone, Colour colour);

}  // namespace weft
