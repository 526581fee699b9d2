// What a scenario's settings come to: the formulas of docs/tuning.md evaluated for each kind of port, and what
// contradicts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/assembly/base_round_trip.h"
#include "study/scenario/scenario.h"
#include "study/tuning/tuning_formulas.h"

namespace weft::study::tuning {

/// Flow control of the data class at a kind of port.
struct PauseTuning {
  Bytes headroom;
  Bytes headroom_needed;    // as fabric::headroom_bytes() computes it for the longest cable of the kind
  Bytes threshold;          // XOFF with one ingress port congested
  Bytes threshold_crowded;  // with all of them
};

/// Marking of the data class at a kind of port.
struct MarkTuning {
  Bytes kmin;
  Bytes kmax;
  Probability pmax;
  std::optional<Bytes> before_pause;  // kmin that marks before it pauses whatever happens; none: nothing pauses
};

/// Switch ports that are alike: same tier, rate and settings.
struct PortTuning {
  scenario::LinkTier tier = scenario::LinkTier::kHost;
  Rate rate;
  std::int64_t ports = 0;
  std::int64_t switch_ports = 0;  // of the largest switch that has such ports
  Duration propagation;           // of the longest cable, one way
  Bytes bdp;                      // of this rate
  std::optional<PauseTuning> pause;
  std::optional<MarkTuning> mark;
  std::optional<Bytes> credits;         // InfiniBand: of a VL of an input port
  std::optional<Bytes> credits_needed;  // to keep the cable full
};

struct QueueAt {
  std::int64_t senders = 0;
  FixedPoint point;
};

/// DCQCN of NICs with one line rate.
struct SenderTuning {
  Rate line;
  std::optional<Bytes> window;
  Bytes bdp;
  std::optional<DcqcnFormula> dcqcn;
  std::vector<QueueAt> queues;  // of 2, 8 and 32 senders
};

struct TuningReport {
  std::string name;
  scenario::Family family = scenario::Family::kRoceV2;
  assembly::BaseRoundTrip round_trip;
  std::vector<PortTuning> ports;                   // by tier, then rate
  std::vector<SenderTuning> senders;               // by rate
  std::optional<Bytes> receive_headroom_needed{};  // of receive buffers of NICs, for the longest cable; none: no PFC
  std::vector<std::string> warnings;
};

/// Errors: as those of the fabric's own assembly.
[[nodiscard]] Result<TuningReport> tuning_report(const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::tuning
