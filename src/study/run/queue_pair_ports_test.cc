// Queue pairs of a flow over the ports of its NIC: the rates they reach, what a failed port leaves, what `weft paths`
// and the flow level make of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "study/results/summary.h"
#include "study/run/flow_run.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using scenario::message_of;
using ::testing::HasSubstr;

// Two racks of one pod, so that the two ports of a NIC share no link on the way.
constexpr std::string_view kLeafSpine = "kind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 4\nspines = 4\n";
constexpr std::string_view kFatTree = "kind = \"fat-tree\"\nradix = 8\nhosts = 8\n";
constexpr std::string_view kRails = "kind = \"rail-optimised\"\nhosts = 8\nhosts_per_leaf = 4\nspines = 4\n";
constexpr std::string_view kNetworks[] = {kLeafSpine, kFatTree, kRails};

constexpr double kLine = 200e9;
constexpr double kMost = 0.95;  // of the line at least: headers, and what the last message takes to arrive
constexpr std::int64_t kSent = 64 << 20;

/// One flow of 64 MiB from the first host to the last, in 1 MiB, over NICs of two ports of 200 Gb/s.
Result<scenario::Scenario> one_flow(std::string_view topology, const std::vector<std::string>& settings,
                                    std::string_view more = {}) {
  const std::string text = fmt::format(
      "hardware = \"equal\"\n[fabric]\nfamily = \"rocev2\"\n[nic]\nports = 2\n[link]\nrate = \"200 Gbps\"\n"
      "[transport]\nack_timeout = 8\n[congestion_control]\nalgorithm = \"none\"\n[topology]\nports_per_nic = 2\n{}"
      "[[traffic]]\nname = \"one\"\nkind = \"flows\"\nsources = [\"host0/nic0\"]\ndestinations = [\"host7/nic0\"]\n"
      "ends = \"nics\"\nsize = \"1 MiB\"\ncount = 64\ndepth = 16\n{}",
      topology, more);
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = settings;
  return scenario::parse_scenario(text, request, scenario::test_catalogue());
}

std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

double seconds_of(const results::RunResults& results) {
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
  Time last;
  for (const results::MessageRow& row : results.messages) {
    last = later(last, row.record.finished);
  }
  return last.since_start().seconds();
}

/// Of a line of one port.
double lines_of(const results::RunResults& results) { return kSent * 8 / seconds_of(results) / kLine; }

std::map<std::string, std::uint64_t> packets_of(const results::RunResults& results) {
  std::map<std::string, std::uint64_t> packets;
  for (const results::NicRow& row : results.nics) {
    packets[row.name] = row.data_sent;
  }
  return packets;
}

std::uint64_t moved(const results::RunResults& results, std::string_view port) {
  const auto row = std::ranges::find(results.nics, port, &results::NicRow::name);
  return row == results.nics.end() ? 0 : row->moved;
}

std::ptrdiff_t lost_of(const results::RunResults& results) {
  return std::ranges::count_if(
      results.messages, [](const results::MessageRow& row) { return row.record.status != verbs::WcStatus::kSuccess; });
}

std::string event(std::string_view select, std::string_view at = "0 us") {
  return fmt::format("[[event]]\nat = \"{}\"\nselect = \"{}\"\naction = \"fail\"\n", at, select);
}

TEST(QueuePairPorts, ALoneFlowHasTheLinesOfBothPortsWithTwoQueuePairsAndOneLineWithOne) {
  for (const char* const family : {"rocev2", "infiniband", "uet"}) {
    for (const std::string_view network : kNetworks) {
      for (const char* const planes : {"topology.planes=1", "topology.planes=2"}) {
        const std::string where = fmt::format("{}, {}, {}", family, network, planes);
        const std::vector<std::string> settings{fmt::format("fabric.family={}", family), planes};
        const double one = lines_of(results_of(one_flow(network, settings)));
        EXPECT_GT(one, kMost) << where;
        EXPECT_LT(one, 1.0) << where;
        const auto two = results_of(one_flow(network, with(settings, {"traffic[0].queue_pairs=2"})));
        EXPECT_GT(lines_of(two), 2 * kMost) << where;
        EXPECT_LT(lines_of(two), 2.0) << where;
        const auto packets = packets_of(two);
        EXPECT_EQ(packets.at("host0/nic0/port0"), packets.at("host0/nic0/port1")) << where;
      }
    }
  }
}

TEST(QueuePairPorts, FourQueuePairsAreTwoOnEachPort) {
  const auto four = results_of(one_flow(kLeafSpine, {"traffic[0].queue_pairs=4"}));
  EXPECT_GT(lines_of(four), 1.9);
  EXPECT_LT(lines_of(four), 2.0);
}

// Of 64 messages that take turns 43 leave by the port with two queue pairs.
TEST(QueuePairPorts, ThreeQueuePairsAreHeldBackByThePortThatHasTwo) {
  const auto three = results_of(one_flow(kLeafSpine, {"traffic[0].queue_pairs=3", "topology.planes=2"}));
  constexpr double kBound = 64.0 / 43;
  EXPECT_GT(lines_of(three), 0.95 * kBound);
  EXPECT_LT(lines_of(three), kBound);
  ASSERT_TRUE(three.jobs.at(0).allowed);
  const auto one = results_of(one_flow(kLeafSpine, {"topology.planes=2"}));
  ASSERT_TRUE(one.jobs.at(0).allowed);
  EXPECT_NEAR(static_cast<double>(three.jobs[0].allowed->per_sender.bits_per_second()) /
                  static_cast<double>(one.jobs[0].allowed->per_sender.bits_per_second()),
              kBound, 0.001);
}

TEST(QueuePairPorts, OneMessageInPartsHasBothLinesAndIsNotFasterThanItCouldBe) {
  const auto split = results_of(one_flow(kLeafSpine, {"traffic[0].queue_pairs=2", "traffic[0].queue_pair_use=split",
                                                      "traffic[0].size=64 MiB", "traffic[0].count=1"}));
  EXPECT_GT(lines_of(split), 1.9);
  ASSERT_EQ(split.messages.size(), 1U);
  const workload::MessageRecord& record = split.messages[0].record;
  const double taken = (record.finished - record.posted).seconds();
  EXPECT_GE(taken, split.messages[0].ideal.seconds() * 0.9999);
  EXPECT_LT(taken, split.messages[0].ideal.seconds() * 1.05);
  ASSERT_TRUE(split.jobs.at(0).allowed);
  EXPECT_GE(static_cast<double>(split.jobs[0].allowed->per_sender.bits_per_second()),
            static_cast<double>(split.messages[0].record.size.count()) * 8 / taken);
}

TEST(QueuePairPorts, PortsThatStandInForOneAnotherLeaveOneLine) {
  constexpr std::string_view kFailover =
      "[routing]\nport_failover = true\nport_failover_delay = \"1 us\"\nreroute_delay = \"2 us\"\n";
  for (const char* const family : {"rocev2", "uet"}) {
    for (const std::string_view network : kNetworks) {
      for (const char* const planes : {"topology.planes=1", "topology.planes=2"}) {
        const std::string where = fmt::format("{}, {}, {}", family, network, planes);
        const auto failed =
            results_of(one_flow(network, {fmt::format("fabric.family={}", family), planes, "traffic[0].queue_pairs=2"},
                                std::string(kFailover) + event("host0/nic0/port0")));
        EXPECT_GT(lines_of(failed), kMost) << where;
        EXPECT_LT(lines_of(failed), 1.0) << where;
        EXPECT_GT(moved(failed, "host0/nic0/port0"), 0U) << where;
        EXPECT_EQ(moved(failed, "host0/nic0/port1"), 0U) << where;
      }
    }
  }
}

// What a library does where ports have addresses of their own: nothing moves before the retries are used up.
TEST(QueuePairPorts, AQueuePairThatIsConnectedAnewGoesOnAtTheNextPort) {
  constexpr std::string_view kRetries =
      "[library]\nreconnect_attempts = 1\nreconnect_wait = \"100 us\"\nreconnect_exchange = \"10 us\"\n";
  for (const char* const family : {"infiniband", "rocev2"}) {
    for (const std::string_view network : kNetworks) {
      for (const char* const planes : {"topology.planes=1", "topology.planes=2"}) {
        const std::string where = fmt::format("{}, {}, {}", family, network, planes);
        const std::vector<std::string> settings{fmt::format("fabric.family={}", family), planes,
                                                "traffic[0].queue_pairs=2", "transport.retry_count=1"};
        const std::string lost = event("host0/nic0/port0", "500 us");
        EXPECT_GT(lost_of(results_of(one_flow(network, settings, lost))), 0) << where;
        const auto failed = results_of(one_flow(network, settings, std::string(kRetries) + lost));
        EXPECT_EQ(lost_of(failed), 0) << where;
        EXPECT_EQ(failed.jobs.at(0).reconnections, 1U) << where;
        // Two timeouts of 1.05 ms, the wait and the exchange; half of what is left goes over the other port.
        const double whole = seconds_of(results_of(one_flow(network, settings)));
        const double time = seconds_of(failed);
        EXPECT_GT(time, 500e-6 + 2 * 1.05e-3) << where;
        EXPECT_LT(time, 500e-6 + 3 * 1.05e-3 + 110e-6 + whole) << where;
      }
    }
  }
}

TEST(QueuePairPorts, RanksOfAJobHaveTheirNicsToo) {
  const std::string job = "[[job]]\nname = \"pair\"\ngpus = 8\n";
  const auto run = [&job](const std::string& pairs) {
    return lines_of(results_of(one_flow(kLeafSpine,
                                        {"traffic[0].job=pair", "traffic[0].sources=[\"0\"]",
                                         "traffic[0].destinations=[\"7\"]", "traffic[0].queue_pairs=" + pairs},
                                        job)));
  };
  EXPECT_LT(run("1"), 1.0);
  EXPECT_GT(run("2"), 1.9);
}

TEST(QueuePairPorts, TheFlowLevelHasTheSameRates) {
  for (const char* const planes : {"topology.planes=1", "topology.planes=2"}) {
    for (const char* const pairs : {"traffic[0].queue_pairs=1", "traffic[0].queue_pairs=2"}) {
      const auto packets = results_of(one_flow(kLeafSpine, {planes, pairs}));
      const auto scenario = one_flow(kLeafSpine, {planes, pairs, "fidelity=flow"});
      ASSERT_TRUE(scenario) << message_of(scenario);
      const auto flows = run_as_flows(*scenario, {});
      ASSERT_TRUE(flows) << flows.error().message;
      EXPECT_NEAR(seconds_of(flows->results) / seconds_of(packets), 1, 0.03) << planes << pairs;
    }
  }
}

struct Nobody final : workload::MessageSink {
  void on_message(const workload::MessageRecord& /*record*/) override {}
};

TEST(QueuePairPorts, PathsAreForeseenFromEachPortToItsLike) {
  for (const char* const family : {"rocev2", "infiniband", "uet"}) {
    const auto scenario = one_flow(kLeafSpine, {fmt::format("fabric.family={}", family), "traffic[0].queue_pairs=4"});
    ASSERT_TRUE(scenario) << message_of(scenario);
    Nobody nobody;
    const auto simulation = Simulation::create(*scenario, nobody);
    ASSERT_TRUE(simulation) << simulation.error().message;
    const auto plan = (*simulation)->planned_flows();
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_EQ(plan->sets.size(), 1U);
    std::map<std::string, int> pairs;
    for (const world::PlannedFlow& flow : plan->sets[0].flows) {
      const fabric::Graph& graph = (*simulation)->world().graph();
      ++pairs[graph.nodes[flow.source.value()].name + " " + graph.nodes[flow.destination.value()].name];
    }
    const std::map<std::string, int> expected{{"host0/nic0/port0 host7/nic0/port0", 2},
                                              {"host0/nic0/port1 host7/nic0/port1", 2}};
    EXPECT_EQ(pairs, expected) << family;
  }
}

TEST(QueuePairPorts, AreRefusedWhereTheyMeanNothing) {
  EXPECT_THAT(
      message_of(scenario::scenario_with("[[traffic]]\nkind = \"collective\"\nsize = \"1 MiB\"\nends = \"nics\"\n")),
      HasSubstr("ends"));
  EXPECT_THAT(message_of(one_flow(kLeafSpine, {"traffic[0].over=scale-up", "scale_up.entry=nvlink4"})),
              HasSubstr("'nics' are of the fabric"));
}

}  // namespace
}  // namespace weft::study::run
