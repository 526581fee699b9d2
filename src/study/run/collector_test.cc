#include "study/run/collector.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "study/assembly/build_topology.h"
#include "study/results/results_database.h"
#include "study/results/results_key.h"
#include "study/results/results_schema.h"
#include "study/results/results_store.h"
#include "study/results/summary.h"
#include "study/scenario/scenario_load.h"

namespace weft::study::run {
namespace {

constexpr const char* kIncast = R"(
[fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 5
[nic]
port_rate = "100 Gbps"
[[traffic]]
kind = "incast"
size = "200 kB"
count = 3
)";

scenario::Scenario scenario_of(const std::vector<std::string>& settings, std::string_view text = kIncast) {
  const auto catalogue = scenario::Catalogue::load(std::nullopt);
  auto scenario =
      scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = settings}, *catalogue);
  EXPECT_TRUE(scenario) << scenario.error().message;
  return *scenario;
}

results::RunResults run(const scenario::Scenario& scenario) {
  Collector collector;
  auto simulation = Simulation::create(scenario, collector);
  EXPECT_TRUE(simulation) << simulation.error().message;
  collector.watch(**simulation);
  const auto end = (*simulation)->run([](const Progress&) { return true; });
  return collector.finish(end, {.key = "key", .version = "test"});
}

class Families : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] std::vector<std::string> settings(std::vector<std::string> more = {}) const {
    more.push_back(std::string("fabric.family=") + GetParam());
    return more;
  }
};
INSTANTIATE_TEST_SUITE_P(Collector, Families, ::testing::Values("rocev2", "infiniband"),
                         [](const auto& family) { return family.param; });

TEST_P(Families, EveryMessageIsThereInTheOrderOfItsFlow) {
  const results::RunResults results = run(scenario_of(settings()));
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  ASSERT_EQ(results.messages.size(), 4U * 3);
  for (std::size_t i = 0; i < results.messages.size(); ++i) {
    const results::MessageRow& row = results.messages[i];
    EXPECT_EQ(row.record.flow.source.value(), i / 3);
    EXPECT_EQ(row.record.flow.destination.value(), 4U);
    EXPECT_EQ(row.record.number, i % 3);
    EXPECT_GT(row.ideal, Duration::zero());
    EXPECT_GE(row.record.finished - row.record.posted, row.ideal) << "nothing is faster than on an empty network";
  }
}

TEST_P(Families, PortsSendWhatTheirPeersReceive) {
  const results::RunResults results = run(scenario_of(settings()));
  ASSERT_EQ(results.ports.size(), 10U);
  std::uint64_t hops = 0;
  for (const results::PortRow& port : results.ports) {
    hops += port.tx_packets;
    std::uint64_t lanes = 0;
    for (const results::LaneRow& lane : port.lanes) {
      lanes += lane.tx_packets;
    }
    EXPECT_EQ(lanes, port.tx_packets) << port.name;
  }
  EXPECT_EQ(hops, results.run.packet_hops);
  EXPECT_EQ(results.ports[0].name, "host0/nic0");
  EXPECT_FALSE(results.ports[0].of_switch);
  std::uint64_t received = 0;
  for (const results::NicRow& nic : results.nics) {
    received += nic.received;
  }
  std::uint64_t arrived = 0;
  for (const results::PortRow& port : results.ports) {
    arrived += port.of_switch ? 0 : port.rx_packets;
  }
  EXPECT_EQ(received, arrived);
}

// A damaged packet leaves a gap; what comes behind it is further ahead than a small NIC can keep track of.
TEST(Collector, CountsPacketsBeyondWhatANicKeepsTrackOf) {
  const auto untracked = [](const std::string& tracked_packets) {
    const results::RunResults results =
        run(scenario_of({"transport.loss_recovery=selective-repeat", "link.bit_error_rate=1e-7",
                         "nic.tracked_packets=" + tracked_packets}));
    EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
    std::uint64_t sum = 0;
    for (const results::NicRow& nic : results.nics) {
      EXPECT_LE(nic.untracked, nic.out_of_sequence);
      sum += nic.untracked;
    }
    return sum;
  };
  EXPECT_GT(untracked("2"), 0U);
  EXPECT_EQ(untracked("auto"), 0U);
}

// Receivers that grant a hundredth of their line let senders wait longer than packets may take.
TEST(Collector, CountsCreditAndWhatAskedForIt) {
  const auto nics = [](const std::vector<std::string>& more) {
    std::vector<std::string> settings{"fabric.family=uet"};
    settings.insert(settings.end(), more.begin(), more.end());
    const results::RunResults results = run(scenario_of(settings));
    EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
    return results.nics;
  };
  for (const results::NicRow& nic : nics({"congestion_control.algorithm=nscc"}))
    EXPECT_EQ(nic.credit_grants + nic.credit_requests, 0U) << nic.name;
  const std::vector<results::NicRow> calm = nics({"congestion_control.algorithm=rccc"});
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GT(calm[i].credit_grants, 0U);
    EXPECT_EQ(calm[i].credit_requests, 0U);
  }
  EXPECT_EQ(calm[4].credit_grants, 0U) << "it sends nothing";
  std::uint64_t requests = 0;
  for (const results::NicRow& nic : nics({"congestion_control.algorithm=rccc", "rccc.part_of_line=0.01"}))
    requests += nic.credit_requests;
  EXPECT_GT(requests, 0U);
}

TEST_P(Families, LookingChangesNothing) {
  const results::RunResults plain = run(scenario_of(settings()));
  const results::RunResults sampled = run(scenario_of(settings({"output.sample_interval=1 us"})));
  EXPECT_EQ(plain.messages, sampled.messages);
  EXPECT_EQ(plain.ports, sampled.ports);
  EXPECT_EQ(plain.nics, sampled.nics);
  EXPECT_EQ(plain.run.packet_hops, sampled.run.packet_hops);
  EXPECT_EQ(plain.run.events, sampled.run.events);
  EXPECT_TRUE(plain.samples.empty());
  EXPECT_FALSE(sampled.samples.empty());
}

TEST_P(Families, SamplesAddUpToTheCounters) {
  const results::RunResults results = run(scenario_of(settings({"output.sample_interval=1 us"})));
  std::vector<std::uint64_t> bytes(results.ports.size());
  for (const results::SampleRow& sample : results.samples) {
    bytes[sample.port] += sample.tx_bytes;
    EXPECT_EQ((sample.at - Time::zero()) % 1_us, Duration::zero());
  }
  const Duration length = results.run.ended_at - Time::zero();
  EXPECT_EQ(results.run.sample_instants, static_cast<std::uint64_t>(length / 1_us));
  for (std::size_t port = 0; port < bytes.size(); ++port) {
    EXPECT_LE(bytes[port], results.ports[port].tx_bytes);
    // What began after the last sample: less than a microsecond of the wire, and one packet.
    EXPECT_LE(results.ports[port].tx_bytes - bytes[port], 12'500U + 4'200U) << results.ports[port].name;
  }
}

std::string dump(const std::string& path) {
  auto database = results::Database::open(path, results::Database::Open::kReadOnly);
  EXPECT_TRUE(database);
  std::string text;
  for (const results::RecordTable* table : results::record_tables()) {
    results::Statement rows =
        database->prepare(fmt::format("SELECT * FROM {} ORDER BY {}", table->name, results::primary_key(*table)));
    while (rows.next()) {
      const int columns = table->name == "run" ? rows.columns() - 1 : rows.columns();  // the last is `machine`
      for (int i = 0; i < columns; ++i) {
        text += rows.text() + "|";
      }
      text += '\n';
    }
  }
  return text;
}

TEST_P(Families, TwoRunsLeaveTheSameRecords) {
  const std::string base = ::testing::TempDir() + "weft_same_" + std::to_string(getpid()) + GetParam();
  const scenario::Scenario scenario = scenario_of(settings({"output.sample_interval=1 us"}));
  std::vector<std::string> dumps;
  for (const std::int64_t which : {1, 2}) {
    results::RunResults results = run(scenario);
    results.machine = results::MachineInfo{.setup_time = Duration::zero(),
                                           .run_time = which * 1_s,
                                           .peak_memory = 0,
                                           .finished_at = std::to_string(which)};
    const std::string path = base + std::to_string(which);
    ASSERT_TRUE(results::write_results(path, {results}));
    dumps.push_back(dump(path));
    std::filesystem::remove(path);
  }
  EXPECT_GT(dumps[0].size(), 1000U);
  EXPECT_EQ(dumps[0], dumps[1]);
}

TEST_P(Families, PathsAllowTheSendersOfAnIncastTheirPartOfTheReceiversLine) {
  const results::RunResults results = run(scenario_of(settings()));
  ASSERT_TRUE(results.jobs.front().allowed);
  const results::AllowedRates& allowed = *results.jobs.front().allowed;
  // Four senders into one line; headers take up to 3 %.
  EXPECT_LT(allowed.per_sender, 25_gbps);
  EXPECT_GT(allowed.per_sender, 24_gbps);
  EXPECT_EQ(allowed.slowest, allowed.per_sender);
  const results::Summary summary = results::summarise(results);
  EXPECT_GT(summary.jobs.front().per_sender->rate, allowed.per_sender / 2) << "what was measured is near it";
  EXPECT_LT(summary.jobs.front().per_sender->rate, allowed.per_sender);
}

TEST_P(Families, ASenderWhoseCableIsDownHasNothingAndNothingIsAllowed) {
  results::RunResults results = run(scenario_of({"fabric.family=" + std::string(GetParam())}, R"(
seed = 1
stop = "2 ms"
[topology]
kind = "single-switch"
hosts = 8
[link]
rate = "100 Gbps"
[[traffic]]
kind = "permutation"
shift = 1
size = "64 KiB"
count = 0
[[event]]
at = "0 ns"
select = "host0"
action = "fail"
)"));
  const results::JobSummary job = results::summarise(results).jobs.front();
  EXPECT_EQ(job.senders, 8U);
  EXPECT_EQ(job.flows, 8U);
  ASSERT_TRUE(job.per_sender && job.jain && job.allowed);
  // Host 0 sends nothing, and host 7 to nobody: six of eight.
  EXPECT_LT(job.per_sender->share(), 0.75);
  EXPECT_GT(job.per_sender->share(), 0.4);
  EXPECT_NEAR(*job.jain, 0.75, 0.02);
  EXPECT_EQ(job.allowed->slowest, Rate::zero());
  EXPECT_LE(job.per_sender->rate, job.allowed->per_sender);
  EXPECT_LT(job.allowed->per_sender, 75_gbps);
}

/// The defect: flows of which no message had ended competed with nobody, and the first to end one was allowed its line.
TEST(Collector, PathsAllowASenderItsPartBeforeOthersHaveEndedAMessage) {
  const auto text = [](std::string_view stop) {
    return fmt::format(R"(
seed = 1
stop = "{}"
[topology]
kind = "single-switch"
hosts = 9
[link]
rate = "400 Gbps"
[[traffic]]
kind = "incast"
size = "1 MiB"
count = 0
)",
                       stop);
  };
  const auto allowed = [&](std::string_view stop, std::size_t most_ended) {
    const results::RunResults results = run(scenario_of({"fabric.family=rocev2"}, text(stop)));
    EXPECT_GT(results.messages.size(), 0U);
    EXPECT_LE(results.messages.size(), most_ended) << stop;
    const auto rates = results::summarise(results).jobs.front().allowed;
    return rates ? rates->per_sender.bits_per_second() / 1e9 : 0;
  };
  const double late = allowed("400 us", 100);
  EXPECT_NEAR(late, 49, 1);
  EXPECT_NEAR(allowed("172 us", 7), late, 1e-6) << "not all have ended one";
}

// Two of four steps of the ring go over NVLink, whose bytes count in its goodput.
TEST(Collector, PathsAllowARingOverScaleUpLinksWhatTheNetworkLeavesAllOfIt) {
  const results::RunResults results = run(scenario_of({}, R"(
seed = 1
[fabric]
family = "infiniband"
[topology]
kind = "single-switch"
hosts = 2
gpus_per_host = 2
nics_per_host = 1
[link]
rate = "100 Gbps"
[scale_up]
entry = "nvlink4"
[[job]]
name = "job"
gpus = 4
[[traffic]]
kind = "collective"
collective = "all-gather"
algorithm = "ring"
size = "16 MiB"
job = "job"
)"));
  ASSERT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  const results::JobSummary job = results::summarise(results).jobs.front();
  ASSERT_TRUE(job.allowed && job.per_sender);
  EXPECT_LT(job.per_sender->rate, job.allowed->per_sender);
  EXPECT_GT(job.per_sender->rate, job.allowed->per_sender / 10 * 9);
}

// Each GPU sends two messages of 512 KiB to each other one, over two of the sixteen queue pairs of its connection.
constexpr const char* kFewMessages = R"(
seed = 2
[fabric]
family = "rocev2"
tuning = "pfc"
[topology]
kind = "fat-tree"
tiers = 3
radix = 4
hosts = 16
[link]
rate = "100 Gbps"
[[job]]
name = "job"
gpus = 16
[[traffic]]
kind = "collective"
collective = "all-gather"
algorithm = "direct"
size = "16 MiB"
job = "job"
)";

TEST(Collector, QueuePairsThatCarryNothingAreNoBound) {
  for (const std::string pairs : {"1", "4", "16"}) {
    const results::RunResults results = run(scenario_of({"collectives.queue_pairs=" + pairs}, kFewMessages));
    ASSERT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
    ASSERT_TRUE(results.jobs.front().allowed);
    const Rate allowed = results.jobs.front().allowed->per_sender;
    EXPECT_LT(results::summarise(results).jobs.front().per_sender->rate, allowed) << pairs;
    EXPECT_LT(allowed, 100_gbps) << pairs;
    EXPECT_GT(allowed, 30_gbps) << pairs;
  }
}

// Of 16 flows over 16 uplinks, some meet; over all paths each would have its sender's line.
TEST(Collector, PathsAllowUltraEthernetOnOnePathWhatThatPathHas) {
  constexpr const char* kPermutation = R"(
seed = 2
[fabric]
family = "uet"
[topology]
kind = "leaf-spine"
leaves = 4
spines = 4
hosts_per_leaf = 4
[link]
rate = "100 Gbps"
[[traffic]]
kind = "permutation"
size = "1 MiB"
)";
  for (const std::string path : {"uet.path_selector=single", "uet.delivery=rod", "uet.path_selector=oblivious"}) {
    const results::RunResults results = run(scenario_of({path}, kPermutation));
    ASSERT_TRUE(results.jobs.front().allowed);
    const results::AllowedRates& allowed = *results.jobs.front().allowed;
    EXPECT_LT(results::summarise(results).jobs.front().per_sender->rate, allowed.per_sender) << path;
    EXPECT_EQ(allowed.slowest < 51_gbps, !path.ends_with("oblivious")) << path;
  }
}

TEST_P(Families, PathsAllowNothingInParticularWhereFlowsComeAndGo) {
  const results::RunResults results = run(scenario_of(
      settings({"traffic[0].kind=poisson", "traffic[0].cdf=fb-hadoop", "traffic[0].load=0.1", "stop=200 us"})));
  EXPECT_FALSE(results.jobs.front().allowed);
}

TEST(Collector, AnInterruptedRunHasWhatWasFinished) {
  const scenario::Scenario scenario = scenario_of({"traffic[0].count=1000"});
  Collector collector;
  auto simulation = Simulation::create(scenario, collector);
  ASSERT_TRUE(simulation);
  collector.watch(**simulation);
  const auto end = (*simulation)->run([](const Progress& progress) { return progress.messages < 5; });
  const results::RunResults results = collector.finish(end, {.key = "key", .version = "test"});
  EXPECT_EQ(results.run.end, results::RunEnd::kInterrupted);
  EXPECT_GE(results.messages.size(), 5U);
  EXPECT_LT(results.messages.size(), 4000U);
}

TEST(ResultsKey, DependsOnEveryValueAndOnNothingElse) {
  const auto catalogue = scenario::Catalogue::load(std::nullopt);
  const auto key = [&](const std::vector<std::string>& settings) {
    return results::run_key(scenario_of(settings), *catalogue, "1.0");
  };
  EXPECT_EQ(key({}), key({}));
  EXPECT_EQ(key({}), key({"seed=1"})) << "who gave a value does not count";
  EXPECT_NE(key({}), key({"seed=2"}));
  EXPECT_NE(key({}), key({"traffic[0].size=200001 B"}));
  EXPECT_NE(key({}), results::run_key(scenario_of({}), *catalogue, "1.1"));
  EXPECT_EQ(key({}).size(), 16U);
}

results::RunInfo run_within(const Collector::Limits& limits, const std::vector<std::string>& settings) {
  const scenario::Scenario scenario = scenario_of(settings);
  Collector collector(limits);
  auto simulation = Simulation::create(scenario, collector);
  EXPECT_TRUE(simulation) << simulation.error().message;
  collector.watch(**simulation);
  const auto end = (*simulation)->run([](const Progress&) { return true; });
  return collector.finish(end, {.key = "key", .version = "test"}).run;
}

TEST(RowsOfARun, BeyondTheLimitEndItWithWhatToDo) {
  const results::RunInfo sampled = run_within({.samples = 10}, {"output.sample_interval=1us"});
  EXPECT_EQ(sampled.end, results::RunEnd::kError);
  EXPECT_NE(sampled.error.find("set a longer output.sample_interval than 1 us"), std::string::npos) << sampled.error;
  // Looked at every 200,000 events, some thousand messages of one packet each.
  const results::RunInfo many = run_within({.messages = 10}, {"traffic[0].size=1kB", "traffic[0].count=20000"});
  EXPECT_EQ(many.end, results::RunEnd::kError);
  EXPECT_NE(many.error.find("let there be fewer"), std::string::npos) << many.error;
}

// 4 senders; a message is a record and two rows of results.
TEST(MemoryBeforeARun, CountsMessagesAndSamplesThatAreKept) {
  const auto memory_of = [](const std::vector<std::string>& settings) {
    const scenario::Scenario scenario = scenario_of(settings);
    const auto graph = assembly::build_topology(scenario);
    EXPECT_TRUE(graph);
    return estimate_memory(scenario, *graph);
  };
  const std::uint64_t few = memory_of({});
  constexpr std::uint64_t kMessages = 4'000'000;
  EXPECT_GT(memory_of({"traffic[0].count=1000000"}), few + kMessages * sizeof(results::MessageRow));
  // Five cables have ten ends; a sample each microsecond for a second.
  EXPECT_GT(memory_of({"stop=1s", "output.sample_interval=1us"}), few + 10'000'000 * sizeof(results::SampleRow));
}

/// Neither queue pairs nor the log of the step were counted.
TEST(MemoryBeforeARun, CountsQueuePairsAndNodesOfTrainingSteps) {
  const auto catalogue = scenario::Catalogue::load(std::nullopt);
  const auto parts_of = [&](int gpus, int batch) {
    const auto scenario = scenario::parse_scenario(
        fmt::format(
            "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"single-switch\"\nhosts = {}\ngpus_per_host = 4\n"
            "nics_per_host = 4\n[scale_up]\nentry = \"nvlink4\"\n[[job]]\nname = \"llm\"\nmodel = "
            "\"llama3-8b\"\ngpu = \"h100-sxm\"\ngpus = {}\ntp = 4\nglobal_batch = {}\n",
            gpus / 4, gpus, batch),
        {.file = "steps.toml", .case_name = {}, .settings = {}}, *catalogue);
    EXPECT_TRUE(scenario) << scenario.error().message;
    const auto graph = assembly::build_topology(*scenario);
    return memory_parts(*scenario, *graph);
  };
  const MemoryEstimate few = parts_of(16, 16);
  EXPECT_GT(few.queue_pairs, 0U);
  EXPECT_GT(few.records, 0U);
  EXPECT_GE(parts_of(32, 32).queue_pairs, 2 * few.queue_pairs);  // twice as many ranks in one ring
  EXPECT_GT(parts_of(16, 64).records, 3 * few.records);          // four times as many micro-batches
  EXPECT_EQ(parts_of(16, 64).queue_pairs, few.queue_pairs);
}

TEST(MemoryBeforeARun, IsKnownOfTrafficOverScaleUpLinks) {
  const auto catalogue = scenario::Catalogue::load(std::nullopt);
  const auto scenario = scenario::parse_scenario(
      "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\ngpus_per_host = 2\n"
      "[scale_up]\nentry = \"nvlink4\"\n[[traffic]]\nkind = \"permutation\"\nover = \"scale-up\"\nsources = "
      "[\"host0\"]\ncount = 3\n",
      {.file = "pair.toml", .case_name = {}, .settings = {}}, *catalogue);
  ASSERT_TRUE(scenario) << scenario.error().message;
  const auto graph = assembly::build_topology(*scenario);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_GT(estimate_memory(*scenario, *graph), 0U);
}

}  // namespace
}  // namespace weft::study::run
