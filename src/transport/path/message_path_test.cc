#include "transport/path/message_path.h"

#include <gtest/gtest.h>

#include <set>

namespace weft::transport {
namespace {

constexpr EntropyRange kRange{.base = 0xC000, .paths = 64};

TEST(MessagePath, KeepsToOneEntropyWithinAMessage) {
  MessagePath path(kRange, 7);
  path.begin_message(Psn(100));
  const std::uint16_t entropy = path.entropy_for(Psn(100), Time::zero());
  EXPECT_TRUE(kRange.contains(entropy));
  for (std::uint32_t psn = 101; psn < 300; ++psn) {
    EXPECT_EQ(path.entropy_for(Psn(psn), Time::zero()), entropy);
  }
}

TEST(MessagePath, APacketThatLeavesAgainTakesThePathOfItsMessage) {
  MessagePath path(kRange, 7);
  path.begin_message(Psn(100));
  const std::uint16_t first = path.entropy_for(Psn(150), Time::zero());
  path.begin_message(Psn(200));
  (void)path.entropy_for(Psn(200), Time::zero());
  path.begin_message(Psn(100));
  EXPECT_EQ(path.entropy_for(Psn(150), Time::zero()), first);
}

// 64 balls into 64 bins fill 1 - 1/e of them, 40; of 640 nearly all.
TEST(MessagePath, MessagesSpreadOverAllPathsAndFlowsDiffer) {
  std::set<std::uint16_t> seen;
  std::uint32_t same = 0;
  MessagePath path(kRange, 7);
  MessagePath other(kRange, 8);
  for (std::uint32_t message = 0; message < 640; ++message) {
    path.begin_message(Psn(message * 256));
    other.begin_message(Psn(message * 256));
    seen.insert(path.entropy_for(Psn(message * 256), Time::zero()));
    same += path.entropy_for(Psn(message * 256), Time::zero()) == other.entropy_for(Psn(message * 256), Time::zero());
  }
  EXPECT_GE(seen.size(), 62U);
  EXPECT_LT(same, 30U);  // 10 expected
}

TEST(MessagePath, WantsToKnowOfMessagesAndOfNothingElse) {
  const MessagePath path(kRange, 7);
  EXPECT_TRUE(path.follows_messages());
  EXPECT_FALSE(path.wants_feedback());
  EXPECT_FALSE(path.follows_progress());
  EXPECT_EQ(path.paths(), 64U);
}

}  // namespace
}  // namespace weft::transport
