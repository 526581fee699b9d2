// `weft scale` as a user meets it: its table, and what it says of wrong input.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

namespace fs = std::filesystem;

const std::string kScenario = (fs::path(test_data_dir()) / "../../examples/claims/network-bottleneck.toml").string();

void expect_refused(const std::string& arguments, const std::string& said) {
  const Outcome outcome = run_weft("scale " + arguments);
  EXPECT_EQ(outcome.exit_status, 2) << arguments;
  EXPECT_NE((outcome.err + outcome.out).find(said), std::string::npos) << arguments << "\n"
                                                                       << outcome.err << outcome.out;
}

TEST(Scale, PrintsALineForEachCaseAndSize) {
  const Outcome outcome = run_weft("scale " + kScenario + " --case 400g --gpus 8..32");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected : {"fabric ", "GPUs", "accel.", "400g                  8", "400g                 16",
                               "400g                 32", "against packet-level simulation"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out;
  }
}

// Of the smallest size, whose job may stay inside one host, an error says nothing of the network.
TEST(Scale, TheErrorIsThatOfASizeThatSendsOverTheNetwork) {
  const Outcome outcome = run_weft("scale " + kScenario + " --case 400g --gpus 8,16,32 --no-cache --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto rows = nlohmann::json::parse(outcome.out)["rows"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[0]["step"].contains("composition_error")) << rows[0];
  EXPECT_TRUE(rows[2]["step"].contains("composition_error")) << rows[2];
  EXPECT_NE(outcome.err.find("against packet-level simulation (row of 32 GPUs), on "), std::string::npos)
      << outcome.err;
}

TEST(Scale, ASizeThatIsNotPossibleSaysWhyInItsLine) {
  const Outcome outcome = run_weft("scale " + kScenario + " --case 400g --gpus 16,17");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("17  not possible: 17 GPUs is not a multiple of one model copy: tp 2"), std::string::npos)
      << outcome.out;
}

TEST(Scale, ALevelIsInEveryRow) {
  const Outcome outcome = run_weft("scale " + kScenario + " --case 400g --gpus 8,16 --fidelity flow --no-cache");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected :
       {"level", "400g                  8     flow", "400g                 16     flow", "400g: flow "}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("seam"), std::string::npos) << outcome.out;
}

// With next to no time for a run, whatever the machine, nothing but flows is left.
TEST(Scale, AutoTakesFlowsWhereNothingElseFits) {
  const Outcome outcome =
      run_weft("scale " + kScenario + " --case 400g --gpus 8 --fidelity auto --budget 1ns --no-cache --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"level\": \"flow\""), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("every packet would take about"), std::string::npos) << outcome.out;
}

TEST(Scale, ALevelThatTakesMoreThanTheBudgetSaysSo) {
  const Outcome outcome =
      run_weft("scale " + kScenario + " --case 400g --gpus 8,16 --fidelity auto --budget 1ns --no-cache");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected : {"400g: from 8 GPUs on by flow: every packet would take about ", "400g: 16 GPUs took ",
                               " of real time, more than --budget 1 ns: no level takes less"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out;
  }
  EXPECT_EQ(outcome.out.find("from 16 GPUs on"), std::string::npos) << outcome.out;
}

TEST(Scale, FabricsAreNamedAsInAComparison) {
  const Outcome outcome =
      run_weft("scale " + kScenario + " --gpus 8 --fabrics rocev2-spray,infiniband-ar --no-cache --fidelity flow");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  for (const char* expected : {"rocev2-spray          8", "infiniband-ar         8"}) {
    EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << "\n" << outcome.out;
  }
  expect_refused(kScenario + " --case 400g --gpus 8 --fabrics rocev2", "--case: with --fabrics each network uses");
}

TEST(Scale, WrongInputIsRefused) {
  expect_refused(kScenario, "--gpus is required");
  expect_refused(kScenario + " --gpus eight", "'eight' is no number of GPUs");
  expect_refused(kScenario + " --gpus 64..8", "64..8 goes down");
  expect_refused(kScenario + " --gpus 0", "'0' is no number of GPUs");
  expect_refused(kScenario + " --gpus 8 --extra-latency 1", "--extra-latency: ");
  expect_refused(kScenario + " --gpus 8 --job-steps 10", "requires --extra-latency");
  expect_refused(kScenario + " --gpus 8 --fabrics ethernet", "ethernet");
  expect_refused(kScenario + " --gpus 8 --fidelity exact", "'exact' is no level; packet, composed, flow or auto");
  expect_refused(kScenario + " --gpus 8 --fidelity auto --budget 10", "--budget: ");
  expect_refused(kScenario + " --gpus 8 --budget 10s", "--budget: only with --fidelity auto");
  expect_refused(kScenario + " --gpus 8 --fidelity flow --budget 10s", "--budget: only with --fidelity auto");
  expect_refused(kScenario + " --gpus 8 --fidelity auto --budget 0s", "--budget: it must be above 0");
  expect_refused("no-such-file.toml --gpus 8", "no-such-file.toml");
  expect_refused((fs::path(test_data_dir()) / "../../examples/incast.toml").string() + " --gpus 8",
                 "scaling needs a scenario with one [[job]]");
}

}  // namespace
}  // namespace weft::test
