// Direct exchanges of composed steps with some peers of each member beside the same with all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"
#include "study/run/flow_simulation.h"
#include "study/run/training_run.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

/// What an operation with some peers may be off, of its time with all peers and every message; and the mean of such.
constexpr double kMostOff = 0.06;
constexpr double kMeanOff = 0.02;

struct Nothing final : workload::MessageSink {
  void on_message(const workload::MessageRecord&) override {}
};

/// What a network of so many hosts is like: one GPU and NIC to a host, or two with links between them.
struct Network {
  std::string topology;
  std::string job;
  int gpus = 0;
};

Network random_network(RandomStream& random) {
  const auto leaf_spine = [](int leaves, int hosts, int spines) {
    return Network{.topology = fmt::format("kind = \"leaf-spine\"\nleaves = {}\nhosts_per_leaf = {}\nspines = {}\n",
                                           leaves, hosts, spines),
                   .job = "",
                   .gpus = leaves * hosts};
  };
  switch (random.uniform(5)) {
    case 0:
      return leaf_spine(4, 6, 6);
    case 1:
      return leaf_spine(3, 8, 4);
    case 2:
      return leaf_spine(5, 5, 2);
    case 3:
      return {.topology = "kind = \"fat-tree\"\ntiers = 2\nradix = 8\n", .job = "", .gpus = 32};
    default:
      return {.topology =
                  "kind = \"rail-optimised\"\nhosts = 20\nhosts_per_leaf = 5\nspines = 3\nnics_per_host = 2\n"
                  "gpus_per_host = 2\n[scale_up]\nentry = \"nvlink4\"\ndomain = 2\n",
              .job = "tp = 2\n",
              .gpus = 40};
  }
}

scenario::Scenario parse(const std::string& text) {
  auto parsed = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                         scenario::test_catalogue());
  EXPECT_TRUE(parsed) << parsed.error().message << text;
  return *parsed;
}

/// The longest that each kind of operation between hosts takes.
struct Times {
  std::map<StepOperation, Duration> times;
  bool sampled = false;
};

Times times_of(const std::string& text, std::uint64_t most_connections) {
  const scenario::Scenario scenario = parse(text);
  Nothing sink;
  auto simulation = FlowSimulation::create(scenario, sink, {.most_connections = most_connections});
  EXPECT_TRUE(simulation) << simulation.error().message << text;
  EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished)
      << (*simulation)->error();
  EXPECT_TRUE((*simulation)->training_steps([] { return true; }));
  const TrainingRun& run = *(*simulation)->training(0);
  Times made;
  for (const auto& [operation, phases] : run.phases().operations()) {
    if (operation.purpose == workload::Purpose::kData || operation.purpose == workload::Purpose::kParameter) {
      made.times[operation] = run.time_of(operation, StepPhases::Before::kRest);
    }
    made.sampled |= run.phases().sample(run.phases().probe_of(operation)).some_peers;
  }
  return made;
}

TEST(SampledExchanges, TakeTheTimeOfAllPeers) {
  RandomStream random(2, "exchanges");
  double sum = 0;
  int count = 0;
  for (int round = 0; round < 5; ++round) {
    const Network network = random_network(random);
    const std::array<std::string_view, 2> families{"rocev2", "infiniband"};
    const std::string text = fmt::format(
        "fidelity = \"flow\"\nseed = {}\n[fabric]\nfamily = \"{}\"\n[topology]\n{}[collectives]\n"
        "algorithm = \"direct\"\nchunk = \"{} MiB\"\n"
        "buffer = \"64 MiB\"\n[[job]]\nname = \"llm\"\nmodel = \"llama3-8b\"\nlayers = 1\ngpus = {}\nglobal_batch = "
        "{}\n{}slice = ",
        random.uniform(1'000), families[random.uniform(2)], network.topology, 8U << random.uniform(2), network.gpus,
        network.gpus, network.job);
    // Operations that are no longer than the slice are run whole.
    const Times all = times_of(text + "\"8 GiB\"\n", 0);
    const Times some = times_of(text + "\"1 MiB\"\n", 1);
    EXPECT_FALSE(all.sampled);
    EXPECT_TRUE(some.sampled) << text;
    ASSERT_EQ(all.times.size(), some.times.size());
    for (const auto& [operation, time] : all.times) {
      const double off = some.times.at(operation).seconds() / time.seconds() - 1;
      EXPECT_LT(std::abs(off), kMostOff) << to_string(operation.kind) << " of " << operation.size.count() << " bytes\n"
                                         << text;
      sum += std::abs(off);
      ++count;
    }
  }
  EXPECT_LT(sum / count, kMeanOff);
  RecordProperty("mean_off_ppm", static_cast<int>(sum / count * 1e6));
}

}  // namespace
}  // namespace weft::study::run
