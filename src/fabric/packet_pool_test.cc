#include "fabric/packet_pool.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::fabric {
namespace {

TEST(PacketPool, ReusesWhatWasReleasedLastAndClearsIt) {
  PacketPool pool;
  const PacketHandle first = pool.allocate();
  const PacketHandle second = pool.allocate();
  pool[first].common.frame_bytes = 77;
  pool.release(second);
  pool.release(first);
  const PacketHandle again = pool.allocate();
  EXPECT_EQ(again, first);
  EXPECT_EQ(pool[again].common.frame_bytes, wire::Packet{}.common.frame_bytes);
  EXPECT_EQ(pool.allocate(), second);
  EXPECT_EQ(pool.live_count(), 2U);
}

TEST(PacketPool, PacketsStayWhereTheyAreAsItGrows) {
  PacketPool pool;
  const PacketHandle first = pool.allocate();
  const wire::Packet* const place = &pool[first];
  std::vector<PacketHandle> others;
  for (int i = 0; i < 100'000; ++i) {
    others.push_back(pool.allocate());
    pool[others.back()].common.flow_hash = static_cast<std::uint32_t>(i);
  }
  EXPECT_EQ(&pool[first], place);
  for (std::uint32_t i = 0; i < others.size(); ++i) {
    ASSERT_EQ(pool[others[i]].common.flow_hash, i);
  }
}

}  // namespace
}  // namespace weft::fabric
