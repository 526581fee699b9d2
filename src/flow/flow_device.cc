#include "flow/flow_device.h"

#include <algorithm>

#include "flow/flow_machine.h"

namespace weft::flow {
namespace {

/// Keys at this level name memory, they do not guard it.
constexpr std::uint64_t kKeySeed = 1;

tl::unexpected<Error> no_such_cq(verbs::CqHandle cq) { return fail("no such completion queue: {:#x}", cq.value()); }

tl::unexpected<Error> not_offered(std::string_view what) {
  return fail("{}: not at the flow level; set fidelity = \"packet\"", what);
}

/// Sets what the mask names.
void take(verbs::QpAttributes& kept, const verbs::QpAttributes& given, verbs::QpAttributeMask mask) {
  const auto set = [&](verbs::QpAttributeMask bit, auto member) {
    if ((mask & bit) != 0) {
      kept.*member = given.*member;
    }
  };
  set(verbs::kQpAccessFlags, &verbs::QpAttributes::access_flags);
  set(verbs::kQpPkeyIndex, &verbs::QpAttributes::partition_key);
  set(verbs::kQpPort, &verbs::QpAttributes::port);
  set(verbs::kQpAv, &verbs::QpAttributes::address);
  set(verbs::kQpPathMtu, &verbs::QpAttributes::path_mtu);
  set(verbs::kQpTimeout, &verbs::QpAttributes::timeout);
  set(verbs::kQpRetryCnt, &verbs::QpAttributes::retry_count);
  set(verbs::kQpRnrRetry, &verbs::QpAttributes::rnr_retry);
  set(verbs::kQpRqPsn, &verbs::QpAttributes::rq_psn);
  set(verbs::kQpMaxQpRdAtomic, &verbs::QpAttributes::max_rd_atomic);
  set(verbs::kQpMinRnrTimer, &verbs::QpAttributes::min_rnr_timer);
  set(verbs::kQpSqPsn, &verbs::QpAttributes::sq_psn);
  set(verbs::kQpMaxDestRdAtomic, &verbs::QpAttributes::max_dest_rd_atomic);
  set(verbs::kQpDestQpn, &verbs::QpAttributes::destination_qpn);
}

}  // namespace

FlowDevice::FlowDevice(FlowNetwork& network, FlowMachine& machine, EndpointId endpoint)
    : network_(network), machine_(machine), attributes_(network.medium_.device_of(endpoint)), context_(kKeySeed) {
  attributes_.endpoint = endpoint;
  constexpr verbs::WrOpcodeMask kAtomics =
      verbs::mask_of(verbs::WrOpcode::kAtomicCmpAndSwp) | verbs::mask_of(verbs::WrOpcode::kAtomicFetchAndAdd);
  attributes_.rc_opcodes &= ~kAtomics;
}

Result<verbs::CqHandle> FlowDevice::create_cq(std::uint32_t capacity) {
  return capacity > attributes_.max_cqe
             ? fail("create_cq: {} completions; the device allows {}", capacity, attributes_.max_cqe)
             : context_.create_cq(capacity);
}

Result<std::size_t> FlowDevice::poll_cq(verbs::CqHandle cq, std::span<verbs::WorkCompletion> out) {
  verbs::CompletionQueue* const queue = context_.find_cq(cq);
  if (queue == nullptr) {
    return no_such_cq(cq);
  }
  const std::size_t moved = queue->poll(out);
  if (moved == 0 && queue->in_error() && queue->size() == 0) {
    return fail("poll_cq: the queue overflowed; it held {} completions", queue->capacity());
  }
  return moved;
}

Result<void> FlowDevice::req_notify_cq(verbs::CqHandle cq, verbs::CompletionQueue::Notify what) {
  verbs::CompletionQueue* const queue = context_.find_cq(cq);
  if (queue == nullptr) {
    return no_such_cq(cq);
  }
  queue->request_notify(what);
  return {};
}

bool FlowDevice::get_cq_event(verbs::CqHandle cq) {
  verbs::CompletionQueue* const queue = context_.find_cq(cq);
  return queue != nullptr && queue->take_event();
}

Result<verbs::SrqHandle> FlowDevice::create_srq(verbs::PdHandle, verbs::ReceiveQueue::Limits) {
  return not_offered("shared receive queues");
}
Result<void> FlowDevice::modify_srq(verbs::SrqHandle, std::uint32_t) { return not_offered("shared receive queues"); }
Result<void> FlowDevice::post_srq_recv(verbs::SrqHandle, const verbs::RecvWr&) {
  return not_offered("shared receive queues");
}
Result<void> FlowDevice::destroy_srq(verbs::SrqHandle) { return not_offered("shared receive queues"); }
Result<verbs::AddressHandle> FlowDevice::create_ah(verbs::PdHandle, const verbs::AddressVector&) {
  return not_offered("datagrams");
}
Result<void> FlowDevice::destroy_ah(verbs::AddressHandle) { return not_offered("datagrams"); }

Result<PairIndex> FlowDevice::pair_of(Qpn qpn) const {
  const PairIndex index = network_.find(attributes_.endpoint, qpn);
  if (index == FlowNetwork::kNoPair || network_.pairs_[index].device != this) {
    return fail("no such queue pair: {:#x}", qpn.value());
  }
  return index;
}

Result<Qpn> FlowDevice::create_qp(const verbs::QpInitAttributes& init) {
  if (init.type != verbs::QpType::kRc) {
    return not_offered("unreliable queue pairs");
  }
  if (init.srq.is_valid()) {
    return not_offered("shared receive queues");
  }
  if (std::max(init.max_send_wr, init.max_recv_wr) > attributes_.max_qp_wr) {
    return fail("create_qp: {} requests; the device allows {}", std::max(init.max_send_wr, init.max_recv_wr),
                attributes_.max_qp_wr);
  }
  if (Result<void> attached = context_.attach_qp(init); !attached) {
    return pass_on(attached);
  }
  return network_.create(*this, init);
}

Result<void> FlowDevice::modify_qp(Qpn qpn, const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask) {
  Result<PairIndex> index = pair_of(qpn);
  if (!index) {
    return pass_on(index);
  }
  verbs::QpAttributes& kept = network_.pairs_[*index].attributes;
  const verbs::QpModification change{
      .type = verbs::QpType::kRc, .from = kept.state, .mask = mask, .attributes = attributes};
  if (Result<void> allowed = verbs::check_modify(change); !allowed) {
    return allowed;
  }
  take(kept, attributes, mask);
  const verbs::QpState before = kept.state;
  kept.state = verbs::state_after(change);
  if (kept.state == verbs::QpState::kErr || (kept.state == verbs::QpState::kReset && before != kept.state)) {
    return not_offered("queue pairs that are stopped");
  }
  return {};
}

Result<verbs::QpDescription> FlowDevice::query_qp(Qpn qpn) const {
  Result<PairIndex> index = pair_of(qpn);
  if (!index) {
    return pass_on(index);
  }
  const FlowNetwork::Pair& pair = network_.pairs_[*index];
  return verbs::QpDescription{.attributes = pair.attributes, .init = pair.init};
}

Result<void> FlowDevice::destroy_qp(Qpn) { return not_offered("queue pairs that are destroyed"); }

Result<void> FlowDevice::post_send(Qpn qpn, const verbs::SendWr& request) {
  Result<PairIndex> index = pair_of(qpn);
  return index ? network_.post_send(*index, request) : pass_on(index);
}

Result<void> FlowDevice::post_recv(Qpn qpn, const verbs::RecvWr& request) {
  Result<PairIndex> index = pair_of(qpn);
  return index ? network_.post_recv(*index, request) : pass_on(index);
}

}  // namespace weft::flow
