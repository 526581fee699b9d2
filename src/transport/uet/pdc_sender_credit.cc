// What RCCC is to the sending half of a context.
#include <algorithm>

#include "transport/uet/pdc_sender.h"
#include "transport/uet/ses_types.h"

namespace weft::transport {

// Marks choose paths, and tell receivers of a congested core.
void PdcSender::spend_credit(const TransmitSlot& slot, std::uint16_t size, const PdcCall& call) {
  credit_->on_sent(Bytes(size));
  slot.packet.common.ecn = wire::Ecn::kEct0;
  if (!slot.packet.has(wire::kHasCold))
    attach_extension(slot);
  slot.cold.uet.credit_target = target(call.active_senders, call).value();
}

CreditTotal PdcSender::target(std::uint32_t active_senders, const PdcCall& call) const {
  return credit_->target({.backlog = backlog(call),
                          .sender_window = window_ == ~0ULL ? Bytes::max() : Bytes(static_cast<std::int64_t>(window_)),
                          .active_flows = active_senders});
}

// An owner that has nothing to give after all leaves its ring only when it is asked, which takes credit.
Bytes PdcSender::backlog(const PdcCall& call) const {
  constexpr std::uint32_t kMostOwners = 64;
  const Bytes enough = credit_->window();
  Bytes sum(static_cast<std::int64_t>(lost_bytes_));
  for (std::uint32_t i = 0; i < std::min(owners_.size(), kMostOwners) && sum < enough; ++i)
    sum += call.client.backlog(owners_[i], enough - sum, call.now);
  return owners_.empty() ? sum : std::max(sum, Bytes(1));
}

void PdcSender::take_credit(const wire::UetHeader& header) {
  if (header.cc_type == static_cast<std::uint8_t>(wire::uet::CcType::kCredit)) {
    credit_->on_credit(CreditTotal(wire::uet::CreditState::unpack(header.ack.cc_state).credit));
  } else {
    credit_->on_feedback();
  }
}

}  // namespace weft::transport
