// A network that reduces, as simply as possible: once every member has posted its n-th request, all have the result.
//
// One NetworkReducer per domain; each member's rail is a ReducingProvider, a device that is handed through, with the
// verbs of groups added. Results come at once; completions lie before those of the device.
#pragma once

#include <map>
#include <vector>

#include "base/ring.h"
#include "verbs/group.h"
#include "verbs/provider.h"

namespace weft::testing {

class ReducingProvider;

class NetworkReducer {
 public:
  static constexpr verbs::ReduceLimits kLimits{
      .max_size = Bytes(1'000), .data_types = 0xFF, .operations = 0x3F, .max_members = 64};

  struct Part {
    ReducingProvider* member = nullptr;
    verbs::ReduceWr request{};
  };
  /// Groups are known by their members, and those of the same by the order in which each member made them.
  struct Place {
    std::uint32_t group = 0;
    std::uint64_t request = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  void post(const verbs::GroupAttributes& group, const Place& place, const Part& part);

 private:
  struct Key {
    std::vector<EndpointId> members;
    Place place;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  static void finish(const std::vector<Part>& parts);
  std::map<Key, std::vector<Part>> open_;  // parts by member
};

class ReducingProvider final : public verbs::Provider, public verbs::GroupProvider {
 public:
  static constexpr std::uint64_t kMemoryAt = 0x10000;

  ReducingProvider(verbs::Provider& device, NetworkReducer& network, std::vector<std::byte>& memory)
      : device_(device), network_(network), memory_(memory) {}

  [[nodiscard]] verbs::ReduceLimits query_reduce() const override { return NetworkReducer::kLimits; }
  [[nodiscard]] Result<verbs::GroupHandle> create_group(const verbs::GroupAttributes& attributes) override;
  [[nodiscard]] Result<void> destroy_group(verbs::GroupHandle) override { return {}; }
  [[nodiscard]] Result<void> post_reduce(verbs::GroupHandle group, const verbs::ReduceWr& request) override;

  void complete(std::uint64_t wr_id);
  /// Null in runs without bytes.
  [[nodiscard]] std::byte* bytes_at(std::uint64_t address) {
    return memory_.empty() ? nullptr : memory_.data() + (address - kMemoryAt);
  }

  [[nodiscard]] Result<std::size_t> poll_cq(verbs::CqHandle cq, std::span<verbs::WorkCompletion> out) override;
  [[nodiscard]] bool get_cq_event(verbs::CqHandle cq) override {
    return !completions_.empty() || device_.get_cq_event(cq);
  }

  using Cq = verbs::CqHandle;
  using Pd = verbs::PdHandle;
  using Srq = verbs::SrqHandle;
  using Ah = verbs::AddressHandle;
  [[nodiscard]] verbs::DeviceAttributes query_device() const override { return device_.query_device(); }
  [[nodiscard]] Result<Pd> alloc_pd() override { return device_.alloc_pd(); }
  [[nodiscard]] Result<void> dealloc_pd(Pd pd) override { return device_.dealloc_pd(pd); }
  [[nodiscard]] Result<std::uint32_t> reg_mr(const verbs::MemoryTable::Registration& memory) override {
    return device_.reg_mr(memory);
  }
  [[nodiscard]] Result<void> dereg_mr(std::uint32_t key) override { return device_.dereg_mr(key); }
  [[nodiscard]] Result<Cq> create_cq(std::uint32_t capacity) override { return device_.create_cq(capacity); }
  [[nodiscard]] Result<void> destroy_cq(Cq cq) override { return device_.destroy_cq(cq); }
  [[nodiscard]] Result<void> req_notify_cq(Cq cq, verbs::CompletionQueue::Notify what) override {
    return device_.req_notify_cq(cq, what);
  }
  [[nodiscard]] Result<Srq> create_srq(Pd pd, verbs::ReceiveQueue::Limits limits) override {
    return device_.create_srq(pd, limits);
  }
  [[nodiscard]] Result<void> modify_srq(Srq srq, std::uint32_t limit) override {
    return device_.modify_srq(srq, limit);
  }
  [[nodiscard]] Result<void> post_srq_recv(Srq srq, const verbs::RecvWr& request) override {
    return device_.post_srq_recv(srq, request);
  }
  [[nodiscard]] Result<void> destroy_srq(Srq srq) override { return device_.destroy_srq(srq); }
  [[nodiscard]] Result<Qpn> create_qp(const verbs::QpInitAttributes& init) override { return device_.create_qp(init); }
  [[nodiscard]] Result<void> modify_qp(Qpn qpn, const verbs::QpAttributes& attributes,
                                       verbs::QpAttributeMask mask) override {
    return device_.modify_qp(qpn, attributes, mask);
  }
  [[nodiscard]] Result<verbs::QpDescription> query_qp(Qpn qpn) const override { return device_.query_qp(qpn); }
  [[nodiscard]] Result<void> destroy_qp(Qpn qpn) override { return device_.destroy_qp(qpn); }
  [[nodiscard]] Result<void> post_send(Qpn qpn, const verbs::SendWr& request) override {
    return device_.post_send(qpn, request);
  }
  [[nodiscard]] Result<void> post_recv(Qpn qpn, const verbs::RecvWr& request) override {
    return device_.post_recv(qpn, request);
  }
  [[nodiscard]] Result<Ah> create_ah(Pd pd, const verbs::AddressVector& address) override {
    return device_.create_ah(pd, address);
  }
  [[nodiscard]] Result<void> destroy_ah(Ah ah) override { return device_.destroy_ah(ah); }
  [[nodiscard]] bool poll_async_event(verbs::AsyncEvent& event) override { return device_.poll_async_event(event); }

 private:
  struct Group {
    verbs::GroupAttributes attributes;
    std::uint32_t ordinal = 0;  // among those over the same members
    std::uint64_t posted = 0;
  };
  verbs::Provider& device_;
  NetworkReducer& network_;
  std::vector<std::byte>& memory_;
  std::vector<Group> groups_;
  Ring<verbs::WorkCompletion> completions_;
};

}  // namespace weft::testing
