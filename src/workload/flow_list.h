// Traffic given flow by flow.
#pragma once

#include <map>
#include <vector>

#include "workload/flow.h"

namespace weft::workload {

struct ListedFlow {
  RankId source{};
  RankId destination{};
  FlowShape shape{};
};

class FlowList final : public TrafficPattern {
 public:
  /// Flows between the same two ranks are numbered in the order of the list, and each has queue pairs of its own.
  /// Errors name the flow, counted from 1: a rank that does not exist, a rank that sends to itself, check_flow.
  [[nodiscard]] static Result<FlowList> make(const JobOptions& job, const std::vector<ListedFlow>& flows);

  [[nodiscard]] std::unique_ptr<FlowSource> flows_of(RankId rank) const override;
  [[nodiscard]] bool needs_receives() const override { return needs_receives_; }

 private:
  std::map<RankId, std::vector<Flow>> flows_;
  bool needs_receives_ = false;
};

}  // namespace weft::workload
