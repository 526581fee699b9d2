// Multicast forwarding tables of every engine against the real OpenSM, which runs on ibsim: groups of a few members, of
// many and of all, that programs have joined through subnet administration.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/random.h"
#include "base/test_paths.h"
#include "subnet/multicast/multicast_dump.h"
#include "subnet/multicast/spanning_tree.h"
#include "subnet/swept_subnet.h"
#include "subnet/topology_file.h"
#include "tests/opensm/engine_kinds.h"
#include "tests/opensm/networks.h"

namespace weft::subnet {
namespace {

namespace fs = std::filesystem;

SweptSubnet swept(const test::Network& network) {
  const Result<Subnet> parsed = parse_topology({.text = network.text, .name = network.name});
  EXPECT_TRUE(parsed) << parsed.error().message;
  Result<SweptSubnet> made = sweep(*parsed, {.lmc = network.lmc});
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

/// So many adapters, drawn by lot. OpenSM refuses port 0 of switches of ibsim: it has no rate.
std::vector<EndPortIndex> draw(const RoutingView& view, std::size_t count, RandomStream& random) {
  std::vector<EndPortIndex> ports;
  for (std::size_t i = 0; i < view.end_ports.size(); ++i) {
    if (!view.end_ports[i].is_switch()) {
      ports.push_back(EndPortIndex(static_cast<std::uint32_t>(i)));
    }
  }
  for (std::size_t i = 0; i + 1 < ports.size(); ++i) {
    std::swap(ports[i], ports[i + random.uniform(ports.size() - i)]);
  }
  ports.resize(std::min(count, ports.size()));
  return ports;
}

/// 0xC000 is the broadcast group of IPoIB, which OpenSM makes by itself and nobody joins.
std::vector<MulticastGroup> groups_of(const RoutingView& view, std::uint64_t seed) {
  RandomStream random(seed, "groups");
  const std::size_t adapters = view.end_ports.size() - view.switches.size();
  std::vector<MulticastGroup> groups;
  const auto add = [&](std::size_t count) {
    const Lid lid = static_cast<Lid>(kFirstMulticastLid + 1 + groups.size());
    groups.push_back({.lid = lid, .members = draw(view, count, random)});
  };
  add(adapters);
  add(2);
  add(3);
  add(adapters / 2);
  add(5);
  add(1);  // has no tree
  add(4);
  add(2);  // the last join of all makes its tree
  return groups;
}

std::string joins_text(const RoutingView& view, const std::vector<MulticastGroup>& groups) {
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t k = 0; k < groups[i].members.size(); ++k) {
      constexpr unsigned kStates[] = {1, 2, 4};  // full, which makes the group; non; send-only
      text += fmt::format("join ff12:feed::{:x} {} {:x}\n", i + 1, kStates[k % std::size(kStates)],
                          view[groups[i].members[k]].guid.value);
    }
  }
  return text;
}

std::size_t lines_with(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

/// A folder of this test alone, removed with it.
class Groups : public testing::Test {
 protected:
  Groups() { fs::create_directories(folder_); }
  ~Groups() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string contents_of(const std::string& file) const {
    const Result<std::string> text = read_file((folder_ / file).string(), {.bytes = std::uint64_t{1} << 27});
    EXPECT_TRUE(text) << text.error().message;
    return text.value_or("");
  }

  struct Asked {
    std::string_view engine;
    std::string joins;
    std::string expected;  // tables
  };
  /// Runs the manager with what the groups ask for.
  void run(const test::Network& network, const Asked& asked, const std::string& server = {}) const {
    EXPECT_TRUE(write_file((folder_ / "network.net").string(), network.text));
    EXPECT_TRUE(write_file((folder_ / "joins").string(), asked.joins));
    EXPECT_TRUE(write_file((folder_ / "expected").string(), asked.expected));
    const std::string command = fmt::format(
        "{}{}/../opensm/run_multicast {} {} {} {} {}{}", server.empty() ? "" : fmt::format("WEFT_SERVER={} ", server),
        test_data_dir(), (folder_ / "network.net").string(), (folder_ / "out").string(), asked.engine,
        (folder_ / "joins").string(), (folder_ / "expected").string(),
        network.lmc > 0 ? fmt::format(" -l {}", network.lmc) : "");
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("weft_groups_{}", getpid());
};

/// Of other engines, those whose joins take long are left out.
bool is_compared(EngineKind kind, const test::Network& network) {
  constexpr std::size_t kMostText = 3000;
  return kind == EngineKind::kMinhop || network.text.size() < kMostText;
}

/// Where the last search of nue leaves OpenSM other hops than the paths that it found, so that roots differ (decision
/// 0075).
bool has_other_roots(EngineKind kind, const test::Network& network) {
  return kind == EngineKind::kNue && network.name == "hypercube_4";
}

class EveryEnginesGroups : public Groups, public testing::WithParamInterface<EngineKind> {};

TEST_P(EveryEnginesGroups, HaveTheForwardingTablesOfOpensm) {
  std::size_t entries = 0;
  for (const test::Network& network : test::networks()) {
    if (!is_compared(GetParam(), network)) {
      continue;
    }
    const SweptSubnet made = swept(network);
    const std::vector<MulticastGroup> groups = groups_of(made.view, entries + 1);
    const Result<ManagedRoutes> unicast = route_subnet(made.view, GetParam());
    ASSERT_TRUE(unicast) << unicast.error().message;
    const Result<MulticastRoutes> ours = route_multicast(made.view, {.used = unicast->used}, groups);
    ASSERT_TRUE(ours) << network.name << ": " << ours.error().message;

    const Asked asked{.engine = engine(GetParam()).name,
                      .joins = joins_text(made.view, groups),
                      .expected = write_mcfdbs(made.view, ours->tables)};
    ASSERT_NO_FATAL_FAILURE(run(network, asked));
    const std::string answers = contents_of("out/joins.txt");
    EXPECT_EQ(lines_with(answers, "status 0x0000"), lines_with(answers, "join ")) << network.name << answers;
    EXPECT_EQ(asked.expected == contents_of("out/opensm.mcfdbs"), !has_other_roots(GetParam(), network))
        << network.name << contents_of("out/opensm.mcfdbs");
    for (const MulticastTable& table : ours->tables) {
      entries += table.size();
    }
    for (const MulticastGroup& group : groups) {
      EXPECT_TRUE(check_multicast(made.view, ours->tables, group).is_sound()) << network.name << " " << group.lid;
    }
  }
  RecordProperty("entries", static_cast<int>(entries));
  EXPECT_GT(entries, 200U);
}

INSTANTIATE_TEST_SUITE_P(Opensm, EveryEnginesGroups, testing::ValuesIn(test::engine_kinds()), test::name_of_engine);

/// OpenSM on a subnet that weft serves: it writes the same tables, and switches have them.
TEST_F(Groups, HaveTheSameTablesInSwitchesThatWeftServes) {
  const std::vector<test::Network> networks = test::networks();
  const auto network = std::ranges::find(networks, "fat_tree_4x2x4", &test::Network::name);
  ASSERT_NE(network, networks.end());
  const SweptSubnet made = swept(*network);
  const std::vector<MulticastGroup> groups = groups_of(made.view, 1);
  const Result<MulticastRoutes> ours = route_multicast(made.view, {}, groups);
  ASSERT_TRUE(ours);
  const Asked asked{
      .engine = "minhop", .joins = joins_text(made.view, groups), .expected = write_mcfdbs(made.view, ours->tables)};
  ASSERT_NO_FATAL_FAILURE(run(*network, asked, weft_binary()));
  EXPECT_EQ(contents_of("out/opensm.mcfdbs"), asked.expected);
  EXPECT_EQ(contents_of("out/served.mcfdbs"), asked.expected);
}

}  // namespace
}  // namespace weft::subnet
