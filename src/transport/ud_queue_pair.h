// An unreliable datagram queue pair: each SEND is one packet of at most the port's MTU, to the queue pair that its
// address handle and number name; any number of peers.
//
// A request whose address handle is gone or of another domain completes with kLocQpOpErr. A Q_Key with its top bit set
// stands for the queue pair's own, so that only privileged programs can send it. What receivers do: ud_responder.h.
// Source: IBTA 9.8.3, 10.2.5.
#pragma once

#include "transport/ud_responder.h"
#include "transport/unreliable_queue_pair.h"

namespace weft::transport {

struct UdOptions {
  FlowPolicies flow{};
  verbs::PathMtu port_mtu = verbs::PathMtu::k4096;  // largest datagram
};

/// A datagram in the queue.
struct UdWqe : SendWqe {
  verbs::AddressHandle ah{};
  Qpn remote_qpn{};
  std::uint32_t remote_qkey = 0;
};

/// The service behind UdQueuePair (transport/unreliable_requester.h says what each member is for).
struct UdService {
  using Wqe = UdWqe;
  using Options = UdOptions;
  using Responder = UdResponder;
  static constexpr wire::Service kWireService = wire::Service::kUd;
  static constexpr bool kConnected = false;

  [[nodiscard]] static verbs::PathMtu mtu(const QpCore&, const UdOptions& options) { return options.port_mtu; }
  [[nodiscard]] static Result<void> check_request(const verbs::SendWr& request, const UnreliableCall& call);
  [[nodiscard]] static UdWqe make_wqe(const verbs::SendWr& request, const UnreliableCall& call);
  [[nodiscard]] static verbs::WcStatus check_start(const UdWqe& wqe, const UnreliableCall& call);
  static void fill(const UdWqe& wqe, std::uint32_t index, TransmitSlot& slot, const UnreliableCall& call);
};

using UdQueuePair = UnreliableQueuePair<UdService>;
extern template class UnreliableQueuePair<UdService>;

}  // namespace weft::transport
