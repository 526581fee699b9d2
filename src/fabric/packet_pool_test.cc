#include "fabric/packet_pool.h"

#include <gtest/gtest.h>

#include <string>
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

TEST(PacketPool, GivesPacketsToAnotherProcessWithAllTheirHeaders) {
  PacketPool here;
  PacketPool there;
  const PacketHandle plain = here.allocate();
  here[plain].common.payload_bytes = 1234;
  here[plain].ib.destination_qp = 77;
  const PacketHandle rich = here.allocate();
  here[rich].common.flags = wire::kHasCold;
  wire::ColdPacket cold;
  cold.sack.base = Psn(99);
  cold.sack.set(5);
  here.attach_cold(here[rich], cold);
  std::string first;
  std::string second;
  here.give_away(plain, first);
  here.give_away(rich, second);
  EXPECT_EQ(here.live_count(), 0U);
  EXPECT_EQ(first.size(), sizeof(wire::Packet));
  EXPECT_EQ(second.size(), sizeof(wire::Packet) + sizeof(wire::ColdPacket));
  (void)there.allocate();  // handles differ
  const PacketHandle came = there.take_in(first);
  EXPECT_EQ(there[came].common.payload_bytes, 1234);
  EXPECT_EQ(there[came].ib.destination_qp, 77U);
  const PacketHandle came_too = there.take_in(second);
  EXPECT_EQ(there.cold_of(there[came_too]).sack.base, Psn(99));
  EXPECT_TRUE(there.cold_of(there[came_too]).sack.test(5));
}

}  // namespace
}  // namespace weft::fabric
