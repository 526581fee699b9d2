// P_Keys of ports by a partitions.conf: which a path has, and what can never be delivered.
#include "study/assembly/port_partitions.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kHosts =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 6\nhosts_per_leaf = 3\nspines = "
    "2\n[keys]\npartitions = \"file\"\n";

fabric::Graph hosts() {
  const auto scenario = scenario::parse_scenario(
      fmt::format("{}partition_file = \"none.conf\"\n[[traffic]]\nkind = \"permutation\"\n", kHosts),
      {.file = "test.toml"}, scenario::test_catalogue());
  EXPECT_TRUE(scenario) << scenario::message_of(scenario);
  return *build_topology(*scenario);
}

/// "0x0002c9...=full" of a host's port, and so on: "{2}" stands for the GUID of host2.
std::string with_guids(std::string text) {
  const PlacedSubnet placed = *place_subnet(hosts());
  for (std::size_t host = 0; host < 6; ++host) {
    const std::string name = fmt::format("{{{}}}", host);
    const std::string guid = fmt::format("{:#018x}", placed.subnet.port(placed.places[host]).guid.value);
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.replace(at, name.size(), guid);
    }
  }
  return text;
}

class PartitionsOfPorts : public testing::Test {
 protected:
  PartitionsOfPorts() { std::filesystem::create_directories(folder_); }
  ~PartitionsOfPorts() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Result<std::optional<PortKeys>> checked(const std::string& conf, std::string_view traffic) const {
    EXPECT_TRUE(write_file(file_, with_guids(conf)));
    const auto scenario = scenario::parse_scenario(
        fmt::format("{}partition_file = \"{}\"\n[[traffic]]\nname = \"own\"\n{}", kHosts, file_, traffic),
        {.file = "test.toml"}, scenario::test_catalogue());
    if (!scenario) {
      return fail("{}", scenario.error().message);
    }
    const fabric::Graph graph = *build_topology(*scenario);
    const Result<std::vector<TrafficPlan>> plans = plan_traffic(*scenario, graph);
    EXPECT_TRUE(plans) << plans.error().message;
    return checked_partitions(*scenario, graph, *plans);
  }
  [[nodiscard]] std::string refused(const std::string& conf, std::string_view traffic) const {
    const auto keys = checked(conf, traffic);
    return keys ? "no error" : keys.error().message;
  }
  [[nodiscard]] PortKeys keys(const std::string& conf) const {
    const auto made = checked(conf, "kind = \"flows\"\nsources = [\"host0\"]\ndestinations = [\"host1\"]\n");
    EXPECT_TRUE(made) << made.error().message;
    return **made;
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("weft_partitions_{}", getpid());  // tests run at once
  std::string file_ = (folder_ / "partitions.conf").string();
};

EndpointId host(std::uint32_t number) { return EndpointId(number); }

TEST_F(PartitionsOfPorts, GiveAPathTheMembershipOfItsSource) {
  const PortKeys made = keys("Default=0x7fff : ALL=full ;\nstorage=0x80 : {0}, {1}=full, {2} ;\n");
  EXPECT_EQ(path_key(made, host(0), host(1)), 0x0080);
  EXPECT_EQ(path_key(made, host(1), host(0)), 0x8080);
  EXPECT_EQ(path_key(made, host(0), host(2)), 0xFFFF) << "both are limited members of the storage partition";
  EXPECT_EQ(path_key(made, host(3), host(4)), 0xFFFF);
}

// OpenSM keeps P_Keys in maps by their numbers in network byte order, whose last byte counts most on its machines.
TEST_F(PartitionsOfPorts, GiveAPathTheFirstOfSeveralInTheOrderOfOpensm) {
  const PortKeys made =
      keys("Default=0x7fff : ALL=full ;\na=0x0201 : {0}=full, {1}=full ;\nb=0x0102 : {0}=full, {1}=full ;\n");
  EXPECT_EQ(path_key(made, host(0), host(1)), 0x8201);
}

TEST_F(PartitionsOfPorts, GiveAGroupOneInWhichEverySenderReachesEveryMember) {
  const PortKeys made = keys("Default=0x7fff : ALL=full ;\nfeed=0x10 : {0}=full, {1}, {2} ;\n");
  const std::vector<EndpointId> all{host(0), host(1), host(2)};
  const std::vector<EndpointId> members{host(1), host(2)};
  EXPECT_THAT(group_keys(made, std::span(all).first(1), members, all), ElementsAre(0x8010, 0x0010, 0x0010));
  EXPECT_THAT(group_keys(made, std::span(all).subspan(1, 1), members, all), ElementsAre(0xFFFF, 0xFFFF, 0xFFFF))
      << "host1 and host2 are both limited members of the other";
  const PortKeys closed = keys("Default=0x7fff : ALL, {0}=full ;\n");
  EXPECT_THAT(group_keys(closed, std::span(all).subspan(1, 1), members, all), ElementsAre());
}

TEST_F(PartitionsOfPorts, RefuseTrafficBetweenPortsThatCannotTalk) {
  const std::string conf = "Default=0x7fff : ALL, SELF=full ;\nstorage=0x80 : ALL_CAS, {5}=full ;\n";
  constexpr std::string_view kToStorage =
      "kind = \"incast\"\nsources = [\"host1\", \"host2\"]\ndestinations = [\"host5\"]\n";
  EXPECT_EQ(refused(conf, kToStorage), "no error") << "clients of storage need not reach each other";
  EXPECT_THAT(refused(conf, "kind = \"flows\"\nsources = [\"host1\"]\ndestinations = [\"host2\"]\n"),
              AllOf(HasSubstr("'own' sends between host1/nic0 and host2/nic0"), HasSubstr("0x7fff, 0x0080"),
                    HasSubstr("keys.partition_file"), HasSubstr("weft subnet partitions test.toml")));
  for (const char* const kind : {"kind = \"permutation\"\nshift = 1\n", "kind = \"all-to-all\"\n",
                                 "kind = \"collective\"\ncollective = \"all-reduce\"\n"}) {
    EXPECT_THAT(refused(conf, kind), HasSubstr("share no partition")) << kind;
    EXPECT_EQ(refused("Default=0x7fff : ALL=full ;\n", kind), "no error") << kind;
  }
  EXPECT_THAT(refused(conf, "kind = \"multicast\"\nsources = [\"host1\"]\nsize = \"64 B\"\n"),
              HasSubstr("no partition in which every sender reaches every member"));
}

TEST_F(PartitionsOfPorts, RefuseAFileThatIsOfAnotherNetworkOrNone) {
  constexpr std::string_view kFlow = "kind = \"flows\"\nsources = [\"host0\"]\ndestinations = [\"host1\"]\n";
  EXPECT_THAT(refused("Default=0x7fff : ALL=full ;\nown=0x5 : 0x1234=full ;\n", kFlow),
              AllOf(HasSubstr("partitions.conf:2:11: no port of the network has the GUID 0x0000000000001234"),
                    HasSubstr("weft subnet show test.toml")));
  EXPECT_THAT(refused("no definition\n", kFlow), HasSubstr("partitions.conf:1:"));
  const auto absent = scenario::parse_scenario(fmt::format("{}[[traffic]]\nkind = \"permutation\"\n", kHosts),
                                               {.file = "test.toml"}, scenario::test_catalogue());
  EXPECT_THAT(scenario::message_of(absent), HasSubstr("'file' needs keys.partition_file"));
  const std::string ethernet =
      "[fabric]\nfamily = \"rocev2\"" + std::string(kHosts.substr(kHosts.find("\n[topology]")));
  EXPECT_THAT(scenario::message_of(scenario::parse_scenario(
                  ethernet + "partition_file = \"p.conf\"\n[[traffic]]\nkind = \"permutation\"\n",
                  {.file = "test.toml"}, scenario::test_catalogue())),
              HasSubstr("'file' is of InfiniBand's subnet manager"));
}

}  // namespace
}  // namespace weft::study::assembly
