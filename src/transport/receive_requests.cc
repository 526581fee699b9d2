#include "transport/receive_requests.h"

#include <utility>

#include "base/assert.h"

namespace weft::transport {

ReceiveRequests::ReceiveRequests(const verbs::QpInitAttributes& init)
    : ReceiveRequests(verbs::ReceiveQueue::Limits{.max_wr = init.srq.is_valid() ? 0 : init.max_recv_wr,
                                                  .max_sge = init.max_recv_sge}) {}

bool ReceiveRequests::take(const QpCore& core, verbs::Context& context) {
  if (in_use_.has_value())
    return true;
  const verbs::SrqHandle shared = core.init().srq;
  verbs::ReceiveQueue* const queue = shared.is_valid() ? context.find_srq(shared) : &own_;
  if (queue != nullptr)
    in_use_ = queue->take();
  return in_use_.has_value();
}

bool ReceiveRequests::writable(const QpCore& core, const verbs::Context& context) const {
  const verbs::SrqHandle shared = core.init().srq;
  const verbs::PdHandle domain = shared.is_valid() ? context.pd_of(shared) : core.init().pd;
  return in_use_->sg_list.check(context.memory(), domain, verbs::kAccessLocalWrite) == verbs::AccessFault::kNone;
}

void ReceiveRequests::write(std::uint64_t offset, std::span<const std::byte> bytes, verbs::Context& context) const {
  WEFT_DCHECK(offset + bytes.size() <= room());
  in_use_->sg_list.scatter(context.memory(), offset, bytes);
}

bool ReceiveRequests::complete(verbs::WorkCompletion completion, const QpCore& core, verbs::Context& context) {
  WEFT_DCHECK(in_use_.has_value());  // each request completes once
  completion.wr_id = in_use_->wr_id;
  completion.qp_num = core.identity().qpn;
  in_use_.reset();
  return core.complete_recv(completion, context);
}

bool ReceiveRequests::fail(verbs::WcStatus status, const QpCore& core, verbs::Context& context) {
  verbs::WorkCompletion completion;
  completion.status = status;
  completion.opcode = verbs::WcOpcode::kRecv;
  return complete(completion, core, context);
}

void ReceiveRequests::flush(const QpCore& core, verbs::Context& context) {
  do {
    if (in_use_.has_value())
      (void)fail(verbs::WcStatus::kWrFlushErr, core, context);
    in_use_ = own_.take();
  } while (in_use_.has_value());
}

std::size_t ReceiveRequests::heap_bytes() const {
  return own_.heap_bytes() + (in_use_.has_value() ? in_use_->sg_list.heap_bytes() : 0);
}

}  // namespace weft::transport
