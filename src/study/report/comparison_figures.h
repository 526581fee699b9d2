// The figures and texts of a comparison under names that mean the same in every comparison.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/report/comparison.h"

namespace weft::study::report {

struct Figure {
  std::string name;  // "fct_us.p99", "bill[switch Spectrum-4].count"
  double value = 0;
  std::optional<double> low;  // 95 % confidence interval: "step_time_low_s" of "step_time_s"
  std::optional<double> high;
};

/// Every figure of a fabric but those of curves, timelines, samples and seeds.
[[nodiscard]] std::vector<Figure> figures_of(const ComparedFabric& fabric);

[[nodiscard]] bool is_step_time(std::string_view name);
/// Whether the figure is the step time in another unit, so that its interval holds for it too.
[[nodiscard]] bool follows_step_time(std::string_view name);

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// The settings of a fabric: its resolved scenario, or else the list of those to get right. Names that come several
/// times are numbered from the second.
[[nodiscard]] NamedTexts setting_texts(const ComparedFabric& fabric);
/// What both fabrics and figures depend on: seed, hardware, topology, job, version.
[[nodiscard]] NamedTexts scenario_texts(const Comparison& comparison);
/// The rows that buyers compare, and whether the fabric is possible.
[[nodiscard]] NamedTexts row_texts(const ComparedFabric& fabric);
/// The verdict's sentences, with the evidence.
[[nodiscard]] NamedTexts verdict_texts(const Comparison& comparison);

}  // namespace weft::study::report
