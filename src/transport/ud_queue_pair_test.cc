#include "transport/ud_queue_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "transport/congestion/notification_point.h"
#include "transport/loopback_pair.h"

namespace weft::transport {
namespace {

using verbs::WcStatus;
using verbs::WrOpcode;

constexpr std::uint32_t kMtu = 1024;
constexpr std::uint32_t kQueueKey = 0x1111;  // of both queue pairs
constexpr std::uint32_t kReceiveAt = 16'384;
constexpr std::byte kStale{0xEE};

/// A pair in RTS; `a` sends to `b` through an address handle.
struct UdWorld : LoopbackPair {
  explicit UdWorld(Carry what = Carry::kBytes) : LoopbackPair(what) {
    connect(verbs::QpType::kUd);
    to_b = a.device.create_ah(a.pd, {.destination = b.device.options().endpoint}).value();
    for (std::size_t i = 0; i < a.memory.size(); ++i)
      a.memory[i] = static_cast<std::byte>(i * 7 + 1);
    std::ranges::fill(b.memory, kStale);
  }

  [[nodiscard]] verbs::SendWr request(std::uint64_t wr_id) const {
    verbs::SendWr wr{.wr_id = wr_id, .send_flags = verbs::kSendSignaled, .imm_data = 0xABCD};
    wr.ud = {.ah = to_b, .remote_qpn = b.qpn, .remote_qkey = kQueueKey};
    return wr;
  }
  [[nodiscard]] Result<void> try_post(const verbs::SendWr& request, std::uint32_t length) {
    const verbs::Sge element = a.sge(0, length);
    verbs::SendWr wr = request;
    wr.sg_list = {&element, 1};
    return a.device.post_send(a.qpn, wr);
  }
  void post(const verbs::SendWr& request, std::uint32_t length) { ASSERT_TRUE(try_post(request, length).has_value()); }
  void receive(std::uint64_t wr_id, std::uint32_t length = kGrhBytes + kMtu) {
    ASSERT_TRUE(b.receive(wr_id, b.sge(kReceiveAt, length)).has_value());
  }
  [[nodiscard]] std::vector<verbs::WorkCompletion> sent() { return a.poll(a.send_cq); }
  [[nodiscard]] std::vector<verbs::WorkCompletion> received() { return b.poll(b.recv_cq); }
  [[nodiscard]] const UnreliableCounters& counters() const { return b.device.find_ud(b.qpn)->counters(); }

  verbs::AddressHandle to_b{};
};

std::vector<WcStatus> statuses(const std::vector<verbs::WorkCompletion>& completions) {
  std::vector<WcStatus> list;
  for (const verbs::WorkCompletion& completion : completions)
    list.push_back(completion.status);
  return list;
}

void expect_refused(const Result<void>& posted, std::string_view part) {
  ASSERT_FALSE(posted.has_value());
  EXPECT_NE(posted.error().message.find(part), std::string::npos) << posted.error().message;
}

class UdModes : public testing::TestWithParam<Carry> {};
INSTANTIATE_TEST_SUITE_P(Carry, UdModes, testing::Values(Carry::kBytes, Carry::kLengths),
                         [](const auto& mode) { return mode.param == Carry::kBytes ? "Bytes" : "Lengths"; });

//= ibta-1.7 9.8.3
TEST_P(UdModes, ADatagramArrivesBehindTheRoomOfTheGrh) {
  for (const std::uint32_t length : {0U, 1U, kMtu}) {
    UdWorld world(GetParam());
    world.receive(7);
    world.post(world.request(1), length);
    EXPECT_EQ(world.run(), 1);
    EXPECT_EQ(statuses(world.sent()), std::vector{WcStatus::kSuccess});
    const auto received = world.received();
    ASSERT_EQ(received.size(), 1U) << length;
    EXPECT_EQ(received[0].wr_id, 7U);
    EXPECT_EQ(received[0].byte_len, kGrhBytes + length);
    EXPECT_EQ(received[0].wc_flags, verbs::kWcGrh);
    if (GetParam() == Carry::kLengths)
      continue;
    const auto at = world.b.memory.begin() + kReceiveAt;
    EXPECT_TRUE(std::all_of(at, at + kGrhBytes, [](std::byte byte) { return byte == std::byte{0}; }));
    EXPECT_TRUE(std::equal(at + kGrhBytes, at + kGrhBytes + length, world.a.memory.begin())) << length;
    EXPECT_EQ(at[kGrhBytes + length], kStale);
  }
}

TEST_P(UdModes, TheCompletionTellsWhoSentTheDatagram) {
  UdWorld world(GetParam());
  world.receive(7);
  verbs::SendWr wr = world.request(1);
  wr.opcode = WrOpcode::kSendWithImm;
  wr.send_flags |= verbs::kSendSolicited;
  world.post(wr, 10);
  world.run();
  const auto received = world.received();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].src_qp, world.a.qpn);
  EXPECT_EQ(received[0].source_endpoint, world.a.device.options().endpoint.value());
  EXPECT_EQ(received[0].imm_data, 0xABCDU);
  EXPECT_EQ(received[0].wc_flags, verbs::kWcGrh | verbs::kWcWithImm | verbs::kWcSolicited);
}

TEST(Ud, APacketWithoutGrhStillLeavesItsRoom) {
  UdWorld world;
  world.receive(7);
  world.on_wire = [](wire::Packet& packet) {
    packet.common.encapsulation = wire::Encapsulation::kIbLocal;
    return true;
  };
  world.post(world.request(1), 10);
  world.run();
  const auto received = world.received();
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0].wc_flags, 0);
  EXPECT_EQ(received[0].byte_len, kGrhBytes + 10);
}

TEST(Ud, TheAnswerToADatagramCanBeAddressedFromItsCompletion) {
  UdWorld world;
  world.receive(7);
  ASSERT_TRUE(world.a.receive(9, world.a.sge(0, 100)).has_value());
  world.post(world.request(1), 10);
  world.run();
  const auto received = world.received();
  ASSERT_EQ(received.size(), 1U);
  const verbs::AddressHandle back =
      world.b.device.create_ah(world.b.pd, {.destination = EndpointId(received[0].source_endpoint)}).value();
  verbs::SendWr wr{.wr_id = 2};
  wr.ud = {.ah = back, .remote_qpn = received[0].src_qp, .remote_qkey = kQueueKey};
  ASSERT_TRUE(world.b.device.post_send(world.b.qpn, wr).has_value());
  world.run();
  EXPECT_EQ(statuses(world.a.poll(world.a.recv_cq)), std::vector{WcStatus::kSuccess});
}

TEST(Ud, OnlySendFitsADatagram) {
  UdWorld world;
  for (const WrOpcode opcode : {WrOpcode::kRdmaWrite, WrOpcode::kRdmaRead, WrOpcode::kSendWithInv,
                                WrOpcode::kRdmaWriteWithImm, WrOpcode::kAtomicCmpAndSwp}) {
    verbs::SendWr wr = world.request(1);
    wr.opcode = opcode;
    expect_refused(world.try_post(wr, 1), "UD");
  }
}

TEST(Ud, AMessageLongerThanTheMtuOfThePortIsRefused) {
  UdWorld world;
  ASSERT_EQ(world.a.device.query_device().active_mtu, verbs::PathMtu::k1024);
  expect_refused(world.try_post(world.request(1), kMtu + 1), "1024");
}

TEST(Ud, AnAddressThatDoesNotExistIsRefused) {
  UdWorld world;
  verbs::SendWr wr = world.request(1);
  wr.ud.ah = {};
  expect_refused(world.try_post(wr, 1), "address handle");
  wr = world.request(1);
  wr.ud.remote_qpn = Qpn(1U << 24);
  expect_refused(world.try_post(wr, 1), "remote_qpn");
  wr.ud.remote_qpn = Qpn(0);
  expect_refused(world.try_post(wr, 1), "remote_qpn");
}

TEST(Ud, AnAddressHandleOfAnotherDomainFailsTheRequestAndStopsTheSendQueue) {
  UdWorld world;
  const verbs::PdHandle other = world.a.device.alloc_pd().value();
  verbs::SendWr wr = world.request(1);
  wr.ud.ah = world.a.device.create_ah(other, {.destination = EndpointId(2)}).value();
  wr.send_flags = 0;
  world.post(wr, 1);
  world.post(world.request(2), 1);
  EXPECT_EQ(world.run(), 0);
  EXPECT_EQ(statuses(world.sent()), (std::vector{WcStatus::kLocQpOpErr, WcStatus::kWrFlushErr}));
  EXPECT_EQ(world.a.state(), verbs::QpState::kSqe);

  ASSERT_TRUE(world.a.move_to(verbs::QpState::kRts).has_value());
  world.post(world.request(3), 1);
  EXPECT_EQ(world.run(), 1);
  EXPECT_EQ(statuses(world.sent()), std::vector{WcStatus::kSuccess});
}

TEST(Ud, AnAddressHandleDestroyedBeforeSendingFailsTheRequest) {
  UdWorld world;
  world.post(world.request(1), 1);
  ASSERT_TRUE(world.a.device.destroy_ah(world.to_b).has_value());
  EXPECT_EQ(world.run(), 0);
  EXPECT_EQ(statuses(world.sent()), std::vector{WcStatus::kLocQpOpErr});
}

TEST(Ud, MemoryThatMayNotBeReadFailsTheRequest) {
  UdWorld world;
  verbs::Sge bad = world.a.sge(0, 10);
  bad.lkey ^= 1;
  verbs::SendWr wr = world.request(1);
  wr.sg_list = {&bad, 1};
  ASSERT_TRUE(world.a.device.post_send(world.a.qpn, wr).has_value());
  EXPECT_EQ(world.run(), 0);
  EXPECT_EQ(statuses(world.sent()), std::vector{WcStatus::kLocProtErr});
}

//= ibta-1.7 10.2.5
TEST(Ud, AWrongQueueKeyVanishesAndIsCounted) {
  UdWorld world;
  world.receive(7);
  verbs::SendWr wr = world.request(1);
  wr.ud.remote_qkey = kQueueKey + 1;
  world.post(wr, 1);
  world.run();
  EXPECT_EQ(statuses(world.sent()), std::vector{WcStatus::kSuccess});
  EXPECT_TRUE(world.received().empty());
  EXPECT_EQ(world.counters().qkey_violations, 1U);
}

//= ibta-1.7 10.2.5
TEST(Ud, AQueueKeyWithItsTopBitSetStandsForTheOneOfTheQueuePair) {
  UdWorld world;
  world.receive(7);
  verbs::SendWr wr = world.request(1);
  wr.ud.remote_qkey = 0x8000'2222;
  std::uint32_t on_the_wire = 0;
  world.on_wire = [&](wire::Packet& packet) {
    on_the_wire = packet.ib.deth.queue_key;
    return true;
  };
  world.post(wr, 1);
  world.run();
  EXPECT_EQ(on_the_wire, kQueueKey);
  EXPECT_EQ(world.received().size(), 1U);
}

TEST(Ud, AnotherPartitionVanishesAndIsCounted) {
  UdWorld world;
  world.receive(7);
  for (const std::uint16_t key : {std::uint16_t{0x8001}, std::uint16_t{0}}) {
    world.on_wire = [key](wire::Packet& packet) {
      packet.ib.partition_key = key;
      return true;
    };
    world.post(world.request(1), 1);
    world.run();
  }
  EXPECT_TRUE(world.received().empty());
  EXPECT_EQ(world.counters().pkey_violations, 2U);
}

TEST(Ud, ALimitedMemberReachesAFullMember) {
  UdWorld world;
  world.receive(7);
  world.on_wire = [](wire::Packet& packet) {
    packet.ib.partition_key = 0x7FFF;
    return true;
  };
  world.post(world.request(1), 1);
  world.run();
  EXPECT_EQ(world.received().size(), 1U);
}

TEST(Ud, ADatagramThatFindsNoReceiveRequestVanishes) {
  UdWorld world;
  world.post(world.request(1), 1);
  world.run();
  EXPECT_EQ(statuses(world.sent()), std::vector{WcStatus::kSuccess});
  EXPECT_EQ(world.counters().no_receive, 1U);
  world.receive(7);
  world.post(world.request(2), 1);
  world.run();
  EXPECT_EQ(world.received().size(), 1U);
}

TEST(Ud, ABufferWithoutRoomForGrhAndDataFailsItsRequestAlone) {
  UdWorld world;
  world.receive(7, kGrhBytes + 9);
  world.receive(8, kGrhBytes + 10);
  world.post(world.request(1), 10);
  world.post(world.request(2), 10);
  world.run();
  EXPECT_EQ(statuses(world.received()), (std::vector{WcStatus::kLocLenErr, WcStatus::kSuccess}));
  EXPECT_EQ(world.b.state(), verbs::QpState::kRts);
}

TEST(Ud, AReceiveBufferThatMayNotBeWrittenLeadsToErr) {
  UdWorld world;
  verbs::Sge bad = world.b.sge(0, 100);
  bad.lkey ^= 1;
  ASSERT_TRUE(world.b.receive(7, bad).has_value());
  world.receive(8);
  world.post(world.request(1), 10);
  world.run();
  EXPECT_EQ(statuses(world.received()), (std::vector{WcStatus::kLocProtErr, WcStatus::kWrFlushErr}));
  EXPECT_EQ(world.b.state(), verbs::QpState::kErr);
}

TEST(Ud, LossIsNobodysConcern) {
  UdWorld world;
  world.receive(7);
  world.receive(8);
  world.on_wire = [seen = 0](wire::Packet&) mutable { return seen++ != 1; };
  for (const std::uint64_t id : {1, 2, 3})
    world.post(world.request(id), static_cast<std::uint32_t>(id));
  world.run();
  const auto received = world.received();
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].byte_len, kGrhBytes + 1);
  EXPECT_EQ(received[1].byte_len, kGrhBytes + 3);
  EXPECT_EQ(world.sent().size(), 3U);
}

TEST(Ud, ErrFlushesBothQueues) {
  UdWorld world;
  world.post(world.request(1), 1);
  ASSERT_TRUE(world.a.receive(2, world.a.sge(0, 100)).has_value());
  ASSERT_TRUE(world.a.move_to(verbs::QpState::kErr).has_value());
  EXPECT_EQ(statuses(world.sent()), std::vector{WcStatus::kWrFlushErr});
  EXPECT_EQ(statuses(world.a.poll(world.a.recv_cq)), std::vector{WcStatus::kWrFlushErr});
}

TEST(Ud, ASharedReceiveQueueServesDatagramsFromItsOwnDomain) {
  LoopbackPair world(Carry::kBytes);
  Device& device = world.b.device;
  const verbs::PdHandle domain = device.alloc_pd().value();
  std::vector<std::byte> memory(100);
  const std::uint32_t key =
      device.reg_mr({.pd = domain, .address = 0, .length = 100, .bytes = memory.data(), .access = verbs::kAccessAll})
          .value();
  const verbs::SrqHandle srq = device.create_srq(domain, {.max_wr = 4, .max_sge = 1}).value();
  verbs::QpInitAttributes init = world.b.init(verbs::QpType::kUd);
  init.srq = srq;
  world.b.qpn = device.create_qp(init).value();
  world.a.qpn = world.a.device.create_qp(world.a.init(verbs::QpType::kUd)).value();
  world.bring_up();
  const verbs::Sge element{.address = 0, .length = 100, .lkey = key};
  ASSERT_TRUE(device.post_srq_recv(srq, {.wr_id = 7, .sg_list = {&element, 1}}).has_value());
  EXPECT_FALSE(world.b.receive(8, element).has_value());
  verbs::SendWr wr{};
  wr.ud = {.ah = world.a.device.create_ah(world.a.pd, {.destination = EndpointId(2)}).value(),
           .remote_qpn = world.b.qpn,
           .remote_qkey = kQueueKey};
  ASSERT_TRUE(world.a.device.post_send(world.a.qpn, wr).has_value());
  world.run();
  EXPECT_EQ(statuses(world.b.poll(world.b.recv_cq)), std::vector{WcStatus::kSuccess});
  ASSERT_TRUE(world.b.move_to(verbs::QpState::kErr).has_value());
  EXPECT_TRUE(world.b.saw(verbs::AsyncEventType::kQpLastWqeReached));
}

TEST(Ud, AMarkedDatagramBringsACnpToItsSender) {
  UdWorld world;
  NotificationPoint point(Duration::zero());
  world.b.qpn =
      world.b.device.create_qp(world.b.init(verbs::QpType::kUd), UdOptions{.flow = {.congestion_receiver = &point}})
          .value();
  world.a.qpn = world.a.device.create_qp(world.a.init(verbs::QpType::kUd)).value();
  world.bring_up();
  world.on_wire = [](wire::Packet& packet) {
    packet.common.ecn = wire::Ecn::kCe;
    return true;
  };
  world.post(world.request(1), 10);
  EXPECT_EQ(world.run(), 2);
  EXPECT_EQ(world.counters().cnp_sent, 1U);
  EXPECT_EQ(world.a.device.find_ud(world.a.qpn)->counters().cnp_handled, 1U);
}

TEST(Ud, InfinibandCarriesTheServiceLevelAndEthernetTheTrafficClass) {
  for (const auto encapsulation : {wire::Encapsulation::kIbLocal, wire::Encapsulation::kRoceV2Ipv4}) {
    wire::PacketCommon common;
    common.encapsulation = encapsulation;
    set_address(common, {.destination = EndpointId(3), .service_level = 5, .traffic_class = 26 << 2});
    EXPECT_EQ(common.traffic_class, is_infiniband(encapsulation) ? 5 : 26);
  }
}

}  // namespace
}  // namespace weft::transport
