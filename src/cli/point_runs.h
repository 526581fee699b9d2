// Runs of one scenario at points: its settings and case changed, each under some seeds; the figures of every run.
//
// What `weft sweep` and `weft tune` have in common. Under mpirun rank 0 decides what to run next and says so to the
// others, which serve it; results do not depend on where or in which order points run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/case_pool.h"
#include "cli/level_option.h"
#include "cli/scenario_options.h"
#include "study/scenario/catalogue.h"
#include "study/sweep/measure.h"

namespace weft::cli {

struct RunPoint {
  std::string name;                   // of the run, in results and in progress
  std::string case_name{};            // empty: none
  std::vector<std::string> settings;  // "key=value", stronger than those of the command line
  enum class Length : std::uint8_t {
    kWhole,
    kShort,  // composed steps from shorter slices (study/compare/comparison_plan.h)
  } length = Length::kWhole;
  std::string failed_port{};  // whose cable is broken from the beginning, as routes know; empty: none
};

/// One run: a point, and how many seeds behind the first.
struct PointSeed {
  std::size_t point = 0;
  std::size_t seed = 0;
};

struct PointFigures {
  /// One for each measure; none: the run has no such figure.
  std::vector<std::optional<double>> values{};
  std::string reason{};  // why the first measure has none; else empty
  std::string level{};   // of fidelity
};

class PointRuns {
 public:
  struct Options {
    ScenarioText scenario;  // with the settings of the command line
    std::vector<study::sweep::Measure> measures;
    LevelChooser* levels = nullptr;  // null, or off: as the scenario says
    bool add_chance = true;          // study/compare/comparison_plan.h
    std::int64_t first_seed = 1;     // of all points, whatever a case says
    /// Takes the results of each run, in whatever order. Its error ends the runs.
    std::function<Result<void>(const study::results::RunResults&)> keep{};
  };
  /// The pool, the catalogue and the levels must outlive it.
  PointRuns(Options options, CasePool& pool, const study::scenario::Catalogue& catalogue)
      : options_(std::move(options)), pool_(pool), catalogue_(catalogue) {}

  /// The number of a point, which may be there already under another name.
  std::size_t add(RunPoint point);
  /// The scenario of a point under the first seed. Errors: why there is none.
  [[nodiscard]] const Result<study::scenario::Scenario>& scenario_of(std::size_t point);

  /// In the order of `runs`; none where an interrupt came first. A point without a scenario has its error as reason.
  /// Errors: those of the pool and of `keep`.
  [[nodiscard]] Result<std::vector<std::optional<PointFigures>>> run(const std::vector<PointSeed>& runs);

  /// On a rank that serves rank 0: takes part in its runs, until there are no more. `command` is for messages.
  void serve(const char* command);

  /// That were made or found in the cache.
  [[nodiscard]] std::size_t done() const { return done_; }

 private:
  struct Known {
    RunPoint point;
    std::string level{};    // empty: as the scenario says
    bool is_first = false;  // of all: under its first seed, what the level is off by is measured
    std::optional<Result<study::scenario::Scenario>> scenario{};
  };
  [[nodiscard]] Result<study::scenario::Scenario> load(Known& known);
  [[nodiscard]] std::string order_of(const std::vector<PointSeed>& runs) const;
  [[nodiscard]] PointFigures figures_of(const study::results::RunResults& results,
                                        const study::scenario::Scenario& scenario) const;

  Options options_;
  CasePool& pool_;
  const study::scenario::Catalogue& catalogue_;
  std::vector<Known> points_;
  std::map<std::string, std::size_t> by_settings_;
  std::size_t done_ = 0;
};

}  // namespace weft::cli
