// `weft calibrate flow` as a user meets it, and the runs that take what it found.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using testing::HasSubstr;

class Calibrate : public testing::Test {
 protected:
  // Cases run at the same time, in processes of their own.
  static void SetUpTestSuite() {
    scenario_ = fmt::format("{}weft_calibrate_{}.toml", testing::TempDir(), getpid());
    file_ = fmt::format("{}weft_corrections_{}.toml", testing::TempDir(), getpid());
    std::ofstream(scenario_) << R"(
[fabric]
family = "rocev2"
[congestion_control]
algorithm = "none"
[topology]
kind = "single-switch"
hosts = 4
[[traffic]]
name = "long"
kind = "incast"
size = "1 MiB"
fan_in = 2
[[traffic]]
name = "short"
kind = "flows"
size = "1 KiB"
sources = ["host2"]
destinations = ["host3"]
start = "10 us"
)";
    made_ = run_weft("calibrate flow " + scenario_ + " --out " + file_);
  }

  void SetUp() override { ASSERT_EQ(made_.exit_status, 0) << made_.err; }

  [[nodiscard]] static std::string corrected(const std::string& more, const std::string& file = file_) {
    return "run " + scenario_ + " --fidelity flow --no-results --corrections " + file + " " + more;
  }
  /// When the short message was done, after its start.
  [[nodiscard]] static double time_of_short(const std::string& arguments) {
    const Outcome outcome = run_weft(arguments + " --quiet --json -");
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["runs"][0]["jobs"][1]["completion_s"]["max"].get<double>();
  }

  static inline std::string scenario_;
  static inline std::string file_;
  static inline Outcome made_;
};

TEST_F(Calibrate, PrintsWhatItFoundAndFromWhat) {
  for (const char* expected : {"queues: corrected", "flow_backlog", "link_backlog", "as good:", "4 flows to one host",
                               "2 flows over one uplink", "acknowledgements", "corrections in "}) {
    EXPECT_THAT(made_.out, HasSubstr(expected));
  }
}

// Without congestion control a queue is what was sent and not served: the small runs and this one alike.
TEST_F(Calibrate, AMessageBehindLongFlowsTakesWhatItTakesWithPackets) {
  const double packets = time_of_short("run " + scenario_ + " --no-results");
  const double flows = time_of_short("run " + scenario_ + " --no-results --fidelity flow");
  EXPECT_LT(flows, packets / 2);
  EXPECT_NEAR(time_of_short(corrected("")) / packets, 1, 0.03);
}

TEST_F(Calibrate, ARunSaysWhatItAppliedAndIsTheSameInProcesses) {
  const Outcome outcome = run_weft(corrected(""));
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("corrections: queues of at most"));
  EXPECT_EQ(time_of_short(corrected("--jobs 1 --threads 1")), time_of_short(corrected("--jobs 2 --threads 2")));
}

TEST_F(Calibrate, AFileForOtherDevicesIsRefusedWithTheKey) {
  const Outcome outcome = run_weft(corrected("--set fabric.mtu=1024"));
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("fabric.mtu is 4096 there and 1024 here"));
}

TEST_F(Calibrate, AnotherTopologyAndOtherTrafficAreNoOtherDevices) {
  EXPECT_EQ(run_weft(corrected("--set topology.hosts=8 --set traffic[0].size=64KiB --seed 3")).exit_status, 0);
}

TEST_F(Calibrate, CorrectionsAreForRunsAtTheFlowLevel) {
  const Outcome outcome = run_weft("run " + scenario_ + " --no-results --corrections " + file_);
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("add --fidelity flow"));
}

TEST_F(Calibrate, AFileThatWasChangedIsRefused) {
  std::ifstream in(file_);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string key = "\"fabric.mtu\" = \"4096\"";
  ASSERT_NE(text.find(key), std::string::npos) << text;
  text.replace(text.find(key), key.size(), "\"fabric.mtu\" = \"1024\"");
  const std::string changed = file_ + ".changed";
  std::ofstream(changed) << text;
  const Outcome outcome = run_weft(corrected("--set fabric.mtu=1024", changed));
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("was changed since the file was written"));
}

}  // namespace
}  // namespace weft::test
