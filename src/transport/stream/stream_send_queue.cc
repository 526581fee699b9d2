#include "transport/stream/stream_send_queue.h"

#include <utility>

#include "base/assert.h"

namespace weft::transport {

Result<void> StreamSendQueue::post(const verbs::SendWr& request, const StreamCall& call) {
  if (Result<void> allowed = call.core.check_send(request, queue_.size()); !allowed)
    return allowed;
  StreamRequest entry;
  entry.wqe = make_send_wqe(
      request,
      {.path_mtu = call.attributes().path_mtu, .all_signaled = call.core.init().sq_sig_all, .pd = call.core.init().pd},
      call.context.memory());
  if (entry.wqe.expects_response() && (entry.wqe.flags & verbs::kSendInline) != 0)
    return fail("post_send: READ and atomics cannot be inline");
  entry.is_responded = !entry.wqe.expects_response();
  queue_.push_back(std::move(entry));
  return {};
}

void StreamSendQueue::mark_written(StreamOffset end) {
  StreamRequest& request = queue_[cursor_];
  WEFT_DCHECK(!request.is_written && (cursor_ == 0 || queue_[cursor_ - 1].end <= end));
  request.is_written = true;
  request.end = end;
  ++cursor_;
}

const StreamRequest& StreamSendQueue::at(std::uint32_t number) const {
  if (number - first_ < queue_.size())
    return queue_[number - first_];
  WEFT_ASSERT(number - flushed_first_ < flushed_.size());
  return flushed_[number - flushed_first_];
}

bool StreamSendQueue::complete_front(const StreamCall& call) {
  WEFT_DCHECK(cursor_ > 0 && queue_.front().is_written && queue_.front().is_responded);
  const StreamRequest request = queue_.pop_front();
  ++first_;
  --cursor_;
  if (!request.wqe.is_signaled())
    return true;
  return call.core.complete_send(send_completion(request.wqe, call.core.identity().qpn, verbs::WcStatus::kSuccess),
                                 call.context);
}

bool StreamSendQueue::complete_acknowledged(StreamOffset offset, const StreamCall& call) {
  while (cursor_ != 0 && queue_.front().end <= offset && queue_.front().is_responded) {
    if (!complete_front(call))
      return false;
  }
  return true;
}

bool StreamSendQueue::complete_before(std::uint32_t number, const StreamCall& call) {
  while (cursor_ != 0 && first_ != number && queue_.front().is_responded) {
    if (!complete_front(call))
      return false;
  }
  return true;
}

void StreamSendQueue::flush(verbs::WcStatus first, const StreamCall& call) {
  verbs::WcStatus status = first;
  while (!queue_.empty()) {
    StreamRequest request = queue_.pop_front();
    (void)call.core.complete_send(send_completion(request.wqe, call.core.identity().qpn, status), call.context);
    status = verbs::WcStatus::kWrFlushErr;
    if (request.is_written || request.wqe.started) {
      if (flushed_.empty())
        flushed_first_ = first_;
      flushed_.push_back(std::move(request));
    }
    ++first_;
  }
  cursor_ = 0;
}

std::size_t StreamSendQueue::heap_bytes() const {
  std::size_t bytes = queue_.heap_bytes() + flushed_.heap_bytes();
  for (std::uint32_t i = 0; i < queue_.size(); ++i)
    bytes += queue_[i].wqe.sg_list.heap_bytes();
  for (std::uint32_t i = 0; i < flushed_.size(); ++i)
    bytes += flushed_[i].wqe.sg_list.heap_bytes();
  return bytes;
}

}  // namespace weft::transport
