// Messages of every length that matters: empty, around multiples of each path MTU, and the longest of all.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/property/tapped_pair.h"
#include "transport/segmentation.h"

namespace weft::testing {
namespace {

using verbs::PathMtu;
using verbs::WrOpcode;

constexpr PathMtu kMtus[] = {PathMtu::k256,  PathMtu::k512,  PathMtu::k1024, PathMtu::k2048,
                             PathMtu::k4096, PathMtu(1'000), PathMtu(1'408), PathMtu(8'192)};
constexpr WrOpcode kMovers[] = {WrOpcode::kSend, WrOpcode::kSendWithImm, WrOpcode::kRdmaWrite,
                                WrOpcode::kRdmaWriteWithImm, WrOpcode::kRdmaRead};
constexpr std::uint32_t kTarget = 1 << 16;

std::size_t data_packets(TappedPair& pair, WrOpcode opcode) {
  return opcode == WrOpcode::kRdmaRead ? pair.answers_of(1).size() : pair.requests_of(0).size();
}

void move_one(WrOpcode opcode, PathMtu mtu, std::uint32_t length) {
  SCOPED_TRACE(::testing::Message() << "opcode " << static_cast<int>(opcode) << ", " << length << " bytes, MTU "
                                    << verbs::to_bytes(mtu).count());
  TappedPair pair({.mtu = mtu, .memory_bytes = 1 << 17});
  const int source = opcode == WrOpcode::kRdmaRead ? 1 : 0;
  fill(pair.side(source).memory().first(length), length);
  ASSERT_TRUE(pair.side(1).post_recv(9, kTarget, 1 << 16));
  const std::uint32_t local = source == 0 ? 0 : kTarget;
  ASSERT_TRUE(pair.post(0, {.opcode = opcode, .length = length, .local = local, .remote = kTarget - local}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(data_packets(pair, opcode), transport::packet_count(length, mtu));
  const std::byte* const arrived = pair.side(1 - source).memory().data() + kTarget;
  EXPECT_EQ(std::memcmp(arrived, pair.side(source).memory().data(), length), 0);
  EXPECT_EQ(arrived[length], RcSide::kGuardByte);
  EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
  const auto received = pair.side(1).poll_recv();
  ASSERT_EQ(received.size(), opcode == WrOpcode::kRdmaRead || opcode == WrOpcode::kRdmaWrite ? 0U : 1U);
  if (!received.empty()) {
    EXPECT_EQ(received[0].byte_len, length);
  }
}

//= ibta-1.7 9.7.4
TEST(RcMessage, OfNoBytesIsOnePacketOfAnyOperation) {
  for (const WrOpcode opcode : kMovers) {
    move_one(opcode, PathMtu::k1024, 0);
  }
}

TEST(RcMessage, AroundMultiplesOfEveryPathMtuArrivesIntact) {
  for (const PathMtu mtu : kMtus) {
    const auto bytes = static_cast<std::uint32_t>(verbs::to_bytes(mtu).count());
    for (const std::uint32_t packets : {1U, 2U, 3U, 7U}) {
      for (const std::uint32_t length : {packets * bytes - 1, packets * bytes, packets * bytes + 1}) {
        for (const WrOpcode opcode : kMovers) {
          move_one(opcode, mtu, length);
        }
      }
    }
  }
}

constexpr std::uint64_t kLongest = std::uint64_t{1} << 31;
constexpr std::uint64_t kHugeBase = std::uint64_t{1} << 40;

/// Two ends with a region of 2^31 bytes that has no bytes, joined without frames so that a million packets are quick.
class HugePair {
 public:
  explicit HugePair(PathMtu mtu) {
    RcPairOptions options{.mtu = mtu, .timeout = 20, .memory_bytes = 4096};
    options.network.carries_bytes = false;
    for (std::size_t i = 0; i < 2; ++i) {
      sides_[i] = std::make_unique<RcSide>(static_cast<int>(i), options);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      sides_[i]->connect(*sides_[1 - i], options);
      keys_[i] =
          sides_[i]
              ->context
              .reg_mr({.pd = sides_[i]->pd, .address = kHugeBase, .length = kLongest, .access = verbs::kAccessAll})
              .value();
    }
  }

  [[nodiscard]] Result<void> post(WrOpcode opcode, std::uint64_t length, std::uint32_t extra = 0) {
    const verbs::Sge elements[] = {{kHugeBase, static_cast<std::uint32_t>(length), keys_[0]},
                                   {kHugeBase, extra, keys_[0]}};
    verbs::SendWr wr;
    wr.opcode = opcode;
    wr.send_flags = verbs::kSendSignaled;
    wr.sg_list = std::span(elements, extra == 0 ? 1U : 2U);
    wr.rdma = {kHugeBase, keys_[1]};
    return sides_[0]->qp->post_send(wr, sides_[0]->context, Time::zero());
  }
  [[nodiscard]] Result<void> post_recv() {
    const verbs::Sge element{kHugeBase, static_cast<std::uint32_t>(kLongest), keys_[1]};
    return sides_[1]->qp->post_recv({.wr_id = 1, .sg_list = std::span(&element, 1)}, sides_[1]->context, Time::zero());
  }

  /// Runs both ends in turn; counts packets with data, and their bytes.
  void run() {
    for (bool busy = true; busy;) {
      busy = carry(0);
      busy |= carry(1);
    }
  }

  [[nodiscard]] RcSide& side(std::size_t index) { return *sides_[index]; }
  [[nodiscard]] std::uint64_t data_packets() const { return data_packets_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  bool carry(std::size_t from) {
    wire::Packet packet;
    wire::ColdPacket cold;
    if (!sides_[from]->qp->poll_transmit({packet, cold, {}}, sides_[from]->context, Time::zero())) {
      return false;
    }
    data_packets_ += packet.common.payload_bytes != 0 ? 1 : 0;
    bytes_ += packet.common.payload_bytes;
    sides_[1 - from]->qp->on_packet({packet, cold, {}}, sides_[1 - from]->context, Time::zero());
    return true;
  }

  std::array<std::unique_ptr<RcSide>, 2> sides_;
  std::array<std::uint32_t, 2> keys_{};
  std::uint64_t data_packets_ = 0;
  std::uint64_t bytes_ = 0;
};

TEST(RcMessage, OfTwoToThe31BytesIsMovedByEveryOperation) {
  for (const WrOpcode opcode : {WrOpcode::kRdmaWrite, WrOpcode::kSend, WrOpcode::kRdmaRead}) {
    SCOPED_TRACE(static_cast<int>(opcode));
    HugePair pair(PathMtu::k4096);
    ASSERT_TRUE(pair.post_recv());
    ASSERT_TRUE(pair.post(opcode, kLongest));
    pair.run();
    EXPECT_EQ(pair.data_packets(), kLongest / 4096);
    EXPECT_EQ(pair.bytes(), kLongest);
    const auto completions = pair.side(0).poll_send();
    ASSERT_EQ(completions.size(), 1U);
    EXPECT_EQ(completions[0].status, verbs::WcStatus::kSuccess);
    const auto received = pair.side(1).poll_recv();
    ASSERT_EQ(received.size(), opcode == WrOpcode::kSend ? 1U : 0U);
    if (!received.empty()) {
      EXPECT_EQ(received[0].byte_len, kLongest);
    }
  }
}

//= ibta-1.7 9.7.1
TEST(RcMessage, ThatTakesMorePsnsThanMayBeOutstandingIsRefusedWhenPosted) {
  HugePair pair(PathMtu::k256);
  const Result<void> refused = pair.post(WrOpcode::kRdmaWrite, kLongest);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message,
            "post_send: 2147483648 bytes take 8388608 packets at a path MTU of 256; at most 8388607 may be outstanding "
            "(larger MTU, or several messages)");
  EXPECT_EQ(pair.side(0).qp->requester().queued(), 0U);
  EXPECT_TRUE(pair.post(WrOpcode::kRdmaWrite, kLongest - 256));
}

TEST(RcMessage, OfMoreThanTwoToThe31BytesIsRefusedWhenPosted) {
  HugePair pair(PathMtu::k4096);
  const Result<void> refused = pair.post(WrOpcode::kRdmaWrite, kLongest, 1);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "post_send: a message of 2147483649 bytes; at most 2^31");
  EXPECT_EQ(pair.side(0).qp->requester().queued(), 0U);
}

}  // namespace
}  // namespace weft::testing
