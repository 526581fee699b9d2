// A peer that sends any bytes on its TCP stream to an iWARP or a kernel TCP queue pair: no crash, no byte outside the
// registered memory, and the connection comes to rest.
//
// The first byte chooses the kind, CRC, markers, start-up and how the bytes are cut; the rest is the stream.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/assert.h"
#include "transport/iwarp/iwarp_queue_pair.h"
#include "transport/stream/tcp_queue_pair.h"

namespace {

using namespace weft;
using namespace weft::transport;

constexpr Qpn kPeerQpn{0x10};
constexpr EndpointId kPeer{0};
constexpr Qpn kQpn{0x20};
constexpr EndpointId kEndpoint{1};
constexpr std::uint64_t kBase = 0x1000;
constexpr std::size_t kMemory = 4096;
constexpr std::size_t kGuard = 64;

/// The peer: bytes without a meaning.
class Hostile final : public TcpStreamUser {
 public:
  Hostile(std::span<const std::byte> bytes, std::uint32_t cut) : bytes_(bytes), cut_(cut) {}
  [[nodiscard]] std::uint32_t segment_length(StreamOffset, std::uint32_t room) const override {
    return std::min(room, cut_);
  }
  void gather(StreamOffset offset, std::span<std::byte> out) const override {
    std::ranges::copy(bytes_.subspan(static_cast<std::size_t>(offset), out.size()), out.begin());
  }
  void on_arrival(const StreamRun&) override {}

 private:
  std::span<const std::byte> bytes_;
  std::uint32_t cut_;
};

/// The queue pair under attack, with memory, receive requests, and something to send.
class Target {
 public:
  Target(unsigned choice, const TcpOptions& tcp) : storage_(kMemory + 2 * kGuard, std::byte{0xA5}) {
    pd_ = *context.alloc_pd();
    key_ = *context.reg_mr({.pd = pd_,
                            .address = kBase,
                            .length = kMemory,
                            .bytes = storage_.data() + kGuard,
                            .access = verbs::kAccessLocalWrite | verbs::kAccessRemoteRead | verbs::kAccessRemoteWrite,
                            .invalidatable = true});
    const verbs::CqHandle cq = *context.create_cq(64);
    const verbs::QpInitAttributes init{.type = verbs::QpType::kRc, .pd = pd_, .send_cq = cq, .recv_cq = cq};
    const QpIdentity identity{.qpn = kQpn, .endpoint = kEndpoint, .encapsulation = wire::Encapsulation::kTcpIpv4};
    IwarpOptions options;
    options.tcp = tcp;
    options.crc = (choice & 2U) != 0;
    options.markers = (choice & 4U) != 0;
    options.start = (choice & 8U) != 0 ? StreamStart::kOnTheWire : StreamStart::kEstablished;
    if ((choice & 1U) != 0) {
      qp = std::make_unique<TcpQueuePair>(identity, init, TcpQpOptions{options});
    } else {
      qp = std::make_unique<IwarpQueuePair>(identity, init, options);
    }
    bring_up();
    post_all();
  }

  void check() const {
    const auto untouched = [](std::byte byte) { return byte == std::byte{0xA5}; };
    WEFT_ASSERT(std::all_of(storage_.begin(), storage_.begin() + kGuard, untouched));
    WEFT_ASSERT(std::all_of(storage_.end() - kGuard, storage_.end(), untouched));
  }

  verbs::Context context{7};
  std::unique_ptr<StreamQueuePair> qp;

 private:
  void bring_up() {
    verbs::QpAttributes attributes;
    attributes.access_flags = verbs::kAccessRemoteRead | verbs::kAccessRemoteWrite;
    attributes.destination_qpn = kPeerQpn;
    attributes.address.destination = kPeer;
    attributes.max_dest_rd_atomic = attributes.max_rd_atomic = 2;
    using enum verbs::QpAttributeBit;
    const auto move = [&](verbs::QpState state, verbs::QpAttributeMask mask) {
      attributes.state = state;
      WEFT_ASSERT(qp->modify(attributes, mask | kQpState, context, Time::zero()).has_value());
    };
    move(verbs::QpState::kInit, kQpPkeyIndex | kQpPort | kQpAccessFlags);
    move(verbs::QpState::kRtr, kQpAv | kQpPathMtu | kQpDestQpn | kQpRqPsn | kQpMaxDestRdAtomic | kQpMinRnrTimer);
    move(verbs::QpState::kRts, kQpSqPsn | kQpTimeout | kQpRetryCnt | kQpRnrRetry | kQpMaxQpRdAtomic);
  }
  void post_all() {
    const verbs::Sge element{.address = kBase + 1000, .length = 600, .lkey = key_};
    for (std::uint64_t i = 0; i < 3; ++i) {
      static_cast<void>(qp->post_recv({.wr_id = i, .sg_list = std::span(&element, 1)}, context, Time::zero()));
    }
    for (const verbs::WrOpcode opcode : {verbs::WrOpcode::kRdmaRead, verbs::WrOpcode::kSend}) {
      verbs::SendWr wr;
      wr.opcode = opcode;
      wr.sg_list = std::span(&element, 1);
      wr.send_flags = verbs::kSendSignaled;
      static_cast<void>(qp->post_send(wr, context, Time::zero()));
    }
  }

  std::vector<std::byte> storage_;
  verbs::PdHandle pd_;
  std::uint32_t key_ = 0;
};

/// Everything that either end has to say, at once and without loss.
void run(TcpConnection& peer, Target& target) {
  Time now = Time::zero();
  for (int step = 0; step < 2000; ++step) {
    bool sent = false;
    std::array<std::byte, 2048> room;
    wire::Packet packet;
    wire::ColdPacket cold;
    if (peer.next_transmit() <= now && peer.poll_transmit({packet, cold, room}, now)) {
      sent = true;
      packet.tcp.connection = kQpn.value();
      target.qp->on_packet({packet, cold, std::span(room).first(packet.common.payload_bytes)}, target.context, now);
    }
    if (target.qp->next_transmit() <= now && target.qp->poll_transmit({packet, cold, room}, target.context, now)) {
      sent = true;
      packet.tcp.connection = kPeerQpn.value();
      peer.on_packet({packet, cold, std::span(room).first(packet.common.payload_bytes)}, now);
    }
    if (peer.arrived() > peer.consumed()) {
      peer.consume(peer.arrived() - peer.consumed(), now);
    }
    if (sent) {
      continue;
    }
    const Time next = earlier(earlier(peer.next_timeout(), target.qp->next_timeout()),
                              earlier(peer.next_transmit(), target.qp->next_transmit()));
    if (next.is_never()) {
      return;
    }
    now = later(now, next);
    if (peer.next_timeout() <= now) {
      peer.on_timeout(now);
    }
    if (target.qp->next_timeout() <= now) {
      target.qp->on_timeout(target.context, now);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const unsigned choice = data[0];
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size)).subspan(1);
  TcpOptions tcp;
  tcp.receive_buffer = Bytes(100'000);
  Target target(choice, tcp);
  Hostile hostile(bytes, (choice & 16U) != 0 ? 97 : 1448);
  const auto port = [](Qpn qpn) { return static_cast<std::uint16_t>(0xC000 | qpn.value()); };
  TcpConnection peer({.local = {.endpoint = kPeer, .connection = kPeerQpn, .port = port(kPeerQpn)},
                      .peer = {.endpoint = kEndpoint, .connection = kQpn, .port = port(kQpn)}},
                     tcp, hostile);
  if ((choice & 8U) != 0) {
    peer.connect(Time::zero());
  } else {
    peer.establish(Time::zero());
  }
  peer.write(bytes.size(), Time::zero());
  run(peer, target);
  target.check();
  return 0;
}
