// What a run says of a design, and which designs follow from it: the metrics of one round choose the next.
//
// Rules, the first that its metric calls for first: operations of one kind that the step waits for move the job's
// parallelism; flows that share links move routing, oversubscription and placement; a network that is waited for gets
// faster NICs, one that is hardly waited for gets cheaper. Each move changes one thing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "study/plan/design.h"
#include "study/results/results.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::study::plan {

/// Of one run with a training step. Shares are of the step.
struct Metrics {
  double step = 0;           // s
  double exposed = 0;        // communication that the step waits for
  double bubbles = 0;        // of it, for other ranks to come
  std::string worst_part{};  // "tp": that the step waits for most
  double worst = 0;
  double nic_busy = 0;  // the busiest rank's links of the network, at full rate
  /// Of its sender's line, the slowest flow of those that share links; 1: none do.
  double slowest_flow = 1;
  std::string slowest_kind{};  // "dp all-reduce"
  std::uint64_t pauses = 0;
  std::uint64_t marks = 0;
  std::uint64_t drops = 0;
};
/// `results` has a step.
[[nodiscard]] Metrics metrics_of(const results::RunResults& results);

struct Move {
  std::string metric;  // "tp is waited for during 17.9 % of the step"
  std::string change;  // "tp 8 -> 4"
  Design design;
};

/// What moves are made from.
struct Setting {
  const Design& design;
  const scenario::Scenario& scenario;  // the design's
  std::span<const Design> space;       // to find neighbours in
  const scenario::Catalogue& catalogue;
};
/// In the order in which they are to be tried. Whether a job fits into memory, and a design into limits, is not looked
/// at.
[[nodiscard]] std::vector<Move> next_moves(const Metrics& metrics, const Setting& setting);

}  // namespace weft::study::plan
