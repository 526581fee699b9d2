// What a network goes on from, and how it goes on behind what was jumped over.
#include <algorithm>

#include "base/assert.h"
#include "flow/flow_device.h"
#include "flow/flow_machine.h"
#include "flow/flow_network.h"

namespace weft::flow {
const FlowMachine& FlowNetwork::machine_of(const Event& event) const {
  return event.kind == EventKind::kWake ? *machines_[event.index] : pairs_[event.index].device->machine();
}

bool FlowNetwork::record_events(std::uint32_t group, StateRecord& state, Time& until) const {
  std::vector<Event> own;
  for (const Event& event : heap_) {
    if (machine_of(event).group_ == group) {
      own.push_back(event);
    } else if (event.kind == EventKind::kWake) {
      until = earlier(until, event.at);
    } else {
      return false;
    }
  }
  std::ranges::sort(own, [](const Event& a, const Event& b) { return kComesLater(b, a); });
  for (const Event& event : own) {
    state.time(event.at);
    state.count(static_cast<std::uint64_t>(event.kind) << 32 | event.index);
  }
  return true;
}

void FlowNetwork::record_pair(const Pair& pair, StateRecord& state) {
  state.count(std::uint64_t{pair.ready} << 32 | pair.sent);
  state.count(std::uint64_t{pair.reads} << 32 | pair.early);
  state.count((pair.streaming ? 1U : 0U) + (pair.answers ? 2U : 0U));
  state.count(pair.answers ? pair.answer : 0);
  for (std::uint32_t i = 0; i < pair.requests.size(); ++i) {
    const Request& request = pair.requests[i];
    state.count(std::uint64_t{request.bytes} << 32 | static_cast<std::uint64_t>(request.opcode) << 2 |
                (request.signalled ? 2U : 0U) | (request.done ? 1U : 0U));
  }
  for (std::uint32_t i = 0; i < pair.arrivals.size(); ++i) {
    state.count(pair.arrivals[i].bytes);
    state.count(static_cast<std::uint64_t>(pair.arrivals[i].to_completion.picoseconds()));
  }
  for (const Ring<std::uint32_t>* const line : {&pair.reads_coming, &pair.answers_due}) {
    for (std::uint32_t i = 0; i < line->size(); ++i) {
      state.count((*line)[i]);
    }
  }
  state.time(pair.last_ready);
  state.time(pair.last_arrival);
  state.time(pair.last_completion);
}

std::optional<Time> FlowNetwork::record(std::uint32_t group, StateRecord& state) const {
  Time until = planned_.empty() ? Time::never() : planned_.begin()->first;
  if (corrections_ != Corrections{} || !marked_.empty() || !record_events(group, state, until)) {
    return std::nullopt;
  }
  for (const std::uint32_t owner : transfers_.owners()) {
    if (pairs_[owner].device->machine().group_ != group) {
      return std::nullopt;
    }
  }
  for (PairIndex index = 0; index < pairs_.size(); ++index) {
    const Pair& pair = pairs_[index];
    const bool busy = !pair.requests.empty() || !pair.arrivals.empty() || pair.streaming ||
                      !pair.reads_coming.empty() || !pair.answers_due.empty();
    if (busy && pair.device->machine().group_ != group) {
      return std::nullopt;
    }
    if (busy) {
      state.count(index);
      record_pair(pair, state);
    }
  }
  transfers_.record(state);
  return until;
}

void FlowNetwork::shift(std::uint32_t group, Duration by) {
  for (Event& event : heap_) {
    if (machine_of(event).group_ == group) {
      event.at += by;
    }
  }
  std::ranges::make_heap(heap_, kComesLater);
  for (Pair& pair : pairs_) {
    if (pair.device->machine().group_ == group) {
      pair.last_ready += by;
      pair.last_arrival += by;
      pair.last_completion += by;
    }
  }
  for (const auto& machine : machines_) {
    if (machine->group_ == group) {
      machine->shift(by);
    }
  }
  transfers_.shift(by);
  now_ += by;
  WEFT_ASSERT(next_time() >= now_);
}

}  // namespace weft::flow
