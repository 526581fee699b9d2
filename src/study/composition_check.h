// How far a composed step is from one of every packet, measured on a smaller job of the same kind.
//
// The smaller job has the same model, network and parallelism, but two copies of the model at most, one layer in each
// piece of it, as many micro-batches as the pipeline has stages, and short sequences. It is run both ways.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "study/scenario.h"

namespace weft::study {

struct CompositionCheck {
  std::optional<double> error;  // composed time over the time of every packet, less one; none: not measured
  std::string what;             // the smaller job, or why it was not run
};

/// The smaller job's scenario, with every packet. Errors: what `resized` refuses.
[[nodiscard]] Result<Scenario> smaller_job(const Scenario& scenario);

/// Packet-hops that a training job's step takes with every packet, roughly.
[[nodiscard]] Result<double> estimated_hops(const Scenario& scenario);

/// Runs the smaller job if it takes at most `most_hops`. `keep_going` false gives up: not measured. Errors: those of
/// either run.
[[nodiscard]] Result<CompositionCheck> check_composition(const Scenario& scenario, double most_hops,
                                                         const std::function<bool()>& keep_going);

}  // namespace weft::study
