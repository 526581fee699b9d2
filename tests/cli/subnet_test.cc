// `weft subnet` as a user meets it: its text, its files, and what it says of wrong input.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "base/test_paths.h"
#include "tests/cli/run_weft.h"

namespace weft::test {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kData = std::string(test_data_dir()) + "/opensm/";
const std::string kExamples = (fs::path(test_data_dir()) / "../../examples").string();

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(SubnetCommand, WritesTheTablesOfOpensm) {
  const Outcome outcome = run_weft("subnet routes " + kData + "fat_4x2x4.net --write -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, contents_of(kData + "fat_4x2x4.minhop.lfts"));
}

TEST(SubnetCommand, ShowsTheSameOfWhatItWroteItself) {
  const fs::path file = fs::path(testing::TempDir()) / "weft_subnet_written.txt";
  const Outcome first = run_weft("subnet show " + kData + "fat_4x2x4.net --write " + file.string());
  EXPECT_EQ(first.exit_status, 0) << first.err;
  const Outcome second = run_weft("subnet show " + file.string());
  fs::remove(file);
  EXPECT_EQ(second.exit_status, 0) << second.err;
  EXPECT_EQ(first.out, second.out);
  EXPECT_THAT(first.out, HasSubstr("LIDs 1 to 22, LMC 0, manager at H1 port 1"));
}

TEST(SubnetCommand, NamesEverySwitchBetweenTwoNodes) {
  const Outcome outcome = run_weft("subnet routes " + kData + "fat_4x2x4.net --from H1 --to H14 --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(document["routes"].size(), 1U);
  const auto& path = document["routes"][0]["path"];
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(path[0]["from"], "Leaf1");
  EXPECT_EQ(path[1]["from"], path[0]["to"]);
  EXPECT_EQ(path[2]["to"], "H14");
}

TEST(SubnetCommand, EndsWithOneWhereBuffersCanBlock) {
  const Outcome ring = run_weft("subnet check " + kData + "ring6.net");
  EXPECT_EQ(ring.exit_status, 1) << ring.err;
  EXPECT_THAT(ring.out, HasSubstr("a cycle of 6 buffers"));
  const Outcome lanes = run_weft("subnet check " + kData + "ring6.net --engine dfsssp --lanes 2");
  EXPECT_EQ(lanes.exit_status, 0) << lanes.out;
  const Outcome few = run_weft("subnet check " + kData + "ring6.net --engine dfsssp --lanes 1");
  EXPECT_EQ(few.exit_status, 1);
  EXPECT_THAT(few.out, HasSubstr("minhop instead of dfsssp: 1 virtual lanes are not enough"));
}

TEST(SubnetCommand, CheckNamesNodesThatNoCableJoinsToTheManager) {
  const fs::path file = fs::path(testing::TempDir()) / "weft_two_parts.net";
  std::ofstream(file) << "Hca 1 \"H1\"\n[1] \"S\"[1]\nSwitch 2 \"S\"\n[1] \"H1\"[1]\n"
                         "Hca 1 \"H2\"\n[1] \"S2\"[1]\nSwitch 2 \"S2\"\n[1] \"H2\"[1]\n";
  const Outcome text = run_weft("subnet check " + file.string());
  const Outcome json = run_weft("subnet check " + file.string() + " --json - -q");
  fs::remove(file);
  EXPECT_EQ(text.exit_status, 1) << text.err;
  EXPECT_THAT(text.out,
              HasSubstr("2 nodes of the file are not joined to the manager by any cable, and left out: H2, S2\n"));
  EXPECT_EQ(json.exit_status, 1) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out)["unreached"].dump(), "[\"H2\",\"S2\"]");
}

TEST(SubnetCommand, CheckCountsNoRouteBetweenPortsOfOneAdapter) {
  const fs::path file = fs::path(testing::TempDir()) / "weft_two_ports.net";
  std::ofstream(file) << "Hca 2 \"H1\"\n[1] \"S\"[1]\n[2] \"S\"[2]\nHca 1 \"H2\"\n[1] \"S\"[3]\n"
                         "Switch 4 \"S\"\n[1] \"H1\"[1]\n[2] \"H1\"[2]\n[3] \"H2\"[1]\n";
  const Outcome outcome = run_weft("subnet check " + file.string());
  fs::remove(file);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("2 adapters, 3 cables"));
  EXPECT_THAT(outcome.out, HasSubstr("all 4 routes between LIDs of adapters arrive"));
}

TEST(SubnetCommand, RoutesARingByNueOnAnyNumberOfLanes) {
  const auto lanes_of = [](const std::string& options) {
    const Outcome outcome = run_weft("subnet check " + kData + "ring6.net --engine nue --json - " + options);
    EXPECT_EQ(outcome.exit_status, 0) << outcome.err << outcome.out;
    return nlohmann::json::parse(outcome.out)["lanes"].size();
  };
  EXPECT_EQ(lanes_of(""), 1U);
  EXPECT_EQ(lanes_of("--nue-max-num-vls 3"), 3U);
  EXPECT_EQ(lanes_of("--nue-max-num-vls 3 --lanes 2"), 2U);
  EXPECT_EQ(lanes_of("--nue-max-num-vls 0 --lanes 4"), 4U);
}

TEST(SubnetCommand, ShowsTheTreesOfGroups) {
  const std::string file = kData + "fat_4x2x4.net";
  const Outcome outcome = run_weft("subnet groups " + file + " --group job=H2,H7,H16 --group pair=H3,H9 --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(document["groups"].size(), 2U);
  const auto& job = document["groups"][0];
  EXPECT_EQ(job["mlid"], 0xC000);
  EXPECT_EQ(job["root"], "Spine1");
  EXPECT_EQ(job["depth"], 2);
  EXPECT_EQ(job["cables"], 3);
  EXPECT_TRUE(job["is_tree"]);
  EXPECT_EQ(job["entries"].size(), 4U);
  EXPECT_EQ(job["entries"][0]["ports"], (std::vector{2, 5}));
  EXPECT_EQ(document["blocks"], 5);  // one for each switch in a tree

  const Outcome dump = run_weft("subnet groups " + file + " --group job=ALL --write -");
  EXPECT_EQ(dump.exit_status, 0) << dump.err;
  EXPECT_THAT(dump.out,
              HasSubstr("Switch 0x0000000000200004\nLID    : Out Port(s)\n0xC000 : 0x001  0x002  0x003  0x004"));
}

TEST(SubnetCommand, SaysWhatIsWrongWithAGroup) {
  const auto error_of = [](const std::string& options) {
    const Outcome outcome = run_weft("subnet groups " + kData + "fat_4x2x4.net " + options);
    EXPECT_EQ(outcome.exit_status, 2);
    return outcome.err;
  };
  EXPECT_THAT(error_of("--group job"), HasSubstr("--group 'job': expected NAME=NODE,NODE,... or NAME=ALL"));
  EXPECT_THAT(error_of("--group job=H1,H99"), HasSubstr("--group 'job=H1,H99': no node is called 'H99'"));
  EXPECT_THAT(error_of("--group a=H1 --group a=H2"), HasSubstr("another group has the name 'a'"));
}

TEST(SubnetCommand, TakesAScenario) {
  const Outcome outcome = run_weft("subnet check " + kExamples + "/incast.toml --engine ftree --json -");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  const int adapters = document["adapters"].get<int>();
  EXPECT_EQ(document["routes"].get<int>(), adapters * (adapters - 1));
  EXPECT_EQ(document["broken"], 0);
}

/// They were routed by minhop, which blocks on this torus, whatever the scenario said.
TEST(SubnetCommand, RoutesAScenarioByItsOwnEngine) {
  const fs::path file = fs::path(testing::TempDir()) / fmt::format("weft_subnet_torus_{}.toml", getpid());
  std::ofstream(file) << "[fabric]\nfamily = \"infiniband\"\n"
                         "[topology]\nkind = \"torus\"\nsizes = [3, 4]\nhosts_per_leaf = 1\n"
                         "[infiniband]\nvls = 2\n[routing]\npolicy = \"lft\"\n"
                         "[[traffic]]\nkind = \"permutation\"\nsize = \"64 kB\"\n";
  const Outcome own = run_weft("subnet check " + file.string() + " --set routing.engine=dfsssp");
  EXPECT_EQ(own.exit_status, 0) << own.err;
  EXPECT_THAT(own.out, HasSubstr("routed by dfsssp"));
  const Outcome given = run_weft("subnet check " + file.string() + " --engine dfsssp --lanes 2");
  EXPECT_EQ(given.exit_status, 0) << given.err;
  const Outcome blocking = run_weft("subnet check " + file.string() + " --set routing.engine=dfsssp --engine minhop");
  EXPECT_EQ(blocking.exit_status, 1) << blocking.out;
  fs::remove(file);
}

TEST(SubnetCommand, ShowsASubnetWithoutASwitch) {
  const fs::path file = fs::path(testing::TempDir()) / "weft_subnet_two.net";
  std::ofstream(file) << "Hca 1 \"a\"\n[1] \"b\"[1]\n\nHca 1 \"b\"\n";
  const Outcome shown = run_weft("subnet show " + file.string());
  EXPECT_EQ(shown.exit_status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("0 switches, 2 adapters, 1 cables"));
  const Outcome routed = run_weft("subnet routes " + file.string());
  EXPECT_EQ(routed.exit_status, 2);
  EXPECT_THAT(routed.err, HasSubstr("the subnet has no switch"));
  fs::remove(file);
}

// A dump says nothing of lanes, and nothing is said of them.
TEST(SubnetCommand, ChecksTablesOfADump) {
  const Outcome outcome =
      run_weft("subnet check " + kData + "fat_4x2x4.net --tables " + kData + "fat_4x2x4.ftree.lfts --json - -q");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  const Outcome text = run_weft("subnet check " + kData + "ring6.net --tables " + kData + "ring6.dfsssp.lfts");
  EXPECT_EQ(text.exit_status, 1) << text.err;
  EXPECT_THAT(text.out, HasSubstr("if all routes share one lane, which a dump does not say: a cycle of 6 buffers"));
}

TEST(SubnetCommand, EndsWithOneWhereAFileCannotBeWritten) {
  const Outcome outcome = run_weft("subnet routes " + kData + "ring6.net --write /dev/full");
  EXPECT_EQ(outcome.exit_status, 1) << outcome.err;
}

TEST(SubnetCommand, SaysWhatIsWrongAndWhatIsRight) {
  const auto error_of = [](const std::string& arguments) {
    const Outcome outcome = run_weft("subnet " + arguments);
    EXPECT_EQ(outcome.exit_status, 2) << arguments;
    return outcome.err;
  };
  const std::string net = kData + "fat_4x2x4.net";
  EXPECT_THAT(error_of("show nothing.net"), HasSubstr("nothing.net: No such file"));
  EXPECT_THAT(error_of("show " + kData + "ring6.minhop.lfts"), HasSubstr("ring6.minhop.lfts:1: unknown record"));
  EXPECT_THAT(error_of("routes " + net + " --engine updm"), HasSubstr("did you mean 'updn'?"));
  EXPECT_THAT(error_of("routes " + net + " --from H1 --to Lef2"), HasSubstr("--to: no node is called 'Lef2'"));
  EXPECT_THAT(error_of("check " + net + " --tables " + kData + "ring6.net"),
              HasSubstr("ring6.net:1: expected 'Unicast lids"));
  EXPECT_THAT(error_of("show " + net + " --lmc 8"), HasSubstr("--lmc"));
  EXPECT_THAT(error_of("show " + net + " --set seed=2"), HasSubstr("--case and --set are for scenarios"));
  EXPECT_THAT(error_of("routes " + net + " --json - --write -"), HasSubstr("both mean standard output"));
  EXPECT_THAT(error_of("check " + net + " --engine updn --tables x"), HasSubstr("--engine excludes --tables"));
  EXPECT_THAT(error_of("routes " + net + " --engine nue --nue-max-num-vls 16"), HasSubstr("--nue-max-num-vls"));
  const std::string large =
      kExamples + "/incast.toml --set topology.kind=single-switch --set topology.hosts=512 --set switch.ports=512";
  EXPECT_THAT(error_of("show " + large), HasSubstr("a subnet numbers at most 254 of a device"));
}

/// `weft subnet serve` of a ring with these commands on standard input.
Outcome serve(const std::string& commands, const std::string& options) {
  const fs::path file = fs::path(testing::TempDir()) / ("weft_serve_" + std::to_string(getpid()));
  std::ofstream(file) << commands;
  const Outcome outcome = run_weft("subnet serve " + kData + "ring6.net --name weft_test_" + std::to_string(getpid()) +
                                   " " + options + " <" + file.string());
  fs::remove(file);
  return outcome;
}

TEST(SubnetServeCommand, TakesCommandsUntilItIsToldToQuit) {
  const Outcome outcome = serve("attached\nlaunch\nquit\nattached\n", "");
  EXPECT_EQ(outcome.exit_status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("serving 12 nodes as 'weft_test_"));
  EXPECT_THAT(outcome.out, HasSubstr("no program is attached\n0 requests answered"));
  EXPECT_THAT(outcome.err, HasSubstr("weft subnet serve: unknown command 'launch'"));
}

TEST(SubnetServeCommand, SaysThatNoManagerHasSetTables) {
  const Outcome outcome = serve("quit\n", "--quiet --write -");
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("--write: no subnet manager has set LIDs yet"));
}

TEST(SubnetServeCommand, RefusesWhatItCannotServe) {
  EXPECT_EQ(serve("quit\n", "--counters nothing.weft").exit_status, 2);
  EXPECT_THAT(serve("quit\n", "--counters run.json").err, HasSubstr("not in JSON"));
  EXPECT_THAT(run_weft("subnet serve " + kData + "ring6.net --name ''").err, HasSubstr("--name: the value is empty"));
  const Outcome outcome = run_weft("subnet serve " + kData + "ring6.net --name " + std::string(81, 'x'));
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--name: a server's name has 1 to 80 characters"));
}

}  // namespace
}  // namespace weft::test
