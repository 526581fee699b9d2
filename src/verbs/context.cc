#include "verbs/context.h"

#include <utility>

#include "base/assert.h"

namespace weft::verbs {

namespace {

template <class Handle>
tl::unexpected<Error> unknown(std::string_view kind, Handle handle) {
  return fail("no such {}: handle {:#x}", kind, handle.value());
}

tl::unexpected<Error> in_use(std::string_view kind, std::size_t uses) {
  return fail("{} is in use by {} other object{}; destroy those first", kind, uses, uses == 1 ? "" : "s");
}

tl::unexpected<Error> table_full(std::string_view kind, std::size_t limit) {
  return fail("the device already has {} {}s, its limit", limit, kind);
}

constexpr std::string_view kPd = "protection domain";
constexpr std::string_view kCq = "completion queue";
constexpr std::string_view kSrq = "shared receive queue";
constexpr std::string_view kAh = "address handle";

}  // namespace

CompletionQueue* Context::find_cq(CqHandle handle) {
  Cq* cq = cqs_.find(handle);
  return cq == nullptr ? nullptr : &cq->queue;
}

ReceiveQueue* Context::find_srq(SrqHandle handle) {
  Srq* srq = srqs_.find(handle);
  return srq == nullptr ? nullptr : &srq->queue;
}

const AddressVector* Context::find_ah(AddressHandle handle) const {
  const Ah* ah = address_handles_.find(handle);
  return ah == nullptr ? nullptr : &ah->address;
}

PdHandle Context::pd_of(AddressHandle handle) const {
  const Ah* ah = address_handles_.find(handle);
  return ah == nullptr ? PdHandle::invalid() : ah->pd;
}

PdHandle Context::pd_of(SrqHandle handle) const {
  const Srq* srq = srqs_.find(handle);
  return srq == nullptr ? PdHandle::invalid() : srq->pd;
}

bool Context::poll_async_event(AsyncEvent& event) {
  if (events_.empty()) {
    return false;
  }
  event = events_.pop_front();
  return true;
}

Result<PdHandle> Context::alloc_pd() {
  if (domains_.full()) {
    return table_full(kPd, domains_.size());
  }
  return domains_.insert({});
}

Result<void> Context::dealloc_pd(PdHandle handle) {
  const Domain* domain = domains_.find(handle);
  if (domain == nullptr) {
    return unknown(kPd, handle);
  }
  if (const std::size_t uses = domain->uses + memory_.count_in(handle); uses > 0) {
    return in_use(kPd, uses);
  }
  domains_.erase(handle);
  return {};
}

Result<std::uint32_t> Context::reg_mr(const MemoryTable::Registration& registration) {
  if (domains_.find(registration.pd) == nullptr) {
    return unknown(kPd, registration.pd);
  }
  return memory_.register_region(registration);
}

Result<void> Context::dereg_mr(std::uint32_t key) {
  if (!memory_.deregister(key)) {
    return fail("no such memory region: key {:#x}", key);
  }
  return {};
}

Result<CqHandle> Context::create_cq(std::uint32_t capacity) {
  if (capacity == 0) {
    return fail("a completion queue must hold at least 1 completion");
  }
  if (cqs_.full()) {
    return table_full(kCq, cqs_.size());
  }
  return cqs_.insert(Cq{.queue = CompletionQueue(capacity)});
}

Result<void> Context::destroy_cq(CqHandle handle) {
  const Cq* cq = cqs_.find(handle);
  if (cq == nullptr) {
    return unknown(kCq, handle);
  }
  if (cq->uses > 0) {
    return in_use(kCq, cq->uses);
  }
  cqs_.erase(handle);
  return {};
}

Result<SrqHandle> Context::create_srq(PdHandle pd, ReceiveQueue::Limits limits) {
  Domain* domain = domains_.find(pd);
  if (domain == nullptr) {
    return unknown(kPd, pd);
  }
  if (limits.max_wr == 0 || limits.max_sge == 0) {
    return fail(
        "a shared receive queue must hold at least 1 request (max_wr is {}) of at least 1 element (max_sge is {})",
        limits.max_wr, limits.max_sge);
  }
  if (srqs_.full()) {
    return table_full(kSrq, srqs_.size());
  }
  ++domain->uses;
  return srqs_.insert(Srq{.queue = ReceiveQueue(limits), .pd = pd});
}

Result<void> Context::destroy_srq(SrqHandle handle) {
  const Srq* srq = srqs_.find(handle);
  if (srq == nullptr) {
    return unknown(kSrq, handle);
  }
  if (srq->uses > 0) {
    return in_use(kSrq, srq->uses);
  }
  --domains_.find(srq->pd)->uses;
  srqs_.erase(handle);
  return {};
}

Result<AddressHandle> Context::create_ah(PdHandle pd, const AddressVector& address) {
  Domain* domain = domains_.find(pd);
  if (domain == nullptr) {
    return unknown(kPd, pd);
  }
  if (auto checked = check_address(address); !checked) {
    return pass_on(checked);
  }
  if (address_handles_.full()) {
    return table_full(kAh, address_handles_.size());
  }
  ++domain->uses;
  return address_handles_.insert(Ah{.address = address, .pd = pd});
}

Result<void> Context::destroy_ah(AddressHandle handle) {
  const Ah* ah = address_handles_.find(handle);
  if (ah == nullptr) {
    return unknown(kAh, handle);
  }
  --domains_.find(ah->pd)->uses;
  address_handles_.erase(handle);
  return {};
}

Result<void> Context::attach_qp(const QpInitAttributes& attributes) {
  Domain* domain = domains_.find(attributes.pd);
  Cq* send_cq = cqs_.find(attributes.send_cq);
  Cq* recv_cq = cqs_.find(attributes.recv_cq);
  Srq* srq = srqs_.find(attributes.srq);
  if (domain == nullptr) {
    return unknown(kPd, attributes.pd);
  }
  if (send_cq == nullptr || recv_cq == nullptr) {
    return unknown(kCq, send_cq == nullptr ? attributes.send_cq : attributes.recv_cq);
  }
  if (attributes.srq.is_valid() && srq == nullptr) {
    return unknown(kSrq, attributes.srq);
  }
  ++domain->uses;
  ++send_cq->uses;
  ++recv_cq->uses;
  if (srq != nullptr) {
    ++srq->uses;
  }
  return {};
}

void Context::detach_qp(const QpInitAttributes& attributes) {
  Domain* domain = domains_.find(attributes.pd);
  Cq* send_cq = cqs_.find(attributes.send_cq);
  Cq* recv_cq = cqs_.find(attributes.recv_cq);
  Srq* srq = srqs_.find(attributes.srq);
  WEFT_ASSERT(domain != nullptr && domain->uses > 0);
  WEFT_ASSERT(send_cq != nullptr && send_cq->uses > 0);
  WEFT_ASSERT(recv_cq != nullptr && recv_cq->uses > 0);
  --domain->uses;
  --send_cq->uses;
  --recv_cq->uses;
  if (attributes.srq.is_valid()) {
    WEFT_ASSERT(srq != nullptr && srq->uses > 0);
    --srq->uses;
  }
}

}  // namespace weft::verbs
