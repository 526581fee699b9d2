#include "cli/serve_counters.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "subnet/topology_file.h"

namespace weft::cli {
namespace {

using study::results::RunResults;
using subnet::NodeIndex;
using subnet::PortPlace;

subnet::Subnet network() {
  return *subnet::parse_topology(
      {.text = "Hca 1 \"h0\"\n[1] \"leaf\"[1]\n\nHca 1 \"h1\"\n[1] \"leaf\"[2]\n\nSwitch 3 \"leaf\"\n\n",
       .name = "network"});
}

RunResults run() {
  RunResults results;
  results.run.family = "infiniband";
  study::results::PortRow& port = results.ports.emplace_back();
  port.name = "h0";
  port.peer = "leaf/port0";
  port.rate = Rate::bits_per_second(100'000'000'000);
  port.tx_packets = 2;
  port.tx_bytes = 2 * 1'030;
  port.rx_packets = 3;
  port.rx_bytes = 3 * 30;
  port.drops = 4;
  port.receive_errors = 5;
  port.lanes.resize(2);
  port.lanes[0].held = Duration::nanoseconds(320);
  port.lanes[1].held = Duration::nanoseconds(640);
  return results;
}

constexpr PortPlace kFirst{.node = NodeIndex(0), .port = 1};

TEST(ServeCounters, AreThoseOfTheRunInUnitsOfTheAgent) {
  const subnet::Subnet subnet = network();
  subnet::ServedSubnet served(subnet);
  const Result<void> added = add_run_counters(run(), subnet, served);
  ASSERT_TRUE(added) << added.error().message;
  const wire::PortCounters shown = served.port(kFirst).counters.shown();
  EXPECT_EQ(shown.xmit_packets, 2U);
  EXPECT_EQ(shown.xmit_data, 2 * (1'030U - 2) / 4);  // without the VCRC
  EXPECT_EQ(shown.receive_packets, 3U);
  EXPECT_EQ(shown.receive_data, 3 * (30U - 2) / 4);
  EXPECT_EQ(shown.xmit_discards, 4U);
  EXPECT_EQ(shown.receive_errors, 5U);
  EXPECT_EQ(shown.xmit_wait, 3'000U);  // a word takes 320 ps at 100 Gbit/s
  EXPECT_EQ(shown.symbol_errors + shown.link_downed + shown.vl15_dropped, 0U);
}

TEST(ServeCounters, AreRefusedOfAnotherNetwork) {
  const subnet::Subnet subnet = network();
  subnet::ServedSubnet served(subnet);
  RunResults other = run();
  other.run.family = "rocev2";
  EXPECT_EQ(add_run_counters(other, subnet, served).error().message,
            "the run is one of rocev2; a subnet has the counters of infiniband");
  other = run();
  other.ports[0].name = "h7";
  EXPECT_EQ(add_run_counters(other, subnet, served).error().message,
            "the run has a port h7, which the subnet does not have; serve the scenario of the run");
  other = run();
  other.ports[0].peer = "leaf/port1";
  EXPECT_EQ(add_run_counters(other, subnet, served).error().message,
            "the cable from h0 leads to leaf/port1 in the run and elsewhere in the subnet; serve the scenario of the "
            "run");
}

// A reducer is a part of its switch: neither it nor the port that leads to it is one of the subnet.
TEST(ServeCounters, LeaveOutReducers) {
  const subnet::Subnet subnet = network();
  subnet::ServedSubnet served(subnet);
  RunResults with = run();
  for (const auto& [name, peer] :
       {std::pair("leaf/reducer/port0", "leaf/port2"), {"leaf/port2", "leaf/reducer/port0"}}) {
    study::results::PortRow& port = with.ports.emplace_back();
    port.name = name;
    port.peer = peer;
    port.tx_packets = 7;
  }
  const Result<void> added = add_run_counters(with, subnet, served);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(served.port(kFirst).counters.shown().xmit_packets, 2U);
  EXPECT_EQ(served.port({.node = NodeIndex(2), .port = 3}).counters.shown().xmit_packets, 0U);
  with.ports.back().peer = "elsewhere/reducer/port0";
  EXPECT_EQ(add_run_counters(with, subnet, served).error().message,
            "the cable from leaf/port2 leads to elsewhere/reducer/port0 in the run and elsewhere in the subnet; serve "
            "the scenario of the run");
}

TEST(ServeCounters, OfPortsThatNumbersDoNotReachAreRefused) {
  const subnet::Subnet subnet = network();
  subnet::ServedSubnet served(subnet);
  for (const char* const name : {"leaf/port4294967295", "leaf/port18446744073709551615", "leaf/port3"}) {
    RunResults other = run();
    other.ports[0].name = name;
    EXPECT_EQ(
        add_run_counters(other, subnet, served).error().message,
        fmt::format("the run has a port {}, which the subnet does not have; serve the scenario of the run", name));
  }
}

TEST(ServeCounters, AreNotInJson) {
  EXPECT_EQ(read_counters("run.json").error().message,
            "run.json: counters of ports are in files of results (.weft), which `weft run --out` writes, not in JSON");
}

}  // namespace
}  // namespace weft::cli
