// What a rank's collectives go on from, and how they go on behind what was jumped over.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "workload/collective/engine.h"

namespace weft::workload {

Result<std::uint64_t> CollectiveEngine::rounds_of(const CollectiveRequest& request) const {
  Result<CollectiveRequest> resolved = checked(request);
  if (!resolved)
    return pass_on(resolved);
  const LaneContext context = context_of(*resolved);
  Lanes lanes;
  add_lanes(context, resolved->algorithm, lanes);
  std::vector<Lane> made = lanes.take();
  const std::optional<Action> first = made.empty() ? std::nullopt : made.front().next();
  return first ? first->rounds_left : 0;
}

std::uint64_t CollectiveEngine::rounds_left() const {
  for (const auto& [id, operation] : operations_) {
    if (!operation.lanes.empty())
      return operation.lanes.front().rounds_left;
  }
  return 0;
}

std::uint64_t CollectiveEngine::fewest_rounds_left() const {
  std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [id, operation] : operations_) {
    fewest = operation.launched ? fewest : 0;
    for (const LaneState& lane : operation.lanes)
      fewest = std::min(fewest, lane.ended ? 0 : lane.rounds_left);
  }
  return operations_.empty() ? 0 : fewest;
}

bool CollectiveEngine::can_repeat() const {
  const CollectiveOptions& options = options_.collectives;
  const bool plain = options.queue_pair_use != QueuePairUse::kLeastOutstanding && !options.closes_connections() &&
                     !options.clear_to_send;
  const auto reduces_in_network = [](const auto& entry) {
    return std::any_of(entry.second.lanes.begin(), entry.second.lanes.end(),
                       [](const LaneState& lane) { return lane.first_reduction > 0 || !lane.reductions.empty(); });
  };
  return plain && messenger_.ports().memory().bytes == nullptr &&
         std::none_of(operations_.begin(), operations_.end(), reduces_in_network);
}

void CollectiveEngine::record(std::uint64_t rounds_left, StateRecord& state) const {
  state.count(operations_.size());
  for (const auto& [id, operation] : operations_) {
    state.count(operation.launched ? 1 : 0);
    state.count(operation.to_clear.size());
    state.count(operation.lanes_left);
    state.count(operation.outstanding);
    state.time(operation.first_action);
    for (const LaneState& lane : operation.lanes) {
      state.count(lane.ended ? 0 : lane.rounds_left - rounds_left);
      state.count(lane.place);
      state.count((lane.current ? 4U : 0U) + (lane.working ? 2U : 0U) + (lane.ended ? 1U : 0U));
      state.count(lane.current ? lane.current->extent.size : 0);
      state.count(lane.outstanding);
      state.time(lane.busy_until);
    }
  }
  for (const Ring<Delayed>& queue : delayed_) {
    state.count(queue.size());
    for (std::uint32_t i = 0; i < queue.size(); ++i) {
      state.time(queue[i].at);
      state.count(queue[i].edge.value());
    }
  }
  state.count(finished_.size());
  edges_.record(state);
}

void CollectiveEngine::skip(const Skip& what) {
  const Time now = messenger_.now();
  for (auto& [id, operation] : operations_) {
    operation.rounds_skipped += what.rounds;
    if (what.rounds == 0)
      operation.started += what.time;  // it stands for a later one
    if (operation.first_action > now || what.rounds == 0)
      operation.first_action += what.time;
    for (LaneState& lane : operation.lanes) {
      lane.rounds_left -= lane.ended ? 0 : what.rounds;
      lane.busy_until += what.time;
    }
  }
  for (Ring<Delayed>& queue : delayed_) {
    for (std::uint32_t i = 0; i < queue.size(); ++i)
      queue[i].at += what.time;
  }
  for (std::size_t i = 0; i < sent_.size(); ++i)
    sent_[i] += what.sent[i];
}

}  // namespace weft::workload
