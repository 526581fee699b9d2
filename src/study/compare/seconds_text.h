// Seconds as a comparison prints them.
#pragma once

#include <string>

namespace weft::study::compare {

/// "3.910 s", "938.48 ms", "1.86 us", "12.00 ns", "0 s".
[[nodiscard]] std::string seconds_text(double seconds);

}  // namespace weft::study::compare
