#include "transport/uet/receive_window.h"

#include <optional>
#include <utility>

namespace weft::transport {

ReceiveWindow::ReceiveWindow(const verbs::QpInitAttributes& init)
    : own_(verbs::ReceiveQueue::Limits{.max_wr = init.srq.is_valid() ? 0 : init.max_recv_wr,
                                       .max_sge = init.max_recv_sge}) {}

void ReceiveWindow::reset() {
  own_ = verbs::ReceiveQueue(own_.limits());
  given_.clear();
  first_ = 0;
}

bool ReceiveWindow::provide(std::uint32_t number, const QpCore& core, verbs::Context& context) {
  if (number - first_ < given_.size())
    return true;
  const verbs::SrqHandle shared = core.init().srq;
  verbs::ReceiveQueue* const queue = shared.is_valid() ? context.find_srq(shared) : &own_;
  while (queue != nullptr && given_.size() <= number - first_) {
    std::optional<verbs::ReceiveWqe> next = queue->take();
    if (!next.has_value())
      return false;
    given_.push_back(std::move(*next));
  }
  return queue != nullptr;
}

bool ReceiveWindow::writable(std::uint32_t number, const QpCore& core, const verbs::Context& context) const {
  const verbs::SrqHandle shared = core.init().srq;
  const verbs::PdHandle domain = shared.is_valid() ? context.pd_of(shared) : core.init().pd;
  return at(number).sg_list.check(context.memory(), domain, verbs::kAccessLocalWrite) == verbs::AccessFault::kNone;
}

void ReceiveWindow::write(std::uint32_t number, std::uint64_t offset, std::span<const std::byte> bytes,
                          verbs::Context& context) const {
  WEFT_DCHECK(offset + bytes.size() <= room(number));
  at(number).sg_list.scatter(context.memory(), offset, bytes);
}

bool ReceiveWindow::complete(verbs::WorkCompletion completion, const QpCore& core, verbs::Context& context) {
  WEFT_DCHECK(!given_.empty());
  completion.wr_id = given_.pop_front().wr_id;
  completion.qp_num = core.identity().qpn;
  ++first_;
  return core.complete_recv(completion, context);
}

void ReceiveWindow::flush(const QpCore& core, verbs::Context& context) {
  while (std::optional<verbs::ReceiveWqe> next = own_.take())
    given_.push_back(std::move(*next));
  while (!given_.empty()) {
    verbs::WorkCompletion completion;
    completion.status = verbs::WcStatus::kWrFlushErr;
    completion.opcode = verbs::WcOpcode::kRecv;
    (void)complete(completion, core, context);
  }
}

}  // namespace weft::transport
