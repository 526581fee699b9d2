#include "transport/send_wqe.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace weft::transport {
namespace {

using verbs::WrOpcode;
using wire::Operation;

/// A region of 64 KiB at 0x1000 to post from.
class SendWqeTest : public ::testing::Test {
 protected:
  SendWqeTest() {
    pd_ = context_.alloc_pd().value();
    key_ = context_.reg_mr({.pd = pd_, .address = 0x1000, .length = bytes_.size(), .bytes = bytes_.data()}).value();
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      bytes_[i] = static_cast<std::byte>(i * 31);
    }
  }
  SendWqe make(verbs::SendWr request, std::uint32_t length) {
    const verbs::Sge element{.address = 0x1000, .length = length, .lkey = key_};
    request.sg_list = std::span(&element, 1);
    return make_send_wqe(request, {.path_mtu = verbs::PathMtu::k1024, .all_signaled = all_signaled_, .pd = pd_},
                         context_.memory());
  }
  verbs::Context context_{1};
  verbs::PdHandle pd_;
  std::array<std::byte, 65'536> bytes_{};
  std::uint32_t key_ = 0;
  bool all_signaled_ = false;
};

constexpr WrOpcode kMessages[] = {WrOpcode::kSend, WrOpcode::kSendWithImm, WrOpcode::kSendWithInv, WrOpcode::kRdmaWrite,
                                  WrOpcode::kRdmaWriteWithImm};

//= ibta-1.7 9.2.1
TEST_F(SendWqeTest, PacketsOfAMessageFollowEachOtherAsTheOpcodeTableSays) {
  for (const WrOpcode opcode : kMessages) {
    for (const std::uint32_t length : {0U, 1U, 1'024U, 1'025U, 2'048U, 5'000U}) {
      const SendWqe wqe = make({.opcode = opcode}, length);
      for (std::uint32_t i = 0; i < wqe.packets; ++i) {
        const auto& info = wire::describe(wire::make_opcode(wire::Service::kRc, packet_operation(wqe, i)));
        const bool last = i + 1 == wqe.packets;
        EXPECT_TRUE(info.valid && info.payload);
        EXPECT_EQ(info.first, i == 0);
        EXPECT_EQ(info.last, last);
        const bool immediate = opcode == WrOpcode::kSendWithImm || opcode == WrOpcode::kRdmaWriteWithImm;
        EXPECT_EQ(info.immediate, last && immediate);
        EXPECT_EQ(info.invalidate, last && opcode == WrOpcode::kSendWithInv);
        EXPECT_EQ(info.reth, i == 0 && wqe.is_write());
      }
    }
  }
}

TEST_F(SendWqeTest, AtomicTakesOnePacketWhateverItsList) {
  EXPECT_EQ(make({.opcode = WrOpcode::kAtomicFetchAndAdd}, 8).packets, 1U);
  EXPECT_EQ(make({.opcode = WrOpcode::kAtomicCmpAndSwp}, 5'000).packets, 1U);
  EXPECT_EQ(make({.opcode = WrOpcode::kRdmaRead}, 5'000).packets, 5U);
}

TEST_F(SendWqeTest, EverythingIsSignaledIfTheQueuePairSaysSo) {
  EXPECT_FALSE(make({}, 10).is_signaled());
  EXPECT_TRUE(make({.send_flags = verbs::kSendSignaled}, 10).is_signaled());
  all_signaled_ = true;
  EXPECT_TRUE(make({}, 10).is_signaled());
}

TEST_F(SendWqeTest, InlineDataAreThoseOfTheMomentOfPosting) {
  const SendWqe wqe = make({.send_flags = verbs::kSendInline}, 100);
  const auto before = bytes_;
  bytes_.fill(std::byte{0});
  std::array<std::byte, 100> out{};
  wqe.sg_list.gather(context_.memory(), 0, out);
  EXPECT_EQ(std::memcmp(out.data(), before.data(), out.size()), 0);
}

TEST_F(SendWqeTest, KindDecidesWhatItNeedsOfBothSides) {
  for (const WrOpcode opcode : kMessages) {
    const SendWqe wqe = make({.opcode = opcode}, 100);
    EXPECT_FALSE(wqe.expects_response());
    EXPECT_TRUE(wqe.answered());
    EXPECT_EQ(wqe.consumes_receive(), opcode != WrOpcode::kRdmaWrite);
    EXPECT_EQ(wqe.local_access(), 0);
  }
  for (const WrOpcode opcode : {WrOpcode::kRdmaRead, WrOpcode::kAtomicFetchAndAdd, WrOpcode::kAtomicCmpAndSwp}) {
    SendWqe wqe = make({.opcode = opcode}, 8);
    EXPECT_FALSE(wqe.consumes_receive());
    EXPECT_FALSE(wqe.answered());
    EXPECT_EQ(wqe.local_access(), verbs::kAccessLocalWrite);
    wqe.responses = 1;
    EXPECT_TRUE(wqe.answered());
  }
}

TEST_F(SendWqeTest, CompletionTellsRequestAndLengthOfWhatWasFetched) {
  const SendWqe read = make({.wr_id = 77, .opcode = WrOpcode::kRdmaRead}, 5'000);
  const verbs::WorkCompletion completion = send_completion(read, Qpn(5), verbs::WcStatus::kSuccess);
  EXPECT_EQ(completion.wr_id, 77U);
  EXPECT_EQ(completion.qp_num, Qpn(5));
  EXPECT_EQ(completion.opcode, verbs::WcOpcode::kRdmaRead);
  EXPECT_EQ(completion.byte_len, 5'000U);
  EXPECT_EQ(send_completion(make({}, 10), Qpn(5), verbs::WcStatus::kRetryExcErr).status, verbs::WcStatus::kRetryExcErr);
}

TEST_F(SendWqeTest, SendWithInvalidateCarriesTheKeyWhereOthersCarryImmediateData) {
  EXPECT_EQ(make({.opcode = WrOpcode::kSendWithInv, .imm_data = 1, .invalidate_rkey = 2}, 0).immediate, 2U);
  EXPECT_EQ(make({.opcode = WrOpcode::kSendWithImm, .imm_data = 1, .invalidate_rkey = 2}, 0).immediate, 1U);
}

}  // namespace
}  // namespace weft::transport
