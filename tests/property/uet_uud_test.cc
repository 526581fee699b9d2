// UD queue pairs over Ultra Ethernet: what a datagram tells arrives with it, and nothing of a wrong one does.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "transport/congestion/notification_point.h"
#include "transport/device.h"
#include "transport/uet/uud_datagram.h"

namespace weft::testing {
namespace {

constexpr std::uint64_t kBase = 0x10000;
constexpr std::uint32_t kSize = 16'384;

struct UudSide {
  explicit UudSide(std::uint32_t endpoint)
      : device({.endpoint = EndpointId(endpoint),
                .encapsulation = wire::Encapsulation::kUetUdpIpv4,
                .active_mtu = verbs::PathMtu::k1024,
                .seed = endpoint}),
        memory(kSize) {
    using namespace verbs;
    pd = device.alloc_pd().value();
    cq = device.create_cq(64).value();
    key = device.reg_mr({.pd = pd, .address = kBase, .length = kSize, .bytes = memory.data(), .access = kAccessAll})
              .value();
    qpn = device.create_qp({.type = QpType::kUd, .pd = pd, .send_cq = cq, .recv_cq = cq}).value();
    QpAttributes attributes{.queue_key = 0x1111};
    const auto move = [&](QpState state, QpAttributeMask mask) {
      attributes.state = state;
      EXPECT_TRUE(device.modify_qp(qpn, attributes, mask | kQpState).has_value());
    };
    move(QpState::kInit, kQpPkeyIndex | kQpPort | kQpQkey);
    move(QpState::kRtr, 0);
    move(QpState::kRts, kQpSqPsn);
  }
  std::vector<verbs::WorkCompletion> poll() {
    std::vector<verbs::WorkCompletion> completions(64);
    completions.resize(device.poll_cq(cq, completions).value());
    return completions;
  }
  transport::Device device;
  std::vector<std::byte> memory;
  verbs::PdHandle pd;
  verbs::CqHandle cq;
  std::uint32_t key = 0;
  Qpn qpn;
};

struct UudPair {
  UudPair() { std::memset(a.memory.data(), 0x5A, kSize); }
  /// One datagram of `a`, as it leaves; false: there is none.
  bool transmit(std::uint32_t length, std::uint32_t queue_key = 0x1111) {
    const verbs::AddressHandle ah = a.device.create_ah(a.pd, {.destination = EndpointId(2)}).value();
    const verbs::Sge element{.address = kBase, .length = length, .lkey = a.key};
    verbs::SendWr wr{.wr_id = 1,
                     .sg_list = {&element, 1},
                     .opcode = verbs::WrOpcode::kSendWithImm,
                     .send_flags = verbs::kSendSignaled | verbs::kSendSolicited,
                     .imm_data = 0xABCD};
    wr.ud = {.ah = ah, .remote_qpn = b.qpn, .remote_qkey = queue_key};
    EXPECT_TRUE(a.device.post_send(a.qpn, wr).has_value());
    return a.device.poll_transmit_any({packet, cold, room}, Time::zero());
  }
  void receive() {
    const verbs::Sge element{.address = kBase, .length = 2'048, .lkey = b.key};
    EXPECT_TRUE(b.device.post_recv(b.qpn, {.wr_id = 2, .sg_list = {&element, 1}}).has_value());
  }
  Qpn deliver() {
    return b.device.on_packet({packet, cold, std::span(room).first(packet.common.payload_bytes)}, Time::zero());
  }
  UudSide a{1};
  UudSide b{2};
  wire::Packet packet;
  wire::ColdPacket cold;
  std::array<std::byte, 4'096> room{};
};

//= uet-1.0 3.5
TEST(UetUud, ADatagramTellsWhatVerbsPromise) {
  UudPair pair;
  pair.receive();
  ASSERT_TRUE(pair.transmit(1'000));
  EXPECT_EQ(pair.packet.common.kind, wire::PacketKind::kUet);
  EXPECT_EQ(pair.packet.uet.type, wire::UetType::kUudRequest);
  EXPECT_EQ(pair.packet.uet.operation(), wire::UetOperation::kDatagramSend);
  EXPECT_EQ(pair.packet.uet.resource(), pair.b.qpn.value());
  EXPECT_EQ(pair.packet.common.frame_bytes, 14 + 20 + 8 + 4 + 32 + 1'000 + 4 + 4);
  (void)pair.deliver();
  const auto completions = pair.b.poll();
  ASSERT_EQ(completions.size(), 1U);
  EXPECT_EQ(completions[0].status, verbs::WcStatus::kSuccess);
  EXPECT_EQ(completions[0].byte_len, 1'040U);
  EXPECT_EQ(completions[0].src_qp, pair.a.qpn);
  EXPECT_EQ(completions[0].source_endpoint, 1U);
  EXPECT_EQ(completions[0].imm_data, 0xABCDU);
  EXPECT_TRUE((completions[0].wc_flags & verbs::kWcWithImm) != 0 &&
              (completions[0].wc_flags & verbs::kWcSolicited) != 0);
  EXPECT_EQ(std::memcmp(pair.b.memory.data() + 40, pair.a.memory.data(), 1'000), 0);
  EXPECT_EQ(pair.a.poll().size(), 1U);
}

TEST(UetUud, AWrongDatagramIsNobodys) {
  UudPair pair;
  pair.receive();
  ASSERT_TRUE(pair.transmit(100, 0x2222));  // another Q_Key
  (void)pair.deliver();
  ASSERT_TRUE(pair.transmit(100));
  const wire::Packet right = pair.packet;
  pair.packet.common.flags |= wire::kTrimmed;
  (void)pair.deliver();
  pair.packet = right;
  pair.packet.uet.request.operation = static_cast<std::uint8_t>(wire::UetOperation::kWrite);
  (void)pair.deliver();
  pair.packet = right;
  pair.packet.uet.request.ses_flags = wire::kUetStartOfMessage;  // a second packet would belong to it
  (void)pair.deliver();
  pair.packet = right;
  pair.packet.common.flags &= static_cast<std::uint8_t>(~wire::kHasCold);
  (void)pair.deliver();
  pair.packet = right;
  pair.packet.uet.set_target(wire::UetNextHeader::kRequestMedium, 0x777777);
  (void)pair.deliver();
  EXPECT_TRUE(pair.b.poll().empty());
  EXPECT_EQ(pair.b.device.unknown_qp_packets(), 5U);
  pair.packet = right;
  (void)pair.deliver();
  EXPECT_EQ(pair.b.poll().size(), 1U);
}

TEST(UetUud, CongestionNotificationsHaveNoForm) {
  UudSide side(1);
  transport::NotificationPoint point(Duration::microseconds(50));
  const verbs::QpInitAttributes init{.type = verbs::QpType::kUd, .pd = side.pd, .send_cq = side.cq, .recv_cq = side.cq};
  EXPECT_FALSE(side.device.create_qp(init, transport::UdOptions{.flow = {.congestion_receiver = &point}}));
  EXPECT_TRUE(side.device.create_qp(init, transport::UdOptions{}));
}

}  // namespace
}  // namespace weft::testing
