// The program's side of Device: limits, handles, and the way to the engine of a queue pair.
#include <utility>

#include "transport/device.h"
#include "transport/device_dispatch.h"

namespace weft::transport {
namespace {

tl::unexpected<Error> no_such_qp(Qpn qpn) { return fail("no such queue pair: {:#x}", qpn.value()); }
tl::unexpected<Error> no_such_cq(verbs::CqHandle cq) { return fail("no such completion queue: {:#x}", cq.value()); }
tl::unexpected<Error> no_such_srq(verbs::SrqHandle srq) {
  return fail("no such shared receive queue: {:#x}", srq.value());
}

Result<void> check_type(verbs::QpType given, verbs::QpType expected) {
  if (given == expected)
    return {};
  return fail("create_qp: the type is {}, but the options are for {}", verbs::to_string(given),
              verbs::to_string(expected));
}

}  // namespace

verbs::DeviceAttributes Device::query_device() const {
  verbs::DeviceAttributes attributes;
  attributes.endpoint = options_.endpoint;
  attributes.active_mtu = options_.active_mtu;
  attributes.max_qp_wr = options_.limits.max_qp_wr;
  attributes.max_sge = options_.limits.max_sge;
  attributes.max_inline_data = options_.limits.max_inline_data;
  attributes.max_cqe = options_.limits.max_cqe;
  attributes.max_qp_rd_atom = options_.limits.max_qp_rd_atom;
  if (is_infiniband(options_.encapsulation)) {
    attributes.max_mcast_grp = options_.limits.max_mcast_grp;
    attributes.max_mcast_qp_attach = options_.limits.max_mcast_qp_attach;
  }
  return attributes;
}

Result<verbs::CqHandle> Device::create_cq(std::uint32_t capacity) {
  if (capacity > options_.limits.max_cqe)
    return fail("create_cq: {} completions; the device allows {}", capacity, options_.limits.max_cqe);
  return context_.create_cq(capacity);
}

Result<std::size_t> Device::poll_cq(verbs::CqHandle cq, std::span<verbs::WorkCompletion> out) {
  verbs::CompletionQueue* const queue = context_.find_cq(cq);
  if (queue == nullptr)
    return no_such_cq(cq);
  const std::size_t moved = queue->poll(out);
  if (moved == 0 && queue->in_error() && queue->size() == 0)
    return fail("poll_cq: the queue overflowed; it held {} completions", queue->capacity());
  return moved;
}

Result<void> Device::req_notify_cq(verbs::CqHandle cq, verbs::CompletionQueue::Notify what) {
  verbs::CompletionQueue* const queue = context_.find_cq(cq);
  if (queue == nullptr)
    return no_such_cq(cq);
  queue->request_notify(what);
  return {};
}

bool Device::get_cq_event(verbs::CqHandle cq) {
  verbs::CompletionQueue* const queue = context_.find_cq(cq);
  return queue != nullptr && queue->take_event();
}

Result<verbs::SrqHandle> Device::create_srq(verbs::PdHandle pd, verbs::ReceiveQueue::Limits limits) {
  const DeviceLimits& device = options_.limits;
  if (limits.max_wr > device.max_qp_wr || limits.max_sge > device.max_sge) {
    return fail("create_srq: {} requests of {} elements; the device allows {} of {}", limits.max_wr, limits.max_sge,
                device.max_qp_wr, device.max_sge);
  }
  return context_.create_srq(pd, limits);
}

Result<void> Device::modify_srq(verbs::SrqHandle srq, std::uint32_t srq_limit) {
  verbs::ReceiveQueue* const queue = context_.find_srq(srq);
  if (queue == nullptr)
    return no_such_srq(srq);
  if (srq_limit > queue->limits().max_wr) {
    return fail("modify_srq: srq_limit is {}; the queue holds {} requests", srq_limit, queue->limits().max_wr);
  }
  queue->arm_limit(srq_limit);
  return {};
}

Result<void> Device::post_srq_recv(verbs::SrqHandle srq, const verbs::RecvWr& request) {
  verbs::ReceiveQueue* const queue = context_.find_srq(srq);
  if (queue == nullptr)
    return no_such_srq(srq);
  Result<void> posted = queue->post(request);
  if (posted) {
    wake_waiting(srq);
    check_srq_limit(srq);
  }
  return posted;
}

// A stream or scale-up link stands still while a message waits for a request, since nothing can be refused or repeated
// there.
void Device::wake_waiting(verbs::SrqHandle srq) {
  const auto wake = [&](auto /*handle*/, auto& engine) {
    if (engine.waits_for_receive() && std::as_const(engine).core().init().srq == srq)
      engine.on_shared_receive(context_, now_);
  };
  tcp_.for_each_live(wake);
  iwarp_.for_each_live(wake);
  memory_.for_each_live(wake);
}

Result<Qpn> Device::create_qp(const verbs::QpInitAttributes& init) {
  switch (init.type) {
    case verbs::QpType::kRc:
      return create_qp(init, RcOptions{});
    case verbs::QpType::kUc:
      return create_qp(init, UcOptions{});
    case verbs::QpType::kUd:
      break;
  }
  return create_qp(init, UdOptions{});
}

Result<Qpn> Device::create_qp(const verbs::QpInitAttributes& init, const RcOptions& options) {
  if (Result<void> right = check_type(init.type, verbs::QpType::kRc); !right)
    return pass_on(right);
  return add(rc_, EngineKind::kRc, init, options);
}

Result<Qpn> Device::create_qp(const verbs::QpInitAttributes& init, const UcOptions& options) {
  if (Result<void> right = check_type(init.type, verbs::QpType::kUc); !right)
    return pass_on(right);
  return add(uc_, EngineKind::kUc, init, options);
}

Result<Qpn> Device::create_qp(const verbs::QpInitAttributes& init, const UdOptions& options) {
  if (Result<void> right = check_type(init.type, verbs::QpType::kUd); !right)
    return pass_on(right);
  if (options.flow.congestion_receiver != nullptr && wire::is_uet(options_.encapsulation))
    return fail("create_qp: Ultra Ethernet has no congestion notification packets; leave the congestion receiver out");
  return add(ud_, EngineKind::kUd, init, UdOptions{.flow = options.flow, .port_mtu = options_.active_mtu});
}

Result<Qpn> Device::create_qp(const verbs::QpInitAttributes& init, const TcpQpOptions& options) {
  if (Result<void> right = check_type(init.type, verbs::QpType::kRc); !right)
    return pass_on(right);
  return add(tcp_, EngineKind::kTcp, init, options);
}

Result<Qpn> Device::create_qp(const verbs::QpInitAttributes& init, const IwarpOptions& options) {
  if (Result<void> right = check_type(init.type, verbs::QpType::kRc); !right)
    return pass_on(right);
  return add(iwarp_, EngineKind::kIwarp, init, options);
}

Result<Qpn> Device::create_qp(const verbs::QpInitAttributes& init, const MemoryOptions& options) {
  if (Result<void> right = check_type(init.type, verbs::QpType::kRc); !right)
    return pass_on(right);
  return add(memory_, EngineKind::kMemory, init, options);
}

template <class Engine, class Options>
Result<Qpn> Device::add(Slab<Engine>& slab, EngineKind kind, const verbs::QpInitAttributes& init,
                        const Options& options) {
  const Result<Qpn> qpn = admit(init);
  if (!qpn)
    return qpn;
  const QpIdentity identity{.qpn = *qpn, .endpoint = options_.endpoint, .encapsulation = options_.encapsulation};
  const auto handle = slab.allocate(identity, init, options);
  table_.insert(*qpn, {.index = handle.value(), .kind = kind});
  return qpn;
}

// A number for a new queue pair, whose domain and queues are marked as in use.
Result<Qpn> Device::admit(const verbs::QpInitAttributes& init) {
  if (Result<void> fits = check_limits(init, options_.limits); !fits)
    return pass_on(fits);
  if (table_.size() >= options_.limits.max_qp)
    return fail("create_qp: the device already has {} queue pairs, its limit", table_.size());
  if (Result<void> attached = context_.attach_qp(init); !attached)
    return pass_on(attached);
  Qpn qpn = numbers_.next();
  while (table_.find(qpn).exists())
    qpn = numbers_.next();
  return qpn;
}

UetEndpoint& Device::make_uet() {
  if (uet_ == nullptr) {
    uet_ = std::make_unique<UetEndpoint>(UetEndpoint::Setup{.endpoint = options_.endpoint,
                                                            .encapsulation = options_.encapsulation,
                                                            .seed = options_.seed,
                                                            .options = options_.uet,
                                                            .policies = uet_policies_},
                                         table_, context_);
  }
  return *uet_;
}

Result<Qpn> Device::create_uet_qp(const verbs::QpInitAttributes& init) {
  if (!wire::is_uet(options_.encapsulation)) {
    return fail("create_qp: the device's packets are {}; Ultra Ethernet needs one of its own encapsulations",
                wire::to_string(options_.encapsulation));
  }
  if (Result<void> right = check_type(init.type, verbs::QpType::kRc); !right)
    return pass_on(right);
  const Result<Qpn> qpn = admit(init);
  if (!qpn)
    return qpn;
  const UetEndpoint::Handle handle =
      make_uet().create({.qpn = *qpn, .endpoint = options_.endpoint, .encapsulation = options_.encapsulation}, init);
  table_.insert(*qpn, {.index = handle.value(), .kind = EngineKind::kUet});
  return qpn;
}

void Device::set_uet_full_headers() {
  options_.uet.full_headers = true;
  if (uet_ != nullptr)
    uet_->set_full_headers();
}

void Device::set_uet_policies(const UetPolicies& policies) {
  uet_policies_ = policies;
  if (uet_ != nullptr)
    uet_->set_policies(policies);
}

Result<void> Device::modify_qp(Qpn qpn, const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask) {
  const QpSlot slot = table_.find(qpn);
  if (!slot.exists())
    return no_such_qp(qpn);
  if (Result<void> fits = check_limits(attributes, mask, options_); !fits)
    return fits;
  return with(*this, slot, [&](auto& engine) { return engine.modify(attributes, mask, context_, now_); });
}

Result<verbs::QpDescription> Device::query_qp(Qpn qpn) const {
  const QpSlot slot = table_.find(qpn);
  if (!slot.exists())
    return no_such_qp(qpn);
  return with(*this, slot, [](const auto& engine) {
    verbs::QpDescription description{.attributes = engine.core().attributes(), .init = engine.core().init()};
    description.attributes.state = description.attributes.current_state = engine.state();
    return description;
  });
}

Result<void> Device::destroy_qp(Qpn qpn) {
  const QpSlot slot = table_.find(qpn);
  if (!slot.exists())
    return no_such_qp(qpn);
  if (multicast_ != nullptr && multicast_->is_attached(qpn))
    return fail("destroy_qp: the queue pair is attached to a multicast group; detach it first");
  context_.detach_qp(core_of(slot).init());
  table_.erase(qpn);
  switch (slot.kind) {
    case EngineKind::kRc:
      rc_.release(Slab<RcQueuePair>::Handle(slot.index));
      break;
    case EngineKind::kUc:
      uc_.release(Slab<UcQueuePair>::Handle(slot.index));
      break;
    case EngineKind::kUd:
      ud_.release(Slab<UdQueuePair>::Handle(slot.index));
      break;
    case EngineKind::kTcp:
      tcp_.release(Slab<TcpQueuePair>::Handle(slot.index));
      break;
    case EngineKind::kIwarp:
      iwarp_.release(Slab<IwarpQueuePair>::Handle(slot.index));
      break;
    case EngineKind::kMemory:
      memory_.release(Slab<MemoryQueuePair>::Handle(slot.index));
      break;
    case EngineKind::kUet:
      uet_->destroy(UetEndpoint::Handle(slot.index), now_);
      break;
    case EngineKind::kUetPdc:
      break;
  }
  return {};
}

Result<void> Device::attach_mcast(Qpn qpn, const verbs::MulticastGroup& group) {
  const QpSlot slot = table_.find(qpn);
  if (!slot.exists())
    return no_such_qp(qpn);
  if (slot.kind != EngineKind::kUd) {
    return fail("attach_mcast: the queue pair is {}; it must be UD", verbs::to_string(core_of(slot).init().type));
  }
  if (!is_infiniband(options_.encapsulation)) {
    return fail("attach_mcast: the device's packets are {}; multicast is for InfiniBand",
                wire::to_string(options_.encapsulation));
  }
  if (multicast_ == nullptr) {
    multicast_ = std::make_unique<MulticastGroups>(MulticastGroups::Limits{
        .groups = options_.limits.max_mcast_grp, .queue_pairs = options_.limits.max_mcast_qp_attach});
  }
  return multicast_->attach(qpn, group);
}

Result<void> Device::detach_mcast(Qpn qpn, const verbs::MulticastGroup& group) {
  if (!table_.find(qpn).exists())
    return no_such_qp(qpn);
  if (multicast_ == nullptr)
    return fail("detach_mcast: queue pair {:#x} is attached to no group", qpn.value());
  return multicast_->detach(qpn, group);
}

Result<void> Device::post_send(Qpn qpn, const verbs::SendWr& request) {
  const QpSlot slot = table_.find(qpn);
  if (!slot.exists())
    return no_such_qp(qpn);
  return with(*this, slot, [&](auto& engine) { return engine.post_send(request, context_, now_); });
}

Result<void> Device::post_recv(Qpn qpn, const verbs::RecvWr& request) {
  const QpSlot slot = table_.find(qpn);
  if (!slot.exists())
    return no_such_qp(qpn);
  return with(*this, slot, [&](auto& engine) { return engine.post_recv(request, context_, now_); });
}

}  // namespace weft::transport
