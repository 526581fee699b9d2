// Runs of several scenarios in processes of their own, as many at once as there are cores, with the cache of runs
// before them: what `weft run`, `weft scale` and `weft claims` have in common.
//
// Under mpirun the runs are dealt among all ranks (cli/rank_pool.h); rank 0 alone looks into the cache. Results do not
// depend on how many run at once or where, nor on whether they come from the cache; only what a run took of the machine
// is that of when and where it was simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/case_text.h"
#include "cli/run_cache.h"
#include "cli/run_case.h"
#include "cli/work_plan.h"
#include "study/scenario/catalogue.h"

namespace weft::cli {

struct PooledCase {
  const study::scenario::Scenario* scenario = nullptr;  // must outlive the call
  RunCase options;
};

class CasePool {
 public:
  struct Options {
    const char* command = "";  // for messages: "run"
    std::int64_t jobs = 0;     // at the same time; 0: one per core
    std::int64_t threads = 0;  // of each; 0: as many as there are cores for each, but no more than pay
    bool quiet = false;
    bool tells_ranks = false;         // under mpirun, what becomes of ranks, even if quiet
    bool shares = false;              // under mpirun, a single run is divided among ranks where it can be
    std::optional<RunCache> cache{};  // none: everything is simulated
    ProgressBar::Show progress = ProgressBar::Show::kOnTerminal;  // of a single run
  };
  /// The catalogue must outlive it.
  CasePool(Options options, const study::scenario::Catalogue& catalogue)
      : options_(std::move(options)), catalogue_(catalogue) {}

  /// Calls `done(i, result)` as each case ends, in whatever order; an error of it ends the others. After an interrupt
  /// no further case begins, and those under way give what they have. Errors: those of `done`, and a run that ended by
  /// a signal.
  [[nodiscard]] Result<void> run(const std::vector<PooledCase>& cases,
                                 const std::function<Result<void>(std::size_t, CaseResult)>& done);
  /// All results, in the order of the cases; none of a case that was not begun before an interrupt.
  [[nodiscard]] Result<std::vector<std::optional<CaseResult>>> run(const std::vector<PooledCase>& cases);

  /// What the ranks that serve this one need to know of the next runs, beside their command line (cli/rank_pool.h).
  void set_order(std::string order) { order_ = std::move(order); }

  /// Whether results are kept for another call.
  [[nodiscard]] bool keeps() const { return options_.cache.has_value(); }

 private:
  struct Job;
  [[nodiscard]] std::string key_of(const PooledCase& one) const;
  [[nodiscard]] std::optional<CaseResult> kept(const PooledCase& one) const;
  void keep(const PooledCase& one, const std::string& text);
  [[nodiscard]] static std::string run_in_child(const PooledCase& one, RunThreads threads,
                                                const std::function<void(const study::run::Progress&)>& watch);
  [[nodiscard]] RunThreads threads_of_each(std::size_t at_once) const;
  [[nodiscard]] WorkPlan plan(Job& job) const;
  [[nodiscard]] std::string identity_of(const std::vector<PooledCase>& cases) const;
  void note(ProgressBar& bar, const std::string& text) const;
  [[nodiscard]] Result<void> run_here(const Job& job);
  /// Of one case, by all ranks.
  [[nodiscard]] Result<void> run_shared(const Job& job);
  [[nodiscard]] Result<void> finish(const Job& job, CaseResult result);
  [[nodiscard]] Result<void> run_in_processes(const Job& job);

  Options options_;
  const study::scenario::Catalogue& catalogue_;
  std::string order_;
};

}  // namespace weft::cli
