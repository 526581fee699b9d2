#include "study/compare/bill_marks.h"

#include <algorithm>

namespace weft::study::compare {

bool has_indicative_price(const report::ComparedFabric& fabric) {
  return !fabric.bill || std::ranges::any_of(*fabric.bill, [](const report::BillLine& line) {
    return !line.owned && (line.price_usd > 0 || line.unit_price_usd > 0) && line.mark != "given" &&
           line.mark != "not known";
  });
}

}  // namespace weft::study::compare
