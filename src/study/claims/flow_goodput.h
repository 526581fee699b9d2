// What each flow of a run gets in steady state: its goodput over a part of the run that leaves out the start and the
// end, as a share of its sender's line.
//
// For flows whose messages follow one another until the scenario's `stop`. All flows from one sender to one receiver,
// whatever their traffic and queue pairs, count as one. A message's bytes count evenly over the time in which it was
// served, from its post or the end of the message before it to its own end. Messages that the run's end cut off are not
// known: a flow slower than one message in the last tenth of the run has up to one message too little.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "study/results/results.h"

namespace weft::study::claims {

struct Window {
  Time from;
  Time to;
};
/// From a third to nine tenths of the run.
[[nodiscard]] Window steady_window(const results::RunResults& results);

/// Which flows.
struct FlowChoice {
  std::string_view job{};  // empty: of all jobs
  /// How many there are at least: those of which no message ended are in no record, and count with nothing.
  std::size_t flows = 0;
};

/// Ascending.
[[nodiscard]] std::vector<double> flow_shares(const results::RunResults& results, const FlowChoice& choice,
                                              Window window);

/// Of the values of all flows.
struct FlowSpread {
  double mean = 0;
  double p10 = 0;  // the nearest rank
  double slowest = 0;
};
/// Of values in ascending order; zeros for none.
[[nodiscard]] FlowSpread spread_of_flows(const std::vector<double>& ascending);

}  // namespace weft::study::claims
