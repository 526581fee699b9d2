// Runs with multicast groups: copies on every link, when the last member has a datagram, losses, and what is refused.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "study/assembly/build_fabric.h"
#include "study/assembly/build_hosts.h"
#include "study/assembly/build_multicast.h"
#include "study/assembly/build_topology.h"
#include "study/run/run_test_support.h"
#include "wire/encapsulation.h"
#include "wire/multicast.h"

namespace weft::study::run {
namespace {

using scenario::message_of;
using ::testing::HasSubstr;

/// Two tiers of InfiniBand with 16 hosts.
constexpr std::string_view kNetwork =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 16\nhosts_per_leaf = 4\nspines = "
    "2\n";
constexpr std::string_view kGroup =
    "[[traffic]]\nname = \"ticks\"\nkind = \"multicast\"\nsources = [\"host0\"]\nsize = \"4096 B\"\n";

Result<scenario::Scenario> with(std::string_view more, std::string_view network = kNetwork) {
  return scenario::parse_scenario(fmt::format("{}{}", network, more), {.file = "test.toml"},
                                  scenario::test_catalogue());
}

Result<scenario::Scenario> group_with(std::string_view more, std::string_view network = kNetwork) {
  return with(fmt::format("{}{}", kGroup, more), network);
}

std::map<std::string, std::uint64_t> packets_by_port(const results::RunResults& results) {
  std::map<std::string, std::uint64_t> packets;
  for (const results::PortRow& port : results.ports) {
    if (port.tx_packets != 0) {
      packets[port.name] = port.tx_packets;
    }
  }
  return packets;
}

/// How often one datagram of host0 leaves each port, by the tables that its switches have.
std::map<std::string, std::uint64_t> copies_by_tree(const scenario::Scenario& scenario) {
  const fabric::Graph graph = *assembly::build_topology(scenario);
  auto plans = *assembly::plan_traffic(scenario, graph);
  const fabric::MulticastTables tables = *assembly::multicast_tables(scenario, graph, plans);
  std::map<std::pair<std::uint32_t, std::uint16_t>, fabric::LinkEnd> peers;
  for (const fabric::Link& link : graph.links) {
    peers[{link.a.node.value(), link.a.port}] = link.b;
    peers[{link.b.node.value(), link.b.port}] = link.a;
  }
  std::map<std::string, std::uint64_t> copies{{graph.nodes[0].name, 1}};
  std::vector<fabric::LinkEnd> arrivals{peers.at({0, 0})};
  while (!arrivals.empty()) {
    const fabric::LinkEnd at = arrivals.back();
    arrivals.pop_back();
    if (at.node.value() < graph.endpoints) {
      continue;
    }
    for (const std::uint16_t port :
         tables.ports({.switch_ordinal = at.node.value() - graph.endpoints, .lid = plans[0].multicast->lid})) {
      if (port != at.port) {
        ++copies[fmt::format("{}/port{}", graph[at.node].name, port)];
        arrivals.push_back(peers.at({at.node.value(), port}));
      }
    }
  }
  return copies;
}

TEST(MulticastRun, EachLinkOfTheTreeCarriesEachDatagramOnce) {
  const Result<scenario::Scenario> scenario = group_with("count = 50\ndepth = 16\n");
  ASSERT_TRUE(scenario) << message_of(scenario);
  const results::RunResults results = results_of(scenario);
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
  std::map<std::string, std::uint64_t> expected = copies_by_tree(*scenario);
  // The sender's cable, its neighbours', the leaf's cable to a spine, three from there, and twelve hosts.
  EXPECT_EQ(expected.size(), 1U + 3U + 1U + 3U + 12U);
  for (auto& [port, copies] : expected) {
    EXPECT_EQ(copies, 1U) << port;
    copies *= 50;
  }
  EXPECT_EQ(packets_by_port(results), expected);
  ASSERT_EQ(results.multicast.size(), 1U);
  const results::MulticastRow& row = results.multicast[0];
  EXPECT_EQ(row.lid, 0xC001U);
  EXPECT_EQ(row.sent, 50U);
  EXPECT_EQ(row.expected, 50U * 15U);
  EXPECT_EQ(row.delivered, row.expected);
  EXPECT_EQ(row.incomplete, 0U);
  ASSERT_EQ(row.members.size(), 16U);
  EXPECT_EQ(row.members[0].expected, 0U);
  EXPECT_EQ(row.members[15].delivered, 50U);
}

// Stages of both NICs, four wires, three switches that begin with the first eight bytes, and the datagram once.
TEST(MulticastRun, TheLastMemberOfATwoLevelTreeHasADatagramWhenTheClosedFormSays) {
  const Result<scenario::Scenario> scenario = group_with("");
  ASSERT_TRUE(scenario) << message_of(scenario);
  const fabric::Graph graph = *assembly::build_topology(*scenario);
  const fabric::InfiniBandOptions options = *assembly::infiniband_options(*scenario, graph);
  ASSERT_EQ(options.switches[0].forwarding, fabric::Forwarding::kCutThrough);
  assembly::HostBuilder hosts(*scenario, graph);
  const host::NicOptions nic = hosts.nic(EndpointId(0));
  const std::uint8_t opcode = wire::make_opcode(wire::Service::kUd, wire::Operation::kSendOnlyImmediate);
  const Bytes frame = wire::sizes(wire::Encapsulation::kIbGlobal, opcode, Bytes(4096)).frame;
  const Rate rate = graph.links[0].rate;
  const auto propagation = [&](std::uint32_t tier) {
    for (const fabric::Link& link : graph.links) {
      if ((link.a.node.value() < graph.endpoints) == (tier == 0)) {
        return link.propagation;
      }
    }
    return Duration::zero();
  };
  const Duration wires = 2 * propagation(0) + 2 * propagation(1);
  const Duration receive = options.endpoint_pipeline.empty() ? Duration::zero() : options.endpoint_pipeline[15];
  const Duration form = nic.pipeline.before_wire() + wires +
                        3 * (options.switches[0].latency + rate.transmit_time(Bytes(8))) + rate.transmit_time(frame) +
                        receive + nic.pipeline.completion;
  const results::RunResults results = results_of(scenario);
  EXPECT_EQ(results.multicast.at(0).last_most, form);
  EXPECT_EQ(results.multicast.at(0).members.at(15).latency_most, form);
  const Duration near = form - 2 * propagation(1) - 2 * (options.switches[0].latency + rate.transmit_time(Bytes(8)));
  EXPECT_EQ(results.multicast.at(0).first_most, near);
}

TEST(MulticastRun, UnicastToEachMemberTakesTheSendersPortAsOftenAsThereAreMembers) {
  std::string flows;
  for (int i = 1; i < 16; ++i) {
    flows += fmt::format(
        "[[traffic]]\nkind = \"flows\"\nsources = [\"host0\"]\ndestinations = [\"host{}\"]\nsize = \"4096 B\"\n", i);
  }
  const results::RunResults unicast = results_of(with(flows));
  const results::RunResults group = results_of(group_with(""));
  EXPECT_EQ(packets_by_port(unicast).at("host0/nic0"), 15U);
  EXPECT_EQ(packets_by_port(group).at("host0/nic0"), 1U);
  EXPECT_EQ(group.multicast.at(0).delivered, 15U);
}

TEST(MulticastRun, SeveralSendersAndGroupsShareTheNetwork) {
  const results::RunResults results = results_of(with(
      "[[traffic]]\nname = \"all\"\nkind = \"multicast\"\nsize = \"1 KiB\"\ncount = 20\ndepth = 8\n"
      "[[traffic]]\nname = \"few\"\nkind = \"multicast\"\nsources = [\"host1\", \"host9\"]\ndestinations = [\"host3\", "
      "\"host9\", \"host12\"]\nsize = \"4096 B\"\ncount = 30\ndepth = 4\n"
      "[[traffic]]\nkind = \"permutation\"\nsize = \"256 KiB\"\n"));
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
  ASSERT_EQ(results.multicast.size(), 2U);
  EXPECT_EQ(results.multicast[0].delivered, 16U * 15U * 20U);
  EXPECT_EQ(results.multicast[1].lid, 0xC002U);
  EXPECT_EQ(results.multicast[1].expected, 30U * 3U + 30U * 2U);
  EXPECT_EQ(results.multicast[1].delivered, results.multicast[1].expected);
}

TEST(MulticastRun, EveryRoutingEngineHasTreesThatReachAllMembersOnce) {
  for (const char* const engine : {"minhop", "updn", "dnup", "ftree", "sssp", "dfsssp", "lash", "nue"}) {
    SCOPED_TRACE(engine);
    const results::RunResults results = results_of(with(fmt::format(
        "[infiniband]\nvls = 4\n[routing]\npolicy = \"lft\"\nengine = \"{}\"\n{}count = 10\n", engine, kGroup)));
    EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
    EXPECT_EQ(results.multicast.at(0).delivered, 150U);
  }
}

TEST(MulticastRun, ARateSpacesTheDatagrams) {
  const results::RunResults results = results_of(group_with("count = 11\nrate = \"1 Gbps\"\n"));
  // Ten intervals of 4096 bytes at 1 Gb/s, and the time of the last datagram.
  const Duration spaced = 10 * Rate::bits_per_second(1'000'000'000).transmit_time(Bytes(4096));
  EXPECT_EQ(results.run.ended_at, Time::zero() + spaced + results.multicast.at(0).last_most);
}

// Nothing is sent again: the run ends when nothing has come for a while, and says what is lost.
TEST(MulticastRun, WhatCablesDamageIsLostAndCounted) {
  const results::RunResults results =
      results_of(with(fmt::format("[link]\nbit_error_rate = \"1e-6\"\n{}count = 400\ndepth = 16\n", kGroup)));
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
  const results::MulticastRow& row = results.multicast.at(0);
  EXPECT_EQ(row.sent, 400U);
  EXPECT_GT(row.lost(), 0U);
  EXPECT_GT(row.incomplete, 0U);
  std::uint64_t delivered = 0;
  for (const results::MulticastMemberRow& member : row.members) {
    delivered += member.delivered;
  }
  EXPECT_EQ(delivered, row.delivered);
  // The millisecond in which nothing came is none of the group's.
  const results::RunResults whole = results_of(with(fmt::format("{}count = 400\ndepth = 16\n", kGroup)));
  EXPECT_EQ(whole.multicast.at(0).lost(), 0U);
  EXPECT_NEAR(results.run.ended_at.since_start().seconds(), whole.run.ended_at.since_start().seconds(), 20e-6);
}

TEST(MulticastRun, AWorldWithAGroupStaysWhole) {
  constexpr std::string_view kLarge =
      "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 256\nhosts_per_leaf = 16\nspines "
      "= "
      "16\n";
  Collector collector;
  const auto is_divided = [&](const Result<scenario::Scenario>& scenario) {
    auto simulation = Simulation::create(scenario.value(), collector, Payload::kLengths);
    return simulation.value()->world().runs_in_windows();
  };
  EXPECT_TRUE(is_divided(with("[[traffic]]\nkind = \"permutation\"\n", kLarge)));
  EXPECT_FALSE(is_divided(group_with("", kLarge)));
}

TEST(MulticastRun, WhatAGroupCannotBeIsRefusedWithItsPlace) {
  const std::string ethernet =
      message_of(group_with("", "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"single-switch\"\nhosts = 4\n"));
  EXPECT_THAT(ethernet, HasSubstr("traffic[0].kind"));
  EXPECT_THAT(ethernet, HasSubstr("set fabric.family = \"infiniband\""));
  EXPECT_THAT(message_of(with("[[traffic]]\nkind = \"multicast\"\nsize = \"8 KiB\"\n")),
              HasSubstr("a datagram has at most fabric.mtu"));
  EXPECT_THAT(message_of(group_with("count = 0\n")), HasSubstr("0 datagrams; at least 1"));
  EXPECT_THAT(message_of(group_with("operation = \"write\"\n")), HasSubstr("'write': datagrams are sent"));
  EXPECT_THAT(message_of(group_with("queue_pairs = 2\n")), HasSubstr("one datagram queue pair"));
  EXPECT_THAT(message_of(group_with("fan_in = 2\n")), HasSubstr("only with incast"));
  EXPECT_THAT(message_of(with("[[traffic]]\nkind = \"permutation\"\nrate = \"1 Gbps\"\n")),
              HasSubstr("only with multicast"));
}

TEST(MulticastRun, WhatAGroupCannotBeBesideIsRefusedWithWhatToLeaveOut) {
  EXPECT_THAT(message_of(group_with("[[event]]\nat = \"1 us\"\nselect = \"leaf0/port0\"\naction = \"fail\"\n")),
              HasSubstr("leave out [[event]]"));
  EXPECT_THAT(message_of(group_with("[[failure]]\nkind = \"link-down\"\nselect = \"leaf0/port0\"\nat = \"1 us\"\n")),
              HasSubstr("leave out [[failure]]"));
  EXPECT_THAT(message_of(group_with("[host]\nprofile = \"modern\"\n")), HasSubstr("set host.profile = \"ideal\""));
  EXPECT_THAT(message_of(with(fmt::format("{}", kGroup), fmt::format("fidelity = \"flow\"\n{}", kNetwork))),
              HasSubstr("use \"packet\""));
}

TEST(MulticastRun, WhoIsInAGroupIsCheckedWhenItIsBuilt) {
  const auto refusal = [](std::string_view more) {
    Collector collector;
    const Result<scenario::Scenario> scenario = with(more);
    EXPECT_TRUE(scenario) << message_of(scenario);
    const auto simulation = Simulation::create(*scenario, collector);
    return simulation ? std::string("no error") : simulation.error().message;
  };
  EXPECT_THAT(refusal("[[traffic]]\nkind = \"multicast\"\nsources = [\"host1\"]\ndestinations = [\"host1\"]\nsize = "
                      "\"64 B\"\n"),
              HasSubstr("nobody but 'host1/nic0' would get what it sends"));
  EXPECT_THAT(refusal("[[traffic]]\nkind = \"multicast\"\nsources = [\"host1\", \"host1\"]\nsize = \"64 B\"\n"),
              HasSubstr("'host1' selects no further participant"));
  EXPECT_THAT(refusal("[[traffic]]\nkind = \"multicast\"\nsources = [\"host99\"]\nsize = \"64 B\"\n"),
              HasSubstr("selector 'host99' matches nothing"));
}

}  // namespace
}  // namespace weft::study::run
