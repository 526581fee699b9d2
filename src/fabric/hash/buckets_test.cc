#include "fabric/hash/buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace weft::fabric {
namespace {

std::map<std::uint32_t, int> counts_of(const std::vector<std::uint32_t>& names) {
  std::map<std::uint32_t, int> counts;
  for (const std::uint32_t name : names) {
    ++counts[name];
  }
  return counts;
}

TEST(Buckets, AreSharedAlike) {
  const auto names = assign_buckets({}, std::vector<GroupMember>{{1}, {5}, {9}}, 64);
  EXPECT_EQ(counts_of(names), (std::map<std::uint32_t, int>{{1, 22}, {5, 21}, {9, 21}}));
}

TEST(Buckets, AreSharedByWeight) {
  const auto names = assign_buckets({}, std::vector<GroupMember>{{1, 3}, {2, 1}}, 64);
  EXPECT_EQ(counts_of(names), (std::map<std::uint32_t, int>{{1, 48}, {2, 16}}));
}

TEST(Buckets, OfAMemberThatFailsAloneMoveAndToAllOthers) {
  const std::vector<GroupMember> all{{0}, {1}, {2}, {3}};
  const auto before = assign_buckets({}, all, 128);
  const auto after = assign_buckets(before, std::vector<GroupMember>{{0}, {2}, {3}}, 128);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(before[i] == 1 ? after[i] != 1 : after[i] == before[i]) << i;
  }
  for (const auto& [name, count] : counts_of(after)) {
    EXPECT_NEAR(count, 128.0 / 3, 1) << name;
  }
}

TEST(Buckets, OfASecondFailureMoveAloneToo) {
  const auto first = assign_buckets({}, std::vector<GroupMember>{{0}, {1}, {2}, {3}}, 128);
  const auto second = assign_buckets(first, std::vector<GroupMember>{{0}, {2}, {3}}, 128);
  const auto third = assign_buckets(second, std::vector<GroupMember>{{0}, {3}}, 128);
  for (std::size_t i = 0; i < second.size(); ++i) {
    EXPECT_TRUE(second[i] == 2 || third[i] == second[i]) << i;
  }
  EXPECT_EQ(counts_of(third), (std::map<std::uint32_t, int>{{0, 64}, {3, 64}}));
}

TEST(Buckets, GoToAMemberThatComesBackAndNobodyElse) {
  const std::vector<GroupMember> all{{0}, {1}, {2}, {3}};
  const auto less = assign_buckets({}, std::vector<GroupMember>{{0}, {2}, {3}}, 96);
  const auto more = assign_buckets(less, all, 96);
  for (std::size_t i = 0; i < less.size(); ++i) {
    EXPECT_TRUE(more[i] == 1 || more[i] == less[i]) << i;
  }
  EXPECT_EQ(std::ranges::count(more, 1U), 24);
}

}  // namespace
}  // namespace weft::fabric
