#include "study/scenario/selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

TEST(Selector, StarStaysInsideOneName) {
  EXPECT_TRUE(selects("leaf*", "leaf12"));
  EXPECT_TRUE(selects("*", "leaf0"));
  EXPECT_TRUE(selects("pod?/leaf0", "pod7/leaf0"));
  EXPECT_FALSE(selects("*f0", "pod1/leaf0"));
  EXPECT_FALSE(selects("leaf?", "leaf"));
  EXPECT_FALSE(selects("leaf1", "leaf12"));
}

TEST(Selector, SelectsWhatLiesBelow) {
  EXPECT_TRUE(selects("pod1", "pod1/leaf0/port3"));
  EXPECT_TRUE(selects("pod*/leaf0", "pod1/leaf0/port3"));
  EXPECT_TRUE(selects("leaf1/*", "leaf1/port3"));
  EXPECT_FALSE(selects("leaf1/*", "leaf1"));
  EXPECT_FALSE(selects("leaf1/port3", "leaf1"));
}

TEST(Selector, AllPortsOfADeviceAreTheDevice) {
  EXPECT_TRUE(selects_device("leaf1/*", "leaf1"));
  EXPECT_FALSE(selects_device("leaf1/port*", "leaf1"));
}

TEST(Selector, ManyStarsEndInTime) {
  EXPECT_FALSE(selects("*a*a*a*a*a*a*a*a*a*b", std::string(2'000, 'a')));
  EXPECT_TRUE(selects("*a*a*a*b", std::string(2'000, 'a') + "b"));
}

const std::vector<std::string> kHosts = {"host0", "host1"};
const std::vector<std::string> kDevices = {"host0/nic0", "host1/nic0", "leaf0"};
const std::vector<std::string> kPorts = {"host0/nic0/port0", "host1/nic0/port0", "leaf0/port0", "leaf0/port1"};

std::string checked(std::string_view more) {
  const auto scenario = scenario_with(more);
  if (!scenario) {
    return scenario.error().message;
  }
  const auto result = check_selectors(*scenario, {.hosts = kHosts, .devices = kDevices, .ports = kPorts});
  return result ? "right" : result.error().message;
}

TEST(CheckSelectors, AcceptsWhatTheTopologyHas) {
  EXPECT_EQ(checked("[[override]]\nselect = \"leaf*\"\nswitch.buffer = \"1 MiB\"\n"
                    "[[override]]\nselect = \"leaf0/port1\"\nlink.length = \"9 m\"\n"
                    "[[event]]\nat = \"1 ms\"\nselect = \"leaf0/port1\"\naction = \"fail\"\n"
                    "[[traffic]]\nkind = \"incast\"\nsources = [\"host0\"]\ndestinations = [\"host1/nic0\"]\n"),
            "right");
}

TEST(CheckSelectors, RefusesWhatMatchesNothing) {
  EXPECT_EQ(
      checked("[[override]]\nselect = \"laef0\"\nswitch.buffer = \"1 MiB\"\n"),
      "test.toml:6:1: selector 'laef0' matches nothing; did you mean 'leaf0'?; the topology has host0/nic0 to leaf0");
  EXPECT_THAT(checked("[[event]]\nat = \"1 ms\"\nselect = \"spine0\"\naction = \"fail\"\n"),
              testing::StartsWith("test.toml:8:10: selector 'spine0' matches nothing"));
  EXPECT_THAT(checked("[[traffic]]\nkind = \"incast\"\nsources = [\"host7\"]\n"),
              testing::StartsWith("test.toml:8:11: selector 'host7' matches nothing; did you mean 'host0'?"));
}

TEST(CheckSelectors, RefusesKeysOfADeviceForAPort) {
  EXPECT_THAT(checked("[[override]]\nselect = \"leaf0/port1\"\nswitch.buffer = \"1 MiB\"\n"),
              testing::HasSubstr("selects ports, but some of its keys apply to whole devices"));
}

}  // namespace
}  // namespace weft::study::scenario
