// Hosts that take in less than their wires bring: nothing is lost where pauses or credits protect it, receivers get
// what their PCI Express takes, and what they hold back spreads.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/random.h"
#include "host/path/pcie.h"
#include "study/assembly/assembly_check.h"
#include "study/assembly/build_paths.h"
#include "study/results/summary.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using scenario::message_of;

Result<scenario::Scenario> scenario_of(const std::string& text) {
  return scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                  scenario::test_catalogue());
}

/// One switch and lines of 800 Gb/s, behind PCI Express of generation 5.
std::string slow_hosts(std::string_view fabric, std::string_view more) {
  return fmt::format(
      "[fabric]\n{}\n[topology]\nkind = \"single-switch\"\nhosts = 5\n[switch]\nport_rate = \"800 Gbps\"\nbuffer = "
      "\"4 MiB\"\n[link]\nrate = \"800 Gbps\"\n[nic]\nport_rate = \"800 Gbps\"\n[host]\nprofile = \"modern\"\n{}\n",
      fabric, more);
}

constexpr std::string_view kIncast = "[[traffic]]\nkind = \"incast\"\nfan_in = 3\nsize = \"20 MB\"\n";

std::uint64_t hold_backs(const results::RunResults& results) {
  std::uint64_t sum = 0;
  for (const results::NicRow& row : results.nics) {
    sum += row.held_back;
  }
  return sum;
}

Duration slot_time(const scenario::Scenario& scenario, Bytes size) {
  return host::write_rate(assembly::host_options({scenario, scenario.devices}).nic_slot).transmit_time(size);
}

class SlowHosts : public ::testing::TestWithParam<std::string> {};

TEST_P(SlowHosts, AnIncastTakesAsLongAsPciExpressTakesForItsBytesAndNothingIsLost) {
  const auto scenario = scenario_of(slow_hosts(GetParam(), kIncast));
  ASSERT_TRUE(scenario) << message_of(scenario);
  const results::RunResults results = results_of(scenario);
  const results::Summary summary = results::summarise(results);
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
  EXPECT_EQ(summary.network.host_drops, 0U);
  EXPECT_EQ(summary.network.drops, 0U);
  EXPECT_EQ(summary.network.retransmitted, 0U);
  EXPECT_GT(hold_backs(results), 0U);
  const double form = slot_time(*scenario, Bytes(60'000'000)).seconds();
  EXPECT_NEAR(lasted(results).seconds(), form, form * 0.02);
}

const std::string kCredits =
    "family = \"rocev2\"\ntuning = \"lossy\"\n[ethernet.priority.3]\nlossless = false\ncredits = true\n"
    "[congestion_control]\nalgorithm = \"none\"";

INSTANTIATE_TEST_SUITE_P(Networks, SlowHosts,
                         ::testing::Values("family = \"rocev2\"\ntuning = \"pfc\"", "family = \"infiniband\"",
                                           kCredits));

// Host 1's queue pairs take turns, and while its class is held back neither sends: the flow to a host that takes all
// that comes gets as much as the one beside it.
TEST_P(SlowHosts, AFlowToAFastHostGetsNoMoreThanTheOneToTheSlowHostBesideIt) {
  const auto scenario = scenario_of(slow_hosts(
      GetParam(),
      "[[traffic]]\nname = \"slow\"\nkind = \"flows\"\nsources = [\"host1\"]\ndestinations = [\"host0\"]\nsize = \"200 "
      "MB\"\n[[traffic]]\nname = \"victim\"\nkind = \"flows\"\nsources = [\"host1\"]\ndestinations = [\"host4\"]\nsize "
      "= "
      "\"100 MB\"\n[[override]]\nselect = \"host0\"\nhost.pcie_lanes = 4\n"));
  ASSERT_TRUE(scenario) << message_of(scenario);
  const results::RunResults results = results_of(scenario);
  EXPECT_EQ(results::summarise(results).network.host_drops, 0U);
  ASSERT_EQ(results.messages.size(), 2U);
  const auto [first, last] = std::minmax(results.messages[0].record.finished, results.messages[1].record.finished);
  const double quarter = slot_time(*scenario, Bytes(400'000'000)).seconds();  // 100 MB over four lanes of 16
  EXPECT_NEAR((first - Time::zero()).seconds(), quarter, quarter * 0.03);
  EXPECT_NEAR((last - Time::zero()).seconds(), 2 * quarter, quarter * 0.03);
}

TEST(SlowHost, WithoutFlowControlItDrops) {
  const auto scenario =
      scenario_of(slow_hosts("family = \"rocev2\"\ntuning = \"lossy\"",
                             std::string("[congestion_control]\nalgorithm = \"none\"\n") + std::string(kIncast)));
  ASSERT_TRUE(scenario) << message_of(scenario);
  const results::RunResults results = results_of(scenario);
  EXPECT_GT(results::summarise(results).network.host_drops, 0U);
  EXPECT_EQ(hold_backs(results), 0U);
}

TEST(SlowHost, ABufferThatCannotHoldItsHeadroomIsRefusedWithWhatWouldDo) {
  const auto scenario = scenario_of(
      slow_hosts("family = \"rocev2\"\ntuning = \"pfc\"", "receive_buffer = \"32 KiB\"\n" + std::string(kIncast)));
  ASSERT_TRUE(scenario) << message_of(scenario);
  const Result<void> fits = assembly::check_assembly(*scenario);
  ASSERT_FALSE(fits);
  EXPECT_NE(fits.error().message.find("test.toml:16:18: host.receive_buffer: 32 KiB of host0/nic0 cannot hold"),
            std::string::npos)
      << fits.error().message;
  EXPECT_NE(fits.error().message.find("make it at least"), std::string::npos);
}

/// A random network with a host whose slot has a lane to three, and others that may be slower than their lines.
std::string random_world(RandomStream& random) {
  const auto among = [&](const auto&... words) {
    const std::array<std::string, sizeof...(words)> all{std::string(words)...};
    return all[random.uniform(all.size())];
  };
  const std::string family =
      among("family = \"rocev2\"\ntuning = \"pfc\"", "family = \"rocev2\"", "family = \"infiniband\"",
            "family = \"infiniband\"\n[infiniband]\nvls = 2", kCredits);
  const std::string shape =
      among("kind = \"single-switch\"\nhosts = 6", "kind = \"leaf-spine\"\nleaves = 3\nhosts_per_leaf = 3\nspines = 2",
            "kind = \"fat-tree\"\ntiers = 2\nradix = 4");
  const std::string host =
      fmt::format("[host]\nprofile = \"modern\"\npcie = \"{}\"\npcie_lanes = {}\nreceive_buffer = \"{} KiB\"\n",
                  among("gen3", "gen4", "gen5"), among("8", "16"), 256 + random.uniform(1024));
  const std::string kind = among("kind = \"incast\"\nfan_in = 5", "kind = \"permutation\"", "kind = \"all-to-all\"");
  return fmt::format(
      "seed = {}\n[fabric]\n{}\n[topology]\n{}\n[link.host]\npropagation = \"300 ns\"\n[link.leaf]\npropagation = "
      "\"{} ns\"\n{}[[traffic]]\n{}\nsize = \"{} kB\"\noperation = \"{}\"\n[[override]]\nselect = "
      "\"host0\"\nhost.pcie_lanes = {}\n",
      1 + random.uniform(1000), family, shape, 300 + random.uniform(1000), host, kind, 100 + random.uniform(2000),
      among("write", "send", "read"), 1 + random.uniform(3));
}

TEST(SlowHosts, LoseNothingInAnyNetworkThatIsLossless) {
  constexpr int kWorlds = 24;
  std::uint64_t held = 0;
  for (int world = 0; world < kWorlds; ++world) {
    RandomStream random(static_cast<std::uint64_t>(world), "slow hosts");
    const std::string text = random_world(random);
    SCOPED_TRACE(text);
    const auto scenario = scenario_of(text);
    ASSERT_TRUE(scenario) << message_of(scenario);
    const results::RunResults whole = results_of(scenario, world::Division::kNever);
    const results::Summary summary = results::summarise(whole);
    ASSERT_EQ(whole.run.end, results::RunEnd::kFinished);
    ASSERT_EQ(summary.network.host_drops, 0U);
    ASSERT_EQ(summary.network.drops, 0U);
    ASSERT_FALSE(whole.messages.empty());
    const results::RunResults divided = results_of(scenario, world::Division::kWhereverPossible);
    ASSERT_EQ(divided.messages.size(), whole.messages.size());
    EXPECT_EQ(lasted(divided), lasted(whole));
    EXPECT_EQ(hold_backs(divided), hold_backs(whole));
    held += hold_backs(whole);
  }
  EXPECT_GT(held, 20U);  // it is what they are about
}

}  // namespace
}  // namespace weft::study::run
