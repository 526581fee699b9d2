// What `auto` goes by: the estimated time of each algorithm, by a cost model of the kind that NCCL's users know.
//
// Time = steps x latency + bytes / bandwidth, with the layout's groups, the rates of the rank's rails, typical
// latencies, the library's costs, and what each message costs its sender; and no less than what crosses uplinks that
// the ranks share takes there (workload/collective/network_cuts.h). It knows nothing of NICs that several ranks use,
// nor of flows whose hashes fall together. All ranks of a communicator must come to the same choice, so their rails
// must be of the same rates. Source: NCCL's tuning model; Thakur et al., 2005.
#pragma once

#include <span>

#include "base/rate.h"
#include "base/time.h"
#include "verbs/machine.h"
#include "workload/collective/lane.h"

namespace weft::workload {

/// A rail as the model sees it: from posting a message to the receiver's program, beside its bytes and what the library
/// takes; and its rate. The latencies are typical of NVLink and of a network of two tiers, since nothing can be
/// measured beforehand.
struct TierModel {
  Duration latency{};
  Rate rate{};
};

struct TierModels {
  TierModel scale_out{Duration::nanoseconds(1'500), Rate::zero()};
  TierModel scale_up{Duration::microseconds(1), Rate::zero()};
};

/// From the rails of a rank: of each kind the slowest, and of scale-up links what headers leave.
[[nodiscard]] TierModels tier_models(std::span<const verbs::Rail> rails);

/// The estimate for an algorithm that the communicator can run; not for sends, receives and barriers, which have one
/// algorithm alone.
[[nodiscard]] Duration estimate(const LaneContext& context, CollectiveAlgorithm algorithm, const TierModels& tiers);

}  // namespace weft::workload
