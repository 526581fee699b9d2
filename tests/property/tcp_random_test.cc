// TCP over networks that lose, double, reorder, damage and mark, with random settings on both ends.
#include <gtest/gtest.h>

#include "tests/property/seeds.h"
#include "tests/property/tcp_pair.h"
#include "transport/congestion/cubic.h"
#include "transport/congestion/dctcp.h"
#include "transport/congestion/new_reno.h"

namespace weft::testing {
namespace {

using namespace weft::transport;

std::unique_ptr<TcpCongestionControl> control_of(std::uint64_t kind) {
  switch (kind) {
    case 0:
      return std::make_unique<NewReno>();
    case 1:
      return std::make_unique<Cubic>();
    case 2:
      return std::make_unique<Dctcp>();
    default:
      return nullptr;
  }
}

Probability percent(std::uint64_t of) { return Probability::from_ratio({.numerator = of, .denominator = 100}); }

struct Case {
  TcpPair::Options options;
  std::array<std::unique_ptr<TcpCongestionControl>, 2> controls;
};

TcpOptions random_tcp(RandomStream& random, std::uint64_t seed) {
  TcpOptions tcp;
  tcp.seed = seed;
  const std::uint16_t sizes[] = {64, 100, 536, 1'460, 8'960};
  tcp.mss = sizes[random.uniform(5)];
  tcp.receive_buffer = Bytes(static_cast<std::int64_t>(tcp.mss + random.uniform(tcp.mss * 60U)));
  tcp.timestamps = random.uniform(4) != 0;
  tcp.selective_acks = random.uniform(4) != 0;
  tcp.window_scaling = random.uniform(4) != 0;
  tcp.loss_detection = random.uniform(3) == 0 ? TcpLossDetection::kDuplicateAcks : TcpLossDetection::kRack;
  tcp.nagle = random.uniform(4) == 0 ? TcpNagle::kOn : TcpNagle::kOff;
  tcp.pacing = random.uniform(3) == 0 ? TcpPacing::kWindow : TcpPacing::kOff;
  tcp.delayed_ack.every = static_cast<std::uint8_t>(1 + random.uniform(3));
  tcp.delayed_ack.push = random.uniform(2) == 0 ? TcpDelayedAck::Push::kAtOnce : TcpDelayedAck::Push::kAsOthers;
  tcp.minimum_rto = Duration::microseconds(random.uniform(2) == 0 ? 1'000 : 200'000);
  tcp.max_gaps = static_cast<std::uint16_t>(1 + random.uniform(40));
  tcp.max_segments = static_cast<std::uint32_t>(4 + random.uniform(400));
  tcp.retries = 60;
  tcp.syn_retries = 60;
  tcp.maximum_rto = Duration::seconds(2);
  tcp.time_wait =
      Duration::seconds(300);  // much longer than the timeouts of a peer that loses its last acknowledgements
  return tcp;
}

Case random_case(std::uint64_t seed) {
  RandomStream random(seed, "tcp case");
  Case made;
  TcpPair::Options& options = made.options;
  options.seed = seed;
  options.opening = static_cast<Opening>(random.uniform(3));
  options.reading = random.uniform(3) == 0 ? Reading::kLate : Reading::kAtOnce;
  const TcpEcn ecn = static_cast<TcpEcn>(random.uniform(3));
  TcpOptions shared = random_tcp(random, seed);
  for (std::size_t end = 0; end < 2; ++end) {
    // Ends that are established without packets must offer the same.
    TcpOptions& tcp = options.tcp[end];
    tcp = options.opening == Opening::kEstablish ? shared : random_tcp(random, seed);
    tcp.ecn = ecn;
    made.controls[end] = control_of(random.uniform(4));
    tcp.congestion_control = made.controls[end].get();
    StreamProgram::Plan& plan = options.plans[end];
    plan.to_write = random.uniform(4) == 0 ? 0 : random.uniform(random.uniform(8) == 0 ? 400'000 : 40'000);
    plan.write_size = random.uniform(2) == 0 ? 0 : 1 + random.uniform(5'000);
    plan.frame = random.uniform(2) == 0 ? 0 : 1 + random.uniform(2'000);
  }
  options.faults.loss = percent(random.uniform(3) == 0 ? 0 : random.uniform(16));
  options.faults.duplication = percent(random.uniform(2) == 0 ? 0 : random.uniform(10));
  options.faults.reordering = percent(random.uniform(2) == 0 ? 0 : random.uniform(40));
  options.faults.corruption = percent(random.uniform(2) == 0 ? 0 : random.uniform(5));
  options.faults.marking = percent(random.uniform(2) == 0 ? 0 : random.uniform(30));
  options.faults.reorder_delay = Duration::microseconds(static_cast<std::int64_t>(1 + random.uniform(400)));
  options.start = Duration::microseconds(static_cast<std::int64_t>(random.uniform(10'000'000'000)));
  return made;
}

void expect_all_delivered(TcpPair& pair) {
  for (int end = 0; end < 2; ++end) {
    const StreamProgram& program = pair.program(end);
    EXPECT_EQ(program.received(), program.plan().expected) << "end " << end;
    EXPECT_EQ(program.wrong(), 0U) << "end " << end;
    EXPECT_EQ(program.twice(), 0U) << "end " << end;
    EXPECT_EQ(pair.connection(end).failure(), TcpFailure::kNone) << "end " << end;
    EXPECT_EQ(pair.connection(end).state(), TcpState::kClosed) << "end " << end;
    EXPECT_EQ(pair.connection(end).acknowledged(), program.plan().to_write) << "end " << end;
    EXPECT_TRUE(pair.connection(end).peer_closed()) << "end " << end;
  }
}

TEST(TcpRandom, EveryByteArrivesOnceAndBothEndsClose) {
  for_each_seed(400, [](std::uint64_t seed) {
    const Case made = random_case(seed);
    TcpPair pair(made.options);
    ASSERT_TRUE(pair.run()) << "it hangs";
    expect_all_delivered(pair);
  });
}

TEST(TcpRandom, ARunWithLengthsAloneSendsTheSameSegments) {
  for_each_seed(60, [](std::uint64_t seed) {
    std::vector<std::string> logs[2];
    for (const bool bytes : {true, false}) {
      Case made = random_case(seed);
      made.options.carries_bytes = bytes;
      TcpPair pair(made.options);
      pair.keep_log();
      ASSERT_TRUE(pair.run());
      logs[bytes ? 0 : 1] = pair.log();
    }
    EXPECT_EQ(logs[0], logs[1]);
  });
}

}  // namespace
}  // namespace weft::testing
