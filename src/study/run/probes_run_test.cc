// Probes of senders that find losses by time, in runs in which nothing is lost: what merely waits, in queues of
// switches or for its turn at the NIC, is not sent again.
#include <gtest/gtest.h>

#include "study/results/summary.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

constexpr Rate kLine = Rate::bits_per_second(100'000'000'000);

std::string one_switch(std::string_view fabric, int hosts, std::string_view more) {
  return fmt::format(
      "[fabric]\n{}\n[topology]\nkind = \"single-switch\"\nhosts = {}\n[nic]\nport_rate = \"100 Gbps\"\n{}\n", fabric,
      hosts, more);
}

class ProbesOfTurns : public ::testing::TestWithParam<std::string> {};

// Each of 31 queue pairs sends one packet in 31, and is asked to acknowledge one in eight of them.
TEST_P(ProbesOfTurns, AQueuePairThatWaitsForItsTurnSendsNothingAgain) {
  const results::RunResults results =
      results_of(from_text(one_switch(GetParam(), 32, "[[traffic]]\nkind = \"all-to-all\"\nsize = \"64 KiB\"")));
  EXPECT_TRUE(all_succeeded(results));
  const results::Summary summary = results::summarise(results);
  EXPECT_EQ(summary.network.drops, 0U);
  EXPECT_EQ(summary.network.retransmitted, 0U);
  const double line = kLine.transmit_time(Bytes(31 * 64 * 1024)).seconds();
  EXPECT_LT(lasted(results).seconds(), line * 1.06);
}

INSTANTIATE_TEST_SUITE_P(Networks, ProbesOfTurns,
                         ::testing::Values("family = \"infiniband\"\ntuning = \"ar\"",
                                           "family = \"rocev2\"\ntuning = \"spray\""));

class ProbesOfFirstPackets : public ::testing::TestWithParam<std::string> {};

// All that a queue pair has is under way before anything of it has come, behind what others sent over the same uplink.
TEST_P(ProbesOfFirstPackets, WhatWaitsInAQueueWithoutDropsIsNotAskedFor) {
  const results::RunResults results = results_of(from_text(
      fmt::format("[fabric]\n{}\n[topology]\nkind = \"leaf-spine\"\nhosts = 24\nhosts_per_leaf = 8\noversubscription = "
                  "\"8:1\"\n[link]\nrate = \"100 Gbps\"\n[[traffic]]\nkind = \"all-to-all\"\nsize = \"64 KiB\"",
                  GetParam())));
  EXPECT_TRUE(all_succeeded(results));
  const results::Summary summary = results::summarise(results);
  EXPECT_EQ(summary.network.drops, 0U);
  EXPECT_EQ(summary.network.retransmitted, 0U);
}

INSTANTIATE_TEST_SUITE_P(Networks, ProbesOfFirstPackets,
                         ::testing::Values("family = \"infiniband\"\ntuning = \"ar\"",
                                           "family = \"rocev2\"\ntuning = \"spray\""));

class ProbesOfQueues : public ::testing::TestWithParam<std::string> {};

// Without trimming Ultra Ethernet probes: its probes wait in the queue in which the data do that they ask about.
TEST_P(ProbesOfQueues, AnIncastTakesAsLongAsItsLinkWithProbesAndWithout) {
  const auto text = [&](std::string_view probes) {
    return one_switch("family = \"uet\"", 34,
                      fmt::format("[congestion_control]\nalgorithm = \"{}\"\n[ethernet.trimming]\nenabled = false\n{}\n"
                                  "[[traffic]]\nkind = \"incast\"\nfan_in = 32\nsize = \"1 MiB\"",
                                  GetParam(), probes));
  };
  const results::RunResults with_probes = results_of(from_text(text("")));
  const results::RunResults without = results_of(from_text(text("[uet]\nprobe_after = \"0 ns\"")));
  EXPECT_TRUE(all_succeeded(with_probes) && all_succeeded(without));
  EXPECT_EQ(results::summarise(with_probes).network.drops, 0U);
  const double line = kLine.transmit_time(Bytes(32 << 20)).seconds();
  EXPECT_LT(lasted(without).seconds(), line * 1.05);
  EXPECT_LT(lasted(with_probes).seconds(), lasted(without).seconds() * 1.02);
}

INSTANTIATE_TEST_SUITE_P(Controls, ProbesOfQueues, ::testing::Values("nscc", "rccc"));

}  // namespace
}  // namespace weft::study::run
