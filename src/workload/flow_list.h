// Traffic given flow by flow.
#pragma once

#include <map>
#include <vector>

#include "workload/flow.h"
#include "workload/trigger.h"

namespace weft::workload {

class FlowList final : public TrafficPattern {
 public:
  /// Flows between the same two ranks are numbered in the order of the list, and each has queue pairs of its own.
  /// Errors name the flow, counted from 1: a rank that does not exist, a rank that sends to itself, check_flow, what
  /// find_trigger_fault says. A flow that waits for triggers starts `delay` after the last of them has released it, and
  /// not before its shape's start.
  [[nodiscard]] static Result<FlowList> make(const JobOptions& job, const std::vector<ListedFlow>& flows,
                                             const std::vector<Trigger>& triggers = {});

  [[nodiscard]] std::unique_ptr<FlowSource> flows_of(RankId rank) const override;
  [[nodiscard]] bool needs_receives() const override { return needs_receives_; }
  [[nodiscard]] const TriggerPlan* triggers() const override { return plan_.empty() ? nullptr : &plan_; }

 private:
  std::map<RankId, std::vector<Flow>> flows_;
  TriggerPlan plan_;
  bool needs_receives_ = false;
};

}  // namespace weft::workload
