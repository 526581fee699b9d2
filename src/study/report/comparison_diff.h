// What differs between two comparisons: settings, every figure, and what is said in words.
//
// Fabrics are matched by name. Figures are single numbers and those of lists whose rows have names (parts, causes,
// bill); curves, timelines and samples are not compared. A figure with confidence intervals in both, or a follower of
// one, that overlap has no difference, or an unknown one where an interval says little (interval.h). Of one interval
// alone the other's figure must lie outside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "study/report/comparison.h"

namespace weft::study::report {

/// Two texts in the place that `name` says.
struct TextDifference {
  std::string fabric;  // empty: of all
  std::string name;    // "dcqcn.rate_increase", "Primary strength"
  std::optional<std::string> a;
  std::optional<std::string> b;
};

/// kNotKnown: intervals overlap, and one of them is so wide, or reaches up so far, that this says nothing.
enum class FigureVerdict : std::uint8_t { kDiffers, kWithinInterval, kNotKnown, kOnlyInA, kOnlyInB };
/// "differs", "none: within the confidence interval", "not known: ...", "only in A", "only in B".
[[nodiscard]] std::string_view to_string(FigureVerdict verdict);

struct FigureDifference {
  std::string fabric;
  std::string name;  // "fct_us.p99", "lost_time[headers].s"
  std::optional<double> a;
  std::optional<double> b;
  std::optional<double> change;  // (b - a) / |a|; none where a is 0 or one is absent
  FigureVerdict verdict = FigureVerdict::kDiffers;
};

/// A figure that decides, of one fabric of both comparisons.
struct HeadlineFigure {
  std::string label;  // "step time"
  std::string fabric;
  std::optional<double> a;
  std::optional<double> b;
  std::optional<double> change;          // (b - a) / |a|
  std::optional<FigureVerdict> verdict;  // none: equal, or in neither
};

struct ComparisonDiff {
  std::vector<HeadlineFigure> headline;  // five labels at most, for each fabric of both; label by label
  std::vector<std::string> only_in_a;    // fabrics
  std::vector<std::string> only_in_b;
  std::vector<TextDifference> settings;
  std::vector<TextDifference> statements;  // rows of the table, reasons, verdict
  std::vector<FigureDifference> figures;   // real ones by size of their change, then those that are none
  std::size_t same = 0;                    // figures that are equal
};

struct ComparedDocuments {
  const Comparison& a;
  const Comparison& b;
};
[[nodiscard]] ComparisonDiff diff_comparisons(const ComparedDocuments& documents);

/// Aligned columns, one difference a line.
[[nodiscard]] std::string diff_text(const ComparisonDiff& diff, LineWidth width = {});

}  // namespace weft::study::report
