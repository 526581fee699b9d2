#include "study/claims/victims.h"

#include <gtest/gtest.h>

#include "study/claims/fake_runner.h"

namespace weft::study::claims {
namespace {

using testing::FakeRunner;

TEST(VictimShares, AreIdealTimeOverTimeTaken) {
  FakeRunner runner;
  runner.add_victims("half", 0.5);
  const VictimShares shares = victim_shares(runner.last().results, "victims");
  EXPECT_DOUBLE_EQ(shares.mean, 0.5);
  EXPECT_DOUBLE_EQ(shares.slowest, 0.5);
}

TEST(VictimShares, AreNothingOfAFlowThatStopped) {
  FakeRunner runner;
  runner.add_victims("half", 0.5);
  results::RunResults& results = runner.last().results;
  results::MessageRow stopped = results.messages.front();
  stopped.record.flow = {.job = workload::JobId(0), .source = workload::RankId(1), .destination = workload::RankId(0)};
  results.messages.push_back(stopped);  // before the window, and none in it
  EXPECT_DOUBLE_EQ(victim_shares(results, "victims").mean, 0.25);
  EXPECT_DOUBLE_EQ(victim_shares(results, "victims").slowest, 0);
}

TEST(BlockedTime, CountLinesOfVictimsThatWereHeldForMoreThanAHundredth) {
  FakeRunner runner;
  runner.add_victims("held", 1);
  results::RunResults& results = runner.last().results;
  const Duration length = results.run.ended_at.since_start();
  const auto add = [&results](const char* name, bool of_switch, Duration held) {
    results::PortRow& port = results.ports.emplace_back();
    port.name = name;
    port.of_switch = of_switch;
    port.lanes.push_back({.lane = 3, .held = held});
  };
  add("host0", false, length / 2);
  add("host1", false, length / 200);
  add("host2", false, length);  // sends into the incast
  add("leaf0/port0", true, length / 2);
  const BlockedTime found = holds(results, "victims");
  EXPECT_DOUBLE_EQ(found.lines, 0.5);
  EXPECT_DOUBLE_EQ(found.worst, 1);
  EXPECT_NEAR(found.time, (0.5 + 0.005 + 1 + 0.5) / 4, 1e-9);
}

}  // namespace
}  // namespace weft::study::claims
