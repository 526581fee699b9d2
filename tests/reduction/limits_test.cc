// What reducers refuse, what they hold at most, and how groups end.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/reduction/reduction_world.h"
#include "verbs/group_reservation.h"

namespace weft::testing {
namespace {

std::vector<std::uint32_t> first_hosts(std::uint32_t count) {
  std::vector<std::uint32_t> hosts(count);
  std::iota(hosts.begin(), hosts.end(), 0U);
  return hosts;
}

/// A world in which nobody does anything by himself.
class GroupOfTwo : public ::testing::Test {
 protected:
  explicit GroupOfTwo(host::ReductionOptions reduction = {}) {
    ReductionWorldOptions options = reduction_world(leaves_and_spines(2, 2, 1));
    options.reduction = reduction;
    options.carries_bytes = false;
    sim_.emplace(std::move(options));
    pd_ = *sim_->provider(0).alloc_pd();
    cq_ = *sim_->provider(0).create_cq(16);
    key_ = *sim_->provider(0).reg_mr(
        {.pd = pd_, .address = 0x1000, .length = 1 << 20, .bytes = nullptr, .access = verbs::kAccessLocalWrite});
  }

  [[nodiscard]] verbs::GroupAttributes attributes(std::vector<std::uint32_t> members = {0, 1}) const {
    verbs::GroupAttributes made{.pd = pd_, .cq = cq_, .members = {}, .self = verbs::GroupRank(0)};
    for (const std::uint32_t member : members) {
      made.members.emplace_back(member);
    }
    return made;
  }
  [[nodiscard]] verbs::ReduceWr request(std::uint32_t bytes) const {
    const verbs::Sge memory{.address = 0x1000, .length = bytes, .lkey = key_};
    return {.wr_id = 1, .source = memory, .destination = memory};
  }
  [[nodiscard]] std::string refusal(const verbs::GroupAttributes& attributes) {
    const auto made = sim_->groups(0).create_group(attributes);
    return made ? "" : made.error().message;
  }
  [[nodiscard]] std::string refusal(verbs::GroupHandle group, const verbs::ReduceWr& wr) {
    const auto posted = sim_->groups(0).post_reduce(group, wr);
    return posted ? "" : posted.error().message;
  }

  std::optional<ReductionWorld> sim_;
  verbs::PdHandle pd_;
  verbs::CqHandle cq_;
  std::uint32_t key_ = 0;
};

::testing::AssertionResult says(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos ? ::testing::AssertionSuccess()
                                                 : ::testing::AssertionFailure() << "'" << message << "'";
}

class SmallReducers : public GroupOfTwo {
 protected:
  SmallReducers()
      : GroupOfTwo({.limits = {.max_size = Bytes(1024),
                               .data_types = 1U << static_cast<unsigned>(verbs::DataType::kFloat32) |
                                             1U << static_cast<unsigned>(verbs::DataType::kInt32),
                               .operations = 1U << static_cast<unsigned>(verbs::ReduceOperation::kSum),
                               .max_members = 3},
                    .max_children = 2,
                    .max_groups = 2}) {}
};

TEST_F(SmallReducers, TellTheirLimits) {
  const verbs::ReduceLimits limits = sim_->groups(0).query_reduce();
  EXPECT_EQ(limits.max_size, Bytes(1024));
  EXPECT_EQ(limits.max_members, 3U);
}

TEST_F(SmallReducers, RefuseRequestsBeyondThem) {
  const verbs::GroupHandle group = *sim_->groups(0).create_group(attributes());
  EXPECT_TRUE(says(refusal(group, request(1028)), "1028 bytes; the network reduces at most 1024"));
  EXPECT_TRUE(says(refusal(group, request(6)), "not a whole number"));
  verbs::ReduceWr other = request(1024);
  other.data_type = verbs::DataType::kFloat64;
  EXPECT_TRUE(says(refusal(group, other), "does not reduce float64"));
  other = request(1024);
  other.operation = verbs::ReduceOperation::kMax;
  EXPECT_TRUE(says(refusal(group, other), "has no operation max"));
  other = request(1024);
  other.root = verbs::GroupRank(2);
  EXPECT_TRUE(says(refusal(group, other), "root is 2"));
  EXPECT_EQ(refusal(group, request(1024)), "");
  EXPECT_TRUE(says(refusal(verbs::GroupHandle(9), request(8)), "no such group"));
}

TEST_F(SmallReducers, RefuseGroupsBeyondThem) {
  EXPECT_TRUE(says(refusal(attributes({0, 1, 2, 3})), "group of 4 members; it must have 2 to 3"));
  EXPECT_TRUE(says(refusal(attributes({0, 0})), "named twice"));
  EXPECT_TRUE(says(refusal(attributes({1, 0})), "own rank 0 names endpoint 1"));
  EXPECT_TRUE(says(refusal(attributes({0, 77})), "no endpoint 77"));
  verbs::GroupAttributes no_queue = attributes();
  no_queue.cq = verbs::CqHandle(55);
  EXPECT_TRUE(says(refusal(no_queue), "no such completion queue"));
  EXPECT_EQ(refusal(attributes()), "");
  EXPECT_EQ(refusal(attributes()), "");
  EXPECT_TRUE(says(refusal(attributes()), "leaf0/reducer already serves 2 groups"));
}

// All together or none, and everybody who asks for the same owner is told the same.
TEST_F(SmallReducers, KeepGroupsThatAreReserved) {
  const auto reserved = [&](std::uint64_t owner, std::size_t count) {
    const auto made =
        dynamic_cast<verbs::GroupReservations&>(sim_->groups(0))
            .reserve_groups(
                {.owner = owner, .groups = std::vector<std::vector<EndpointId>>(count, attributes().members)});
    return made ? "" : made.error().message;
  };
  EXPECT_TRUE(says(reserved(1, 3), "leaf0/reducer already serves 2 groups, its limit (reduction.max_groups)"));
  EXPECT_TRUE(says(reserved(1, 3), "it would be group 3 of the 3 that are needed together"));
  EXPECT_EQ(reserved(2, 2), "") << "nothing was kept for the first";
  EXPECT_EQ(reserved(2, 2), "");
  EXPECT_TRUE(says(reserved(3, 1), "leaf0/reducer already serves 2 groups"));
  EXPECT_EQ(refusal(attributes()), "");
  EXPECT_EQ(refusal(attributes()), "");
  EXPECT_TRUE(says(refusal(attributes()), "leaf0/reducer already serves 2 groups"));
}

TEST(Reducers, RefuseMoreChildrenThanTheyMayHave) {
  ReductionWorldOptions options = reduction_world(leaves_and_spines(1, 4, 1));
  options.reduction.max_children = 3;
  ReductionWorld sim(std::move(options));
  verbs::GroupAttributes attributes{.pd = *sim.provider(0).alloc_pd(),
                                    .cq = *sim.provider(0).create_cq(4),
                                    .members = {EndpointId(0), EndpointId(1), EndpointId(2), EndpointId(3)},
                                    .self = verbs::GroupRank(0)};
  const auto refused = sim.groups(0).create_group(attributes);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(says(refused.error().message, "would have 4 children in one group; the most is 3"));
  attributes.members.pop_back();
  EXPECT_TRUE(sim.groups(0).create_group(attributes));
}

using PlainReducers = GroupOfTwo;

TEST(Reducers, OfOneSwitchServeGroupsWhoseOthersHaveNone) {
  ReductionWorldOptions options = reduction_world(leaves_and_spines(2, 2, 1));
  options.reducers = std::vector<fabric::NodeIndex>{fabric::NodeIndex(options.graph.endpoints)};
  ReductionWorld sim(std::move(options));
  sim.add_group({.ranks = first_hosts(4)});
  sim.add({.count = 100});
  sim.run();
  EXPECT_EQ(sim.check_all_succeeded(), "");
  EXPECT_EQ(sim.reducer_totals().vectors, 4U);
  EXPECT_EQ(sim.reducer_totals().reductions, 1U);
}

TEST_F(PlainReducers, RefuseAFullGroupAndOneWithRequestsOutstanding) {
  verbs::GroupAttributes two = attributes();
  two.max_reduce_wr = 2;
  const verbs::GroupHandle group = *sim_->groups(0).create_group(two);
  EXPECT_EQ(refusal(group, request(64)), "");
  EXPECT_EQ(refusal(group, request(64)), "");
  EXPECT_TRUE(says(refusal(group, request(64)), "2 requests are outstanding"));
  const auto destroyed = sim_->groups(0).destroy_group(group);
  ASSERT_FALSE(destroyed);
  EXPECT_TRUE(says(destroyed.error().message, "2 requests are outstanding"));
}

TEST(Reducers, HoldNoMoreThanTheirWindowForAStraggler) {
  for (const std::uint32_t window : {1U, 2U, 7U, 64U}) {
    ReductionWorldOptions options = reduction_world(leaves_and_spines(2, 3, 1));
    options.reduction.window = window;
    ReductionWorld sim(std::move(options));
    sim.add_group({.ranks = first_hosts(6)});
    for (int i = 0; i < 100; ++i) {
      sim.add({.count = 1024});
    }
    sim.start_late(5, Time::zero() + 300_us);
    sim.run();
    EXPECT_EQ(sim.check_all_succeeded(), "");
    EXPECT_EQ(sim.reducer_totals().peak_held, std::min(window, 100U));
    for (std::uint32_t i = 0; i < sim.world().graph().endpoints; ++i) {
      EXPECT_EQ(sim.world().nic(EndpointId(i)).connections().rc.rnr_nak_retry_err, 0U);
    }
  }
}

TEST(Reducers, TakeInWhatTheyHandOn) {
  ReductionWorld sim(reduction_world(leaves_and_spines(4, 3, 2)));
  sim.add_group({.ranks = first_hosts(12)});
  constexpr std::uint32_t kRequests = 50;
  for (std::uint32_t i = 0; i < kRequests; ++i) {
    sim.add({.count = 300});
  }
  sim.run();
  EXPECT_EQ(sim.check_all_succeeded(), "");
  const host::Reducer::Counters totals = sim.reducer_totals();
  const std::uint64_t edges = 12 + 4;  // members, and leaves
  EXPECT_EQ(totals.vectors, edges * kRequests);
  EXPECT_EQ(totals.bytes, edges * kRequests * 1200);
  EXPECT_EQ(totals.answers, edges * kRequests);
  EXPECT_EQ(totals.reductions, 5U * kRequests);
  EXPECT_EQ(totals.results, 5U * kRequests);
  EXPECT_EQ(totals.failures, 0U);
}

}  // namespace
}  // namespace weft::testing
