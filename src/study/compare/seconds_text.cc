#include "study/compare/seconds_text.h"

#include <fmt/core.h>

namespace weft::study::compare {

std::string seconds_text(double seconds) {
  return seconds == 0      ? "0 s"
         : seconds >= 1    ? fmt::format("{:.3f} s", seconds)
         : seconds >= 1e-3 ? fmt::format("{:.2f} ms", seconds * 1e3)
         : seconds >= 1e-6 ? fmt::format("{:.2f} us", seconds * 1e6)
                           : fmt::format("{:.2f} ns", seconds * 1e9);
}

}  // namespace weft::study::compare
