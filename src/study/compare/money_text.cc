#include "study/compare/money_text.h"

#include <fmt/core.h>

#include <cmath>

namespace weft::study::compare {

std::string money_text(double usd) {
  const double size = std::abs(usd);
  if (size >= 1e6) {
    return fmt::format("{:.2f} M USD", usd / 1e6);
  }
  if (size >= 1e4) {
    const auto whole = std::llround(usd);
    return fmt::format("{}{},{:03} USD", whole < 0 ? "-" : "", std::llabs(whole) / 1000, std::llabs(whole) % 1000);
  }
  return size >= 100 ? fmt::format("{:.0f} USD", usd)
         : size >= 1 ? fmt::format("{:.{}f} USD", usd, size >= 10 ? 1 : 2)
                     : fmt::format("{:#.3g} USD", usd);
}

}  // namespace weft::study::compare
