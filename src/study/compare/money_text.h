// Money as a comparison prints it.
#pragma once

#include <string>

namespace weft::study::compare {

/// Three digits at least: "3.41 M USD", "12,300 USD", "412 USD", "4.12 USD", "0.412 USD", "0.00412 USD".
[[nodiscard]] std::string money_text(double usd);

}  // namespace weft::study::compare
