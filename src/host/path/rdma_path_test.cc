#include "host/path/rdma_path.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/path/gpu_path.h"
#include "host/path/path_test_support.h"

namespace weft::host {
namespace {

using path_testing::on_gpu;
using path_testing::pcie;
using path_testing::rdma_stages;
using path_testing::two_gpus;
using verbs::WrOpcode;

/// One NIC of one host, with a path.
struct Fixture {
  explicit Fixture(const HostOptions& host_options = two_gpus(), const RdmaPathOptions& options = rdma_stages())
      : host(host_options), path(options, {.host = host, .slot = host.add_nic(), .seed = 1}) {}

  Duration posting(Bytes size, verbs::MemoryPlace place = {}, WrOpcode opcode = WrOpcode::kRdmaWriteWithImm) {
    return path.post({.flow = 0, .qpn = Qpn(1), .size = size, .opcode = opcode, .place = place, .packet = 4096_bytes},
                     Time::zero()) -
           Time::zero();
  }
  Duration landing(Bytes size, const HostPath::Arrival& kind = {}) {
    HostPath::Arrival arrival = kind;
    arrival.payload = size;
    constexpr Time kWhole = Time::zero() + 10_us;  // its bytes have been coming before
    EXPECT_EQ(path.admit(arrival, kWhole), HostPath::Admission::kDeliver);
    return path.on_completions_seen(0, path.on_delivered(0, arrival, kWhole)) - kWhole;
  }
  Duration listed(HostPathSide side, const MessageShape& shape) const { return path.idle_stages(side, shape).sum(); }

  HostResources host;
  RdmaPath path;
};

MessageShape shape(Bytes size, verbs::MemoryPlace place = {}, WrOpcode opcode = WrOpcode::kRdmaWriteWithImm) {
  return {.size = size, .packet = 4096_bytes, .opcode = opcode, .place = place};
}

TEST(RdmaPath, SendsSmallDataWithTheDoorbell) {
  Fixture host;
  EXPECT_EQ(host.posting(64_bytes), 125_ns + 200_ns + 210_ns);
}

TEST(RdmaPath, ReadsOtherDataInARoundTrip) {
  Fixture host;
  const Duration first = read_rate(pcie(5)).transmit_time(4096_bytes);
  EXPECT_EQ(host.posting(1_mb), 125_ns + 200_ns + 500_ns + first + 210_ns);
}

RdmaPathOptions cutting_through(Rate wire) {
  RdmaPathOptions options = rdma_stages();
  options.cut_through = wire;
  return options;
}

TEST(RdmaPath, ANicThatCutsThroughBeginsAPacketWithItsFirstTlp) {
  Fixture host(two_gpus(), cutting_through(100_gbps));
  const Duration first = read_rate(pcie(5)).transmit_time(256_bytes);
  EXPECT_EQ(host.posting(1_mb), 125_ns + 200_ns + 500_ns + first + 210_ns);
  EXPECT_EQ(host.listed(HostPathSide::kReadTarget, shape(1_mb)), 500_ns + first);
  const Duration whole = read_rate(pcie(5)).transmit_time(230_bytes);
  Fixture other(two_gpus(), cutting_through(100_gbps));
  EXPECT_EQ(other.posting(230_bytes), 125_ns + 200_ns + 500_ns + whole + 210_ns);
}

TEST(RdmaPath, CutThroughFromASlowerPcieWaitsUntilNothingCanRunDry) {
  HostOptions options = two_gpus();
  options.nic_slot = pcie(3);
  const Rate wire = 400_gbps;
  const Rate slow = read_rate(pcie(3));
  for (const Bytes size : {300_bytes, 512_bytes, 1000_bytes, 4096_bytes}) {
    Fixture host(options, cutting_through(wire));
    const Duration lead = host.posting(size) - (125_ns + 200_ns + 500_ns + 210_ns);
    EXPECT_LT(lead, slow.transmit_time(size));
    Duration least;  // that lets every TLP come before its turn
    for (Bytes before; before < size; before += 256_bytes)
      least = std::max(least, slow.transmit_time(std::min(size, before + 256_bytes)) - wire.transmit_time(before));
    EXPECT_EQ(lead, least) << size.count();
  }
}

TEST(RdmaPath, ANicThatCutsThroughWritesAPacketAsItArrives) {
  Fixture host(two_gpus(), cutting_through(100_gbps));
  EXPECT_EQ(host.landing(4096_bytes), write_rate(pcie(5)).transmit_time(256_bytes) + 300_ns);
  Fixture other(two_gpus(), cutting_through(100_gbps));
  EXPECT_EQ(other.landing(4000_bytes), write_rate(pcie(5)).transmit_time(160_bytes) + 300_ns);
  HostOptions slow = two_gpus();
  slow.nic_slot = pcie(3);
  Fixture behind(slow, cutting_through(400_gbps));
  const Duration begun = (400_gbps).transmit_time(4096_bytes - 256_bytes);
  EXPECT_EQ(behind.landing(4096_bytes), write_rate(pcie(3)).transmit_time(4096_bytes) - begun + 300_ns);
}

TEST(RdmaPath, ANicThatCutsThroughFetchesTheReceiveRequestWhileThePacketArrives) {
  Fixture host(two_gpus(), cutting_through(100_gbps));
  const Duration begun = (100_gbps).transmit_time(4096_bytes - 256_bytes);
  EXPECT_EQ(host.landing(4096_bytes, {.begins_send = true}),
            550_ns - begun + write_rate(pcie(5)).transmit_time(4096_bytes) + 300_ns);
}

TEST(RdmaPath, NicsThatWriteAsPacketsArriveStillShareTheMemory) {
  HostOptions options = two_gpus();
  options.memory_rate = 150_gbps;
  Fixture host(options, cutting_through(100_gbps));
  RdmaPath other(cutting_through(100_gbps), {.host = host.host, .slot = host.host.add_nic(), .seed = 2});
  const Duration packet = (100_gbps).transmit_time(4096_bytes);
  Time now = Time::zero() + 10_us;
  Time last;
  for (int i = 0; i < 100; ++i, now += packet) {
    (void)host.path.on_delivered(0, {.payload = 4096_bytes}, now);
    last = other.on_delivered(0, {.payload = 4096_bytes}, now + packet / 2);
  }
  // 200 packets at 150 Gb/s, and not as fast as they came.
  const Duration took = last - (Time::zero() + 10_us);
  EXPECT_GT(took, (150_gbps).transmit_time(4096_bytes) * 198);
  EXPECT_LT(took, (150_gbps).transmit_time(4096_bytes) * 200);
}

TEST(RdmaPath, ReadsTheRequestTooIfItDoesNotRideWithTheDoorbell) {
  RdmaPathOptions options = rdma_stages();
  options.request_fetch = WorkRequestFetch::kAfterDoorbell;
  Fixture host(two_gpus(), options);
  EXPECT_EQ(host.posting(64_bytes), 125_ns + 200_ns + 500_ns + 210_ns);
}

TEST(RdmaPath, TheRequesterOfAReadFetchesNothingAndItsTargetDoes) {
  Fixture host;
  EXPECT_EQ(host.posting(1_mb, {}, WrOpcode::kRdmaRead), 125_ns + 200_ns + 210_ns);
  const HostPath::Arrival request{.is_read_request = true, .read_first = 4096_bytes};
  (void)host.path.on_delivered(0, request, Time::zero());
  const Duration fetch = 500_ns + read_rate(pcie(5)).transmit_time(4096_bytes);
  EXPECT_EQ(host.path.responses_from(0), Time::zero() + fetch);
  EXPECT_EQ(host.path.data_from(0), Time::zero() + fetch);
  EXPECT_EQ(host.listed(HostPathSide::kReadTarget, shape(1_mb)), fetch);
}

TEST(RdmaPath, OneCoreBuildsRequestsOneAfterAnother) {
  HostOptions options = two_gpus();
  options.cores = 1;
  Fixture host(options);
  EXPECT_EQ(host.posting(64_bytes), 535_ns);
  EXPECT_EQ(host.posting(64_bytes), 535_ns + 125_ns);
  EXPECT_EQ(host.host.cpu().used(CpuWork::kPost), 250_ns);
}

TEST(RdmaPath, LetsNoPacketLeaveBeforeItsBytesCanHaveCome) {
  HostOptions options = two_gpus();
  options.nic_slot = pcie(3);
  Fixture host(options);
  const Duration each = read_rate(pcie(3)).transmit_time(4096_bytes);
  (void)host.posting(1_mb);
  host.path.on_departure(0, 4096_bytes, Time::zero());
  EXPECT_EQ(host.path.device_data_from(), Time::zero() + each);
  host.path.on_departure(0, 4096_bytes, Time::zero() + each);
  EXPECT_EQ(host.path.device_data_from(), Time::zero() + each * 2);
}

TEST(RdmaPath, TwoNicsShareTheMemoryButNotPcie) {
  HostOptions options = two_gpus();
  options.memory_rate = 100_gbps;
  Fixture host(options);
  RdmaPath other(rdma_stages(), {.host = host.host, .slot = host.host.add_nic(), .seed = 2});
  host.path.on_departure(0, 4096_bytes, Time::zero());
  other.on_departure(0, 4096_bytes, Time::zero());
  EXPECT_EQ(other.device_data_from(), Time::zero() + (100_gbps).transmit_time(4096_bytes) * 2);
}

TEST(RdmaPath, WritesPayloadAndThenTheCompletion) {
  Fixture host;
  EXPECT_EQ(host.landing(4096_bytes), write_rate(pcie(5)).transmit_time(4096_bytes) + 300_ns);
  EXPECT_EQ(host.path.on_completions_seen(0, Time::zero()), Time::zero() + 300_ns);
}

TEST(RdmaPath, ASendFetchesItsReceiveRequestFirst) {
  Fixture host;
  EXPECT_EQ(host.landing(64_bytes, {.begins_send = true}),
            550_ns + write_rate(pcie(5)).transmit_time(64_bytes) + 300_ns);
  // A second packet right behind is not seen before the first.
  EXPECT_GE(host.landing(64_bytes), 550_ns + write_rate(pcie(5)).transmit_time(64_bytes) + 300_ns);
}

TEST(RdmaPath, AnEventTakesAnInterruptAndAWakeUpMoreThanPolling) {
  RdmaPathOptions options = rdma_stages();
  options.completion_mode = CompletionMode::kInterrupt;
  EXPECT_EQ(Fixture(two_gpus(), options).path.on_completions_seen(0, Time::zero()), Time::zero() + 300_ns + 2_us);
  options.completion_mode = CompletionMode::kEvent;
  Fixture host(two_gpus(), options);
  EXPECT_EQ(host.path.on_completions_seen(0, Time::zero()), Time::zero() + 300_ns + 2_us + 6_us);
  EXPECT_EQ(host.host.cpu().used(), 8_us);
}

TEST(RdmaPath, DropsWhatFindsTheReceiveBufferFull) {
  RdmaPathOptions options = rdma_stages();
  options.receive_buffer = 16_kib;
  HostOptions slow = two_gpus();
  slow.nic_slot = pcie(3);
  Fixture host(slow, options);
  const HostPath::Arrival packet{.payload = 4096_bytes};
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(host.path.admit(packet, Time::zero()), HostPath::Admission::kDeliver);
    (void)host.path.on_delivered(0, packet, Time::zero());
  }
  EXPECT_EQ(host.path.admit(packet, Time::zero()), HostPath::Admission::kDrop);
  EXPECT_EQ(host.path.counters().dropped, 1U);
  const Time one_written = Time::zero() + write_rate(pcie(3)).transmit_time(4096_bytes);
  EXPECT_EQ(host.path.admit(packet, one_written), HostPath::Admission::kDeliver);
}

/// XOFF with the fourth packet, XON when two are left.
RdmaPathOptions paused_buffer() {
  RdmaPathOptions options = rdma_stages();
  options.receive_buffer = 12_kib;
  options.flow_control = {.lanes = 0b1000, .xoff = 12_kib, .xon = 8_kib, .buffer = 32_kib};
  return options;
}

TEST(RdmaPath, AReceiveBufferAboveXoffHoldsBackThePeerUntilItHasFallenToXon) {
  HostOptions slow = two_gpus();
  slow.nic_slot = pcie(3);
  Fixture host(slow, paused_buffer());
  const Duration write = write_rate(pcie(3)).transmit_time(4096_bytes);
  const HostPath::Arrival packet{.payload = 4096_bytes, .lane = 3};
  const auto arrive = [&] {
    const Time room = host.path.room_at(packet, Time::zero());
    EXPECT_EQ(host.path.admit(packet, Time::zero()), HostPath::Admission::kDeliver);
    (void)host.path.on_delivered(0, packet, Time::zero());
    return room;
  };
  ASSERT_TRUE(host.path.may_back_up());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(arrive(), Time::zero());
  }
  EXPECT_EQ(arrive(), Time::zero() + write * 2);  // of four, two are left
  EXPECT_EQ(arrive(), Time::zero() + write * 3);  // into the headroom
  EXPECT_EQ(host.path.counters().held_back, 1U);
  EXPECT_EQ(host.path.counters().held_back_for, write * 3);
  EXPECT_EQ(host.path.room_at(packet, Time::zero() + write * 4), Time::zero() + write * 4);
  EXPECT_EQ(host.path.counters().dropped, 0U);
}

TEST(RdmaPath, TheHeadroomIsForLanesWithFlowControlAlone) {
  HostOptions slow = two_gpus();
  slow.nic_slot = pcie(3);
  Fixture host(slow, paused_buffer());
  const HostPath::Arrival lossy{.payload = 4096_bytes, .lane = 0};
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(host.path.admit(lossy, Time::zero()), HostPath::Admission::kDeliver);
    (void)host.path.on_delivered(0, lossy, Time::zero());
  }
  EXPECT_EQ(host.path.room_at(lossy, Time::zero()), Time::zero());
  EXPECT_EQ(host.path.admit(lossy, Time::zero()), HostPath::Admission::kDrop);
  EXPECT_EQ(host.path.admit({.payload = 4096_bytes, .lane = 3}, Time::zero()), HostPath::Admission::kDeliver);
}

TEST(RdmaPath, WhatCreditsHaveAdmittedIsNeverDropped) {
  HostOptions slow = two_gpus();
  slow.nic_slot = pcie(3);
  RdmaPathOptions options = rdma_stages();
  options.receive_buffer = 16_kib;
  options.flow_control = {.lanes = 0xFFFF, .xoff = 16_kib, .xon = 16_kib, .buffer = Bytes::max()};
  Fixture host(slow, options);
  const Duration write = write_rate(pcie(3)).transmit_time(4096_bytes);
  const HostPath::Arrival packet{.payload = 4096_bytes};
  for (int i = 0; i < 20; ++i) {
    // The packet has a place as soon as all but three others are written.
    EXPECT_EQ(host.path.room_at(packet, Time::zero()), Time::zero() + write * std::max(i - 3, 0));
    ASSERT_EQ(host.path.admit(packet, Time::zero()), HostPath::Admission::kDeliver);
    (void)host.path.on_delivered(0, packet, Time::zero());
  }
}

TEST(RdmaPath, GpuDirectAddsWhatGpuMemoryCostsOnBothSides) {
  Fixture host;
  const Duration first = read_rate(pcie(5)).transmit_time(64_bytes);
  const Duration from_gpu = std::max(first, write_rate(pcie(5)).transmit_time(64_bytes));
  // Too small for PCIe, yet no inline: a core cannot get at the bytes.
  EXPECT_EQ(host.posting(64_bytes, on_gpu(0)), 125_ns + 200_ns + 500_ns + 310_ns + from_gpu + 210_ns);
  EXPECT_EQ(host.landing(64_bytes, {.sink = on_gpu(0)}), from_gpu + 140_ns + 300_ns);
}

TEST(RdmaPath, AnotherRootComplexAddsLatencyAndCapsTheRate) {
  HostOptions options = two_gpus();
  options.attachment = GpuAttachment::kOtherRootComplex;
  Fixture host(options);
  Fixture near;
  EXPECT_EQ(host.posting(4096_bytes, on_gpu(0)) - near.posting(4096_bytes, on_gpu(0)),
            300_ns + (40_gbps).transmit_time(4096_bytes) - write_rate(pcie(5)).transmit_time(4096_bytes));
  host.path.on_departure(0, 4096_bytes, Time::zero());
  EXPECT_EQ(host.path.device_data_from(), Time::zero() + (40_gbps).transmit_time(4096_bytes));
}

TEST(RdmaPath, ABounceWaitsForItsChunks) {
  HostOptions options = two_gpus();
  options.access = GpuAccess::kBounce;
  Fixture host(options);
  const Duration chunk = write_rate(pcie(5)).transmit_time(64_kib);
  const Duration fetch = 500_ns + read_rate(pcie(5)).transmit_time(4096_bytes);
  EXPECT_EQ(host.posting(128_kib, on_gpu(0)), 6_us + chunk + 125_ns + 200_ns + fetch + 210_ns);
  EXPECT_EQ(host.path.data_from(0), Time::zero() + 6_us + chunk);
  for (int packet = 0; packet < 16; ++packet) {
    host.path.on_departure(0, 4096_bytes, Time::zero() + 20_us);
  }
  // The launch of the second copy is behind that of the first, on the same core.
  EXPECT_EQ(host.path.data_from(0), Time::zero() + 12_us + chunk);
  EXPECT_EQ(host.host.cpu().used(CpuWork::kCopyLaunch), 12_us);
}

TEST(RdmaPath, ABouncedMessageEndsWithItsLastCopy) {
  HostOptions options = two_gpus();
  options.access = GpuAccess::kBounce;
  Fixture host(options);
  const Duration in_memory = write_rate(pcie(5)).transmit_time(64_bytes);
  EXPECT_EQ(host.landing(64_bytes, {.ends_message = true, .sink = on_gpu(0)}),
            in_memory + 6_us + read_rate(pcie(5)).transmit_time(64_bytes) + 300_ns);
}

/// One message through idle hosts of these options, by each kind of NIC.
void expect_stages_that_add_up(const HostOptions& options, const MessageShape& message) {
  for (const std::optional<Rate> wire : {std::optional<Rate>(), std::optional(100_gbps), std::optional(400_gbps)}) {
    RdmaPathOptions stages = rdma_stages();
    stages.software = {.latency = 700_ns};
    stages.offload = {.latency = 500_ns};
    stages.completion_mode = CompletionMode::kEvent;
    stages.cut_through = wire;
    Fixture host(options, stages);
    EXPECT_EQ(host.posting(message.size, message.place, message.opcode), host.listed(HostPathSide::kSend, message));
    const bool is_send = message.opcode == WrOpcode::kSend && message.size > Bytes::zero();
    const HostPath::Arrival arrival{.begins_send = is_send, .ends_message = true, .sink = message.place};
    // The NIC's own pipeline lies before the arrival.
    Fixture peer(options, stages);
    EXPECT_EQ(peer.landing(message.size, arrival) + stages.receive.latency,
              peer.listed(HostPathSide::kReceive, message));
  }
}

// The list that a report prints is the time that passes, for every way there is.
TEST(RdmaPath, StagesOfAnIdleHostAddUpToWhatItTakes) {
  HostOptions options = two_gpus();
  for (const GpuAccess access : {GpuAccess::kGpuDirect, GpuAccess::kBounce}) {
    for (const GpuAttachment attachment :
         {GpuAttachment::kPcieSwitch, GpuAttachment::kRootComplex, GpuAttachment::kOtherRootComplex}) {
      options.access = access;
      options.attachment = attachment;
      for (const verbs::MemoryPlace place : {verbs::MemoryPlace{}, on_gpu(0)}) {
        for (const WrOpcode opcode : {WrOpcode::kSend, WrOpcode::kRdmaWriteWithImm}) {
          for (const Bytes size : {0_bytes, 1_bytes, 220_bytes, 221_bytes, 300_bytes, 4000_bytes, 4096_bytes})
            expect_stages_that_add_up(options, shape(size, place, opcode));
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::host
