#include "tests/property/bad_peer.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace weft::testing {
namespace {

template <class T>
T must(Result<T> result) {
  WEFT_ASSERT(result.has_value());
  if constexpr (!std::is_void_v<T>) {
    return *result;
  }
}

}  // namespace

Victim::Victim(const Options& options) : context(7), storage_(kLength + 2 * kGuard, kUntouched) {
  pd_ = must(context.alloc_pd());
  key = region(verbs::kAccessAll);
  send_cq_ = must(context.create_cq(options.cq_capacity));
  recv_cq_ = must(context.create_cq(options.cq_capacity));
  if (options.shared_receive_queue) {
    srq = must(context.create_srq(must(context.alloc_pd()), {.max_wr = 8, .max_sge = 1}));
  }
  const verbs::QpInitAttributes init{
      .type = verbs::QpType::kRc, .pd = pd_, .send_cq = send_cq_, .recv_cq = recv_cq_, .srq = srq};
  qp = std::make_unique<transport::RcQueuePair>(transport::QpIdentity{.qpn = Qpn(0x11), .endpoint = EndpointId(1)},
                                                init, options.rc);
  connect(options);
}

void Victim::connect(const Options& options) {
  using verbs::QpState;
  verbs::QpAttributes to;
  to.access_flags = options.qp_access;
  to.partition_key = options.partition_key;
  to.path_mtu = verbs::PathMtu::k256;
  to.destination_qpn = Qpn(0x22);
  to.address.destination = EndpointId(2);
  to.rq_psn = options.rq_psn;
  to.sq_psn = options.sq_psn;
  to.max_dest_rd_atomic = options.max_dest_rd_atomic;
  to.max_rd_atomic = 4;
  to.min_rnr_timer = 12;
  struct Step {
    QpState state;
    verbs::QpAttributeMask mask;
  };
  const std::array steps = {Step{QpState::kInit, verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpAccessFlags},
                            Step{QpState::kRtr, verbs::kQpAv | verbs::kQpPathMtu | verbs::kQpDestQpn | verbs::kQpRqPsn |
                                                    verbs::kQpMaxDestRdAtomic | verbs::kQpMinRnrTimer},
                            Step{QpState::kRts, verbs::kQpSqPsn | verbs::kQpTimeout | verbs::kQpRetryCnt |
                                                    verbs::kQpRnrRetry | verbs::kQpMaxQpRdAtomic}};
  for (const Step& step : steps) {
    if (qp->state() == options.state) {
      return;
    }
    to.state = step.state;
    must(qp->modify(to, verbs::kQpState | step.mask, context, now_));
  }
}

void Victim::deliver(const Forged& forged) {
  wire::Packet packet;
  wire::ColdPacket cold;
  wire::IbTransportHeader& header = packet.ib;
  header.opcode = wire::make_opcode(forged.service, forged.operation);
  const wire::OpcodeInfo& info = wire::describe(header.opcode);
  if (info.aeth) {
    header.aeth = forged.aeth;
  } else {
    header.reth = forged.reth;
  }
  if (info.atomic) {
    cold.atomic = forged.operands;
    packet.common.flags |= wire::kHasCold;
  }
  header.psn = forged.psn;
  header.immediate = forged.immediate;
  header.flags = forged.flags;
  header.partition_key = forged.partition_key;
  header.destination_qp = 0x11;
  packet.common.payload_bytes = static_cast<std::uint16_t>(forged.payload);
  const std::vector<std::byte> payload(forged.length_alone ? 0 : forged.payload, kForgedByte);
  qp->on_packet({packet, cold, payload}, context, now_);
}

std::vector<Answer> Victim::answers() {
  std::vector<Answer> all;
  std::array<std::byte, 4096> room;
  wire::Packet packet;
  wire::ColdPacket cold;
  while (qp->next_transmit() <= now_ && qp->poll_transmit({packet, cold, room}, context, now_)) {
    const bool has_aeth = wire::describe(packet.ib.opcode).aeth;
    all.push_back({.operation = wire::operation_of(packet.ib.opcode),
                   .psn = packet.ib.psn,
                   .syndrome = has_aeth ? packet.ib.aeth.syndrome : std::uint8_t{0},
                   .msn = has_aeth ? packet.ib.aeth.msn : Psn(),
                   .payload = packet.common.payload_bytes,
                   .opcode = packet.ib.opcode});
  }
  return all;
}

std::vector<Answer> Victim::answers_to(const Forged& forged) {
  deliver(forged);
  return answers();
}

void Victim::post_recv(std::uint64_t wr_id, std::uint32_t length) {
  const verbs::Sge element{.address = kBase, .length = length, .lkey = key};
  must(qp->post_recv({.wr_id = wr_id, .sg_list = std::span(&element, 1)}, context, now_));
}

void Victim::post_send(verbs::WrOpcode opcode, std::uint32_t length) {
  const verbs::Sge element{.address = kBase, .length = length, .lkey = key};
  verbs::SendWr request;
  request.wr_id = 1;
  request.opcode = opcode;
  request.send_flags = verbs::kSendSignaled;
  request.sg_list = std::span(&element, 1);
  request.rdma = {kBase, key};
  must(qp->post_send(request, context, now_));
}

void Victim::modify(verbs::QpState state) {
  verbs::QpAttributes to;
  to.state = state;
  must(qp->modify(to, verbs::kQpState, context, now_));
}

std::span<std::byte> Victim::memory() { return std::span(storage_).subspan(kGuard, kLength); }

bool Victim::memory_untouched() const { return touched_only(0, 0); }

bool Victim::touched_only(std::uint64_t from, std::uint64_t length) const {
  const auto first = storage_.begin() + static_cast<std::ptrdiff_t>(kGuard + from);
  const auto untouched = [](std::byte byte) { return byte == kUntouched; };
  return std::all_of(storage_.begin(), first, untouched) &&
         std::all_of(first + static_cast<std::ptrdiff_t>(length), storage_.end(), untouched);
}

std::vector<verbs::WorkCompletion> Victim::drain(verbs::CqHandle cq) {
  std::vector<verbs::WorkCompletion> all;
  verbs::WorkCompletion one;
  while (context.find_cq(cq)->poll(std::span(&one, 1)) != 0) {
    all.push_back(one);
  }
  return all;
}

std::vector<verbs::AsyncEventType> Victim::events() {
  std::vector<verbs::AsyncEventType> all;
  verbs::AsyncEvent event;
  while (context.poll_async_event(event)) {
    all.push_back(event.type);
  }
  return all;
}

std::uint32_t Victim::region(verbs::AccessMask access) {
  return must(context.reg_mr(
      {.pd = pd_, .address = kBase, .length = kLength, .bytes = storage_.data() + kGuard, .access = access}));
}

std::uint32_t Victim::invalidatable_region() {
  return must(context.reg_mr({.pd = pd_,
                              .address = kBase,
                              .length = kLength,
                              .bytes = storage_.data() + kGuard,
                              .access = verbs::kAccessAll,
                              .invalidatable = true}));
}

std::uint32_t Victim::foreign_region() {
  return must(context.reg_mr({.pd = must(context.alloc_pd()),
                              .address = kBase,
                              .length = kLength,
                              .bytes = storage_.data() + kGuard,
                              .access = verbs::kAccessAll}));
}

}  // namespace weft::testing
