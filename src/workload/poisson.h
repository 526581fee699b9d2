// Poisson arrivals: ranks send messages of random sizes to random others, at random times, at a given load.
//
// Open loop: an arrival does not wait for earlier messages, and its record counts from its arrival even if the send
// queue was full. Each rank draws from a stream of its own, f(seed, job, rank). Generated as time passes.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/distribution.h"
#include "base/probability.h"
#include "base/rate.h"
#include "workload/flow.h"

namespace weft::workload {

struct PoissonOptions {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  Distribution<Bytes> sizes = Constant<Bytes>(Bytes(1));  // draws below 1 B count as 1 B
  Probability load{};                                     // message bytes, without headers, over `rate`; above 0
  Rate rate{};                                            // of a rank's rail, if `rates` has none
  std::vector<Rate> rates{};                              // of each rank's, if they differ; empty: all as `rate`
  std::vector<RankId> senders{};                          // each once; empty: all
  std::vector<RankId> receivers{};                        // each once; empty: all
  std::uint64_t messages = kNoLimit;                      // of all senders together, shared out evenly
  bool endless = false;        // neither a number of messages nor a stop: whoever runs it ends with something else
  std::uint32_t channels = 1;  // per pair of ranks: its messages take turns on them; at least 1
  FlowShape flow{};            // its size and number of messages are not used; arrivals lie between start and stop
};

class PoissonArrivals final : public TrafficPattern {
 public:
  /// Errors: fewer than 2 ranks, a sender with no receiver but itself, no load or rate, neither a number of messages
  /// nor a stop unless endless, check_flow.
  [[nodiscard]] static Result<PoissonArrivals> make(const JobOptions& job, const PoissonOptions& options);

  [[nodiscard]] std::unique_ptr<FlowSource> flows_of(RankId rank) const override;
  [[nodiscard]] bool needs_receives() const override { return needs_receive(options_.flow.operation); }
  /// Of the first sender.
  [[nodiscard]] Duration mean_gap() const { return gaps_.front().mean(); }

 private:
  PoissonArrivals(const JobOptions& job, const PoissonOptions& options, std::vector<Exponential<Duration>> gaps)
      : job_(job), options_(options), gaps_(std::move(gaps)) {}

  JobOptions job_;
  PoissonOptions options_;
  std::vector<Exponential<Duration>> gaps_;  // of each sender; one for all if their rates are equal
};

}  // namespace weft::workload
