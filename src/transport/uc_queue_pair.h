// An unreliable connected queue pair: SEND and WRITE, with or without immediate data, of any length, in order, each
// message delivered once or not at all; nobody is told of a loss.
//
// READ, atomics and SEND with invalidate are refused when posted. A loss drops the message it belongs to; its receive
// request serves the next message. A SEND longer than its receive buffer completes the receive request with
// kLocLenErr, and the queue pair goes on. Source: IBTA 9.8.2.
#pragma once

#include "transport/uc_responder.h"
#include "transport/unreliable_queue_pair.h"

namespace weft::transport {

struct UcOptions {
  FlowPolicies flow{};
};

/// The service behind UcQueuePair (transport/unreliable_requester.h says what each member is for).
struct UcService {
  using Wqe = SendWqe;
  using Options = UcOptions;
  using Responder = UcResponder;
  static constexpr wire::Service kWireService = wire::Service::kUc;
  static constexpr bool kConnected = true;

  [[nodiscard]] static verbs::PathMtu mtu(const QpCore& core, const UcOptions&) { return core.attributes().path_mtu; }
  [[nodiscard]] static Result<void> check_request(const verbs::SendWr& request, const UnreliableCall& call);
  [[nodiscard]] static SendWqe make_wqe(const verbs::SendWr& request, const UnreliableCall& call);
  [[nodiscard]] static verbs::WcStatus check_start(const SendWqe& wqe, const UnreliableCall& call);
  static void fill(const SendWqe& wqe, std::uint32_t index, TransmitSlot& slot, const UnreliableCall& call);
};

using UcQueuePair = UnreliableQueuePair<UcService>;
extern template class UnreliableQueuePair<UcService>;

}  // namespace weft::transport
