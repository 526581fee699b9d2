// What a run says of a job's training steps: rows of a results file, as plain values. docs/results.md explains each.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/data_size.h"
#include "base/time.h"

namespace weft::study::results {

/// One use of a step's time. Over all parts `exposed` adds up to the step: computing, and waits by what was waited for.
struct StepPart {
  std::string name{};  // "forward", "tp", "idle", ...
  bool communication = false;
  Duration exposed{};            // mean over ranks
  Duration waiting{};            // of it, for other ranks to come: bubbles, stragglers
  Duration busy{};               // mean over ranks of what it took, hidden or not
  Bytes sent{};                  // mean over ranks; the least that its operations must send
  std::uint64_t operations = 0;  // most that any rank has

  friend bool operator==(const StepPart&, const StepPart&) = default;
};

/// Payload that ranks sent over one kind of link, all together, and how long their links need for it at full rate.
struct StepTier {
  std::string name{};  // "scale-up", "network"
  Bytes sent{};
  Duration wire_time{};  // of the busiest rank

  friend bool operator==(const StepTier&, const StepTier&) = default;
};

/// Flows of one size: messages of one operation between the same two ranks, through the network.
struct StepFlow {
  std::string purpose{};    // "dp"
  std::string kind{};       // "all-reduce"
  Bytes operation{};        // size of the operation
  Bytes size{};             // of a flow
  std::uint64_t flows = 0;  // in a step

  friend bool operator==(const StepFlow&, const StepFlow&) = default;
};

/// What the step waited for, summed along its critical path; adds up to the step.
struct StepPathPart {
  std::string what{};  // "forward", "dp all-reduce of 1 GiB", ...
  Duration time{};
  std::uint32_t rank = 0;  // where the longest of its waits was
  std::string flow{};      // whose last message that wait was for, by ranks: "3 -> 7"; empty: none, or not known

  friend bool operator==(const StepPathPart&, const StepPathPart&) = default;
};

/// One kind of operation of a composed step that goes through the network: what it took, and what the paths of its
/// flows allow without any protocol.
struct StepCollective {
  std::string purpose{};      // "dp"
  std::string kind{};         // "all-reduce"
  Bytes size{};               // of the operation
  Duration time{};            // of the slowest communicator, behind others; of a step run whole: the longest
  Duration least_time{};      // the link with most to carry, at its full rate: hash collisions alone, no protocol
  double slowest_share = 1;   // of its sender's line: the max-min rate of the slowest flow
  double mean_share = 1;      // over flows
  bool shares_links = false;  // flows of two senders on a link between switches, or signs of congestion
  Bytes sample{};             // the largest that was run
  std::uint64_t repetitions = 1;
  std::optional<double> interval{};  // half of the 95 % confidence interval of the time, relative to it
  bool settled = true;               // simulated long enough, with chunks large enough, for its paths

  friend bool operator==(const StepCollective&, const StepCollective&) = default;
};

/// Of the GPU that needs most.
struct StepMemory {
  std::string what{};
  Bytes size{};

  friend bool operator==(const StepMemory&, const StepMemory&) = default;
};

struct StepRow {
  std::string job{};
  std::string workload{};  // "training", "decode", "halo"
  std::string model{};     // of a halo: none
  std::string gpu{};
  std::uint64_t gpus = 0;
  std::string parallelism{};  // "tp 8, pp 4, dp 32"
  std::string fidelity{};     // "composed", "packet"
  std::uint64_t steps = 1;
  Duration time{};                            // of one step, mean
  Duration compute{};                         // of one step, mean over ranks
  std::optional<Duration> alone{};            // composed beside other jobs: the time without them
  double tokens_per_second = 0;               // 0: it has no model
  double utilisation = 0;                     // of the GPUs' peak, by the model's operations
  std::optional<double> composition_error{};  // relative, against a run of every packet; measured on a smaller job
  std::string composition_check{};            // which
  std::optional<double> interval{};           // composed: half of the 95 % interval of the time, relative to it
  std::vector<StepPart> parts{};
  std::vector<StepTier> tiers{};
  std::vector<StepFlow> flows{};
  std::vector<StepPathPart> path{};
  std::vector<StepMemory> memory{};
  std::vector<StepCollective> collectives{};  // composed

  [[nodiscard]] double steps_per_second() const { return time > Duration::zero() ? 1 / time.seconds() : 0; }
  /// Waits for communication, of any kind.
  [[nodiscard]] Duration exposed_communication() const {
    Duration sum;
    for (const StepPart& part : parts) {
      sum = part.communication ? sum + part.exposed : sum;
    }
    return sum;
  }
  /// Whether every operation whose flows share links was run until its time had settled.
  [[nodiscard]] bool settled() const { return std::ranges::all_of(collectives, &StepCollective::settled); }
  /// Half of the width within which the time is known, relative to it. Where operations have not settled, what the
  /// check on a smaller job was off by counts as well; none: not known.
  [[nodiscard]] std::optional<double> uncertainty() const {
    const bool checked = !settled() && composition_error.has_value();
    return checked ? std::optional(std::hypot(interval.value_or(0), *composition_error)) : interval;
  }
  friend bool operator==(const StepRow&, const StepRow&) = default;
};

}  // namespace weft::study::results
