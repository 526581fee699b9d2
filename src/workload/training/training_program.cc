#include "workload/training/training_program.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace weft::workload {

Result<std::unique_ptr<TrainingProgram>> TrainingProgram::make(verbs::Machine& machine, Collectives& collectives,
                                                               std::unique_ptr<StepGraph> graph, Stragglers stragglers,
                                                               const TrainingProgramOptions& options) {
  if (options.window == 0) {
    return fail("rank {}: a window of 0 nodes; at least 1", options.rank.value());
  }
  std::unique_ptr<TrainingProgram> program(
      new TrainingProgram(machine, collectives, std::move(graph), std::move(stragglers), options));
  for (const Communicator& communicator : program->graph_->communicators()) {
    auto id = collectives.add(communicator);
    if (!id) {
      return pass_on(id);
    }
    program->communicators_.push_back(*id);
  }
  return program;
}

TrainingProgram::TrainingProgram(verbs::Machine& machine, Collectives& collectives, std::unique_ptr<StepGraph> graph,
                                 Stragglers stragglers, const TrainingProgramOptions& options)
    : machine_(machine),
      collectives_(collectives),
      graph_(std::move(graph)),
      stragglers_(std::move(stragglers)),
      options_(options),
      streams_(graph_->streams()) {}

// Operations of one kind and size use the same connections however often they come.
Result<void> TrainingProgram::connect_all() {
  using Key = std::tuple<CommunicatorId, CollectiveKind, CollectiveAlgorithm, Bytes, MemberIndex, MemberIndex>;
  std::set<Key> seen;
  while (const auto node = connected_first_->next()) {
    const auto* const work = std::get_if<CommunicationNode>(&node->work);
    if (work == nullptr) {
      continue;
    }
    CollectiveRequest request = work->request;
    WEFT_ASSERT(request.communicator.value() < communicators_.size());
    request.communicator = communicators_[request.communicator.value()];
    const Key key{request.communicator, request.kind, request.algorithm, request.size, request.root, request.peer};
    if (!seen.insert(key).second) {
      continue;
    }
    if (auto connected = collectives_.connect(request); !connected) {
      return connected;
    }
  }
  connected_first_.reset();
  return {};
}

Result<void> TrainingProgram::start() {
  if (connected_first_ != nullptr) {
    if (auto connected = connect_all(); !connected) {
      return connected;
    }
  }
  if (auto filled = fill(); !filled) {
    return filled;
  }
  return take_all();
}

Result<void> TrainingProgram::on_event() { return take_all(); }

// What ends now may let something begin that ends now as well.
Result<void> TrainingProgram::take_all() {
  for (bool news = true; news;) {
    if (auto told = collectives_.on_completions(); !told) {
      return told;
    }
    auto events = take_machine_events();
    if (!events) {
      return pass_on(events);
    }
    auto finished = take_collectives();
    if (!finished) {
      return pass_on(finished);
    }
    news = *events || *finished;
  }
  return {};
}

Result<bool> TrainingProgram::take_machine_events() {
  bool any = false;
  std::array<verbs::MachineEvent, 16> events{};
  while (const std::size_t count = machine_.poll_events(events)) {
    any = true;
    for (std::size_t i = 0; i < count; ++i) {
      const verbs::MachineEvent& event = events[i];
      const bool is_theirs = (event.token & Collectives::kCollectiveTokens) != 0;
      auto taken =
          is_theirs ? collectives_.on_machine_event(event) : finish(NodeId(static_cast<std::uint32_t>(event.token)));
      if (!taken) {
        return pass_on(taken);
      }
    }
  }
  return any;
}

Result<bool> TrainingProgram::take_collectives() {
  bool any = false;
  std::array<CollectiveFinished, 16> finished{};
  while (const std::size_t count = collectives_.take_finished(finished)) {
    any = true;
    for (std::size_t i = 0; i < count; ++i) {
      const NodeId node(static_cast<std::uint32_t>(finished[i].token));
      NodeRecord& record = slot(node).record;
      record.turn = later(record.begun, finished[i].started);
      if (auto done = finish(node); !done) {
        return pass_on(done);
      }
    }
  }
  return any;
}

Result<void> TrainingProgram::fill() {
  while (!exhausted_ && open_ < options_.window) {
    auto node = graph_->next();
    if (!node) {
      exhausted_ = true;
      return {};
    }
    open(*std::move(node));
    const NodeId id(first_ + static_cast<std::uint32_t>(slots_.size()) - 1);
    if (auto begun = begin_if_possible(id); !begun) {
      return begun;
    }
  }
  return {};
}

void TrainingProgram::open(GraphNode node) {
  const NodeId id(first_ + static_cast<std::uint32_t>(slots_.size()));
  WEFT_ASSERT(node.stream.value() < streams_.size());
  streams_[node.stream.value()].push_back(id);
  std::ranges::sort(node.after);
  node.after.erase(std::unique(node.after.begin(), node.after.end()), node.after.end());
  std::uint32_t waits_for = 0;
  for (const NodeId earlier : node.after) {
    WEFT_ASSERT(earlier < id);
    if (!is_finished(earlier)) {
      slot(earlier).dependents.push_back(id);
      ++waits_for;
    }
  }
  NodeRecord record{.label = node.label, .stream = node.stream};
  slots_.push_back({.node = std::move(node), .record = record, .waits_for = waits_for});
  ++open_;
}

// Whatever ended last, or the start of the run, is what made the node ready: this is tried after every change.
Result<void> TrainingProgram::begin_if_possible(NodeId node) {
  Slot& s = slot(node);
  if (s.waits_for > 0 || streams_[s.node.stream.value()].front() != node) {
    return {};
  }
  s.record.ready = machine_.now();
  s.record.begun = s.record.ready;
  s.record.turn = s.record.ready;
  s.record.enabling = last_finished_;
  if (std::holds_alternative<CommunicationNode>(s.node.work)) {
    return communicate(node);
  }
  gpu_queue_.push_back(node);
  return gpu_queue_.size() == 1 ? compute(node) : Result<void>{};
}

Result<void> TrainingProgram::compute(NodeId node) {
  Slot& s = slot(node);
  s.record.begun = machine_.now();
  s.record.turn = s.record.begun;
  s.record.enabling = last_finished_;
  const Duration time = stragglers_.stretch(std::get<ComputeNode>(s.node.work).time, s.node.label.step, s.record.begun);
  return machine_.compute({.gpu = options_.gpu, .work = time, .token = node.value()});
}

Result<void> TrainingProgram::communicate(NodeId node) {
  Slot& s = slot(node);
  const auto& work = std::get<CommunicationNode>(s.node.work);
  CollectiveRequest request = work.request;
  WEFT_ASSERT(request.communicator.value() < communicators_.size());
  s.record.communicator = request.communicator;
  s.record.kind = request.kind;
  s.record.peer = request.peer;
  s.record.size = request.size;
  s.record.number = next_number(work);
  const auto purpose = static_cast<std::size_t>(s.node.label.purpose);
  const Communicator& group = graph_->communicators()[request.communicator.value()];
  totals_.sent[purpose] += volume_sent(request, group.members.size());
  ++totals_.operations[purpose];
  request.communicator = communicators_[request.communicator.value()];
  request.token = node.value();
  return collectives_.begin(request);
}

std::uint32_t TrainingProgram::next_number(const CommunicationNode& work) {
  const CollectiveRequest& request = work.request;
  const bool between_two = request.kind == CollectiveKind::kSend || request.kind == CollectiveKind::kReceive;
  const OperationQueueKey key{.communicator = request.communicator,
                              .kind = between_two ? request.kind : CollectiveKind::kAllReduce,
                              .peer = between_two ? request.peer : MemberIndex()};
  const auto at = std::ranges::lower_bound(numbers_, key, {}, &std::pair<OperationQueueKey, std::uint32_t>::first);
  if (at != numbers_.end() && at->first == key) {
    return ++at->second;
  }
  numbers_.insert(at, {key, 0});
  return 0;
}

Result<void> TrainingProgram::finish(NodeId node) {
  Slot& s = slot(node);
  WEFT_ASSERT(!s.done);
  s.done = true;
  s.record.finished = machine_.now();
  last_finished_ = node;
  --open_;
  ++totals_.nodes;
  totals_.finished = machine_.now();
  if (options_.sink != nullptr) {
    options_.sink->on_node(options_.rank, node, s.record);
  }
  if (s.record.is_compute()) {
    totals_.computing += s.record.finished - s.record.begun;
    gpu_queue_.pop_front();
    if (!gpu_queue_.empty()) {
      if (auto begun = compute(gpu_queue_.front()); !begun) {
        return begun;
      }
    }
  }
  auto& stream = streams_[s.node.stream.value()];
  stream.pop_front();
  const std::vector<NodeId> dependents = std::move(s.dependents);
  for (const NodeId dependent : dependents) {
    --slot(dependent).waits_for;
  }
  // The stream's next node may be a dependent as well: it begins once.
  const NodeId next = stream.empty() ? NodeId() : stream.front();
  if (next.is_valid()) {
    if (auto begun = begin_if_possible(next); !begun) {
      return begun;
    }
  }
  for (const NodeId dependent : dependents) {
    if (dependent != next) {
      if (auto begun = begin_if_possible(dependent); !begun) {
        return begun;
      }
    }
  }
  while (!slots_.empty() && slots_.front().done) {
    slots_.pop_front();
    ++first_;
  }
  return fill();
}

}  // namespace weft::workload
