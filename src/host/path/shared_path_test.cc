#include "host/path/shared_path.h"

#include <gtest/gtest.h>

#include "host/path/path_test_support.h"

namespace weft::host {
namespace {

using path_testing::rdma_stages;
using path_testing::socket_stages;
using path_testing::two_gpus;
using transport::EngineKind;

constexpr FlowRef kRdmaFlow = static_cast<FlowRef>(EngineKind::kRc) << 28;
constexpr FlowRef kSocketFlow = static_cast<FlowRef>(EngineKind::kTcp) << 28;

struct Fixture {
  static HostOptions one_core() { return with_cores(1, 0); }
  static HostOptions with_cores(std::uint32_t cores, std::uint32_t rdma_cores) {
    HostOptions options = two_gpus();
    options.cores = cores;
    options.rdma_cores = rdma_cores;
    return options;
  }
  explicit Fixture(const HostOptions& options = one_core()) : host(options) {}
  HostPath::Posting posting(FlowRef flow, Bytes size) const {
    return {.flow = flow, .qpn = Qpn(1), .size = size, .place = {}, .packet = 1448_bytes};
  }
  Duration post(FlowRef flow, Bytes size, Time now = Time::zero()) { return path.post(posting(flow, size), now) - now; }

  HostResources host;
  HostResources other{one_core()};
  SharedPath path{rdma_stages(), socket_stages(), {.host = host, .slot = host.add_nic(), .seed = 1}};
  RdmaPath rdma{rdma_stages(), {.host = other, .slot = other.add_nic(), .seed = 1}};
  SocketPath sockets{socket_stages(), {.host = other, .seed = 1}};
};

TEST(SharedPath, EachQueuePairTakesTheStagesOfItsOwnPath) {
  Fixture rdma;
  EXPECT_EQ(rdma.post(kRdmaFlow, 64_bytes), rdma.rdma.post(rdma.posting(kRdmaFlow, 64_bytes), {}) - Time::zero());
  Fixture sockets;
  EXPECT_EQ(sockets.post(kSocketFlow, 64_bytes),
            sockets.sockets.post(sockets.posting(kSocketFlow, 64_bytes), {}) - Time::zero());
  EXPECT_NE(Fixture().post(kRdmaFlow, 64_bytes), Fixture().post(kSocketFlow, 64_bytes));
}

TEST(SharedPath, ListsOfStagesAreThoseOfTheEngine) {
  const Fixture host;
  MessageShape shape{.size = 64_bytes, .packet = 1448_bytes};
  for (const HostPathSide side : {HostPathSide::kSend, HostPathSide::kReceive, HostPathSide::kCompletion}) {
    shape.engine = EngineKind::kRc;
    EXPECT_EQ(host.path.idle_stages(side, shape).sum(), host.rdma.idle_stages(side, shape).sum());
    shape.engine = EngineKind::kTcp;
    EXPECT_EQ(host.path.idle_stages(side, shape).sum(), host.sockets.idle_stages(side, shape).sum());
  }
}

TEST(SharedPath, PacketsOfRdmaAreSeenAtOnceAndThoseOfSocketsWhenACoreHasTakenThem) {
  Fixture host;
  HostPath::Arrival arrival{.packet = 7, .flow_hash = 3, .payload = 100_bytes, .engine = EngineKind::kRc};
  EXPECT_EQ(host.path.admit(arrival, Time::zero()), HostPath::Admission::kDeliver);
  EXPECT_TRUE(host.path.next_arrival().is_never());
  arrival.engine = EngineKind::kTcp;
  EXPECT_EQ(host.path.admit(arrival, Time::zero()), HostPath::Admission::kKeep);
  EXPECT_FALSE(host.path.next_arrival().is_never());
  for (int i = 0; i < 10 && !host.path.next_arrival().is_never(); ++i) {
    (void)host.path.take_arrival(host.path.next_arrival());
  }
  EXPECT_TRUE(host.path.next_arrival().is_never());
  EXPECT_EQ(host.path.counters().interrupts, 1U);
}

// A unit of 64 KiB is copied at 80 Gb/s in 6.6 us; who posts on the same core waits for it, the RDMA program too.
TEST(SharedPath, RdmaProgramsWaitForTheCoreThatSocketsKeepBusy) {
  Fixture host;
  const Duration sockets = 350_ns + 50_ns + (80_gbps).transmit_time(64_kib) + 2'250_ns;
  (void)host.post(kSocketFlow, 1_mib);
  EXPECT_EQ(host.post(kRdmaFlow, 64_bytes), Fixture().post(kRdmaFlow, 64_bytes) + sockets);
}

TEST(SharedPath, ProgramsOfRdmaWithCoresOfTheirOwnDoNotWaitForSockets) {
  Fixture host(Fixture::with_cores(2, 1));
  (void)host.post(kSocketFlow, 1_mib);
  EXPECT_EQ(host.post(kRdmaFlow, 64_bytes), Fixture().post(kRdmaFlow, 64_bytes));
  EXPECT_GT(host.post(kSocketFlow + 1, 64_bytes), Fixture().post(kSocketFlow, 64_bytes));
}

TEST(SharedPath, CompletionsOfSocketsAreSeenWithoutTheStagesOfRdma) {
  Fixture host;
  EXPECT_EQ(host.path.on_completions_seen(kRdmaFlow, Time::zero()), Time::zero() + 300_ns);
  EXPECT_EQ(host.path.on_completions_seen(kSocketFlow, Time::zero()), Time::zero());
}

}  // namespace
}  // namespace weft::host
