#include "cluster/launch.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace weft::cluster {
namespace {

Launch launched(const std::map<std::string, std::string>& environment) {
  return launch([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launch, OutsideOfMpirunIsOneRank) {
  const Launch alone = launched({{"LANG", "C"}});
  EXPECT_EQ(alone.rank, 0U);
  EXPECT_EQ(alone.ranks, 1U);
  EXPECT_FALSE(alone.is_foreign);
}

TEST(Launch, ReadsWhatOpenMpiSays) {
  const Launch third = launched({{"OMPI_COMM_WORLD_RANK", "2"},
                                 {"OMPI_COMM_WORLD_SIZE", "8"},
                                 {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                 {"OMPI_MCA_orte_bound_at_launch", "1"}});
  EXPECT_EQ(third.rank, 2U);
  EXPECT_EQ(third.ranks, 8U);
  EXPECT_EQ(third.local_ranks, 4U);
  EXPECT_TRUE(third.is_bound);
}

TEST(Launch, NumbersThatMakeNoSenseCountAsNotGiven) {
  EXPECT_EQ(launched({{"OMPI_COMM_WORLD_RANK", "8"}, {"OMPI_COMM_WORLD_SIZE", "8"}}).ranks, 1U);
  EXPECT_EQ(launched({{"OMPI_COMM_WORLD_RANK", "-1"}, {"OMPI_COMM_WORLD_SIZE", "8"}}).ranks, 1U);
  EXPECT_EQ(launched({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "99999999999"}}).ranks, 1U);
  EXPECT_EQ(
      launched({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "0"}})
          .local_ranks,
      1U);
}

TEST(Launch, AnotherMpiIsForeignWithSeveralRanks) {
  EXPECT_TRUE(launched({{"PMI_SIZE", "4"}, {"PMI_RANK", "1"}}).is_foreign);
  EXPECT_FALSE(launched({{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}}).is_foreign);
}

}  // namespace
}  // namespace weft::cluster
