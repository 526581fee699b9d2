// Loads and stores over scale-up links in whole worlds: closed forms, the error of units, sharing, determinism.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host/path/host_resources.h"
#include "host/path/scale_up_path.h"
#include "tests/simulation/sim_world.h"

namespace weft::testing {
namespace {

using workload::Operation;

workload::ListedFlow message(std::uint32_t from, std::uint32_t to, Operation operation, Bytes size) {
  workload::ListedFlow flow = write(from, to, size);
  flow.shape.operation = operation;
  return flow;
}

Duration taken(SimOptions options) {
  SimWorld sim(std::move(options));
  sim.run();
  EXPECT_TRUE(sim.all_succeeded());
  Time last;
  for (const workload::MessageRecord& record : sim.messages()) {
    last = later(last, record.finished);
  }
  return last.since_start();
}

constexpr Duration kHead = 25_ns + 150_ns + 25_ns;

TEST(ScaleUp, OneStoreTakesTheWayThereAndItsAnswersWayBack) {
  for (const Bytes size : {Bytes(64), 4_kib, 1_mib}) {
    SimOptions options = scale_up(8);
    options.flows = {message(0, 3, Operation::kWrite, size)};
    const Rate rate = options.scale_up->domains[0].ports[0].rate;
    const wire::MemoryFormat format;
    const std::int64_t units = std::max<std::int64_t>(size / 4_kib, 1);
    const auto unit = static_cast<std::uint32_t>(std::min(size, 4_kib).count());
    const Bytes data = Bytes(wire::data_wire_bytes(format, unit)) * units;
    const Duration there = kHead + rate.transmit_time(Bytes(16)) + rate.transmit_time(data);
    // The answer, no longer than what a switch wants to see before it goes on, is stored and forwarded.
    const Duration back = kHead + rate.transmit_time(Bytes(wire::ack_wire_bytes(format))) * 2;
    const Duration found = taken(options);
    EXPECT_GE(found, there + back);
    EXPECT_LE(found, there + back + Duration::picoseconds(units + 2));
  }
}

TEST(ScaleUp, ALoadTakesARequestsWayThereAndTheDatasWayBack) {
  SimOptions options = scale_up(8);
  options.flows = {message(0, 3, Operation::kRead, 1_mib)};
  const Rate rate = options.scale_up->domains[0].ports[0].rate;
  const wire::MemoryFormat format;
  const Duration there =
      kHead + rate.transmit_time(Bytes(16)) + rate.transmit_time(Bytes(wire::request_wire_bytes(format, 4096)));
  const Duration back =
      kHead + rate.transmit_time(Bytes(16)) + rate.transmit_time(Bytes(wire::data_wire_bytes(format, 4096)) * 256);
  const Duration found = taken(options);
  EXPECT_GE(found, there + back);
  EXPECT_LE(found, there + back + Duration::picoseconds(260));
}

SimOptions busy(std::uint32_t unit, Bytes size) {
  SimOptions options = scale_up(8, unit);
  for (std::uint32_t i = 0; i < 8; ++i) {
    for (std::uint32_t j = 0; j < 8; ++j) {
      if (i != j) {
        options.flows.push_back(message(i, j, Operation::kWrite, size));
      }
    }
  }
  return options;
}

// Units of 4 KiB against one simulated packet for each of the protocol's: below 1 % of a transfer of 1 MiB.
TEST(ScaleUp, UnitsOf4KiBAreWithinOnePercentOfSinglePackets) {
  for (const std::uint32_t senders : {1U, 4U}) {
    const auto incast = [&](std::uint32_t unit) {
      SimOptions options = scale_up(8, unit);
      for (std::uint32_t i = 1; i <= senders; ++i) {
        options.flows.push_back(message(i, 0, Operation::kWrite, 1_mib));
      }
      return taken(options).seconds();
    };
    const double single = incast(256);
    EXPECT_NEAR(incast(4096), single, 0.01 * single) << senders;
  }
  const double single = taken(busy(256, 1_mib)).seconds();
  EXPECT_NEAR(taken(busy(4096, 1_mib)).seconds(), single, 0.01 * single);
}

// Of what quick answers take: ports are shared by whole units, so that a message waits for at most one more of each of
// the other senders, however long it is.
TEST(ScaleUp, UnitsOf32KiBCostATurnOfTheSendersAtMost) {
  constexpr std::uint32_t kLarge = 32'768;
  const Rate rate = SimWorld(busy(kLarge, 1_mib)).world().scale_up()->port(EndpointId(2)).rate;
  const Duration turn = rate.transmit_time(Bytes(wire::data_wire_bytes(wire::MemoryFormat{}, kLarge)) * 7);
  for (const Bytes size : {1_mib, 4_mib, 8_mib}) {
    const Duration usual = taken(busy(4096, size));
    const Duration found = taken(busy(kLarge, size));
    EXPECT_GE(found + turn, usual) << size.count();
    EXPECT_LE(found, usual + turn) << size.count();
  }
}

TEST(ScaleUp, AnIncastIsFair) {
  SimOptions options = scale_up(8);
  for (std::uint32_t i = 1; i < 8; ++i) {
    options.flows.push_back(message(i, 0, Operation::kWrite, 4_mib));
  }
  SimWorld sim(options);
  sim.run();
  ASSERT_EQ(sim.messages().size(), 7U);
  const auto [first, last] = std::minmax_element(sim.messages().begin(), sim.messages().end(),
                                                 [](const auto& a, const auto& b) { return a.finished < b.finished; });
  const Rate rate = sim.world().scale_up()->port(EndpointId(2)).rate;
  const Bytes unit(wire::data_wire_bytes(wire::MemoryFormat{}, 4096));
  // Within a turn of all senders.
  EXPECT_LE(last->finished - first->finished, rate.transmit_time(unit * 7) + kHead);
  EXPECT_EQ(sim.world().check_invariants(), "");
}

TEST(ScaleUp, EveryByteAndCreditIsAccountedForAfterEveryEvent) {
  SimOptions options = busy(4096, 60_kib);
  options.scale_up->domains[0].switch_buffer = 16_kib;
  for (fabric::ScaleUpPort& port : options.scale_up->domains[0].ports) {
    port.buffer = 9_kib;
  }
  SimWorld sim(options);
  EXPECT_EQ(sim.run_checked(), "");
  EXPECT_EQ(sim.messages().size(), 56U);
  EXPECT_TRUE(sim.all_succeeded());
}

TEST(ScaleUp, AMeshCarriesAllPairsAtOnceAtEachLinksRate) {
  SimOptions options = scale_up(4);
  options.scale_up->domains[0].shape = fabric::ScaleUpShape::kMesh;
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (std::uint32_t j = 0; j < 4; ++j) {
      if (i != j) {
        options.flows.push_back(message(i, j, Operation::kWrite, 1_mib));
      }
    }
  }
  const Rate link = options.scale_up->domains[0].ports[0].rate / 3;
  const Duration data = link.transmit_time(Bytes(wire::data_wire_bytes(wire::MemoryFormat{}, 4096)) * 256);
  const Duration found = taken(options);
  EXPECT_GE(found, data + 50_ns);
  EXPECT_LE(found, data + 50_ns + data / 500);
}

TEST(ScaleUp, SendsFindTheirReceiveRequests) {
  SimOptions options = scale_up(3);
  workload::ListedFlow many = message(0, 1, Operation::kSend, Bytes(8));
  many.shape.messages = 1000;
  many.shape.window = 64;
  options.flows = {many, message(2, 1, Operation::kWriteWithImm, 100_kib)};
  SimWorld sim(options);
  sim.run();
  EXPECT_EQ(sim.messages().size(), 1001U);
  EXPECT_TRUE(sim.all_succeeded());
}

/// GPU memory that its NIC and its scale-up port share.
struct OneHost {
  explicit OneHost(Rate memory) : resources(options(memory)) {}
  static host::HostOptions options(Rate memory) {
    host::HostOptions made;
    made.gpus = 3;
    made.gpu_memory_rate = memory;
    return made;
  }
  [[nodiscard]] std::function<host::NicOptions(EndpointId)> nics(EndpointId first) {
    return [this, first](EndpointId port) {
      host::NicOptions nic;
      nic.path = [this, gpu = verbs::GpuIndex(port.value() - first.value())](std::uint64_t) {
        return std::make_unique<host::ScaleUpPath>(host::ScaleUpPathOptions{}, resources.gpu_memory(gpu));
      };
      return nic;
    };
  }
  host::HostResources resources;
};

// Two senders into one GPU whose memory takes less than the link gives; and one GPU that sends and receives.
TEST(ScaleUp, ASlowMemoryBoundsTheSumOfItsUsers) {
  const Rate memory = 800_gbps;
  for (const bool both_ways : {false, true}) {
    OneHost host(memory);
    SimOptions options = scale_up(3);
    options.scale_up_nic = host.nics(options.scale_up->first);
    options.flows = {message(1, 0, Operation::kWrite, 8_mib),
                     both_ways ? message(0, 2, Operation::kWrite, 8_mib) : message(2, 0, Operation::kWrite, 8_mib)};
    const Duration least = memory.transmit_time(16_mib);
    const Duration found = taken(options);
    EXPECT_GE(found, least) << both_ways;
    EXPECT_LE(found, least + least / 50) << both_ways;
    EXPECT_EQ(host.resources.gpu_memory(verbs::GpuIndex(0)).bytes(), 16_mib);
  }
}

// DMA of a NIC takes from the same memory: what it has passed there delays the port's bytes.
TEST(ScaleUp, ANicsBytesAndStoresShareTheMemory) {
  const Rate memory = 800_gbps;
  OneHost host(memory);
  host::PcieSlot& slot = host.resources.add_nic();
  const Time dma =
      host.resources.store(slot, {{verbs::GpuIndex(0)}, 8_mib}, {.now = Time::zero(), .start = Time::zero()});
  EXPECT_EQ(dma, Time::zero() + memory.transmit_time(8_mib));
  SimOptions options = scale_up(3);
  options.scale_up_nic = host.nics(options.scale_up->first);
  options.flows = {message(1, 0, Operation::kWrite, 8_mib)};
  const Duration found = taken(options);
  EXPECT_GE(found, memory.transmit_time(16_mib));
  EXPECT_LE(found, memory.transmit_time(16_mib) + 1_us);
}

TEST(ScaleUp, TheSameSeedGivesTheSameEventsAndAnotherDomainChangesNothing) {
  const auto trace = [](bool with_neighbour) {
    SimOptions options = busy(4096, 100_kib);
    if (with_neighbour) {
      fabric::ScaleUpDomain other = options.scale_up->domains[0];
      other.name = "domain1";
      for (fabric::ScaleUpPort& port : other.ports) {
        port.name = "other" + port.name;
      }
      options.scale_up->domains.push_back(other);
      options.flows.push_back(message(8, 9, Operation::kWrite, 1_mib));
    }
    SimWorld sim(options);
    sim.run();
    std::vector<std::pair<workload::FlowId, Time>> ends;
    for (const workload::MessageRecord& record : sim.messages()) {
      if (record.flow.source.value() < 8) {
        ends.emplace_back(record.flow, record.finished);
      }
    }
    std::sort(ends.begin(), ends.end());
    return ends;
  };
  const auto alone = trace(false);
  EXPECT_EQ(alone.size(), 56U);
  EXPECT_EQ(trace(false), alone);
  EXPECT_EQ(trace(true), alone);
}

}  // namespace
}  // namespace weft::testing
