// The formulas that tie thresholds, headroom and DCQCN to rate, cable and buffer. docs/tuning.md explains them.
//
// Closed forms in whole bytes and picoseconds; what the fixed point needs of roots is floating point, for it is printed
// and steers nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::study::tuning {

/// How many ingress groups of one switch hold as much as they may.
struct CrowdedPorts {
  std::int64_t count = 1;
};

/// Where a group asks for a pause when `ports` groups of the switch are equally full: reserve + alpha pool / (1 + ports
/// alpha), with alpha = 2^shift.
struct DynamicThreshold {
  Bytes pool;     // of the switch, without headroom and reserves
  Bytes reserve;  // of the group
  std::int8_t alpha_shift = 0;
};
[[nodiscard]] Bytes pause_threshold(const DynamicThreshold& threshold, CrowdedPorts ports);

/// Below this, marks come before pauses however many of the `ports` queues are full, with all of a queue from one port:
/// alpha pool / (ports (1 + alpha)). Zhu et al., SIGCOMM 2015, section 4, for one lossless priority.
[[nodiscard]] Bytes mark_before_pause(const DynamicThreshold& threshold, CrowdedPorts ports);

/// DCQCN of one line.
struct DcqcnFormula {
  Rate line;
  Bytes packet;  // on the wire
  Bytes kmin;
  Bytes kmax;
  Probability pmax;
  Duration cnp_interval;
  Duration increase_timer;
  std::optional<Bytes> byte_counter;
  Rate additive_increase;
};

/// From a cut by half back to within 1 % of the line, without another CNP: each event of the timer halves the distance.
[[nodiscard]] Duration recovery_time(const DcqcnFormula& formula);
/// From half of the line to the line by additive steps of the timer alone: what a share that has become free takes.
[[nodiscard]] Duration additive_climb(const DcqcnFormula& formula);

/// The steady state of `senders` equal flows into one line: cuts and steps cancel where packets are marked with
/// probability p = cbrt(RAI N^2 / (t C^2) (1/B + N/(T C))^2), rates in packets; the queue is where the ramp has that
/// probability. Zhu et al., CoNEXT 2016 ("ECN or Delay"), equation 9; a CNP interval of zero counts as the gap between
/// two packets.
struct FixedPoint {
  double probability = 0;
  std::optional<Bytes> queue;  // none: beyond Kmax, there is no steady state
};
[[nodiscard]] FixedPoint fixed_point(const DcqcnFormula& formula, std::int64_t senders);

}  // namespace weft::study::tuning
