// Two devices joined by a wire without delay or loss of its own: the world of the unit tests beside it, in no library.
//
// `on_wire` sees every packet, may alter it, and loses it by returning false. With Carry::kBytes regions have bytes and
// packets carry them; with Carry::kLengths neither do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/assert.h"
#include "transport/device.h"

namespace weft::transport {

enum class Carry : std::uint8_t { kBytes, kLengths };

/// A device with one domain, two completion queues, and one region of 32 KiB that allows everything.
struct LoopbackSide {
  static constexpr std::uint64_t kBase = 0x10000;
  static constexpr std::uint32_t kSize = 32'768;
  static constexpr std::uint32_t kCqe = 64;

  LoopbackSide(std::uint32_t endpoint, Carry carry)
      : device({.endpoint = EndpointId(endpoint), .active_mtu = verbs::PathMtu::k1024, .seed = endpoint}),
        memory(carry == Carry::kBytes ? kSize : 0) {
    pd = device.alloc_pd().value();
    send_cq = device.create_cq(kCqe).value();
    recv_cq = device.create_cq(kCqe).value();
    key = device
              .reg_mr({.pd = pd,
                       .address = kBase,
                       .length = kSize,
                       .bytes = memory.empty() ? nullptr : memory.data(),
                       .access = verbs::kAccessAll})
              .value();
  }

  [[nodiscard]] verbs::QpInitAttributes init(verbs::QpType type) const {
    return {.type = type, .pd = pd, .send_cq = send_cq, .recv_cq = recv_cq};
  }
  [[nodiscard]] verbs::Sge sge(std::uint32_t offset, std::uint32_t length) const {
    return {.address = kBase + offset, .length = length, .lkey = key};
  }
  [[nodiscard]] Result<void> receive(std::uint64_t wr_id, const verbs::Sge& element) {
    return device.post_recv(qpn, {.wr_id = wr_id, .sg_list = {&element, 1}});
  }
  std::vector<verbs::WorkCompletion> poll(verbs::CqHandle cq) {
    std::vector<verbs::WorkCompletion> completions(kCqe);
    completions.resize(device.poll_cq(cq, completions).value_or(0));
    return completions;
  }
  [[nodiscard]] bool saw(verbs::AsyncEventType type) {
    bool found = false;
    for (verbs::AsyncEvent event; device.poll_async_event(event);)
      found |= event.type == type;
    return found;
  }
  [[nodiscard]] verbs::QpState state() const { return device.query_qp(qpn).value().attributes.state; }
  [[nodiscard]] Result<void> move_to(verbs::QpState state) {
    return device.modify_qp(qpn, {.state = state}, verbs::kQpState);
  }

  Device device;
  std::vector<std::byte> memory;
  verbs::PdHandle pd{};
  verbs::CqHandle send_cq{};
  verbs::CqHandle recv_cq{};
  std::uint32_t key = 0;
  Qpn qpn{};
};

struct LoopbackPair {
  explicit LoopbackPair(Carry what) : carry(what), a(1, what), b(2, what) {}

  /// Creates a queue pair on either side and moves both to RTS, the path MTU 1024 and the PSNs 100 (a to b), 200.
  void connect(verbs::QpType type) {
    a.qpn = a.device.create_qp(a.init(type)).value();
    b.qpn = b.device.create_qp(b.init(type)).value();
    bring_up();
  }

  /// As connect, with queue pairs that exist.
  void bring_up() {
    bring_up(a, b, Psn(100));
    bring_up(b, a, Psn(200));
  }

  /// Carries packets until neither side has any to send now. The number sent.
  int run() {
    int packets = 0;
    while (step(a, b) || step(b, a))
      ++packets;
    return packets;
  }

  /// Carries one packet from one side to the other; false if there is none.
  bool step(LoopbackSide& from, LoopbackSide& to) {
    wire::Packet packet;
    wire::ColdPacket cold;
    std::array<std::byte, 4096> room;
    const std::span<std::byte> payload = carry == Carry::kBytes ? std::span(room) : std::span<std::byte>();
    if (!from.device.poll_transmit_any({packet, cold, payload}, now))
      return false;
    if (!on_wire || on_wire(packet)) {
      const std::size_t bytes = carry == Carry::kBytes ? packet.common.payload_bytes : 0;
      to.device.on_packet({packet, cold, payload.first(bytes)}, now);
    }
    return true;
  }

  Carry carry;
  LoopbackSide a;
  LoopbackSide b;
  Time now;
  std::function<bool(wire::Packet&)> on_wire;

 private:
  static void bring_up(LoopbackSide& side, const LoopbackSide& peer, Psn sq_psn) {
    using namespace verbs;
    const QpType type = side.device.query_qp(side.qpn).value().init.type;
    QpAttributes attributes{.access_flags = kAccessAll,
                            .queue_key = 0x1111,
                            .address = {.destination = peer.device.options().endpoint},
                            .path_mtu = PathMtu::k1024,
                            .rq_psn = sq_psn == Psn(100) ? Psn(200) : Psn(100),
                            .sq_psn = sq_psn,
                            .destination_qpn = peer.qpn};
    QpAttributeMask init = kQpPkeyIndex | kQpPort | kQpAccessFlags;
    QpAttributeMask rtr = kQpAv | kQpPathMtu | kQpDestQpn | kQpRqPsn;
    QpAttributeMask rts = kQpSqPsn;
    if (type == QpType::kUd) {
      init = kQpPkeyIndex | kQpPort | kQpQkey;
      rtr = 0;
    } else if (type == QpType::kRc) {
      rtr |= kQpMaxDestRdAtomic | kQpMinRnrTimer;
      rts |= kQpTimeout | kQpRetryCnt | kQpRnrRetry | kQpMaxQpRdAtomic;
    }
    modify(side, attributes, QpState::kInit, init);
    modify(side, attributes, QpState::kRtr, rtr);
    modify(side, attributes, QpState::kRts, rts);
  }

  static void modify(LoopbackSide& side, verbs::QpAttributes& attributes, verbs::QpState state,
                     verbs::QpAttributeMask mask) {
    attributes.state = state;
    const Result<void> moved = side.device.modify_qp(side.qpn, attributes, mask | verbs::kQpState);
    WEFT_ASSERT(moved.has_value());
  }
};

}  // namespace weft::transport
