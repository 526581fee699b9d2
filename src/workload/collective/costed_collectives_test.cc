#include "workload/collective/costed_collectives.h"

#include <gtest/gtest.h>

#include <array>

#include "workload/training/test_cluster.h"

namespace weft::workload {
namespace {

class CostedCollectivesTest : public testing::Test {
 protected:
  CostedCollectivesTest()
      : network_(
            [](const CostedOperation& operation) { return Duration::nanoseconds(operation.request.size.count()); }) {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      machines_.push_back(std::make_unique<test::TestMachine>(now_));
      ranks_.push_back(std::make_unique<CostedCollectives>(network_, *machines_[rank], RankId(rank)));
      EXPECT_TRUE(ranks_[rank]->add({.name = "all", .members = {RankId(0), RankId(1), RankId(2)}}));
      EXPECT_TRUE(ranks_[rank]->add({.name = "pair", .members = {RankId(2), RankId(0)}}));
    }
  }

  void begin(std::uint32_t rank, const CollectiveRequest& request) {
    const auto begun = ranks_[rank]->begin(request);
    EXPECT_TRUE(begun) << begun.error().message;
  }
  // What a rank has finished at `time`.
  std::vector<CollectiveFinished> at(Duration time, std::uint32_t rank) {
    now_ = Time::zero() + time;
    std::array<verbs::MachineEvent, 8> events{};
    const std::size_t count = machines_[rank]->poll_events(events);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(ranks_[rank]->on_machine_event(events[i]));
    }
    std::array<CollectiveFinished, 8> finished{};
    const std::size_t taken = ranks_[rank]->take_finished(finished);
    return {finished.begin(), finished.begin() + static_cast<std::ptrdiff_t>(taken)};
  }

  static constexpr std::uint32_t kRanks = 3;
  Time now_{};
  CostedNetwork network_;
  std::vector<std::unique_ptr<test::TestMachine>> machines_;
  std::vector<std::unique_ptr<CostedCollectives>> ranks_;
};

TEST_F(CostedCollectivesTest, EndsACostAfterTheLastMemberHasBegun) {
  const CollectiveRequest request{.communicator = CommunicatorId(0), .size = Bytes(100), .token = 7};
  begin(0, request);
  begin(1, request);
  EXPECT_TRUE(at(50_ns, 0).empty());
  begin(2, request);
  EXPECT_TRUE(at(149_ns, 1).empty());
  const auto finished = at(150_ns, 1);
  ASSERT_EQ(finished.size(), 1U);
  EXPECT_EQ(finished[0].token, 7U);
  EXPECT_EQ(finished[0].started, Time::zero());
  EXPECT_EQ(finished[0].finished, Time::zero() + 150_ns);
  EXPECT_EQ(ranks_[1]->outstanding(), 0U);
  EXPECT_EQ(ranks_[0]->outstanding(), 1U);
}

TEST_F(CostedCollectivesTest, OperationsOfOneCommunicatorFollowOneAnother) {
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    begin(rank, {.communicator = CommunicatorId(0), .size = Bytes(100), .token = 1});
    begin(rank, {.communicator = CommunicatorId(0), .size = Bytes(30), .token = 2});
  }
  begin(0, {.communicator = CommunicatorId(1), .size = Bytes(10), .token = 3});
  begin(2, {.communicator = CommunicatorId(1), .size = Bytes(10), .token = 3});
  const auto early = at(10_ns, 0);  // another communicator does not wait
  ASSERT_EQ(early.size(), 1U);
  EXPECT_EQ(early[0].token, 3U);
  const auto both = at(130_ns, 0);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].started, Time::zero() + 100_ns);
  EXPECT_EQ(both[1].finished, Time::zero() + 130_ns);
}

TEST_F(CostedCollectivesTest, SendsMeetTheirReceivesInOrderAndWaitForNothingElse) {
  const auto send = [](std::int64_t size, CollectiveToken token) {
    return CollectiveRequest{.communicator = CommunicatorId(0),
                             .kind = CollectiveKind::kSend,
                             .size = Bytes(size),
                             .peer = MemberIndex(1),
                             .token = token};
  };
  CollectiveRequest receive{
      .communicator = CommunicatorId(0), .kind = CollectiveKind::kReceive, .peer = MemberIndex(0)};
  begin(0, {.communicator = CommunicatorId(0), .size = Bytes(1000), .token = 9});  // nobody joins
  begin(0, send(20, 1));
  begin(0, send(5, 2));
  receive.token = 11;
  begin(1, receive);
  receive.token = 12;
  begin(1, receive);
  const auto received = at(25_ns, 1);
  ASSERT_EQ(received.size(), 2U);
  EXPECT_EQ(received[0].token, 11U);
  EXPECT_EQ(received[0].finished, Time::zero() + 20_ns);
  EXPECT_EQ(received[1].finished, Time::zero() + 25_ns);
  EXPECT_EQ(at(25_ns, 0).size(), 2U);
}

TEST_F(CostedCollectivesTest, RefusesWhatCannotBe) {
  const auto refused = [&](const CollectiveRequest& request) {
    const auto begun = ranks_[1]->begin(request);
    return begun ? "" : begun.error().message;
  };
  EXPECT_EQ(refused({.communicator = CommunicatorId(1)}), "rank 1 is not a member of communicator pair");
  EXPECT_NE(refused({.communicator = CommunicatorId(2)}), "");
  EXPECT_NE(refused({.communicator = CommunicatorId(0), .kind = CollectiveKind::kBroadcast, .root = MemberIndex(3)}),
            "");
  EXPECT_NE(refused({.communicator = CommunicatorId(0), .kind = CollectiveKind::kSend, .peer = MemberIndex(1)}), "");
  EXPECT_NE(refused({.communicator = CommunicatorId(0), .size = Bytes(-1)}), "");
  EXPECT_FALSE(ranks_[0]->add({.name = "all", .members = {RankId(0)}}));
  EXPECT_FALSE(ranks_[0]->add({.name = "twice", .members = {RankId(0), RankId(0)}}));
  EXPECT_FALSE(ranks_[0]->add({.name = "none", .members = {}}));
}

}  // namespace
}  // namespace weft::workload
