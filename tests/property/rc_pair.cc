#include "tests/property/rc_pair.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::testing {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result.has_value()) {
    fmt::print(stderr, "unexpected error: {}\n", result.error().message);
    WEFT_ASSERT(result.has_value());
  }
  if constexpr (!std::is_void_v<T>) {
    return *result;
  }
}

}  // namespace

RcSide::RcSide(int index, const RcPairOptions& options)
    : context(options.network.seed * 2 + static_cast<std::uint64_t>(index)),
      storage_(options.memory_bytes + 2 * kGuard, kGuardByte) {
  pd = must(context.alloc_pd());
  key = must(
      context.reg_mr({.pd = pd,
                      .address = kBase,
                      .length = options.memory_bytes,
                      .bytes = options.network.carries_bytes ? storage_.data() + kGuard : nullptr,
                      .access = static_cast<verbs::AccessMask>(verbs::kAccessLocalWrite | verbs::kAccessRemoteRead |
                                                               verbs::kAccessRemoteWrite | verbs::kAccessRemoteAtomic),
                      .invalidatable = false}));
  send_cq = must(context.create_cq(options.cq_capacity));
  recv_cq = must(context.create_cq(options.cq_capacity));
  if (options.shared_receive_queue) {
    srq = must(context.create_srq(pd, {.max_wr = options.max_wr, .max_sge = 4}));
  }
  const verbs::QpInitAttributes init{.type = verbs::QpType::kRc,
                                     .pd = pd,
                                     .send_cq = send_cq,
                                     .recv_cq = recv_cq,
                                     .srq = srq,
                                     .max_send_wr = options.max_wr,
                                     .max_recv_wr = options.max_wr};
  must(context.attach_qp(init));
  selective = options.selective;
  transport::RcOptions rc = options.rc;
  rc.selective_repeat = rc.selective_repeat == nullptr ? &selective : rc.selective_repeat;
  qp = std::make_unique<transport::RcQueuePair>(
      transport::QpIdentity{.qpn = Qpn(0x100U + static_cast<std::uint32_t>(index)),
                            .endpoint = EndpointId(static_cast<std::uint32_t>(index)),
                            .encapsulation = options.encapsulation},
      init, rc);
}

void RcSide::connect(const RcSide& peer, const RcPairOptions& options) {
  verbs::QpAttributes attributes;
  attributes.state = verbs::QpState::kInit;
  attributes.access_flags = options.remote_access;
  must(qp->modify(attributes, verbs::kQpState | verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpAccessFlags, context,
                  Time::zero()));
  attributes.state = verbs::QpState::kRtr;
  attributes.path_mtu = options.mtu;
  attributes.destination_qpn = peer.qp->core().identity().qpn;
  attributes.address.destination = peer.qp->core().identity().endpoint;
  attributes.rq_psn = options.first_psn;
  attributes.max_dest_rd_atomic = options.max_dest_rd_atomic;
  attributes.min_rnr_timer = 1;  // 10 us
  must(qp->modify(attributes,
                  verbs::kQpState | verbs::kQpAv | verbs::kQpPathMtu | verbs::kQpDestQpn | verbs::kQpRqPsn |
                      verbs::kQpMaxDestRdAtomic | verbs::kQpMinRnrTimer,
                  context, Time::zero()));
  attributes.state = verbs::QpState::kRts;
  attributes.sq_psn = options.first_psn;
  attributes.timeout = options.timeout;
  attributes.retry_count = options.retry_count;
  attributes.rnr_retry = options.rnr_retry;
  attributes.max_rd_atomic = options.max_rd_atomic;
  must(qp->modify(attributes,
                  verbs::kQpState | verbs::kQpSqPsn | verbs::kQpTimeout | verbs::kQpRetryCnt | verbs::kQpRnrRetry |
                      verbs::kQpMaxQpRdAtomic,
                  context, Time::zero()));
}

bool RcSide::guards_intact() const {
  const auto untouched = [](std::byte byte) { return byte == kGuardByte; };
  return std::all_of(storage_.begin(), storage_.begin() + kGuard, untouched) &&
         std::all_of(storage_.end() - kGuard, storage_.end(), untouched);
}

std::vector<verbs::WorkCompletion> RcSide::drain(verbs::CqHandle cq) {
  std::vector<verbs::WorkCompletion> all;
  std::array<verbs::WorkCompletion, 64> some;
  while (const std::size_t count = context.find_cq(cq)->poll(some)) {
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all;
}

std::vector<verbs::WorkCompletion> RcSide::poll_send() { return drain(send_cq); }
std::vector<verbs::WorkCompletion> RcSide::poll_recv() { return drain(recv_cq); }

Result<void> RcSide::post_recv(std::uint64_t wr_id, std::uint64_t offset, std::uint32_t length) {
  const verbs::Sge element = sge(offset, length);
  const verbs::RecvWr request{.wr_id = wr_id, .sg_list = std::span(&element, 1)};
  return srq.is_valid() ? context.find_srq(srq)->post(request) : qp->post_recv(request, context, Time::zero());
}

RcPair::RcPair(const RcPairOptions& first, const RcPairOptions& second) {
  sides_[0] = std::make_unique<RcSide>(0, first);
  sides_[1] = std::make_unique<RcSide>(1, second);
  sides_[0]->connect(*sides_[1], first);
  sides_[1]->connect(*sides_[0], second);
  for (std::size_t i = 0; i < 2; ++i) {
    ends_[i] = std::make_unique<EngineEnd<transport::RcQueuePair>>(*sides_[i]->qp, sides_[i]->context);
  }
  network_ = std::make_unique<TestNetwork>(*ends_[0], *ends_[1], first.network);
}

Result<void> RcPair::post_recv(int side, const verbs::RecvWr& request) {
  RcSide& mine = this->side(side);
  return mine.srq.is_valid() ? mine.context.find_srq(mine.srq)->post(request)
                             : mine.qp->post_recv(request, mine.context, Time::zero());
}

std::string RcPair::fault(int side) {
  if (const verbs::QpState state = this->side(side).qp->state(); state != verbs::QpState::kRts)
    return fmt::format("the queue pair is in {}", verbs::to_string(state));
  return this->side(side).guards_intact() ? "" : "memory outside the region was touched";
}

}  // namespace weft::testing
