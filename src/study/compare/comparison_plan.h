// What a comparison runs: tasks that do not depend on one another, each a few simulations of one fabric.
//
// The list follows from the scenarios and the options alone, so that a comparison that was interrupted finds what it
// has done by the tasks' keys.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/compare/fabric_choice.h"
#include "study/run/level_choice.h"
#include "study/run/run_estimate.h"
#include "study/scenario/catalogue.h"

namespace weft::study::compare {

enum class TaskKind : std::uint8_t {
  kJob,               // the job itself, under one seed
  kSlice,             // the job with shorter slices: what ablations and misconfigurations are measured against
  kAblation,          // the slice without some causes of lost time
  kMisconfiguration,  // the slice with one mistake
  kSmallMessages,
  kFault,
  kFailures,
};

struct ComparisonTask {
  TaskKind kind = TaskKind::kJob;
  std::size_t fabric = 0;  // its place in the comparison
  std::string name{};      // for progress: "rocev2, ECMP polarised"
  std::string label{};     // the cause or the mistake; empty for others
  std::string change{};    // of a mistake
  std::string of{};        // and what is set wrongly; empty: two at once, or a fault
  bool fault = false;      // a link is broken, in place of a mistake or beside it
  std::int64_t gpus = 0;   // of another size of the cluster; 0: the scenario's own
  scenario::Scenario scenario{};
  bool detailed = false;     // samples, timeline, distributions and the check of composition too
  run::HopsEstimate hops{};  // how much work it will be; zeros: not known
  std::string key{};         // 16 hexadecimal digits: equal for tasks that give equal figures
};

/// One fabric before anything has run.
struct PlannedFabric {
  FabricChoice choice;
  scenario::Scenario scenario;  // with the first seed, if it is possible
  std::string reason;           // why it is not; else empty
};

struct ComparisonOptions {
  std::int64_t seeds = 3;             // >= 1; the first is the scenario's, the others follow it
  bool risk = true;                   // tuning risk
  bool explain = true;                // ablations
  bool failures = false;              // goodput of a month among failures (study/compare/failure_study.h)
  std::vector<std::int64_t> sizes{};  // other clusters to run the job and measure tuning risk on, in GPUs
  bool quick = false;                 // a first answer: step times alone, of short slices and the first seed
  /// The level of the job's own runs, on a cluster of this size (study/run/level_choice.h); empty: as the scenario
  /// says. Asked once for each size. At the flow level there are only these.
  std::function<Result<run::LevelChoice>(const scenario::Scenario&)> level{};
  std::string build;  // what else a key depends on: version and build of the program
};

struct ComparisonPlan {
  std::vector<PlannedFabric> fabrics;
  std::vector<ComparisonTask> tasks;  // those of one fabric in their order, each fabric's first before any second
  bool quick = false;
  std::map<std::int64_t, run::LevelChoice>
      levels{};  // by size in GPUs, 0: the scenario's own; empty: none was asked for
};

/// Ranks of a job whose stragglers are none compute up to so much more slowly in a comparison, drawn from the seed: no
/// two GPUs are quite alike, and without it all seeds give one step time. Not measured: an assumption, printed with the
/// result.
inline constexpr workload::Slowdown kUsualStragglers{.millionths = 10'000};

/// Participants of traffic that all start at one instant begin up to so much later in a comparison, drawn likewise; an
/// assumption too.
inline constexpr Duration kUsualStartJitter = Duration::microseconds(1);

/// Gives a scenario without either of them both, so that its seeds differ.
void add_chance(scenario::Scenario& scenario);

/// For many runs of one job: shorter probes and fewer packet-hops of composed steps, and no samples.
[[nodiscard]] scenario::Scenario with_shorter_slices(scenario::Scenario scenario);

/// Why a fabric cannot serve the scenario.
struct Refusal {
  std::string fabric;
  std::string reason;
};
/// In one line: each reason once, with the fabrics that have it unless all do.
[[nodiscard]] Error no_fabric_serves(std::span<const Refusal> refusals);

/// A fabric that cannot serve the scenario has a reason and no tasks. Errors: those that are not a fabric's own, such
/// as a file that cannot be read, or no fabric that can serve the scenario.
[[nodiscard]] Result<ComparisonPlan> plan_comparison(std::span<const FabricChoice> choices,
                                                     const scenario::ScenarioRequest& request,
                                                     const scenario::Catalogue& catalogue,
                                                     const ComparisonOptions& options);

}  // namespace weft::study::compare
