// Real programs on a subnet that weft serves: OpenSM sets the tables that it sets under ibsim and that weft's engines
// compute, and the tools of OpenFabrics find what the network is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/test_paths.h"
#include "subnet/forwarding_dump.h"
#include "subnet/manager/test_swept.h"
#include "subnet/routing/engine.h"
#include "subnet/swept_subnet.h"
#include "tests/opensm/networks.h"

namespace weft::subnet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

const std::string kScripts = std::string(test_data_dir()) + "/../opensm/";

/// A folder of this test alone, removed with it.
class ServedNetwork : public testing::Test {
 protected:
  ServedNetwork() { fs::create_directories(folder_); }
  ~ServedNetwork() override { fs::remove_all(folder_); }

  void run(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }
  [[nodiscard]] std::string contents_of(const fs::path& file) const {
    const Result<std::string> text = read_file((folder_ / file).string(), {.bytes = std::uint64_t{1} << 27});
    EXPECT_TRUE(text) << text.error().message;
    return text.value_or("");
  }
  [[nodiscard]] std::string net(const test::Network& network) const {
    EXPECT_TRUE(write_file((folder_ / "network.net").string(), network.text));
    return (folder_ / "network.net").string();
  }
  /// Both servers, one sweep each.
  void sweep_both(const test::Network& network, const std::string& engine) {
    const std::string options = network.lmc > 0 ? fmt::format(" -l {}", network.lmc) : "";
    run(fmt::format("{}run_opensm {} {} {}{}", kScripts, net(network), (folder_ / "ibsim").string(), engine, options));
    run(fmt::format("WEFT_SERVER={} {}run_opensm {} {} {}{}", weft_binary(), kScripts, net(network),
                    (folder_ / "weft").string(), engine, options));
  }

  fs::path folder_ = fs::path(testing::TempDir()) / fmt::format("weft_served_{}", getpid());
};

ForwardingTables tables_of(const test::Network& network, EngineKind kind, std::string& dump) {
  const Result<Subnet> parsed = parse_topology({.text = network.text, .name = network.name});
  EXPECT_TRUE(parsed) << parsed.error().message;
  const Result<SweptSubnet> made = sweep(*parsed, {.lmc = network.lmc});
  EXPECT_TRUE(made) << made.error().message;
  const Result<ManagedRoutes> routes = route_subnet(made->view, kind);
  EXPECT_TRUE(routes) << routes.error().message;
  dump = write_lfts(made->subnet, made->view, routes->routes.tables);
  return routes->routes.tables;
}

TEST_F(ServedNetwork, GetsTheTablesThatOpensmSetsUnderIbsim) {
  std::size_t lines = 0;
  for (const test::Network& network : test::networks()) {
    sweep_both(network, "minhop");
    const std::string theirs = contents_of("ibsim/opensm-lfts.dump");
    EXPECT_TRUE(contents_of("weft/opensm-lfts.dump") == theirs) << network.name;
    EXPECT_TRUE(contents_of("weft/served.lfts") == theirs) << network.name << ": what the switches hold";
    std::string ours;
    tables_of(network, EngineKind::kMinhop, ours);
    EXPECT_TRUE(ours == theirs) << network.name << ": by weft's engine";
    lines += static_cast<std::size_t>(std::ranges::count(theirs, '\n'));
  }
  EXPECT_GT(lines, 10'000U);
}

// The manager of weft subnet sweep on the same network, with the same cable pulled: every entry, those of switches and
// those that lead nowhere any more as well.
TEST_F(ServedNetwork, HasTheTablesOfWeftsManagerAfterACableFailed) {
  const std::string text = fat_tree_text(6, 4, 6);
  const Subnet subnet = parsed(text);
  const std::string file = net({.name = "tree", .text = text});
  for (const std::string engine : {"minhop", "updn", "dnup"}) {
    run(fmt::format("{}serve_failure {} {} {} {} 'Leaf2[9]'", kScripts, weft_binary(), file,
                    (folder_ / "failed").string(), engine));
    Swept swept(subnet, {.engine = *engine_by_name(engine)});
    const std::size_t sweeps = swept.manager().sweeps().size();
    const PortPlace cable{.node = *find_node(swept.subnet, "Leaf2"), .port = 9};
    swept.world.set_cable(cable, ServedSubnet::Cable::kUnplugged, swept.world.now() + Duration::milliseconds(1));
    swept.finish(sweeps + 1);
    swept.world.run([] { return false; }, swept.world.now() + Duration::seconds(3));
    const ManagedState state = swept.state();
    const std::string ours = write_lfts(state.swept.subnet, state.swept.view, state.tables);
    EXPECT_TRUE(contents_of("failed/written.lfts") == ours) << engine;
  }
}

// The defect: what a master had not answered never came back to the standby, whose sweep then had no end.
TEST_F(ServedNetwork, IsTakenOverByAStandbyWhenItsMasterIsKilledOrHangs) {
  const std::string file = net(test::networks().front());
  for (const std::string signal : {"KILL", "STOP"}) {
    run(fmt::format("{}serve_takeover {} {} {} {}", kScripts, weft_binary(), file, (folder_ / "taken").string(),
                    signal));
    EXPECT_THAT(contents_of("taken/sminfo.txt"), HasSubstr("priority 1 state 3 SMINFO_MASTER")) << signal;
  }
}

// A run goes by what OpenSM has made of the network that weft wrote.
TEST_F(ServedNetwork, GivesADumpForANetworkThatWeftExported) {
  const std::string scenario = (folder_ / "tree.toml").string();
  ASSERT_TRUE(write_file(scenario,
                         "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"fat-tree\"\ntiers = 3\nradix = 4\n"
                         "[[traffic]]\nkind = \"all-to-all\"\nsize = \"4 kB\"\n"));
  const std::string exported = (folder_ / "exported.net").string();
  const std::string results = (folder_ / "run").string();
  run(fmt::format("{} subnet show {} -q --write {}", weft_binary(), scenario, exported));
  for (const std::string engine : {"minhop", "ftree", "updn"}) {
    const std::string out = (folder_ / "theirs").string();
    run(fmt::format("{}run_opensm {} {} {}", kScripts, exported, out, engine));
    run(fmt::format("{} run {} --lfts {}/opensm-lfts.dump -q --json {}.theirs", weft_binary(), scenario, out, results));
    run(fmt::format("{} run {} --set routing.engine={} -q --json {}.ours", weft_binary(), scenario, engine, results));
    const auto simulated = [&](const std::string& file) {
      const std::string text = contents_of(file);
      const std::size_t at = text.find("\"simulated_s\"");
      EXPECT_NE(at, std::string::npos) << text.substr(0, 400);
      return text.substr(at, text.find(',', at) - at);
    };
    EXPECT_EQ(simulated("run.theirs"), simulated("run.ours")) << engine;
  }
}

TEST_F(ServedNetwork, GetsThemOfEveryEngine) {
  const std::vector<test::Network> networks = test::networks();
  const auto network = std::ranges::find(networks, "three_tiers_full", &test::Network::name);
  ASSERT_NE(network, networks.end());
  for (const Engine& each : engines()) {
    sweep_both(*network, std::string(each.name));
    const std::string theirs = contents_of("ibsim/opensm-lfts.dump");
    EXPECT_TRUE(contents_of("weft/opensm-lfts.dump") == theirs) << each.name;
    EXPECT_TRUE(contents_of("weft/served.lfts") == theirs) << each.name;
  }
}

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

class ServedTools : public ServedNetwork {
 protected:
  void SetUp() override {
    network_ = test::networks().front();  // four leaves with four hosts each, two spines
    run(fmt::format("{}serve_tools {} {} {}", kScripts, weft_binary(), net(network_), folder_.string() + "/tools"));
  }
  /// What a tool printed. It ended well.
  [[nodiscard]] std::string said(const std::string& tool) const {
    std::string text = contents_of("tools/" + tool + ".txt");
    EXPECT_THAT(text, HasSubstr("status 0\n")) << tool;
    return text;
  }

  void expect_queries() const;
  void expect_counters() const;
  void expect_records() const;
  void expect_rerouting() const;
  void expect_survival() const;

  test::Network network_;
};

void ServedTools::expect_queries() const {
  EXPECT_THAT(said("sminfo"), HasSubstr("sm lid 1 sm guid 0x100001"));
  EXPECT_THAT(said("sminfo"), HasSubstr("SMINFO_MASTER"));
  EXPECT_THAT(said("nodeinfo"), HasSubstr("NodeType:........................Channel Adapter"));
  EXPECT_THAT(said("portinfo"), HasSubstr("LinkState:.......................Active"));
  EXPECT_THAT(said("portinfo"), HasSubstr("IsSM"));
  EXPECT_THAT(said("directed"), HasSubstr(".leaf1\n"));  // from host5
  EXPECT_THAT(said("combined"), HasSubstr(".host0\n"));  // from leaf0, whose LID is 2
  EXPECT_THAT(said("guid"), HasSubstr(".host0\n"));      // a path of subnet administration
  EXPECT_THAT(said("disable"), HasSubstr("PhysLinkState:...................LinkUp"));
  EXPECT_THAT(contents_of("tools/nobody.txt"), HasSubstr("_do_madrpc failed"));
  const std::string found = said("ibnetdiscover");
  EXPECT_EQ(count(found, "\nSwitch\t"), 6U);
  EXPECT_EQ(count(found, "\nCa\t"), 16U);
  EXPECT_EQ(count(said("iblinkinfo"), "Active/  LinkUp"), 48U);  // 24 cables from both ends
  EXPECT_EQ(count(said("ibtracert"), "-> switch port"), 3U);
  EXPECT_THAT(said("ibping"), HasSubstr("3 packets transmitted, 3 received, 0% packet loss"));
}

std::uint64_t value_of(const std::string& text, const std::string& field) {
  const std::size_t at = text.find(field + ":");
  EXPECT_NE(at, std::string::npos) << field;
  return at == std::string::npos
             ? 0
             : std::strtoull(text.c_str() + text.find_first_not_of(".:", at + field.size()), nullptr, 10);
}

void ServedTools::expect_counters() const {
  const std::string shown = said("counters");
  const std::uint64_t packets = value_of(shown, "PortXmitPkts");
  EXPECT_GT(packets, 100U);
  EXPECT_EQ(value_of(shown, "PortXmitData"), packets * 72);  // words of a MAD
  EXPECT_EQ(value_of(shown, "LinkDownedCounter"), 0U);
  const std::string extended = said("extended");
  EXPECT_GT(value_of(extended, "PortXmitPkts"), packets);
  EXPECT_EQ(value_of(extended, "PortMulticastXmitPkts"), 0U);
  EXPECT_THAT(said("cleared"), Not(HasSubstr("error")));
  EXPECT_LT(value_of(said("after"), "PortXmitPkts"), packets);
}

void ServedTools::expect_records() const {
  EXPECT_THAT(said("node_record"), HasSubstr("NodeDescription.........host0"));
  const std::string path = said("path_record");
  EXPECT_THAT(path, HasSubstr("dlid....................2"));
  EXPECT_EQ(count(path, "PathRecord dump"), 1U);  // no more than was sent
  EXPECT_THAT(said("sm_record"), HasSubstr("0x0000000000100001"));
}

void ServedTools::expect_rerouting() const {
  EXPECT_THAT(said("ibtracert"), HasSubstr("[6] -> switch port"));
  EXPECT_THAT(said("rerouted"), Not(HasSubstr("[6] -> switch port {0x0000000000200005}[1]")));
  EXPECT_THAT(said("rerouted"), HasSubstr("To ca"));
  EXPECT_EQ(count(said("unlinked"), "\"S-") + 2, count(said("ibnetdiscover"), "\"S-"));
  EXPECT_EQ(count(said("relinked"), "\"S-"), count(said("ibnetdiscover"), "\"S-"));
  EXPECT_THAT(contents_of("tools/osm.log"), HasSubstr("num:128"));
}

void ServedTools::expect_survival() const {
  EXPECT_THAT(said("arrival"), Not(HasSubstr("LocalPort:.......................0\n")));  // of leaf0, from host5
  EXPECT_THAT(said("reset"), HasSubstr("After PortInfo set"));
  EXPECT_THAT(contents_of("tools/unheard.txt"), HasSubstr("100% packet loss"));
  EXPECT_THAT(contents_of("tools/manager.txt"), HasSubstr("lived"));
  EXPECT_THAT(said("again"), HasSubstr("SMINFO_MASTER"));
}

TEST_F(ServedTools, FindWhatTheNetworkIs) {
  expect_queries();
  expect_counters();
  expect_records();
  expect_rerouting();
  expect_survival();
  const std::string log = contents_of("tools/serve.log");
  EXPECT_THAT(log, HasSubstr("unlinked of leaf0: 1 cable"));
  EXPECT_THAT(log, HasSubstr("unknown command 'launch'"));
  EXPECT_THAT(log, HasSubstr("[1] Active, LID 1, LMC 0, manager at LID 1, cable to leaf0[1]"));
  EXPECT_THAT(log, HasSubstr("at host0[1], subnet manager"));
  EXPECT_EQ(contents_of("tools/server_status.txt"), "0\n");
  std::string ours;
  tables_of(network_, EngineKind::kMinhop, ours);
  EXPECT_EQ(count(contents_of("tools/written.lfts"), "\n"), count(ours, "\n"));
}

}  // namespace
}  // namespace weft::subnet
