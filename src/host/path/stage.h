// Stages of the way through a host: what each adds to a message, and how well its value is known.
//
// A stage is a fixed delay and a rate for the bytes that pass it; which shared resource it occupies is its path's
// affair. `StageTimes` is one message's way as a list that a report prints: its parts add up to the whole exactly.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::host {

/// Confidence in a stage's value, best first; the last five as in the catalogue, or given by the scenario.
enum class Confidence : std::uint8_t { kEmerges, kGiven, kSpecified, kMeasured, kCalibrated, kGuess };
[[nodiscard]] std::string_view to_string(Confidence mark);
/// Confidence of a sum: that of its weakest part.
[[nodiscard]] constexpr Confidence weaker(Confidence a, Confidence b) { return a < b ? b : a; }

struct Stage {
  Duration latency{};
  Rate rate = Rate::max();  // max(): the bytes cost nothing
  Confidence mark = Confidence::kGiven;

  [[nodiscard]] Duration time(Bytes size) const {
    return rate == Rate::max() ? latency : latency + rate.transmit_time(size);
  }
};

struct StageTime {
  std::string_view name;  // of static storage
  Duration time{};
  Confidence mark = Confidence::kEmerges;

  friend bool operator==(const StageTime&, const StageTime&) = default;
};

/// The stages of one message in the order of its way.
class StageTimes {
 public:
  /// A stage without time is left out.
  void add(const StageTime& stage) {
    if (stage.time != Duration::zero()) {
      stages_.push_back(stage);
    }
  }
  void add(const StageTimes& others) { stages_.insert(stages_.end(), others.stages_.begin(), others.stages_.end()); }

  [[nodiscard]] const std::vector<StageTime>& stages() const { return stages_; }
  [[nodiscard]] Duration sum() const;
  /// Of that name, zero if there is none; for tests.
  [[nodiscard]] Duration time_of(std::string_view name) const;

 private:
  std::vector<StageTime> stages_;
};

}  // namespace weft::host
