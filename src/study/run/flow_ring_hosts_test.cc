// Rings through hosts that are alike, which the first two hosts run for all, beside the same run whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "study/run/flow_probe.h"
#include "study/run/flow_run.h"
#include "study/run/flow_simulation.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

constexpr std::string_view kForAll = "whose hosts do what all others do";

/// Hosts of eight GPUs and NICs, whose rails have leaves of their own.
struct Ring {
  int gpus = 64;
  int hosts_per_leaf = 8;
  std::string collective = "all-reduce";
  std::string size = "64 MiB";
  int count = 1;
  std::string job{};       // keys of the job
  std::string more{};      // keys of the traffic
  std::string sections{};  // of the scenario
  std::string algorithm = "ring";
  std::string topology = "rail-optimised";
};

scenario::Scenario parse(const std::string& text) {
  auto parsed = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                         scenario::test_catalogue());
  EXPECT_TRUE(parsed) << parsed.error().message << text;
  return *parsed;
}

scenario::Scenario scenario_of(const Ring& ring) {
  const bool leaves = ring.topology != "single-switch";
  const int hosts = (ring.gpus + 7) / 8;
  const int hosts_per_leaf = std::min(ring.hosts_per_leaf, hosts);
  return parse(fmt::format(
      "fidelity = \"flow\"\n[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"{}\"\n{}nics_per_host = 8\n"
      "gpus_per_host = 8\n{}[switch]\nports = 128\n[transport]\nack_interval = 64\n[collectives]\n"
      "profile = \"h100-cx7\"\n[scale_up]\nentry = \"nvlink4\"\n[[job]]\nname = \"ranks\"\ngpus = {}\n{}[[traffic]]\n"
      "kind = \"collective\"\njob = \"ranks\"\ncollective = \"{}\"\nalgorithm = \"{}\"\nsize = \"{}\"\ncount = "
      "{}\n{}\n{}",
      ring.topology,
      ring.topology == "leaf-spine" ? fmt::format("leaves = {}\n", hosts / hosts_per_leaf)
                                    : fmt::format("hosts = {}\n", hosts),
      leaves ? fmt::format("hosts_per_leaf = {0}\nspines = {0}\n", hosts_per_leaf) : "", ring.gpus, ring.job,
      ring.collective, ring.algorithm, ring.size, ring.count, ring.more, ring.sections));
}

/// Every rank and every message.
struct Whole final : workload::MessageSink {
  void on_message(const workload::MessageRecord& record) override {
    messages.emplace(std::pair(record.flow, record.number), record);
  }
  void on_collective(const workload::CollectiveRecord& record) override { collectives.push_back(record); }
  std::map<std::pair<workload::FlowId, std::uint64_t>, workload::MessageRecord> messages;
  std::vector<workload::CollectiveRecord> collectives;
  Time ended_at;
  Bytes scale_out;
};

Whole run_whole(const scenario::Scenario& scenario) {
  Whole whole;
  const auto simulation = FlowSimulation::create(scenario, whole, {});
  EXPECT_TRUE(simulation) << simulation.error().message;
  EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
  whole.ended_at = (*simulation)->ended_at();
  for (std::uint32_t rank = 0; rank < (*simulation)->jobs().front().rank_endpoints.size(); ++rank) {
    whole.scale_out += (*simulation)->collective_bytes(0, rank).scale_out;
  }
  return whole;
}

FlowRun run_flows(const scenario::Scenario& scenario) {
  auto ran = run_as_flows(scenario, {});
  EXPECT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->results.run.end, results::RunEnd::kFinished) << ran->results.run.error;
  return *ran;
}

bool stands_for_all(const FlowRun& run) { return run.sampled.find(kForAll) != std::string::npos; }

/// Whether two hosts would run it for all, without running it.
bool may_stand_for_all(const Ring& ring) {
  const scenario::Scenario scenario = scenario_of(ring);
  Whole sink;
  const auto simulation = FlowSimulation::create(scenario, sink, {});
  EXPECT_TRUE(simulation) << simulation.error().message;
  return (*simulation)->ring_cell(0).ranks > 0;
}

using Facts = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, Time, Time>;

std::vector<Facts> facts_of(const std::vector<workload::CollectiveRecord>& records) {
  std::vector<Facts> facts;
  for (const workload::CollectiveRecord& record : records) {
    facts.emplace_back(record.iteration, record.rank.value(), record.size.count(), record.started, record.finished);
  }
  std::ranges::sort(facts);
  return facts;
}

void expect_as_whole(const Ring& ring) {
  const scenario::Scenario scenario = scenario_of(ring);
  const Whole whole = run_whole(scenario);
  const FlowRun run = run_flows(scenario);
  SCOPED_TRACE(fmt::format("{} {} {}", ring.collective, ring.gpus, run.sampled));
  EXPECT_TRUE(stands_for_all(run));
  EXPECT_EQ(run.sampled.find("not known"), std::string::npos);
  EXPECT_EQ(run.results.run.ended_at, whole.ended_at);
  EXPECT_EQ(facts_of(run.results.collectives), facts_of(whole.collectives));
  EXPECT_EQ(run.scale_out, whole.scale_out);
  EXPECT_EQ(run.results.jobs.front().ranks.size(), static_cast<std::size_t>(ring.gpus));
}

TEST(FlowRingHosts, OnOneLeafEveryRankEndsAtThePicosecondOfTheWholeRun) {
  for (const std::string_view collective : {"all-reduce", "all-gather", "reduce-scatter"}) {
    for (const int gpus : {32, 64}) {
      expect_as_whole({.gpus = gpus, .collective = std::string(collective), .size = "16 MiB"});
    }
  }
}

TEST(FlowRingHosts, OnOneSwitchRepeatedOperationsEndAtThePicosecondOfTheWholeRun) {
  expect_as_whole({.gpus = 32, .size = "8 MiB", .count = 3, .topology = "single-switch"});
}

TEST(FlowRingHosts, MessagesThatTheWholeRunHasTooAreTheSame) {
  const scenario::Scenario scenario = scenario_of({.gpus = 32, .size = "8 MiB", .count = 2});
  const Whole whole = run_whole(scenario);
  const FlowRun run = run_flows(scenario);
  ASSERT_TRUE(stands_for_all(run));
  std::size_t same = 0;
  for (const results::MessageRow& row : run.results.messages) {
    const auto found = whole.messages.find({row.record.flow, row.record.number});
    if (found != whole.messages.end()) {
      ++same;
      EXPECT_EQ(row.record.size, found->second.size);
      EXPECT_EQ(row.record.posted, found->second.posted);
      EXPECT_EQ(row.record.finished, found->second.finished);
    } else {
      // The ring of two hosts is closed by what goes from the second to the first.
      EXPECT_TRUE(row.record.flow.source.value() / 8 == 1 && row.record.flow.destination.value() / 8 == 0);
    }
  }
  EXPECT_GT(same, run.results.messages.size() / 4);
}

/// A probe has packets of all ranks, and compares what those of the first hosts have come to.
TEST(FlowRingHosts, AProbeFindsTheErrorThatItFindsOfTheWholeRun) {
  const scenario::Scenario scenario =
      scenario_of({.gpus = 32, .size = "4 MiB", .sections = "[flow]\nprobe_hops = 100000\n"});
  const FlowRun run = run_flows(scenario);
  ASSERT_TRUE(stands_for_all(run));
  const FlowCheck check = probe_flow_level(scenario, run, [] { return true; });
  ASSERT_TRUE(check.error) << check.what;
  FlowRun of_whole = run;
  const Whole whole = run_whole(scenario);
  for (results::MessageRow& row : of_whole.results.messages) {
    const auto found = whole.messages.find({row.record.flow, row.record.number});
    if (found != whole.messages.end()) {
      row.record = found->second;
    }
  }
  const FlowCheck expected = probe_flow_level(scenario, of_whole, [] { return true; });
  ASSERT_TRUE(expected.error) << expected.what;
  EXPECT_EQ(*check.error, *expected.error);
  EXPECT_EQ(check.what, expected.what);
}

TEST(FlowRingHosts, OverSeveralLeavesItIsWithinFourPercentAndSaysThatItsErrorIsNotKnown) {
  const scenario::Scenario scenario = scenario_of({.hosts_per_leaf = 4});
  const FlowRun run = run_flows(scenario);
  ASSERT_TRUE(stands_for_all(run)) << run.sampled;
  EXPECT_NE(run.sampled.find("an error that is not known"), std::string::npos) << run.sampled;
  const double ratio =
      run.results.run.ended_at.since_start().seconds() / run_whole(scenario).ended_at.since_start().seconds();
  EXPECT_NEAR(ratio, 1, 0.04);
  RecordProperty("ratio", fmt::format("{}", ratio));
}

/// What ways between leaves take longer is in its messages too, so that a probe sees it.
TEST(FlowRingHosts, OverSeveralLeavesTheLastMessageEndsWithItsOperation) {
  const scenario::Scenario near = scenario_of({.gpus = 32, .hosts_per_leaf = 4, .size = "4 MiB", .count = 2});
  const scenario::Scenario far = scenario_of({.gpus = 32, .hosts_per_leaf = 2, .size = "4 MiB", .count = 2});
  const FlowRun one = run_flows(near);
  const FlowRun two = run_flows(far);
  ASSERT_TRUE(stands_for_all(one) && stands_for_all(two));
  const Duration longer = two.results.run.ended_at - one.results.run.ended_at;
  EXPECT_GT(longer, Duration::zero());
  const auto last = [](const FlowRun& run) {
    Time end;
    for (const results::MessageRow& row : run.results.messages) {
      end = later(end, row.record.finished);
    }
    return end;
  };
  EXPECT_NEAR(static_cast<double>((last(two) - last(one)).picoseconds()), static_cast<double>(longer.picoseconds()),
              0.05 * static_cast<double>(longer.picoseconds()));
  for (const workload::CollectiveRecord& record : two.results.collectives) {
    EXPECT_LE(record.finished, two.results.run.ended_at);
  }
}

TEST(FlowRingHosts, HostsThatAreNotAlikeAreRunThemselves) {
  EXPECT_TRUE(may_stand_for_all({}));
  EXPECT_FALSE(may_stand_for_all({.gpus = 60})) << "the last host has four ranks";
  EXPECT_FALSE(may_stand_for_all({.gpus = 56, .hosts_per_leaf = 7})) << "an odd number of hosts";
  EXPECT_FALSE(may_stand_for_all({.gpus = 16, .hosts_per_leaf = 2})) << "two hosts stand for none";
  EXPECT_FALSE(may_stand_for_all({.size = "67108868 B"})) << "segments of unequal size";
  EXPECT_FALSE(may_stand_for_all({.more = "start_jitter = \"1 ns\"\n"}));
  EXPECT_FALSE(may_stand_for_all({.hosts_per_leaf = 4, .topology = "leaf-spine"})) << "eight rails between two leaves";
}

// Neighbours in the ring are under different leaves, so that all its flows share the links between these.
TEST(FlowRingHosts, WhereTheFirstHostsAreUnderTwoLeavesHostsAreRunThemselves) {
  std::string places;
  for (const int host : {0, 4, 1, 5, 2, 6, 3, 7}) {
    for (int gpu = 0; gpu < 8; ++gpu) {
      places += fmt::format("{}\"host{}/gpu{}\"", places.empty() ? "" : ", ", host, gpu);
    }
  }
  const std::string job = fmt::format("placement = \"listed\"\nplaces = [{}]\n", places);
  EXPECT_FALSE(may_stand_for_all({.hosts_per_leaf = 4, .job = job}));
}

TEST(FlowRingHosts, WithAnOverrideHostsAreRunThemselves) {
  const std::string slow = "[[override]]\nselect = \"host5*\"\nnic.port_rate = \"200 Gbps\"\n";
  EXPECT_FALSE(may_stand_for_all({.sections = slow})) << "a slow NIC";
  const std::string longer = "[[override]]\nselect = \"host5/nic0\"\nlink.length = \"50 m\"\n";
  EXPECT_FALSE(may_stand_for_all({.sections = longer})) << "a long cable";
}

TEST(FlowRingHosts, OtherAlgorithmsAreNotTakenForRings) {
  EXPECT_FALSE(may_stand_for_all({.algorithm = "hierarchical"}));
  EXPECT_FALSE(may_stand_for_all({.collective = "broadcast"}));
}

TEST(FlowRingHosts, LinksThatDegradeOrFailAreNoMatterOfTheFlowLevel) {
  for (const std::string_view action : {"action = \"degrade\"\nrate = \"100 Gbps\"\n", "action = \"fail\"\n"}) {
    const scenario::Scenario scenario =
        scenario_of({.sections = fmt::format("[[event]]\nat = \"1 us\"\nselect = \"host5/nic0\"\n{}", action)});
    const auto ran = run_as_flows(scenario, {});
    ASSERT_FALSE(ran);
    EXPECT_NE(ran.error().message.find("events of links are not followed"), std::string::npos) << ran.error().message;
  }
}

TEST(FlowRingHosts, AShortRingIsRunWhole) {
  const FlowRun run = run_flows(parse(
      "fidelity = \"flow\"\n[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"single-switch\"\nhosts = 6\n"
      "nics_per_host = 2\ngpus_per_host = 2\n[scale_up]\nentry = \"nvlink4\"\n[[job]]\nname = \"ranks\"\ngpus = 12\n"
      "[[traffic]]\nkind = \"collective\"\njob = \"ranks\"\nsize = \"1536 KiB\"\nalgorithm = \"ring\"\n"));
  EXPECT_FALSE(stands_for_all(run)) << run.sampled;
  EXPECT_EQ(run.results.collectives.size(), 12U);
}

TEST(FlowRingHosts, AnInterruptedRunIsSaidToBeOne) {
  const scenario::Scenario scenario = scenario_of({.size = "256 MiB"});
  const auto ran = run_as_flows(scenario, {.keep_going = [](const Progress&) { return false; }});
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_EQ(ran->results.run.end, results::RunEnd::kInterrupted);
  EXPECT_NE(ran->sampled.find("63 of 63 steps"), std::string::npos) << ran->sampled;
  EXPECT_EQ(ran->results.jobs.front().ranks.size(), 64U);
}

}  // namespace
}  // namespace weft::study::run
