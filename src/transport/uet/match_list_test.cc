#include "transport/uet/match_list.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

TEST(MatchList, TagsAreEqualInAllBitsThatAreNotIgnored) {
  EXPECT_TRUE(MatchList::matches({.tag = 0x12}, {.tag = 0x12, .initiator = 3}));
  EXPECT_FALSE(MatchList::matches({.tag = 0x12}, {.tag = 0x13, .initiator = 3}));
  EXPECT_TRUE(MatchList::matches({.tag = 0x12, .ignore = 0x0F}, {.tag = 0x1F, .initiator = 3}));
  EXPECT_FALSE(MatchList::matches({.tag = 0x12, .ignore = 0x0F}, {.tag = 0x22, .initiator = 3}));
  EXPECT_TRUE(MatchList::matches({.tag = 1, .ignore = ~std::uint64_t{0}}, {.tag = 0x8000'0000'0000'0000}));
}

TEST(MatchList, AnInitiatorIsNamedOrAny) {
  EXPECT_TRUE(MatchList::matches({.tag = 1, .initiator = 3}, {.tag = 1, .initiator = 3}));
  EXPECT_FALSE(MatchList::matches({.tag = 1, .initiator = 3}, {.tag = 1, .initiator = 4}));
  EXPECT_TRUE(MatchList::matches({.tag = 1, .initiator = MatchList::kAnyInitiator}, {.tag = 1, .initiator = 4}));
}

TEST(MatchList, TheReceivePostedFirstTakesTheMessage) {
  MatchList list({});
  ASSERT_TRUE(list.add_expected(10, {.tag = 7, .initiator = 1}));
  ASSERT_TRUE(list.add_expected(11, {.tag = 7}));
  ASSERT_TRUE(list.add_expected(12, {.tag = 7, .initiator = 1}));
  EXPECT_EQ(list.take_expected({.tag = 7, .initiator = 2}), 11U);
  EXPECT_EQ(list.take_expected({.tag = 7, .initiator = 1}), 10U);
  EXPECT_EQ(list.take_expected({.tag = 7, .initiator = 2}), std::nullopt);
  EXPECT_EQ(list.take_expected({.tag = 7, .initiator = 1}), 12U);
  EXPECT_EQ(list.expected(), 0U);
}

TEST(MatchList, TheMessageThatCameFirstIsTaken) {
  MatchList list({});
  ASSERT_TRUE(list.add_unexpected(20, {.tag = 1, .initiator = 1}));
  ASSERT_TRUE(list.add_unexpected(21, {.tag = 2, .initiator = 2}));
  ASSERT_TRUE(list.add_unexpected(22, {.tag = 2, .initiator = 1}));
  EXPECT_EQ(list.peek_unexpected({.tag = 2}), 21U);
  EXPECT_EQ(list.take_unexpected({.tag = 2}), 21U);
  EXPECT_EQ(list.take_unexpected({.tag = 2, .initiator = 2}), std::nullopt);
  EXPECT_EQ(list.take_unexpected({.tag = 0, .ignore = ~std::uint64_t{0}}), 20U);
  EXPECT_EQ(list.unexpected(), 1U);
}

TEST(MatchList, BothListsAreBounded) {
  MatchList list({.expected = 1, .unexpected = 2});
  EXPECT_TRUE(list.add_expected(1, {}));
  EXPECT_FALSE(list.add_expected(2, {}));
  EXPECT_TRUE(list.add_unexpected(1, {.tag = 5}));
  EXPECT_TRUE(list.add_unexpected(2, {.tag = 5}));
  EXPECT_FALSE(list.has_room_for_unexpected());
  EXPECT_FALSE(list.add_unexpected(3, {.tag = 5}));
  EXPECT_TRUE(list.remove_unexpected(1));
  EXPECT_FALSE(list.remove_unexpected(1));
  EXPECT_TRUE(list.add_unexpected(3, {.tag = 5}));
  EXPECT_TRUE(list.remove_expected(1));
  EXPECT_FALSE(list.remove_expected(1));
  EXPECT_EQ(list.take_any_expected(), std::nullopt);
}

}  // namespace
}  // namespace weft::transport
