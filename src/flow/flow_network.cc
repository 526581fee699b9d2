#include "flow/flow_network.h"

#include <algorithm>

#include "base/assert.h"
#include "flow/flow_device.h"
#include "flow/flow_machine.h"

namespace weft::flow {
FlowNetwork::FlowNetwork(Medium& medium, std::vector<double> capacities, const Corrections& corrections)
    : medium_(medium), corrections_(corrections), transfers_(std::move(capacities)) {
  if (corrections.flow_backlog > Bytes::zero()) {
    constexpr double kBits = 8;
    transfers_.limit_queues({.flow = kBits * static_cast<double>(corrections.flow_backlog.count()),
                             .link = kBits * static_cast<double>(corrections.link_backlog.count())});
  }
}

FlowNetwork::~FlowNetwork() = default;

FlowMachine& FlowNetwork::add_machine(std::uint64_t rank, const verbs::MachineWork::Options& options) {
  const auto index = static_cast<std::uint32_t>(machines_.size());
  machines_.push_back(std::unique_ptr<FlowMachine>(new FlowMachine(*this, rank, index, options)));
  return *machines_.back();
}

void FlowNetwork::start() {
  std::vector<FlowMachine*> order;
  for (const auto& machine : machines_) {
    order.push_back(machine.get());
  }
  std::ranges::stable_sort(order, {}, [](const FlowMachine* machine) { return machine->name_hash_; });
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[i]->rank_ = i;
    mark(*order[i]);
  }
}

void FlowNetwork::mark(FlowMachine& machine) {
  if (!machine.marked_) {
    machine.marked_ = true;
    marked_.push_back(&machine);
  }
}

void FlowNetwork::fail_with(const Error& error) {
  if (!error_) {
    error_ = error;
  }
}

void FlowNetwork::schedule(Time at, EventKind kind, std::uint32_t index) {
  const FlowMachine& machine = kind == EventKind::kWake ? *machines_[index] : pairs_[index].device->machine();
  heap_.push_back({.at = at, .order = order_++, .rank = machine.rank_, .index = index, .kind = kind});
  std::ranges::push_heap(heap_, kComesLater);
}

Time FlowNetwork::next_time() {
  Time next = earlier(transfers_.next_finish(), transfers_.next_settle());
  if (!heap_.empty()) {
    next = earlier(next, heap_.front().at);
  }
  return planned_.empty() ? next : earlier(next, planned_.begin()->first);
}

void FlowNetwork::run_programs() {
  std::vector<FlowMachine*> called;
  std::swap(called, marked_);
  std::ranges::sort(called, {}, [](const FlowMachine* machine) { return machine->rank_; });
  for (FlowMachine* const machine : called) {
    machine->marked_ = false;
    ++events_;
    if (const Result<void> ran = machine->run(); !ran) {
      fail_with(ran.error());
    }
  }
}

void FlowNetwork::take_instant() {
  while (!planned_.empty() && planned_.begin()->first <= now_) {
    const auto what = std::move(planned_.begin()->second);
    planned_.erase(planned_.begin());
    what();
  }
  do {
    run_programs();
    while (!heap_.empty() && heap_.front().at <= now_) {
      std::ranges::pop_heap(heap_, kComesLater);
      const Event event = heap_.back();
      heap_.pop_back();
      handle(event);
    }
    while (const std::optional<Transfers::Finished> finished = transfers_.take_finished(now_)) {
      ++events_;
      on_drained(*finished);
    }
  } while (!error_ && (!marked_.empty() || (!heap_.empty() && heap_.front().at <= now_)));
  transfers_.settle(now_);
}

FlowNetwork::Stop FlowNetwork::run(Time limit, std::uint64_t budget) {
  const std::uint64_t last = events_ + budget;
  if (!marked_.empty()) {
    take_instant();
  }
  for (;;) {
    if (error_) {
      return Stop::kError;
    }
    if (stopping_) {
      stopping_ = false;
      return Stop::kStopped;
    }
    const Time next = next_time();
    if (next.is_never()) {
      return Stop::kIdle;
    }
    if (next > limit) {
      return Stop::kLimit;
    }
    if (events_ >= last) {
      return Stop::kBudget;
    }
    WEFT_DCHECK(next >= now_);
    now_ = next;
    take_instant();
  }
}

void FlowNetwork::handle(const Event& event) {
  ++events_;
  switch (event.kind) {
    case EventKind::kWake:
      // One that an earlier one has replaced is a call for nothing, which does nothing.
      mark(*machines_[event.index]);
      return;
    case EventKind::kReady:
      ++pairs_[event.index].ready;
      pump(event.index);
      return;
    case EventKind::kBegin:
      begin(event.index, pairs_[event.index].waiting);
      return;
    case EventKind::kQueued:
      transfers_.begin_waiting(pairs_[event.index].flow, event.index, now_);
      return;
    case EventKind::kArrival:
      ++pairs_[event.index].early;
      take_arrival(event.index);
      return;
    case EventKind::kCompletion:
      on_completion(event.index, false);
      return;
    case EventKind::kReadRequest: {
      Pair& pair = pairs_[event.index];
      pair.answers_due.push_back(pair.reads_coming.pop_front());
      pump(event.index);
      return;
    }
    case EventKind::kReadCompletion:
      on_completion(event.index, true);
      return;
  }
}

}  // namespace weft::flow
