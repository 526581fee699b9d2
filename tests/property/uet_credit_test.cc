// Credit of receivers (RCCC) over a faulty network: what is lost costs time and never a message, nobody waits for ever,
// and contexts go when they are idle.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/property/rc_traffic.h"
#include "tests/property/seeds.h"
#include "tests/property/uet_pair.h"
#include "transport/congestion/nscc.h"
#include "transport/path/round_robin_path.h"

namespace weft::testing {
namespace {

using namespace literals;
using transport::Nscc;
using transport::UetCredits;

enum class Beside : std::uint8_t { kNothing, kNscc };

UetPairOptions credit_options(std::uint64_t seed, Beside beside, Bytes window) {
  UetPairOptions options;
  options.seed = seed;
  options.memory_bytes = std::max<std::uint32_t>(RcTraffic::kMemoryBytes, 1 << 18);
  options.uet.timeout = 60_us;
  options.uet.max_timeout = 400_us;
  options.uet.max_retries = 60;
  options.uet.idle_close = 200_us;
  const Bytes packet(static_cast<std::int64_t>(options.mtu) + 128);
  options.policies.credits = UetCredits{
      .receiver = {.line = options.rate, .payload = Bytes(static_cast<std::int64_t>(options.mtu)), .window = window},
      .sender = {.packet = packet, .window = window, .round_trip = 5_us}};
  if (beside == Beside::kNscc) {
    const auto parameters = std::make_shared<transport::NsccParameters>(transport::nscc_parameters(
        {.round_trip = 5_us, .line = options.rate, .packet = packet, .payload = packet - Bytes(128)}));
    options.policies.congestion_control = [parameters] {
      return std::make_unique<Nscc>(*parameters, Nscc::Flow{.round_trip = 5_us});
    };
  }
  return options;
}

Probability permille(RandomStream& random, std::uint64_t most) {
  return Probability::from_ratio({.numerator = random.uniform(most + 1), .denominator = 1000});
}

UetPairOptions draw_credit_options(std::uint64_t seed) {
  RandomStream random(seed, "credit options");
  const Bytes window(static_cast<std::int64_t>(500 + random.uniform(60'000)));
  UetPairOptions options = credit_options(seed, random.uniform(2) == 0 ? Beside::kNothing : Beside::kNscc, window);
  options.uet.secure_start =
      random.uniform(3) == 0 ? transport::SecureStart::kOneRtt : transport::SecureStart::kZeroRtt;
  options.uet.psn_window = 128U << random.uniform(4);
  options.uet.ack_every = Bytes(static_cast<std::int64_t>(1 + random.uniform(20'000)));
  options.uet.idle_close = Duration::microseconds(static_cast<std::int64_t>(20 + random.uniform(400)));
  options.uet.trimming = random.uniform(2) == 0;
  options.max_rd_atomic = static_cast<std::uint8_t>(1 + random.uniform(8));
  options.trimming = permille(random, 100);
  if (random.uniform(3) == 0)
    options.policies.credits->core = transport::CreditRate::Parameters{.round_trip = 5_us};
  options.faults.loss = permille(random, 80);
  options.faults.duplication = permille(random, 50);
  options.faults.corruption = permille(random, 30);
  options.faults.marking = permille(random, 100);
  if (random.uniform(2) == 0)
    options.faults.reordering = permille(random, 500);
  if (random.uniform(2) == 0) {
    options.policies.path_selector = [](std::uint64_t) {
      return std::make_unique<transport::RoundRobinPath>(transport::RoundRobinPath::Range{.base = 0xC000, .paths = 16});
    };
  }
  return options;
}

void run_credit_seed(const UetPairOptions& options) {
  UetPair pair(options);
  RcTraffic traffic(pair,
                    {.seed = options.seed, .messages = RcTraffic::kSlots, .late_receives = options.seed % 3 == 0});
  ASSERT_TRUE(traffic.run()) << "the network does not come to rest";
  EXPECT_EQ(traffic.verify(), "");
  EXPECT_EQ(pair.live_contexts(), 0U);
}

TEST(UetCredit, UnorderedDeliveryOnCreditIsExactlyOnceUnderFaults) {
  for_each_seed(10'000, [](std::uint64_t seed) { run_credit_seed(draw_credit_options(seed)); });
}

TEST(UetCredit, OrderedDeliveryOnCreditIsExactlyOnceUnderFaults) {
  for_each_seed(10'000, [](std::uint64_t seed) {
    UetPairOptions options = draw_credit_options(seed);
    options.uet.mode = transport::UetMode::kRod;
    run_credit_seed(options);
  });
}

/// One WRITE of this many bytes from side 0, until nothing is under way.
void write_all(UetPair& pair, std::uint32_t bytes) {
  const verbs::Sge element = pair.sge(0, 0, bytes);
  verbs::SendWr write{.wr_id = 1, .sg_list = {&element, 1}, .opcode = verbs::WrOpcode::kRdmaWrite};
  write.send_flags = verbs::kSendSignaled;
  write.rdma = {TrafficEnds::kBase, pair.key(1)};
  ASSERT_TRUE(pair.post_send(0, write).has_value());
  ASSERT_TRUE(pair.run());
}

bool is_control(const wire::Packet& packet, wire::UetControl what) {
  return packet.uet.type == wire::UetType::kControl && packet.uet.notice.code == static_cast<std::uint8_t>(what);
}

void expect_success(UetPair& pair) {
  const std::vector<verbs::WorkCompletion> done = pair.poll_send(0);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_EQ(done.front().status, verbs::WcStatus::kSuccess);
  EXPECT_EQ(pair.live_contexts(), 0U);
}

TEST(UetCredit, ASenderBeyondItsFirstWindowSendsWhatWasGranted) {
  UetPair pair(credit_options(1, Beside::kNothing, 8'000_bytes));
  std::uint64_t sent = 0;
  std::uint64_t granted = 0;
  pair.set_filter([&](int from, wire::Packet& packet) {
    if (from == 0 && is_request(packet.uet.type)) {
      EXPECT_EQ(packet.uet.type, wire::UetType::kRudCcRequest);
      sent += packet.common.frame_bytes;
      EXPECT_LE(sent, 8'000 + granted + packet.common.frame_bytes);
    }
    if (from == 1 && is_control(packet, wire::UetControl::kCredit))
      granted = std::uint64_t{packet.uet.notice.payload} * 256;
    return false;
  });
  write_all(pair, 200'000);
  expect_success(pair);
  EXPECT_GT(granted, 190'000U);
}

TEST(UetCredit, AcknowledgementsBringCreditWhereItsOwnPacketsAreLost) {
  UetPair pair(credit_options(1, Beside::kNothing, 8'000_bytes));
  pair.set_filter([](int, wire::Packet& packet) { return is_control(packet, wire::UetControl::kCredit); });
  write_all(pair, 100'000);
  expect_success(pair);
  EXPECT_EQ(pair.counters(0).credits, 0U);
  EXPECT_GE(pair.packets_sent(), 98U);
}

TEST(UetCredit, ASenderThatHearsOfNoCreditAsksForIt) {
  UetPair pair(credit_options(1, Beside::kNscc, 8'000_bytes));
  int lost = 0;
  pair.set_filter(
      [&lost](int, wire::Packet& packet) { return is_control(packet, wire::UetControl::kCredit) && lost++ < 20; });
  write_all(pair, 100'000);
  expect_success(pair);
  EXPECT_GT(pair.counters(0).credit_requests, 0U);
}

TEST(UetCredit, AFirstWindowThatIsLostIsSentAgainWithoutCredit) {
  UetPair pair(credit_options(1, Beside::kNothing, 8'000_bytes));
  int lost = 0;
  pair.set_filter(
      [&lost](int from, wire::Packet& packet) { return from == 0 && is_request(packet.uet.type) && lost++ < 12; });
  write_all(pair, 60'000);
  expect_success(pair);
}

TEST(UetCredit, APeerThatFallsSilentFailsTheContext) {
  UetPairOptions options = credit_options(1, Beside::kNothing, 8'000_bytes);
  options.uet.max_retries = 5;
  UetPair pair(options);
  bool silent = false;
  pair.set_filter([&silent](int from, wire::Packet& packet) {
    silent |= from == 1 && is_control(packet, wire::UetControl::kCredit) && packet.uet.notice.payload > 100;
    return silent && from == 1;
  });
  write_all(pair, 200'000);
  const std::vector<verbs::WorkCompletion> done = pair.poll_send(0);
  ASSERT_EQ(done.size(), 1U);
  EXPECT_NE(done.front().status, verbs::WcStatus::kSuccess);
  EXPECT_EQ(pair.counters(0).credit_requests, 5U);
}

TEST(UetCredit, AnEndpointThatNeedsNoCreditSendsAsItWouldWithoutIt) {
  UetPairOptions options = credit_options(1, Beside::kNothing, 8'000_bytes);
  options.policies.credits->limits_senders = false;
  UetPair pair(options);
  pair.set_filter([](int, const wire::Packet& packet) {
    EXPECT_FALSE(has_congestion_context(packet.uet.type));
    return false;
  });
  write_all(pair, 100'000);
  expect_success(pair);
  EXPECT_EQ(pair.counters(0).credits, 0U);
}

}  // namespace
}  // namespace weft::testing
