// Messages through whole hosts: what the stages say beside what the run says, and what shared resources let through.
#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"
#include "host/path/gpu_path.h"
#include "host/path/message_stages.h"
#include "host/path/path_test_support.h"
#include "tests/simulation/sim_world.h"
#include "wire/encapsulation.h"
#include "wire/opcode.h"

namespace weft::testing {
namespace {

using fabric::Cable;
using fabric::ethernet_test::star;
using host::HostPathSide;
using host::path_testing::on_gpu;
using host::path_testing::pcie;
using host::path_testing::rdma_stages;
using host::path_testing::socket_stages;
using host::path_testing::two_gpus;
using workload::Operation;

constexpr Cable kCable{100_gbps, 500_ns};
constexpr Duration kSwitch = 300_ns;
constexpr Bytes kMtu(4096);

/// A world of two hosts with a path each; the hosts stay to be asked.
struct Hosts {
  std::deque<host::HostResources> resources;
  SimOptions options = [] {
    SimOptions made = roce(star({kCable, kCable}));
    made.ethernet.switches[0].latency = kSwitch;
    made.connection.path_mtu = verbs::PathMtu::k4096;
    made.nic.device.active_mtu = verbs::PathMtu::k4096;
    return made;
  }();

  void use_rdma(const host::HostOptions& host, const host::RdmaPathOptions& stages) {
    options.nic.path = [this, host, stages](std::uint64_t seed) {
      host::HostResources& made = resources.emplace_back(host);
      return std::make_unique<host::RdmaPath>(
          stages, host::RdmaPath::Place{.host = made, .slot = made.add_nic(), .seed = seed});
    };
  }
  void use_sockets(const host::HostOptions& host, const host::SocketPathOptions& stages) {
    options.nic.path = [this, host, stages](std::uint64_t seed) {
      host::HostResources& made = resources.emplace_back(host);
      return std::make_unique<host::SocketPath>(stages, host::SocketPath::Place{.host = made, .seed = seed});
    };
  }
  void send(Bytes size, Operation operation) {
    options.flows = {write(0, 1, size)};
    options.flows[0].shape.operation = operation;
  }
  workload::MessageRecord run() {
    world = std::make_unique<SimWorld>(options);
    EXPECT_EQ(world->run_checked(), "");
    (void)world->run();
    EXPECT_EQ(world->messages().size(), 1U);
    return world->messages().at(0);
  }
  [[nodiscard]] const host::HostPath& path(std::uint32_t endpoint) const {
    return *world->world().nic(EndpointId(endpoint)).path();
  }

  std::unique_ptr<SimWorld> world;
};

Duration wire_time(wire::Operation operation, Bytes payload) {
  const auto opcode = wire::make_opcode(wire::Service::kRc, operation);
  return kCable.rate.transmit_time(wire::sizes(wire::Encapsulation::kRoceV2Ipv4, opcode, payload).wire);
}

/// The way of one frame over host - switch - host, alone.
Duration way(wire::Operation operation, Bytes payload) {
  return wire_time(operation, payload) * 2 + kCable.propagation * 2 + kSwitch;
}

host::MessageShape shape(Bytes size, verbs::WrOpcode opcode, verbs::MemoryPlace place = {}) {
  return {.size = size, .packet = kMtu, .opcode = opcode, .place = place};
}

// The fabric of these tests has no delay of the NIC's receiving pipeline.
Duration receiving(const host::HostPath& path, const host::MessageShape& message) {
  const host::StageTimes list = path.idle_stages(HostPathSide::kReceive, message);
  return list.sum() - list.time_of("NIC receive");
}

host::RdmaPathOptions cutting_through() {
  host::RdmaPathOptions stages = rdma_stages();
  stages.cut_through = kCable.rate;
  return stages;
}

void expect_send_of_stages(Bytes size, const host::RdmaPathOptions& stages) {
  Hosts hosts;
  hosts.use_rdma(two_gpus(), stages);
  hosts.send(size, Operation::kSend);
  const workload::MessageRecord message = hosts.run();
  const host::MessageShape sent = shape(size, verbs::WrOpcode::kSend);
  const Duration there =
      hosts.path(0).idle_stages(HostPathSide::kSend, sent).sum() + way(wire::Operation::kSendOnly, size);
  EXPECT_EQ(message.delivered, Time::zero() + there + receiving(hosts.path(1), sent));
  EXPECT_EQ(message.finished, Time::zero() + there + way(wire::Operation::kAcknowledge, Bytes::zero()) +
                                  hosts.path(0).idle_stages(HostPathSide::kCompletion, sent).sum());
}

TEST(StagedHost, ASendTakesTheStagesOfBothHostsAndTheWire) {
  for (const Bytes size : {64_bytes, 1000_bytes, 4096_bytes}) {
    expect_send_of_stages(size, rdma_stages());
    expect_send_of_stages(size, cutting_through());
  }
}

TEST(StagedHost, AReadFetchesAtItsTarget) {
  Hosts hosts;
  hosts.use_rdma(two_gpus(), cutting_through());
  hosts.send(2048_bytes, Operation::kRead);
  const workload::MessageRecord message = hosts.run();
  const host::MessageShape read = shape(2048_bytes, verbs::WrOpcode::kRdmaRead);
  EXPECT_EQ(message.finished, Time::zero() + hosts.path(0).idle_stages(HostPathSide::kSend, read).sum() +
                                  way(wire::Operation::kReadRequest, Bytes::zero()) +
                                  hosts.path(1).idle_stages(HostPathSide::kReadTarget, read).sum() +
                                  way(wire::Operation::kReadResponseOnly, 2048_bytes) + receiving(hosts.path(0), read));
}

TEST(StagedHost, SocketsTakeTheStagesOfBothHostsAndTheWire) {
  for (const host::SocketWait wait : {host::SocketWait::kBlock, host::SocketWait::kBusyPoll}) {
    Hosts hosts;
    host::SocketPathOptions stages = socket_stages();
    stages.ring.wait = wait;
    hosts.use_sockets(two_gpus(), stages);
    hosts.send(1000_bytes, Operation::kSend);
    const workload::MessageRecord message = hosts.run();
    const host::MessageShape sent = shape(1000_bytes, verbs::WrOpcode::kSend);
    const Duration there =
        hosts.path(0).idle_stages(HostPathSide::kSend, sent).sum() + way(wire::Operation::kSendOnly, 1000_bytes);
    EXPECT_EQ(message.delivered, Time::zero() + there + receiving(hosts.path(1), sent));
    EXPECT_EQ(message.finished, Time::zero() + there + hosts.path(1).idle_stages(HostPathSide::kAckReturn, sent).sum() +
                                    way(wire::Operation::kAcknowledge, Bytes::zero()) +
                                    hosts.path(0).idle_stages(HostPathSide::kCompletion, sent).sum());
  }
}

// What a report prints adds up to what was measured, and what is left for the network is the network's.
TEST(StagedHost, TheListOfStagesAddsUpToTheLatency) {
  Hosts hosts;
  hosts.use_sockets(two_gpus(), socket_stages());
  hosts.send(1000_bytes, Operation::kSend);
  const Duration latency = hosts.run().delivered - Time::zero();
  const host::StageTimes list = host::message_stages({.sender = hosts.path(0), .receiver = hosts.path(1)},
                                                     shape(1000_bytes, verbs::WrOpcode::kSend), latency);
  EXPECT_EQ(list.sum(), latency);
  EXPECT_EQ(list.time_of("wire and switches"),
            way(wire::Operation::kSendOnly, 1000_bytes) - socket_stages().receive.latency);
}

TEST(StagedHost, AWideEnoughPcieChangesNoRateAndANarrowOneIsTheRate) {
  constexpr Bytes kSize(4 << 20);
  const auto rate = [kSize](std::int64_t lanes, const host::RdmaPathOptions& stages = rdma_stages()) {
    Hosts hosts;
    host::HostOptions host = two_gpus();
    host.nic_slot = pcie(3);
    host.nic_slot.lanes = lanes;
    hosts.use_rdma(host, stages);
    hosts.send(kSize, Operation::kWriteWithImm);
    const workload::MessageRecord message = hosts.run();
    EXPECT_EQ(hosts.path(1).counters().dropped, 0U);
    return average_rate(kSize, message.delivered - Time::zero());
  };
  const Rate wire = average_rate(kMtu, wire_time(wire::Operation::kWriteMiddle, kMtu));
  EXPECT_LT(rate(16), wire);
  EXPECT_GT(rate(16), wire / 1000 * 985);
  host::PcieOptions narrow = pcie(3);
  narrow.lanes = 4;
  EXPECT_LT(rate(4), host::read_rate(narrow));
  EXPECT_GT(rate(4), host::read_rate(narrow) / 1000 * 985);
  // Cut-through shortens the beginning and the end, not what lies between.
  for (const std::int64_t lanes : {4, 16}) {
    EXPECT_GT(rate(lanes, cutting_through()), rate(lanes));
    EXPECT_LT(rate(lanes, cutting_through()), rate(lanes) / 1000 * 1'005);
  }
}

/// Two senders of a line each, and a receiver whose slot takes a quarter of one.
struct SlowSlot {
  explicit SlowSlot(const host::ReceiveFlowControl& flow_control) {
    host::HostOptions host = two_gpus();
    host.nic_slot = pcie(3);
    host.nic_slot.lanes = 4;
    slot = host::write_rate(host.nic_slot);
    host::RdmaPathOptions stages = rdma_stages();
    stages.receive_buffer = 256_kib;
    stages.flow_control = flow_control;
    hosts.options.graph = star({kCable, kCable, kCable});
    hosts.use_rdma(host, stages);
    hosts.options.flows = {write(0, 2, kSize), write(1, 2, kSize)};
    hosts.world = std::make_unique<SimWorld>(hosts.options);
    EXPECT_EQ(hosts.world->run_checked(), "");
  }
  [[nodiscard]] host::HostPath::Counters counters() const { return hosts.path(2).counters(); }

  static constexpr Bytes kSize = Bytes(4 << 20);
  Hosts hosts;
  Rate slot;
};

TEST(StagedHost, PausesItsSwitchWhereItsSlotIsSlowerThanTheLineAndGetsWhatTheSlotTakes) {
  SlowSlot slow({.lanes = 1U << kDataLane, .xoff = 128_kib, .xon = 124_kib, .buffer = 256_kib});
  ASSERT_EQ(slow.hosts.world->messages().size(), 2U);
  EXPECT_TRUE(slow.hosts.world->all_succeeded());
  EXPECT_EQ(slow.counters().dropped, 0U);
  EXPECT_GT(slow.counters().held_back, 10U);
  EXPECT_GT(slow.hosts.world->fabric().lane_counters(2, kDataLane, slow.hosts.world->now()).pauses_sent, 10U);
  Time last;
  for (const workload::MessageRecord& message : slow.hosts.world->messages()) {
    last = later(last, message.finished);
  }
  // The engine answers what is in the buffer: the last of it is not waited for.
  const Duration all = slow.slot.transmit_time(SlowSlot::kSize * 2);
  EXPECT_LT(last - Time::zero(), all);
  EXPECT_GT(last - Time::zero(), all - slow.slot.transmit_time(128_kib + kMtu));
  EXPECT_LT(slow.counters().held_back_for, last - Time::zero());
}

TEST(StagedHost, DropsWithoutFlowControlWhatItsSlotDoesNotTake) {
  const SlowSlot slow({});
  EXPECT_GT(slow.counters().dropped, 0U);
  EXPECT_EQ(slow.counters().held_back, 0U);
}

TEST(StagedHost, AcrossRootComplexesGpuMemoryIsSlow) {
  constexpr Bytes kSize(4 << 20);
  const auto rate = [kSize](host::GpuAttachment attachment) {
    Hosts hosts;
    host::HostOptions host = two_gpus();
    host.attachment = attachment;
    host::RdmaPathOptions stages = rdma_stages();
    stages.memory = on_gpu(0);
    hosts.use_rdma(host, stages);
    hosts.send(kSize, Operation::kSend);
    hosts.options.memory.place = on_gpu(0);
    return average_rate(kSize, hosts.run().delivered - Time::zero());
  };
  EXPECT_GT(rate(host::GpuAttachment::kPcieSwitch), 96_gbps);
  EXPECT_LT(rate(host::GpuAttachment::kOtherRootComplex), 40_gbps);
  EXPECT_GT(rate(host::GpuAttachment::kOtherRootComplex), 39_gbps);
}

TEST(StagedHost, ABounceTakesAboutWhatItsFormSays) {
  for (const Bytes size : {1_mb, 16_mb}) {
    Hosts hosts;
    host::HostOptions host = two_gpus();
    host.access = host::GpuAccess::kBounce;
    host.copy_chunk = 256_kib;
    host::RdmaPathOptions stages = rdma_stages();
    stages.memory = on_gpu(0);
    hosts.use_rdma(host, stages);
    hosts.options.memory.place = on_gpu(0);
    hosts.send(size, Operation::kSend);
    const Duration took = hosts.run().delivered - Time::zero();
    const host::BounceShape form{.chunks = {.size = size, .chunk = host.copy_chunk},
                                 .launch = host.copy_launch.latency,
                                 .to_host = host::write_rate(host.gpu_slot),
                                 .network = average_rate(kMtu, wire_time(wire::Operation::kSendMiddle, kMtu)),
                                 .to_gpu = host::read_rate(host.gpu_slot)};
    // The form knows nothing of stages and cables; the NIC does not wait for whole chunks on the wire.
    const Duration stages_and_cables = 4_us;
    EXPECT_LT(took, host::bounce_time(form) + stages_and_cables);
    EXPECT_GT(took, host::bounce_time(form) - stages_and_cables);
  }
}

/// What a run of one flow of 16 MB costs the receiving host's cores, in picoseconds per byte.
struct Cost {
  Rate rate;
  std::int64_t picoseconds_per_byte;
};
template <class Use>
Cost cost(Use use) {
  constexpr Bytes kSize(16'000'000);
  Hosts hosts;
  use(hosts);
  hosts.send(kSize, Operation::kSend);
  const workload::MessageRecord message = hosts.run();
  return {average_rate(kSize, message.delivered - Time::zero()),
          hosts.resources.at(1).cpu().used().picoseconds() / kSize.count()};
}

TEST(StagedHost, SocketsAreBoundByACoreAndRdmaByTheWire) {
  const Cost rdma = cost([](Hosts& hosts) { hosts.use_rdma(two_gpus(), rdma_stages()); });
  const Cost sockets = cost([](Hosts& hosts) {
    host::SocketPathOptions stages = socket_stages();
    stages.ring.packets = 8192;
    hosts.use_sockets(two_gpus(), stages);
  });
  EXPECT_GT(rdma.rate, 97_gbps);
  EXPECT_EQ(rdma.picoseconds_per_byte, 0);
  EXPECT_GT(sockets.rate, 36_gbps);
  EXPECT_LT(sockets.rate, 50_gbps);
  // A copy of 100 ps a byte, and about as much for the stack.
  EXPECT_GT(sockets.picoseconds_per_byte, 150);
  EXPECT_LT(sockets.picoseconds_per_byte, 250);
}

TEST(StagedHost, AProgramsCopySharesTheGpusSlotWithTheNic) {
  Hosts hosts;
  hosts.use_rdma(two_gpus(), rdma_stages());
  hosts.send(64_bytes, Operation::kSend);
  (void)hosts.run();
  host::HostResources& host = hosts.resources.at(0);
  host::MachineOptions options;
  options.gpus = 2;
  options.host = &host;
  sim::Kernel kernel;
  host::SimMachine machine(kernel, 0, options);
  ASSERT_TRUE(machine.copy({.from = on_gpu(0), .to = {}, .size = 1_mb, .token = 1}));
  const Time end = Time::zero() + 6_us + host::write_rate(two_gpus().gpu_slot).transmit_time(1_mb);
  EXPECT_GE(host.gpu(verbs::GpuIndex(0)).to_host().free_at(), end);
}

}  // namespace
}  // namespace weft::testing
