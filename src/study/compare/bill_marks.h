// Which lines of a bill have a price of the catalogue.
#pragma once

#include "study/report/comparison.h"

namespace weft::study::compare {

/// A price of the catalogue, which is indicative, is in the sum of what is to be bought; not where the scenario gives
/// all of them, or nothing has to be bought. A bill that is not known may have some.
[[nodiscard]] bool has_indicative_price(const report::ComparedFabric& fabric);

/// " (indicative)" behind its price, or nothing.
[[nodiscard]] inline const char* indicative_mark(const report::ComparedFabric& fabric) {
  return has_indicative_price(fabric) ? " (indicative)" : "";
}

}  // namespace weft::study::compare
