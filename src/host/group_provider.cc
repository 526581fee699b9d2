#include "host/group_provider.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"
#include "host/aggregation_manager.h"

namespace weft::host {
namespace {

constexpr std::uint32_t kCompletions = 1U << 16;

verbs::CqHandle must(Result<verbs::CqHandle> made) {
  WEFT_ASSERT(made.has_value());
  return *made;
}

}  // namespace

SimGroupProvider::SimGroupProvider(const Place& place, const ReductionOptions& options)
    : ReductionActor(place.kernel, place.index),
      options_(options),
      provider_(place.nic, *this, place.service),
      rail_(place.rail),
      manager_(place.manager),
      endpoint_(place.nic.options().device.endpoint),
      cq_(must(provider_.create_cq(kCompletions))) {}

Result<void> SimGroupProvider::reserve_groups(const verbs::GroupReservation& reservation) {
  return manager_.reserve(reservation);
}

Result<verbs::GroupHandle> SimGroupProvider::create_group(const verbs::GroupAttributes& attributes) {
  if (Result<void> checked = verbs::check_group(attributes, options_.limits); !checked) {
    return pass_on(checked);
  }
  if (attributes.members[attributes.self.value()] != endpoint_) {
    return fail("group: own rank {} names endpoint {}; this rail is endpoint {}", attributes.self.value(),
                attributes.members[attributes.self.value()].value(), endpoint_.value());
  }
  if (!rail_.has_cq(attributes.cq)) {
    return fail("group: no such completion queue");
  }
  const auto number = static_cast<std::uint32_t>(groups_.size());
  const AggregationManager::Joining joining{.members = attributes.members, .self = attributes.self.value()};
  if (Result<void> checked = manager_.check(joining); !checked) {
    return pass_on(checked);
  }
  Result<TreeEdge> edge = TreeEdge::make(
      provider_, {.pd = attributes.pd, .cq = cq_, .number = number, .first_psn = manager_.first_psn(joining)},
      options_);
  if (!edge) {
    return pass_on(edge);
  }
  Result<AggregationManager::Membership> joined = manager_.join(joining, edge->address());
  if (!joined) {
    edge->destroy();
    return pass_on(joined);
  }
  if (Result<void> connected = edge->connect(joined->reducer, options_); !connected) {
    return pass_on(connected);
  }
  Group& group = groups_.emplace_back();
  group.open = true;
  group.attributes = attributes;
  group.tree = joined->tree;
  group.edge = *edge;
  return verbs::GroupHandle(number);
}

Result<SimGroupProvider::Group*> SimGroupProvider::find(verbs::GroupHandle handle) {
  if (handle.value() >= groups_.size() || !groups_[handle.value()].open) {
    return fail("no such group");
  }
  return &groups_[handle.value()];
}

Result<void> SimGroupProvider::destroy_group(verbs::GroupHandle handle) {
  Result<Group*> found = find(handle);
  if (!found) {
    return pass_on(found);
  }
  Group& group = **found;
  if (group.completed < group.posted) {
    return fail("group: {} requests are outstanding", group.posted - group.completed);
  }
  group.open = false;
  manager_.leave(group.tree, *group.edge);
  return {};
}

Result<void> SimGroupProvider::post_reduce(verbs::GroupHandle handle, const verbs::ReduceWr& request) {
  Result<Group*> found = find(handle);
  if (!found) {
    return pass_on(found);
  }
  Group& group = **found;
  if (Result<void> checked = verbs::check_reduce(group.attributes, request, options_.limits); !checked) {
    return checked;
  }
  if (group.posted - group.completed == group.attributes.max_reduce_wr) {
    return fail("REDUCE: {} requests are outstanding, the group's limit", group.posted - group.completed);
  }
  group.requests.push_back(request);
  ++group.posted;
  if (group.failed) {
    complete_next(group, verbs::WcStatus::kWrFlushErr);
  } else {
    advance(group);
  }
  return {};
}

void SimGroupProvider::work(Time now) {
  std::array<verbs::WorkCompletion, 32> batch;
  for (;;) {
    const Result<std::size_t> moved = provider_.poll_cq(cq_, batch);
    if (!moved || *moved == 0) {
      break;
    }
    for (std::size_t i = 0; i < *moved; ++i) {
      on_completion(batch[i]);
    }
  }
  if (next_check_ <= now) {
    check_waiting_groups(now);
  }
  wake_at(earlier(next_check_, provider_.next_visible(now)));
}

void SimGroupProvider::on_completion(const verbs::WorkCompletion& completion) {
  const TreeEdge::Event event = TreeEdge::event_of(completion.wr_id);
  Group& group = groups_[event.edge];
  if (!group.open) {
    return;
  }
  if (completion.status != verbs::WcStatus::kSuccess) {
    group.edge->on_broken();
    fail_group(group, completion.status);
    return;
  }
  switch (event.part) {
    case TreeEdge::Part::kReceive:
      on_response(group, completion);
      break;
    case TreeEdge::Part::kSend:
      group.edge->on_sent();
      ++group.acknowledged;
      advance(group);
      break;
    case TreeEdge::Part::kProbe:
    case TreeEdge::Part::kAbandon:
      group.edge->on_sent();
      break;
  }
}

void SimGroupProvider::on_response(Group& group, const verbs::WorkCompletion& completion) {
  if (group.failed) {
    return;
  }
  if (ReductionHeader::decode(completion.imm_data).abandoned) {
    group.edge->on_abandoned();
    fail_group(group, verbs::WcStatus::kRemAbortErr);
    return;
  }
  const verbs::ReduceWr& request = group.request(group.answered);
  const std::uint32_t expected = group.receives(request) ? request.source.length : 0;
  if (completion.byte_len != expected) {
    group.edge->abandon();
    fail_group(group, verbs::WcStatus::kBadRespErr);
    return;
  }
  ++group.answered;
  group.probe_timer.begin(now(), options_);
  advance(group);
}

// Completes, forgets and starts what can be; in this order, so that the window moves on at once.
void SimGroupProvider::advance(Group& group) {
  while (group.completed < group.started &&
         group.completed < (group.receives(group.request(group.completed)) ? group.answered : group.acknowledged)) {
    complete_next(group, verbs::WcStatus::kSuccess);
  }
  while (group.retired < std::min({group.completed, group.answered, group.acknowledged})) {
    (void)group.requests.pop_front();
    ++group.retired;
  }
  while (!group.failed && group.started < group.posted && group.started - group.retired < options_.window) {
    start_next(group);
  }
  WEFT_DCHECK(group.consistent());
}

void SimGroupProvider::complete_next(Group& group, verbs::WcStatus status) {
  const verbs::ReduceWr& request = group.request(group.completed++);
  rail_.complete(group.attributes.cq, {.wr_id = request.wr_id,
                                       .qp_num = group.edge->address().qpn,
                                       .byte_len = group.receives(request) ? request.source.length : 0,
                                       .status = status,
                                       .opcode = verbs::WcOpcode::kReduce});
}

void SimGroupProvider::start_next(Group& group) {
  const verbs::ReduceWr request = group.request(group.started++);
  ReductionHeader header{.reduction = {request.data_type, request.operation}};
  if (request.root) {
    header.root = request.root->value();
  }
  if (request.broadcast_from) {
    header.broadcast_from = request.broadcast_from->value();
  }
  Result<void> posted =
      group.edge->post_receive(group.receives(request) ? std::optional(request.destination) : std::nullopt);
  if (posted) {
    posted = group.edge->send(group.brings(request) ? std::optional(request.source) : std::nullopt, header);
  }
  if (!posted) {
    group.edge->on_broken();
    fail_group(group, verbs::WcStatus::kLocQpOpErr);
    return;
  }
  group.probe_timer.begin(now(), options_);
  next_check_ = earlier(next_check_, group.probe_timer.due());
  wake_at(next_check_);
}

void SimGroupProvider::fail_group(Group& group, verbs::WcStatus status) {
  if (std::exchange(group.failed, true)) {
    return;
  }
  while (group.completed < group.posted) {
    complete_next(group, std::exchange(status, verbs::WcStatus::kWrFlushErr));
  }
}

void SimGroupProvider::check_waiting_groups(Time now) {
  next_check_ = Time::never();
  for (Group& group : groups_) {
    if (!group.open || group.failed || group.answered == group.started) {
      continue;
    }
    switch (group.probe_timer.evaluate(now, options_)) {
      case ProbeTimer::Verdict::kGiveUp:
        group.edge->abandon();
        fail_group(group, verbs::WcStatus::kRetryExcErr);
        continue;
      case ProbeTimer::Verdict::kProbe:
        group.edge->probe();
        break;
      case ProbeTimer::Verdict::kWait:
        break;
    }
    next_check_ = earlier(next_check_, group.probe_timer.due());
  }
}

}  // namespace weft::host
