// Overrides that mean ports by the rate and the tier of their links.
#include <gmock/gmock.h>

#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTwoTiers = R"([fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
hosts = 4
hosts_per_leaf = 2
spines = 1
[switch]
port_rate = "800 Gbps"
[nic]
port_rate = "400 Gbps"
[link.host]
rate = "400 Gbps"
[link.leaf]
rate = "800 Gbps"
)";

Result<scenario::Scenario> two_tiers(std::string_view more) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  return scenario::parse_scenario(fmt::format("{}{}", kTwoTiers, more), request, scenario::test_catalogue());
}

/// Of priority 3 at each end of each link, by the link's rate.
std::vector<std::pair<Rate, int>> alphas(const scenario::Scenario& scenario) {
  const fabric::Graph graph = *assembly::build_topology(scenario);
  const fabric::EthernetOptions options = *assembly::ethernet_options(scenario, graph);
  std::vector<std::pair<Rate, int>> found;
  for (std::size_t i = 0; i < options.port_profile.size(); ++i) {
    found.emplace_back(graph.links[i / 2].rate,
                       options.ports[options.port_profile[i]].priorities[3].ingress_alpha_shift);
  }
  return found;
}

TEST(OverrideByLink, GivesPortsOfOneSpeedTheirOwnAlpha) {
  const auto scenario = two_tiers("[[override]]\nselect_rate = \"800 Gbps\"\nethernet.priority.3.alpha = \"1/64\"\n");
  ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  for (const auto& [rate, shift] : alphas(*scenario)) {
    EXPECT_EQ(shift == -6, rate == 800_gbps);
  }
}

TEST(OverrideByLink, ByTierAndNameTogetherMeansWhatBothMean) {
  const auto scenario =
      two_tiers("[[override]]\nselect = \"leaf0\"\nselect_tier = \"host\"\nethernet.priority.3.headroom = \"99 kB\"\n");
  ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  ASSERT_TRUE(assembly::build_topology(*scenario).has_value());
  const auto headroom = [&](const char* port, scenario::PortLink link) {
    return scenario::settings_of_port(*scenario, port, link).ethernet.priorities[3].headroom;
  };
  const scenario::PortLink host{.rate = 400_gbps, .tier = scenario::LinkTier::kHost};
  EXPECT_EQ(headroom("leaf0/port0", host), Bytes(99'000));
  EXPECT_NE(headroom("leaf1/port0", host), Bytes(99'000));
  EXPECT_NE(headroom("leaf0/port2", {.rate = 800_gbps, .tier = scenario::LinkTier::kLeaf}), Bytes(99'000));
}

TEST(OverrideByLink, HasKeysOfPortsAlone) {
  EXPECT_THAT(scenario::message_of(two_tiers("[[override]]\nselect_tier = \"leaf\"\nswitch.buffer = \"1 MiB\"\n")),
              HasSubstr("belongs to a whole device"));
  EXPECT_THAT(scenario::message_of(two_tiers("[[override]]\nselect_tier = \"leaf\"\nlink.leaf.length = \"1 m\"\n")),
              HasSubstr("belongs to the links themselves"));
}

TEST(OverrideByLink, ThatMeansNoPortIsRefused) {
  const auto scenario = two_tiers("[[override]]\nselect_rate = \"25 Gbps\"\nethernet.priority.3.alpha = \"1\"\n");
  ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  const auto graph = assembly::build_topology(*scenario);
  ASSERT_FALSE(graph.has_value());
  EXPECT_THAT(graph.error().message, HasSubstr("links of 25 Gbps selects no port"));
}

TEST(OverrideByLink, WrongWordsAreRefusedWithTheirPlace) {
  EXPECT_THAT(
      scenario::message_of(two_tiers("[[override]]\nselect_tier = \"spin\"\nethernet.priority.3.alpha = \"1\"\n")),
      HasSubstr("select_tier"));
  EXPECT_THAT(scenario::message_of(two_tiers("[[override]]\nethernet.priority.3.alpha = \"1\"\n")),
              HasSubstr("missing key 'select'"));
}

}  // namespace
}  // namespace weft::study::run
