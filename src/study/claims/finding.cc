#include "study/claims/finding.h"

namespace weft::study::claims {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kHoldsWhen:
      return "holds when";
    case Verdict::kDoesNotHold:
      return "does not hold";
    case Verdict::kNotMeasured:
      break;
  }
  return "not measured yet";
}

std::string_view to_string(FigureOrigin origin) {
  return origin == FigureOrigin::kEmerges ? "emerges" : "from the catalogue";
}

}  // namespace weft::study::claims
