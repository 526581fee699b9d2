// All-to-all traffic: every rank sends one flow to every other.
//
// Rank i begins with i + 1 and goes round, so that at equal speed no two ranks send to the same one. How many of its
// flows are open at once is FlowProgramOptions::max_open_flows.
#pragma once

#include "workload/flow.h"

namespace weft::workload {

struct AllToAllOptions {
  FlowShape flow{};
};

class AllToAll final : public TrafficPattern {
 public:
  /// Errors: fewer than 2 ranks, check_flow.
  [[nodiscard]] static Result<AllToAll> make(const JobOptions& job, const AllToAllOptions& options);

  [[nodiscard]] std::unique_ptr<FlowSource> flows_of(RankId rank) const override;
  [[nodiscard]] bool needs_receives() const override { return needs_receive(options_.flow.operation); }

 private:
  AllToAll(const JobOptions& job, const AllToAllOptions& options) : job_(job), options_(options) {}

  JobOptions job_;
  AllToAllOptions options_;
};

}  // namespace weft::workload
