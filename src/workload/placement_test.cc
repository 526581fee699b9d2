#include "workload/placement.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

namespace weft::workload {
namespace {

std::vector<HostShape> hosts_of(int count, std::uint32_t gpus, std::uint32_t rails) {
  std::vector<HostShape> hosts;
  for (int i = 0; i < count; ++i)
    hosts.push_back({.name = "host" + std::to_string(i), .gpus = gpus, .rails = rails});
  return hosts;
}

JobOptions job_of(std::uint32_t ranks, std::string name = "job") {
  return {.id = JobId(0), .name = std::move(name), .seed = 5, .ranks = ranks};
}

std::string error_of(Placement& placement, const JobOptions& job, const PlacementOptions& options) {
  const auto result = placement.place(job, options);
  return result ? std::string("placed") : result.error().message;
}

TEST(Placement, PackedFillsAHostBeforeTheNextAndSpreadTakesOnePerHost) {
  auto packed = Placement::make(hosts_of(4, 2, 2)).value();
  auto spread = Placement::make(hosts_of(4, 2, 2)).value();
  const auto one = packed.place(job_of(6), {}).value();
  const auto other = spread.place(job_of(6), {.kind = SpreadPlacement{}}).value();
  for (std::uint32_t rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(one[rank].host, HostIndex(rank / 2));
    EXPECT_EQ(one[rank].gpu, verbs::GpuIndex(rank % 2));
    EXPECT_EQ(other[rank].host, HostIndex(rank % 4));
    EXPECT_EQ(other[rank].gpu, verbs::GpuIndex(rank / 4));
  }
}

TEST(Placement, GpusShareOutTheRailsOrShareThem) {
  auto many = Placement::make(hosts_of(1, 2, 4)).value().place(job_of(2), {}).value();
  EXPECT_EQ(many[0].rails, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(many[1].rails, (std::vector<std::uint32_t>{2, 3}));
  auto few = Placement::make(hosts_of(1, 4, 2)).value().place(job_of(4), {}).value();
  EXPECT_EQ(few[1].rails, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(few[2].rails, (std::vector<std::uint32_t>{1}));
  auto all = Placement::make(hosts_of(1, 2, 2)).value().place(job_of(2), {.rails = RailChoice::kAll}).value();
  EXPECT_EQ(all[1].rails, (std::vector<std::uint32_t>{0, 1}));
}

TEST(Placement, AHostWithoutGpusTakesOneRankOnItsCpu) {
  auto placement = Placement::make(hosts_of(2, 0, 1)).value();
  const auto places = placement.place(job_of(2), {}).value();
  EXPECT_FALSE(places[0].gpu.is_valid());
  EXPECT_EQ(places[1].host, HostIndex(1));
}

TEST(Placement, JobsDoNotOverlapAndOneTooLargeIsRefusedWithTheNumbers) {
  auto placement = Placement::make(hosts_of(2, 4, 4)).value();
  ASSERT_TRUE(placement.place(job_of(5, "a"), {.kind = RandomPlacement{}}).has_value());
  EXPECT_EQ(error_of(placement, job_of(4, "b"), {}), "job 'b' has 4 ranks, but 3 of the 8 places on 2 hosts are free");
  EXPECT_EQ(placement.free_places(), 3U);
  EXPECT_TRUE(placement.place(job_of(3, "b"), {}).has_value());
  EXPECT_EQ(placement.free_places(), 0U);
}

TEST(Placement, ARandomPlacementMovesOnlyWhatAnAddedHostTakes) {
  auto hosts = hosts_of(8, 4, 4);
  const auto before = Placement::make(hosts).value().place(job_of(32), {.kind = RandomPlacement{}}).value();
  hosts.push_back({.name = "added", .gpus = 4, .rails = 4});
  const auto after = Placement::make(hosts).value().place(job_of(36), {.kind = RandomPlacement{}}).value();
  std::vector<RankPlace> common;
  for (const RankPlace& place : after) {
    if (place.host != HostIndex(8))
      common.push_back(place);
  }
  EXPECT_EQ(common, before);
}

TEST(Placement, ABadListSaysWhatIsWrong) {
  auto placement = Placement::make(hosts_of(2, 2, 2)).value();
  const auto listed = [&](std::vector<ListedPlacement::Place> places) {
    return error_of(placement, job_of(2), {.kind = ListedPlacement{std::move(places)}});
  };
  EXPECT_EQ(listed({{"host0", 0}}), "job 'job' has 2 ranks, but its placement lists 1 places");
  EXPECT_EQ(listed({{"host0", 0}, {"host0", 2}}), "job 'job', rank 1: host 'host0' has 2 GPUs; there is no GPU 2");
  EXPECT_EQ(listed({{"host0", 0}, {"host0", 0}}), "job 'job', rank 1: GPU 0 of host 'host0' is taken by rank 0");
  EXPECT_EQ(listed({{"hots1", 0}, {"host0", 0}}), "job 'job', rank 0: there is no host 'hots1'; did you mean 'host1'?");
  EXPECT_EQ(listed({{"host1", 1}, {"host0", 0}}), "placed");
  EXPECT_EQ(listed({{"host1", 0}, {"host0", 0}}), "job 'job', rank 1: GPU 0 of host 'host0' is taken by another job");
}

}  // namespace
}  // namespace weft::workload
