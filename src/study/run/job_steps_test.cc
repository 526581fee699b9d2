// Jobs of a scenario that run steps, from the text of the scenario to the row of results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "study/run/simulation.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class NoMessages final : public workload::MessageSink {
 public:
  void on_message(const workload::MessageRecord&) override {}
};

Result<results::StepRow> run(Result<scenario::Scenario> scenario) {
  if (!scenario) {
    return pass_on(scenario);
  }
  NoMessages sink;
  auto simulation = Simulation::create(*scenario, sink);
  if (!simulation) {
    return pass_on(simulation);
  }
  if ((*simulation)->run([](const Progress&) { return true; }) != Simulation::End::kFinished) {
    return fail("no end: {}", (*simulation)->error());
  }
  auto rows = (*simulation)->training_steps([] { return true; });
  if (!rows) {
    return pass_on(rows);
  }
  return rows->size() == 1 ? Result<results::StepRow>(rows->front()) : fail("{} rows", rows->size());
}

/// Four hosts on one switch; nothing takes time but the wire, and that next to nothing at the highest rate.
Result<scenario::Scenario> on_wires_of(std::string_view rate, std::string_view job) {
  return scenario::scenario_with(fmt::format(R"([switch]
port_rate = "10 Tbps"
latency = "0 ns"
[nic]
port_rate = "10 Tbps"
doorbell_latency = "0 ns"
pcie_latency = "0 ns"
tx_latency = "0 ns"
rx_latency = "0 ns"
completion_latency = "0 ns"
[link]
rate = "{}"
propagation = "1 ps"
[[job]]
name = "j"
{})",
                                             rate, job));
}

constexpr std::string_view kTraining =
    "model = \"megatron-1_7b\"\nlayers = 2\ntp = 2\ndp = 2\nsequence = 512\nglobal_batch = 64\nslice = \"1 MiB\"\n";
constexpr std::string_view kDecode =
    "workload = \"decode\"\nmodel = \"llama3-8b\"\nlayers = 2\ntp = 4\nbatch = 8\ncontext = 2048\nsteps = 2\n";
constexpr std::string_view kHalo =
    "workload = \"halo\"\ngrid = [2, 2, 1]\nblock = [32, 32, 64]\ncompute = \"100 us\"\nsteps = 3\n";

class StepsOfAJob : public testing::TestWithParam<std::string_view> {};
std::string name_of(const testing::TestParamInfo<std::string_view>& info) {
  constexpr std::array kNames{"Training", "Decode", "Halo"};
  return kNames.at(info.index);
}
INSTANTIATE_TEST_SUITE_P(Workloads, StepsOfAJob, testing::Values(kTraining, kDecode, kHalo), name_of);

TEST_P(StepsOfAJob, TakeLessTimeOnAFasterNetworkAndTendToTheirCompute) {
  std::vector<results::StepRow> rows;
  for (const char* const rate : {"1 Gbps", "10 Gbps", "100 Gbps", "1 Tbps", "10 Tbps"}) {
    const auto row = run(on_wires_of(rate, GetParam()));
    ASSERT_TRUE(row) << rate << ": " << row.error().message;
    EXPECT_EQ(row->compute, rows.empty() ? row->compute : rows.front().compute) << rate;
    EXPECT_GE(row->time, row->compute) << rate;
    if (!rows.empty()) {
      EXPECT_LE(row->time, rows.back().time) << rate;
    }
    rows.push_back(*row);
  }
  const auto excess = [](const results::StepRow& row) {
    return (row.time - row.compute).seconds() / row.compute.seconds();
  };
  EXPECT_GT(excess(rows.front()), 1.0);
  EXPECT_LT(excess(rows[4]), 0.03);
  EXPECT_LT(excess(rows[4]), excess(rows[3]) / 5);
}

TEST_P(StepsOfAJob, HavePartsAndAPathThatAddUpToTheStep) {
  const auto row = run(on_wires_of("100 Gbps", GetParam()));
  ASSERT_TRUE(row) << row.error().message;
  Duration parts;
  for (const results::StepPart& part : row->parts) {
    parts = parts + part.exposed;
  }
  EXPECT_EQ(parts, row->time);
  Duration path;
  for (const results::StepPathPart& part : row->path) {
    path = path + part.time;
  }
  // Each sum along the path is rounded down when it is divided by the number of steps.
  EXPECT_NEAR(static_cast<double>((row->time - path).picoseconds()), 0, static_cast<double>(row->path.size()));
}

const results::StepPart& part_of(const results::StepRow& row, std::string_view name) {
  for (const results::StepPart& part : row.parts) {
    if (part.name == name) {
      return part;
    }
  }
  ADD_FAILURE() << "no part " << name;
  return row.parts.front();
}

TEST(DecodeJob, MakesATokenForEverySequenceOfEveryReplicaInAStep) {
  const auto row = run(on_wires_of("400 Gbps",
                                   "workload = \"decode\"\nmodel = \"llama3-8b\"\nlayers = 2\ntp = 2\nbatch = 8\n"
                                   "context = 2048\nsteps = 2\ngpus = 4\n"));
  ASSERT_TRUE(row) << row.error().message;
  EXPECT_EQ(row->workload, "decode");
  EXPECT_EQ(row->fidelity, "packet");
  EXPECT_EQ(row->parallelism, "tp 2, 2 replicas, batch 8, context 2048");
  EXPECT_DOUBLE_EQ(row->tokens_per_second, 8 * 2 / row->time.seconds());
  EXPECT_GT(row->utilisation, 0);
  const results::StepPart& tensor = part_of(*row, "tp");
  EXPECT_EQ(tensor.operations, 2U * 2 + 1);
  // Of two members, an all-reduce sends its size, an all-gather half of it.
  const std::int64_t activations = 8 * 4096 * 2;
  const std::int64_t logits = 8 * 128'256 * 2;
  EXPECT_EQ(tensor.sent, Bytes(2 * 2 * activations + logits / 2));
  ASSERT_EQ(row->tiers.size(), 1U);
  EXPECT_EQ(row->tiers.front().name, "network");
  EXPECT_EQ(row->tiers.front().sent, 4 * tensor.sent);
}

TEST(HaloJob, SendsItsFacesAndWaitsForTheSum) {
  const auto row = run(on_wires_of("400 Gbps", kHalo));
  ASSERT_TRUE(row) << row.error().message;
  EXPECT_EQ(row->workload, "halo");
  EXPECT_EQ(row->model, "");
  EXPECT_THAT(row->parallelism, StartsWith("2 x 2 x 1 ranks of 32 x 32 x 64 cells"));
  EXPECT_EQ(row->tokens_per_second, 0);
  EXPECT_EQ(row->compute, Duration::microseconds(100));
  const results::StepPart& messages = part_of(*row, "communication");
  EXPECT_EQ(messages.operations, 4U + 4 + 1);              // sends, receives, the sum
  const Bytes faces = 4 * Bytes(32 * 64 * 8);              // two along x, two along y
  EXPECT_EQ(messages.sent, faces + Bytes(2 * 8 * 3 / 4));  // and an all-reduce of 8 bytes
  EXPECT_NEAR(row->steps_per_second(), 1 / row->time.seconds(), 1e-9);
}

TEST(HaloJob, TakesItsComputeFromTheGpuWithoutAnother) {
  const auto row = run(on_wires_of("400 Gbps", "workload = \"halo\"\ngrid = [4, 1, 1]\nblock = [64, 64, 64]\n"));
  ASSERT_TRUE(row) << row.error().message;
  // 80 bytes per cell at 0.85 of 3.35 TB/s, and the beginnings of two kernels.
  const double traffic = 64 * 64 * 64 * 80 / (3.35e12 * 0.85);
  EXPECT_GT(row->compute.seconds(), traffic);
  EXPECT_LT(row->compute.seconds(), traffic + 10e-6);
}

TEST(PlacesOfAJob, AreRefusedWithTheirPlaceInTheFile) {
  const auto with = [](std::string_view keys) {
    const auto row = run(scenario::scenario_with(fmt::format("[[job]]\nname = \"j\"\n{}", keys)));
    return row ? std::string("no error") : row.error().message;
  };
  // Line 6 is [[job]].
  EXPECT_THAT(with("gpus = 8\nmodel = \"llama3-8b\"\ntp = 8\n"), StartsWith("test.toml:8:8: job[0].gpus: "));
  EXPECT_THAT(with("gpus = 8\nmodel = \"llama3-8b\"\ntp = 8\n"), HasSubstr("8 ranks, but 4 of the 4 places"));
  const auto listed = [&](std::string_view places) {
    return with(fmt::format("gpus = 2\nplacement = \"listed\"\nplaces = [{}]\n", places));
  };
  EXPECT_THAT(
      listed("\"host0/gpu0\", \"host9/gpu0\""),
      StartsWith("test.toml:10:10: job[0].places: job 'j', rank 1: there is no host 'host9'; did you mean 'host0'?"));
  EXPECT_THAT(listed("\"host0/gpu0\", \"host1/gpu5\""), HasSubstr("host 'host1' has 1 GPUs; there is no GPU 5"));
  EXPECT_THAT(listed("\"host0/gpu0\", \"host0/gpu0\""), HasSubstr("rank 1: GPU 0 of host 'host0' is taken by rank 0"));
}

}  // namespace
}  // namespace weft::study::run
