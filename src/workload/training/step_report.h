// What a run of graphs says about itself: step times, and where each rank's time went.
//
// A rank's time is the time its GPU computes and the time it does not. An idle stretch before a node of compute is
// charged backwards along what enabled it, to the parallelism whose communication was then under way; of that, the part
// before the last member had come is `waiting` (a pipeline's bubble, a slower rank), the rest `transfer`. The parts add
// up to the time of the run exactly.
#pragma once

#include <array>
#include <vector>

#include "workload/training/matched_operations.h"
#include "workload/training/node_log.h"

namespace weft::workload {

struct Exposed {
  Duration waiting{};   // for other ranks to come
  Duration transfer{};  // for the network
  [[nodiscard]] Duration total() const { return waiting + transfer; }
};

struct RankReport {
  std::array<Duration, kPurposes> computing{};  // by purpose
  std::array<Exposed, kPurposes> exposed{};     // by purpose
  Duration after{};                             // between this rank's last end and the run's
  std::array<Bytes, kPurposes> sent{};          // volume_sent
  std::array<std::uint64_t, kPurposes> operations{};
};

struct StepReport {
  Time started{};                 // the first node of all
  Time finished{};                // the last one
  std::vector<Time> step_ends{};  // when the last node of each step ended
  std::vector<RankReport> ranks{};

  [[nodiscard]] Duration step_time(std::uint32_t step) const;
  /// The mean of the ranks, over the run.
  [[nodiscard]] Exposed exposed(Purpose purpose) const;
  [[nodiscard]] Duration computing() const;
  [[nodiscard]] Bytes sent(Purpose purpose) const;  // of all ranks
};

/// Of a run that has ended.
[[nodiscard]] StepReport make_report(const NodeLog& log, std::span<const Communicator> communicators);

}  // namespace weft::workload
