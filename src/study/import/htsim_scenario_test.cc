// Scenarios made of htsim's inputs: each is one that weft takes, and a thousand spoilt inputs end in one line with a
// place.
#include "study/import/htsim_scenario.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "base/random.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::import {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kMatrix =
    "Nodes 16\nConnections 3\nTriggers 1\n0->15 id 1 start 0 size 2000000 send_done_trigger 1\n"
    "0->3 id 2 trigger 1 size 2000000\n4->5 id 3 start 10 size 100\ntrigger id 1 oneshot\n";
constexpr std::string_view kTopology =
    "Nodes 16\nTiers 3\nPodsize 8\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 2\nDownlink_Latency_ns "
    "1000\n"
    "Oversubscribed 2\nSwitch_Latency_ns 10\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 4\nBundle 1\n"
    "Downlink_Latency_ns 1000\nTier 2\nDownlink_speed_Gbps 50\nRadix_Down 4\nBundle 2\nDownlink_Latency_ns 2000\n"
    "Switch_Latency_ns 20\n";

HtsimInputs inputs_of(std::string_view matrix, const HtsimTopology& topology) {
  return {.matrix_file = "a.cm",
          .topology_file = "",
          .matrix = parse_connection_matrix({.text = matrix, .name = "a.cm"}, HtsimStart::kMicroseconds).value(),
          .topology = topology};
}

HtsimScenario made_of(const HtsimInputs& inputs) {
  return make_scenario(inputs, {.flows = "a.flows.csv", .graph = "a.graph"}).value();
}

void expect_taken(const std::string& text) {
  const auto parsed =
      scenario::parse_scenario(text, {.file = "a.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  EXPECT_TRUE(parsed.has_value()) << parsed.error().message << "\n" << text;
}

TEST(HtsimScenario, AWholeTreeNeedsNoGraph) {
  HtsimInputs inputs = inputs_of(kMatrix, uniform_topology({.nodes = 16}).value());
  const HtsimScenario made = made_of(inputs);
  EXPECT_EQ(made.graph, "");
  EXPECT_THAT(made.scenario, HasSubstr("family = \"uet\"\n"));
  EXPECT_THAT(made.scenario, HasSubstr("radix = 4\n"));
  EXPECT_THAT(made.scenario, HasSubstr("kmin = \"37350 B\"\nkmax = \"145250 B\"\n"));
  EXPECT_THAT(made.flows, HasSubstr("host0, host3, 2000000 B, after t1\n"));
  expect_taken(made.scenario);
}

// The reference's values (uet_reference): queue 178,450 B, twice for control packets, round trip 14.0227 us.
TEST(HtsimScenario, AFamilyThatHasTheReferencesQueuesAndControlSaysThemAll) {
  HtsimInputs inputs = inputs_of(kMatrix, uniform_topology({.nodes = 16}).value());
  inputs.protocol = {.paths_by = scenario::PathRule::kReps, .paths = 128, .sack_threshold = Bytes(4000)};
  const std::string text = made_of(inputs).scenario;
  for (const char* part :
       {"frame_gap = \"0 B\"\n", "egress_limit = \"178450 B\"\n", "egress_limit = \"356900 B\"\n",
        "victim = \"coin\"\n", "ecn_moment = \"end\"\n", "algorithm = \"nscc\"\n", "round_trip = \"14.02272 us\"\n",
        "path_selector = \"reps\"\npaths = 128\ntrimming = true\nloss_by_count = false\n",
        "ack_every = \"4000 B\"\ntimeout = \"100.656 us\"\n", "header_bytes = 64\ncontrol_bytes = 64\n"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("first_window")));
  EXPECT_THAT(text, Not(HasSubstr("target")));
  expect_taken(text);
}

TEST(HtsimScenario, WindowTargetAndLossesFollowTheOptions) {
  HtsimInputs inputs = inputs_of(kMatrix, uniform_topology({.nodes = 16}).value());
  inputs.settings.window_packets = 50;
  inputs.settings.overflow = HtsimOverflow::kDrop;
  inputs.protocol.target_delay = 6_us;
  inputs.protocol.quick_adapt_gate = 2;
  inputs.protocol.losses = HtsimLosses::kSleek;
  const HtsimScenario made = made_of(inputs);
  for (const char* part :
       {"enabled = false\n", "first_window = \"207500 B\"\n", "target = \"6 us\"\n", "quick_adapt_fraction = 2\n",
        "loss_by_count = true\nprobe_after = \"42.06816 us\"\n", "egress_limit = \"892250 B\"\n"}) {
    EXPECT_THAT(made.scenario, HasSubstr(part));
  }
  EXPECT_THAT(made.notes, testing::Contains(HasSubstr("by a coin")));
  expect_taken(made.scenario);
}

TEST(HtsimScenario, ReceiversGrantCreditAloneOrBesideTheWindow) {
  HtsimInputs inputs = inputs_of(kMatrix, uniform_topology({.nodes = 16}).value());
  inputs.protocol.control = HtsimControl::kReceiver;
  const std::string alone = made_of(inputs).scenario;
  EXPECT_THAT(alone, HasSubstr("algorithm = \"rccc\"\n\n[rccc]\nwith_nscc = false\nround_trip = \"14.02272 us\"\n"));
  EXPECT_THAT(alone, Not(HasSubstr("[nscc]")));
  expect_taken(alone);
  inputs.protocol.control = HtsimControl::kBoth;
  const std::string both = made_of(inputs).scenario;
  EXPECT_THAT(both, HasSubstr("with_nscc = true\n"));
  EXPECT_THAT(both, HasSubstr("[nscc]\nround_trip = \"14.02272 us\"\n"));
  expect_taken(both);
}

// Links of aggregation switch 0, then of 1, whose count starts at its number times the switches of a pod.
TEST(HtsimScenario, FailedLinksAreSlowFromTheCoreDownWithQueuesAndMarksOfTheirSpeed) {
  HtsimInputs inputs = inputs_of(kMatrix, uniform_topology({.nodes = 16}).value());
  inputs.failed = 3;
  const std::string text = made_of(inputs).scenario;
  for (const char* port : {"core0/port0", "core1/port0", "core2/port0"}) {
    EXPECT_THAT(text, HasSubstr(fmt::format("select = \"{}\"\naction = \"degrade\"\nrate = \"25 Gbps\"\ndirection = "
                                            "\"out\"\n\n[[override]]\nselect = \"{}\"\nethernet.priority.3.kmin = "
                                            "\"9337 B\"\nethernet.priority.3.kmax = \"36312 B\"\nethernet.priority.3."
                                            "egress_limit = \"44612 B\"\n",
                                            port, port)));
  }
  EXPECT_THAT(text, Not(HasSubstr("core3/port0")));
  expect_taken(text);
}

TEST(HtsimScenario, RoCEv2HasItsOwnTransportOnTheSameNetwork) {
  HtsimInputs inputs = inputs_of(kMatrix, uniform_topology({.nodes = 16}).value());
  inputs.family = scenario::Family::kRoceV2;
  inputs.failed = 1;
  const HtsimScenario made = made_of(inputs);
  EXPECT_THAT(made.scenario, HasSubstr("algorithm = \"static-window\"\nwindow = \"262926 B\"\n"));
  EXPECT_THAT(made.scenario, Not(HasSubstr("egress_limit")));
  EXPECT_THAT(made.notes, testing::Contains(HasSubstr("headers of RoCEv2")));
  expect_taken(made.scenario);
}

TEST(HtsimScenario, OtherTreesAreGraphs) {
  const HtsimTopology topology = parse_htsim_topology({.text = kTopology, .name = "a.topo"}).value();
  const HtsimScenario made = made_of(inputs_of(kMatrix, topology));
  EXPECT_THAT(made.scenario, HasSubstr("kind = \"file\"\nfile = \"a.graph\"\n"));
  EXPECT_THAT(made.scenario, Not(HasSubstr("[link")));
  EXPECT_THAT(made.scenario, HasSubstr("select = \"core*\"\nswitch.latency = \"20 ns\"\n"));
  EXPECT_THAT(made.graph, HasSubstr("link pod1/agg1 core3 rate=50000000000bps delay=2000000ps\n"));
  expect_taken(made.scenario);
}

TEST(HtsimScenario, TwoTiersAreALeafSpine) {
  HtsimInputs inputs =
      inputs_of("Nodes 32\nConnections 1\n0->31 start 0 size 1\n", uniform_topology({.nodes = 32, .tiers = 2}).value());
  inputs.failed = 1;
  inputs.end = 1_ms;
  const HtsimScenario made = made_of(inputs);
  EXPECT_THAT(made.scenario, HasSubstr("kind = \"leaf-spine\"\nhosts = 32\nhosts_per_leaf = 4\nspines = 4\n"));
  EXPECT_THAT(made.scenario, HasSubstr("select = \"spine0\"\naction = \"degrade\"\n"));
  EXPECT_THAT(made.scenario, HasSubstr("select = \"leaf*/port4\"\naction = \"degrade\"\n"));
  EXPECT_THAT(made.scenario, HasSubstr("stop = \"1 ms\"\n"));
  expect_taken(made.scenario);
}

TEST(HtsimScenario, WhatTheTopologyHasNotIsRefused) {
  HtsimInputs inputs = inputs_of(kMatrix, uniform_topology({.nodes = 16}).value());
  const auto fault = [&] { return make_scenario(inputs, {}).error().message; };
  inputs.failed = 17;
  EXPECT_EQ(fault(), "failed: 17 links; between aggregation switches and cores there are 16");
  inputs.failed = 0;
  inputs.matrix.failures.push_back({.switch_id = 8, .link_id = 0, .line = 9});
  EXPECT_EQ(fault(), "a.cm:9: switch 8, link 0: there are 8 aggregation switches with 2 links upwards each");
  inputs.topology = uniform_topology({.nodes = 128}).value();
  EXPECT_EQ(fault(), "a.cm has 16 nodes, and the topology 128; they must be the same");
}

/// A byte is changed, lost or put in, or a word is exchanged for another; once to three times.
std::string spoilt(std::string text, SplitMix64& random) {
  constexpr std::array<std::string_view, 14> kWords{
      "",      "-1",      "0",   "99999999999999999999", "1e9", "0x10", "nan", "->", "1->", "trigger", "Tier",
      "Nodes", "\x1b[2J", "size"};
  const std::uint64_t times = 1 + random.next() % 3;
  for (std::uint64_t i = 0; i < times && !text.empty(); ++i) {
    const std::size_t at = random.next() % text.size();
    switch (random.next() % 4) {
      case 0:
        text[at] = static_cast<char>(random.next() % 256);
        break;
      case 1:
        text.erase(at, 1 + random.next() % 12);
        break;
      case 2:
        text.insert(at, kWords[random.next() % kWords.size()]);
        break;
      default: {
        const std::size_t begin = std::min(text.find_first_of(" \n", at), text.size() - 1) + 1;
        const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
        if (begin < end) {
          text.replace(begin, end - begin, kWords[random.next() % kWords.size()]);
        }
      }
    }
  }
  return text;
}

TEST(HtsimScenario, AThousandSpoiltInputsAreRefusedInOneLineWithAPlaceOrRightAfterAll) {
  SplitMix64 random(7);
  std::size_t refused = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool is_matrix = i % 2 == 0;
    const std::string matrix = is_matrix ? spoilt(std::string(kMatrix), random) : std::string(kMatrix);
    const std::string topology = is_matrix ? std::string(kTopology) : spoilt(std::string(kTopology), random);
    auto parsed = parse_connection_matrix({.text = matrix, .name = "a.cm"}, HtsimStart::kMicroseconds);
    auto tree = parse_htsim_topology({.text = topology, .name = "a.topo"});
    if (parsed && tree) {
      const auto made =
          make_scenario({.matrix_file = "a.cm", .topology_file = "a.topo", .matrix = *parsed, .topology = *tree},
                        {.flows = "a.flows.csv", .graph = "a.graph"});
      if (made) {
        expect_taken(made->scenario);
      }
      continue;
    }
    ++refused;
    const std::string& message = parsed ? tree.error().message : parsed.error().message;
    EXPECT_TRUE(message.starts_with(parsed ? "a.topo:" : "a.cm:")) << message;
    EXPECT_EQ(terminal_text(message), message);
    EXPECT_LT(message.size(), 400U) << message;
  }
  EXPECT_GT(refused, 600U);
}

}  // namespace
}  // namespace weft::study::import
