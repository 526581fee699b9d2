#include "base/text_style.h"

namespace weft {
namespace {

std::string_view sequence_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      break;
    case Tone::kHeading:
      return "\033[1m";
    case Tone::kGood:
      return "\033[32m";
    case Tone::kBad:
      return "\033[31m";
  }
  return "";
}

}  // namespace

std::string toned(std::string_view text, Tone tone, Colour colour) {
  if (colour == Colour::kNone || tone == Tone::kPlain || text.empty()) {
    return std::string(text);
  }
  return std::string(sequence_of(tone)) + std::string(text) + "\033[0m";
}

}  // namespace weft
