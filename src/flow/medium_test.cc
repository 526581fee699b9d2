// Closed forms of idle paths against a plain simulation of every packet.
#include "flow/medium.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace weft::flow {
namespace {

/// Each packet leaves a hop when it may and the one before it has left.
Duration packet_by_packet(const std::vector<Hop>& hops, const std::vector<Bytes>& packets) {
  std::vector<Duration> ready(packets.size());  // each packet, at the hop
  Duration arrived;
  for (const Hop& hop : hops) {
    Duration free;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const Duration begin = std::max(ready[i], free);
      free = begin + hop.rate.transmit_time(packets[i]);
      ready[i] = begin + packet_time({hop}, packets[i]);
      arrived = free + hop.delay;
    }
  }
  return arrived;
}

std::vector<Hop> alike(std::size_t count, Bytes cut_through) {
  return std::vector<Hop>(
      count,
      {.delay = Duration::nanoseconds(100), .rate = Rate::bits_per_second(10'000'000'000), .cut_through = cut_through});
}

/// The defect: one byte behind a full packet was taken for a packet that waits nowhere, and arrived before it.
TEST(TrainTime, AShortLastPacketWaitsBehindAFullOneAtEverySwitch) {
  const Bytes full(4'096);
  const Bytes rest(1);
  const MessagePackets packets{.data = full + rest, .first = full, .full = full, .last = rest, .other = {}};
  const std::vector<Hop> hops = alike(4, Bytes::zero());
  const Duration of_full = hops[0].rate.transmit_time(full);
  EXPECT_EQ(train_time(hops, packets), (of_full + hops[0].delay) * 4 + hops[0].rate.transmit_time(rest));
  EXPECT_GT(train_time(hops, packets), packet_time(hops, full));
  // What is passed on early waits for no packet's end.
  const std::vector<Hop> early = alike(4, Bytes(64));
  EXPECT_LT(train_time(early, packets), packet_time(hops, full));
}

TEST(TrainTime, PacketsThatSpreadOverTwoSlowerLinksTakeHalfAsLong) {
  const Bytes full(4'000);
  std::vector<Hop> hops(3, {.rate = Rate::bits_per_second(200'000'000'000)});
  hops[1].rate = Rate::bits_per_second(100'000'000'000);
  const MessagePackets packets{.data = full * 1'001, .first = full, .full = full, .last = full, .other = {}};
  const Duration over_one = train_time(hops, packets);
  hops[1].part = 0.5;
  const Duration over_two = train_time(hops, packets);
  EXPECT_EQ(over_one, hops[1].rate.transmit_time(full) * 1'001 + hops[0].rate.transmit_time(full) * 2);
  EXPECT_EQ(over_two, hops[0].rate.transmit_time(full) * 1'002 + hops[1].rate.transmit_time(full));
}

TEST(TrainTime, IsThatOfEveryPacketOverAnyHops) {
  RandomStream random(7, "trains");
  const auto below = [&random](std::int64_t bound) { return random.uniform_between({.low = 0, .high = bound - 1}); };
  for (int i = 0; i < 2'000; ++i) {
    std::vector<Hop> hops;
    for (std::int64_t count = 1 + below(6); count > 0; --count) {
      hops.push_back({.delay = Duration::nanoseconds(below(1'000)),
                      .rate = Rate::bits_per_second(10'000'000'000 * (1 + below(40))),
                      .cut_through = below(2) == 0 ? Bytes::zero() : Bytes(1 + below(300))});
    }
    const Bytes full(500 + below(4'000));
    const Bytes rest(1 + below(full.count()));
    std::vector<Bytes> all(static_cast<std::size_t>(below(20)), full);
    if (!all.empty()) {
      all.front() = full + Bytes(16);  // the first has a header more
    }
    all.push_back(rest);
    MessagePackets packets{
        .data = {}, .first = all.front(), .full = all.size() > 2 ? full : all.front(), .last = rest, .other = {}};
    for (const Bytes packet : all) {
      packets.data = packets.data + packet;
    }
    const Duration expected = packet_by_packet(hops, all);
    const Duration made = train_time(hops, packets);
    // A packet's time is rounded up to a picosecond, that of the train once.
    const Duration rounding = Duration::picoseconds(static_cast<std::int64_t>(all.size() + hops.size()));
    EXPECT_LE(made, expected + rounding) << i;
    EXPECT_GE(made + rounding, expected) << i;
  }
}

}  // namespace
}  // namespace weft::flow
