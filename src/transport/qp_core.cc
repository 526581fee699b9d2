#include "transport/qp_core.h"

#include "wire/encapsulation.h"

namespace weft::transport {
namespace {

void take_over(verbs::QpAttributes& to, const verbs::QpAttributes& from, verbs::QpAttributeMask mask) {
  if ((mask & verbs::kQpAccessFlags) != 0)
    to.access_flags = from.access_flags;
  if ((mask & verbs::kQpPkeyIndex) != 0)
    to.partition_key = from.partition_key;
  if ((mask & verbs::kQpPort) != 0)
    to.port = from.port;
  if ((mask & verbs::kQpQkey) != 0)
    to.queue_key = from.queue_key;
  if ((mask & verbs::kQpAv) != 0)
    to.address = from.address;
  if ((mask & verbs::kQpPathMtu) != 0)
    to.path_mtu = from.path_mtu;
  if ((mask & verbs::kQpTimeout) != 0)
    to.timeout = from.timeout;
  if ((mask & verbs::kQpRetryCnt) != 0)
    to.retry_count = from.retry_count;
  if ((mask & verbs::kQpRnrRetry) != 0)
    to.rnr_retry = from.rnr_retry;
  if ((mask & verbs::kQpRqPsn) != 0)
    to.rq_psn = from.rq_psn;
  if ((mask & verbs::kQpMaxQpRdAtomic) != 0)
    to.max_rd_atomic = from.max_rd_atomic;
  if ((mask & verbs::kQpMinRnrTimer) != 0)
    to.min_rnr_timer = from.min_rnr_timer;
  if ((mask & verbs::kQpSqPsn) != 0)
    to.sq_psn = from.sq_psn;
  if ((mask & verbs::kQpMaxDestRdAtomic) != 0)
    to.max_dest_rd_atomic = from.max_dest_rd_atomic;
  if ((mask & verbs::kQpDestQpn) != 0)
    to.destination_qpn = from.destination_qpn;
}

bool push_completion(verbs::CqHandle handle, const verbs::WorkCompletion& completion, verbs::Context& context) {
  verbs::CompletionQueue* const queue = context.find_cq(handle);
  if (queue == nullptr)
    return false;
  context.count_completion();
  const bool was_in_error = queue->in_error();
  if (queue->push(completion))
    return true;
  if (!was_in_error)
    context.raise({.type = verbs::AsyncEventType::kCqErr, .qp = {}, .cq = handle, .srq = {}});
  return false;
}

}  // namespace

QpCore::QpCore(const QpIdentity& identity, const verbs::QpInitAttributes& init) : qpn_(identity.qpn), init_(init) {
  template_.source = identity.endpoint;
  template_.encapsulation = identity.encapsulation;
}

Result<void> QpCore::apply(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask) {
  const verbs::QpModification modification{.type = init_.type, .from = state_, .mask = mask, .attributes = attributes};
  if (Result<void> allowed = verbs::check_modify(modification); !allowed)
    return allowed;
  take_over(attributes_, attributes, mask);
  set_address(template_, attributes_.address);
  return {};
}

Result<void> QpCore::check_send(const verbs::SendWr& request, std::size_t queued) const {
  using verbs::QpState;
  if (state_ == QpState::kReset || state_ == QpState::kInit || state_ == QpState::kRtr) {
    return fail("post_send: the queue pair is in {}; it must be in RTS (or SQD, SQE, ERR)", verbs::to_string(state_));
  }
  if (queued >= init_.max_send_wr) {
    return fail("post_send: the send queue is full: it holds max_send_wr = {} requests", init_.max_send_wr);
  }
  if (request.sg_list.size() > init_.max_send_sge) {
    return fail("post_send: {} scatter-gather elements; at most max_send_sge = {}", request.sg_list.size(),
                init_.max_send_sge);
  }
  std::uint64_t total = 0;
  for (const verbs::Sge& element : request.sg_list)
    total += element.length;
  if ((request.send_flags & verbs::kSendInline) != 0 && total > init_.max_inline_data) {
    return fail("post_send: {} bytes inline; at most max_inline_data = {}", total, init_.max_inline_data);
  }
  if (total > kMaxMessageBytes) {
    return fail("post_send: a message of {} bytes; at most 2^31", total);
  }
  return {};
}

bool QpCore::complete_send(const verbs::WorkCompletion& completion, verbs::Context& context) const {
  return push_completion(init_.send_cq, completion, context);
}

bool QpCore::complete_recv(const verbs::WorkCompletion& completion, verbs::Context& context) const {
  return push_completion(init_.recv_cq, completion, context);
}

void set_address(wire::PacketCommon& common, const verbs::AddressVector& address) {
  common.destination = address.destination;
  common.entropy = address.source_port;
  // The ECN bits belong to the packet, not to its address.
  const auto dscp = static_cast<std::uint8_t>(address.traffic_class >> 2);
  common.traffic_class = is_infiniband(common.encapsulation) ? address.service_level : dscp;
  common.hop_limit = address.hop_limit;
}

}  // namespace weft::transport
