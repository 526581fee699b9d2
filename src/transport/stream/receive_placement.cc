#include "transport/stream/receive_placement.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace weft::transport {
namespace {

SinkFault fault_of(verbs::AccessFault fault, const RemoteRange& range) {
  switch (fault) {
    case verbs::AccessFault::kNone:
      return SinkFault::kNone;
    case verbs::AccessFault::kInvalidKey:
      return SinkFault::kInvalidKey;
    case verbs::AccessFault::kWrongDomain:
      return SinkFault::kWrongDomain;
    case verbs::AccessFault::kOutOfBounds:
      return range.length > 0 && range.address + (range.length - 1) < range.address ? SinkFault::kAddressWrap
                                                                                    : SinkFault::kOutOfBounds;
    case verbs::AccessFault::kPermission:
      return SinkFault::kPermission;
  }
  return SinkFault::kInvalidKey;
}

verbs::MemoryTable::Checked look_up(const RemoteRange& range, verbs::AccessMask access, const QpCore& core,
                                    const verbs::Context& context) {
  return context.memory().check(
      {.pd = core.init().pd, .key = range.key, .address = range.address, .length = range.length, .access = access});
}

}  // namespace

SinkFault ReceivePlacement::check(const RemoteRange& range, verbs::AccessMask access, const StreamCall& call) const {
  if ((call.attributes().access_flags & access) != access)
    return SinkFault::kNotAdmitted;
  return fault_of(look_up(range, access, call.core, call.context).fault, range);
}

void ReceivePlacement::place(const RemoteRange& range, std::span<const std::byte> bytes, const StreamCall& call) const {
  if (bytes.empty())
    return;
  const auto checked = look_up(range, verbs::kAccessRemoteWrite, call.core, call.context);
  WEFT_ASSERT(checked.region != nullptr && bytes.size() <= range.length);
  if (std::byte* const to = checked.region->data(range.address); to != nullptr)
    std::memcpy(to, bytes.data(), bytes.size());
}

bool ReceivePlacement::fetch(const RemoteRange& range, std::span<std::byte> out, const QpCore& core,
                             const verbs::Context& context) {
  const auto checked = look_up(range, verbs::kAccessRemoteRead, core, context);
  const std::byte* const from = checked.region == nullptr ? nullptr : checked.region->data(range.address);
  if (from == nullptr) {
    std::ranges::fill(out, std::byte{0});
  } else {
    std::copy_n(from, out.size(), out.begin());
  }
  return checked.fault == verbs::AccessFault::kNone;
}

SinkFault ReceivePlacement::take_receive(const StreamCall& call) {
  in_use_ = receives_.take(call.core, call.context);
  return in_use_ ? SinkFault::kNone : SinkFault::kNoReceive;
}

SinkFault ReceivePlacement::check_receive(std::uint64_t offset, std::uint64_t length, const StreamCall& call) const {
  if (offset + length > receives_.room())
    return SinkFault::kTooLong;
  return receives_.writable(call.core, call.context) ? SinkFault::kNone : SinkFault::kReceiveMemory;
}

void ReceivePlacement::place_received(std::uint64_t offset, std::span<const std::byte> bytes,
                                      const StreamCall& call) const {
  if (!bytes.empty())
    receives_.write(offset, bytes, call.context);
}

SinkFault ReceivePlacement::invalidate(std::uint32_t key, const StreamCall& call) const {
  switch (call.context.memory().invalidate(call.core.init().pd, key)) {
    case verbs::AccessFault::kNone:
      return SinkFault::kNone;
    case verbs::AccessFault::kInvalidKey:
      return SinkFault::kInvalidKey;
    case verbs::AccessFault::kWrongDomain:
      return SinkFault::kWrongDomain;
    case verbs::AccessFault::kOutOfBounds:
    case verbs::AccessFault::kPermission:
      break;
  }
  return SinkFault::kNotInvalidatable;
}

SinkFault ReceivePlacement::complete(const verbs::WorkCompletion& completion, const StreamCall& call) {
  WEFT_DCHECK(in_use_);
  verbs::WorkCompletion filled = completion;
  filled.src_qp = call.attributes().destination_qpn;
  in_use_ = false;
  return receives_.complete(filled, call.core, call.context) ? SinkFault::kNone : SinkFault::kCompletionQueue;
}

void ReceivePlacement::fail_receive(SinkFault fault, const StreamCall& call) {
  if (!in_use_)
    return;
  const auto fail_with = [&](verbs::WcStatus status) {
    in_use_ = false;
    // The queue pair fails in any case: an overflowing completion queue changes nothing more.
    (void)receives_.fail(status, call.core, call.context);
  };
  switch (fault) {
    case SinkFault::kTooLong:
      return fail_with(verbs::WcStatus::kLocLenErr);
    case SinkFault::kReceiveMemory:
      return fail_with(verbs::WcStatus::kLocProtErr);
    case SinkFault::kInvalidKey:
    case SinkFault::kWrongDomain:
    case SinkFault::kNotInvalidatable:
      return fail_with(verbs::WcStatus::kRemInvReqErr);
    case SinkFault::kNone:
    case SinkFault::kNoReceive:
    case SinkFault::kOutOfBounds:
    case SinkFault::kAddressWrap:
    case SinkFault::kPermission:
    case SinkFault::kNotAdmitted:
    case SinkFault::kCompletionQueue:
      return;
  }
}

}  // namespace weft::transport
