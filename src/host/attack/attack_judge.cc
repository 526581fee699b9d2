#include "host/attack/attack_judge.h"

#include "transport/partition.h"
#include "wire/opcode.h"

namespace weft::host {
namespace {

using transport::Device;
using transport::EngineKind;
using transport::QpSlot;

bool has_failed(const Device& device, QpSlot slot) {
  return slot.exists() && device.core_of(slot).state() == verbs::QpState::kErr;
}

/// What a WRITE of this packet to the queue pair may do.
struct Write {
  std::uint32_t key = 0;
  std::uint64_t address = 0;
  std::uint32_t length = 0;
};
bool may_write(const Device& device, QpSlot slot, const Write& write) {
  return device.context()
             .memory()
             .check({.pd = device.core_of(slot).init().pd,
                     .key = write.key,
                     .address = write.address,
                     .length = write.length,
                     .access = verbs::kAccessRemoteWrite})
             .fault == verbs::AccessFault::kNone;
}

/// Found before the engine sees the packet; kAccepted: the engine decides.
Outcome before_engine(const Device& device, const wire::Packet& packet, QpSlot slot) {
  if (!slot.exists()) {
    return Outcome::kQueuePair;
  }
  const transport::QpCore& core = device.core_of(slot);
  if (!core.may_receive()) {
    return Outcome::kQueuePair;
  }
  return transport::partitions_match(packet.ib.partition_key, core.attributes().partition_key) ? Outcome::kAccepted
                                                                                               : Outcome::kPartition;
}

// What selective repeat keeps until its turn comes has got in.
Outcome after_rc(const transport::RcCounters& before, const transport::RcQueuePair& rc, bool allowed) {
  const transport::RcCounters after = rc.counters();
  const bool keeps = rc.options().loss_recovery == transport::LossRecovery::kSelectiveRepeat;
  if (after.duplicate_request != before.duplicate_request) {
    return Outcome::kBehind;
  }
  if (after.out_of_sequence != before.out_of_sequence) {
    return keeps && after.out_of_tracking == before.out_of_tracking ? Outcome::kAccepted : Outcome::kAhead;
  }
  if (after.bad_requests != before.bad_requests) {
    return allowed ? Outcome::kOther : Outcome::kRemoteKey;
  }
  return after.discarded != before.discarded ? Outcome::kOther : Outcome::kAccepted;
}

Outcome after_ud(const transport::UnreliableCounters& before, const transport::UnreliableCounters& after) {
  if (after.qkey_violations != before.qkey_violations) {
    return Outcome::kQueueKey;
  }
  if (after.no_receive != before.no_receive) {
    return Outcome::kNoReceive;
  }
  return after.discarded != before.discarded || after.dropped_messages != before.dropped_messages ? Outcome::kOther
                                                                                                  : Outcome::kAccepted;
}

Outcome judge_ib(Nic& victim, const wire::Packet& packet, fabric::PacketHandle handle, Time now,
                 AttackCounters& counters) {
  const Device& device = victim.device();
  const wire::Packet forged = packet;
  const QpSlot slot = device.slot_of(Qpn(forged.ib.destination_qp));
  const Outcome early = before_engine(device, forged, slot);
  if (early != Outcome::kAccepted || slot.kind == EngineKind::kUd) {
    const transport::UdQueuePair* const ud = device.find_ud(Qpn(forged.ib.destination_qp));
    const transport::UnreliableCounters before = ud == nullptr ? transport::UnreliableCounters{} : ud->counters();
    victim.take_forged(handle, now);
    return early != Outcome::kAccepted || ud == nullptr ? early : after_ud(before, ud->counters());
  }
  const transport::RcQueuePair* const rc = device.find_rc(slot);
  if (rc == nullptr) {
    victim.take_forged(handle, now);
    return Outcome::kOther;
  }
  const bool notifies = is_cnp(forged);
  const bool allowed = notifies || may_write(device, slot,
                                             {.key = forged.ib.reth.remote_key,
                                              .address = forged.ib.reth.virtual_address,
                                              .length = forged.ib.reth.dma_length});
  const transport::RcCounters before = rc->counters();
  victim.take_forged(handle, now);
  if (notifies) {
    return Outcome::kAccepted;
  }
  const Outcome outcome = after_rc(before, *rc, allowed);
  counters.queue_pairs_broken += has_failed(device, slot) ? 1U : 0U;
  counters.bytes_written += outcome == Outcome::kAccepted ? forged.ib.reth.dma_length : 0;
  return outcome;
}

Outcome judge_uet(Nic& victim, const wire::Packet& packet, fabric::PacketHandle handle, Time now,
                  AttackCounters& counters) {
  const Device& device = victim.device();
  const wire::UetHeader header = packet.uet;
  const std::uint32_t payload = packet.common.payload_bytes;
  if (header.type == wire::UetType::kUudRequest) {
    const transport::UdQueuePair* const ud = device.find_ud(Qpn(header.resource()));
    const transport::UnreliableCounters before = ud == nullptr ? transport::UnreliableCounters{} : ud->counters();
    victim.take_forged(handle, now);
    return ud == nullptr ? Outcome::kQueuePair : after_ud(before, ud->counters());
  }
  const QpSlot slot = device.slot_of(Qpn(header.resource()));
  const transport::UetQueuePair* const qp = device.find_uet(Qpn(header.resource()));
  const bool takes = qp != nullptr && qp->admits(packet.common.source);
  const auto place = static_cast<std::uint16_t>(
      header.request.message_id - (qp == nullptr ? 0U : static_cast<std::uint16_t>(qp->responder().next_message())));
  const bool allowed =
      takes &&
      may_write(device, slot,
                {.key = header.request.memory_key, .address = header.request.buffer_offset, .length = payload});
  const transport::UetCounters before = device.uet()->counters();
  victim.take_forged(handle, now);
  const transport::UetCounters& after = device.uet()->counters();
  if (!takes || after.discarded != before.discarded || after.refused != before.refused) {
    return Outcome::kQueuePair;
  }
  if (after.duplicates != before.duplicates || place >= 0x8000) {
    return Outcome::kBehind;
  }
  if (after.nacks_sent != before.nacks_sent || place >= device.options().uet.max_messages) {
    return Outcome::kAhead;
  }
  if (!allowed) {
    return Outcome::kRemoteKey;
  }
  counters.bytes_written += payload;
  return Outcome::kAccepted;
}

}  // namespace

bool is_cnp(const wire::Packet& packet) {
  return packet.common.kind == wire::PacketKind::kInfiniBandTransport &&
         (packet.ib.opcode == wire::kOpcodeRoceCnp || packet.ib.opcode == wire::kOpcodeIbCnp);
}

void judge_forged(Nic& victim, fabric::PacketPool& packets, fabric::PacketHandle handle, Time now,
                  AttackCounters& counters) {
  const wire::Packet& packet = packets[handle];
  ++counters.arrived;
  if (packet.has(wire::kCorrupted)) {
    victim.take_forged(handle, now);
    ++counters.of(Outcome::kOther);
    return;
  }
  const bool uet = packet.common.kind == wire::PacketKind::kUet;
  if (uet && victim.device().uet() == nullptr && packet.uet.type != wire::UetType::kUudRequest) {
    victim.take_forged(handle, now);
    ++counters.of(Outcome::kQueuePair);
    return;
  }
  ++counters.of(uet ? judge_uet(victim, packet, handle, now, counters)
                    : judge_ib(victim, packet, handle, now, counters));
}

}  // namespace weft::host
