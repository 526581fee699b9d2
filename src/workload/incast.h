// Incast: many ranks send to one at the same time, or nearly so.
#pragma once

#include <vector>

#include "workload/flow.h"

namespace weft::workload {

struct IncastOptions {
  FlowShape flow{};
  RankId destination{0};
  std::vector<RankId> senders{};  // empty: every other rank
  Duration jitter{};              // each sender starts up to this much later, uniformly, f(seed, job, sender)
};

class Incast final : public TrafficPattern {
 public:
  /// Errors: a rank that does not exist, the destination among the senders, a sender twice, a negative jitter,
  /// check_flow with the latest possible start.
  [[nodiscard]] static Result<Incast> make(const JobOptions& job, const IncastOptions& options);

  [[nodiscard]] std::unique_ptr<FlowSource> flows_of(RankId rank) const override;
  [[nodiscard]] bool needs_receives() const override { return needs_receive(options_.flow.operation); }

 private:
  Incast(const JobOptions& job, const IncastOptions& options, std::vector<bool> sends)
      : job_(job), options_(options), sends_(std::move(sends)) {}

  JobOptions job_;
  IncastOptions options_;
  std::vector<bool> sends_;
};

}  // namespace weft::workload
