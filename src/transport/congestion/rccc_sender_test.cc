#include "transport/congestion/rccc_sender.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

using namespace literals;

constexpr Bytes kPacket = 4'150_bytes;
const CreditSender::Parameters kParameters{.packet = kPacket, .window = 262'926_bytes, .round_trip = 14_us};

TEST(CreditTotal, WrapsAfterTwoToTheTwentyFourQuanta) {
  const CreditTotal near_end(0xFFFFFE);
  EXPECT_EQ((near_end + 5).value(), 3U);
  EXPECT_EQ(near_end + 5 - near_end, 5);
  EXPECT_EQ(near_end - (near_end + 5), -5);
  EXPECT_EQ((CreditTotal(2) + -5).value(), 0xFFFFFDU);
}

TEST(CreditSender, BeginsWithSpeculativeCreditOfAWindow) {
  CreditSender sender(kParameters);
  EXPECT_TRUE(sender.is_speculating());
  int packets = 0;
  while (sender.may_send()) {
    sender.on_sent(kPacket);
    ++packets;
  }
  EXPECT_EQ(packets, 64);  // 262,926 / 4,150 = 63.4: any credit is enough for a packet
  EXPECT_EQ(sender.credit(), 262'926_bytes - 64 * kPacket);
}

TEST(CreditSender, SpeculationEndsWithTheFirstSignOfTheReceiver) {
  CreditSender sender(kParameters);
  sender.on_sent(kPacket);
  sender.on_feedback();
  EXPECT_FALSE(sender.is_speculating());
  EXPECT_FALSE(sender.may_send());
  EXPECT_EQ(sender.credit(), 0_bytes);
  // Once: granted credit stays.
  sender.on_credit(CreditTotal(64));
  sender.on_feedback();
  EXPECT_EQ(sender.credit(), 64 * 256_bytes);
}

TEST(CreditSender, WhatWasSentBeyondItIsOwed) {
  CreditSender sender(kParameters);
  while (sender.may_send()) {
    sender.on_sent(kPacket);
  }
  const Bytes owed = sender.credit();
  ASSERT_LT(owed, 0_bytes);
  sender.on_feedback();
  EXPECT_EQ(sender.credit(), owed);
  sender.on_credit(CreditTotal(64));
  EXPECT_EQ(sender.credit(), owed + 16'384_bytes);
}

TEST(CreditSender, CreditIsARunningTotalAndAtMostAWindow) {
  CreditSender sender(kParameters);
  sender.on_credit(CreditTotal(64));
  EXPECT_EQ(sender.credit(), 16'384_bytes);  // the speculative credit was void
  sender.on_credit(CreditTotal(128));
  EXPECT_EQ(sender.credit(), 32'768_bytes);
  sender.on_credit(CreditTotal(64));
  EXPECT_EQ(sender.credit(), 32'768_bytes);
  sender.on_credit(CreditTotal(10'000));
  EXPECT_EQ(sender.credit(), 262'926_bytes);
}

TEST(CreditSender, TargetIsTheBacklogUpToAWindow) {
  CreditSender sender(kParameters);
  sender.on_feedback();
  EXPECT_EQ(sender.target({.backlog = 10'240_bytes}).value(), 40U);
  EXPECT_EQ(sender.target({.backlog = 10'241_bytes}).value(), 41U);  // rounded up
  EXPECT_EQ(sender.target({.backlog = 1_gb}).value(), 1'028U);       // 262,926 / 256, rounded up
  sender.on_credit(CreditTotal(40));
  // What it holds it need not ask for, and a target counts from what was granted.
  EXPECT_EQ(sender.target({.backlog = 10'240_bytes}).value(), 40U);
  EXPECT_EQ(sender.target({.backlog = 20'480_bytes}).value(), 80U);
}

TEST(CreditSender, TargetIsAPacketMoreThanTheSendersWindowAtMost) {
  CreditSender sender(kParameters);
  sender.on_feedback();
  EXPECT_EQ(sender.target({.backlog = 1_mb, .sender_window = 8'000_bytes}).value(), 48U);  // 12,150 / 256, rounded up
  EXPECT_EQ(sender.target({.backlog = 256_bytes, .sender_window = 8'000_bytes}).value(), 1U);
}

TEST(CreditSender, FlowsThatWantToSendShareTheTarget) {
  CreditSender sender(kParameters);
  sender.on_feedback();
  EXPECT_EQ(sender.target({.backlog = 102'400_bytes, .active_flows = 4}).value(), 100U);
}

TEST(CreditSender, WhileSpeculatingItAsksForAPacketAtLeast) {
  CreditSender sender(kParameters);
  EXPECT_EQ(sender.target({.backlog = 5_kb}).value(), 17U);  // 4,150 / 256, rounded up
  EXPECT_EQ(sender.target({.backlog = 0_bytes}) - CreditTotal(), -262'926 / 256);
}

TEST(CreditSender, ARestartForgetsGrantsAndSpeculatesAgain) {
  CreditSender sender(kParameters);
  sender.on_credit(CreditTotal(640));
  sender.restart();
  EXPECT_TRUE(sender.is_speculating());
  EXPECT_EQ(sender.credit(), 262'926_bytes);
  sender.on_credit(CreditTotal(64));
  EXPECT_EQ(sender.credit(), 64 * 256_bytes);
}

TEST(CreditSender, RequestsToSendAreARoundTripApart) {
  CreditSender sender(kParameters);
  Time now = Time::zero() + 100_us;
  EXPECT_TRUE(sender.request_to_send(now));
  now += 13'999_ns;
  EXPECT_FALSE(sender.request_to_send(now));
  now += 1_ns;
  EXPECT_TRUE(sender.request_to_send(now));
  EXPECT_FALSE(sender.request_to_send(now));
}

}  // namespace
}  // namespace weft::transport
