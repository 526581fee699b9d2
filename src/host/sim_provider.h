// Verbs of one simulated NIC, as one program sees them: the NIC's device, behind the host's part of the way.
//
// Requests reach the NIC after the pipeline's delay, in order; completions are seen after its completion delay. A
// request that the engine refuses after that delay ends the run with the error (Nic::deferred_error), since post_send
// has returned long before. Everything else is answered at once.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ring.h"
#include "host/nic.h"
#include "verbs/provider.h"

namespace weft::host {

class SimProvider final : public verbs::Provider, public CompletionListener {
 public:
  /// The NIC and the listener must outlive this. `listener` hears when completions may be seen.
  SimProvider(Nic& nic, CompletionListener& listener, Service service = Service::kRdma);

  void on_completions(Time at) override;
  /// When the oldest completion that cannot be seen yet can be; never() if there is none.
  [[nodiscard]] Time next_visible(Time now) const;

  [[nodiscard]] verbs::DeviceAttributes query_device() const override;
  [[nodiscard]] Result<verbs::PdHandle> alloc_pd() override { return device().alloc_pd(); }
  [[nodiscard]] Result<void> dealloc_pd(verbs::PdHandle pd) override { return device().dealloc_pd(pd); }
  [[nodiscard]] Result<std::uint32_t> reg_mr(const verbs::MemoryTable::Registration& registration) override {
    return device().reg_mr(registration);
  }
  [[nodiscard]] Result<void> dereg_mr(std::uint32_t key) override { return device().dereg_mr(key); }

  [[nodiscard]] Result<verbs::CqHandle> create_cq(std::uint32_t capacity) override;
  [[nodiscard]] Result<void> destroy_cq(verbs::CqHandle cq) override;
  [[nodiscard]] Result<std::size_t> poll_cq(verbs::CqHandle cq, std::span<verbs::WorkCompletion> out) override;
  [[nodiscard]] Result<void> req_notify_cq(verbs::CqHandle cq, verbs::CompletionQueue::Notify what) override {
    return device().req_notify_cq(cq, what);
  }
  [[nodiscard]] bool get_cq_event(verbs::CqHandle cq) override { return device().get_cq_event(cq); }

  [[nodiscard]] Result<verbs::SrqHandle> create_srq(verbs::PdHandle pd, verbs::ReceiveQueue::Limits limits) override {
    return device().create_srq(pd, limits);
  }
  [[nodiscard]] Result<void> modify_srq(verbs::SrqHandle srq, std::uint32_t srq_limit) override {
    return device().modify_srq(srq, srq_limit);
  }
  [[nodiscard]] Result<void> post_srq_recv(verbs::SrqHandle srq, const verbs::RecvWr& request) override;
  [[nodiscard]] Result<void> destroy_srq(verbs::SrqHandle srq) override { return device().destroy_srq(srq); }

  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init) override;
  [[nodiscard]] Result<void> modify_qp(Qpn qpn, const verbs::QpAttributes& attributes,
                                       verbs::QpAttributeMask mask) override;
  [[nodiscard]] Result<verbs::QpDescription> query_qp(Qpn qpn) const override { return nic_.device().query_qp(qpn); }
  [[nodiscard]] Result<void> destroy_qp(Qpn qpn) override;
  [[nodiscard]] Result<void> attach_mcast(Qpn qpn, const verbs::MulticastGroup& group) override {
    return nic_.device().attach_mcast(qpn, group);
  }
  [[nodiscard]] Result<void> detach_mcast(Qpn qpn, const verbs::MulticastGroup& group) override {
    return nic_.device().detach_mcast(qpn, group);
  }

  [[nodiscard]] Result<void> post_send(Qpn qpn, const verbs::SendWr& request) override {
    return nic_.post_send(qpn, request);
  }
  [[nodiscard]] Result<void> post_recv(Qpn qpn, const verbs::RecvWr& request) override;

  [[nodiscard]] Result<verbs::AddressHandle> create_ah(verbs::PdHandle pd,
                                                       const verbs::AddressVector& address) override {
    return device().create_ah(pd, address);
  }
  [[nodiscard]] Result<void> destroy_ah(verbs::AddressHandle ah) override { return device().destroy_ah(ah); }
  [[nodiscard]] bool poll_async_event(verbs::AsyncEvent& event) override { return device().poll_async_event(event); }

  /// A completion of something that the device does not know of; seen at once. Raises no completion event.
  void complete(verbs::CqHandle cq, const verbs::WorkCompletion& completion);
  /// Whether the queue is one that this has made.
  [[nodiscard]] bool has_cq(verbs::CqHandle cq) const;

 private:
  struct Delayed {
    Time visible;
    verbs::WorkCompletion completion;
  };
  struct Queue {
    verbs::CqHandle cq;
    Ring<Delayed> delayed;
  };

  /// The device, at the present instant.
  [[nodiscard]] transport::Device& device() const {
    nic_.device().advance_to(nic_.now());
    return nic_.device();
  }

  /// Of what a peer may ask for as well: tells the device the present instant where it matters.
  void advance_for_set_up() const;

  Nic& nic_;
  CompletionListener& listener_;
  Service service_;
  std::vector<Queue> queues_;
};

}  // namespace weft::host
