// Verbs of one endpoint at the flow level, as one program sees them.
//
// Domains, memory keys, completion queues and the states of queue pairs are those of every provider (verbs/). Reliable
// queue pairs alone; no shared receive queues, no address handles, no atomics, no asynchronous events.
#pragma once

#include <cstdint>

#include "flow/flow_network.h"
#include "verbs/context.h"
#include "verbs/provider.h"

namespace weft::flow {

class FlowMachine;

class FlowDevice final : public verbs::Provider {
 public:
  FlowDevice(FlowNetwork& network, FlowMachine& machine, EndpointId endpoint);

  [[nodiscard]] EndpointId endpoint() const { return attributes_.endpoint; }
  [[nodiscard]] FlowMachine& machine() { return machine_; }
  [[nodiscard]] verbs::Context& context() { return context_; }

  [[nodiscard]] verbs::DeviceAttributes query_device() const override { return attributes_; }
  [[nodiscard]] Result<verbs::PdHandle> alloc_pd() override { return context_.alloc_pd(); }
  [[nodiscard]] Result<void> dealloc_pd(verbs::PdHandle pd) override { return context_.dealloc_pd(pd); }
  [[nodiscard]] Result<std::uint32_t> reg_mr(const verbs::MemoryTable::Registration& registration) override {
    return context_.reg_mr(registration);
  }
  [[nodiscard]] Result<void> dereg_mr(std::uint32_t key) override { return context_.dereg_mr(key); }
  [[nodiscard]] Result<verbs::CqHandle> create_cq(std::uint32_t capacity) override;
  [[nodiscard]] Result<void> destroy_cq(verbs::CqHandle cq) override { return context_.destroy_cq(cq); }
  [[nodiscard]] Result<std::size_t> poll_cq(verbs::CqHandle cq, std::span<verbs::WorkCompletion> out) override;
  [[nodiscard]] Result<void> req_notify_cq(verbs::CqHandle cq, verbs::CompletionQueue::Notify what) override;
  [[nodiscard]] bool get_cq_event(verbs::CqHandle cq) override;

  [[nodiscard]] Result<verbs::SrqHandle> create_srq(verbs::PdHandle pd, verbs::ReceiveQueue::Limits limits) override;
  [[nodiscard]] Result<void> modify_srq(verbs::SrqHandle srq, std::uint32_t srq_limit) override;
  [[nodiscard]] Result<void> post_srq_recv(verbs::SrqHandle srq, const verbs::RecvWr& request) override;
  [[nodiscard]] Result<void> destroy_srq(verbs::SrqHandle srq) override;

  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init) override;
  [[nodiscard]] Result<void> modify_qp(Qpn qpn, const verbs::QpAttributes& attributes,
                                       verbs::QpAttributeMask mask) override;
  [[nodiscard]] Result<verbs::QpDescription> query_qp(Qpn qpn) const override;
  [[nodiscard]] Result<void> destroy_qp(Qpn qpn) override;

  [[nodiscard]] Result<void> post_send(Qpn qpn, const verbs::SendWr& request) override;
  [[nodiscard]] Result<void> post_recv(Qpn qpn, const verbs::RecvWr& request) override;

  [[nodiscard]] Result<verbs::AddressHandle> create_ah(verbs::PdHandle pd,
                                                       const verbs::AddressVector& address) override;
  [[nodiscard]] Result<void> destroy_ah(verbs::AddressHandle ah) override;
  [[nodiscard]] bool poll_async_event(verbs::AsyncEvent& /*event*/) override { return false; }

 private:
  /// Errors: no such queue pair, or one of another device at the endpoint.
  [[nodiscard]] Result<PairIndex> pair_of(Qpn qpn) const;

  FlowNetwork& network_;
  FlowMachine& machine_;
  verbs::DeviceAttributes attributes_;
  verbs::Context context_;
};

}  // namespace weft::flow
