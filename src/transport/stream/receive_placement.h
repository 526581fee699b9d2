// Where messages that arrive on a stream end up: memory named by a key, or a posted receive request. The rights are
// those that RC checks (IBTA 9.7.4); what is done about a fault is the framing's affair.
//
// Nothing is touched before its key, range and rights were checked. Bytes are absent where lengths alone travel; all
// checks hold then too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/receive_requests.h"
#include "transport/stream/stream_types.h"

namespace weft::transport {

enum class SinkFault : std::uint8_t {
  kNone,
  kNoReceive,      // no receive request is posted
  kTooLong,        // for the receive request in use
  kReceiveMemory,  // the memory of the receive request may not be written
  kInvalidKey,
  kWrongDomain,  // the key is of another protection domain
  kOutOfBounds,
  kAddressWrap,       // the range passes the end of the address space
  kPermission,        // the region does not grant the right
  kNotAdmitted,       // the queue pair does not admit this kind of request
  kNotInvalidatable,  // the key may not be invalidated by the peer
  kCompletionQueue,   // overflowed
};

/// A range of memory named by the peer.
struct RemoteRange {
  std::uint32_t key = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
};

class ReceivePlacement {
 public:
  explicit ReceivePlacement(const verbs::QpInitAttributes& init) : receives_(init) {}

  [[nodiscard]] Result<void> post(const verbs::RecvWr& request) { return receives_.post(request); }
  void flush(const StreamCall& call) { receives_.flush(call.core, call.context); }
  void reset() { receives_.reset(); }
  [[nodiscard]] std::size_t heap_bytes() const { return receives_.heap_bytes(); }

  // WRITE, and the source of READ. `access` is kAccessRemoteWrite or kAccessRemoteRead.

  [[nodiscard]] SinkFault check(const RemoteRange& range, verbs::AccessMask access, const StreamCall& call) const;
  /// Writes to a range that has passed the check in this very call. `bytes` may be empty.
  void place(const RemoteRange& range, std::span<const std::byte> bytes, const StreamCall& call) const;
  /// Reads from one; false if it may no longer be read.
  [[nodiscard]] static bool fetch(const RemoteRange& range, std::span<std::byte> out, const QpCore& core,
                                  const verbs::Context& context);

  // Messages that use a receive request.

  /// Makes sure that a receive request is in use.
  [[nodiscard]] SinkFault take_receive(const StreamCall& call);
  /// Whether `length` bytes from `offset` on fit into the request in use and may be written.
  [[nodiscard]] SinkFault check_receive(std::uint64_t offset, std::uint64_t length, const StreamCall& call) const;
  void place_received(std::uint64_t offset, std::span<const std::byte> bytes, const StreamCall& call) const;
  [[nodiscard]] SinkFault invalidate(std::uint32_t key, const StreamCall& call) const;
  /// Completes the request in use; `wr_id`, `qp_num` and `src_qp` are filled in here.
  [[nodiscard]] SinkFault complete(const verbs::WorkCompletion& completion, const StreamCall& call);
  /// Completes the request in use with the status that its end gets from this fault, if it gets one.
  void fail_receive(SinkFault fault, const StreamCall& call);

 private:
  ReceiveRequests receives_;
  bool in_use_ = false;
};

}  // namespace weft::transport
