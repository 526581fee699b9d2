// Bundles of links beside every link of every flow.
#include "study/world/link_bundles.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/kernel.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"
#include "study/world/link_parts.h"

namespace weft::study::assembly {
namespace {

using world::LinkBundles;

struct Laid {
  sim::Kernel kernel;
  fabric::PacketPool packets;
  fabric::AnyFabric fabric;
};

void lay_out(Laid& laid, const std::string& text) {
  const auto scenario = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                                 scenario::test_catalogue());
  ASSERT_TRUE(scenario) << scenario.error().message;
  auto graph = build_topology(*scenario);
  ASSERT_TRUE(graph) << graph.error().message;
  auto options = fabric_options(*scenario, *graph);
  ASSERT_TRUE(options) << options.error().message;
  auto made = fabric::AnyFabric::create(
      *graph, std::move(*options), {.kernel = laid.kernel, .packets = laid.packets, .seed = 1, .paths_alone = true});
  ASSERT_TRUE(made) << made.error().message;
  laid.fabric = std::move(*made);
}

std::map<fabric::PortIndex, double> all_links(const Laid& laid, EndpointId from, EndpointId to) {
  return laid.fabric.visit(
      [&](const auto& fabric) { return world::spread_links(fabric, {.source = from, .destination = to}); });
}

std::string network(const std::string& family, const std::string& topology, const std::string& policy = "") {
  return "[fabric]\nfamily = \"" + family + "\"\n[topology]\n" + topology + policy;
}

constexpr const char* kLeafSpine = "kind = \"leaf-spine\"\nleaves = 4\nhosts_per_leaf = 3\nspines = 5\n";
constexpr const char* kSpray = "[routing]\npolicy = \"spray\"\n";
constexpr const char* kAdaptive = "[routing]\npolicy = \"adaptive\"\n";
constexpr const char* kFatTree = "kind = \"fat-tree\"\ntiers = 3\nradix = 6\n";

struct Case {
  std::string name;
  std::string text;
  LinkBundles::SpreadBy by{};
  std::size_t largest = 0;  // bundle
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class Bundles : public testing::TestWithParam<Case> {};

TEST_P(Bundles, AreTakenWholeAndInEqualPartsByEveryFlow) {
  Laid laid;
  ASSERT_NO_FATAL_FAILURE(lay_out(laid, GetParam().text));
  LinkBundles bundles = LinkBundles::of(laid.fabric, GetParam().by);
  ASSERT_FALSE(bundles.empty());
  std::map<fabric::PortIndex, std::size_t> sizes;
  std::size_t largest = 0;
  for (fabric::PortIndex link = 0; link < laid.fabric.port_count(); ++link) {
    largest = std::max(largest, ++sizes[bundles.first_of(link)]);
  }
  EXPECT_EQ(largest, GetParam().largest);
  const std::uint32_t endpoints = laid.fabric.graph().endpoints;
  for (std::uint32_t from = 0; from < endpoints; ++from) {
    for (std::uint32_t to = 0; to < endpoints; ++to) {
      if (from == to) {
        continue;
      }
      std::map<fabric::PortIndex, std::size_t> taken;
      std::map<fabric::PortIndex, float> parts;
      for (const auto& [link, part] : all_links(laid, EndpointId(from), EndpointId(to))) {
        const fabric::PortIndex first = bundles.first_of(link);
        ++taken[first];
        EXPECT_EQ(parts.try_emplace(first, world::rounded_part(part)).first->second, world::rounded_part(part));
      }
      std::vector<flow::LinkUse> wanted;
      for (const auto& [first, number] : taken) {
        EXPECT_EQ(number, sizes[first]);
        wanted.push_back({.link = first, .part = parts[first]});
      }
      EXPECT_EQ(bundles.links_of(EndpointId(from), EndpointId(to)), wanted);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, Bundles,
    testing::Values(Case{"uet", network("uet", kLeafSpine), LinkBundles::SpreadBy::kSenders, 5},
                    Case{"spray", network("rocev2", kLeafSpine, kSpray), LinkBundles::SpreadBy::kSwitches, 5},
                    Case{"ar", network("infiniband", kLeafSpine, kAdaptive), LinkBundles::SpreadBy::kSwitches, 5},
                    Case{"tree", network("uet", kFatTree), LinkBundles::SpreadBy::kSenders, 9}),
    [](const auto& info) { return info.param.name; });

TEST(LinkBundles, AreNoneWhereSwitchesChooseAPathForEachFlow) {
  for (const char* const family : {"rocev2", "infiniband", "tcp"}) {
    Laid laid;
    ASSERT_NO_FATAL_FAILURE(lay_out(laid, network(family, kLeafSpine)));
    EXPECT_TRUE(LinkBundles::of(laid.fabric, LinkBundles::SpreadBy::kSwitches).empty()) << family;
  }
}

}  // namespace
}  // namespace weft::study::assembly
