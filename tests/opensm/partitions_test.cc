// Files of partitions against the real OpenSM, which runs on ibsim: the P_Keys of every end port.

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/test_paths.h"
#include "subnet/partitions/partitions.h"
#include "subnet/swept_subnet.h"
#include "subnet/topology_file.h"

namespace weft::subnet {
namespace {

constexpr const char* kNetwork =
    R"(Hca 1 "H1"
[1] "S1"[1]

Hca 1 "H2"
[1] "S1"[2]

Hca 1 "H3"
[1] "S1"[3]

Hca 2 "H4"
[1] "S1"[4]
[2] "S2"[1]

Hca 1 "H5"
[1] "S2"[2]

Switch 8 "S1"
[1] "H1"[1]
[2] "H2"[1]
[3] "H3"[1]
[4] "H4"[1]
[5] "S2"[3]

Switch 8 "S2"
[1] "H4"[2]
[2] "H5"[1]
[3] "S1"[5]
)";

/// Sorted P_Keys by LID.
using Tables = std::map<unsigned, std::vector<std::uint16_t>>;

/// "LID 3", then lines of smpquery: "   0: 0xffff 0x8005 0x0000 ...".
Tables tables_in(const std::string& text) {
  Tables tables;
  std::istringstream words(text);
  unsigned lid = 0;
  for (std::string word; words >> word;) {
    if (word == "LID") {
      words >> lid;
      tables[lid];
    } else if (word.starts_with("0x") && word.size() == 6 && word != "0x0000") {
      std::uint16_t key = 0;
      std::from_chars(word.data() + 2, word.data() + word.size(), key, 16);
      tables[lid].push_back(key);
    }
  }
  for (auto& [own, keys] : tables) {
    std::ranges::sort(keys);
  }
  return tables;
}

struct OpensmRun {
  Tables tables;
  bool refused = false;
};

OpensmRun run_opensm(const std::string& conf) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("weft_partitions_{}", getpid());
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(write_file((folder / "network.net").string(), kNetwork));
  EXPECT_TRUE(write_file((folder / "partitions.conf").string(), conf));
  const std::string command =
      fmt::format("{0}/../opensm/run_opensm {1}/network.net {1}/out pkeys -P {1}/partitions.conf", test_data_dir(),
                  folder.string());
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  const Result<std::string> keys = read_file((folder / "out" / "pkeys.txt").string());
  const Result<std::string> log = read_file((folder / "out" / "osm.log").string());
  EXPECT_TRUE(keys && log);
  OpensmRun run{.tables = tables_in(keys.value_or("")),
                .refused = log.value_or("").find("Partition configuration in error") != std::string::npos};
  std::filesystem::remove_all(folder);
  return run;
}

/// Nothing: the file is refused.
std::optional<Tables> ours(const std::string& conf) {
  const Result<Subnet> parsed = parse_topology({.text = kNetwork, .name = "network"});
  const Result<SweptSubnet> made = sweep(*parsed);
  const Result<PartitionFile> file = parse_partitions({.text = conf, .name = "partitions.conf"});
  if (!file) {
    return std::nullopt;
  }
  const Result<Partitions> partitions = assign_partitions(made->view, file->rules);
  EXPECT_TRUE(partitions);
  Tables tables;
  for (std::size_t i = 0; i < made->view.end_ports.size(); ++i) {
    std::vector<std::uint16_t> keys = partitions->keys[i];
    std::ranges::sort(keys);
    tables[made->view.end_ports[i].lid] = keys;
  }
  return tables;
}

TEST(OpensmPartitions, GivePortsTheSameKeys) {
  for (const std::string conf : {
           "A=0x5 : 0x100003=full;",
           "Default=0x7fff : ALL=full;",
           "Default=0x7fff : ALL, ALL_SWITCHES=full, SELF=full ;",
           "Default=0x7fff : ALL=limited;",
           "Default : 0x100003=full, SELF=limited;",
           "default : 0x100003=full;",
           "Default=5 : ALL=full; Default : 0x100003;",
           "New , ipoib : 0x100001=full, 0x100003=limi, 0x100005; Other : ALL_CAS=full ;",
           "Y = 0x300 : SELF=full ;\nY = 0x300 : ALL=limited ;\nS=0x80,defmember=full : 0x100001, 0x100003=limited;",
           "A : 0x100001; A: 0x100003; B: 0x100005; : 0x100007; : 0x100008;",
           "B=1 : 0x100003; A : 0x100005;",
           "A : ALL; A=9 : 0x100003=full;",
           "A=9 : 0x100003=full; A : 0x100005;",
           "A=0 : ALL=full; X=0xffff : 0x100003; Y=0x8005 : ALL; Z=0x10006 : ALL=full;",
           "A=5 : ALL=FULL, 0x100001=f, 0x100003=b, 0x100005=, SEL=full;",
           "A=5,def=full : 0x100001,, 0x100003=full=limited; 0x44,foo : ALL_C=both;",
           "A=5 :\n 0x100001\n 0x100003 , # c ; \n\n 0x100005; B=010 : 0100003, 1048577, 0x200000, 0x100002, 0x100007;",
           "A=5,ipoib :\n mgid=ff12:401b::0707,sl=1 # c\n mgid=ff12:601b::16\n ALL=full;",
           "A=5 : ; B=6: ALL_ROUTERS=full, ALL_SWITCHES;",
           "A=5 : 0x100001=full",
           "A=5 : NONE, 0x100003=full, =full;",
           "A=5 : ALL, mgid=ff12::1,sl=1; B=6 : 0x100003=full;",
           "A=5 :\n mgid=fe80::1\n 0x100003=full;",
           "A=5 : mgid=fe80::1; B=6 : 0x100003=full;",
           "A=5 :\n mgid=ff12:401b::0707,rate=7\n 0x100003=full;",
           "A=5 : 0x100003=full; # c\r\n",
           "A=5 : 0x100003=full\r\n",
           "A=5,defmember=full,defmember=x : 0x100003;",
           "A=5,i,s=2,ind,mtu=x,sl=1x : 0x100003;",
           "A=-1 : 0x100003; B=0x1ffffffffffffffff : 0x100005=full; C=+6 : 0x100003=full;",
           "Nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn : 0x100003; Nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn : 0x100005;",
       }) {
    const OpensmRun theirs = run_opensm(conf);
    EXPECT_FALSE(theirs.refused) << conf;
    const std::optional<Tables> made = ours(conf);
    ASSERT_TRUE(made) << conf;
    EXPECT_EQ(*made, theirs.tables) << conf;
  }
}

// Ports keep their P_Keys when a file is written anew.
TEST(OpensmPartitions, AreTheSameOfWhatWasWrittenAnew) {
  const std::string conf =
      "Default,ipoib:ALL,SELF=full;A,indx0:0x100003;,ipoib:0x100005=full;0x44,defmember=full:ALL_CAS;A=9:SELF;E=4:;\n"
      "M=8,ipoib,rate=3,mtu=4,sl=0,scope=2,Q_Key=0xb1b,TClass=1,FlowLabel=2:\n mgid=ff12:401b::0707,sl=0\n "
      "mgid=ff12::2\nALL;";
  const std::string again = write_partitions(parse_partitions({.text = conf, .name = "p"})->rules);
  const OpensmRun first = run_opensm(conf);
  const OpensmRun second = run_opensm(again);
  EXPECT_FALSE(first.refused);
  EXPECT_FALSE(second.refused) << again;
  EXPECT_EQ(first.tables, second.tables) << again;
  EXPECT_EQ(*ours(conf), first.tables);
}

TEST(OpensmPartitions, AreRefusedTogether) {
  std::string too_long = "A=5 ,ipoib : 0x100003";  // OpenSM splits it within "0x"
  while (too_long.size() < 4'200) {
    too_long += ", 0x100003";
  }
  for (const std::string conf :
       {"A=5 : all=full;", "A=5;", "A=5 : 0x100001; B=6 0x100001;", "A=5\n : 0x100001;", "A=x5 : ALL;", "A=5 5 : ALL;",
        "A=5 : 0x100001 0x100003;", "A=5 : 0x10000g=full;", "A=5 :\n 0x100001\n;", "A=5 : 0x100001;;",
        "A=5 : 0x100001,\r\n 0x100003;\r\n", "; A=5 : 0x100001;", "", "# nothing\n",
        "A=5 : 0x100001,\n B=6 : 0x100003;", "A=5 : 0, 0x100001;", "A=5 : mgid=fe80::1,sl=1;",
        "storage=0x80 : 0x100003=full, 0x100005=limited;\nM=9 : mgid=ff12::2;", too_long.c_str()}) {
    EXPECT_TRUE(run_opensm(conf).refused) << conf.substr(0, 80);
    EXPECT_FALSE(ours(conf)) << conf.substr(0, 80);
  }
}

}  // namespace
}  // namespace weft::subnet
