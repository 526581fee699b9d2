// What becomes of a packet that finds no room: limits of single queues, packet trimming, marks at the end of a
// transmission, and frames without a gap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr Cable kFast{100_gbps, 100_ns};
constexpr Cable kSlow{25_gbps, 100_ns};
constexpr Cable kOdd{37_gbps, 100_ns};
constexpr std::uint16_t kFrame = 4158;
constexpr std::uint8_t kData = 2;
constexpr std::uint8_t kTrimmedClass = 6;

/// A queue of so many frames for data, one twice as large and strict for what is trimmed.
EthernetOptions trimming_options(std::int64_t frames, TrimmingOptions::Victim victim) {
  EthernetOptions options;
  EthernetPortOptions& port = options.ports[0];
  port.priorities[kData].egress_limit = Bytes(frames * kFrame);
  port.priorities[kData].dwrr_weight = 1;
  port.priorities[kTrimmedClass].egress_limit = Bytes(2 * frames * kFrame);
  port.trimming =
      TrimmingOptions{.size = Bytes(96), .priority = kTrimmedClass, .dscp = 11, .last_dscp = 13, .victim = victim};
  return options;
}

Load data_to(std::uint32_t to, std::uint64_t count, std::uint8_t flags = wire::kTrimmable) {
  return {.to = EndpointId(to), .count = count, .frame_bytes = kFrame, .priority = kData, .flags = flags};
}

std::vector<Delivery> only(const std::vector<Delivery>& deliveries, wire::PacketFlag flag) {
  std::vector<Delivery> chosen;
  std::ranges::copy_if(deliveries, std::back_inserter(chosen),
                       [&](const Delivery& delivery) { return (delivery.common.flags & flag) != 0; });
  return chosen;
}

TEST(Trimming, WhatFindsNoRoomArrivesWithoutItsPayload) {
  World world(star({kFast, kSlow}), trimming_options(4, TrimmingOptions::Victim::kNewcomer));
  world.send(0, data_to(1, 40));
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world[1].received.size(), 40U);
  EXPECT_EQ(world.fabric->drops().total(), 0U);
  const std::vector<Delivery> cut = only(world[1].received, wire::kTrimmed);
  ASSERT_GT(cut.size(), 10U);
  for (const Delivery& delivery : cut) {
    EXPECT_EQ(delivery.common.frame_bytes, 96);
    EXPECT_EQ(delivery.common.wire_bytes, 96 + wire::kEthernetGapBytes);
    EXPECT_EQ(delivery.common.payload_bytes, 0);
    EXPECT_EQ(delivery.common.priority, kTrimmedClass);
    EXPECT_EQ(delivery.common.traffic_class, 13);
    EXPECT_NE(delivery.common.flags & wire::kTrimmedLastHop, 0);
  }
  const PortCounters counters = world.fabric->port_counters(world.switch_port(1), world.kernel.now());
  EXPECT_EQ(counters.trimmed, cut.size());
  EXPECT_EQ(counters.trimmed_bytes, cut.size() * (kFrame - 96U));
  EXPECT_EQ(counters.drops, 0U);
}

// Of the packets from the way in, packet i is complete at (i + 1) * in; the one on the wire counts to the limit.
TEST(Trimming, TheLimitCountsTheNewcomerAndWhatIsOnTheWire) {
  constexpr int kPackets = 60;
  for (const std::int64_t limit : {1, 3, 7}) {
    World world(star({kFast, kSlow}), trimming_options(limit, TrimmingOptions::Victim::kNewcomer));
    world.send(0, data_to(1, kPackets));
    world.run();
    const Duration in = wire_time(kFast.rate, kFrame);
    const Duration whole = wire_time(kSlow.rate, kFrame);
    const Duration headers = wire_time(kSlow.rate, 96);
    // By hand: strict headers, then data; a packet is on the wire from its start to its end.
    std::int64_t waiting = 0;
    std::int64_t headers_waiting = 0;
    bool data_on_wire = false;
    Duration free;
    std::uint32_t cut = 0;
    for (int i = 0; i < kPackets; ++i) {
      const Duration comes = in * (i + 1);
      while (waiting + headers_waiting > 0 && free <= comes) {
        data_on_wire = headers_waiting == 0;
        (headers_waiting > 0 ? headers_waiting : waiting) -= 1;
        free += data_on_wire ? whole : headers;
      }
      const bool busy = free > comes;
      if (!busy) {
        free = comes + whole;
        data_on_wire = true;
      } else if (waiting + (data_on_wire ? 1 : 0) + 1 <= limit) {
        ++waiting;
      } else {
        ++cut;
        ++headers_waiting;
      }
    }
    EXPECT_EQ(only(world[1].received, wire::kTrimmed).size(), cut) << limit;
    EXPECT_GT(cut, 0U);
  }
}

TEST(Trimming, HeadersOvertakeTheDataThatFilledTheQueue) {
  World world(star({kFast, kSlow}), trimming_options(8, TrimmingOptions::Victim::kNewcomer));
  world.send(0, data_to(1, 20));
  world.run();
  const std::vector<Delivery>& received = world[1].received;
  const auto first_cut = std::ranges::find_if(
      received, [](const Delivery& delivery) { return (delivery.common.flags & wire::kTrimmed) != 0; });
  ASSERT_NE(first_cut, received.end());
  // Its predecessors in the queue are still to come.
  EXPECT_LT(first_cut - received.begin(), static_cast<std::ptrdiff_t>(first_cut->number));
}

TEST(Trimming, APacketThatMayNotBeCutIsDropped) {
  for (const std::uint8_t flags : {std::uint8_t{0}, std::uint8_t{wire::kTrimmable | wire::kTrimmed}}) {
    World world(star({kFast, kSlow}), trimming_options(4, TrimmingOptions::Victim::kCoin));
    world.send(0, data_to(1, 40, flags));
    ASSERT_EQ(world.run_checked(), "");
    EXPECT_GT(world.fabric->drops().buffer_full, 0U);
    EXPECT_EQ(world.delivered() + world.fabric->drops().total(), 40U);
    EXPECT_EQ(world.fabric->port_counters(world.switch_port(1), Time::zero()).trimmed, 0U);
  }
}

TEST(Trimming, APacketNoLargerThanTheRestIsDropped) {
  EthernetOptions options = trimming_options(1, TrimmingOptions::Victim::kNewcomer);
  options.ports[0].priorities[kData].egress_limit = Bytes(200);
  World world(star({kFast, kSlow}), options);
  Load small = data_to(1, 40);
  small.frame_bytes = 96;
  world.send(0, small);
  world.run();
  EXPECT_GT(world.fabric->drops().buffer_full, 0U);
  EXPECT_TRUE(only(world[1].received, wire::kTrimmed).empty());
}

TEST(Trimming, InsideTheNetworkTheMarkIsTheOther) {
  World world(chain({kFast, kSlow, kSlow}), trimming_options(4, TrimmingOptions::Victim::kNewcomer));
  world.send(0, data_to(1, 40));
  ASSERT_EQ(world.run_checked(), "");
  const std::vector<Delivery> cut = only(world[1].received, wire::kTrimmed);
  ASSERT_FALSE(cut.empty());
  for (const Delivery& delivery : cut) {
    EXPECT_EQ(delivery.common.traffic_class, 11);
    EXPECT_EQ(delivery.common.flags & wire::kTrimmedLastHop, 0);
  }
}

TEST(Trimming, TheQueueOfHeadersHasALimitOfItsOwn) {
  EthernetOptions options = trimming_options(2, TrimmingOptions::Victim::kNewcomer);
  options.ports[0].priorities[kTrimmedClass].egress_limit = Bytes(2 * 96);
  World world(star({{400_gbps, 100_ns}, {1_gbps, 100_ns}}), options);
  world.send(0, data_to(1, 100));
  ASSERT_EQ(world.run_checked(), "");
  const std::uint64_t cut = world.fabric->port_counters(world.switch_port(1), Time::zero()).trimmed;
  EXPECT_GT(world.fabric->drops().buffer_full, 0U);
  EXPECT_EQ(only(world[1].received, wire::kTrimmed).size() + world.fabric->drops().buffer_full, cut);
  EXPECT_EQ(world.delivered() + world.fabric->drops().total(), 100U);
}

TEST(Trimming, WithAWeightHeadersTakeTheirShareAndNoMore) {
  EthernetOptions options = trimming_options(4, TrimmingOptions::Victim::kNewcomer);
  options.ports[0].priorities[kTrimmedClass].dwrr_weight = 1;
  options.ports[0].priorities[kData].dwrr_weight = 3;
  World world(star({kFast, kFast, kFast, {10_gbps, 100_ns}}), options);
  for (std::uint32_t i = 0; i < 3; ++i) {
    world.send(i, data_to(3, 3000));
  }
  world.run();
  std::uint64_t whole = 0;
  std::uint64_t headers = 0;
  for (const Delivery& delivery : world[3].received) {
    if (delivery.at > Time::zero() + 700_us) {
      break;  // senders are done after about 1 ms
    }
    ((delivery.common.flags & wire::kTrimmed) != 0 ? headers : whole) += delivery.common.frame_bytes;
  }
  ASSERT_GT(headers, 20'000U);
  EXPECT_NEAR(static_cast<double>(headers) / static_cast<double>(whole), 1.0 / 3.0, 0.05);
}

// One packet on the wire, one in the queue, one that comes: the coin falls between the last two.
TEST(Trimming, TheCoinFallsAgainstTheQueuedOneInHalfOfTheCases) {
  constexpr int kRuns = 400;
  int queued = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    World world(star({kFast, kSlow}), trimming_options(2, TrimmingOptions::Victim::kCoin), seed);
    world.send(0, data_to(1, 3));
    ASSERT_EQ(world.run_checked(), "");
    const auto cut = only(world[1].received, wire::kTrimmed);
    ASSERT_EQ(cut.size(), 1U);
    ASSERT_GE(cut[0].number, 1U);
    ASSERT_EQ(world.delivered(), 3U);
    queued += cut[0].number == 1 ? 1 : 0;
  }
  EXPECT_NEAR(queued, kRuns / 2, 50);  // five standard deviations
}

TEST(Trimming, WithTheCoinNothingIsLostOrCutTwice) {
  World world(star({kFast, kFast, kSlow}), trimming_options(10, TrimmingOptions::Victim::kCoin));
  world.send(0, data_to(2, 1000));
  world.send(1, data_to(2, 1000));
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world.delivered(), 2000U);
  EXPECT_EQ(world.fabric->drops().total(), 0U);
  EXPECT_EQ(world.fabric->port_counters(world.switch_port(2), Time::zero()).trimmed,
            only(world[2].received, wire::kTrimmed).size());
}

TEST(Trimming, ThePacketsOfATailThatMayNotBeCutStay) {
  World world(star({kFast, kFast, kSlow}), trimming_options(6, TrimmingOptions::Victim::kCoin));
  world.send(0, data_to(2, 300, 0));
  world.send(1, data_to(2, 300));
  ASSERT_EQ(world.run_checked(), "");
  for (const Delivery& delivery : world[2].received) {
    EXPECT_TRUE(delivery.from == EndpointId(1) || (delivery.common.flags & wire::kTrimmed) == 0);
  }
  EXPECT_EQ(world.delivered() + world.fabric->drops().total(), 600U);
}

TEST(Trimming, AFullSharedBufferCutsToo) {
  EthernetOptions options;
  options.switches[0].buffer = Bytes(100'000);
  options.ports[0].priorities[kTrimmedClass].reserve = Bytes(10'000);
  options.ports[0].trimming = TrimmingOptions{.priority = kTrimmedClass};
  World world(star({kFast, kFast, kSlow}), options);
  world.send(0, data_to(2, 200));
  world.send(1, data_to(2, 200));
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world.delivered(), 400U);
  EXPECT_EQ(world.fabric->drops().total(), 0U);
  EXPECT_GT(only(world[2].received, wire::kTrimmed).size(), 100U);
}

TEST(Trimming, TheSameSeedCutsTheSamePackets) {
  const auto run = [](std::uint64_t seed) {
    World world(star({kFast, kFast, kSlow}), trimming_options(10, TrimmingOptions::Victim::kCoin), seed);
    world.send(0, data_to(2, 500));
    world.run();
    std::vector<std::uint32_t> numbers;
    for (const Delivery& delivery : only(world[2].received, wire::kTrimmed)) {
      numbers.push_back(delivery.number);
    }
    return numbers;
  };
  EXPECT_EQ(run(3), run(3));
  EXPECT_NE(run(3), run(4));
}

// docs/decisions/0039: at the end of a transmission the packet itself counts no more, and what came meanwhile does.
TEST(EthernetMarking, AtTheEndOfATransmissionTheDepthIsWhatWaitsThen) {
  constexpr int kPackets = 40;
  for (const std::int64_t frames : {0, 1, 3, 10}) {
    EthernetOptions options;
    options.ports[0].ecn_decision = EcnDecision::kEnd;
    options.ports[0].priorities[kData].ecn =
        RedOptions{Bytes(frames * kFrame), Bytes(frames * kFrame), Probability::one()};
    World world(star({kFast, kOdd}), options);
    world.send(0, data_to(1, kPackets));
    world.run();
    const Duration in = wire_time(kFast.rate, kFrame);
    const Duration out = wire_time(kOdd.rate, kFrame);
    std::vector<bool> expected;
    Duration ends;
    for (int i = 0; i < kPackets; ++i) {
      ends = std::max(ends, in * (i + 1)) + out;
      // In a tie of an end and an arrival either may be first: the numbers are chosen so that there is none.
      ASSERT_NE(ends % in, Duration::zero());
      expected.push_back(std::min<std::int64_t>(ends / in, kPackets) - (i + 1) > frames);
    }
    ASSERT_EQ(world[1].received.size(), expected.size());
    for (const Delivery& delivery : world[1].received) {
      EXPECT_EQ(delivery.common.ecn == wire::Ecn::kCe, expected[delivery.number]) << frames << " " << delivery.number;
    }
  }
}

TEST(EthernetForwarding, WithoutAGapAFrameTakesItsOwnBytes) {
  EthernetOptions options;
  options.frame_gap = Bytes::zero();
  World world(star({kFast, kFast}), options);
  world.send(0, {.to = EndpointId(1), .frame_bytes = 4150, .priority = kData});
  world.run();
  ASSERT_EQ(world[1].received.size(), 1U);
  // Stored and forwarded in no time: twice 0.332 us, and the cables.
  EXPECT_EQ(world[1].received[0].at, Time::zero() + 332_ns * 2 + 100_ns * 2);
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
