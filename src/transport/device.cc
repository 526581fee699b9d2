// The driver's side of Device, and its accounts. The program's side: device_verbs.cc.
#include "transport/device.h"

#include <array>
#include <utility>

#include "base/assert.h"
#include "transport/device_dispatch.h"
#include "transport/uet/uud_datagram.h"
#include "wire/multicast.h"

namespace weft::transport {

Device::Device(const DeviceOptions& options)
    : options_(options), context_(options.seed, options.key_order), numbers_(options.seed) {
  WEFT_ASSERT(options.endpoint.is_valid());
  WEFT_ASSERT(options.limits.max_qp <= 1U << 23);
}

namespace {

/// What the packets of an engine are, by its kind.
constexpr std::array<wire::PacketKind, kEngineKinds> kPacketKinds = {wire::PacketKind::kInfiniBandTransport,
                                                                     wire::PacketKind::kInfiniBandTransport,
                                                                     wire::PacketKind::kInfiniBandTransport,
                                                                     wire::PacketKind::kTcp,
                                                                     wire::PacketKind::kTcp,
                                                                     wire::PacketKind::kMemory,
                                                                     wire::PacketKind::kUet,
                                                                     wire::PacketKind::kUet};

/// The number of the queue pair that a packet is for; invalid if this device has no engines for it.
Qpn destination_of(const wire::Packet& packet) {
  switch (packet.common.kind) {
    [[likely]] case wire::PacketKind::kInfiniBandTransport : return Qpn(packet.ib.destination_qp);
    case wire::PacketKind::kTcp:
      return Qpn(packet.tcp.connection);
    case wire::PacketKind::kMemory:
      return Qpn(packet.memory.destination_qp);
    case wire::PacketKind::kUet:
    case wire::PacketKind::kFlowControl:
    case wire::PacketKind::kManagement:
      break;
  }
  return Qpn::invalid();
}

bool is_datagram(const wire::Packet& packet) { return packet.uet.type == wire::UetType::kUudRequest; }

}  // namespace

Qpn Device::on_packet(const ReceivedPacket& received, Time now) {
  return deliver(received, now).exists() ? destination_of(received.packet) : Qpn::invalid();
}

QpSlot Device::deliver_numbered(const ReceivedPacket& received) {
  const Qpn destination = destination_of(received.packet);
  const QpSlot slot = destination.is_valid() ? table_.find(destination) : QpSlot{};
  if (!slot.exists() || kPacketKinds[static_cast<std::size_t>(slot.kind)] != received.packet.common.kind) {
    return deliver_elsewhere(received);
  }
  with(*this, slot, [&](auto& engine) {
    engine.on_packet(received, context_, now_);
    if (const verbs::SrqHandle srq = std::as_const(engine).core().init().srq; srq.is_valid())
      check_srq_limit(srq);
  });
  return slot;
}

// No queue pair has the number: of a multicast packet all may be meant.
QpSlot Device::deliver_elsewhere(const ReceivedPacket& received) {
  const wire::Packet& packet = received.packet;
  const QpSlot taker = multicast_ != nullptr && wire::is_multicast(packet.common.destination) &&
                               packet.common.kind == wire::PacketKind::kInfiniBandTransport &&
                               packet.ib.destination_qp == wire::kMulticastQpn
                           ? deliver_copies(received, Qpn::invalid())
                           : QpSlot{};
  unknown_qp_packets_ += taker.exists() ? 0 : 1;
  return taker;
}

// One copy for each queue pair of the group but one. Each judges it by its own Q_Key and P_Key.
//= ibta-1.7 10.5
QpSlot Device::deliver_copies(const ReceivedPacket& received, Qpn except) {
  QpSlot last;
  for (const Qpn qpn : multicast_->attached(wire::multicast_lid(received.packet.common.destination))) {
    if (qpn == except)
      continue;
    last = table_.find(qpn);
    UdQueuePair& engine = ud_[Slab<UdQueuePair>::Handle(last.index)];
    engine.on_packet(received, context_, now_);
    if (const verbs::SrqHandle srq = std::as_const(engine).core().init().srq; srq.is_valid())
      check_srq_limit(srq);
  }
  return last;
}

// A datagram that leaves: to a group, queue pairs of the same port get theirs at once.
void Device::finish_datagram(QpSlot qp, const TransmitSlot& slot) {
  if (wire::is_uet(options_.encapsulation)) {
    to_uud(slot, options_.uet.sizes);
  } else if (multicast_ != nullptr && wire::is_multicast(slot.packet.common.destination)) {
    const QpCore& core = core_of(qp);
    const std::size_t bytes = slot.payload.empty() ? 0 : slot.packet.common.payload_bytes;
    deliver_copies({slot.packet, slot.cold, slot.payload.first(bytes)},
                   core.init().blocks_own_multicast ? core.identity().qpn : Qpn::invalid());
  }
}

// What is rarer is out of line, here and in the endpoint: a packet that comes in its turn saves no registers for it.
QpSlot Device::deliver_uet(const ReceivedPacket& received) {
  if (uet_ != nullptr && uet_->deliver_in_turn(received, now_)) [[likely]]
    return {.index = received.packet.uet.destination_pdc, .kind = EngineKind::kUetPdc};
  return deliver_uet_slow(received);
}

[[gnu::noinline]] QpSlot Device::deliver_uet_slow(const ReceivedPacket& received) {
  if (const std::uint16_t place = uet_ == nullptr ? std::uint16_t{0} : uet_->deliver_fast(received, now_); place != 0)
      [[likely]]
    return {.index = place, .kind = EngineKind::kUetPdc};
  if (is_datagram(received.packet))
    return deliver_datagram(received);
  if (uet_ == nullptr) {
    ++unknown_qp_packets_;
    return {};
  }
  const QpSlot context{.index = uet_->deliver(received, now_), .kind = EngineKind::kUetPdc};
  if (const verbs::SrqHandle srq = uet_->last_srq(); srq.is_valid())
    check_srq_limit(srq);
  return context;
}

// UUD is for UD queue pairs, whose engine takes packets in a form of its own.
QpSlot Device::deliver_datagram(const ReceivedPacket& received) {
  const QpSlot slot = table_.find(Qpn(received.packet.uet.resource()));
  wire::Packet datagram;
  if (!slot.exists() || slot.kind != EngineKind::kUd ||
      !from_uud(received, core_of(slot).attributes().partition_key, datagram)) {
    ++unknown_qp_packets_;
    return {};
  }
  UdQueuePair& engine = ud_[Slab<UdQueuePair>::Handle(slot.index)];
  engine.on_packet({datagram, received.cold, received.payload}, context_, now_);
  if (const verbs::SrqHandle srq = engine.core().init().srq; srq.is_valid())
    check_srq_limit(srq);
  return slot;
}

EngineKind Device::engine_for(const wire::Packet& packet) const {
  if (packet.common.kind == wire::PacketKind::kUet)
    return is_datagram(packet) ? EngineKind::kUd : EngineKind::kUetPdc;
  const Qpn destination = destination_of(packet);
  const QpSlot slot = destination.is_valid() ? table_.find(destination) : QpSlot{};
  if (slot.exists()) {
    return slot.kind;
  }
  const auto* const of_its_kind = std::ranges::find(kPacketKinds, packet.common.kind);
  return of_its_kind == kPacketKinds.end() ? EngineKind::kRc
                                           : static_cast<EngineKind>(of_its_kind - kPacketKinds.begin());
}

bool Device::poll_transmit(QpSlot qp, const TransmitSlot& slot, Time now) {
  advance_to(now);
  if (qp.kind != EngineKind::kRc) [[unlikely]]
    return poll_transmit_slow(qp, slot);
  return rc_[Slab<RcQueuePair>::Handle(qp.index)].poll_transmit(slot, context_, now_);
}

[[gnu::noinline]] bool Device::poll_transmit_slow(QpSlot qp, const TransmitSlot& slot) {
  if (qp.kind == EngineKind::kUetPdc)
    return uet_->poll_transmit(static_cast<std::uint16_t>(qp.index), slot, now_);
  const bool sent = with(*this, qp, [&](auto& engine) { return engine.poll_transmit(slot, context_, now_); });
  if (sent && qp.kind == EngineKind::kUd)
    finish_datagram(qp, slot);
  return sent;
}

void Device::on_timeout(QpSlot qp, Time now) {
  advance_to(now);
  if (qp.kind == EngineKind::kUetPdc) {
    uet_->on_timeout(static_cast<std::uint16_t>(qp.index), now_);
    return;
  }
  with(*this, qp, [&](auto& engine) { engine.on_timeout(context_, now_); });
}

const QpCore& Device::core_of(QpSlot qp) const {
  return with(*this, qp, [](const auto& engine) -> const QpCore& { return engine.core(); });
}

Device::Readiness Device::readiness_slow(QpSlot qp) const {
  return with(*this, qp, [](const auto& engine) -> Readiness {
    if constexpr (requires { engine.response_pending(); }) {
      return {engine.next_data(), engine.next_timeout(), engine.response_pending(), false};
    } else {
      return {engine.next_transmit(), engine.next_timeout(), false, false};
    }
  });
}

void Device::check_srq_limit(verbs::SrqHandle srq) {
  if (verbs::ReceiveQueue* const queue = context_.find_srq(srq); queue != nullptr && queue->take_limit_event())
    context_.raise({.type = verbs::AsyncEventType::kSrqLimitReached, .qp = {}, .cq = {}, .srq = srq});
}

void Device::on_timeout(Qpn qpn, Time now) {
  advance_to(now);
  if (const QpSlot slot = table_.find(qpn); slot.exists())
    with(*this, slot, [&](auto& engine) { engine.on_timeout(context_, now_); });
}

bool Device::poll_transmit(Qpn qpn, TransmitSlot slot, Time now) {
  const QpSlot found = table_.find(qpn);
  return found.exists() && poll_transmit(found, slot, now);
}

Time Device::next_transmit(Qpn qpn) const {
  const QpSlot slot = table_.find(qpn);
  return slot.exists() ? with(*this, slot, [](const auto& engine) { return engine.next_transmit(); }) : Time::never();
}

Time Device::next_timeout(Qpn qpn) const {
  const QpSlot slot = table_.find(qpn);
  return slot.exists() ? with(*this, slot, [](const auto& engine) { return engine.next_timeout(); }) : Time::never();
}

bool Device::poll_transmit_any(TransmitSlot slot, Time now) {
  for (std::size_t tried = 0; tried < table_.places(); ++tried) {
    turn_ = (turn_ + 1) & (table_.places() - 1);
    const Qpn qpn = table_.at(turn_);
    if (qpn.is_valid() && next_transmit(qpn) <= now && poll_transmit(qpn, slot, now))
      return true;
  }
  for (std::size_t tried = 0; uet_ != nullptr && tried < uet_->places(); ++tried) {
    uet_turn_ = uet_turn_ + 1 < uet_->places() ? uet_turn_ + 1 : 0;
    const QpSlot context{.index = static_cast<std::uint32_t>(uet_turn_), .kind = EngineKind::kUetPdc};
    const Readiness wanted = readiness(context);
    if ((wanted.response_pending || wanted.data <= now) && poll_transmit(context, slot, now))
      return true;
  }
  return false;
}

void Device::on_timeouts(Time now) {
  for (std::size_t place = 0; place < table_.places(); ++place) {
    if (const Qpn qpn = table_.at(place); qpn.is_valid() && next_timeout(qpn) <= now)
      on_timeout(qpn, now);
  }
  for (std::size_t place = 0; uet_ != nullptr && place < uet_->places(); ++place) {
    if (uet_->next_timeout(static_cast<std::uint16_t>(place)) <= now)
      on_timeout({.index = static_cast<std::uint32_t>(place), .kind = EngineKind::kUetPdc}, now);
  }
}

Time Device::next_event() const {
  Time soonest = Time::never();
  for (std::size_t place = 0; place < table_.places(); ++place) {
    if (const Qpn qpn = table_.at(place); qpn.is_valid())
      soonest = earlier(soonest, earlier(next_transmit(qpn), next_timeout(qpn)));
  }
  for (std::size_t place = 0; uet_ != nullptr && place < uet_->places(); ++place) {
    const Readiness wanted = readiness({.index = static_cast<std::uint32_t>(place), .kind = EngineKind::kUetPdc});
    soonest = earlier(soonest, wanted.response_pending ? Time::zero() : earlier(wanted.data, wanted.timeout));
  }
  return soonest;
}

const RcQueuePair* Device::find_rc(QpSlot slot) const {
  return slot.exists() && slot.kind == EngineKind::kRc ? &rc_[Slab<RcQueuePair>::Handle(slot.index)] : nullptr;
}

const UcQueuePair* Device::find_uc(Qpn qpn) const {
  const QpSlot slot = table_.find(qpn);
  return slot.exists() && slot.kind == EngineKind::kUc ? &uc_[Slab<UcQueuePair>::Handle(slot.index)] : nullptr;
}

const UdQueuePair* Device::find_ud(Qpn qpn) const {
  const QpSlot slot = table_.find(qpn);
  return slot.exists() && slot.kind == EngineKind::kUd ? &ud_[Slab<UdQueuePair>::Handle(slot.index)] : nullptr;
}

const StreamQueuePair* Device::find_stream(QpSlot slot) const {
  if (slot.exists() && slot.kind == EngineKind::kTcp)
    return &tcp_[Slab<TcpQueuePair>::Handle(slot.index)];
  return slot.exists() && slot.kind == EngineKind::kIwarp ? &iwarp_[Slab<IwarpQueuePair>::Handle(slot.index)] : nullptr;
}

const MemoryQueuePair* Device::find_memory(Qpn qpn) const {
  const QpSlot slot = table_.find(qpn);
  return slot.exists() && slot.kind == EngineKind::kMemory ? &memory_[Slab<MemoryQueuePair>::Handle(slot.index)]
                                                           : nullptr;
}

const UetQueuePair* Device::find_uet(Qpn qpn) const {
  const QpSlot slot = table_.find(qpn);
  return slot.exists() && slot.kind == EngineKind::kUet ? &(*uet_)[UetEndpoint::Handle(slot.index)] : nullptr;
}

std::vector<Qpn> Device::queue_pair_numbers() const {
  std::vector<Qpn> numbers;
  for (std::size_t place = 0; place < table_.places(); ++place) {
    if (const Qpn qpn = table_.at(place); qpn.is_valid())
      numbers.push_back(qpn);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::size_t Device::state_bytes(QpSlot qp) const {
  if (qp.kind == EngineKind::kUetPdc)
    return uet_->state_bytes(static_cast<std::uint16_t>(qp.index));
  return with(*this, qp, [](const auto& engine) { return sizeof(engine) + engine.heap_bytes(); });
}

std::size_t Device::heap_bytes() const {
  std::size_t bytes = table_.heap_bytes() + rc_.heap_bytes() + uc_.heap_bytes() + ud_.heap_bytes() + tcp_.heap_bytes() +
                      iwarp_.heap_bytes() + memory_.heap_bytes() + (uet_ == nullptr ? 0 : uet_->heap_bytes()) +
                      (multicast_ == nullptr ? 0 : multicast_->heap_bytes());
  for (std::size_t place = 0; place < table_.places(); ++place) {
    if (const Qpn qpn = table_.at(place); qpn.is_valid())
      bytes += with(*this, table_.find(qpn), [](const auto& engine) { return engine.heap_bytes(); });
  }
  return bytes;
}

}  // namespace weft::transport
