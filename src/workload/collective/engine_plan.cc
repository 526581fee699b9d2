// What a rank of a collective would send, read off its lanes.
#include <algorithm>
#include <map>

#include "base/int128.h"
#include "workload/collective/engine.h"

namespace weft::workload {
namespace {

/// So many chunks of a part tell how the bytes are shared out; lanes of more would only take longer to walk through.
constexpr std::int64_t kChunksOfAPart = 4;

/// A size that has the shares of a longer one.
Bytes sample_size(const LaneContext& context) {
  const Bytes whole = context.request.size;
  const std::int64_t parts = std::int64_t{context.size()} * context.channels;
  const std::int64_t element = std::max<std::int64_t>(context.options->element.count(), 1);
  const std::int64_t enough = std::max<std::int64_t>(context.chunk.count(), element) * parts * kChunksOfAPart;
  return whole.count() <= enough ? whole : Bytes(enough / element * element);
}

}  // namespace

std::map<EdgeName, std::uint64_t> CollectiveEngine::edges_of(const LaneContext& context) const {
  Lanes lanes;
  add_lanes(context, context.request.algorithm, lanes);
  std::map<EdgeName, std::uint64_t> bytes;
  for (Lane& lane : lanes.take()) {
    while (const std::optional<Action> action = lane.next()) {
      if (action->kind == Action::Kind::kSend)
        bytes[{context.request.communicator, action->peer, action->slot}] += action->extent.size;
    }
  }
  return bytes;
}

Result<void> CollectiveEngine::connect(const CollectiveRequest& request) {
  Result<CollectiveRequest> resolved = checked(request);
  if (!resolved)
    return pass_on(resolved);
  LaneContext context = context_of(*resolved);
  context.request.size = sample_size(context);
  for (const auto& [edge, sent] : edges_of(context)) {
    if (auto connected = edges_.connect(edge); !connected)
      return connected;
  }
  return {};
}

Result<std::vector<CollectiveEngine::PlannedSend>> CollectiveEngine::planned_sends(
    const CollectiveRequest& request) const {
  Result<CollectiveRequest> resolved = checked(request);
  if (!resolved)
    return pass_on(resolved);
  LaneContext context = context_of(*resolved);
  const Bytes whole = context.request.size;
  context.request.size = sample_size(context);
  std::vector<PlannedSend> sends;
  const CommunicatorEntry& entry = communicators_.at(request.communicator);
  for (const auto& [edge, sent] : edges_of(context)) {
    if (entry.layout->over_scale_up(*entry.self, edge.peer) || sent == 0)
      continue;
    const Int128 scaled = static_cast<Int128>(sent) * whole.count() / context.request.size.count();
    sends.push_back({.connection = edges_.connection_of_edge(edge),
                     .options = edges_.connection_options(edge),
                     .bytes = Bytes(static_cast<std::int64_t>(scaled))});
  }
  return sends;
}

}  // namespace weft::workload
