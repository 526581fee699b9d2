#include "host/reducer.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "base/counted.h"

namespace weft::host {
namespace {

/// Where a reducer's memory lies for its devices; the numbers mean nothing to anybody else.
constexpr std::uint64_t kSlotAddress = std::uint64_t{1} << 32;
constexpr std::uint64_t kRoomAddress = std::uint64_t{1} << 40;
constexpr std::uint32_t kReducerCompletions = 1U << 16;

template <class T>
T must(Result<T> made) {
  WEFT_ASSERT(made.has_value());
  if constexpr (!std::is_void_v<T>) {
    return std::move(*made);
  }
}

}  // namespace

Reducer::Port::Port(Reducer& owner, Nic& nic, std::uint32_t port)
    : reducer(owner),
      number(port),
      provider(nic, *this, owner.service_),
      pd(must(provider.alloc_pd())),
      cq(must(provider.create_cq(kReducerCompletions))) {}

void Reducer::Port::on_completions(Time at) {
  if (!has_completions) {
    has_completions = true;
    reducer.ports_with_completions_.push_back(number);
  }
  reducer.wake_at(at);
}

Reducer::Reducer(const Place& place, const ReductionOptions& options)
    : ReductionActor(place.kernel, place.index),
      options_(options),
      name_(place.name),
      carries_bytes_(place.carries_bytes),
      service_(place.service) {}

void Reducer::add_port(Nic& nic) { ports_.emplace_back(*this, nic, ports()); }

Result<Reducer::GroupNumber> Reducer::open_group(const GroupShape& shape) {
  if (shape.children > options_.max_children) {
    return fail("{} would have {} children in one group; the most is {} (reduction.max_children), {} would fit", name_,
                shape.children, options_.max_children, shape.children);
  }
  if (groups_open_ == options_.max_groups) {
    return fail("{} already serves {}, its limit (reduction.max_groups); one more needs at least {}", name_,
                counted(groups_open_, {"group", "groups"}), groups_open_ + 1);
  }
  WEFT_ASSERT(shape.members.size() == shape.children);
  const auto closed = std::find_if(groups_.begin(), groups_.end(), [](const Group& group) { return !group.open; });
  const auto number = static_cast<GroupNumber>(closed - groups_.begin());
  if (closed == groups_.end()) {
    groups_.emplace_back();
  }
  Group& group = groups_[number];
  group = Group{};
  group.open = true;
  group.children = std::vector<Child>(shape.children);
  for (std::uint32_t i = 0; i < shape.children; ++i) {
    group.children[i].members = shape.members[i];
  }
  group.slots.resize(options_.window);
  if (carries_bytes_) {
    group.memory = std::make_unique<std::byte[]>(options_.window * stride());
  }
  ++groups_open_;
  return number;
}

Reducer::Edge& Reducer::edge_of(const EdgeName& name) {
  Group& group = groups_[name.group];
  WEFT_DCHECK(group.open && (name.child ? *name.child < group.children.size() : group.parent.has_value()));
  return name.child ? group.children[*name.child] : *group.parent;
}

Result<EdgeAddress> Reducer::open_edge(const EdgePlace& place) {
  Group& group = groups_[place.group];
  if (!place.child) {
    group.parent = Edge{};
  }
  const EdgeName name{.group = place.group, .child = place.child};
  Edge& edge = edge_of(name);
  edge.port = &ports_[place.port % ports()];
  edge.number = static_cast<std::uint32_t>(edges_.size());
  Result<TreeEdge> made = TreeEdge::make(
      edge.port->provider,
      {.pd = edge.port->pd, .cq = edge.port->cq, .number = edge.number, .first_psn = place.first_psn}, options_);
  if (!made) {
    return pass_on(made);
  }
  edges_.push_back(name);
  edge.queue_pair = *made;
  if (Result<void> given = register_memory(group, edge); !given) {
    return pass_on(given);
  }
  return edge.queue_pair->address();
}

Result<void> Reducer::register_memory(Group& group, Edge& edge) {
  Result<std::uint32_t> key = edge.port->provider.reg_mr({.pd = edge.port->pd,
                                                          .address = kSlotAddress,
                                                          .length = options_.window * stride(),
                                                          .bytes = group.memory.get(),
                                                          .access = verbs::kAccessLocalWrite});
  if (!key) {
    return pass_on(key);
  }
  edge.slots_key = *key;
  return {};
}

// One message more than the window: abandonment may follow a full one.
Result<void> Reducer::allocate_receive_buffer(Child& child) {
  const std::size_t bytes = (options_.window + 1) * stride();
  if (carries_bytes_) {
    child.room = std::make_unique<std::byte[]>(bytes);
  }
  Result<std::uint32_t> key = child.port->provider.reg_mr({.pd = child.port->pd,
                                                           .address = kRoomAddress,
                                                           .length = bytes,
                                                           .bytes = child.room.get(),
                                                           .access = verbs::kAccessLocalWrite});
  if (!key) {
    return pass_on(key);
  }
  child.room_key = *key;
  for (std::uint64_t sequence = 0; sequence <= options_.window; ++sequence) {
    if (Result<void> posted = post_room(child, sequence); !posted) {
      return posted;
    }
  }
  return {};
}

Result<void> Reducer::post_room(Child& child, std::uint64_t sequence) {
  return child.queue_pair->post_receive(
      verbs::Sge{.address = kRoomAddress + sequence % (options_.window + 1) * stride(),
                 .length = static_cast<std::uint32_t>(stride()),
                 .lkey = child.room_key});
}

verbs::Sge Reducer::slot_of(const Edge& edge, std::uint64_t sequence, std::uint32_t length) const {
  WEFT_DCHECK(length <= stride());
  return {.address = kSlotAddress + sequence % options_.window * stride(), .length = length, .lkey = edge.slots_key};
}

Result<void> Reducer::connect_edge(const EdgePlace& place, const EdgeAddress& peer) {
  Edge& edge = edge_of({.group = place.group, .child = place.child});
  if (Result<void> connected = edge.queue_pair->connect(peer, options_); !connected) {
    return connected;
  }
  return place.child ? allocate_receive_buffer(groups_[place.group].children[*place.child]) : Result<void>{};
}

void Reducer::close_group(GroupNumber number) {
  Group& group = groups_[number];
  WEFT_ASSERT(group.open && groups_open_ > 0);
  const auto close = [this](Edge& edge) {
    if (edge.queue_pair) {
      edge.queue_pair->destroy();
      edges_[edge.number].reset();
      must(edge.port->provider.dereg_mr(edge.slots_key));
    }
  };
  for (Child& child : group.children) {
    close(child);
    if (child.room_key != 0) {
      must(child.port->provider.dereg_mr(child.room_key));
    }
  }
  if (group.parent) {
    close(*group.parent);
  }
  group = Group{};
  --groups_open_;
}

void Reducer::work(Time now) {
  while (!ports_with_completions_.empty()) {
    Port& port = ports_[ports_with_completions_.pop_front()];
    port.has_completions = false;
    take_completions(port);
  }
  while (!latent_.empty() && latent_.front().at <= now) {
    pass_on_next(latent_.pop_front().group);
  }
  if (next_check_ <= now) {
    check_waiting_groups(now);
  }
  wake_at(latent_.empty() ? next_check_ : earlier(latent_.front().at, next_check_));
}

void Reducer::take_completions(Port& port) {
  std::array<verbs::WorkCompletion, 32> batch;
  for (;;) {
    const Result<std::size_t> moved = port.provider.poll_cq(port.cq, batch);
    if (!moved || *moved == 0) {
      return;
    }
    for (std::size_t i = 0; i < *moved; ++i) {
      on_completion(batch[i]);
    }
  }
}

void Reducer::on_completion(const verbs::WorkCompletion& completion) {
  const TreeEdge::Event event = TreeEdge::event_of(completion.wr_id);
  if (!edges_[event.edge]) {
    return;  // closed meanwhile
  }
  const EdgeName name = *edges_[event.edge];
  Group& group = groups_[name.group];
  Edge& edge = edge_of(name);
  if (completion.status != verbs::WcStatus::kSuccess) {
    edge.queue_pair->on_broken();
    fail_group(name.group);
    return;
  }
  switch (event.part) {
    case TreeEdge::Part::kReceive:
      if (name.child) {
        on_vector(name.group, group.children[*name.child], completion);
      } else {
        on_result(name.group, completion);
      }
      break;
    case TreeEdge::Part::kSend:
      edge.queue_pair->on_sent();
      (name.child ? group.children[*name.child].acknowledged : group.up_acknowledged) += 1;
      WEFT_DCHECK(name.child ? group.children[*name.child].acknowledged <= group.children[*name.child].answered
                             : group.up_acknowledged <= group.passed_on);
      combine_ready(name.group);
      break;
    case TreeEdge::Part::kProbe:
    case TreeEdge::Part::kAbandon:
      edge.queue_pair->on_sent();
      break;
  }
}

void Reducer::on_vector(GroupNumber number, Child& child, const verbs::WorkCompletion& completion) {
  Group& group = groups_[number];
  const ReductionHeader header = ReductionHeader::decode(completion.imm_data);
  if (header.abandoned) {
    child.queue_pair->on_abandoned();
    fail_group(number);
    return;
  }
  ++child.arrived;
  if (group.failed) {
    child.queue_pair->abandon();
    return;
  }
  ++counters_.vectors;
  counters_.bytes += completion.byte_len;
  child.waiting.push_back({.header = completion.imm_data, .length = completion.byte_len});
  counters_.peak_held = std::max(counters_.peak_held, child.waiting.size());
  group.probe_timer.begin(now(), options_);
  next_check_ = earlier(next_check_, group.probe_timer.due());
  combine_ready(number);
}

void Reducer::on_result(GroupNumber number, const verbs::WorkCompletion& completion) {
  Group& group = groups_[number];
  if (ReductionHeader::decode(completion.imm_data).abandoned) {
    group.parent->queue_pair->on_abandoned();
    fail_group(number);
  } else if (!group.failed) {
    group.probe_timer.begin(now(), options_);
    respond_next(number, completion.byte_len);
  }
}

// A slot is free once nobody can need it again: its answers are acknowledged, and so is what went up.
bool Reducer::may_combine(const Group& group) const {
  if (group.failed) {
    return false;
  }
  std::uint64_t done = group.parent ? group.up_acknowledged : group.combined;
  for (const Child& child : group.children) {
    if (child.waiting.empty()) {
      return false;
    }
    done = std::min(done, child.acknowledged);
  }
  WEFT_DCHECK(done <= group.combined);
  return group.combined - done < options_.window;
}

void Reducer::combine_ready(GroupNumber number) {
  Group& group = groups_[number];
  while (may_combine(group)) {
    if (!combine_next(group)) {
      fail_group(number);
      return;
    }
    latent_.push_back({now() + options_.latency, number});
  }
  if (!latent_.empty()) {
    wake_at(latent_.front().at);
  }
}

std::optional<Reducer::Vector> Reducer::matched(const Group& group) {
  Vector result = group.children.front().waiting.front();
  const std::optional<std::uint32_t> source = ReductionHeader::decode(result.header).broadcast_from;
  if (source) {
    result.length = 0;  // unless a child has it: it may come from above
  }
  for (const Child& child : group.children) {
    const Vector& own = child.waiting.front();
    const bool brings = !source || std::binary_search(child.members.begin(), child.members.end(), *source);
    if (source && brings) {
      result.length = own.length;
    }
    if (own.header != result.header || own.length != (brings ? result.length : 0)) {
      return std::nullopt;  // the members do not ask for the same
    }
  }
  return result;
}

void Reducer::combine_bytes(Group& group, const Vector& result) const {
  const ReductionHeader header = ReductionHeader::decode(result.header);
  std::byte* const to = group.memory.get() + group.combined % options_.window * stride();
  std::vector<std::span<const std::byte>> operands;
  for (const Child& child : group.children) {
    const std::uint64_t sequence = child.arrived - child.waiting.size();
    if (child.waiting.front().length > 0) {
      operands.emplace_back(child.room.get() + sequence % (options_.window + 1) * stride(), result.length);
    }
  }
  if (!header.broadcast_from) {
    reduce_vectors(header.reduction, operands, {to, result.length});
  } else if (!operands.empty()) {
    std::ranges::copy(operands.front(), to);
  }
}

bool Reducer::combine_next(Group& group) {
  const std::optional<Vector> result = matched(group);
  if (!result) {
    return false;
  }
  if (carries_bytes_) {
    combine_bytes(group, *result);
  }
  for (Child& child : group.children) {
    child.waiting.pop_front();
    const std::uint64_t sequence = child.arrived - child.waiting.size() + options_.window;
    if (Result<void> posted = post_room(child, sequence); !posted) {
      return false;
    }
  }
  group.slots[group.combined % options_.window] = *result;
  ++group.combined;
  ++counters_.reductions;
  return true;
}

void Reducer::pass_on_next(GroupNumber number) {
  Group& group = groups_[number];
  if (!group.open || group.failed || group.passed_on == group.combined) {
    return;
  }
  const std::uint64_t sequence = group.passed_on++;
  WEFT_DCHECK(group.passed_on <= group.combined && group.combined - sequence <= options_.window);
  const Vector& vector = group.slots[sequence % options_.window];
  ++counters_.results;
  if (!group.parent) {
    respond_next(number, vector.length);
    return;
  }
  // A broadcast from elsewhere is as long as its sender says.
  const auto room = static_cast<std::uint32_t>(vector.length > 0 ? vector.length : stride());
  const bool brings = vector.length > 0;
  if (!group.parent->queue_pair->post_receive(slot_of(*group.parent, sequence, room)) ||
      !group.parent->queue_pair->send(
          brings ? std::optional(slot_of(*group.parent, sequence, vector.length)) : std::nullopt,
          ReductionHeader::decode(vector.header))) {
    fail_group(number);
  }
}

// `length` is zero where the result has gone elsewhere.
void Reducer::respond_next(GroupNumber number, std::uint32_t length) {
  Group& group = groups_[number];
  const std::uint64_t sequence = group.answered++;
  const ReductionHeader header = ReductionHeader::decode(group.slots[sequence % options_.window].header);
  for (Child& child : group.children) {
    const bool gets_it =
        length > 0 && (!header.root || std::binary_search(child.members.begin(), child.members.end(), *header.root));
    ++child.answered;
    ++counters_.answers;
    if (!child.queue_pair->send(gets_it ? std::optional(slot_of(child, sequence, length)) : std::nullopt, header)) {
      fail_group(number);
      return;
    }
  }
}

void Reducer::fail_group(GroupNumber number) {
  Group& group = groups_[number];
  if (std::exchange(group.failed, true)) {
    return;
  }
  ++counters_.failures;
  for (Child& child : group.children) {
    // One that waits for nothing has no receive request: it is told when it sends.
    if (child.queue_pair && child.arrived > child.answered) {
      child.queue_pair->abandon();
    }
  }
  if (group.parent && group.parent->queue_pair) {
    group.parent->queue_pair->abandon();
  }
}

bool Reducer::waits(const Group& group) {
  return group.open && !group.failed &&
         std::any_of(group.children.begin(), group.children.end(),
                     [&](const Child& child) { return child.arrived > child.answered; });
}

void Reducer::check_waiting_groups(Time now) {
  next_check_ = Time::never();
  for (GroupNumber number = 0; number < groups_.size(); ++number) {
    Group& group = groups_[number];
    if (!waits(group)) {
      continue;
    }
    const ProbeTimer::Verdict verdict = group.probe_timer.evaluate(now, options_);
    if (verdict == ProbeTimer::Verdict::kGiveUp) {
      fail_group(number);
      continue;
    }
    next_check_ = earlier(next_check_, group.probe_timer.due());
    if (verdict == ProbeTimer::Verdict::kProbe) {
      for (Child& child : group.children) {
        if (child.queue_pair) {
          child.queue_pair->probe();
        }
      }
      if (group.parent) {
        group.parent->queue_pair->probe();
      }
    }
  }
}

std::size_t Reducer::heap_bytes() const {
  std::size_t bytes = edges_.capacity() * sizeof(EdgeName) + groups_.capacity() * sizeof(Group);
  for (const Group& group : groups_) {
    bytes += group.children.capacity() * sizeof(Child) + group.slots.capacity() * sizeof(Vector);
    if (group.memory != nullptr) {
      bytes += (options_.window + (options_.window + 1) * group.children.size()) * stride();
    }
  }
  return bytes;
}

}  // namespace weft::host
