// The search of `weft plan`: bounds for every design, flows for the best of them, the loop of metric and change,
// packets for what is left, and what mistakes and failures cost those.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/case_pool.h"
#include "cli/plan_cases.h"
#include "cli/plan_question.h"
#include "cli/run_cache.h"
#include "study/plan/plan_result.h"

namespace weft::cli {

struct PlanOptions {
  std::size_t designs = 12;   // run at the flow level, before the loop
  std::size_t finalists = 3;  // run to the last
  int iterations = 6;         // of the loop, at most
  std::size_t seeds = 3;      // of a finalist
  std::size_t mistakes = 4;   // tried on each finalist
  bool failures = true;
  bool prunes = true;     // no: what bounds would drop is run as well
  std::int64_t jobs = 0;  // at the same time; 0: one per core
  std::optional<RunCache> cache{};
  std::function<void(const std::string&)> tell = [](const std::string&) {};  // what is done next
};

/// Fills in `result`; after an interrupt it has what is known. Errors: those of the pool; no design that keeps to the
/// limits by its bounds.
class PlanRun {
 public:
  PlanRun(PlanOptions options, const PlanQuestion& question, const study::scenario::Catalogue& catalogue,
          CasePool& pool, study::plan::PlanResult& result)
      : options_(std::move(options)), question_(question), catalogue_(catalogue), pool_(pool), result_(result) {}
  [[nodiscard]] Result<void> run();
  /// On a rank that serves: runs what rank 0 asks for, until that has no more.
  void serve();

 private:
  struct Wanted {
    PlanLevel level = PlanLevel::kFlow;
    std::size_t seeds = 1;
  };

  [[nodiscard]] Result<void> bound_all();
  void bound(const study::plan::Design& design);
  [[nodiscard]] Result<study::plan::PlannedDesign> bounded(const study::plan::Design& design);
  [[nodiscard]] study::plan::PlannedDesign looked_at(const study::plan::Design& design,
                                                     const study::plan::PlannedDesign& best);
  [[nodiscard]] bool cannot_win(study::plan::PlannedDesign& design);
  void drop_by_bound();
  [[nodiscard]] Result<void> first_rounds();
  [[nodiscard]] std::vector<study::plan::PlannedDesign> next_batch(std::size_t most);
  [[nodiscard]] Result<void> loop();
  [[nodiscard]] Result<void> iterate(int number, bool& moved);
  [[nodiscard]] std::size_t leader() const;
  [[nodiscard]] Result<void> finals();
  [[nodiscard]] std::vector<study::plan::PlannedDesign> choose_finalists();
  [[nodiscard]] Result<void> measure(std::vector<study::plan::PlannedDesign>& designs, const Wanted& wanted);
  void take(study::plan::PlannedDesign& design, const study::scenario::Scenario& scenario,
            const std::vector<const study::results::RunResults*>& runs) const;
  [[nodiscard]] Result<void> mistakes(std::vector<study::plan::PlannedDesign>& designs);
  [[nodiscard]] Result<void> failures(std::vector<study::plan::PlannedDesign>& designs);
  void add_growth(study::plan::PlannedDesign& design);

  PlanOptions options_;
  const PlanQuestion& question_;
  const study::scenario::Catalogue& catalogue_;
  CasePool& pool_;
  study::plan::PlanResult& result_;
  PlanCases cases_{question_, catalogue_, pool_};
  study::plan::StepBounds steps_;
  std::size_t batches_ = 0;
  std::vector<study::plan::PlannedDesign> waiting_;  // that keep to the limits, best bound first; no figures yet
};

}  // namespace weft::cli
