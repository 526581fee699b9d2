#include "workload/collective/idle_edges.h"

#include <gtest/gtest.h>

namespace weft::workload {
namespace {

constexpr IdleEdges::Place place(std::uint32_t slot, std::uint32_t peer) {
  return {.communicator = CommunicatorId(1), .slot = slot, .peer = MemberIndex(peer)};
}

TEST(IdleEdges, GiveBackOnceWhatWasPutThere) {
  IdleEdges edges;
  const IdleEdge edge{.sent = 5, .credits = 12, .taken = 3, .returned = 2};
  edges.put(place(0, 7), 8, edge);
  EXPECT_EQ(edges.take(place(0, 6)), std::nullopt);
  EXPECT_EQ(edges.take(place(1, 7)), std::nullopt);
  EXPECT_EQ(edges.take(place(0, 7)), edge);
  EXPECT_EQ(edges.take(place(0, 7)), std::nullopt);
}

TEST(IdleEdges, Take16BytesForEachMember) {
  IdleEdges edges;
  constexpr std::uint32_t kMembers = 1'000;
  for (std::uint32_t peer = 0; peer < kMembers; ++peer)
    edges.put(place(0, peer), kMembers, {.sent = 1});
  EXPECT_EQ(edges.heap_bytes(), 16 * kMembers);
}

}  // namespace
}  // namespace weft::workload
