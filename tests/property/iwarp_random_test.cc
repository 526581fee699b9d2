// Random messages over iWARP and over kernel TCP on a faulty network: delivered exactly once, intact and in order; and
// the same run with lengths alone.
#include <gtest/gtest.h>

#include "tests/property/seeds.h"
#include "tests/property/stream_traffic.h"

namespace weft::testing {
namespace {

using transport::IwarpOptions;
using transport::StreamStart;

Probability percent(RandomStream& random, std::uint64_t most) {
  return Probability::from_ratio({.numerator = random.uniform(most * 10 + 1), .denominator = 1000});
}

Faults random_faults(RandomStream& random) {
  return {.loss = percent(random, 8),
          .duplication = percent(random, 5),
          .reordering = percent(random, 20),
          .corruption = percent(random, 3)};
}

StreamPairOptions random_options(StreamKind kind, std::uint64_t seed) {
  RandomStream random(seed, "stream pair options");
  StreamPairOptions options;
  options.kind = kind;
  options.seed = seed;
  options.memory_bytes = StreamTraffic::kMemoryBytes;
  options.faults = random_faults(random);
  options.max_rd_atomic = static_cast<std::uint8_t>(1 + random.uniform(4));
  options.max_dest_rd_atomic = options.max_rd_atomic;
  options.shared_receive_queue = random.uniform(4) == 0;
  const StreamStart start = random.uniform(2) == 0 ? StreamStart::kEstablished : StreamStart::kOnTheWire;
  const bool markers = random.uniform(3) == 0;
  const bool crc = random.uniform(3) != 0;
  static constexpr std::uint16_t kSizes[] = {1460, 8960, 536, 200};
  const std::uint16_t mss = kSizes[random.uniform(4)];
  const std::int64_t buffer = random.uniform(3) == 0 ? 20'000 : 4'194'304;
  for (IwarpOptions& end : options.ends) {
    end.start = start;
    end.tcp.mss = mss;
    end.tcp.minimum_rto = Duration::microseconds(500);
    end.tcp.initial_rto = Duration::milliseconds(1);
    end.tcp.receive_buffer = Bytes(buffer);
    end.tcp.delayed_ack.longest = Duration::microseconds(200);
    end.send_buffer = Bytes(static_cast<std::int64_t>(1 + random.uniform(100'000)));
    // Without an exchange on the wire both ends must ask for the same.
    end.markers = start == StreamStart::kEstablished ? markers : random.uniform(2) == 0;
    end.crc = start == StreamStart::kEstablished ? crc : random.uniform(2) == 0;
    end.early_placement = random.uniform(4) != 0;
    end.rtr = static_cast<wire::MpaRtr>(1 + random.uniform(3));
  }
  return options;
}

void run_one(const StreamPairOptions& options, bool late) {
  StreamPair pair(options);
  StreamTraffic traffic(pair, options.kind, {.seed = options.seed, .messages = 20, .late_receives = late});
  ASSERT_TRUE(traffic.run()) << "hangs";
  EXPECT_EQ(traffic.verify(), "");
}

TEST(IwarpRandom, EveryMessageArrivesOnceIntactAndInOrder) {
  for_each_seed(150, [](std::uint64_t seed) { run_one(random_options(StreamKind::kIwarp, seed), false); });
}

TEST(IwarpRandom, MessagesWaitForLateReceiveRequests) {
  for_each_seed(60, [](std::uint64_t seed) { run_one(random_options(StreamKind::kIwarp, seed + 1000), true); });
}

TEST(TcpMessagesRandom, EveryMessageArrivesOnceIntactAndInOrder) {
  for_each_seed(100, [](std::uint64_t seed) { run_one(random_options(StreamKind::kTcp, seed), false); });
}

TEST(TcpMessagesRandom, MessagesWaitForLateReceiveRequests) {
  for_each_seed(60, [](std::uint64_t seed) { run_one(random_options(StreamKind::kTcp, seed + 1000), true); });
}

/// Corruption apart, which hits bytes: with zeros in their place it may hit others.
void expect_same_with_lengths_alone(StreamKind kind, std::uint64_t seed) {
  std::vector<std::string> segments[2];
  std::vector<std::string> completions[2];
  for (const bool bytes : {true, false}) {
    StreamPairOptions options = random_options(kind, seed);
    options.faults.corruption = Probability{};
    options.carries_bytes = bytes;
    StreamPair pair(options);
    StreamTraffic traffic(pair, kind, {.seed = seed, .messages = 20, .late_receives = seed % 2 == 0});
    ASSERT_TRUE(traffic.run());
    EXPECT_EQ(traffic.verify(), "");
    segments[bytes ? 1 : 0] = pair.log();
    completions[bytes ? 1 : 0] = traffic.completions();
  }
  EXPECT_EQ(segments[0], segments[1]);
  EXPECT_EQ(completions[0], completions[1]);
}

TEST(IwarpRandom, LengthsAloneGiveTheSameSegmentsAndCompletions) {
  for_each_seed(60, [](std::uint64_t seed) { expect_same_with_lengths_alone(StreamKind::kIwarp, seed); });
}

TEST(TcpMessagesRandom, LengthsAloneGiveTheSameSegmentsAndCompletions) {
  for_each_seed(60, [](std::uint64_t seed) { expect_same_with_lengths_alone(StreamKind::kTcp, seed); });
}

}  // namespace
}  // namespace weft::testing
