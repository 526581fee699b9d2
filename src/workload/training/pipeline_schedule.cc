#include "workload/training/pipeline_schedule.h"

#include <algorithm>

namespace weft::workload {

PipelineSchedule::PipelineSchedule(const PipelineShape& shape)
    : shape_(shape), total_(shape.micro_batches * shape.chunks) {
  WEFT_ASSERT(shape.stages > 0 && shape.stage >= 0 && shape.stage < shape.stages && total_ > 0);
  WEFT_ASSERT(shape.chunks == 1 || shape.micro_batches % shape.stages == 0);
  const std::int64_t behind = shape.stages - shape.stage - 1;
  const std::int64_t ahead = shape.chunks == 1 ? behind : 2 * behind + (shape.chunks - 1) * shape.stages;
  warm_up_ = std::min(ahead, total_);
}

Pass PipelineSchedule::at(std::int64_t index) const {
  WEFT_ASSERT(index >= 0 && index < size());
  if (index < warm_up_) {
    return pass(PassDirection::kForward, index);
  }
  const std::int64_t steady = 2 * (total_ - warm_up_);
  const std::int64_t after = index - warm_up_;
  if (after >= steady) {
    return pass(PassDirection::kBackward, index - total_);
  }
  return after % 2 == 0 ? pass(PassDirection::kForward, warm_up_ + after / 2)
                        : pass(PassDirection::kBackward, after / 2);
}

std::int64_t PipelineSchedule::max_in_flight() const { return std::min(warm_up_ + 1, total_); }

Pass PipelineSchedule::pass(PassDirection direction, std::int64_t turn) const {
  const std::int64_t group = shape_.stages * shape_.chunks;
  const std::int64_t chunk = turn % group / shape_.stages;
  Pass pass{.direction = direction, .micro_batch = turn, .chunk = 0};
  if (shape_.chunks > 1) {
    pass.micro_batch = turn / group * shape_.stages + turn % shape_.stages;
    pass.chunk = direction == PassDirection::kForward ? chunk : shape_.chunks - 1 - chunk;
  }
  return pass;
}

}  // namespace weft::workload
