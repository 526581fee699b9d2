#include "host/tree_edge.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace weft::host {
namespace {

using verbs::QpState;

constexpr verbs::QpAttributeMask kToInit = verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpAccessFlags;
constexpr verbs::QpAttributeMask kToRtr = verbs::kQpAv | verbs::kQpPathMtu | verbs::kQpDestQpn | verbs::kQpRqPsn |
                                          verbs::kQpMaxDestRdAtomic | verbs::kQpMinRnrTimer;
constexpr verbs::QpAttributeMask kToRts =
    verbs::kQpSqPsn | verbs::kQpTimeout | verbs::kQpRetryCnt | verbs::kQpRnrRetry | verbs::kQpMaxQpRdAtomic;

}  // namespace

Result<TreeEdge> TreeEdge::make(verbs::Provider& provider, const Queues& queues, const ReductionOptions& options) {
  Result<Qpn> made = provider.create_qp({.type = verbs::QpType::kRc,
                                         .pd = queues.pd,
                                         .send_cq = queues.cq,
                                         .recv_cq = queues.cq,
                                         .max_send_wr = options.window + 2,  // and a probe, and abandonment
                                         .max_recv_wr = options.window + 1,  // and abandonment
                                         .max_send_sge = 1,
                                         .max_recv_sge = 1,
                                         .max_inline_data = 0,
                                         .sq_sig_all = true});
  if (!made) {
    return pass_on(made);
  }
  return TreeEdge(provider, *made, queues);
}

EdgeAddress TreeEdge::address() const {
  return {.endpoint = provider_->query_device().endpoint, .qpn = qpn_, .first_psn = first_psn_};
}

Result<void> TreeEdge::connect(const EdgeAddress& peer, const ReductionOptions& options) {
  verbs::QpAttributes attributes{
      .access_flags = verbs::kAccessRemoteWrite,  // for probes
      .address = {.destination = peer.endpoint,
                  .service_level = options.service_level,
                  .traffic_class = options.traffic_class,
                  .source_port = static_cast<std::uint16_t>(0xC000 | (first_psn_.value() & 0x3FFF))},
      .path_mtu = std::min(options.path_mtu, provider_->query_device().active_mtu),
      .timeout = options.timeout,
      .retry_count = options.retry_count,
      .rq_psn = peer.first_psn,
      .sq_psn = first_psn_,
      .destination_qpn = peer.qpn};
  const std::pair<QpState, verbs::QpAttributeMask> steps[] = {
      {QpState::kInit, kToInit}, {QpState::kRtr, kToRtr}, {QpState::kRts, kToRts}};
  for (const auto& [state, mask] : steps) {
    attributes.state = state;
    if (Result<void> moved = provider_->modify_qp(qpn_, attributes, mask | verbs::kQpState); !moved) {
      return moved;
    }
  }
  return {};
}

void TreeEdge::destroy() {
  const Result<void> destroyed = provider_->destroy_qp(qpn_);
  WEFT_ASSERT(destroyed.has_value());
}

Result<void> TreeEdge::post_receive(const std::optional<verbs::Sge>& room) {
  verbs::RecvWr request{.wr_id = wr_id(Part::kReceive)};
  if (room) {
    request.sg_list = {&*room, 1};
  }
  return provider_->post_recv(qpn_, request);
}

Result<void> TreeEdge::post(verbs::SendWr request) {
  Result<void> posted = provider_->post_send(qpn_, request);
  if (posted) {
    ++unacknowledged_;
  }
  return posted;
}

Result<void> TreeEdge::send(const std::optional<verbs::Sge>& vector, const ReductionHeader& header) {
  verbs::SendWr request{
      .wr_id = wr_id(Part::kSend), .opcode = verbs::WrOpcode::kSendWithImm, .imm_data = header.encode()};
  if (vector) {
    request.sg_list = {&*vector, 1};
  }
  return post(request);
}

void TreeEdge::abandon() {
  if (broken_ || std::exchange(abandoned_, true)) {
    return;
  }
  const ReductionHeader header{.reduction = {}, .root = {}, .abandoned = true};
  if (!post({.wr_id = wr_id(Part::kAbandon), .opcode = verbs::WrOpcode::kSendWithImm, .imm_data = header.encode()})) {
    broken_ = true;
  }
}

void TreeEdge::probe() {
  if (broken_ || unacknowledged_ > 0) {
    return;
  }
  if (!post({.wr_id = wr_id(Part::kProbe), .opcode = verbs::WrOpcode::kRdmaWrite})) {
    broken_ = true;
  }
}

}  // namespace weft::host
