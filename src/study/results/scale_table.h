// How a training job scales: one row per fabric and cluster size, as text and as JSON. What `weft scale` prints.
//
// The acceleration ratio is the speed-up over one GPU that never waits, divided by the number of GPUs: computing time
// over step time. Hours are those that the extra latency adds to a job of so many steps.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "base/text_lines.h"
#include "study/results/step_rows.h"

namespace weft::study::results {

struct ScalePoint {
  std::string fabric;  // "infiniband", or the case's name
  std::int64_t gpus = 0;
  std::string refusal;  // why there is no step; else empty
  std::optional<StepRow> step;
  std::optional<Duration> slower;  // the step with the extra latency
};

struct ScaleWhatIf {
  Duration extra_latency;      // zero: not asked
  std::int64_t job_steps = 0;  // zero: not asked
};

/// Computing time over step time.
[[nodiscard]] double acceleration_ratio(const StepRow& step);
/// What the job takes longer, in hours.
[[nodiscard]] double added_hours(const ScalePoint& point, const ScaleWhatIf& question);

[[nodiscard]] std::string scale_text(std::span<const ScalePoint> points, const ScaleWhatIf& question,
                                     LineWidth width = {});
[[nodiscard]] nlohmann::ordered_json scale_json(std::span<const ScalePoint> points, const ScaleWhatIf& question);

}  // namespace weft::study::results
