// The fast path of Ultra Ethernet's engine: it is taken where it should be, and what leaves and completes is what the
// general code alone would have made of the same requests on the same network.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/property/seeds.h"
#include "tests/property/uet_draw.h"
#include "transport/congestion/nscc.h"
#include "transport/path/reps_path.h"

namespace weft::testing {
namespace {

// What one packet looked like when it left.
struct UetDeparture {
  int from = 0;
  Time when;
  wire::Packet packet;
};

struct UetOutcome {
  std::vector<UetDeparture> departures;
  std::vector<verbs::WorkCompletion> completions;
  std::uint64_t slow_sent = 0;
  std::uint64_t slow_received = 0;
};

verbs::SendWr draw_request(RandomStream& random) {
  constexpr std::array kOperations = {
      verbs::WrOpcode::kRdmaWrite, verbs::WrOpcode::kRdmaWrite, verbs::WrOpcode::kRdmaWriteWithImm,
      verbs::WrOpcode::kSend,      verbs::WrOpcode::kSend,      verbs::WrOpcode::kRdmaRead};
  verbs::SendWr request;
  request.opcode = kOperations[random.uniform(kOperations.size())];
  request.send_flags = random.uniform(2) == 0 ? std::uint8_t{verbs::kSendSignaled} : std::uint8_t{0};
  return request;
}

// Where memory goes in the middle of messages, packets with bytes fail at their sender, and lengths alone at the
// receiver.
enum class Memory : std::uint8_t { kStays, kGoes };

// Now and then something happens in the middle of messages that packets have to be asked about: a region comes, and
// goes again; a queue pair fails; the memory of all messages goes.
void disturb(RandomStream& random, UetPair& pair, UetSide& side, Qpn qpn, Memory memory) {
  side.device.advance_to(pair.now());
  if (random.uniform(4) == 0) {
    const auto key = side.device.reg_mr({.pd = side.pd, .address = 0x1000, .length = 64, .access = verbs::kAccessAll});
    EXPECT_TRUE(random.uniform(2) == 0 || side.device.dereg_mr(*key));
  }
  if (random.uniform(64) == 0)
    EXPECT_TRUE(side.device.modify_qp(qpn, {.state = verbs::QpState::kErr}, verbs::kQpState));
  if (random.uniform(64) == 0 && memory == Memory::kGoes)
    (void)side.device.dereg_mr(side.key);  // the second time there is none any more
}

// Two queue pairs a side, which share contexts.
UetOutcome outcome_of(const UetPairOptions& options, Memory memory) {
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
    disturb(random, pair, to, numbers[static_cast<std::size_t>(1 - from)][which], memory);
  }
  // Whoever waits for a request that a failed queue pair has taken with it would wait for ever.
  pair.run_until(pair.now() + Duration::milliseconds(5));
  for (int side = 0; side < 2; ++side) {
    outcome.slow_sent += pair.counters(side).slow_sent;
    outcome.slow_received += pair.counters(side).slow_received;
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

void expect_same(const UetOutcome& general, const UetOutcome& other) {
  ASSERT_EQ(general.departures.size(), other.departures.size());
  for (std::size_t i = 0; i < other.departures.size(); ++i) {
    ASSERT_EQ(general.departures[i].from, other.departures[i].from) << "packet " << i;
    ASSERT_EQ(general.departures[i].when, other.departures[i].when) << "packet " << i;
    ASSERT_EQ(std::memcmp(&general.departures[i].packet, &other.departures[i].packet, sizeof(wire::Packet)), 0)
        << "packet " << i;
  }
  ASSERT_EQ(general.completions.size(), other.completions.size());
  for (std::size_t i = 0; i < other.completions.size(); ++i) {
    ASSERT_EQ(general.completions[i].wr_id, other.completions[i].wr_id) << "completion " << i;
    ASSERT_EQ(general.completions[i].status, other.completions[i].status) << "completion " << i;
    ASSERT_EQ(general.completions[i].byte_len, other.completions[i].byte_len) << "completion " << i;
  }
}

// Whatever travels, packets are the same at the same times: lengths alone with the fast path, without it, and, where
// memory stays, bytes too.
TEST(UetFastPath, SendsTheSamePackets) {
  std::uint64_t packets = 0;
  std::uint64_t slow_sent = 0;
  for_each_seed(400, [&](std::uint64_t seed) {
    UetPairOptions options = draw_uet_options(seed);
    draw_policies(options);
    const Memory memory = seed % 8 == 7 ? Memory::kGoes : Memory::kStays;
    options.as_bytes = options.uet.full_headers = false;
    options.memory_bytes = 1 << 16;
    if (seed % 2 == 0)
      options.faults.loss = options.faults.corruption = options.trimming = Probability::zero();
    options.lengths_only = true;
    const UetOutcome fast = outcome_of(options, memory);
    options.uet.fast_path = false;
    const UetOutcome slow = outcome_of(options, memory);
    expect_same(slow, fast);
    options.lengths_only = false;
    if (memory == Memory::kStays)
      expect_same(slow, outcome_of(options, memory));
    EXPECT_LE(fast.slow_sent, slow.slow_sent);
    EXPECT_LE(fast.slow_received, slow.slow_received);
    packets += slow.slow_sent;
    slow_sent += fast.slow_sent;
  });
  // Of messages with up to 235 packets; of a single seed that is asked for it need not be so.
  if (number_from_environment("WEFT_SEED", 0) == 0)
    EXPECT_LT(slow_sent, packets * 3 / 4);
}

// A message of 64 packets on a network without faults: which packets take which path is known.
struct UetShares {
  std::uint64_t data = 0;
  std::uint64_t acks = 0;
  transport::UetCounters sender{};
  transport::UetCounters receiver{};
};

UetShares shares_of(verbs::WrOpcode operation, const UetPairOptions& drawn) {
  constexpr std::uint32_t kLength = 64 * 1024;
  UetPairOptions options = drawn;
  options.lengths_only = true;
  UetPair pair(options);
  UetShares shares;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    (from == 0 ? shares.data : shares.acks) += packet.has(wire::kControl) == (from == 1) ? 1 : 0;
    return false;
  });
  const verbs::Sge room{.address = TrafficEnds::kBase, .length = kLength, .lkey = pair.side(1).key};
  EXPECT_TRUE(pair.post_recv(1, {.sg_list = std::span(&room, 1)}));
  const verbs::Sge element{.address = TrafficEnds::kBase, .length = kLength, .lkey = pair.side(0).key};
  verbs::SendWr request;
  request.opcode = operation;
  request.send_flags = verbs::kSendSignaled;
  request.sg_list = std::span(&element, 1);
  request.rdma = {TrafficEnds::kBase, pair.side(1).key};
  EXPECT_TRUE(pair.post_send(0, request));
  EXPECT_TRUE(pair.run());
  const auto completions = pair.poll_send(0);
  EXPECT_EQ(completions.size(), 1U);
  EXPECT_EQ(completions.at(0).status, verbs::WcStatus::kSuccess);
  shares.sender = pair.counters(0);
  shares.receiver = pair.counters(1);
  return shares;
}

class UetFastPathShares : public ::testing::TestWithParam<verbs::WrOpcode> {};

// All but the first packets, which open the context, the last one, and the context's end.
TEST_P(UetFastPathShares, TakesTheMiddleOfMessages) {
  UetPairOptions options;
  options.uet.ack_every = Bytes(4'096);
  const UetShares shares = shares_of(GetParam(), options);
  EXPECT_EQ(shares.data, 64U);
  EXPECT_GE(shares.acks, 64U * 1'024 / 4'096);
  // Until the target's number is known, packets carry SYN: a round trip of 2 us, in which a line of 100 Gb/s takes 22
  // of them.
  const std::uint64_t opening = shares.sender.slow_sent - 2;
  EXPECT_GE(opening, 1U);
  EXPECT_LE(opening, 26U);
  // At the target the first one, which makes the context, the second, with which its run begins, the last one and
  // CLOSE.
  EXPECT_LE(shares.receiver.slow_received, 4U);
  // The first acknowledgement opens, the last one ends the message, and another the context.
  EXPECT_LE(shares.sender.slow_received, 4U);
  EXPECT_LE(shares.receiver.slow_sent, 4U);
}

TEST_P(UetFastPathShares, IsNotTakenWhereItIsOff) {
  UetPairOptions options;
  options.uet.ack_every = Bytes(4'096);
  options.uet.fast_path = false;
  const UetShares shares = shares_of(GetParam(), options);
  EXPECT_EQ(shares.sender.slow_sent, shares.data + 1);  // and CLOSE
  // The last acknowledgement, that of CLOSE, leaves when its context is gone.
  EXPECT_EQ(shares.receiver.slow_sent + shares.sender.slow_sent + 1,
            shares.sender.slow_received + shares.receiver.slow_received);
}

INSTANTIATE_TEST_SUITE_P(Operations, UetFastPathShares,
                         ::testing::Values(verbs::WrOpcode::kRdmaWrite, verbs::WrOpcode::kSend),
                         [](const auto& info) { return info.param == verbs::WrOpcode::kSend ? "Send" : "Write"; });

}  // namespace
}  // namespace weft::testing
