#include "study/run/step_phases.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "workload/training/listed_graph.h"

namespace weft::study::run {
namespace {

using workload::CommunicatorId;
using workload::RankId;
using Role = StepPhases::Role;

constexpr std::uint32_t kRanks = 64;
constexpr Bytes kSlice{16 << 20};
constexpr Bytes kPiece{3 << 19};

Bytes mib(std::int64_t count) { return Bytes(count << 20); }

/// One all-reduce of all ranks, each on a host of its own.
class OneAllReduce : public testing::Test {
 protected:
  explicit OneAllReduce(Bytes size = mib(1024), std::uint32_t ranks = kRanks)
      : size_(size), layout_(ranks), all_{.name = "all", .members = {}} {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      layout_[rank] = {.host = rank, .rails = {0}};
      all_.members.emplace_back(rank);
    }
    phases_.emplace(
        StepPhases::make({.layout = &layout_,
                          .communicators = {&all_, 1},
                          .slice = kSlice,
                          .settles = false,
                          .ranks = ranks,
                          .most_connections = 1U << 18},
                         [this](RankId) {
                           workload::ListedGraph::Contents contents{.communicators = {all_}};
                           contents.nodes.push_back(
                               {.work = workload::CommunicationNode{{.communicator = CommunicatorId(0), .size = size_}},
                                .label = {.purpose = workload::Purpose::kData}});
                           return std::make_unique<workload::ListedGraph>(std::move(contents));
                         }));
  }

  /// Both probes as they are run, the shorter one first.
  std::array<StepPhases::Sample, 2> shaped(std::uint32_t ring_steps) {
    for (const std::uint32_t phase : {0U, 1U}) {
      phases_->shape_probe(phase, ring_steps, kPiece);
      phases_->shape_probe(phase, ring_steps, kPiece * 4);  // the first counts
    }
    return {phases_->sample(0), phases_->sample(1)};
  }

  Bytes size_;
  workload::JobLayout layout_;
  workload::Communicator all_;
  std::optional<StepPhases> phases_;
};

TEST_F(OneAllReduce, ProbesAroundARingHaveLongPiecesAndFewerSteps) {
  const auto [shorter, longer] = shaped(kRanks - 1);
  EXPECT_EQ(longer.role, Role::kProbe);
  EXPECT_EQ(longer.size, kPiece * std::int64_t{kRanks});
  EXPECT_EQ(shorter.size, longer.size);
  EXPECT_EQ(longer.ring_steps, 10U) << "16 of 96 MiB of 63 steps";
  EXPECT_EQ(shorter.ring_steps, 5U);
  EXPECT_EQ(longer.amount, Bytes(longer.size.count() * 10 / 63));
  EXPECT_LE(longer.amount, kSlice);
}

/// The rings of a hierarchy of eight hosts.
TEST_F(OneAllReduce, ProbesAroundShortRingsKeepEnoughStepsToCompare) {
  const auto [shorter, longer] = shaped(7);
  EXPECT_EQ(longer.size, kPiece * std::int64_t{kRanks});
  EXPECT_EQ(longer.ring_steps, 4U);
  EXPECT_EQ(shorter.ring_steps, 2U);
  EXPECT_EQ(longer.amount, Bytes(longer.size.count() * 4 / 7));
}

/// The rings of a hierarchy of four hosts: with pieces of one chunk or less, an operation had 9 to 18 % less than its
/// links need, or 15 % more.
TEST_F(OneAllReduce, ProbesAroundRingsOfFewStepsHaveLongPiecesAndAllSteps) {
  const auto [shorter, longer] = shaped(3);
  EXPECT_EQ(longer.ring_steps, 0U);
  EXPECT_EQ(longer.size, kPiece * 2 * std::int64_t{kRanks});
  EXPECT_EQ(longer.amount, longer.size);
  EXPECT_EQ(shorter.size, kPiece * std::int64_t{kRanks});
  EXPECT_EQ(shorter.amount, shorter.size);
}

TEST_F(OneAllReduce, ProbesWithoutRingsAreShorterOperations) {
  const auto [shorter, longer] = shaped(0);
  EXPECT_EQ(longer.size, kSlice);
  EXPECT_EQ(longer.ring_steps, 0U);
  EXPECT_EQ(longer.amount, kSlice);
  EXPECT_EQ(shorter.amount, kSlice / 2);
}

class SmallAllReduce : public OneAllReduce {
 protected:
  SmallAllReduce() : OneAllReduce(mib(32)) {}
};

TEST_F(SmallAllReduce, APieceIsNeverLongerThanTheOperations) {
  const auto [shorter, longer] = shaped(kRanks - 1);
  EXPECT_EQ(longer.size, mib(32));
  EXPECT_EQ(longer.ring_steps, 30U);
  EXPECT_EQ(shorter.ring_steps, 15U);
}

class ManyRanks : public OneAllReduce {
 protected:
  static constexpr std::uint32_t kMany = 1'024;
  ManyRanks() : OneAllReduce(mib(4'096), kMany) {}
};

TEST_F(ManyRanks, OfVeryManyPeersSomeStandForAll) {
  for (const std::uint32_t phase : {0U, 1U}) {
    phases_->sample_peers(phase, kMany - 1, kPiece);
    phases_->sample_peers(phase, kMany - 1, kPiece * 4);  // the first counts
  }
  const StepPhases::Sample& shorter = phases_->sample(0);
  const StepPhases::Sample& longer = phases_->sample(1);
  EXPECT_TRUE(longer.some_peers);
  EXPECT_EQ(longer.size, kPiece * std::int64_t{kMany});
  EXPECT_EQ(shorter.size, longer.size);
  EXPECT_EQ(shorter.ring_steps, 4U);
  EXPECT_EQ(longer.ring_steps, 8U);
  EXPECT_EQ(longer.amount, Bytes(longer.size.count() * 8 / (kMany - 1)));
  const std::vector<StepPhases::SampledRequest> requests = phases_->requests_in(1);
  ASSERT_EQ(requests.size(), kMany);
  EXPECT_EQ(requests.back().rank, RankId(kMany - 1));
  EXPECT_EQ(requests.back().phased->operation.phase, 1U);
}

// What a rank has under way at a time counts there, so that there have to be more.
TEST_F(ManyRanks, WithShortPartsMorePeersAreDealtWith) {
  phases_->sample_peers(1, kMany - 1, Bytes(16 << 10));
  EXPECT_EQ(phases_->sample(1).ring_steps, 64U);
}

// Over scale-up links a step takes another time than over the network.
TEST_F(ManyRanks, PeersOfTheSameHostAreNotLikeOthers) {
  layout_[5].host = layout_[6].host;
  phases_->sample_peers(1, kMany - 1, kPiece);
  EXPECT_EQ(phases_->sample(1).ring_steps, 0U);
  EXPECT_EQ(phases_->sample(1).size, kSlice);
}

TEST_F(OneAllReduce, OfFewRanksAllPeersAreDealtWith) {
  phases_->sample_peers(1, kRanks - 1, kPiece);
  EXPECT_EQ(phases_->sample(1).size, kSlice);
  EXPECT_EQ(phases_->sample(1).ring_steps, 0U);
  EXPECT_FALSE(phases_->sample(1).some_peers);
}

}  // namespace
}  // namespace weft::study::run
