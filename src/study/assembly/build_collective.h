// The collective of a [[traffic]], ready for its ranks' programs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/assembly/build_traffic.h"
#include "study/scenario/scenario.h"
#include "workload/collective/check_data.h"
#include "workload/rank_ports.h"

namespace weft::study::assembly {

/// Where its ranks may be.
struct CollectiveSites {
  const fabric::Graph& graph;
  const ScaleUpPlan* scale_up = nullptr;  // null: no scale-up links
};

/// Of a plan that has its machines. Errors: options that do not go together, a root that is no rank, a kind that
/// traffic cannot have.
[[nodiscard]] Result<CollectivePlan> plan_collective(const scenario::Scenario& scenario,
                                                     const scenario::TrafficSettings& traffic, const TrafficPlan& plan,
                                                     const CollectiveSites& sites);

/// The bytes of a collective's ranks, in runs that carry them: filled with input beforehand, checked afterwards.
class CollectiveBytes {
 public:
  /// The plan must outlive this.
  explicit CollectiveBytes(const CollectivePlan& plan);

  [[nodiscard]] workload::RankMemory memory(std::uint32_t rank, verbs::MemoryPlace place);
  /// Errors: the first number that is wrong.
  [[nodiscard]] Result<void> check() const;

 private:
  Bytes each_;
  workload::CheckData data_;
  std::vector<std::unique_ptr<std::byte[]>> bytes_;
};

/// A rank's memory for collectives: addresses alone, so wide that the buffers of many communicators fit.
inline constexpr Bytes kCollectiveMemory = Bytes(std::int64_t{1} << 46);

}  // namespace weft::study::assembly
