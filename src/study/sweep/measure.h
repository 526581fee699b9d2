// What a sweep measures of each run: one figure, with its unit and which way is better. A figure that a run does not
// have (no message ended, no step) is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/results/results.h"
#include "study/results/summary.h"
#include "study/scenario/scenario.h"
#include "study/sweep/stopping.h"

namespace weft::study::sweep {

enum class Unit : std::uint8_t { kSeconds, kBitsPerSecond, kBytesPerSecond, kBytes, kCount, kRatio };

/// One run, as figures see it.
struct MeasuredRun {
  const results::RunResults& results;
  const results::Summary& summary;
  const scenario::Scenario& scenario;
  std::optional<std::size_t> job{};  // of `results.jobs`; none: all of them
};

/// Constant data.
struct MeasureKind {
  std::string_view name;
  std::string_view about;
  Unit unit = Unit::kSeconds;
  Better better = Better::kLower;
  std::optional<double> (*of)(const MeasuredRun& run) = nullptr;
};
[[nodiscard]] std::span<const MeasureKind> measure_kinds();

/// "fct-p99", or "fct-p99@incast" of the job or traffic of that name alone.
struct Measure {
  const MeasureKind* kind = nullptr;
  std::string job{};  // empty: all
  [[nodiscard]] std::string name() const { return std::string(kind->name) + (job.empty() ? "" : "@" + job); }
};

/// Errors: no such figure, with the nearest.
[[nodiscard]] Result<Measure> parse_measure(std::string_view text);
/// What a scenario is run for: a step, a collective operation, or else the slowest hundredth of the flows.
[[nodiscard]] Measure usual_measure(const scenario::Scenario& scenario);

/// Errors: why no run of the scenario can have such a figure: nothing in it takes steps or is a collective operation,
/// no job or traffic has that name, no queue is sampled. What is seen in a run alone is no error here.
[[nodiscard]] Result<void> check_measure(const Measure& measure, const scenario::Scenario& scenario);

/// Errors: why the run has no such figure; what went wrong in it.
[[nodiscard]] Result<double> measure_run(const Measure& measure, const results::RunResults& results,
                                         const results::Summary& summary, const scenario::Scenario& scenario);

/// Four significant digits with the unit: "12.35 us", "391 GB/s", "0.97".
[[nodiscard]] std::string value_text(Unit unit, double value);
/// "1 ms", "400 Gbps", "1 MB", "50 GB/s", "0.99". Errors: another unit.
[[nodiscard]] Result<double> parse_value(Unit unit, std::string_view text);
/// In JSON and CSV: "s", "bit/s", "bytes/s", "bytes", "".
[[nodiscard]] std::string_view unit_name(Unit unit);

/// How far a run's figure is off by what it left out: "packet", "composed, off by -0.8 %", "flow, off by 2.1 %".
[[nodiscard]] std::string fidelity_of(const results::RunResults& results);

}  // namespace weft::study::sweep
