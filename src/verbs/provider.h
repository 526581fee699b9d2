// Verbs as a program sees them, whatever carries its packets: packet level, flow level, or sockets.
//
// Names are those of libibverbs without `ibv_`; a program that knows those knows these. One provider is one device
// with one port. It is sans-I/O for its user: no call waits, and none takes a time, since whoever runs the program
// tells the provider the present instant before it does so (Machine::now is the same instant). Handles belong to this
// provider alone. Errors are messages for people; after one, nothing has changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/result.h"
#include "verbs/async_event.h"
#include "verbs/completion.h"
#include "verbs/completion_queue.h"
#include "verbs/handles.h"
#include "verbs/memory.h"
#include "verbs/multicast.h"
#include "verbs/queue_pair.h"
#include "verbs/receive_queue.h"
#include "verbs/work_request.h"

namespace weft::verbs {

/// A set of WrOpcode: bit `1 << opcode`.
using WrOpcodeMask = std::uint32_t;
[[nodiscard]] constexpr WrOpcodeMask mask_of(WrOpcode opcode) { return 1U << static_cast<unsigned>(opcode); }
constexpr WrOpcodeMask kAllWrOpcodes = 2 * mask_of(WrOpcode::kAtomicFetchAndAdd) - 1;

/// What a device can do (`ibv_device_attr` and `ibv_port_attr`, as far as programs need them).
struct DeviceAttributes {
  EndpointId endpoint{};                    // the address of its port
  WrOpcodeMask rc_opcodes = kAllWrOpcodes;  // what RC queue pairs accept; a TCP stream has no READ, no atomics
  PathMtu active_mtu = PathMtu::k4096;
  std::uint32_t max_qp_wr = 32'768;       // requests per queue
  std::uint32_t max_sge = 32;             // elements per request
  std::uint32_t max_inline_data = 1'024;  // bytes
  std::uint32_t max_cqe = 4'194'303;      // completions per queue
  std::uint8_t max_qp_rd_atom = 16;       // READs and atomics in flight per queue pair, each way
  std::uint32_t max_mcast_grp = 0;        // groups that queue pairs are attached to; 0: there is no multicast
  std::uint32_t max_mcast_qp_attach = 0;  // queue pairs of a group
};

/// What query_qp tells: the attributes as they stand (`state` included), and those of creation.
struct QpDescription {
  QpAttributes attributes{};
  QpInitAttributes init{};
};

class Provider {
 public:
  virtual ~Provider() = default;

  [[nodiscard]] virtual DeviceAttributes query_device() const = 0;

  /// A domain can be deallocated when no memory region, queue or address handle of it is left.
  [[nodiscard]] virtual Result<PdHandle> alloc_pd() = 0;
  [[nodiscard]] virtual Result<void> dealloc_pd(PdHandle pd) = 0;

  /// Opens memory to requests; the key is both L_Key and R_Key. The bytes, if any, remain the program's and must
  /// outlive the registration.
  [[nodiscard]] virtual Result<std::uint32_t> reg_mr(const MemoryTable::Registration& registration) = 0;
  /// Requests under way that use the key fail with a protection error.
  [[nodiscard]] virtual Result<void> dereg_mr(std::uint32_t key) = 0;

  /// A queue can be destroyed when no queue pair uses it; completions still in it are lost.
  [[nodiscard]] virtual Result<CqHandle> create_cq(std::uint32_t capacity) = 0;
  [[nodiscard]] virtual Result<void> destroy_cq(CqHandle cq) = 0;
  /// Moves up to `out.size()` of the oldest completions to `out`; the number moved. Errors: no such queue; a queue
  /// that overflowed, once it is empty.
  [[nodiscard]] virtual Result<std::size_t> poll_cq(CqHandle cq, std::span<WorkCompletion> out) = 0;
  /// Asks for one event. As in libibverbs, completions already in the queue raise none: poll once more after asking.
  [[nodiscard]] virtual Result<void> req_notify_cq(CqHandle cq, CompletionQueue::Notify what) = 0;
  /// True once after the event asked for.
  [[nodiscard]] virtual bool get_cq_event(CqHandle cq) = 0;

  [[nodiscard]] virtual Result<SrqHandle> create_srq(PdHandle pd, ReceiveQueue::Limits limits) = 0;
  /// Arms the limit event: kSrqLimitReached once fewer than `srq_limit` requests remain; 0 disarms.
  [[nodiscard]] virtual Result<void> modify_srq(SrqHandle srq, std::uint32_t srq_limit) = 0;
  [[nodiscard]] virtual Result<void> post_srq_recv(SrqHandle srq, const RecvWr& request) = 0;
  [[nodiscard]] virtual Result<void> destroy_srq(SrqHandle srq) = 0;

  /// A new queue pair, in RESET. Errors: an unknown handle, a limit above the device's.
  [[nodiscard]] virtual Result<Qpn> create_qp(const QpInitAttributes& init) = 0;
  /// As check_modify allows. Moving to RESET discards all requests without completion; moving to ERR flushes them.
  [[nodiscard]] virtual Result<void> modify_qp(Qpn qpn, const QpAttributes& attributes, QpAttributeMask mask) = 0;
  [[nodiscard]] virtual Result<QpDescription> query_qp(Qpn qpn) const = 0;
  /// Requests outstanding vanish without completion. Errors also: it is attached to a group.
  [[nodiscard]] virtual Result<void> destroy_qp(Qpn qpn) = 0;

  /// What comes for the group is also received by this queue pair, of type UD; one copy, however often it is attached.
  /// That the network brings it to the port is for the subnet manager to do. Errors: no such queue pair, another type,
  /// no group, a LID that is another group's here, a limit of the device, a device without multicast.
  [[nodiscard]] virtual Result<void> attach_mcast(Qpn qpn, const MulticastGroup& group);
  /// Errors: it is not attached.
  [[nodiscard]] virtual Result<void> detach_mcast(Qpn qpn, const MulticastGroup& group);

  /// Appends to the send queue; in ERR and SQE the request is flushed at once. Errors: the queue is full, the state is
  /// RESET, INIT or RTR, the request is malformed for the transport.
  [[nodiscard]] virtual Result<void> post_send(Qpn qpn, const SendWr& request) = 0;
  /// Appends to the queue pair's own receive queue. Errors: RESET, a full queue, a queue pair with a shared queue.
  [[nodiscard]] virtual Result<void> post_recv(Qpn qpn, const RecvWr& request) = 0;

  [[nodiscard]] virtual Result<AddressHandle> create_ah(PdHandle pd, const AddressVector& address) = 0;
  [[nodiscard]] virtual Result<void> destroy_ah(AddressHandle ah) = 0;

  /// Moves the oldest asynchronous event to `event`; false if there is none.
  [[nodiscard]] virtual bool poll_async_event(AsyncEvent& event) = 0;
};

}  // namespace weft::verbs
