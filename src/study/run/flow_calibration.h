// Corrections of the flow level for the devices and settings of a scenario, from small runs with packets.
//
// Streams: single messages of several sizes, on one switch and over two leaves. Queues: senders whose flows share one
// link, and short messages of a host that sends nothing else, at the same instants at both levels; what these take is
// what is fitted. Each correction is searched on a grid for the least mean square of log(flows / packets) over its
// messages, in order: the start of streams, then queues. One that does not lower the residual is left out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "flow/corrections.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

/// One of the small runs: the times of its measured messages, geometric means, in seconds.
struct CalibrationWorld {
  std::string name{};
  std::size_t messages = 0;
  double packets = 0;
  double before = 0;  // at the flow level, without corrections
  double after = 0;
};

/// One value as it was fitted. Residuals are root mean squares of log(flows / packets).
struct FittedValue {
  std::string name{};  // the key of the file
  double value = 0;    // bytes, or a factor
  double low = 0;      // values of the grid whose residual is at most a tenth above the least
  double high = 0;
};

struct FittedCorrection {
  std::string what{};  // "queues"
  bool kept = false;   // it lowers the residual
  double before = 0;   // residuals
  double after = 0;
  std::vector<FittedValue> values{};
  std::vector<CalibrationWorld> worlds{};
};

struct FlowCalibration {
  flow::Corrections corrections{};
  std::vector<FittedCorrection> fitted{};
};

/// Errors: what cannot be calibrated (overrides, what has no flow level), a run that failed, interrupted.
[[nodiscard]] Result<FlowCalibration> calibrate_flow_level(const scenario::Scenario& scenario,
                                                           const std::function<bool()>& keep_going);

}  // namespace weft::study::run
