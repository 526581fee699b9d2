#include "workload/collective/costed_collectives.h"

#include <algorithm>

namespace weft::workload {
namespace {

bool is_between_two(CollectiveKind kind) { return kind == CollectiveKind::kSend || kind == CollectiveKind::kReceive; }

bool has_root(CollectiveKind kind) { return kind == CollectiveKind::kBroadcast || kind == CollectiveKind::kReduce; }

}  // namespace

Result<CommunicatorId> CostedCollectives::add(const Communicator& communicator) {
  auto& all = network_.communicators_;
  if (added_ < all.size()) {
    const Communicator& known = all[added_];
    if (known.name != communicator.name || known.members != communicator.members) {
      return fail("rank {} adds communicator {} where another rank added {}", rank_.value(), communicator.name,
                  known.name);
    }
    return CommunicatorId(added_++);
  }
  auto members = communicator.members;
  std::ranges::sort(members);
  if (members.empty() || std::ranges::adjacent_find(members) != members.end()) {
    return fail("communicator {}: no member, or a rank twice", communicator.name);
  }
  if (std::ranges::any_of(all, [&](const Communicator& other) { return other.name == communicator.name; })) {
    return fail("communicator {}: there is one of that name", communicator.name);
  }
  all.push_back(communicator);
  return CommunicatorId(added_++);
}

const Communicator& CostedCollectives::communicator(CommunicatorId id) const {
  WEFT_ASSERT(id.is_valid() && id.value() < added_);
  return network_.communicators_[id.value()];
}

Result<MemberIndex> CostedCollectives::self_in(const Communicator& communicator) const {
  const auto found = std::ranges::find(communicator.members, rank_);
  if (found == communicator.members.end()) {
    return fail("rank {} is not a member of communicator {}", rank_.value(), communicator.name);
  }
  return MemberIndex(static_cast<std::uint32_t>(found - communicator.members.begin()));
}

Result<void> CostedCollectives::begin(const CollectiveRequest& request) {
  if (!request.communicator.is_valid() || request.communicator.value() >= added_) {
    return fail("rank {}: no such communicator", rank_.value());
  }
  const Communicator& group = communicator(request.communicator);
  auto self = self_in(group);
  if (!self) {
    return pass_on(self);
  }
  if (request.size < Bytes::zero()) {
    return fail("communicator {}: {} of {} bytes", group.name, to_string(request.kind), request.size.count());
  }
  if (has_root(request.kind) && request.root.value() >= group.members.size()) {
    return fail("communicator {}: root {} of {} members", group.name, request.root.value(), group.members.size());
  }
  if (!is_between_two(request.kind)) {
    join({.communicator = request.communicator}, request, group.members.size());
    return {};
  }
  if (request.peer.value() >= group.members.size() || request.peer == *self) {
    return fail("communicator {}: {} with member {} of {}", group.name, to_string(request.kind), request.peer.value(),
                group.members.size());
  }
  const bool sends = request.kind == CollectiveKind::kSend;
  join({.communicator = request.communicator,
        .sender = sends ? *self : request.peer,
        .receiver = sends ? request.peer : *self},
       request, 2);
  return {};
}

void CostedCollectives::join(const OperationQueueKey& key, const CollectiveRequest& request, std::size_t members) {
  Line& line = lines_[key];
  if (line.queue == nullptr) {
    line.key = key;
    line.queue = &network_.lines_[key];
  }
  CostedNetwork::OperationQueue& queue = *line.queue;
  const std::uint64_t place = line.joined++ - queue.closed;
  WEFT_ASSERT(place <= queue.open.size());
  if (place == queue.open.size()) {
    queue.open.push_back({.request = request, .members = {}, .last_begun = {}});
    queue.open.back().members.reserve(members);
  }
  auto& pending_operation = queue.open[static_cast<std::size_t>(place)];
  if (request.kind == CollectiveKind::kSend) {
    pending_operation.request = request;
  }
  const std::uint64_t operation = first_operation_ + operations_.size();
  operations_.push_back(
      {.token = request.token, .begun = machine_.now(), .finished = Time::never(), .line = &line, .shared = 0});
  ++outstanding_;
  pending_operation.members.push_back({.member = this, .operation = operation});
  pending_operation.last_begun = later(pending_operation.last_begun, machine_.now());
  if (pending_operation.members.size() == members) {
    WEFT_ASSERT(place == 0);  // the last to begin this has begun all before it
    close(line);
  }
}

CostedOperation CostedCollectives::costed(const CostedNetwork::PendingOperation& pending,
                                          const OperationQueueKey& key) const {
  const Communicator& group = communicator(key.communicator);
  CostedOperation operation{.communicator = group, .request = pending.request};
  if (key.sender.is_valid()) {
    operation.sender = group.members[key.sender.value()];
    operation.receiver = group.members[key.receiver.value()];
  }
  return operation;
}

void CostedCollectives::close(const Line& line) {
  CostedNetwork::OperationQueue& queue = *line.queue;
  CostedNetwork::PendingOperation pending_operation = std::move(queue.open.front());
  queue.open.pop_front();
  ++queue.closed;
  if (network_.sharing_.progress != nullptr) {
    queue.due.push_back(std::move(pending_operation));
    return start_next(line);
  }
  const Duration cost = network_.cost_(costed(pending_operation, line.key));
  WEFT_ASSERT(cost >= Duration::zero());
  queue.free_at = later(queue.free_at, pending_operation.last_begun) + cost;
  for (const auto& [member, id] : pending_operation.members) {
    member->end_at(id, queue.free_at);
  }
}

void CostedCollectives::start_next(const Line& line) {
  CostedNetwork::OperationQueue& queue = *line.queue;
  if (queue.under_way || queue.due.empty()) {
    return;
  }
  CostedNetwork::PendingOperation next = std::move(queue.due.front());
  queue.due.pop_front();
  queue.members = std::move(next.members);
  const CostedOperation operation = costed(next, line.key);
  const Duration alone = network_.cost_(operation);
  WEFT_ASSERT(alone > Duration::zero());
  SharedProgress& progress = *network_.sharing_.progress;
  queue.under_way =
      progress.begin(network_.sharing_.operation(operation), alone, machine_.now(), [of = &queue](Time at) {
        for (const auto& [member, id] : of->members) {
          member->end_at(id, at);
        }
      });
  for (const auto& [member, id] : queue.members) {
    member->at(id).shared = *queue.under_way;
  }
}

// The first member to see the end of an operation makes room for the next.
void CostedCollectives::note_end(const Operation& operation) {
  CostedNetwork::OperationQueue& queue = *operation.line->queue;
  if (network_.sharing_.progress != nullptr && queue.under_way == operation.shared) {
    queue.under_way.reset();
    network_.sharing_.progress->end(operation.shared, machine_.now());
    start_next(*operation.line);
  }
}

void CostedCollectives::end_at(std::uint64_t operation, Time at) {
  this->at(operation).finished = at;
  machine_.set_timer({.at = at, .token = kCollectiveTokens | operation});
}

Result<void> CostedCollectives::on_machine_event(const verbs::MachineEvent& event) {
  const std::uint64_t id = event.token & ~kCollectiveTokens;
  if (id < first_operation_ || id - first_operation_ >= operations_.size()) {
    return {};  // has ended, as what follows
  }
  Operation& operation = at(id);
  if (operation.line == nullptr || machine_.now() < operation.finished) {
    return {};  // has ended, or later than it seemed when the timer was set
  }
  note_end(operation);
  Time& turn = operation.line->turn;
  finished_.push_back(
      {.token = operation.token, .started = later(operation.begun, turn), .finished = operation.finished});
  turn = operation.finished;
  operation.line = nullptr;
  while (!operations_.empty() && operations_.front().line == nullptr) {
    (void)operations_.pop_front();
    ++first_operation_;
  }
  return {};
}

std::size_t CostedCollectives::take_finished(std::span<CollectiveFinished> out) {
  const std::size_t moved = std::min<std::size_t>(out.size(), finished_.size());
  for (std::size_t i = 0; i < moved; ++i) {
    out[i] = finished_.pop_front();
  }
  outstanding_ -= moved;
  return moved;
}

}  // namespace weft::workload
