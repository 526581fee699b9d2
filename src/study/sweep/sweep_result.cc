#include "study/sweep/sweep_result.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weft::study::sweep {
namespace {

/// Points that have values, with as many of their seeds as all have.
Samples samples_of(const SweepResult& result, const SweptFigure& figure) {
  Samples samples;
  for (const Factor& factor : result.design.factors) {
    samples.levels.push_back(factor.range ? 0 : factor.levels.size());
  }
  std::size_t common = std::numeric_limits<std::size_t>::max();
  for (const SeedValues& own : figure.values) {
    common = own.empty() ? common : std::min(common, own.size());
  }
  for (std::size_t i = 0; i < figure.values.size(); ++i) {
    const SeedValues& own = figure.values[i];
    if (!own.empty()) {
      samples.at.push_back(result.design.points[i].at);
      samples.values.emplace_back(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(common));
    }
  }
  samples.is_whole_grid = result.design.kind == Design::Kind::kGrid && samples.at.size() == result.design.points.size();
  return samples;
}

}  // namespace

void analyse(SweepResult& result) {
  for (SweptFigure& figure : result.figures) {
    StopRule rule = result.rule;
    rule.better = figure.measure.kind->better;
    figure.best = best_points(figure.values, rule);
    const Samples samples = samples_of(result, figure);
    if (samples.values.empty()) {
      figure.no_effects = "no point has this figure";
      continue;
    }
    Result<Effects> effects = effects_of(samples);
    if (effects) {
      figure.effects = std::move(*effects);
    } else {
      figure.no_effects = effects.error().message;
    }
  }
}

std::string place_text(const Factor& factor, double at) {
  return factor.range ? factor.range->value_at(at) : factor.levels[static_cast<std::size_t>(at)];
}

}  // namespace weft::study::sweep
