#include "workload/flow.h"

#include "base/format_quantity.h"

namespace weft::workload {

Result<void> check_flow(const FlowShape& shape) {
  const Bytes largest(std::int64_t{1} << 31);
  if (shape.size < Bytes(1) || shape.size > largest)
    return fail("a message of {}; it must be 1 B to {}", shape.size, largest);
  if (shape.messages == 0)
    return fail("a flow of no message; it needs at least one");
  if (shape.window == 0)
    return fail("a window of no message; it needs at least one");
  if (shape.start < Time::zero() || shape.start.is_never())
    return fail("a flow that starts at {}; it must start within the run", shape.start);
  if (shape.stop <= shape.start)
    return fail("a flow that stops at {}, not after its start at {}", shape.stop, shape.start);
  if (shape.messages == FlowShape::kUntilStop && shape.stop.is_never() && !shape.endless)
    return fail("a flow that repeats until its stop, without a stop");
  return {};
}

std::optional<Flow> ListedFlows::next() {
  if (next_ == flows_.size())
    return std::nullopt;
  return flows_[next_++];
}

}  // namespace weft::workload
