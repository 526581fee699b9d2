#include "cli/work_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/rank_session.h"
#include "cli/run_memory.h"
#include "cluster/launch.h"
#include "study/results/summary_text.h"

namespace weft::cli {
namespace {

std::size_t asked_for(const PlannedRuns& runs) {
  const std::size_t wanted = runs.jobs > 0 ? static_cast<std::size_t>(runs.jobs) : usable_cores();
  return std::max<std::size_t>(std::min(wanted, runs.hops.size()), 1);
}

/// So much work is over in seconds: measuring would take as long.
bool is_little(const PlannedRuns& runs) {
  constexpr double kLittle = 10e6;  // packet-hops
  double hops = 0;
  for (const study::run::HopsEstimate& run : runs.hops) {
    hops += run.most;
  }
  return hops < kLittle;
}

/// Whether building the network once more for a measurement would take seconds. Of composed steps other runs come
/// first, and ranks that share a run are as many times as fast.
bool measures_itself(const PlannedRuns& runs) {
  constexpr std::uint32_t kLarge = 4'096;  // endpoints
  return runs.graph != nullptr && runs.hops.size() == 1 && working_ranks() == 1 &&
         runs.example->fidelity != study::scenario::Fidelity::kFlow && runs.graph->endpoints > kLarge;
}

/// ", about 2.1 GiB of memory"
std::string memory_text(const std::optional<MemoryNeed>& memory) {
  return memory ? fmt::format(", about {} of memory",
                              study::results::short_text(Bytes(static_cast<std::int64_t>(memory->estimated))))
                : std::string();
}

}  // namespace

WorkPlan plan_runs(const PlannedRuns& runs) {
  std::size_t at_once = asked_for(runs);
  if (runs.example == nullptr || is_little(runs)) {
    return {.at_once = at_once, .progress = WorkProgress(runs.hops, 0)};
  }
  const bool is_silent = runs.quiet || serves_ranks();
  if (is_silent && at_once == 1) {
    return {.at_once = at_once, .progress = WorkProgress(runs.hops, 0)};
  }
  const std::optional<MemoryNeed> memory =
      runs.graph != nullptr ? memory_need(*runs.example, *runs.graph) : memory_need(*runs.example);
  if (memory && memory->estimated > 0) {
    const std::uint64_t available = memory->available / (working_ranks() > 1 ? cluster::launch().local_ranks : 1);
    const std::size_t fit = std::max<std::size_t>(available / memory->estimated, 1);
    if (fit < at_once) {
      fmt::print(stderr, "no more than {} at once: memory has no room for {}\n", fit, at_once);
      at_once = fit;
    }
  }
  if (is_silent) {
    return {.at_once = at_once, .progress = WorkProgress(runs.hops, 0)};
  }
  if (measures_itself(runs)) {
    fmt::print(stderr, "one run to simulate{}; how long it takes is said when it has begun\n", memory_text(memory));
    return {.at_once = 1, .progress = WorkProgress(runs.hops, 0), .need = memory, .measures_itself = true};
  }
  const MachineSpeed speed = measure_speed(*runs.example);
  if (speed.hops_per_second <= 0) {
    return {.at_once = at_once, .progress = WorkProgress(runs.hops, 0), .need = memory};
  }
  // Other ranks are taken to be like this one.
  const std::size_t ranks = runs.hops.size() == 1 ? 1 : working_ranks();
  const WorkTime time = work_time(runs.hops, speed, {.at_once = at_once * ranks, .cores = usable_cores() * ranks});
  fmt::print(stderr, "{} to simulate, {} at once{}: {}{}\n",
             runs.hops.size() == 1 ? "one run" : fmt::format("{} runs", runs.hops.size()), at_once,
             ranks > 1 ? fmt::format(" on each of {} ranks", ranks) : "", work_time_text(time),
             memory_text(memory) + (memory && runs.hops.size() > 1 ? " each" : ""));
  return {.at_once = at_once, .progress = WorkProgress(runs.hops, (time.least + time.most) / 2), .need = memory};
}

}  // namespace weft::cli
