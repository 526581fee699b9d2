#include "subnet/umad/open_requests.h"

#include <gtest/gtest.h>

namespace weft::subnet {
namespace {

constexpr UmadClientId kAsking = 3;
constexpr UmadClientId kManager = 7;

OpenRequests::Request request(std::uint64_t transaction, std::uint8_t management_class = wire::kClassSubnetLidRouted) {
  return {.from = kAsking, .transaction = {management_class, transaction}, .takers = {kManager}};
}

class OpenRequestsTest : public testing::Test {
 protected:
  void add(const OpenRequests::Request& each) { EXPECT_FALSE(open.add(each, now)); }
  /// Transactions whose time is over then.
  std::vector<std::uint64_t> ended(Time then) {
    std::vector<std::uint64_t> found;
    for (const OpenRequests::Request& each : open.on_timeout(then)) {
      found.push_back(each.transaction.second);
    }
    return found;
  }

  using Transactions = std::vector<std::uint64_t>;
  static constexpr Duration kMoment = Duration::picoseconds(1);
  OpenRequests open;
  Time now = Time() + Duration::seconds(100);
};

TEST_F(OpenRequestsTest, EndWhenTheirTimeIsOver) {
  EXPECT_TRUE(open.next_timeout().is_never());
  add(request(1, wire::kClassSubnetAdministration));
  add(request(2));
  const Time management = now + OpenRequests::kManagementTime;
  const Time other = now + OpenRequests::kOtherTime;
  EXPECT_EQ(open.next_timeout(), management);
  EXPECT_EQ(ended(management - kMoment), Transactions());
  EXPECT_EQ(ended(management), Transactions{2});
  EXPECT_EQ(open.next_timeout(), other);
  EXPECT_EQ(ended(other), Transactions{1});
  EXPECT_TRUE(open.next_timeout().is_never());
}

TEST_F(OpenRequestsTest, DoNotEndOnceTheyAreAnswered) {
  add(request(1));
  add(request(2));
  open.answer(kAsking, request(1).transaction);
  open.answer(kManager, request(2).transaction);  // of another client
  EXPECT_EQ(ended(now + OpenRequests::kManagementTime), Transactions{2});
}

TEST_F(OpenRequestsTest, HaveTheirTimeAnewWhenTheyAreSentAgain) {
  add(request(1));
  const Time first = now + OpenRequests::kManagementTime;
  now = first - kMoment;
  add(request(1));
  EXPECT_EQ(open.size(), 1U);
  EXPECT_EQ(ended(first), Transactions());
  EXPECT_EQ(ended(now + OpenRequests::kManagementTime), Transactions{1});
}

TEST_F(OpenRequestsTest, EndWhenTheLastOfThoseHasGoneWhoMayAnswer) {
  OpenRequests::Request to_two = request(1);
  constexpr UmadClientId kOther = 8;
  to_two.takers.push_back(kOther);
  add(to_two);
  add(request(2));
  EXPECT_EQ(open.forget(kManager).size(), 1U);
  EXPECT_EQ(open.size(), 1U);
  const auto last = open.forget(kOther);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last.front().transaction.second, 1U);
  EXPECT_EQ(last.front().from, kAsking);
}

TEST_F(OpenRequestsTest, EndWithTheClientThatAsked) {
  add(request(1));
  EXPECT_TRUE(open.forget(kAsking).empty());
  EXPECT_EQ(open.size(), 0U);
}

TEST_F(OpenRequestsTest, HaveABoundBeyondWhichTheOldestEnds) {
  for (std::uint64_t i = 0; i < OpenRequests::kMost; ++i) {
    add(request(i));
  }
  const auto oldest = open.add(request(OpenRequests::kMost), now);
  ASSERT_TRUE(oldest);
  EXPECT_EQ(oldest->transaction.second, 0U);
  EXPECT_EQ(open.size(), OpenRequests::kMost);
}

}  // namespace
}  // namespace weft::subnet
