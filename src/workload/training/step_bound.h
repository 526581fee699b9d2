// What the step of a training job takes at least on given links, whatever algorithms and protocols are in use: its
// graph with every communication as short as its bytes allow, alone on its links.
//
// One rank of each stage is followed, with tensor, context, expert and data index 0: all ranks of a stage have the same
// nodes, and waiting for others makes none of them earlier. Bubbles, the order of the schedule, what compute hides and
// what it does not are therefore exact; sharing, start-up and latency are left out, and so nothing can be faster. What
// links carry in sum is given beside it, for whoever knows which links those are.
#pragma once

#include <vector>

#include "base/rate.h"
#include "base/result.h"
#include "workload/training/link_costs.h"
#include "workload/training/training_plan.h"

namespace weft::workload {

struct BoundLinks {
  std::int64_t gpus_per_domain = 8;  // joined by scale-up links
  Rate scale_up{};                   // of one GPU
  Rate scale_out{};                  // of one GPU, while no other of its host sends
  /// Ranks fill the domains in their order. False: wherever they are, groups are taken to lie as close as they can.
  bool is_packed = true;
  /// Something within the network adds and copies: what a member sends and receives is halved.
  bool reduces = false;
};

/// What all groups of one kind of one stage exchange in a step.
struct StepVolume {
  bool is_update = false;  // gradients or parameters
  CollectiveKind kind = CollectiveKind::kAllReduce;
  GroupSpan span{};         // of one group over domains
  std::int64_t groups = 1;  // alike
  double bytes = 0;         // of one group, as requests say them
};
/// Bytes of a volume that leave the part of the network that a member is in, summed over all parts and groups: members
/// are in `parts` of them at least, and at most `together` of a group in one. 0 of sends.
[[nodiscard]] double least_crossing(const StepVolume& volume, std::int64_t parts, std::int64_t together);

struct StepBound {
  Duration step{};          // the longest path
  Duration first_update{};  // no gradient and no parameter is on its way before
  std::vector<StepVolume> volumes{};
};

/// Of the first step. Errors: check_links.
[[nodiscard]] Result<StepBound> bound_step(const TrainingPlan& plan, const BoundLinks& links);

}  // namespace weft::workload
