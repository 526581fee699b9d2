// A scheduled fabric as a scenario has it: what is refused, what results say, what paths allow, what transports
// recover.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/results/summary.h"
#include "study/run/capture_tap.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using scenario::message_of;
using scenario::scenario_with;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kNetwork =
    "hardware = \"equal\"\n[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = "
    "16\nhosts_per_leaf = 4\nspines = 5\n[link]\nrate = \"100 Gbps\"\n[routing]\npolicy = \"scheduled\"\n";

Result<scenario::Scenario> network_with(std::string_view rest, std::vector<std::string> settings = {}) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = std::move(settings);
  return scenario::parse_scenario(std::string(kNetwork) + std::string(rest), request, scenario::test_catalogue());
}

constexpr std::string_view kPermutation = "[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\"\ncount = 4\n";

bool joins_switches(const results::PortRow& row) {
  return row.of_switch && row.peer.find("/port") != std::string::npos;
}

TEST(ScheduledRun, IsForTwoTiersAlone) {
  const auto plain = scenario_with("[routing]\npolicy = \"scheduled\"\n");
  ASSERT_TRUE(plain) << message_of(plain);
  const auto options = assembly::fabric_options(*plain, *assembly::build_topology(*plain));
  ASSERT_FALSE(options);
  EXPECT_THAT(options.error().message,
              AllOf(HasSubstr("test.toml"), HasSubstr("routing.policy"), HasSubstr("no switch here is a spine")));
}

TEST(ScheduledRun, WhatItHasNotIsRefusedWithThePlace) {
  EXPECT_THAT(message_of(network_with("[ethernet.llr]\nenabled = true\n")),
              AllOf(HasSubstr("ethernet.llr.enabled"), HasSubstr("not for a scheduled fabric")));
  EXPECT_THAT(message_of(network_with("[ethernet.trimming]\nenabled = true\n")),
              HasSubstr("ethernet.trimming.enabled"));
  EXPECT_THAT(message_of(network_with("[ethernet.priority.3]\nlossless = false\ncredits = true\n")),
              HasSubstr("ethernet.priority.3.credits"));
  EXPECT_THAT(message_of(network_with("polarised = true\n")), HasSubstr("routing.polarised"));
  EXPECT_THAT(message_of(network_with("cell_size = \"64 B\"\ncell_header = \"64 B\"\n")),
              HasSubstr("routing.cell_header"));
  EXPECT_THAT(message_of(network_with("egress_buffer = \"1 KiB\"\n")), HasSubstr("routing.egress_buffer"));
  EXPECT_THAT(message_of(network_with("[congestion_control]\nalgorithm = \"hpcc\"\n")), HasSubstr("telemetry"));
}

TEST(ScheduledRun, APermutationHasItsLinesWhateverTheSeed) {
  for (const int seed : {1, 2}) {
    const results::RunResults results = results_of(network_with(kPermutation, {"seed=" + std::to_string(seed)}));
    EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
    EXPECT_EQ(results.drops.total(), 0U);
    EXPECT_EQ(results::summarise(results).network.retransmitted, 0U);
    ASSERT_TRUE(results.jobs.at(0).allowed);
    // Of 4 MB at 100 Gb/s, headers included, 326 us; four times the first frame's way with its request and its grant
    // and the last acknowledgement's, some 10 us.
    EXPECT_LT((results.run.ended_at - Time::zero()).picoseconds(), (370_us).picoseconds());
    // Links of one leaf in one direction carry the same, cells of acknowledgements among them.
    std::map<std::pair<std::string, bool>, std::vector<std::uint64_t>> links;
    for (const results::PortRow& row : results.ports) {
      if (joins_switches(row)) {
        const bool up = row.name.starts_with("leaf");
        const std::string& leaf = up ? row.name : row.peer;
        links[{leaf.substr(0, leaf.find('/')), up}].push_back(row.tx_packets);
      }
      EXPECT_EQ(row.incomplete, 0U);
    }
    EXPECT_EQ(links.size(), 8U);
    for (const auto& [leaf, cells] : links) {
      const auto [least, most] = std::ranges::minmax(cells);
      EXPECT_EQ(cells.size(), 5U);
      EXPECT_GT(least, 3'000U);
      EXPECT_LE(most - least, 3U) << leaf.first;  // one for each other leaf
    }
    EXPECT_TRUE(std::ranges::any_of(results.ports, [](const auto& row) { return row.voq_peak > 0; }));
    EXPECT_TRUE(std::ranges::any_of(results.ports, [](const auto& row) { return row.credits_sent > 100; }));
  }
}

TEST(ScheduledRun, PathsAllowWhatIsLeftOfCells) {
  const auto allowed = [](std::string_view spines) {
    const results::RunResults results =
        results_of(network_with(kPermutation, {"topology.spines=" + std::string(spines)}));
    return static_cast<double>(results.jobs.at(0).allowed->slowest.bits_per_second());
  };
  const double wide = allowed("5");
  // Four links for four hosts: (4096 + 62 + 20) / (4158 + 18 * 16) of the lines. 98 % of those are payload.
  EXPECT_NEAR(wide, 98e9, 1e9);
  EXPECT_NEAR(allowed("4") / wide, 4'178.0 / 4'446, 0.01);
}

TEST(ScheduledRun, CellsCannotBeCaptured) {
  const auto scenario = network_with(kPermutation);
  Collector collector;
  auto simulation = Simulation::create(*scenario, collector);
  ASSERT_TRUE(simulation);
  const std::string file = testing::TempDir() + "scheduled.pcapng";
  const auto open = [&](std::string_view port) {
    auto tap = CaptureTap::open((*simulation)->world(), 1, {{.port = std::string(port), .file = file}});
    return tap ? std::string() : tap.error().message;
  };
  EXPECT_EQ(open("leaf0/port0"), "");
  EXPECT_THAT(open("leaf0/port4"), HasSubstr("carry cells"));
  EXPECT_THAT(open("spine0/port0"), HasSubstr("carry cells"));
}

TEST(ScheduledRun, TransportsRecoverWhatFailedLinksCost) {
  const results::RunResults results = results_of(
      network_with(std::string(kPermutation) +
                   "[[event]]\nat = \"50 us\"\naction = \"fail\"\nselect = \"leaf0/port5\"\n[[event]]\nat = \"250 "
                   "us\"\naction = \"restore\"\nselect = \"leaf0/port5\"\n"));
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  EXPECT_EQ(results.messages.size(), 16U * 4);
  EXPECT_GT(results.drops.link_down, 0U);
  std::uint64_t incomplete = 0;
  for (const results::PortRow& row : results.ports) {
    incomplete += row.incomplete;
  }
  EXPECT_EQ(incomplete, results.drops.link_down);
  EXPECT_GT(results::summarise(results).network.retransmitted, 0U);
}

}  // namespace
}  // namespace weft::study::run
