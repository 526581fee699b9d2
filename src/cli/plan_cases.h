// Runs of designs: from the settings of each to its figures, in processes and, under mpirun, on all ranks.
//
// Rank 0 decides what to run next and says so to the others, which serve it: a case is told by its settings, from which
// every rank makes the same scenario.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/case_pool.h"
#include "cli/plan_question.h"

namespace weft::cli {

enum class PlanLevel : std::uint8_t {
  kFlow,
  kPackets,  // composed from packets, unless that were too much work: then flows
};

struct PlanCase {
  std::string name;                   // of the design
  std::vector<std::string> settings;  // "key=value", the design's
  PlanLevel level = PlanLevel::kFlow;
  std::int64_t seed = 0;                 // behind the scenario's
  bool is_checked = false;               // the level's error is measured on a smaller job, where it can be
  std::optional<std::size_t> mistake{};  // in its settings, by its place among all that there are
};

/// What a design's runs have beside its scenario, as options of `weft run`: shorter slices and, at the flow level,
/// that.
[[nodiscard]] std::string run_options(const study::scenario::Scenario& scenario, bool is_flow);

class PlanCases {
 public:
  /// All must outlive it.
  PlanCases(const PlanQuestion& question, const study::scenario::Catalogue& catalogue, CasePool& pool)
      : question_(question), catalogue_(catalogue), pool_(pool) {}

  /// As it runs, but for the seed and the mistake. Errors: why it cannot run.
  [[nodiscard]] const Result<study::scenario::Scenario>& scenario_of(const PlanCase& one);

  /// In the order of the cases; none of one that was not begun before an interrupt. Errors: those of the pool.
  [[nodiscard]] Result<std::vector<std::optional<CaseResult>>> run(const std::vector<PlanCase>& cases);
  /// On a rank that serves: what `order` asks for.
  [[nodiscard]] Result<void> serve(const std::string& order);

 private:
  [[nodiscard]] Result<study::scenario::Scenario> make(const PlanCase& one) const;
  [[nodiscard]] Result<study::scenario::Scenario> whole(const PlanCase& one);

  const PlanQuestion& question_;
  const study::scenario::Catalogue& catalogue_;
  CasePool& pool_;
  std::map<std::string, Result<study::scenario::Scenario>> known_;
};

}  // namespace weft::cli
