// Loss, whatever its cause, costs time and never a message.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/random.h"
#include "fabric/ethernet/ethernet_test_world.h"
#include "fabric/topology/leaf_spine.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/dcqcn_test_parameters.h"

namespace weft::testing {
namespace {

using fabric::Cable;
using fabric::LinkEvent;
using fabric::LinkIndex;
using fabric::ethernet_test::star;

constexpr Cable kCable{100_gbps, 500_ns};

fabric::Graph two_paths(std::uint32_t hosts_per_leaf = 2) {
  return *fabric::build_graph(fabric::LeafSpineOptions{
      .leaves = 2, .spines = 2, .hosts_per_leaf = hosts_per_leaf, .host_link = kCable, .fabric_link = kCable});
}

TEST(Loss, BitErrorsCauseRetransmissionsAndNoHang) {
  for (const std::uint64_t one_in : {200'000ULL, 1'000'000ULL, 10'000'000ULL}) {
    SimOptions options = roce(two_paths());
    options.ethernet.bit_error_rate.assign(options.graph.links.size(), Probability::from_ratio({1, one_in}));
    options.connection.timeout = 4;  // 65 us
    options.connection.path_mtu = verbs::PathMtu::k1024;
    options.nic.rc.ack_request_interval = 4;
    constexpr std::int64_t kMessage = 1 << 16;
    for (std::uint32_t i = 0; i < 4; ++i) {
      options.flows.push_back(write(i, 3 - i, Bytes(kMessage)));
    }
    SimWorld sim(std::move(options));
    EXPECT_EQ(sim.run_checked(Time::zero() + 2_s), "");
    ASSERT_EQ(sim.messages().size(), 4U) << one_in;
    EXPECT_TRUE(sim.all_succeeded());
    std::uint64_t damaged = sim.fabric().drops().damaged;
    std::uint64_t sent = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      damaged += sim.world().nic(EndpointId(i)).counters().damaged;
      sent += sim.world().nic(EndpointId(i)).counters().data_sent;
    }
    if (one_in < 1'000'000) {
      EXPECT_GT(damaged, 0U);
      EXPECT_GT(sent, 4U * kMessage / 1024);
    }
    EXPECT_EQ(sim.fabric().drops().total(), sim.fabric().drops().damaged);
  }
}

TEST(Loss, StreamsDeliverEveryMessageOverDamagedCablesAndThroughFullBuffers) {
  for (const host::Service service : {host::Service::kTcp, host::Service::kIwarp}) {
    for (const std::uint64_t one_in : {200'000ULL, 2'000'000ULL}) {
      SimOptions options = streams(two_paths(), service);
      options.ethernet.bit_error_rate.assign(options.graph.links.size(), Probability::from_ratio({1, one_in}));
      options.ethernet.switches[0].buffer = Bytes(60'000);
      constexpr std::int64_t kMessage = 1 << 18;
      for (std::uint32_t i = 0; i < 3; ++i) {
        options.flows.push_back(write(i, 3, Bytes(kMessage)));
      }
      SimWorld sim(std::move(options));
      EXPECT_EQ(sim.run_checked(Time::zero() + 10_s), "");
      ASSERT_EQ(sim.messages().size(), 3U) << one_in;
      EXPECT_TRUE(sim.all_succeeded());
      EXPECT_GT(sim.fabric().drops().damaged, 0U);
      EXPECT_GT(sim.fabric().drops().buffer_full, 0U);
      std::uint64_t repeated = 0;
      for (std::uint32_t i = 0; i < 4; ++i) {
        repeated += sim.world().nic(EndpointId(i)).connections().retransmissions;
      }
      EXPECT_GT(repeated, 0U);
    }
  }
}

// A stream waits where RC would be told to come again: when the program posts receives, what waited completes at once.
TEST(Loss, SendsBeyondThePostedReceivesWaitInTheStreamAndAllArrive) {
  for (const host::Service service : {host::Service::kTcp, host::Service::kIwarp}) {
    SimOptions options = streams(two_paths(), service);
    options.flows = {write(0, 3, Bytes(64))};
    options.flows[0].shape.operation = workload::Operation::kSend;
    options.flows[0].shape.messages = 3'000;
    options.flows[0].shape.window = 1'500;
    options.nic.pipeline.completion = 50_us;
    SimWorld sim(std::move(options));
    (void)sim.run(Time::zero() + 10_s);
    EXPECT_EQ(sim.messages().size(), 3'000U);
    EXPECT_TRUE(sim.all_succeeded());
    for (const workload::MessageRecord& record : sim.messages()) {
      ASSERT_FALSE(record.delivered.is_never());
    }
  }
}

TEST(Loss, ALossyClassDropsAndTheMessagesArriveAllTheSame) {
  SimOptions options = roce(star(std::vector<Cable>(5, kCable)));
  options.ethernet.switches[0].buffer = Bytes(100'000);
  options.ethernet.ports[0].priorities[kDataLane].lossless = false;
  options.connection.timeout = 5;
  for (std::uint32_t i = 0; i < 4; ++i) {
    options.flows.push_back(write(i, 4, Bytes(1 << 19)));
  }
  SimWorld sim(std::move(options));
  EXPECT_EQ(sim.run_checked(Time::zero() + 2_s), "");
  EXPECT_EQ(sim.messages().size(), 4U);
  EXPECT_TRUE(sim.all_succeeded());
  EXPECT_GT(sim.fabric().drops().buffer_full, 0U);
}

TEST(Loss, AFailedCableLosesNoMessageWhenThereIsAnotherPath) {
  for (std::uint32_t link = 4; link < 8; ++link) {
    SimOptions options = roce(two_paths());
    options.ethernet.events = {{.at = Time::zero() + 20_us,
                                .link = LinkIndex(link),
                                .kind = LinkEvent::Kind::kFail,
                                .rate = {},
                                .reroute_delay = 100_us}};
    options.connection.timeout = 5;  // 131 us
    for (std::uint32_t i = 0; i < 4; ++i) {
      options.flows.push_back(write(i, (i + 2) % 4, Bytes(1 << 20)));
    }
    SimWorld sim(std::move(options));
    EXPECT_EQ(sim.run_checked(Time::zero() + 2_s), "");
    EXPECT_EQ(sim.messages().size(), 4U) << link;
    EXPECT_TRUE(sim.all_succeeded()) << link;
  }
}

TEST(Loss, ACableThatComesBackNeedsNoOtherPath) {
  SimOptions options = roce(star({kCable, kCable}));
  options.ethernet.events = {{.at = Time::zero() + 20_us,
                              .link = LinkIndex(1),
                              .kind = LinkEvent::Kind::kFail,
                              .rate = {},
                              .reroute_delay = {}},
                             {.at = Time::zero() + 400_us,
                              .link = LinkIndex(1),
                              .kind = LinkEvent::Kind::kRestore,
                              .rate = {},
                              .reroute_delay = 50_us}};
  options.connection.timeout = 5;
  options.flows = {write(0, 1, Bytes(1 << 20)), write(1, 0, Bytes(1 << 20))};
  SimWorld sim(std::move(options));
  EXPECT_EQ(sim.run_checked(Time::zero() + 2_s), "");
  EXPECT_EQ(sim.messages().size(), 2U);
  EXPECT_TRUE(sim.all_succeeded());
  EXPECT_GT(sim.fabric().drops().total(), 0U);
}

TEST(Loss, WithoutAnyPathTheSenderSaysSo) {
  SimOptions options = roce(star({kCable, kCable}));
  options.ethernet.events = {{.at = Time::zero() + 20_us,
                              .link = LinkIndex(1),
                              .kind = LinkEvent::Kind::kFail,
                              .rate = {},
                              .reroute_delay = {}}};
  options.connection.timeout = 4;
  options.flows = {write(0, 1, Bytes(1 << 20))};
  SimWorld sim(std::move(options));
  (void)sim.run(Time::zero() + 10_s);
  ASSERT_EQ(sim.messages().size(), 1U);
  EXPECT_EQ(sim.messages()[0].status, verbs::WcStatus::kRetryExcErr);
}

class Conservation : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Conservation, OfPacketsAndBytesAtEveryEventOfARandomWorld) {
  RandomStream random(GetParam(), "conservation");
  static const transport::DcqcnParameters kDcqcn = transport::dcqcn_connectx(100_gbps);
  SimOptions options = roce(two_paths(3), random.uniform(2) == 0 ? &kDcqcn : nullptr);
  auto& data = options.ethernet.ports[0].priorities[kDataLane];
  data.lossless = random.uniform(3) != 0;
  data.ingress_alpha_shift = static_cast<std::int8_t>(static_cast<int>(random.uniform(6)) - 5);
  data.ecn = fabric::RedOptions{Bytes(10'000), Bytes(60'000), Probability::from_ratio({1, 5})};
  options.ethernet.switches[0].buffer = Bytes(static_cast<std::int64_t>(500'000 + random.uniform(1'000'000)));
  options.ethernet.switches[0].forwarding =
      random.uniform(2) == 0 ? fabric::Forwarding::kCutThrough : fabric::Forwarding::kStoreAndForward;
  if (random.uniform(2) == 0) {
    options.ethernet.bit_error_rate.assign(options.graph.links.size(), Probability::from_ratio({1, 3'000'000}));
  }
  options.connection.timeout = 5;
  options.seed = GetParam();
  const std::uint64_t flows = 2 + random.uniform(8);
  for (std::uint64_t i = 0; i < flows; ++i) {
    const auto from = static_cast<std::uint32_t>(random.uniform(6));
    const auto to = static_cast<std::uint32_t>((from + 1 + random.uniform(5)) % 6);
    workload::ListedFlow flow = write(from, to, Bytes(static_cast<std::int64_t>(1 + random.uniform(150'000))));
    flow.shape.operation = std::array{workload::Operation::kWrite, workload::Operation::kRead,
                                      workload::Operation::kSend}[random.uniform(3)];
    flow.shape.start = Time::zero() + Duration::nanoseconds(static_cast<std::int64_t>(random.uniform(20'000)));
    options.flows.push_back(flow);
  }
  SimWorld sim(std::move(options));
  ASSERT_EQ(sim.run_checked(Time::zero() + 1_s), "") << "seed " << GetParam();
  EXPECT_EQ(sim.messages().size(), flows) << "seed " << GetParam();
  EXPECT_TRUE(sim.all_succeeded()) << "seed " << GetParam();
  EXPECT_EQ(sim.world().packets().live_count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Conservation, ::testing::Range<std::uint64_t>(1, 31));

}  // namespace
}  // namespace weft::testing
