// The search of `weft tune`: a sample of all keys, a global and a local search of those that matter, then runs with
// more seeds of the best, of their neighbours, and of mistakes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/point_runs.h"
#include "study/tune/tune_result.h"

namespace weft::cli {

struct TuneOptions {
  std::string case_name;   // of the scenario; empty: none
  std::size_t runs = 300;  // of the search
  std::size_t seeds = 5;   // of the answer and of the scenario as it is
  std::uint64_t draw = 1;  // seed of the sample
  std::string cable{};     // a port whose cable may break, and the answer must do; empty: none
  std::function<void(const std::string&)> tell = [](const std::string&) {};  // what is done next
};

/// `result` has keys, measure and limits; all else is filled in. After an interrupt it has what is known. Errors: those
/// of runs; no point that can be run.
class TuneRun {
 public:
  TuneRun(TuneOptions options, PointRuns& runs, study::tune::TuneResult& result)
      : options_(std::move(options)), runs_(runs), result_(result) {}
  [[nodiscard]] Result<void> run();
  /// Of the search and of what follows it; those that are the same are run once.
  [[nodiscard]] std::size_t most_runs() const;

 private:
  /// A coordinate from -1 to 1 for each key; none: the scenario as it is.
  using Place = std::vector<double>;
  struct Tried {
    std::optional<Place> place{};
    std::size_t number = 0;  // of the point
    study::sweep::SeedValues values{};
    std::vector<study::sweep::SeedValues> limits{};  // of each limit's figure
    std::string reason{};
  };
  struct Wish {
    std::optional<Place> place{};
    RunPoint::Length length = RunPoint::Length::kWhole;
    std::size_t seeds = 1;
    bool is_broken = false;  // the cable
  };

  [[nodiscard]] std::vector<std::string> settings_of(const Place& place) const;
  /// All that is known of each point, with as many seeds as wished for at least.
  [[nodiscard]] Result<std::vector<const Tried*>> try_all(const std::vector<Wish>& wishes);
  /// Lower is better; a limit that is not kept, or a point that cannot be run, is worse than all else.
  [[nodiscard]] double score(const Tried& tried) const;
  [[nodiscard]] bool keeps_limits(const Tried& tried) const;
  [[nodiscard]] std::vector<double> sampled(const Place& place) const;
  [[nodiscard]] Result<void> sample();
  [[nodiscard]] bool is_nothing() const;
  [[nodiscard]] Result<void> refine();
  [[nodiscard]] Result<void> settle();
  [[nodiscard]] Result<double> with_neighbours(const Place& place);
  [[nodiscard]] Result<void> mistakes();
  void conclude(const Tried& start, const Tried& best);
  [[nodiscard]] Result<void> with_broken_cable();
  [[nodiscard]] std::vector<std::size_t> keys_by_effect(std::size_t most) const;
  [[nodiscard]] Result<void> search_in(const std::vector<std::size_t>& keys, bool global, std::size_t evaluations);
  [[nodiscard]] study::tune::Mistake mistake_of(std::size_t key, double coordinate, const Tried& tried) const;
  [[nodiscard]] Place moved(std::size_t key, double coordinate) const;
  [[nodiscard]] const study::sweep::Factor& factor_of(std::size_t key) const {
    return result_.keys[key].tunable.factor;
  }

  TuneOptions options_;
  PointRuns& runs_;
  study::tune::TuneResult& result_;
  std::map<std::string, Tried> tried_;  // by length and settings
  Place best_;
  double scale_ = 0;                   // of the figure: its first mean; 0: not known yet
  std::vector<std::size_t> searched_;  // keys that the search went through
};

}  // namespace weft::cli
