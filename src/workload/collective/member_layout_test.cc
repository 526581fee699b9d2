#include "workload/collective/member_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "workload/collective/algorithms.h"

namespace weft::workload {
namespace {

/// `hosts` times `gpus`, joined by scale-up links unless told otherwise, with so many rails each.
MemberLayout layout_of(std::uint32_t hosts, std::uint32_t gpus, std::uint16_t rails, bool scale_up = true) {
  JobLayout sites;
  Communicator all{.name = "all", .members = {}};
  for (std::uint32_t rank = 0; rank < hosts * gpus; ++rank) {
    RankSite site{.host = rank / gpus};
    for (std::uint16_t rail = 0; rail < rails; ++rail)
      site.rails.push_back(rail);
    if (scale_up) {
      site.domain = rank / gpus;
      site.scale_up = rails;
    }
    sites.push_back(std::move(site));
    all.members.push_back(RankId(rank));
  }
  return {all, sites};
}

TEST(MemberLayout, ExchangesFollowOneAnotherOverTheRails) {
  for (const bool scale_up : {true, false}) {
    for (const std::uint16_t rails : std::initializer_list<std::uint16_t>{1, 2, 4}) {
      const MemberLayout layout = layout_of(2, 4, rails, scale_up);
      for (std::uint32_t index = 0; index < 16; ++index)
        EXPECT_EQ(layout.rail_of(layout.rail_channel(index)) % rails, index % rails) << rails << ' ' << index;
    }
  }
}

TEST(MemberLayout, PairsOfTreesShareARailAndTurnsAreSharedOut) {
  const MemberLayout layout = layout_of(2, 4, 2);
  for (std::uint32_t index = 0; index < 32; index += 2) {
    const std::uint32_t rail = layout.rail_of(layout.paired_channel(index)) % 2;
    EXPECT_EQ(rail, layout.rail_of(layout.paired_channel(index + 1)) % 2);
    // Each of the four members heads a pair over one rail before the first does over the other.
    EXPECT_EQ(rail, index / 2 / 4 % 2) << index;
  }
}

TEST(MemberLayout, EveryIndexHasAChannelOfItsOwn) {
  for (const auto& [gpus, rails] : {std::pair<std::uint32_t, std::uint16_t>{1, 1}, {4, 2}, {8, 8}, {72, 1}, {144, 2}}) {
    for (const std::uint32_t channels : {0U, 1U, 5U, kMaxChannels}) {
      const MemberLayout layout = layout_of(2, gpus, rails);
      const CollectiveOptions options{.channels = channels};
      const std::uint32_t most = max_channels(layout, options);
      std::set<std::uint32_t> single;
      std::set<std::uint32_t> paired;
      for (std::uint32_t index = 0; index < std::max(channels, 2 * layout.rails()); ++index) {
        single.insert(layout.rail_channel(index));
        paired.insert(layout.paired_channel(index));
        EXPECT_LT(layout.rail_channel(index), most);
        EXPECT_LT(layout.paired_channel(index), most);
      }
      EXPECT_EQ(single.size(), std::max(channels, 2 * layout.rails()));
      EXPECT_EQ(paired.size(), single.size());
    }
  }
}

}  // namespace
}  // namespace weft::workload
