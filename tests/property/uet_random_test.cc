// Random traffic over Ultra Ethernet on a faulty network: delivered exactly once, intact and in order, and all contexts
// freed in the end.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/property/rc_traffic.h"
#include "tests/property/seeds.h"
#include "tests/property/uet_pair.h"
#include "transport/congestion/nscc.h"
#include "transport/path/reps_path.h"
#include "transport/path/round_robin_path.h"

namespace weft::testing {
namespace {

Probability permille(RandomStream& random, std::uint64_t most) {
  return Probability::from_ratio({.numerator = random.uniform(most + 1), .denominator = 1000});
}

UetPairOptions draw_uet_options(std::uint64_t seed) {
  RandomStream random(seed, "options");
  UetPairOptions options;
  options.seed = seed;
  options.memory_bytes = RcTraffic::kMemoryBytes;
  options.mtu = static_cast<verbs::PathMtu>(256 << random.uniform(5));
  options.encapsulation =
      static_cast<wire::Encapsulation>(static_cast<unsigned>(wire::Encapsulation::kUetUdpIpv4) + random.uniform(4));
  options.first_psn = Psn(static_cast<std::uint32_t>(random.uniform(3) == 0 ? random.next() : 0xFFF8));
  options.max_rd_atomic = static_cast<std::uint8_t>(1 + random.uniform(8));
  options.shared_receive_queue = random.uniform(4) == 0;
  options.uet.secure_start =
      random.uniform(3) == 0 ? transport::SecureStart::kOneRtt : transport::SecureStart::kZeroRtt;
  options.uet.psn_window = 128U << random.uniform(4);
  options.uet.ack_every = Bytes(static_cast<std::int64_t>(1 + random.uniform(20'000)));
  options.uet.timeout = Duration::microseconds(60);
  options.uet.max_timeout = Duration::microseconds(400);
  options.uet.max_retries = 60;
  options.uet.idle_close = Duration::microseconds(static_cast<std::int64_t>(20 + random.uniform(400)));
  options.uet.probe_after = random.uniform(3) == 0 ? Duration::microseconds(30) : Duration::zero();
  options.uet.max_messages = static_cast<std::uint16_t>(4 + random.uniform(60));
  options.uet.max_responses = static_cast<std::uint16_t>(1 + random.uniform(8));
  options.uet.trimming = random.uniform(2) == 0;
  options.trimming = permille(random, 100);
  Faults& faults = options.faults;
  faults.loss = permille(random, 80);
  faults.duplication = permille(random, 50);
  faults.corruption = permille(random, 30);
  faults.marking = permille(random, 100);
  if (random.uniform(2) == 0)
    faults.reordering = permille(random, 500);
  options.as_bytes = random.uniform(2) == 0;
  options.uet.full_headers = random.uniform(2) == 0;
  if (random.uniform(2) == 0) {
    options.policies.path_selector = [](std::uint64_t) {
      return std::make_unique<transport::RoundRobinPath>(transport::RoundRobinPath::Range{.base = 0xC000, .paths = 16});
    };
  }
  return options;
}

void run_uet_seed(const UetPairOptions& options) {
  UetPair pair(options);
  RcTraffic traffic(pair,
                    {.seed = options.seed, .messages = RcTraffic::kSlots, .late_receives = options.seed % 3 == 0});
  ASSERT_TRUE(traffic.run()) << "the network does not come to rest";
  EXPECT_EQ(traffic.verify(), "");
  EXPECT_EQ(pair.live_contexts(), 0U);
}

TEST(UetRandom, UnorderedDeliveryIsExactlyOnceUnderFaults) {
  for_each_seed(10'000, [](std::uint64_t seed) { run_uet_seed(draw_uet_options(seed)); });
}

TEST(UetRandom, OrderedDeliveryIsExactlyOnceUnderFaults) {
  for_each_seed(10'000, [](std::uint64_t seed) {
    UetPairOptions options = draw_uet_options(seed);
    options.uet.mode = transport::UetMode::kRod;
    run_uet_seed(options);
  });
}

// What one packet looked like when it left.
struct UetDeparture {
  int from = 0;
  Time when;
  wire::Packet packet;
};

struct UetOutcome {
  std::vector<UetDeparture> departures;
  std::vector<verbs::WorkCompletion> completions;
};

verbs::SendWr draw_request(RandomStream& random) {
  constexpr std::array kOperations = {verbs::WrOpcode::kRdmaWrite, verbs::WrOpcode::kRdmaWrite,
                                      verbs::WrOpcode::kRdmaWrite, verbs::WrOpcode::kRdmaWriteWithImm,
                                      verbs::WrOpcode::kSend,      verbs::WrOpcode::kRdmaRead};
  verbs::SendWr request;
  request.opcode = kOperations[random.uniform(kOperations.size())];
  request.send_flags = random.uniform(2) == 0 ? std::uint8_t{verbs::kSendSignaled} : std::uint8_t{0};
  return request;
}

// Two queue pairs a side, which share contexts; in the middle of it all a region comes, and goes again.
UetOutcome outcome_of(const UetPairOptions& options) {
  constexpr std::uint32_t kMost = 60'000;
  UetOutcome outcome;
  UetPair pair(options);
  pair.set_filter([&](int from, const wire::Packet& packet) {
    outcome.departures.push_back({from, pair.now(), packet});
    return false;
  });
  std::array<std::array<Qpn, 2>, 2> numbers{};
  for (std::size_t i = 0; i < 2; ++i)
    numbers[i] = {pair.side(static_cast<int>(i)).qpn, pair.side(static_cast<int>(i)).make_queue_pair(options)};
  pair.side(0).connect(numbers[0][1], pair.side(1), numbers[1][1], options);
  pair.side(1).connect(numbers[1][1], pair.side(0), numbers[0][1], options);
  RandomStream random(options.seed, "requests");
  for (std::uint64_t i = 0; i < 24; ++i) {
    const auto from = static_cast<int>(random.uniform(2));
    const std::size_t which = random.uniform(2);
    UetSide& to = pair.side(1 - from);
    const verbs::Sge room{.address = TrafficEnds::kBase, .length = kMost, .lkey = to.key};
    const verbs::RecvWr receive{.wr_id = i, .sg_list = std::span(&room, 1)};
    EXPECT_TRUE(to.srq.is_valid() ? to.device.post_srq_recv(to.srq, receive)
                                  : to.device.post_recv(numbers[static_cast<std::size_t>(1 - from)][which], receive));
    verbs::SendWr request = draw_request(random);
    const verbs::Sge element{.address = TrafficEnds::kBase,
                             .length = static_cast<std::uint32_t>(random.uniform(kMost)),
                             .lkey = pair.side(from).key};
    request.wr_id = i;
    request.sg_list = std::span(&element, 1);
    request.rdma = {TrafficEnds::kBase, to.key};
    pair.side(from).device.advance_to(pair.now());
    EXPECT_TRUE(pair.side(from).device.post_send(numbers[static_cast<std::size_t>(from)][which], request));
    pair.run_until(pair.now() + Duration::nanoseconds(static_cast<std::int64_t>(random.uniform(3'000))));
    if (random.uniform(4) == 0) {
      const auto key = to.device.reg_mr({.pd = to.pd, .address = 0x1000, .length = 64, .access = verbs::kAccessAll});
      EXPECT_TRUE(random.uniform(2) == 0 || to.device.dereg_mr(*key));
    }
  }
  EXPECT_TRUE(pair.run());
  for (int side = 0; side < 2; ++side) {
    for (const verbs::CqHandle cq : {pair.side(side).send_cq, pair.side(side).recv_cq}) {
      for (const verbs::WorkCompletion& completion : pair.side(side).drain(cq))
        outcome.completions.push_back(completion);
    }
  }
  return outcome;
}

void draw_policies(UetPairOptions& options) {
  static const transport::NsccParameters parameters =
      transport::nscc_parameters({.round_trip = Duration::microseconds(4),
                                  .line = Rate::bits_per_second(100'000'000'000),
                                  .packet = Bytes(4202),
                                  .payload = Bytes(4096)});
  RandomStream random(options.seed, "policies");
  if (random.uniform(4) != 0) {
    options.policies.congestion_control = [] {
      return std::make_unique<transport::Nscc>(parameters,
                                               transport::Nscc::Flow{.round_trip = Duration::microseconds(4)});
    };
  }
  if (random.uniform(2) == 0) {
    options.policies.path_selector = [](std::uint64_t seed) {
      return std::make_unique<transport::RepsPath>(
          transport::RepsPath::Options{.range = {.paths = 8}, .frozen = Duration::microseconds(20)},
          RandomStream(seed, "paths"));
    };
  }
}

// Where bytes travel, every data packet takes the general code; lengths alone may take the fast path.
TEST(UetRandom, FastPathSendsTheSamePackets) {
  for_each_seed(400, [](std::uint64_t seed) {
    UetPairOptions options = draw_uet_options(seed);
    draw_policies(options);
    options.as_bytes = options.uet.full_headers = false;
    options.memory_bytes = 1 << 16;
    if (seed % 2 == 0)
      options.faults.loss = options.faults.corruption = options.trimming = Probability::zero();
    const UetOutcome general = outcome_of(options);
    options.lengths_only = true;
    const UetOutcome fast = outcome_of(options);
    ASSERT_EQ(general.departures.size(), fast.departures.size());
    for (std::size_t i = 0; i < fast.departures.size(); ++i) {
      ASSERT_EQ(general.departures[i].from, fast.departures[i].from) << "packet " << i;
      ASSERT_EQ(general.departures[i].when, fast.departures[i].when) << "packet " << i;
      ASSERT_EQ(std::memcmp(&general.departures[i].packet, &fast.departures[i].packet, sizeof(wire::Packet)), 0)
          << "packet " << i;
    }
    ASSERT_EQ(general.completions.size(), fast.completions.size());
    for (std::size_t i = 0; i < fast.completions.size(); ++i) {
      ASSERT_EQ(general.completions[i].wr_id, fast.completions[i].wr_id) << "completion " << i;
      ASSERT_EQ(general.completions[i].status, fast.completions[i].status) << "completion " << i;
      ASSERT_EQ(general.completions[i].byte_len, fast.completions[i].byte_len) << "completion " << i;
    }
  });
}

}  // namespace
}  // namespace weft::testing
