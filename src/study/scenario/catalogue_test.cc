#include "study/scenario/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "study/scenario/apply.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

using testing::HasSubstr;

TEST(Catalogue, GivesEveryValueAMarkAndASource) {
  std::size_t values = 0;
  for (const auto& entry : test_catalogue().entries()) {
    EXPECT_FALSE(entry.about.empty()) << entry.kind << '/' << entry.name;
    EXPECT_FALSE(entry.values.empty()) << entry.kind << '/' << entry.name;
    for (const auto& value : entry.values) {
      EXPECT_GE(value.source.size(), 4U) << entry.name << ' ' << path_of(value.given.at);
      ++values;
    }
  }
  EXPECT_GT(values, 300U);
}

TEST(Catalogue, HasTheDevicesAndProfilesThatScenariosExpect) {
  const std::map<std::string_view, std::vector<std::string_view>> wanted = {
      {"switch",
       {"trident-2", "sb7800", "quantum-1", "quantum-2", "tomahawk-3", "tomahawk-4", "tomahawk-5", "spectrum-2",
        "spectrum-4", "equal"}},
      {"nic",
       {"connectx-3", "connectx-5", "connectx-6", "connectx-7", "roce-50g", "roce-100g", "roce-200g", "roce-400g",
        "chelsio-t6", "equal"}},
      {"dcqcn", {"paper", "connectx", "hpcc-ns3"}},
      {"ib_congestion", {"published"}},
      {"swift", {"published", "htsim"}},
      {"hpcc", {"published", "hpcc-ns3"}},
      {"qos", {"default"}},
      {"host", {"ideal", "modern", "sigcomm15-40g", "as-quoted", "as-quoted-roce"}},
      {"pcie", {"gen3", "gen4", "gen5", "gen6"}},
      {"family", {"rocev2", "infiniband", "rocev1", "iwarp", "tcp", "uet"}}};
  for (const auto& [kind, names] : wanted) {
    for (const auto name : names) {
      EXPECT_TRUE(test_catalogue().find(kind, name).has_value()) << kind << '/' << name;
    }
  }
}

// A device that leaves a parameter open would silently get a default that was made for no device.
TEST(Catalogue, DescribesSwitchesAndNicsCompletely) {
  for (const auto& entry : test_catalogue().entries()) {
    const std::string section = entry.kind == "nic" ? "nic" : "switch";
    if (entry.kind != "switch" && entry.kind != "nic") {
      continue;
    }
    std::set<std::string> given;
    for (const auto& value : entry.values) {
      given.insert(path_of(value.given.at));
    }
    for (const auto& key : find_section(section)->keys) {
      const bool ethernet_only = key.name == "buffer" && !entry.serves(Family::kRoceV2);
      const bool varies = key.name == "service_time" || key.name == "offload_latency";
      const bool set_up = key.name == "congestion_control";  // how a NIC is set up, not what it is
      EXPECT_TRUE(ethernet_only || varies || set_up || given.contains(section + "." + std::string(key.name)))
          << entry.name << " lacks " << key.name;
    }
    if (section == "switch" && entry.serves(Family::kInfiniband)) {
      EXPECT_TRUE(given.contains("infiniband.vl_buffer")) << entry.name;
    }
  }
}

TEST(Catalogue, LoadsAScenarioWithEveryEntry) {
  const std::map<std::string, std::string> keys = {
      {"switch", "fabric.switch"}, {"nic", "fabric.nic"},
      {"link", "fabric.link"},     {"cabling", "fabric.cabling"},
      {"qos", "fabric.qos"},       {"pfc", "fabric.pfc"},
      {"ecn", "fabric.ecn"},       {"host", "host.profile"},
      {"pcie", "host.pcie"},       {"dcqcn", "congestion_control.profile"}};
  for (const auto& entry : test_catalogue().entries()) {
    if (!keys.contains(entry.kind)) {
      continue;
    }
    const std::string family = entry.serves(Family::kRoceV2) ? "rocev2" : entry.families.front();
    const auto scenario = scenario_with("", {.file = "",
                                             .case_name = {},
                                             .settings = {fmt::format("fabric.family={}", family),
                                                          fmt::format("{}={}", keys.at(entry.kind), entry.name)}});
    EXPECT_EQ(message_of(scenario), "no error") << entry.kind << '/' << entry.name;
  }
}

// In both simulators a cut lowers the target once the timer has raised the rate, and no sooner.
TEST(Catalogue, Ns3ProfilesOfDcqcnClampTheTargetAfterAnIncreaseOfTheTimer) {
  for (const auto* name : {"hpcc-ns3", "hpcc-ns3-paper", "conweave"}) {
    const auto scenario =
        scenario_with("", {.file = "",
                           .case_name = {},
                           .settings = {"fabric.family=rocev2", fmt::format("congestion_control.profile={}", name)}});
    ASSERT_EQ(message_of(scenario), "no error");
    EXPECT_EQ(scenario->dcqcn.target_clamp, ClampRule::kAfterTimeIncrease) << name;
    EXPECT_EQ(scenario->dcqcn.byte_counter, std::nullopt) << name;
  }
}

std::string error_of(const std::string& text) {
  const std::array files = {Catalogue::File{.name = "c.toml", .text = text}};
  const auto catalogue = Catalogue::read(files);
  return catalogue ? "no error" : catalogue.error().message;
}

TEST(Catalogue, RefusesWrongEntries) {
  EXPECT_THAT(error_of("[swich.a]\n"), HasSubstr("c.toml:1:2: unknown kind of entry 'swich'; did you mean 'switch'?"));
  EXPECT_THAT(error_of("[switch.a]\nswitch.bufer = { value = 1 }\n"), HasSubstr("did you mean 'buffer'?"));
  EXPECT_THAT(error_of("[switch.a]\nswitch.ports = 4\n"), HasSubstr("c.toml:2:16: switch.ports: found the integer 4"));
  EXPECT_THAT(error_of("[switch.a]\nswitch.ports = { value = 4, mark = \"guess\" }\n"),
              HasSubstr("needs a value, a mark and a source"));
  EXPECT_THAT(error_of("[switch.a]\nswitch.ports = { value = 4, mark = \"gess\", source = \"x\" }\n"),
              HasSubstr("unknown mark 'gess'; did you mean 'guess'?"));
  EXPECT_THAT(error_of("[switch.a]\nswitch.ports = { value = \"4\", mark = \"guess\", source = \"x\" }\n"),
              HasSubstr("c.toml:2:16: switch.ports: found the text '4'"));
  EXPECT_THAT(error_of("[switch.a]\nfamilies = [\"ethernet\"]\n"), HasSubstr("families: element 1: unknown word"));
  EXPECT_THAT(error_of("[switch.a]\nseed2 = 3\n"), HasSubstr("unknown key 'seed2'"));
}

// Otherwise two entries could each choose the other, or one itself.
TEST(Catalogue, EntriesThatWouldChooseOneAnotherAreRefused) {
  EXPECT_THAT(error_of("[host.a]\nhost.profile = { value = \"a\", mark = \"guess\", source = \"here\" }\n"),
              HasSubstr("c.toml:2:16: host.profile: an entry of kind 'host' cannot choose one of kind 'host'"));
  EXPECT_THAT(error_of("[pcie.a]\nhost.profile = { value = \"a\", mark = \"guess\", source = \"here\" }\n"),
              HasSubstr("an entry of kind 'pcie' cannot choose one of kind 'host'"));
  EXPECT_EQ(error_of("[host.a]\nhost.pcie = { value = \"gen5\", mark = \"guess\", source = \"here\" }\n"), "no error");
}

// A price has to come from somewhere for every rate and medium.
TEST(Catalogue, DescribesCablesCompletely) {
  const auto* section = find_section("cabling");
  std::size_t entries = 0;
  for (const auto& entry : test_catalogue().entries()) {
    if (entry.kind == "cabling") {
      ++entries;
      EXPECT_EQ(entry.values.size(), section->keys.size() * section->group.size()) << entry.name;
    }
  }
  EXPECT_EQ(entries, 3U);
}

TEST(Catalogue, LetsALaterEntryTakeThePlaceOfAnEarlier) {
  const std::string entry = "[switch.a]\nswitch.ports = {{ value = {}, mark = \"guess\", source = \"here\" }}\n";
  const std::array files = {Catalogue::File{.name = "a.toml", .text = fmt::format(fmt::runtime(entry), 4)},
                            Catalogue::File{.name = "b.toml", .text = fmt::format(fmt::runtime(entry), 8)}};
  const auto catalogue = Catalogue::read(files);
  ASSERT_TRUE(catalogue.has_value());
  ASSERT_EQ(catalogue->entries().size(), 1U);
  EXPECT_EQ(catalogue->entries()[0].values[0].given.place, "b.toml:2:16");
}

TEST(Catalogue, ReportsAFolderThatIsNotThere) {
  const auto catalogue = Catalogue::load("no-such-folder");
  ASSERT_FALSE(catalogue.has_value());
  EXPECT_EQ(catalogue.error().message, "catalogue folder no-such-folder: No such file or directory");
}

}  // namespace
}  // namespace weft::study::scenario
