#include "study/run/start_delay.h"

#include <fmt/core.h>

#include "base/random.h"

namespace weft::study::run {

Duration start_delay(const assembly::TrafficPlan& plan, std::uint32_t rank) {
  if (plan.start_jitter == Duration::zero()) {
    return {};
  }
  RandomStream random(plan.job.seed, fmt::format("{}/{}/start", plan.job.name, plan.rank_names[rank]));
  return Duration::picoseconds(random.uniform_between({.low = 0, .high = plan.start_jitter.picoseconds()}));
}

}  // namespace weft::study::run
