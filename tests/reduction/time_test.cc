// How long a reduction takes: closed forms on an ideal network.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/reduction/reduction_world.h"
#include "wire/encapsulation.h"
#include "wire/opcode.h"

namespace weft::testing {
namespace {

constexpr Rate kLine = 400_gbps;
constexpr Duration kCable = 50_ns;
constexpr std::int64_t kMtu = 4096;

std::vector<std::uint32_t> first_hosts(std::uint32_t count) {
  std::vector<std::uint32_t> hosts(count);
  std::iota(hosts.begin(), hosts.end(), 0U);
  return hosts;
}

/// A SEND of so many bytes on a wire: full packets, the last one with immediate data.
Duration on_the_wire(std::int64_t bytes) {
  const std::int64_t packets = (bytes + kMtu - 1) / kMtu;
  const auto wire_of = [](wire::Operation operation, std::int64_t payload) {
    return wire::sizes(wire::Encapsulation::kIbLocal, wire::make_opcode(wire::Service::kRc, operation), Bytes(payload))
        .wire;
  };
  const std::int64_t last = bytes - (packets - 1) * kMtu;
  return kLine.transmit_time(wire_of(wire::Operation::kSendMiddle, kMtu)) * (packets - 1) +
         kLine.transmit_time(wire_of(wire::Operation::kSendLastImmediate, last));
}

struct Shape {
  std::uint32_t leaves = 1;
  std::uint32_t per_leaf = 4;
  [[nodiscard]] std::int64_t levels() const { return leaves > 1 ? 2 : 1; }
};

Duration run(const Shape& shape, std::int64_t bytes, std::uint32_t pieces, Duration latency = {}) {
  ReductionWorldOptions options = reduction_world(leaves_and_spines(shape.leaves, shape.per_leaf, 1));
  options.carries_bytes = false;
  options.reduction.latency = latency;
  options.reduction.limits.max_size = Bytes(1 << 20);
  ReductionWorld sim(std::move(options));
  sim.add_group({.ranks = first_hosts(shape.leaves * shape.per_leaf)});
  for (std::uint32_t i = 0; i < pieces; ++i) {
    sim.add({.count = static_cast<std::uint32_t>(bytes / 4)});
  }
  sim.run();
  EXPECT_EQ(sim.check_all_succeeded(), "");
  return sim.last_completion() - Time::zero();
}

void expect_within_1_percent(Duration measured, Duration expected, const std::string& what) {
  const auto difference = std::llabs((measured - expected).picoseconds());
  EXPECT_LE(difference * 100, expected.picoseconds())
      << what << ": " << measured.picoseconds() << " ps, expected " << expected.picoseconds();
}

TEST(ReductionTime, OfOneVectorIsThatOfItsWayUpAndDown) {
  for (const Shape& shape : {Shape{.leaves = 1, .per_leaf = 4}, Shape{.leaves = 4, .per_leaf = 4}}) {
    for (const std::int64_t bytes : {4096, 16'384, 65'536, 1 << 20}) {
      for (const Duration latency : {0_ns, 500_ns}) {
        // Each level stores the vector on its way up, and all but the first on its way down; then it is there.
        const std::int64_t ways = 2 * shape.levels();
        const std::int64_t cables = ways;
        const Duration expected = on_the_wire(bytes) * ways + kCable * cables + latency * shape.levels();
        expect_within_1_percent(run(shape, bytes, 1, latency), expected,
                                fmt::format("{} leaves, {} bytes", shape.leaves, bytes));
      }
    }
  }
}

TEST(ReductionTime, OfManyVectorsIsThatOfOneAndTheLine) {
  for (const Shape& shape : {Shape{.leaves = 1, .per_leaf = 2}, Shape{.leaves = 1, .per_leaf = 8},
                             Shape{.leaves = 4, .per_leaf = 4}, Shape{.leaves = 8, .per_leaf = 8}}) {
    constexpr std::int64_t kPiece = 16'384;
    const Duration one = run(shape, kPiece, 1);
    for (const std::uint32_t pieces : {2U, 16U, 64U, 256U}) {
      // A member sends each vector once and receives each result once: 2 alpha + S / B.
      const Duration expected = one + on_the_wire(kPiece) * static_cast<std::int64_t>(pieces - 1);
      expect_within_1_percent(run(shape, kPiece, pieces), expected,
                              fmt::format("{} leaves of {}, {} pieces", shape.leaves, shape.per_leaf, pieces));
    }
  }
}

TEST(ReductionTime, DoesNotGrowWithMembers) {
  const Duration two = run({.leaves = 1, .per_leaf = 2}, 16'384, 64);
  for (const std::uint32_t members : {4U, 16U, 32U, 64U}) {
    expect_within_1_percent(run({.leaves = 1, .per_leaf = members}, 16'384, 64), two, fmt::format("{}", members));
  }
}

TEST(ReductionTime, OfTheLastMemberDecides) {
  ReductionWorldOptions options = reduction_world(leaves_and_spines(2, 4, 1));
  options.carries_bytes = false;
  ReductionWorld sim(std::move(options));
  sim.add_group({.ranks = first_hosts(8)});
  sim.add({.count = 4096});
  sim.start_late(6, Time::zero() + 100_us);
  sim.run();
  EXPECT_EQ(sim.check_all_succeeded(), "");
  expect_within_1_percent(sim.last_completion() - Time::zero() - 100_us, run({.leaves = 2, .per_leaf = 4}, 16'384, 1),
                          "after the last");
}

// What comes to a spine from leaves that only pass on comes by different cables: no two vectors wait for one internal
// port.
TEST(ReductionTime, IsNotLongerWhereLeavesPassOn) {
  constexpr std::uint32_t kLeaves = 4;
  constexpr std::int64_t kBytes = 1 << 20;
  ReductionWorldOptions options = reduction_world(leaves_and_spines(kLeaves, 4, 2));
  options.carries_bytes = false;
  options.reduction.limits.max_size = Bytes(kBytes);
  ReductionWorld sim(std::move(options));
  sim.add_group({.ranks = {0, 4, 8, 12}});
  sim.add({.count = static_cast<std::uint32_t>(kBytes / 4)});
  sim.run();
  ASSERT_EQ(sim.check_all_succeeded(), "");
  const Duration packet = on_the_wire(kMtu);  // stored once more by the leaf, on either way
  expect_within_1_percent(sim.last_completion() - Time::zero(), on_the_wire(kBytes) * 2 + packet * 2 + kCable * 4,
                          "four leaves");
}

}  // namespace
}  // namespace weft::testing
