// Ports of a NIC that stand in for one another: what survives which failure, how fast it then is, what is refused.
#include <gmock/gmock.h>

#include <numeric>
#include <string>
#include <utility>

#include "study/results/summary.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using scenario::message_of;
using ::testing::HasSubstr;

/// A ring over eight hosts of two racks, each with a NIC of two ports of 100 Gb/s; two channels, one for each port.
constexpr std::string_view kRing =
    "hardware = \"equal\"\n[fabric]\nfamily = \"rocev2\"\n[nic]\nports = 2\n[topology]\nkind = "
    "\"rail-optimised\"\nhosts = 8\nhosts_per_leaf = 4\n"
    "nics_per_host = 1\nports_per_nic = 2\nspines = 8\n[link]\nrate = \"100 Gbps\"\n[transport]\nack_timeout = 8\n"
    "[congestion_control]\nalgorithm = \"none\"\n[collectives]\nchannels = 2\n[[job]]\nname = \"job\"\ngpus = 8\n"
    "[[traffic]]\nkind = \"collective\"\ncollective = \"all-reduce\"\nalgorithm = \"ring\"\nsize = \"16 MiB\"\n"
    "job = \"job\"\nstart = \"10 us\"\n";
constexpr std::string_view kFailover =
    "[routing]\nport_failover = true\nport_failover_delay = \"1 us\"\nreroute_delay = \"2 us\"\n";

std::string event(std::string_view select, std::string_view at = "0 us", std::string_view action = "fail") {
  return fmt::format("[[event]]\nat = \"{}\"\nselect = \"{}\"\naction = \"{}\"\n", at, select, action);
}

Result<scenario::Scenario> ring_with(std::string_view rest, std::vector<std::string> settings = {}) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = std::move(settings);
  return scenario::parse_scenario(std::string(kRing) + std::string(rest), request, scenario::test_catalogue());
}

double seconds_of(const results::RunResults& results) {
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
  return results::summarise(results).jobs.at(0).collective->max.seconds();
}

std::uint64_t moved(const results::RunResults& results, std::string_view nic = {}) {
  std::uint64_t packets = 0;
  for (const results::NicRow& row : results.nics) {
    packets += row.name.starts_with(nic) ? row.moved : 0;
  }
  return packets;
}

constexpr std::string_view kPlanes = "topology.planes=2";

// Both channels leave and enter host 1 through one port, and the ring goes as fast as its slowest member.
TEST(PortFailover, ARingGoesOnWithHalfOfOneNic) {
  const auto run = [](const std::vector<std::string>& spread) {
    const double whole = seconds_of(results_of(ring_with("", spread)));
    const results::RunResults failed =
        results_of(ring_with(std::string(kFailover) + event("host1/nic0/port0"), spread));
    EXPECT_GT(moved(failed, "host1/nic0/port0"), 0U);
    EXPECT_EQ(moved(failed, "host1/nic0/port1"), 0U);
    EXPECT_EQ(failed.drops.total(), 0U);  // everybody knew before the first packet
    return seconds_of(failed) / whole;
  };
  EXPECT_NEAR(run({std::string(kPlanes)}), 2.0, 0.02);
  // In one fabric the flows from and to the other leaf go through spines besides, where they may meet others.
  const double dual_tor = run({});
  EXPECT_GT(dual_tor, 1.98);
  EXPECT_LT(dual_tor, 2.5);
}

// In planes the others send to host 1 through their other ports; in one fabric routes do that for them.
TEST(PortFailover, SendersTakeThePlaneWhereTheReceiverStillIs) {
  const auto others = [](const std::vector<std::string>& spread) {
    const auto failed = results_of(ring_with(std::string(kFailover) + event("host1/nic0/port0"), spread));
    return moved(failed) - moved(failed, "host1");
  };
  EXPECT_EQ(others({}), 0U);
  EXPECT_GT(others({std::string(kPlanes)}), 0U);
}

TEST(PortFailover, WithoutItAFailedLinkEndsTheJob) {
  const results::RunResults failed =
      results_of(ring_with("[routing]\nreroute_delay = \"2 us\"\n" + event("host1/nic0/port0")));
  EXPECT_EQ(failed.run.end, results::RunEnd::kJobLost);
}

TEST(PortFailover, AFailureInTheMiddleCostsWhatWasUnderWay) {
  const results::RunResults failed = results_of(ring_with(std::string(kFailover) + event("host1/nic0/port0", "500 us") +
                                                          event("host1/nic0/port0", "700 us", "restore")));
  const double whole = seconds_of(results_of(ring_with("")));
  const double time = seconds_of(failed);
  EXPECT_GT(failed.drops.total(), 0U);
  EXPECT_GT(time, whole);
  // 200 us at half speed, and a timeout of 1.05 ms for what was lost; go-back-N repeats some of the rest.
  EXPECT_LT(time, whole + 200e-6 + 2 * 1.05e-3);
  // Once the link is back, its port is used again.
  EXPECT_LT(moved(failed), 2 * 201e-6 * 100e9 / 8 / 4096);
}

TEST(PortFailover, ALeafThatFailsTakesOnePortOfEachOfItsHosts) {
  const double whole = seconds_of(results_of(ring_with("")));
  const results::RunResults failed = results_of(ring_with(std::string(kFailover) + event("group0/rail0/leaf0/*")));
  EXPECT_NEAR(seconds_of(failed) / whole, 2.0, 0.15);
  EXPECT_GT(moved(failed, "host0/nic0/port0"), 0U);
  EXPECT_EQ(moved(failed, "host4"), 0U);
}

TEST(PortFailover, WithoutACommonPlaneNothingHelps) {
  // Host 0 is left in plane 0, host 1 in plane 1.
  const results::RunResults failed = results_of(ring_with(
      std::string(kFailover) + event("host0/nic0/port1") + event("host1/nic0/port0"), {std::string(kPlanes)}));
  EXPECT_EQ(failed.run.end, results::RunEnd::kJobLost);
}

TEST(PortFailover, EveryFamilyOfEthernetGoesOn) {
  for (const char* const family : {"rocev2", "rocev1", "iwarp", "tcp", "uet"}) {
    for (const char* const planes : {"topology.planes=1", "topology.planes=2"}) {
      const results::RunResults failed =
          results_of(ring_with(std::string(kFailover) + event("host1/nic0/port0"),
                               {fmt::format("fabric.family={}", family), planes, "traffic[0].size=1 MiB"}));
      EXPECT_EQ(failed.run.end, results::RunEnd::kFinished) << family << ", " << planes;
      EXPECT_GT(moved(failed), 0U) << family;
    }
  }
}

TEST(PortFailover, ChangesNothingWhileAllLinksAreUp) {
  const results::RunResults plain = results_of(ring_with(""));
  const results::RunResults ready = results_of(ring_with(kFailover));
  EXPECT_EQ(seconds_of(plain), seconds_of(ready));
  EXPECT_EQ(plain.run.events, ready.run.events);
}

/// A ring over eight hosts of one rack, each of which sends to the next, in two channels: one for each port of 100
/// Gb/s.
Result<scenario::Scenario> one_rack(std::string_view topology, std::string_view rest = {}) {
  const std::string text = fmt::format(
      "hardware = \"equal\"\n[fabric]\nfamily = \"rocev2\"\n[nic]\nports = 2\n[link]\nrate = \"100 Gbps\"\n"
      "[transport]\nack_timeout = 8\n[congestion_control]\nalgorithm = \"none\"\n[collectives]\nchannels = 2\n"
      "[[job]]\nname = \"job\"\ngpus = 8\n[[traffic]]\nkind = \"collective\"\ncollective = \"all-reduce\"\nalgorithm = "
      "\"ring\"\n"
      "size = \"16 MiB\"\njob = \"job\"\nstart = \"10 us\"\n[topology]\nhosts = 8\n{}{}",
      topology, rest);
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  return scenario::parse_scenario(text, request, scenario::test_catalogue());
}

constexpr std::string_view kLeafSpine = "kind = \"leaf-spine\"\nhosts_per_leaf = 8\nspines = 2\n";
constexpr std::string_view kFatTree = "kind = \"fat-tree\"\nradix = 16\n";

// Each neighbour has the whole of its ports: closed forms, as nothing is shared. A ring moves 2 x 7/8 of the buffer.
TEST(PortFailover, TwoPortsHaveTwiceTheRateOfOneAndOneOfThemHasHalf) {
  for (const std::string_view topology : {kLeafSpine, kFatTree}) {
    const double one = seconds_of(results_of(one_rack(topology)));
    const double bits = 2.0 * 7 / 8 * 8 * (1 << 24);
    EXPECT_GT(one, bits / 100e9) << topology;
    EXPECT_LT(one, 1.05 * bits / 100e9) << topology;
    for (const auto& [ports, leaf] : {std::pair{"ports_per_nic = 2\n", "rack0/leaf0/*"},
                                      std::pair{"ports_per_nic = 2\nplanes = 2\n", "plane0/leaf0/*"}}) {
      const std::string two = std::string(topology) + ports;
      EXPECT_NEAR(one / seconds_of(results_of(one_rack(two))), 2.0, 0.03) << two;
      const results::RunResults failed = results_of(one_rack(two, std::string(kFailover) + event(leaf)));
      EXPECT_NEAR(one / seconds_of(failed), 1.0, 0.03) << two;
      EXPECT_GT(moved(failed, "host0/nic0/port0"), 0U) << two;
    }
  }
}

// With one NIC of two ports for each host, leaves and spines are those of one rail.
TEST(PortFailover, ALeafSpineIsAsARailIs) {
  const std::string kind = "topology.kind=leaf-spine";
  for (const int number : {1, 2}) {
    const std::string planes = fmt::format("topology.planes={}", number);
    const double rails = seconds_of(results_of(ring_with("", {planes})));
    EXPECT_NEAR(seconds_of(results_of(ring_with("", {planes, kind}))) / rails, 1.0, 0.25) << planes;
    const std::string leaf = number == 2 ? "plane1/leaf1/*" : "rack1/leaf1/*";
    const results::RunResults failed =
        results_of(ring_with(std::string(kFailover) + event(leaf, "300 us"), {planes, kind}));
    EXPECT_EQ(failed.run.end, results::RunEnd::kFinished) << planes;
    EXPECT_GT(moved(failed, "host4/nic0/port1"), 0U) << planes;
  }
}

TEST(PortFailover, PlanesAreAsManyAsPorts) {
  for (const std::string_view topology : {kLeafSpine, kFatTree}) {
    const auto scenario = one_rack(std::string(topology) + "ports_per_nic = 2\nplanes = 3\n");
    ASSERT_TRUE(scenario) << message_of(scenario);
    Collector collector;
    const auto made = Simulation::create(*scenario, collector, Payload::kLengths, world::Division::kWhereItPays);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("3 planes need NICs of as many ports; ports_per_nic is 2"));
  }
}

TEST(PortFailover, IsRefusedWhereItCannotBe) {
  EXPECT_THAT(message_of(ring_with(kFailover, {"topology.ports_per_nic=1"})),
              HasSubstr("routing.port_failover: needs NICs with several ports; topology.ports_per_nic is 1"));
  EXPECT_THAT(message_of(ring_with(kFailover, {"fabric.family=infiniband", "routing.port_failover=true"})),
              HasSubstr("its ports have LIDs of their own"));
  EXPECT_THAT(message_of(ring_with(std::string(kFailover) + "policy = \"conga\"\n", {std::string(kPlanes)})),
              HasSubstr("'conga' knows one leaf of each receiver"));
}

}  // namespace
}  // namespace weft::study::run
