// Runs of one training job on clusters of other sizes, with and without more latency: rows of `weft scale`.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/progress_line.h"
#include "study/assembly/resize.h"
#include "study/results/scale_table.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::cli {

/// A row per fabric or case, before it is resized.
struct ScaleLine {
  std::string name;
  study::scenario::Scenario scenario;
};

class ScaleRun {
 public:
  struct Options {
    study::assembly::Scaling scaling = study::assembly::Scaling::kWeak;
    Duration extra_latency{};  // zero: none
    /// Packet-hops that checking the composition of each line's first size may take; 0: never.
    double check_hops = 0;
    ProgressLine::Show progress = ProgressLine::Show::kOnTerminal;
  };
  /// The catalogue must outlive it.
  ScaleRun(const Options& options, const study::scenario::Catalogue& catalogue)
      : options_(options), catalogue_(catalogue) {}

  /// An impossible size has a refusal.
  [[nodiscard]] study::results::ScalePoint point(const ScaleLine& line, std::int64_t gpus);

 private:
  [[nodiscard]] Result<study::results::StepRow> run(const study::scenario::Scenario& scenario, const std::string& name,
                                                    double check_hops);

  Options options_;
  const study::scenario::Catalogue& catalogue_;
  std::string checked_;  // the line whose composition has been checked: its first size stands for all
};

}  // namespace weft::cli
