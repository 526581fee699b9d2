// Random traffic over reliable connections on a faulty network: delivered exactly once, intact and in order.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/property/rc_traffic.h"
#include "tests/property/seeds.h"

namespace weft::testing {
namespace {

Probability percent(RandomStream& random, std::uint64_t most) {
  return Probability::from_ratio({.numerator = random.uniform(most * 10 + 1), .denominator = 1000});
}

RcPairOptions draw_options(std::uint64_t seed) {
  RandomStream random(seed, "options");
  RcPairOptions options;
  options.network.seed = seed;
  options.memory_bytes = RcTraffic::kMemoryBytes;
  options.timeout = 4;  // 65.5 us, above the longest delay
  options.mtu = static_cast<verbs::PathMtu>(1 + random.uniform(5));
  options.encapsulation = static_cast<wire::Encapsulation>(random.uniform(5));
  options.first_psn = Psn(static_cast<std::uint32_t>(random.uniform(3) == 0 ? random.next() : 0xFFFFF0));
  options.max_rd_atomic = static_cast<std::uint8_t>(1 + random.uniform(8));
  options.max_dest_rd_atomic = static_cast<std::uint8_t>(options.max_rd_atomic + random.uniform(3));
  options.shared_receive_queue = random.uniform(4) == 0;
  options.rc.ack_request_interval = static_cast<std::uint16_t>(1 + random.uniform(20));
  options.rc.end_to_end_credits = random.uniform(2) == 0;
  Faults& faults = options.network.faults;
  faults.loss = percent(random, 8);
  faults.duplication = percent(random, 5);
  faults.corruption = percent(random, 3);
  if (random.uniform(2) == 0) {
    faults.reordering = percent(random, 10);
  }
  return options;
}

void run_seed(const RcPairOptions& options) {
  RcPair pair(options);
  RcTraffic traffic(
      pair,
      {.seed = options.network.seed, .messages = RcTraffic::kSlots, .late_receives = options.network.seed % 3 == 0});
  ASSERT_TRUE(traffic.run()) << "the network does not come to rest";
  EXPECT_EQ(traffic.verify(), "");
}

TEST(RcRandom, GoBackNDeliversExactlyOnceUnderFaults) {
  for_each_seed(2'000, [](std::uint64_t seed) { run_seed(draw_options(seed)); });
}

TEST(RcRandom, SelectiveRepeatDeliversExactlyOnceUnderFaults) {
  for_each_seed(1'000, [](std::uint64_t seed) {
    RcPairOptions options = draw_options(seed);
    options.rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
    options.rc.reorder_capacity = static_cast<std::uint8_t>(1 + seed % 100);
    options.rc.reorder_threshold = static_cast<std::uint8_t>(1 + seed % 16);
    run_seed(options);
  });
}

TEST(RcRandom, OutOfOrderPlacementDeliversExactlyOnceUnderFaults) {
  for_each_seed(1'000, [](std::uint64_t seed) {
    RcPairOptions options = draw_options(seed);
    options.rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
    options.rc.out_of_order_placement = true;
    options.rc.reorder_capacity = static_cast<std::uint8_t>(1 + seed % 100);
    options.rc.reorder_threshold = static_cast<std::uint8_t>(1 + seed % 64);
    options.network.faults.reordering = Probability::from_ratio({.numerator = 1, .denominator = 2});
    run_seed(options);
  });
}

// What one packet looked like when it left.
struct Departure {
  int from;
  Time when;
  wire::Packet packet;
};

std::vector<Departure> departures(RcPairOptions options, bool carries_bytes) {
  options.network.carries_bytes = carries_bytes;
  std::vector<Departure> all;
  RcPair pair(options);
  pair.network().set_filter([&](int from, const wire::Packet& packet) {
    all.push_back({from, pair.network().now(), packet});
    return false;
  });
  for (int side = 0; side < 2; ++side) {
    RandomStream random(options.network.seed, side == 0 ? "left" : "right");
    for (std::uint64_t i = 0; i < 6; ++i) {
      const auto length = static_cast<std::uint32_t>(random.uniform(60'000));
      EXPECT_TRUE(pair.side(side).post_recv(i, 0, 60'000));
      const verbs::Sge element = pair.side(side).sge(0, length);
      verbs::SendWr wr;
      wr.wr_id = i;
      wr.opcode = random.uniform(3) == 0 ? verbs::WrOpcode::kSend : verbs::WrOpcode::kRdmaWrite;
      wr.send_flags = random.uniform(2) == 0 ? std::uint8_t{verbs::kSendSignaled} : std::uint8_t{0};
      wr.sg_list = std::span(&element, 1);
      wr.rdma = {RcSide::kBase, pair.side(1 - side).key};
      EXPECT_TRUE(pair.post_send(side, wr));
    }
  }
  EXPECT_TRUE(pair.network().run());
  return all;
}

// Where bytes travel, every packet takes the long way through the engine; lengths alone may take the short one.
TEST(RcRandom, ShortWayThroughTheEngineSendsTheSamePackets) {
  for_each_seed(100, [](std::uint64_t seed) {
    RcPairOptions options = draw_options(seed);
    options.memory_bytes = 1 << 16;
    options.network.faults.corruption = Probability::zero();
    const std::vector<Departure> with_bytes = departures(options, true);
    const std::vector<Departure> lengths = departures(options, false);
    ASSERT_EQ(with_bytes.size(), lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      ASSERT_EQ(with_bytes[i].from, lengths[i].from) << "packet " << i;
      ASSERT_EQ(with_bytes[i].when, lengths[i].when) << "packet " << i;
      ASSERT_EQ(std::memcmp(&with_bytes[i].packet, &lengths[i].packet, sizeof(wire::Packet)), 0) << "packet " << i;
    }
  });
}

}  // namespace
}  // namespace weft::testing
