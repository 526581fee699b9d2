#include "workload/training/step_bound.h"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "base/assert.h"
#include "workload/training/transformer_step.h"

namespace weft::workload {
namespace {

bool is_update(Purpose purpose) { return purpose == Purpose::kData || purpose == Purpose::kParameter; }

/// Of the same kind of group, stage by stage.
using VolumeKey = std::tuple<std::uint32_t, CollectiveKind, bool>;

/// Follows one rank of each stage to the end of the step.
class StepWalk {
 public:
  StepWalk(const TrainingPlan& plan, const BoundLinks& links)
      : plan_(plan),
        links_(links),
        closed_{.gpus_per_host = links.gpus_per_domain, .scale_up = links.scale_up, .scale_out = links.scale_out} {
    for (std::int64_t stage = 0; stage < plan.job().parallelism.pipeline; ++stage) {
      RankCoordinates at;
      at.at[static_cast<std::size_t>(Axis::kPipeline)] = stage;
      const RankId rank = rank_at(plan.job().parallelism, at);
      stages_.push_back({.graph = TransformerStep(plan, rank), .finished = {}, .streams = {}, .waiting = {}});
      stages_.back().streams.resize(stages_.back().graph.streams());
    }
  }

  StepBound walk() {
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
        moved = advance(stage) || moved;
      }
    }
    for (const Stage& stage : stages_) {
      WEFT_ASSERT(!stage.waiting);  // the schedule has a message for every one that is awaited
    }
    for (const auto& [key, volume] : volumes_) {
      bound_.volumes.push_back(volume);
    }
    bound_.first_update = first_update_.value_or(bound_.step);
    return std::move(bound_);
  }

 private:
  struct Stage {
    TransformerStep graph;
    std::vector<Duration> finished;
    std::vector<Duration> streams;  // when the last node of each ends
    std::optional<GraphNode> waiting;
  };
  /// When messages have come, by their communicator and receiver.
  using Arrivals = std::map<std::pair<std::uint32_t, std::size_t>, std::deque<Duration>>;

  /// As far as messages of other stages allow. False: not at all.
  bool advance(std::size_t number) {
    Stage& own = stages_[number];
    bool moved = false;
    while (true) {
      std::optional<GraphNode> node = own.waiting ? std::move(own.waiting) : own.graph.next();
      own.waiting.reset();
      if (!node || node->label.step > 0) {
        return moved;
      }
      Duration start = own.streams[node->stream.value()];
      for (const NodeId before : node->after) {
        start = std::max(start, own.finished[before.value()]);
      }
      const std::optional<Duration> end = end_of(*node, start, number);
      if (!end) {
        own.waiting = std::move(node);
        return moved;
      }
      own.streams[node->stream.value()] = *end;
      own.finished.push_back(*end);
      bound_.step = std::max(bound_.step, *end);
      moved = true;
    }
  }

  /// None: a message has not been sent yet.
  std::optional<Duration> end_of(const GraphNode& node, Duration start, std::size_t number) {
    if (const auto* const compute = std::get_if<ComputeNode>(&node.work)) {
      return start + compute->time;
    }
    const CollectiveRequest& request = std::get<CommunicationNode>(node.work).request;
    const std::uint32_t group = request.communicator.value();
    if (request.kind == CollectiveKind::kReceive) {
      std::deque<Duration>& arrivals = arrivals_[{group, number}];
      if (arrivals.empty()) {
        return std::nullopt;
      }
      const Duration arrival = arrivals.front();
      arrivals.pop_front();
      return std::max(start, arrival);
    }
    if (is_update(node.label.purpose)) {
      first_update_ = std::min(first_update_.value_or(start), start);
    }
    count(node, request);
    const Duration end = start + least(request);
    if (request.kind == CollectiveKind::kSend) {
      arrivals_[{group, request.peer.value()}].push_back(end);
    }
    return end;
  }

  [[nodiscard]] GroupSpan span(const CollectiveRequest& request) {
    const auto known = spans_.find(request.communicator.value());
    if (known != spans_.end()) {
      return known->second;
    }
    const Communicator& group = plan_.groups().communicators()[request.communicator.value()];
    GroupSpan made = span_of(group, closed_);
    if (!links_.is_packed) {
      made.hosts = (made.members + links_.gpus_per_domain - 1) / links_.gpus_per_domain;
    }
    return spans_[request.communicator.value()] = made;
  }

  [[nodiscard]] Duration least(const CollectiveRequest& request) {
    const GroupSpan group = span(request);
    const std::int64_t share = links_.reduces ? 2 : 1;
    switch (request.kind) {
      case CollectiveKind::kAllReduce:
      case CollectiveKind::kReduceScatter:
      case CollectiveKind::kAllGather:
        return least_time(closed_, group, request) / share;
      case CollectiveKind::kAllToAll: {
        if (group.members == 1) {
          return Duration::zero();
        }
        const std::int64_t near = group.per_host() - 1;
        const std::int64_t far = group.members - group.per_host();
        return std::max(links_.scale_up.transmit_time(request.size * near / group.members),
                        links_.scale_out.transmit_time(request.size * far / group.members));
      }
      case CollectiveKind::kSend: {
        // Two neighbours may share a domain although the whole pipeline does not.
        const Rate rate = group.members > group.hosts ? std::max(links_.scale_up, links_.scale_out) : links_.scale_out;
        return rate.transmit_time(request.size);
      }
      case CollectiveKind::kReceive:
      case CollectiveKind::kBroadcast:
      case CollectiveKind::kReduce:
      case CollectiveKind::kBarrier:
        break;
    }
    return Duration::zero();
  }

  /// A stage's groups of one kind are alike: they share out its ranks.
  void count(const GraphNode& node, const CollectiveRequest& request) {
    if (request.kind == CollectiveKind::kSend) {
      return;
    }
    const bool update = is_update(node.label.purpose);
    StepVolume& volume = volumes_[{request.communicator.value(), request.kind, update}];
    if (volume.bytes == 0) {
      const Parallelism& p = plan_.job().parallelism;
      volume = {.is_update = update, .kind = request.kind, .span = span(request), .groups = 1, .bytes = 0};
      // The embedding's group is of two stages, both of which would count it.
      const std::int64_t ranks = p.world() / p.pipeline;
      volume.groups = node.label.purpose == Purpose::kEmbedding ? 0 : ranks / volume.span.members;
    }
    volume.bytes += static_cast<double>(request.size.count());
  }

  const TrainingPlan& plan_;
  const BoundLinks& links_;
  ClusterLinks closed_;
  std::vector<Stage> stages_;
  Arrivals arrivals_;
  std::map<std::uint32_t, GroupSpan> spans_;
  std::map<VolumeKey, StepVolume> volumes_;
  std::optional<Duration> first_update_;
  StepBound bound_;
};

}  // namespace

double least_crossing(const StepVolume& volume, std::int64_t parts, std::int64_t together) {
  if (parts <= 1) {
    return 0;
  }
  const auto n = static_cast<double>(volume.span.members);
  const auto groups = static_cast<double>(volume.groups);
  switch (volume.kind) {
    case CollectiveKind::kAllReduce:  // every part but one gives its sum away, and every one but one is told it
      return groups * 2 * static_cast<double>(parts - 1) * volume.bytes;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:  // a part has to be told what its own members do not have
      return groups * static_cast<double>(parts - 1) * volume.bytes;
    case CollectiveKind::kAllToAll:
      return groups * volume.bytes * std::max(0.0, n - static_cast<double>(together));
    case CollectiveKind::kSend:
    case CollectiveKind::kReceive:
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
    case CollectiveKind::kBarrier:
      break;
  }
  return 0;
}

Result<StepBound> bound_step(const TrainingPlan& plan, const BoundLinks& links) {
  const ClusterLinks closed{
      .gpus_per_host = links.gpus_per_domain, .scale_up = links.scale_up, .scale_out = links.scale_out};
  if (auto checked = check_links(closed); !checked) {
    return pass_on(checked);
  }
  return StepWalk(plan, links).walk();
}

}  // namespace weft::workload
