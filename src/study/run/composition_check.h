// Error of a composed step against full packet-level simulation, measured on a smaller job of the same kind.
//
// The smaller job has the same network and parallelism, but one layer in each piece of the model, a small vocabulary,
// as many micro-batches as the pipeline has stages, and short sequences. Where no flows share links it has few copies
// of the model as well (two, or as many as take two hosts), and layers narrower by halves if that is still too much.
// Where they do, it has every rank of the job in its place, so that flows meet on the same links, and layers as wide,
// so that operations have pieces as large. Of several jobs on one network, all are smaller at once. It is run both
// ways.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/results/results.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

struct CompositionCheck {
  std::optional<double> error;  // composed time over the time of every packet, less one; none: not measured
  std::string what;             // the smaller job, or why it was not run
};

/// Which ranks of the job the smaller one has.
enum class CheckedRanks : std::uint8_t { kTwoHosts, kAll };

/// The smaller job's scenario, with every packet; of two hosts, of at most that many packet-hops if narrower layers can
/// make it so. Errors: what `resized` refuses.
[[nodiscard]] Result<scenario::Scenario> smaller_job(const scenario::Scenario& scenario, double max_hops,
                                                     CheckedRanks ranks = CheckedRanks::kTwoHosts);

/// Packet-hops that the training jobs' steps take with every packet, roughly.
[[nodiscard]] Result<double> estimated_hops(const scenario::Scenario& scenario);

/// Runs the smaller job if it takes at most `max_hops`. `keep_going` false gives up: not measured. Errors: those of
/// either run.
[[nodiscard]] Result<CompositionCheck> check_composition(const scenario::Scenario& scenario, double max_hops,
                                                         const std::function<bool()>& keep_going,
                                                         CheckedRanks ranks = CheckedRanks::kTwoHosts);
/// Of each job, in their order.
[[nodiscard]] Result<std::vector<CompositionCheck>> check_compositions(const scenario::Scenario& scenario,
                                                                       double max_hops,
                                                                       const std::function<bool()>& keep_going,
                                                                       CheckedRanks ranks);

/// The same for the composed steps among the results, into their rows; where flows of a step share links, with all its
/// ranks and as many packet-hops as its slices may take (job.slice_hops). What is wrong with the check is no fault of
/// the run; the row says why there is none.
void check_steps(const scenario::Scenario& scenario, double max_hops, const std::function<bool()>& keep_going,
                 results::RunResults& results);

/// The same for steps at the flow level. Where flows of a step share links, the smaller job has every rank in its place
/// as long as that takes no more packet-hops than slices may take, and otherwise half as many GPUs, or half of these.
void check_flow_steps(const scenario::Scenario& scenario, bool shares_links, double max_hops,
                      const std::function<bool()>& keep_going, results::RunResults& results);

/// What to say of a composed run whose slices met congestion, or nothing: their times are continued in proportion, and
/// what queues and senders' rates do over a longer time is not seen in them. Empty for a run of every packet.
[[nodiscard]] std::string slice_caution(const scenario::Scenario& scenario, const results::RunResults& results);

}  // namespace weft::study::run
