// What the runs of a claim's scenario say of it: a verdict, and the figures that it was computed from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::study::claims {

enum class Verdict : std::uint8_t { kHolds, kHoldsWhen, kDoesNotHold, kNotMeasured };
/// "holds", "holds when", "does not hold", "not measured yet".
[[nodiscard]] std::string_view to_string(Verdict verdict);

/// Whether a figure follows from the protocols on equal hardware, or from a constant of a device or of software.
enum class FigureOrigin : std::uint8_t { kEmerges, kCatalogue };
/// "emerges", "from the catalogue".
[[nodiscard]] std::string_view to_string(FigureOrigin origin);

struct Figure {
  std::string name;
  double value = 0;
  std::string unit;  // empty: a ratio or a count
};

struct Finding {
  Verdict verdict = Verdict::kNotMeasured;
  std::string condition{};  // ends "holds when ..."; of kNotMeasured, why; else empty
  FigureOrigin origin = FigureOrigin::kEmerges;
  std::string figure{};           // a few words with units, for a table
  std::string text{};             // a short paragraph: figures, conditions, the threshold of the verdict
  std::vector<Figure> figures{};  // that the verdict was computed from
};

}  // namespace weft::study::claims
