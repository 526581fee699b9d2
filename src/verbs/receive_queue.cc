#include "verbs/receive_queue.h"

#include <utility>

namespace weft::verbs {

namespace {
constexpr std::uint64_t kMaxMessage = std::uint64_t{1} << 31;
}

Result<void> ReceiveQueue::post(const RecvWr& request) {
  if (requests_.size() >= limits_.max_wr) {
    return fail("receive queue full: it holds {} requests (max_recv_wr or srq max_wr)", limits_.max_wr);
  }
  if (request.sg_list.size() > limits_.max_sge) {
    return fail("receive request has {} scatter-gather elements; at most {} are allowed", request.sg_list.size(),
                limits_.max_sge);
  }
  SgeList list(request.sg_list);
  if (list.total_bytes() > kMaxMessage) {
    return fail("receive request describes {} bytes; at most {} are allowed", list.total_bytes(), kMaxMessage);
  }
  requests_.push_back(ReceiveWqe{.wr_id = request.wr_id, .sg_list = std::move(list)});
  return {};
}

std::optional<ReceiveWqe> ReceiveQueue::take() {
  if (requests_.empty()) {
    return std::nullopt;
  }
  std::optional<ReceiveWqe> oldest(requests_.pop_front());
  //= ibta-1.7 10.2.9
  if (requests_.size() < armed_limit_) {
    armed_limit_ = 0;
    limit_event_ = true;
  }
  return oldest;
}

bool ReceiveQueue::take_limit_event() {
  const bool event = limit_event_;
  limit_event_ = false;
  return event;
}

}  // namespace weft::verbs
