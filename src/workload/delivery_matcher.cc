#include "workload/delivery_matcher.h"

namespace weft::workload {

void DeliveryMatcher::report(const MessageRecord& record) {
  if (record.is_control)
    return;
  if (record.parts > 1)
    join(record);
  else
    sink_.on_message(record);
}

// The whole ends with the last of its parts, and fails with the first that does.
void DeliveryMatcher::join(const MessageRecord& part) {
  const auto [found, is_new] = wholes_.try_emplace({part.flow, part.number}, Whole{part, part.parts});
  Whole& whole = found->second;
  if (!is_new) {
    MessageRecord& record = whole.record;
    record.size = record.size + part.size;
    record.posted = earlier(record.posted, part.posted);
    record.finished = later(record.finished, part.finished);
    record.delivered = later(record.delivered, part.delivered);
    record.status = record.status == verbs::WcStatus::kSuccess ? part.status : record.status;
  }
  if (--whole.missing > 0)
    return;
  MessageRecord record = whole.record;
  record.parts = 1;
  wholes_.erase(found);
  sink_.on_message(record);
}

void DeliveryMatcher::keep_halves() { kept_.resize(kMaxWorkers); }

void DeliveryMatcher::on_finished(const StreamKey& stream, const MessageRecord& record) {
  if (kept_.empty())
    return take_finished(stream, record);
  kept_[this_worker].halves.push_back({.stream = stream, .record = record});
}

void DeliveryMatcher::on_delivered(const StreamKey& stream, Time at) {
  if (kept_.empty())
    return take_delivered(stream, at);
  Half half{.stream = stream, .is_delivery = true};
  half.record.delivered = at;
  kept_[this_worker].halves.push_back(half);
}

// All halves of one side of a stream come from one worker, in order; which side comes first does not matter.
void DeliveryMatcher::settle(Time last) {
  for (Kept& own : kept_) {
    for (const Half& half : own.halves) {
      if (half.is_delivery && half.record.delivered <= last) {
        take_delivered(half.stream, half.record.delivered);
      } else if (!half.is_delivery && half.record.finished <= last) {
        take_finished(half.stream, half.record);
      }
    }
    own.halves.clear();
  }
}

void DeliveryMatcher::take_finished(const StreamKey& stream, const MessageRecord& record) {
  if (!needs_receive(record.operation)) {
    report(record);
    return;
  }
  Stream& halves = streams_[stream];
  if (!halves.delivered.empty()) {
    MessageRecord whole = record;
    whole.delivered = halves.delivered.pop_front();
    report(whole);
  } else if (record.status != verbs::WcStatus::kSuccess) {
    // The queue pair is in error: if this message was not delivered yet, it never will be.
    report(record);
  } else {
    halves.finished.push_back(record);
    ++awaiting_;
  }
}

void DeliveryMatcher::take_delivered(const StreamKey& stream, Time at) {
  last_delivery_ = later(last_delivery_, at);
  Stream& halves = streams_[stream];
  if (halves.finished.empty()) {
    halves.delivered.push_back(at);
    return;
  }
  MessageRecord whole = halves.finished.pop_front();
  --awaiting_;
  whole.delivered = at;
  report(whole);
}

void DeliveryMatcher::flush() {
  settle();
  for (auto& [key, halves] : streams_) {
    while (!halves.finished.empty())
      report(halves.finished.pop_front());
    halves.delivered.clear();
  }
  wholes_.clear();
  awaiting_ = 0;
}

}  // namespace weft::workload
