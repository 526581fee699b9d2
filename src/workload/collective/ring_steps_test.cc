#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "workload/collective/algorithms.h"
#include "workload/collective/direct.h"

namespace weft::workload {
namespace {

constexpr std::uint32_t kHosts = 8;
constexpr std::uint32_t kGpus = 2;
constexpr std::uint32_t kRanks = kHosts * kGpus;
constexpr std::int64_t kPart = 4096;

MemberLayout two_gpus_a_host() {
  JobLayout sites;
  Communicator all{.name = "all", .members = {}};
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    sites.push_back({.host = rank / kGpus, .domain = rank / kGpus, .rails = {0}, .scale_up = 1});
    all.members.push_back(RankId(rank));
  }
  return {all, sites};
}

/// Sender, receiver and slot, with the sizes of its chunks in their order.
using Edges = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<std::uint64_t>>;

struct Traffic {
  Edges sent{};
  Edges received{};

  [[nodiscard]] std::uint64_t bytes_between_hosts() const {
    std::uint64_t bytes = 0;
    for (const auto& [edge, chunks] : sent) {
      for (const std::uint64_t chunk : chunks)
        bytes += std::get<0>(edge) / kGpus != std::get<1>(edge) / kGpus ? chunk : 0;
    }
    return bytes;
  }
};

Traffic traffic_of(CollectiveKind kind, CollectiveAlgorithm algorithm, std::uint32_t ring_steps) {
  const MemberLayout layout = two_gpus_a_host();
  const CollectiveOptions options{.chunk = Bytes(1024), .buffer = Bytes(8192)};
  Traffic traffic;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const LaneContext context{
        .request = {.kind = kind, .size = Bytes(kPart * kRanks), .algorithm = algorithm, .ring_steps = ring_steps},
        .self = MemberIndex(rank),
        .layout = &layout,
        .options = &options,
        .chunk = options.chunk};
    Lanes lanes;
    add_lanes(context, algorithm, lanes);
    for (Lane& lane : lanes.take()) {
      while (const std::optional<Action> action = lane.next()) {
        if (action->kind == Action::Kind::kSend)
          traffic.sent[{rank, action->peer.value(), action->slot}].push_back(action->extent.size);
        if (action->kind == Action::Kind::kReceive || action->kind == Action::Kind::kReduce)
          traffic.received[{action->peer.value(), rank, action->slot}].push_back(action->extent.size);
      }
    }
  }
  return traffic;
}

TEST(RingSteps, SomeOfThemMoveTheirShareAndBothEndsAgree) {
  const MemberLayout layout = two_gpus_a_host();
  for (const CollectiveKind kind :
       {CollectiveKind::kAllReduce, CollectiveKind::kReduceScatter, CollectiveKind::kAllGather}) {
    for (const CollectiveAlgorithm algorithm : {CollectiveAlgorithm::kRing, CollectiveAlgorithm::kHierarchical}) {
      const std::uint32_t all = ring_steps_of(kind, algorithm, layout);
      EXPECT_EQ(all, algorithm == CollectiveAlgorithm::kRing ? kRanks - 1 : kHosts - 1);
      const std::uint64_t whole = traffic_of(kind, algorithm, 0).bytes_between_hosts();
      for (std::uint32_t steps = 1; steps <= all; ++steps) {
        const Traffic part = traffic_of(kind, algorithm, steps);
        EXPECT_EQ(part.bytes_between_hosts() * all, whole * steps) << to_string(kind) << ' ' << to_string(algorithm);
        EXPECT_EQ(part.sent, part.received) << to_string(kind) << ' ' << to_string(algorithm) << ' ' << steps;
      }
    }
  }
}

TEST(RingSteps, OtherAlgorithmsHaveNone) {
  const MemberLayout layout = two_gpus_a_host();
  EXPECT_EQ(ring_steps_of(CollectiveKind::kAllToAll, CollectiveAlgorithm::kDirect, layout), 0U);
  EXPECT_EQ(ring_steps_of(CollectiveKind::kAllReduce, CollectiveAlgorithm::kTree, layout), 0U);
  EXPECT_EQ(ring_steps_of(CollectiveKind::kBroadcast, CollectiveAlgorithm::kRing, layout), 0U);
}

// Every member sends its part to so many others and takes theirs, and what a shorter sample does is the beginning of
// what a longer one does.
TEST(ExchangeSteps, SomeOfThemAreTheBeginningOfMoreAndBothEndsAgree) {
  for (const CollectiveKind kind : {CollectiveKind::kAllReduce, CollectiveKind::kReduceScatter,
                                    CollectiveKind::kAllGather, CollectiveKind::kAllToAll}) {
    const auto all = exchange_steps_of({.kind = kind, .algorithm = CollectiveAlgorithm::kDirect}, kRanks);
    ASSERT_EQ(all, kRanks - 1);
    const Traffic whole = traffic_of(kind, CollectiveAlgorithm::kDirect, 0);
    Edges shorter;
    for (std::uint32_t steps = 1; steps <= all; ++steps) {
      const Traffic part = traffic_of(kind, CollectiveAlgorithm::kDirect, steps);
      EXPECT_EQ(part.sent, part.received) << to_string(kind) << ' ' << steps;
      EXPECT_EQ(part.sent.size() * all, whole.sent.size() * steps) << to_string(kind) << ' ' << steps;
      for (const auto& [edge, chunks] : part.sent) {
        ASSERT_TRUE(whole.sent.contains(edge)) << to_string(kind) << ' ' << steps;
        EXPECT_EQ(chunks, whole.sent.at(edge)) << to_string(kind) << ' ' << steps;
      }
      for (const auto& [edge, chunks] : shorter) {
        EXPECT_TRUE(part.sent.contains(edge)) << to_string(kind) << ' ' << steps;
      }
      shorter = part.sent;
    }
  }
}

// Of 15 distances, four that follow one another would be all on one side.
TEST(ExchangeSteps, AFewOfThemAreNotNeighbours) {
  std::vector<std::uint32_t> distances;
  for (const auto& [edge, chunks] : traffic_of(CollectiveKind::kAllGather, CollectiveAlgorithm::kDirect, 4).sent) {
    if (std::get<0>(edge) == 0) {
      distances.push_back(std::get<1>(edge));
    }
  }
  ASSERT_EQ(distances.size(), 4U);
  EXPECT_LT(distances.front(), kRanks / 2);
  EXPECT_GT(distances.back(), kRanks / 2);
}

TEST(ExchangeSteps, OtherOperationsHaveNone) {
  EXPECT_EQ(exchange_steps_of({.kind = CollectiveKind::kAllGather, .algorithm = CollectiveAlgorithm::kRing}, 8), 0U);
  EXPECT_EQ(exchange_steps_of({.kind = CollectiveKind::kSend, .algorithm = CollectiveAlgorithm::kDirect}, 8), 0U);
  EXPECT_EQ(exchange_steps_of({.kind = CollectiveKind::kBarrier, .algorithm = CollectiveAlgorithm::kDirect}, 8), 0U);
}

}  // namespace
}  // namespace weft::workload
