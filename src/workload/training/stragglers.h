// Ranks that compute more slowly than others: a stretch of compute time, drawn once per rank and step.
//
// The draw is f(seed, job's name, rank, step) alone, so that neither other jobs nor the network change it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/probability.h"
#include "base/result.h"
#include "base/time.h"
#include "workload/rank.h"
#include "workload/training/slow_spans.h"

namespace weft::workload {

/// Added compute time in millionths of the time itself.
struct Slowdown {
  std::int64_t millionths = 0;
  friend auto operator<=>(const Slowdown&, const Slowdown&) = default;
};

struct NoStragglers {};
/// Each rank is slow in a step with this probability, by this much.
struct SometimesSlow {
  Probability probability{};
  Slowdown slowdown{};
};
struct UniformlySlow {
  Slowdown most{};
};
struct ExponentiallySlow {
  Slowdown mean{};
};
using StragglerDistribution = std::variant<NoStragglers, SometimesSlow, UniformlySlow, ExponentiallySlow>;

/// Errors: a slowdown below 0 or above a hundredfold.
[[nodiscard]] Result<void> check_stragglers(const StragglerDistribution& distribution);

class Stragglers {
 public:
  Stragglers(const StragglerDistribution& distribution, const JobOptions& job, RankId rank);
  /// Of a rank that stands for all of these, as slow in each step as the slowest of them; at least one.
  Stragglers(const StragglerDistribution& distribution, const JobOptions& job, std::span<const RankId> ranks);

  [[nodiscard]] Slowdown of_step(std::uint32_t step) const;
  /// A compute time of this rank in a step, stretched and rounded down to a picosecond.
  [[nodiscard]] Duration stretch(Duration time, std::uint32_t step);
  /// The same of what begins at `now`, through the times at which its GPU is slow.
  [[nodiscard]] Duration stretch(Duration time, std::uint32_t step, Time now) {
    const Duration own = stretch(time, step);
    return slow_.empty() ? own : slow_.stretch(own, now);
  }
  /// None, unless this is called.
  void set_slow(SlowSpans slow) { slow_ = std::move(slow); }

 private:
  StragglerDistribution distribution_;
  std::uint64_t seed_;
  std::vector<std::string> names_;  // one for each rank; none where nobody is slow
  std::uint32_t step_ = 0;          // that `slowdown_` is of
  Slowdown slowdown_{};
  SlowSpans slow_;
};

}  // namespace weft::workload
