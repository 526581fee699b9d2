// `weft import htsim` from outside: files that it writes, runs of them, and what it refuses.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/document_blocks.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Import : public ::testing::Test {
 protected:
  Import() { std::filesystem::create_directories(path_); }
  ~Import() override { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  [[nodiscard]] Outcome import(const std::string& options) const {
    return run_weft("import htsim --cm " + file("a.cm") + " --output " + file("a.toml") + " " + options);
  }
  /// When each flow started and ended, in microseconds, by source and destination.
  [[nodiscard]] std::map<std::string, std::pair<double, double>> run() const {
    const Outcome outcome = run_weft("run " + file("a.toml") + " --no-results --quiet --messages --json -");
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
    const nlohmann::json json = nlohmann::json::parse(outcome.out, nullptr, false);
    std::map<std::string, std::pair<double, double>> times;
    if (json.is_discarded()) {
      return times;
    }
    for (const nlohmann::json& message : json["runs"][0]["messages"]) {
      times[message.at("source").get<std::string>() + "->" + message.at("destination").get<std::string>()] = {
          1e6 * message.at("posted_s").get<double>(), 1e6 * message.at("finished_s").get<double>()};
    }
    return times;
  }

 private:
  std::string path_ =
      ::testing::TempDir() + "weft_import_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

constexpr const char* kChain =
    "Nodes 16\nConnections 3\nTriggers 2\n0->15 id 1 start 3 size 2000000 send_done_trigger 1\n"
    "0->9 id 2 trigger 1 size 1000 recv_done_trigger 2\n9->4 id 3 trigger 2 size 1000\n"
    "trigger id 1 oneshot\ntrigger id 2 oneshot\n";
constexpr const char* kTree =
    "Nodes 16\nTiers 3\nPodsize 8\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 2\nDownlink_Latency_ns "
    "1000\n"
    "Oversubscribed 2\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 4\nDownlink_Latency_ns 1000\nTier 2\n"
    "Downlink_speed_Gbps 50\nRadix_Down 4\nBundle 2\nDownlink_Latency_ns 1000\n";

TEST_F(Import, AChainOfFlowsRunsInItsOrderOnAWholeTreeAndOnAGraph) {
  write("a.cm", kChain);
  write("a.topo", kTree);
  for (const std::string& options : {std::string(), "--force --topo " + file("a.topo")}) {
    const Outcome outcome = import(options);
    ASSERT_EQ(outcome.exit_status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("written; next: weft run "));
    EXPECT_EQ(std::filesystem::exists(file("a.graph")), !options.empty());
    const auto times = run();
    ASSERT_EQ(times.size(), 3U);
    const auto& first = times.at("host0/nic0->host15/nic0");
    const auto& second = times.at("host0/nic0->host9/nic0");
    const auto& third = times.at("host9/nic0->host4/nic0");
    EXPECT_DOUBLE_EQ(first.first, 3);
    EXPECT_DOUBLE_EQ(second.first, first.second);
    // One way of six cables of a microsecond, and some 0.1 us for each of six transmissions of the packet.
    EXPECT_GT(third.first, second.first + 6);
    EXPECT_LT(third.first, second.first + 7.2);
    EXPECT_LT(third.first, second.second);
  }
}

// The published figures: 176.2 us, and 176.804 us with another flow the other way.
TEST_F(Import, TheSingleFlowTakesThePublishedTimeAndTwoDisturbEachOtherAsPublished) {
  for (const auto& [flows, published] :
       {std::pair{"Connections 1\n0->13 start 0 size 2000000\n", 176.2},
        std::pair{"Connections 2\n0->13 start 0 size 2000000\n13->0 start 0 size 2000000\n", 176.804}}) {
    write("a.cm", std::string("Nodes 16\n") + flows);
    ASSERT_EQ(import("--force --sender-cc-only").exit_status, 0);
    const auto times = run();
    EXPECT_FALSE(times.empty());
    for (const auto& [flow, time] : times) {
      EXPECT_NEAR(time.second - time.first, published, published / 1000) << flow;
    }
  }
}

// Four links are all that lead from cores into the first pod: what goes there has a quarter of the speed on any path,
// and what comes from there the whole.
TEST_F(Import, AFailedLinkIsSlowOnItsWayDownAlone) {
  const auto last = [&](const char* flow, const std::string& options) {
    write("a.cm", std::string("Nodes 16\nConnections 1\n") + flow + " start 0 size 2000000\n");
    EXPECT_EQ(import("--force --paths 1 " + options).exit_status, 0);
    double end = 0;
    for (const auto& [name, time] : run()) {
      end = time.second;
    }
    return end;
  };
  EXPECT_GT(last("13->0", "--failed 4"), 4 * 162.5);
  EXPECT_NEAR(last("0->13", "--failed 4"), 176.2, 0.2);
}

TEST_F(Import, OptionsOfAnotherKindAreRefusedWithTheirName) {
  write("a.cm", kChain);
  write("a.topo", kTree);
  const auto fault = [&](const std::string& options) {
    const Outcome outcome = import(options);
    EXPECT_EQ(outcome.exit_status, 2) << options;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(fault("--nodes 32"), HasSubstr("--nodes: 32; the connection matrix has 16"));
  EXPECT_THAT(fault("--linkspeed 100"), HasSubstr("--linkspeed: "));
  EXPECT_THAT(fault("--linkspeed 100Gbps --topo " + file("a.topo")),
              HasSubstr("--linkspeed: the topology file says it"));
  EXPECT_THAT(fault("--tiers 4"), HasSubstr("--tiers: '4' is not a whole number from 2 to 3"));
  EXPECT_THAT(fault("--tiers 2"), HasSubstr("16 nodes are no whole fat-tree of 2 tiers"));
  EXPECT_THAT(fault("--ecn 50 100 -q 80"), HasSubstr("is above the queue"));
  EXPECT_THAT(fault("--failed 17"), HasSubstr("failed: 17 links; between aggregation switches and cores there are 16"));
  EXPECT_THAT(fault("--family rocev3"), HasSubstr("--family: unknown family 'rocev3'; did you mean 'rocev2'?"));
  EXPECT_THAT(fault("--paths 100"), HasSubstr("--paths: 100 is no power of two; 64 and 128 are"));
  EXPECT_THAT(fault("--load-balancing-algo repz"),
              HasSubstr("--load-balancing-algo: unknown algorithm 'repz'; did you mean 'reps'?"));
  EXPECT_THAT(fault("--sack-threshold 0"), HasSubstr("--sack-threshold: '0' is not a whole number from 1 to 1048576"));
  EXPECT_THAT(fault("--target-q-delay 6"), HasSubstr("--target-q-delay: "));
  EXPECT_THAT(fault("--qa-gate 31"), HasSubstr("--qa-gate: '31' is not a whole number from 0 to 30"));
  EXPECT_THAT(fault("--trimsize 63"), HasSubstr("--trimsize: '63' is not a whole number from 64 to 1024"));
  EXPECT_THAT(fault("--sender-cc-only --receiver-cc-only"),
              HasSubstr("--receiver-cc-only: --sender-cc-only says otherwise"));
  EXPECT_THAT(fault("--family rocev2 --paths 64"), HasSubstr("--paths: of family uet alone"));
  EXPECT_THAT(fault("--start-unit ns"), HasSubstr("--start-unit: unknown unit 'ns'"));
  EXPECT_FALSE(std::filesystem::exists(file("a.toml")));
}

TEST_F(Import, ExistingFilesStayWithoutForce) {
  write("a.cm", kChain);
  write("a.flows.csv", "mine");
  const Outcome outcome = import("");
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("a.flows.csv: exists; --force replaces it"));
  EXPECT_EQ(text_of(file("a.flows.csv")), "mine");
}

TEST_F(Import, WrongMatricesHaveFileLineAndColumn) {
  write("a.cm", "Nodes 16\nConnections 1\n0->16 start 0 size 1\n");
  const Outcome outcome = import("");
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("a.cm:3:1: the destination is '16'; it must be a whole number from 0 to 15"));
}

TEST_F(Import, WhatIsOtherwiseThanThereIsANote) {
  write("a.cm", "Nodes 16\nConnections 1\n0->1 start 0.5 size 1 prio 3\n");
  const Outcome outcome = import("--failed 1");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("note: 1 flows have a priority"));
  EXPECT_THAT(outcome.err, HasSubstr("note: 1 starts have parts of a microsecond"));
  const Outcome roce = import("--force --family rocev2");
  EXPECT_EQ(roce.exit_status, 0);
  EXPECT_THAT(roce.err, HasSubstr("note: packets have the headers of RoCEv2"));
}

}  // namespace
}  // namespace weft::test
