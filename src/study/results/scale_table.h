// How a training job scales: one row per fabric and cluster size, as text and as JSON. What `weft scale` prints.
//
// The acceleration ratio is the speed-up over one GPU that never waits, divided by the number of GPUs: computing time
// over step time. Hours are those that the extra latency adds to a job of so many steps.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "study/results/step_rows.h"

namespace weft::study::results {

struct ScalePoint {
  std::string fabric;  // "infiniband", or the case's name
  std::int64_t gpus = 0;
  std::string level{};    // that it was run at: "packet", "composed", "flow"; empty: as the scenario says
  std::string why{};      // it was chosen; empty: it was given
  std::string refusal{};  // why there is no step; else empty
  std::optional<StepRow> step;
  std::optional<Duration> slower;  // the step with the extra latency
  Duration real_time{};            // that simulating it took, or once took
};

/// Where a curve goes on at another level: one size at both.
struct ScaleSeam {
  std::string fabric{};
  std::int64_t gpus = 0;
  std::string from{};
  std::string to{};
  Duration from_time{};
  Duration to_time{};
  /// Of the level that the curve goes on at, against the one before.
  [[nodiscard]] double difference() const { return to_time.seconds() / from_time.seconds() - 1; }
};

struct ScaleCurves {
  std::vector<ScalePoint> points{};
  std::vector<ScaleSeam> seams{};
};

struct ScaleWhatIf {
  Duration extra_latency;      // zero: not asked
  std::int64_t job_steps = 0;  // zero: not asked
  Duration budget{};           // of real time for one run, where it chose the levels; zero: none
};

/// Computing time over step time.
[[nodiscard]] double acceleration_ratio(const StepRow& step);
/// What the job takes longer, in hours.
[[nodiscard]] double added_hours(const ScalePoint& point, const ScaleWhatIf& question);

[[nodiscard]] std::string scale_text(const ScaleCurves& curves, const ScaleWhatIf& question, LineWidth width = {});
[[nodiscard]] nlohmann::ordered_json scale_json(const ScaleCurves& curves, const ScaleWhatIf& question);

}  // namespace weft::study::results
