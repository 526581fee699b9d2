// TCP and iWARP over IPv6: what a longer header costs, and connections under DCTCP that leave a congested path by PLB.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "study/results/summary.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

constexpr std::string_view kLabels = "routing.hash_fields=[\"5-tuple\", \"flow-label\"]";

/// The first half of the hosts sends to the second half, over as many spines as a rack has hosts.
Result<scenario::Scenario> halves(std::string_view more, std::vector<std::string> settings) {
  const std::string text = fmt::format(
      "hardware = \"equal\"\n[topology]\nkind = \"leaf-spine\"\n[link]\nrate = \"100 Gbps\"\n[tcp]\n"
      "congestion_control = \"dctcp\"\nminimum_rto = \"10 ms\"\n[ethernet.priority.0]\necn = true\n"
      "[[traffic]]\nkind = \"collective\"\ncollective = \"send\"\n{}",
      more);
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = std::move(settings);
  return scenario::parse_scenario(text, request, scenario::test_catalogue());
}

double seconds_of(const results::RunResults& results) {
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
  return results::summarise(results).jobs.at(0).collective->max.seconds();
}

std::uint64_t path_changes(const results::RunResults& results) {
  std::uint64_t changes = 0;
  for (const results::NicRow& row : results.nics) {
    changes += row.path_changes;
  }
  return changes;
}

// A full segment carries 4,096 bytes less 12 of timestamps; around them are Ethernet with preamble and gap (38), IP,
// TCP with its options (32).
TEST(TcpOverIpv6, TakesTwentyBytesMoreForEachSegment) {
  const auto time = [](const std::string& version) {
    return seconds_of(results_of(
        halves("size = \"64 MiB\"\n", {"topology.hosts=2", "topology.hosts_per_leaf=2", "topology.spines=1",
                                       "fabric.family=tcp", "fabric.mtu=4096", "fabric.ip_version=" + version})));
  };
  constexpr double kOverIpv4 = 38 + 20 + 32 + 4084;
  EXPECT_NEAR(time("ipv6") / time("ipv4"), (kOverIpv4 + 20) / kOverIpv4, 0.001);
}

std::vector<std::string> with_plb(const std::string& family, std::string_view selector, int seed) {
  return {"topology.hosts=16",
          "topology.hosts_per_leaf=8",
          "topology.spines=8",
          "fabric.ip_version=ipv6",
          std::string(kLabels),
          "fabric.family=" + family,
          fmt::format("tcp.path_selector={}", selector),
          fmt::format("seed={}", seed)};
}

// With a threshold of nothing each round counts as congested, so that every connection moves each twelve round trips.
TEST(TcpPlbRuns, MovesAreCountedOfTcpAndIwarp) {
  for (const char* const family : {"tcp", "iwarp"}) {
    std::vector<std::string> settings = with_plb(family, "plb", 1);
    settings.emplace_back("transport.plb_threshold=0%");
    EXPECT_GT(path_changes(results_of(halves("size = \"16 MiB\"\n", settings))), 8U) << family;
    EXPECT_EQ(path_changes(results_of(halves("size = \"16 MiB\"\n", with_plb(family, "single", 1)))), 0U) << family;
  }
}

// Where no two share a link, nothing is marked for long, and nobody moves.
TEST(TcpPlbRuns, WithoutCongestionNobodyMoves) {
  std::vector<std::string> settings = with_plb("tcp", "plb", 1);
  settings.insert(settings.end(), {"topology.hosts=2", "topology.hosts_per_leaf=1"});
  const results::RunResults alone = results_of(halves("size = \"16 MiB\"\n", settings));
  EXPECT_EQ(path_changes(alone), 0U);
}

}  // namespace
}  // namespace weft::study::run
