// Runs of the scenarios of claims: files of one folder, case by case.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/case_pool.h"
#include "study/claims/claim_runner.h"
#include "study/scenario/catalogue.h"

namespace weft::cli {

class ClaimRuns : public study::claims::ClaimRunner {
 public:
  struct Options {
    std::string folder;  // where NAME.toml lies
    /// Gets NAME.json for each scenario that was run, as `weft run --json` or `weft scale --json` write it, with cases
    /// that are not possible under "refused", and "NAME, CASE.json" for the mistakes in setting up a case; empty:
    /// nothing is written.
    std::string evidence;
  };
  /// The pool, the catalogue and the comparison (or null) must outlive it.
  ClaimRuns(Options options, CasePool& pool, const study::scenario::Catalogue& catalogue,
            const study::report::Comparison* comparison)
      : options_(std::move(options)), pool_(pool), catalogue_(catalogue), comparison_(comparison) {}

  [[nodiscard]] Result<std::vector<study::claims::ClaimCase>> run(const std::string& scenario) override;
  [[nodiscard]] Result<std::vector<study::claims::ClaimCase>> run_misconfigured(const std::string& scenario,
                                                                                const std::string& case_name) override;
  [[nodiscard]] Result<std::vector<study::results::ScalePoint>> scale(
      const std::string& scenario, const study::claims::ScaleRequest& request) override;
  /// On a rank that serves rank 0: takes part in the runs that rank 0 asks for, until there are no more.
  void serve();
  [[nodiscard]] const study::report::Comparison* comparison() const override { return comparison_; }

 private:
  /// Every case of a file, which is read once: each case is checked against all others.
  [[nodiscard]] Result<const std::vector<study::scenario::Scenario>*> read(const std::string& name);
  /// `title` is what progress and evidence are named after.
  [[nodiscard]] Result<std::vector<study::claims::ClaimCase>> run_each(
      const std::string& title, const std::vector<study::scenario::Scenario>& scenarios);
  [[nodiscard]] Result<void> keep(const std::string& name, const nlohmann::ordered_json& json) const;

  Options options_;
  CasePool& pool_;
  const study::scenario::Catalogue& catalogue_;
  const study::report::Comparison* comparison_;
  std::map<std::string, std::vector<study::scenario::Scenario>> read_;  // by name
};

}  // namespace weft::cli
