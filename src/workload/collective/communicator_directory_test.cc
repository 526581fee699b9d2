#include "workload/collective/communicator_directory.h"

#include <gtest/gtest.h>

#include "workload/collective/communicator_table.h"

namespace weft::workload {
namespace {

JobLayout layout_of(std::uint32_t ranks) {
  JobLayout layout;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    layout.push_back({.host = rank, .rails = {0}});
  }
  return layout;
}

std::vector<Communicator> pairs_and_all(std::uint32_t ranks) {
  std::vector<Communicator> made;
  Communicator all{.name = "all"};
  for (std::uint32_t rank = 0; rank < ranks; rank += 2) {
    made.push_back({.name = "pair" + std::to_string(rank), .members = {RankId(rank), RankId(rank + 1)}});
    all.members.push_back(RankId(rank));
    all.members.push_back(RankId(rank + 1));
  }
  made.push_back(all);
  return made;
}

TEST(CommunicatorDirectory, ARankHasItsOwnCommunicatorsAlone) {
  const JobLayout layout = layout_of(8);
  const std::vector<Communicator> communicators = pairs_and_all(8);
  const MemoryAreas areas = MemoryAreas::of(Bytes(std::int64_t{1} << 40));
  const auto directory = CommunicatorDirectory::make(
      {.layout = &layout, .communicators = communicators, .collectives = {}, .areas = areas});
  ASSERT_TRUE(directory) << directory.error().message;
  CommunicatorTable table({.rank = RankId(5), .layout = &layout, .areas = areas, .directory = &*directory});
  for (const Communicator& communicator : communicators) {
    ASSERT_TRUE(table.add(communicator));
  }
  EXPECT_EQ(table.size(), 5U);
  EXPECT_FALSE(table.is_member(CommunicatorId(0)));
  EXPECT_EQ(table.definition(CommunicatorId(0)).name, "pair0");
  EXPECT_EQ(table.at(CommunicatorId(2)).self, MemberIndex(1));
  EXPECT_EQ(table.at(CommunicatorId(4)).self, MemberIndex(5));
  EXPECT_FALSE(table.add(communicators.front()));
}

TEST(CommunicatorDirectory, IsWhatATableHasThatAddsOneAfterAnother) {
  const JobLayout layout = layout_of(4);
  const std::vector<Communicator> communicators = pairs_and_all(4);
  const MemoryAreas areas = MemoryAreas::of(Bytes(std::int64_t{1} << 40));
  const auto directory = CommunicatorDirectory::make(
      {.layout = &layout, .communicators = communicators, .collectives = {}, .areas = areas});
  ASSERT_TRUE(directory);
  CommunicatorTable with({.rank = RankId(0), .layout = &layout, .areas = areas, .directory = &*directory});
  CommunicatorTable without({.rank = RankId(0), .layout = &layout, .areas = areas});
  for (const Communicator& communicator : communicators) {
    const auto one = with.add(communicator);
    const auto other = without.add(communicator);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(*one, *other);
    EXPECT_EQ(with.is_member(*one), without.is_member(*one));
    if (with.is_member(*one)) {
      EXPECT_EQ(with.at(*one).slots, without.at(*one).slots);
    }
  }
}

// Those of members that have none in common may lie at the same place; of one rank they never overlap.
TEST(CommunicatorDirectory, BuffersOfARankDoNotOverlap) {
  const JobLayout layout = layout_of(8);
  const std::vector<Communicator> communicators = pairs_and_all(8);
  const MemoryAreas areas = MemoryAreas::of(Bytes(std::int64_t{1} << 40));
  const CollectiveOptions options;
  const auto directory = CommunicatorDirectory::make(
      {.layout = &layout, .communicators = communicators, .collectives = options, .areas = areas});
  ASSERT_TRUE(directory);
  EXPECT_EQ(directory->at(CommunicatorId(0)).buffers, directory->at(CommunicatorId(1)).buffers);
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    std::uint64_t end = areas.buffers;
    for (const auto& own : directory->of(RankId(rank))) {
      const auto& entry = directory->at(own.communicator);
      EXPECT_GE(entry.buffers, end);
      end = entry.buffers + buffer_needs(*entry.layout, options).bytes;
    }
    EXPECT_LE(end, areas.end);
  }
}

TEST(CommunicatorDirectory, RefusesWhatCannotBe) {
  const JobLayout layout = layout_of(2);
  const auto why = [&](const std::vector<Communicator>& communicators, std::int64_t memory) {
    const auto made = CommunicatorDirectory::make({.layout = &layout,
                                                   .communicators = communicators,
                                                   .collectives = {},
                                                   .areas = MemoryAreas::of(Bytes(memory))});
    return made ? std::string() : made.error().message;
  };
  const Communicator both{.name = "both", .members = {RankId(0), RankId(1)}};
  constexpr std::int64_t kRoom = std::int64_t{1} << 40;
  EXPECT_EQ(why({both}, kRoom), "");
  EXPECT_NE(why({both, both}, kRoom).find("two communicators are named 'both'"), std::string::npos);
  EXPECT_NE(why({{.name = "none"}}, kRoom).find("no member"), std::string::npos);
  EXPECT_NE(why({{.name = "far", .members = {RankId(7)}}}, kRoom).find("no rank 7"), std::string::npos);
  EXPECT_NE(why({both}, 4'096).find("its buffers need"), std::string::npos);
}

}  // namespace
}  // namespace weft::workload
