#include "verbs/completion_queue.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::verbs {

CompletionQueue::CompletionQueue(std::uint32_t capacity) : capacity_(capacity) { WEFT_ASSERT(capacity >= 1); }

bool CompletionQueue::push(const WorkCompletion& completion) {
  //= ibta-1.7 10.2.6.1
  if (in_error_ || completions_.size() >= capacity_) {
    in_error_ = true;
    return false;
  }
  completions_.push_back(completion);
  //= ibta-1.7 11.4.2.2
  const bool solicited = (completion.wc_flags & kWcSolicited) != 0 || completion.status != WcStatus::kSuccess;
  if (armed_ == Notify::kNext || (armed_ == Notify::kSolicited && solicited)) {
    armed_ = Notify::kNone;
    event_ = true;
  }
  return true;
}

std::size_t CompletionQueue::poll(std::span<WorkCompletion> out) {
  const std::size_t count = std::min<std::size_t>(out.size(), completions_.size());
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = completions_.pop_front();
  }
  return count;
}

void CompletionQueue::request_notify(Notify what) {
  // A request for any completion includes the solicited ones: it is never narrowed.
  if (armed_ != Notify::kNext || what == Notify::kNone) {
    armed_ = what;
  }
}

bool CompletionQueue::take_event() {
  const bool event = event_;
  event_ = false;
  return event;
}

}  // namespace weft::verbs
