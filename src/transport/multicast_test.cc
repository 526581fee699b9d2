// UD queue pairs that are attached to multicast groups: who receives what, and what verbs refuse.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "transport/device.h"
#include "wire/encapsulation.h"
#include "wire/multicast.h"

namespace weft::transport {
namespace {

using verbs::QpState;
using verbs::WcStatus;

constexpr std::uint16_t kLid = 0xC001;
const verbs::MulticastGroup kGroup{.gid = wire::multicast_gid(kLid).octets, .lid = kLid};
constexpr std::uint32_t kQueueKey = 0x1111;
constexpr std::uint64_t kBase = 0x10000;
constexpr std::uint32_t kReceiveAt = 16'384;

DeviceOptions options_of(std::uint32_t endpoint) {
  return {.endpoint = EndpointId(endpoint),
          .encapsulation = wire::Encapsulation::kIbLocal,
          .active_mtu = verbs::PathMtu::k1024,
          .seed = endpoint};
}

/// One adapter with memory and a completion queue for each queue pair.
struct Side {
  explicit Side(std::uint32_t endpoint) : Side(options_of(endpoint)) {}
  explicit Side(const DeviceOptions& options) : device(options), memory(32'768) {
    pd = device.alloc_pd().value();
    key = device
              .reg_mr({.pd = pd,
                       .address = kBase,
                       .length = memory.size(),
                       .bytes = memory.data(),
                       .access = verbs::kAccessAll})
              .value();
    for (std::size_t i = 0; i < 1'024; ++i)
      memory[i] = static_cast<std::byte>(i * 7 + 1);
    to_group = device.create_ah(pd, {.destination = wire::multicast_destination(kLid)}).value();
  }

  struct Pair {
    Qpn qpn{};
    verbs::CqHandle cq{};
  };
  struct PairOptions {
    std::uint32_t queue_key = kQueueKey;
    std::uint16_t partition_key = 0xFFFF;
    bool blocks_own = false;
    std::uint32_t receives = 4;
  };
  Pair make(const PairOptions& options) {
    const verbs::CqHandle cq = device.create_cq(64).value();
    const Qpn qpn = device
                        .create_qp({.type = verbs::QpType::kUd,
                                    .pd = pd,
                                    .send_cq = cq,
                                    .recv_cq = cq,
                                    .blocks_own_multicast = options.blocks_own})
                        .value();
    verbs::QpAttributes attributes{.partition_key = options.partition_key, .queue_key = options.queue_key};
    const std::pair<QpState, verbs::QpAttributeMask> steps[] = {
        {QpState::kInit, verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpQkey},
        {QpState::kRtr, 0},
        {QpState::kRts, verbs::kQpSqPsn}};
    for (const auto& [state, mask] : steps) {
      attributes.state = state;
      EXPECT_TRUE(device.modify_qp(qpn, attributes, mask | verbs::kQpState).has_value());
    }
    const verbs::Sge place{.address = kBase + kReceiveAt, .length = kGrhBytes + 1'024, .lkey = key};
    for (std::uint32_t i = 0; i < options.receives; ++i)
      EXPECT_TRUE(device.post_recv(qpn, {.wr_id = i, .sg_list = {&place, 1}}).has_value());
    return {.qpn = qpn, .cq = cq};
  }
  Pair make() { return make(PairOptions()); }
  Pair member(const PairOptions& options) {
    const Pair pair = make(options);
    EXPECT_TRUE(device.attach_mcast(pair.qpn, kGroup).has_value());
    return pair;
  }
  Pair member() { return member(PairOptions()); }

  Result<void> send(Qpn qpn, std::uint32_t length) {
    const verbs::Sge data{.address = kBase, .length = length, .lkey = key};
    verbs::SendWr request{.wr_id = 77, .sg_list = {&data, 1}};
    request.ud = {.ah = to_group, .remote_qpn = Qpn(wire::kMulticastQpn), .remote_qkey = kQueueKey};
    return device.post_send(qpn, request);
  }
  /// Receive completions so far; those of sends are unsignalled.
  std::vector<verbs::WorkCompletion> received(const Pair& pair) {
    std::vector<verbs::WorkCompletion> completions(64);
    completions.resize(device.poll_cq(pair.cq, completions).value_or(0));
    return completions;
  }

  Device device;
  std::vector<std::byte> memory;
  verbs::PdHandle pd{};
  std::uint32_t key = 0;
  verbs::AddressHandle to_group{};
};

/// All that `from` sends goes to each of `to`, as switches would carry it. The packets.
std::vector<wire::Packet> carry(Side& from, const std::vector<Side*>& to) {
  std::vector<wire::Packet> packets;
  std::vector<std::byte> room(4'096);
  for (;;) {
    wire::Packet packet;
    wire::ColdPacket cold;
    if (!from.device.poll_transmit_any({packet, cold, room}, Time::zero()))
      return packets;
    packets.push_back(packet);
    const std::span<const std::byte> payload = std::span(room).first(packet.common.payload_bytes);
    for (Side* const side : to)
      (void)side->device.deliver({packet, cold, payload}, Time::zero());
  }
}

void expect_refused(const Result<void>& result, std::string_view part) {
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

//= ibta-1.7 10.5
TEST(UdMulticast, EveryAttachedQueuePairOfAPortGetsACopy) {
  Side a(1);
  Side b(2);
  const Side::Pair sender = a.make();
  const Side::Pair first = b.member();
  const Side::Pair second = b.member();
  const Side::Pair other = b.make();
  ASSERT_TRUE(a.send(sender.qpn, 100).has_value());
  EXPECT_EQ(carry(a, {&b}).size(), 1U);
  for (const Side::Pair& pair : {first, second}) {
    const auto got = b.received(pair);
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0].status, WcStatus::kSuccess);
    EXPECT_EQ(got[0].byte_len, kGrhBytes + 100);
    EXPECT_EQ(got[0].src_qp, sender.qpn);
    EXPECT_EQ(got[0].source_endpoint, 1U);
    EXPECT_EQ(got[0].wc_flags, verbs::kWcGrh);
  }
  EXPECT_TRUE(b.received(other).empty());
  EXPECT_EQ(b.memory[kReceiveAt + kGrhBytes + 99], a.memory[99]);
}

TEST(UdMulticast, APacketHasAGrhAndTheNumberOfAllQueuePairs) {
  Side a(1);
  ASSERT_TRUE(a.send(a.make().qpn, 100).has_value());
  const std::vector<wire::Packet> packets = carry(a, {});
  ASSERT_EQ(packets.size(), 1U);
  const wire::Packet& packet = packets[0];
  EXPECT_EQ(packet.common.encapsulation, wire::Encapsulation::kIbGlobal);
  EXPECT_EQ(packet.common.destination, wire::multicast_destination(kLid));
  EXPECT_EQ(packet.common.frame_bytes,
            wire::sizes(wire::Encapsulation::kIbGlobal, packet.ib.opcode, Bytes(100)).frame.count());
  EXPECT_EQ(packet.common.ecn, wire::Ecn::kNotEct);
  EXPECT_EQ(packet.ib.destination_qp, 0xFFFFFFU);
}

TEST(UdMulticast, ASenderThatIsAttachedGetsItsOwnUnlessItIsMadeNotTo) {
  for (const bool blocks : {false, true}) {
    Side a(1);
    const Side::Pair sender = a.member({.blocks_own = blocks});
    const Side::Pair neighbour = a.member();
    ASSERT_TRUE(a.send(sender.qpn, 10).has_value());
    carry(a, {});
    EXPECT_EQ(a.received(sender).size(), blocks ? 0U : 1U);
    EXPECT_EQ(a.received(neighbour).size(), 1U);
  }
}

//= ibta-1.7 10.2.5
TEST(UdMulticast, EachCopyIsJudgedByItsOwnQueueAndPartitionKey) {
  Side a(1);
  Side b(2);
  const Side::Pair right = b.member();
  const Side::Pair other_queue_key = b.member({.queue_key = kQueueKey + 1});
  const Side::Pair other_partition = b.member({.partition_key = 0x8005});
  ASSERT_TRUE(a.send(a.make().qpn, 10).has_value());
  carry(a, {&b});
  EXPECT_EQ(b.received(right).size(), 1U);
  EXPECT_TRUE(b.received(other_queue_key).empty());
  EXPECT_EQ(b.device.find_ud(other_queue_key.qpn)->counters().qkey_violations, 1U);
  EXPECT_TRUE(b.received(other_partition).empty());
  EXPECT_EQ(b.device.find_ud(other_partition.qpn)->counters().pkey_violations, 1U);
}

TEST(UdMulticast, AMemberWithoutAReceiveRequestLosesItsCopyAlone) {
  Side a(1);
  Side b(2);
  const Side::Pair poor = b.member({.receives = 1});
  const Side::Pair rich = b.member();
  const Qpn sender = a.make().qpn;
  ASSERT_TRUE(a.send(sender, 10).has_value());
  ASSERT_TRUE(a.send(sender, 10).has_value());
  carry(a, {&b});
  EXPECT_EQ(b.received(poor).size(), 1U);
  EXPECT_EQ(b.received(rich).size(), 2U);
  EXPECT_EQ(b.device.find_ud(poor.qpn)->counters().no_receive, 1U);
}

TEST(UdMulticast, AttachedTwiceIsAttachedOnceAndDetachedGetsNothing) {
  Side a(1);
  Side b(2);
  const Side::Pair pair = b.member();
  ASSERT_TRUE(b.device.attach_mcast(pair.qpn, kGroup).has_value());
  const Qpn sender = a.make().qpn;
  ASSERT_TRUE(a.send(sender, 10).has_value());
  carry(a, {&b});
  EXPECT_EQ(b.received(pair).size(), 1U);
  ASSERT_TRUE(b.device.detach_mcast(pair.qpn, kGroup).has_value());
  ASSERT_TRUE(a.send(sender, 10).has_value());
  carry(a, {&b});
  EXPECT_TRUE(b.received(pair).empty());
  EXPECT_EQ(b.device.unknown_qp_packets(), 1U);
}

TEST(UdMulticast, ADamagedPacketReachesNoQueuePair) {
  Side a(1);
  Side b(2);
  const Side::Pair pair = b.member();
  ASSERT_TRUE(a.send(a.make().qpn, 10).has_value());
  wire::Packet packet = carry(a, {}).at(0);
  packet.common.flags |= wire::kCorrupted;
  (void)b.device.deliver({packet, {}, {}}, Time::zero());
  EXPECT_TRUE(b.received(pair).empty());
}

TEST(UdMulticast, ASharedReceiveQueueGivesOneRequestToEachCopy) {
  Side a(1);
  Side b(2);
  const verbs::SrqHandle srq = b.device.create_srq(b.pd, {.max_wr = 8, .max_sge = 1}).value();
  ASSERT_TRUE(b.device.modify_srq(srq, 0).has_value());
  const verbs::Sge place{.address = kBase + kReceiveAt, .length = 200, .lkey = b.key};
  for (std::uint32_t i = 0; i < 3; ++i)
    ASSERT_TRUE(b.device.post_srq_recv(srq, {.wr_id = i, .sg_list = {&place, 1}}).has_value());
  ASSERT_TRUE(b.device.modify_srq(srq, 2).has_value());
  const verbs::CqHandle cq = b.device.create_cq(8).value();
  for (int i = 0; i < 2; ++i) {
    const Qpn qpn =
        b.device.create_qp({.type = verbs::QpType::kUd, .pd = b.pd, .send_cq = cq, .recv_cq = cq, .srq = srq}).value();
    ASSERT_TRUE(b.device
                    .modify_qp(qpn, {.state = QpState::kInit, .queue_key = kQueueKey},
                               verbs::kQpState | verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpQkey)
                    .has_value());
    ASSERT_TRUE(b.device.modify_qp(qpn, {.state = QpState::kRtr}, verbs::kQpState).has_value());
    ASSERT_TRUE(b.device.attach_mcast(qpn, kGroup).has_value());
  }
  ASSERT_TRUE(a.send(a.make().qpn, 10).has_value());
  carry(a, {&b});
  std::vector<verbs::WorkCompletion> got(8);
  EXPECT_EQ(b.device.poll_cq(cq, got).value(), 2U);
  verbs::AsyncEvent event;
  ASSERT_TRUE(b.device.poll_async_event(event));
  EXPECT_EQ(event.type, verbs::AsyncEventType::kSrqLimitReached);
}

TEST(UdMulticast, AttachRefusesWhatIsNoGroup) {
  Side a(1);
  const Qpn qpn = a.make().qpn;
  verbs::MulticastGroup unicast = kGroup;
  unicast.gid[0] = 0xFE;
  expect_refused(a.device.attach_mcast(qpn, unicast), "it must begin with ff");
  expect_refused(a.device.attach_mcast(qpn, {.gid = kGroup.gid, .lid = 0xBFFF}), "it must be 0xc000 to 0xfffe");
  expect_refused(a.device.attach_mcast(qpn, {.gid = kGroup.gid, .lid = 0xFFFF}), "it must be 0xc000 to 0xfffe");
  expect_refused(a.device.attach_mcast(Qpn(5), kGroup), "no such queue pair: 0x5");
  ASSERT_TRUE(a.device.attach_mcast(qpn, kGroup).has_value());
  verbs::MulticastGroup same_lid = kGroup;
  same_lid.gid[15] = 9;
  expect_refused(a.device.attach_mcast(qpn, same_lid), "LID 0xc001 is attached as group ff12::c001");
}

TEST(UdMulticast, AttachRefusesOtherQueuePairsAndOtherNetworks) {
  Side a(1);
  const verbs::CqHandle cq = a.device.create_cq(4).value();
  const Qpn rc = a.device.create_qp({.type = verbs::QpType::kRc, .pd = a.pd, .send_cq = cq, .recv_cq = cq}).value();
  expect_refused(a.device.attach_mcast(rc, kGroup), "the queue pair is RC; it must be UD");
  DeviceOptions ethernet = options_of(2);
  ethernet.encapsulation = wire::Encapsulation::kRoceV2Ipv4;
  Side b(ethernet);
  const Qpn qpn = b.make().qpn;
  EXPECT_EQ(b.device.query_device().max_mcast_grp, 0U);
  expect_refused(b.device.attach_mcast(qpn, kGroup), "multicast is for InfiniBand");
  expect_refused(b.send(qpn, 10), "a multicast group is for InfiniBand");
}

TEST(UdMulticast, LimitsOfTheDeviceHold) {
  DeviceOptions options = options_of(1);
  options.limits.max_mcast_grp = 1;
  options.limits.max_mcast_qp_attach = 2;
  Side a(options);
  EXPECT_EQ(a.device.query_device().max_mcast_qp_attach, 2U);
  (void)a.member();
  const Side::Pair second = a.member();
  const Qpn third = a.make().qpn;
  expect_refused(a.device.attach_mcast(third, kGroup), "has 2 queue pairs, the device's limit");
  expect_refused(a.device.attach_mcast(third, {.gid = wire::multicast_gid(0xC002).octets, .lid = 0xC002}),
                 "attached to 1 groups, the device's limit");
  ASSERT_TRUE(a.device.detach_mcast(second.qpn, kGroup).has_value());
  EXPECT_TRUE(a.device.attach_mcast(third, kGroup).has_value());
}

TEST(UdMulticast, AnAttachedQueuePairIsDestroyedWhenItIsDetached) {
  Side a(1);
  const Side::Pair pair = a.member();
  expect_refused(a.device.destroy_qp(pair.qpn), "detach it first");
  ASSERT_TRUE(a.device.detach_mcast(pair.qpn, kGroup).has_value());
  expect_refused(a.device.detach_mcast(pair.qpn, kGroup), "is not attached to group ff12::c001 with LID 0xc001");
  EXPECT_TRUE(a.device.destroy_qp(pair.qpn).has_value());
}

TEST(UdMulticast, AGroupAndTheNumberOfAllQueuePairsGoTogether) {
  Side a(1);
  const Qpn qpn = a.make().qpn;
  const verbs::AddressHandle to_port = a.device.create_ah(a.pd, {.destination = EndpointId(2)}).value();
  verbs::SendWr request{.wr_id = 1, .sg_list = {}};
  request.ud = {.ah = to_port, .remote_qpn = Qpn(wire::kMulticastQpn), .remote_qkey = kQueueKey};
  expect_refused(a.device.post_send(qpn, request), "0xffffff goes with a multicast group");
  request.ud = {.ah = a.to_group, .remote_qpn = Qpn(8), .remote_qkey = kQueueKey};
  expect_refused(a.device.post_send(qpn, request), "0xffffff goes with a multicast group");
}

}  // namespace
}  // namespace weft::transport
