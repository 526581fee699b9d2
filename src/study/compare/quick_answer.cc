#include "study/compare/quick_answer.h"

#include <algorithm>
#include <cmath>

namespace weft::study::compare {
namespace {

/// Of the step: ranks that are slower by the seed.
constexpr double kStragglers = 0.01;
/// Of operations whose flows share no links, and of those whose flows do: there, slices too short to settle, and other
/// seeds that hash flows elsewhere.
constexpr double kAlone = 0.02;
constexpr double kShared = 0.25;

}  // namespace

double quick_half_width(const report::RunFigures& run, double seconds) {
  double alone = 0;
  double shared = 0;
  for (const report::StepPart& part : run.parts.value_or(std::vector<report::StepPart>())) {
    const auto shares = [&part](const report::StepCollective& own) {
      return own.purpose == part.name && own.shares_links;
    };
    if (part.communication) {
      const bool meets = run.collectives && std::ranges::any_of(*run.collectives, shares);
      (meets ? shared : alone) += part.exposed;
    }
  }
  const double measured = run.interval.value_or(0) * seconds;
  return std::hypot(measured, kStragglers * seconds + kAlone * alone + kShared * shared);
}

}  // namespace weft::study::compare
