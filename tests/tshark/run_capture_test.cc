// Captures of simulated ports, read by tshark: every packet right, every time the run's.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <set>

#include "study/run/capture_tap.h"
#include "study/run/collector.h"
#include "study/scenario/scenario_load.h"
#include "study/world/end_addresses.h"
#include "tests/tshark/tshark.h"

namespace weft::test {
namespace {

using study::run::Simulation;

/// Two senders, so that a buffer of this size asks for pauses.
constexpr const char* kScenario = R"(
[topology]
kind = "single-switch"
hosts = 3
[[traffic]]
kind = "incast"
size = "100 kB"
operation = "send"
)";

/// Keeps what it saw, and hands it on.
struct Witness final : fabric::Tap {
  struct Seen {
    std::int64_t nanoseconds = 0;
    Direction direction = Direction::kSent;
    std::uint32_t psn = 0;
    bool link_control = false;
  };
  explicit Witness(fabric::Tap& to) : behind(to) {}
  void on_frame(fabric::PortIndex port, Direction direction, const wire::Packet& packet, Time at) override {
    const bool link_control = packet.common.kind == wire::PacketKind::kFlowControl;
    if (!link_control || pauses) {
      seen.push_back({at.picoseconds() / 1000, direction, link_control ? 0 : packet.ib.psn.value(), link_control});
    }
    behind.on_frame(port, direction, packet, at);
  }

  fabric::Tap& behind;
  bool pauses = true;  // are in the capture
  std::vector<Seen> seen;
};

struct Captured {
  std::vector<Witness::Seen> seen;
  std::vector<Dissection> read;
};

Captured capture(const std::vector<std::string>& settings, const std::string& port) {
  Captured captured;
  const auto catalogue = study::scenario::Catalogue::load(std::nullopt);
  const auto scenario = study::scenario::parse_scenario(
      kScenario, {.file = "capture.toml", .case_name = {}, .settings = settings}, *catalogue);
  EXPECT_TRUE(scenario) << scenario.error().message;
  study::run::Collector collector;
  auto simulation = Simulation::create(*scenario, collector);
  EXPECT_TRUE(simulation) << simulation.error().message;
  study::world::World& world = (*simulation)->world();
  const std::string file =
      (std::filesystem::path(testing::TempDir()) / fmt::format("weft_tap_{}.pcapng", getpid())).string();
  auto tap = study::run::CaptureTap::open(world, 1, {{.port = port, .file = file}});
  EXPECT_TRUE(tap) << tap.error().message;
  Witness witness(**tap);
  const std::array ports = {*study::run::find_port(world, port)};
  witness.pauses = world.fabric().link_type() == wire::LinkType::kEthernet;
  world.fabric().set_tap(&witness, ports);
  EXPECT_EQ((*simulation)->run([](const study::run::Progress&) { return true; }), Simulation::End::kFinished);
  EXPECT_TRUE((*tap)->close());
  captured.seen = witness.seen;
  auto read = dissect_file(file, {"frame.time_epoch", "infiniband.bth.psn", "macc.opcode"});
  EXPECT_TRUE(read) << read.error().message;
  captured.read = *read;
  std::filesystem::remove(file);
  return captured;
}

std::int64_t nanoseconds(const std::string& seconds) {
  const std::size_t point = seconds.find('.');
  return std::stoll(seconds.substr(0, point)) * 1'000'000'000 + std::stoll(seconds.substr(point + 1));
}

void expect_agreement(const Captured& captured) {
  ASSERT_EQ(captured.read.size(), captured.seen.size());
  // A message of the scenario and its acknowledgements, one per packet.
  ASSERT_GE(captured.seen.size(), static_cast<std::size_t>(2 * Bytes(100'000).packets_of(4_kib).count()));
  for (std::size_t i = 0; i < captured.seen.size(); ++i) {
    const Dissection& read = captured.read[i];
    const Witness::Seen& seen = captured.seen[i];
    EXPECT_EQ(read.at("_ws.malformed"), "") << i;
    EXPECT_EQ(nanoseconds(read.at("frame.time_epoch")), seen.nanoseconds) << i;
    if (!seen.link_control) {
      EXPECT_EQ(std::stoul(read.at("infiniband.bth.psn")), seen.psn) << i;
    }
  }
}

TEST(RunCapture, TsharkReadsRoceV2WithTheTimesOfTheRun) {
  expect_agreement(capture({"fabric.family=rocev2"}, "host0/nic0"));
}

TEST(RunCapture, TsharkReadsRoceV2OverIpv6) {
  expect_agreement(capture({"fabric.family=rocev2", "fabric.ip_version=ipv6"}, "host2/nic0"));
}

TEST(RunCapture, TsharkReadsInfiniBandWithoutFlowControlPackets) {
  expect_agreement(capture({"fabric.family=infiniband"}, "host2/nic0"));
}

TEST(RunCapture, PausesAreThere) {
  const Captured captured =
      capture({"fabric.family=rocev2", "congestion_control.algorithm=none", "ethernet.priority.3.ingress_limit=20 kB"},
              "host0/nic0");
  expect_agreement(captured);
  std::size_t pauses = 0;
  for (std::size_t i = 0; i < captured.read.size(); ++i) {
    EXPECT_EQ(captured.read[i].at("macc.opcode").empty(), !captured.seen[i].link_control) << i;
    pauses += captured.seen[i].link_control ? 1 : 0;
  }
  EXPECT_GT(pauses, 0U);
}

TEST(RunCapture, AddressesBelongToNamesAndAreUnique) {
  fabric::Graph graph;
  graph.endpoints = 2000;
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    graph.nodes.push_back({.name = fmt::format("host{}/nic0", i), .kind = fabric::NodeKind::kEndpoint});
  }
  const auto addresses = study::world::end_addresses(graph, 1);
  std::set<std::uint16_t> lids;
  std::set<std::uint32_t> hosts;
  for (const wire::EndAddresses& address : addresses) {
    lids.insert(address.lid);
    hosts.insert(address.ipv4.value);
    EXPECT_GE(address.lid, 1);
    EXPECT_LT(address.lid, 0xC000);
    EXPECT_EQ(address.ipv4.value >> 24, 10U);
  }
  EXPECT_EQ(lids.size(), graph.endpoints);
  EXPECT_EQ(hosts.size(), graph.endpoints);
  EXPECT_EQ(study::world::end_addresses(graph, 1)[7].mac, addresses[7].mac);
}

}  // namespace
}  // namespace weft::test
