#include "transport/device.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "transport/loopback_pair.h"

namespace weft::transport {
namespace {

using verbs::QpType;

template <class T>
void expect_error(const Result<T>& result, std::string_view part) {
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

TEST(Device, NumbersOfQueuePairsAreAFunctionOfSeedAndOrder) {
  LoopbackSide one(1, Carry::kLengths);
  LoopbackSide same(1, Carry::kLengths);
  LoopbackSide other(2, Carry::kLengths);
  int shared = 0;
  for (int i = 0; i < 50; ++i) {
    const Qpn qpn = one.device.create_qp(one.init(QpType::kUd)).value();
    EXPECT_GE(qpn.value(), 2U);
    EXPECT_LT(qpn.value(), 1U << 24);
    EXPECT_EQ(qpn, same.device.create_qp(same.init(QpType::kRc)).value());
    shared += qpn == other.device.create_qp(other.init(QpType::kUd)).value() ? 1 : 0;
  }
  EXPECT_LE(shared, 1);
}

TEST(Device, ANumberIsNotGivenAgainSoonAfterItsQueuePairIsDestroyed) {
  LoopbackSide side(1, Carry::kLengths);
  std::map<std::uint32_t, int> seen;
  for (int i = 0; i < 1000; ++i) {
    const Qpn qpn = side.device.create_qp(side.init(QpType::kUc)).value();
    EXPECT_EQ(++seen[qpn.value()], 1);
    EXPECT_TRUE(side.device.destroy_qp(qpn).has_value());
  }
  EXPECT_EQ(side.device.queue_pairs(), 0U);
}

TEST(Device, PacketsGoToTheQueuePairOfTheirNumberWhateverItsKind) {
  for (const QpType type : {QpType::kRc, QpType::kUc, QpType::kUd}) {
    LoopbackPair world(Carry::kBytes);
    for (const QpType noise : {QpType::kUd, QpType::kRc, QpType::kUc})
      ASSERT_TRUE(world.b.device.create_qp(world.b.init(noise)).has_value());
    world.connect(type);
    ASSERT_TRUE(world.b.receive(7, world.b.sge(0, 100)).has_value());
    verbs::SendWr wr{.wr_id = 1, .send_flags = verbs::kSendSignaled};
    wr.ud = {.ah = world.a.device.create_ah(world.a.pd, {.destination = EndpointId(2)}).value(),
             .remote_qpn = world.b.qpn,
             .remote_qkey = 0x1111};
    ASSERT_TRUE(world.a.device.post_send(world.a.qpn, wr).has_value());
    world.run();
    EXPECT_EQ(world.a.poll(world.a.send_cq).size(), 1U) << verbs::to_string(type);
    EXPECT_EQ(world.b.poll(world.b.recv_cq).size(), 1U) << verbs::to_string(type);
    EXPECT_EQ(world.b.device.find_rc(world.b.qpn) != nullptr, type == QpType::kRc);
    EXPECT_EQ(world.b.device.find_uc(world.b.qpn) != nullptr, type == QpType::kUc);
    EXPECT_EQ(world.b.device.find_ud(world.b.qpn) != nullptr, type == QpType::kUd);
  }
}

TEST(Device, APacketForNoQueuePairIsCountedAndDropped) {
  LoopbackSide side(1, Carry::kLengths);
  const Qpn gone = side.device.create_qp(side.init(QpType::kUc)).value();
  ASSERT_TRUE(side.device.destroy_qp(gone).has_value());
  wire::Packet packet;
  const wire::ColdPacket cold{};
  for (const std::uint32_t number : {gone.value(), 0U, 0xFFFFFFU}) {
    packet.ib.destination_qp = number;
    EXPECT_FALSE(side.device.on_packet({packet, cold, {}}, Time::zero()).is_valid());
  }
  EXPECT_EQ(side.device.unknown_qp_packets(), 3U);
}

TEST(Device, APacketOfAnotherTransportIsForNoQueuePair) {
  LoopbackSide side(1, Carry::kLengths);
  side.qpn = side.device.create_qp(side.init(QpType::kUc)).value();
  wire::Packet packet;
  packet.ib.destination_qp = side.qpn.value();
  packet.common.kind = wire::PacketKind::kTcp;
  EXPECT_FALSE(side.device.on_packet({packet, wire::ColdPacket{}, {}}, Time::zero()).is_valid());
  EXPECT_EQ(side.device.unknown_qp_packets(), 1U);
}

TEST(Device, ADriverThatNamesNoQueuePairGetsNothing) {
  LoopbackSide side(1, Carry::kLengths);
  wire::Packet packet;
  wire::ColdPacket cold;
  const Qpn none(5);
  EXPECT_FALSE(side.device.poll_transmit(none, {packet, cold, {}}, Time::zero()));
  EXPECT_FALSE(side.device.poll_transmit_any({packet, cold, {}}, Time::zero()));
  side.device.on_timeout(none, Time::zero());
  side.device.on_timeouts(Time::zero());
  EXPECT_EQ(side.device.next_transmit(none), Time::never());
  EXPECT_EQ(side.device.next_timeout(none), Time::never());
  EXPECT_EQ(side.device.next_event(), Time::never());
}

TEST(Device, QueuePairsTakeTurnsOnTheWire) {
  constexpr int kQueuePairs = 5;
  constexpr int kRounds = 4;
  LoopbackPair world(Carry::kLengths);
  for (int i = 0; i < kQueuePairs; ++i) {
    world.connect(QpType::kUc);
    const verbs::Sge element = world.a.sge(0, kRounds * 1024);
    ASSERT_TRUE(world.a.device.post_send(world.a.qpn, {.sg_list = {&element, 1}}).has_value());
  }
  std::map<std::uint32_t, int> sent;
  for (int round = 1; round <= kRounds; ++round) {
    for (int i = 0; i < kQueuePairs; ++i) {
      world.on_wire = [&](wire::Packet& packet) {
        ++sent[packet.ib.destination_qp];
        return false;
      };
      ASSERT_TRUE(world.step(world.a, world.b));
    }
    ASSERT_EQ(sent.size(), static_cast<std::size_t>(kQueuePairs));
    for (const auto& [qpn, packets] : sent)
      EXPECT_EQ(packets, round) << qpn;
  }
  EXPECT_FALSE(world.step(world.a, world.b));
}

TEST(Device, TheNextEventIsThePacketThatWaitsThenTheTimeoutOfTheOneInFlight) {
  LoopbackPair world(Carry::kLengths);
  world.connect(QpType::kRc);
  world.connect(QpType::kRc);
  EXPECT_EQ(world.a.device.next_event(), Time::never());
  ASSERT_TRUE(world.a.device.post_send(world.a.qpn, {}).has_value());
  EXPECT_LE(world.a.device.next_event(), world.now);
  world.on_wire = [](wire::Packet&) { return false; };
  EXPECT_EQ(world.run(), 1);
  const Time timeout = world.a.device.next_timeout(world.a.qpn);
  EXPECT_GT(timeout, world.now);
  EXPECT_EQ(world.a.device.next_event(), timeout);
  EXPECT_EQ(world.run(), 0);
  world.a.device.on_timeouts(timeout);
  world.now = timeout;
  EXPECT_EQ(world.run(), 1);
}

TEST(Device, CallsOfTheProgramHappenAtTheLatestInstantTold) {
  Device device({.endpoint = EndpointId(1)});
  device.advance_to(Time::zero() + Duration::nanoseconds(5));
  device.advance_to(Time::zero());
  EXPECT_EQ(device.now(), Time::zero() + Duration::nanoseconds(5));
}

TEST(Device, ErrorsNameTheLimitThatIsExceeded) {
  Device device({.endpoint = EndpointId(1),
                 .active_mtu = verbs::PathMtu::k1024,
                 .limits = {.max_qp = 2, .max_qp_wr = 10, .max_sge = 3, .max_inline_data = 20, .max_cqe = 30}});
  const verbs::PdHandle pd = device.alloc_pd().value();
  expect_error(device.create_cq(31), "30");
  const verbs::CqHandle cq = device.create_cq(30).value();
  expect_error(device.create_srq(pd, {.max_wr = 11, .max_sge = 1}), "10 of 3");
  verbs::QpInitAttributes init{.pd = pd,
                               .send_cq = cq,
                               .recv_cq = cq,
                               .max_send_wr = 10,
                               .max_recv_wr = 10,
                               .max_send_sge = 3,
                               .max_recv_sge = 3,
                               .max_inline_data = 20};
  const auto expect_limit = [&](std::uint32_t verbs::QpInitAttributes::*member, std::string_view text) {
    verbs::QpInitAttributes more = init;
    ++(more.*member);
    expect_error(device.create_qp(more), text);
  };
  expect_limit(&verbs::QpInitAttributes::max_send_wr, "max_send_wr is 11; the device allows 10");
  expect_limit(&verbs::QpInitAttributes::max_recv_wr, "max_recv_wr is 11");
  expect_limit(&verbs::QpInitAttributes::max_send_sge, "max_send_sge is 4");
  expect_limit(&verbs::QpInitAttributes::max_recv_sge, "max_recv_sge is 4");
  expect_limit(&verbs::QpInitAttributes::max_inline_data, "max_inline_data is 21");
  EXPECT_TRUE(device.create_qp(init).has_value());
  EXPECT_TRUE(device.create_qp(init).has_value());
  expect_error(device.create_qp(init), "2 queue pairs");
}

TEST(Device, AModificationBeyondTheDeviceIsRefused) {
  LoopbackSide side(1, Carry::kLengths);
  side.qpn = side.device.create_qp(side.init(QpType::kRc)).value();
  expect_error(side.device.modify_qp(side.qpn, {.path_mtu = verbs::PathMtu::k2048}, verbs::kQpPathMtu), "1024");
  expect_error(side.device.modify_qp(side.qpn, {.max_rd_atomic = 17}, verbs::kQpMaxQpRdAtomic), "max_rd_atomic is 17");
  expect_error(side.device.modify_qp(side.qpn, {.max_dest_rd_atomic = 17}, verbs::kQpMaxDestRdAtomic),
               "max_dest_rd_atomic is 17");
  EXPECT_EQ(side.state(), verbs::QpState::kReset);
}

TEST(Device, OptionsOfAnotherKindAreRefused) {
  LoopbackSide side(1, Carry::kLengths);
  expect_error(side.device.create_qp(side.init(QpType::kUc), RcOptions{}), "options are for RC");
  expect_error(side.device.create_qp(side.init(QpType::kRc), UcOptions{}), "options are for UC");
  expect_error(side.device.create_qp(side.init(QpType::kRc), UdOptions{}), "options are for UD");
}

TEST(Device, UnknownHandlesAreErrors) {
  LoopbackSide side(1, Carry::kLengths);
  const Qpn none(5);
  expect_error(side.device.modify_qp(none, {}, 0), "no such queue pair");
  expect_error(side.device.query_qp(none), "no such queue pair");
  expect_error(side.device.destroy_qp(none), "no such queue pair");
  expect_error(side.device.post_send(none, {}), "no such queue pair");
  expect_error(side.device.post_recv(none, {}), "no such queue pair");
  expect_error(side.device.poll_cq({}, {}), "no such completion queue");
  expect_error(side.device.req_notify_cq({}, verbs::CompletionQueue::Notify::kNext), "no such completion queue");
  EXPECT_FALSE(side.device.get_cq_event({}));
  expect_error(side.device.modify_srq({}, 1), "no such shared receive queue");
  expect_error(side.device.post_srq_recv({}, {}), "no such shared receive queue");
  verbs::QpInitAttributes init = side.init(QpType::kRc);
  init.send_cq = {};
  expect_error(side.device.create_qp(init), "completion queue");
}

TEST(Device, AQueueInUseByAQueuePairCannotBeDestroyedUntilThatIsGone) {
  LoopbackSide side(1, Carry::kLengths);
  const Qpn qpn = side.device.create_qp(side.init(QpType::kUd)).value();
  EXPECT_FALSE(side.device.destroy_cq(side.send_cq).has_value());
  EXPECT_TRUE(side.device.destroy_qp(qpn).has_value());
  EXPECT_TRUE(side.device.destroy_cq(side.send_cq).has_value());
}

TEST(Device, QueryTellsStateAttributesAndCreation) {
  LoopbackPair world(Carry::kLengths);
  world.connect(QpType::kRc);
  const verbs::QpDescription description = world.a.device.query_qp(world.a.qpn).value();
  EXPECT_EQ(description.attributes.state, verbs::QpState::kRts);
  EXPECT_EQ(description.attributes.destination_qpn, world.b.qpn);
  EXPECT_EQ(description.init.send_cq, world.a.send_cq);
  const verbs::DeviceAttributes device = world.a.device.query_device();
  EXPECT_EQ(device.endpoint, EndpointId(1));
  EXPECT_EQ(device.max_cqe, world.a.device.options().limits.max_cqe);
}

TEST(Device, ACompletionRaisesTheEventAskedFor) {
  LoopbackPair world(Carry::kLengths);
  world.connect(QpType::kUc);
  ASSERT_TRUE(world.a.device.req_notify_cq(world.a.send_cq, verbs::CompletionQueue::Notify::kNext).has_value());
  EXPECT_FALSE(world.a.device.get_cq_event(world.a.send_cq));
  ASSERT_TRUE(world.a.device.post_send(world.a.qpn, {.send_flags = verbs::kSendSignaled}).has_value());
  world.run();
  EXPECT_TRUE(world.a.device.get_cq_event(world.a.send_cq));
  EXPECT_FALSE(world.a.device.get_cq_event(world.a.send_cq));
}

//= ibta-1.7 10.2.9.3
TEST(Device, ASharedReceiveQueueBelowItsLimitRaisesOneEventForAllKinds) {
  for (const QpType type : {QpType::kRc, QpType::kUc}) {
    LoopbackPair world(Carry::kLengths);
    const verbs::SrqHandle srq = world.b.device.create_srq(world.b.pd, {.max_wr = 4, .max_sge = 1}).value();
    verbs::QpInitAttributes init = world.b.init(type);
    init.srq = srq;
    world.b.qpn = world.b.device.create_qp(init).value();
    world.a.qpn = world.a.device.create_qp(world.a.init(type)).value();
    world.bring_up();
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(world.b.device.post_srq_recv(srq, {}).has_value());
    expect_error(world.b.device.modify_srq(srq, 5), "holds 4");
    ASSERT_TRUE(world.b.device.modify_srq(srq, 2).has_value());
    for (const bool expected : {false, true, false}) {
      ASSERT_TRUE(world.a.device.post_send(world.a.qpn, {}).has_value());
      world.run();
      EXPECT_EQ(world.b.saw(verbs::AsyncEventType::kSrqLimitReached), expected) << verbs::to_string(type);
    }
    EXPECT_EQ(world.b.poll(world.b.recv_cq).size(), 3U);
  }
}

TEST(Device, AnIdleQueuePairTakesAtMost512BytesHeapIncluded) {
  constexpr std::size_t kQueuePairs = 1000;
  for (const QpType type : {QpType::kRc, QpType::kUc, QpType::kUd}) {
    LoopbackPair world(Carry::kLengths);
    const std::size_t before = world.a.device.heap_bytes();
    for (std::size_t i = 0; i < kQueuePairs; ++i)
      world.connect(type);
    EXPECT_LE((world.a.device.heap_bytes() - before) / kQueuePairs, 512U) << verbs::to_string(type);
  }
}

TEST(Device, PostedRequestsCountInTheMemoryHeld) {
  LoopbackPair world(Carry::kLengths);
  world.connect(QpType::kUc);
  const std::size_t idle = world.a.device.heap_bytes();
  ASSERT_TRUE(world.a.device.post_send(world.a.qpn, {}).has_value());
  EXPECT_GE(world.a.device.heap_bytes(), idle + sizeof(SendWqe));
}

}  // namespace
}  // namespace weft::transport
