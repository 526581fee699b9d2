#include "host/sim_provider.h"

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace weft::host {
namespace {

using verbs::mask_of;
using verbs::WrOpcode;

/// What both kinds over a stream have, and scale-up links.
constexpr verbs::WrOpcodeMask kStreamOpcodes =
    mask_of(WrOpcode::kRdmaWrite) | mask_of(WrOpcode::kRdmaWriteWithImm) | mask_of(WrOpcode::kSend);

/// What reliable queue pairs accept.
verbs::WrOpcodeMask opcodes_of(Service service) {
  switch (service) {
    case Service::kRdma:
      return verbs::kAllWrOpcodes;
    case Service::kTcp:
      return kStreamOpcodes | mask_of(WrOpcode::kSendWithImm);
    case Service::kIwarp:
      return kStreamOpcodes | mask_of(WrOpcode::kSendWithInv) | mask_of(WrOpcode::kRdmaRead);
    case Service::kUet:
      return verbs::kAllWrOpcodes & ~mask_of(WrOpcode::kSendWithInv);
    case Service::kMemory:
      break;
  }
  return kStreamOpcodes | mask_of(WrOpcode::kSendWithImm) | mask_of(WrOpcode::kRdmaRead);
}

}  // namespace

// Peers that open a connection do so at their own time, which in a divided world need not be this host's. RC and
// Ultra Ethernet take no notice of the time before the first packet; streams do, and in a divided world are opened in
// its first instant, which is one for all.
void SimProvider::advance_for_set_up() const {
  if (service_ != Service::kRdma && service_ != Service::kUet) {
    nic_.device().advance_to(nic_.now());
  }
}

SimProvider::SimProvider(Nic& nic, CompletionListener& listener, Service service)
    : nic_(nic), listener_(listener), service_(service) {
  nic.add_completion_listener(this);
}

verbs::DeviceAttributes SimProvider::query_device() const {
  verbs::DeviceAttributes attributes = nic_.device().query_device();
  attributes.rc_opcodes = opcodes_of(service_);
  return attributes;
}

// Completions are taken out of the device when they come, so that each is seen at its own time.
void SimProvider::on_completions(Time at) {
  WEFT_DCHECK(at >= nic_.now());  // no program sees a completion before it was made
  bool any = false;
  std::array<verbs::WorkCompletion, 32> batch;
  for (Queue& queue : queues_) {
    for (;;) {
      const Result<std::size_t> moved = device().poll_cq(queue.cq, batch);
      if (!moved || *moved == 0) {
        break;
      }
      any = true;
      for (std::size_t i = 0; i < *moved; ++i) {
        queue.delayed.push_back({at, batch[i]});
      }
    }
  }
  if (any) {
    listener_.on_completions(at);
  }
}

Time SimProvider::next_visible(Time now) const {
  Time next = Time::never();
  for (const Queue& queue : queues_) {
    for (std::uint32_t i = 0; i < queue.delayed.size(); ++i) {
      if (queue.delayed[i].visible > now) {
        next = earlier(next, queue.delayed[i].visible);
        break;
      }
    }
  }
  return next;
}

Result<verbs::CqHandle> SimProvider::create_cq(std::uint32_t capacity) {
  Result<verbs::CqHandle> made = device().create_cq(capacity);
  if (made) {
    queues_.push_back({*made, {}});
  }
  return made;
}

Result<void> SimProvider::destroy_cq(verbs::CqHandle cq) {
  Result<void> destroyed = device().destroy_cq(cq);
  if (destroyed) {
    std::erase_if(queues_, [&](const Queue& queue) { return queue.cq == cq; });
  }
  return destroyed;
}

Result<std::size_t> SimProvider::poll_cq(verbs::CqHandle cq, std::span<verbs::WorkCompletion> out) {
  const auto queue = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.cq == cq; });
  if (queue == queues_.end()) {
    return device().poll_cq(cq, out);
  }
  std::size_t moved = 0;
  while (moved < out.size() && !queue->delayed.empty() && queue->delayed.front().visible <= nic_.now()) {
    out[moved++] = queue->delayed.pop_front().completion;
  }
  // An overflow is an error of the device's queue, once it is empty.
  return moved > 0 || !queue->delayed.empty() ? Result<std::size_t>(moved) : device().poll_cq(cq, out);
}

bool SimProvider::has_cq(verbs::CqHandle cq) const {
  return std::any_of(queues_.begin(), queues_.end(), [&](const Queue& queue) { return queue.cq == cq; });
}

void SimProvider::complete(verbs::CqHandle cq, const verbs::WorkCompletion& completion) {
  const auto queue = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.cq == cq; });
  if (queue != queues_.end()) {
    queue->delayed.push_back({nic_.now(), completion});
    listener_.on_completions(nic_.now());
  }
}

Result<Qpn> SimProvider::create_qp(const verbs::QpInitAttributes& init) {
  advance_for_set_up();
  return nic_.create_qp(init, service_);
}

Result<void> SimProvider::modify_qp(Qpn qpn, const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask) {
  advance_for_set_up();
  Result<void> modified = nic_.device().modify_qp(qpn, attributes, mask);
  if (modified) {
    nic_.modified(qpn);
  }
  return modified;
}

Result<void> SimProvider::destroy_qp(Qpn qpn) { return nic_.destroy_qp(qpn); }

Result<void> SimProvider::post_srq_recv(verbs::SrqHandle srq, const verbs::RecvWr& request) {
  Result<void> posted = device().post_srq_recv(srq, request);
  if (posted) {
    nic_.shared_receive_posted(srq);
  }
  return posted;
}

Result<void> SimProvider::post_recv(Qpn qpn, const verbs::RecvWr& request) {
  advance_for_set_up();
  Result<void> posted = nic_.device().post_recv(qpn, request);
  if (posted) {
    nic_.modified(qpn);
  }
  return posted;
}

}  // namespace weft::host
