// The scenarios of examples/published/ run, shortened, and their figures are on the side that papers report.
// scripts/validate-published runs them whole and writes docs/validation.md.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const fs::path kPublished = fs::path(test_data_dir()) / "../../examples/published";

/// The runs of a scenario, by case.
std::map<std::string, nlohmann::json> runs_of(const std::string& arguments) {
  const Outcome outcome = run_weft(fmt::format("run {}/{} --no-results --json -", kPublished.string(), arguments));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
  std::map<std::string, nlohmann::json> runs;
  if (!json.is_discarded()) {
    for (const nlohmann::json& run : json["runs"]) {
      runs[run["case"]] = run;
    }
  }
  return runs;
}

const nlohmann::json& job(const nlohmann::json& run, const std::string& name) {
  const auto& jobs = run.at("jobs");
  return *std::ranges::find_if(jobs, [&](const nlohmann::json& one) { return one.at("name") == name; });
}

TEST(Published, AnIncastFillsTheLinkAndDropsNothing) {
  for (const char* senders : {"2", "20"}) {
    const auto runs = runs_of(fmt::format("dcqcn-incast.toml --case {} --until 20ms", senders));
    ASSERT_EQ(runs.size(), 1U);
    const auto& run = runs.at(senders);
    EXPECT_EQ(run["network"]["drops"]["total"], 0);
    // Frames of 1,024 bytes of payload have 1,082, and preamble and gap beside it.
    const double payload = 1024.0 / (1024 + 58 + 20);
    EXPECT_GT(job(run, "incast")["goodput_bps"].get<double>(), 0.85 * 40e9 * payload) << senders;
  }
}

TEST(Published, PfcAloneFavoursTheNearSenderAndDcqcnDoesNot) {
  const auto runs = runs_of("dcqcn-unfairness.toml");
  ASSERT_EQ(runs.size(), 2U);
  const auto near_share = [&](const char* name) {
    const double near = job(runs.at(name), "near")["goodput_bps"];
    return 4 * near / (near + job(runs.at(name), "far")["goodput_bps"].get<double>());
  };
  EXPECT_GT(near_share("pfc"), 1.3);
  EXPECT_NEAR(near_share("dcqcn"), 1.0, 0.1);
}

TEST(Published, AVictimOfPfcRecoversWithDcqcn) {
  const auto runs = runs_of("dcqcn-victim.toml");
  ASSERT_EQ(runs.size(), 4U);
  const auto victim = [&](const char* name) { return job(runs.at(name), "victim")["goodput_bps"].get<double>(); };
  EXPECT_GT(victim("dcqcn-0"), 1.5 * victim("pfc-0"));
  EXPECT_GT(victim("dcqcn-2"), 1.5 * victim("pfc-2"));
}

// A short run of a loaded network: its probes already wait.
TEST(Published, ALoadedNetworkDelaysProbesAndDropsNothing) {
  const std::string shortened = "--set traffic[0].start=0.2ms --until 0.4ms";
  const auto idle = runs_of("rdma-at-scale.toml --case idle " + shortened);
  const auto load = runs_of("rdma-at-scale.toml --case load " + shortened);
  ASSERT_TRUE(idle.contains("idle") && load.contains("load"));
  EXPECT_EQ(load.at("load")["network"]["drops"]["total"], 0);
  EXPECT_GT(job(load.at("load"), "probe")["latency_s"]["p99"].get<double>(),
            3 * job(idle.at("idle"), "probe")["latency_s"]["p99"].get<double>());
}

// Every loss costs a window and, where the repetition is lost as well, a timeout.
TEST(Published, GoBackNKeepsMostOfTheLinkIfTimeoutsAreShort) {
  const auto runs = runs_of("rdma-loss.toml --until 100ms");
  ASSERT_EQ(runs.size(), 3U);
  const auto goodput = [&](const char* name) { return job(runs.at(name), "stream")["goodput_bps"].get<double>(); };
  EXPECT_GT(goodput("go-back-n-1ms"), 0.75 * goodput("no-loss"));
  EXPECT_LT(goodput("go-back-n"), goodput("go-back-n-1ms"));
}

TEST(Published, CollectivesOnTwoHostsKeepTheirOrder) {
  auto runs = runs_of("nccl-two-hosts.toml");
  ASSERT_EQ(runs.size(), 7U);
  const auto seconds = [&](const char* name, const char* kind) {
    return job(runs.at(name), kind)["collective_s"]["max"].get<double>();
  };
  const double tuned = seconds("infiniband", "all-reduce");
  EXPECT_NEAR(seconds("rocev2", "all-reduce") / tuned, 1, 0.05);
  EXPECT_GT(seconds("mis-tuned-all-reduce", "all-reduce"), 1.2 * tuned);
  EXPECT_GT(seconds("a100", "all-reduce"), 2 * tuned);
}

// 64 leaves and 32 spines; every leaf has as many cables up as hosts down.
TEST(Published, TheBillOfAFatTreeCountsItsParts) {
  const Outcome outcome =
      run_weft(fmt::format("show {}/fat-tree-cost.toml --case two-tiers --bill --json", kPublished.string()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
  const nlohmann::json bill = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_FALSE(bill.is_discarded());
  std::map<std::string, std::int64_t> counts;
  for (const nlohmann::json& line : bill["bill"]) {
    counts[line["part"]] += line["count"].get<std::int64_t>();
  }
  EXPECT_EQ(counts["switch"], 96);
  EXPECT_EQ(counts["nic"], 2048);
  EXPECT_EQ(counts["cable"], 2 * 2048);
  EXPECT_EQ(counts["optic"], 2 * 2048);
}

}  // namespace
}  // namespace weft::test
