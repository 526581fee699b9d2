#include "study/scenario/scenario_load.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/format_quantity.h"
#include "study/scenario/apply.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

using namespace literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

ScenarioRequest with_settings(std::vector<std::string> settings) {
  return {.file = "", .case_name = {}, .settings = std::move(settings)};
}

ScenarioRequest with_case(std::string name) { return {.file = "", .case_name = std::move(name), .settings = {}}; }

Scenario right(std::string_view more, ScenarioRequest request = {}) {
  auto scenario = scenario_with(more, std::move(request));
  EXPECT_EQ(message_of(scenario), "no error");
  return scenario.value_or(Scenario{});
}

TEST(ScenarioLoad, TakesTheStrongestOfItsSources) {
  const std::string file = "[transport]\nretry_count = 3\n[[case]]\nname = \"c\"\ntransport.retry_count = 4\n";
  const std::string path = "transport.retry_count";
  const auto by_default = right("");
  EXPECT_EQ(by_default.transport.retry_count, 7);
  EXPECT_EQ(by_default.sources.at(path).origin, Origin::kDefault);
  const auto by_file = right(file);
  EXPECT_EQ(by_file.transport.retry_count, 3);
  EXPECT_EQ(by_file.sources.at(path).text, "test.toml:7:15");
  const auto by_case = right(file, with_case("c"));
  EXPECT_EQ(by_case.transport.retry_count, 4);
  EXPECT_EQ(by_case.sources.at(path).origin, Origin::kCase);
  EXPECT_EQ(by_case.case_name, "c");
  const auto by_setting = right(file, {.file = "", .case_name = "c", .settings = {"transport.retry_count = 5"}});
  EXPECT_EQ(by_setting.transport.retry_count, 5);
  EXPECT_EQ(by_setting.sources.at(path).text, "--set transport.retry_count");
}

TEST(ScenarioLoad, PutsTheCatalogueBetweenDefaultAndFile) {
  const auto from_catalogue = right("", with_settings({"fabric.switch=tomahawk-3"}));
  EXPECT_EQ(from_catalogue.devices.switch_.buffer, 64_mb);
  EXPECT_THAT(from_catalogue.sources.at("switch.buffer").text, StartsWith("catalogue switch/tomahawk-3 (guess: "));
  const auto from_file = right("[switch]\nbuffer = \"8 MiB\"\n", with_settings({"fabric.switch=tomahawk-3"}));
  EXPECT_EQ(from_file.devices.switch_.buffer, 8_mib);
}

TEST(ScenarioLoad, LetsALaterSettingWin) { EXPECT_EQ(right("", with_settings({"seed=2", "seed=3"})).seed, 3); }

TEST(ScenarioLoad, NamesTheSourceOfEveryValue) {
  const auto scenario = right("[[traffic]]\nkind = \"permutation\"\n");
  for (const auto& row : list_values(scenario, Listing::kAll)) {
    EXPECT_FALSE(row.source.text.empty()) << row.path;
  }
}

TEST(ScenarioLoad, ReadsABroadKeyForAllTablesOfTheGroup) {
  const auto scenario = right(
      "[ethernet.priority.2]\nalpha = \"2\"\n[ethernet.priority]\nalpha = \"1/64\"\n[link]\nrate = \"100 Gbps\"\n"
      "[link.spine]\nrate = \"200 Gbps\"\n");
  const auto& priorities = scenario.devices.ethernet.priorities;
  EXPECT_EQ(priorities[2].alpha.exponent, 1);
  EXPECT_EQ(std::ranges::count(priorities, PowerOfTwo{-6}, &PrioritySettings::alpha), 7);
  EXPECT_EQ(scenario.devices.link(LinkTier::kHost).rate, 100_gbps);
  EXPECT_EQ(scenario.devices.link(LinkTier::kSpine).rate, 200_gbps);
}

TEST(ScenarioLoad, LetsABroadKeyOfAStrongerLayerWin) {
  const auto scenario = right("[link.host]\nrate = \"100 Gbps\"\n", with_settings({"link.rate=50Gbps"}));
  EXPECT_EQ(scenario.devices.link(LinkTier::kHost).rate, 50_gbps);
}

TEST(ScenarioLoad, DerivesWhatIsOpenForLinks) {
  const auto scenario = right("[link.host]\nlength = \"40 m\"\n", with_settings({"fabric.nic=roce-100g"}));
  const auto& host = scenario.devices.link(LinkTier::kHost);
  EXPECT_EQ(host.rate, scenario.devices.nic.port_rate);
  EXPECT_EQ(host.propagation, 5_ns * 40);
  EXPECT_EQ(scenario.sources.at("link.host.rate").origin, Origin::kDerived);
  EXPECT_EQ(scenario.devices.link(LinkTier::kLeaf).rate, scenario.devices.switch_.port_rate);
}

TEST(ScenarioLoad, AsksForAnAcknowledgementOfEightPacketsThatComeInAnyOrder) {
  const auto interval = [](std::string_view more) { return right(more).transport.ack_interval; };
  const std::string any_order = "[transport]\nloss_recovery = \"selective-repeat\"\nout_of_order_placement = true\n";
  EXPECT_EQ(interval(""), 1);
  EXPECT_EQ(interval(any_order), 8);
  EXPECT_EQ(interval(any_order + "ack_interval = 1\n"), 1) << "what is given stays";
  EXPECT_EQ(interval(any_order + "loss_detection = \"count\"\n"), 1) << "gaps are counted";
  EXPECT_EQ(interval(any_order + "[congestion_control]\nalgorithm = \"swift\"\n"), 1) << "wants telemetry of each";
}

TEST(ScenarioLoad, PrefersAPropagationOverALengthOfTheSameLayer) {
  EXPECT_EQ(right("[link]\nlength = \"40 m\"\npropagation = \"1 us\"\n").devices.links[0].propagation, 1_us);
  const auto stronger = right("[link]\npropagation = \"1 us\"\n", with_settings({"link.length=2m"}));
  EXPECT_EQ(stronger.devices.links[0].propagation, 10_ns);
}

TEST(ScenarioLoad, ReplacesAListThatACaseGives) {
  const std::string file =
      "[[traffic]]\nkind = \"permutation\"\n[[traffic]]\nkind = \"all-to-all\"\n"
      "[[case]]\nname = \"one\"\n[[case.traffic]]\nkind = \"incast\"\n[[case]]\nname = \"same\"\nseed = 2\n";
  EXPECT_EQ(right(file).traffic.size(), 2U);
  EXPECT_EQ(right(file, with_case("same")).traffic.size(), 2U);
  const auto one = right(file, with_case("one"));
  ASSERT_EQ(one.traffic.size(), 1U);
  EXPECT_EQ(one.traffic[0].kind, TrafficKind::kIncast);
  EXPECT_EQ(one.traffic[0].size, 1_mib);
  const auto set = right(file, {.file = "", .case_name = "one", .settings = {"traffic[0].size=2 KiB"}});
  EXPECT_EQ(set.traffic[0].size, 2_kib);
}

TEST(ScenarioLoad, PassesOverKeysOfAKindThatACaseReplaced) {
  const auto scenario = scenario_with(
      "[congestion_control]\nalgorithm = \"dcqcn\"\nprofile = \"paper\"\n"
      "[[case]]\nname = \"none\"\ncongestion_control.algorithm = \"none\"\n",
      with_case("none"));
  EXPECT_EQ(message_of(scenario), "no error");
}

TEST(ScenarioLoad, GivesBothFamiliesTheSameHardwareWhenAsked) {
  const auto text =
      "hardware = \"equal\"\n[fabric]\nfamily = \"rocev2\"\nswitch = \"tomahawk-3\"\n[topology]\nkind = "
      "\"dumbbell\"\nhosts = 4\n";
  const auto load = [&](std::vector<std::string> settings) {
    return parse_scenario(text, {.file = "equal.toml", .case_name = {}, .settings = std::move(settings)},
                          test_catalogue());
  };
  const auto roce = load({});
  const auto infiniband = load({"fabric.family=infiniband"});
  ASSERT_EQ(message_of(roce), "no error");
  ASSERT_EQ(message_of(infiniband), "no error");
  EXPECT_EQ(roce->fabric.switch_entry, "equal");
  EXPECT_THAT(roce->sources.at("fabric.switch").text, HasSubstr("hardware = \"equal\""));
  const auto hardware = [](const Scenario& scenario) {
    std::vector<std::string> values;
    for (const auto& row : list_values(scenario, Listing::kAll)) {
      if (row.path.starts_with("switch.") || row.path.starts_with("nic.") || row.path.starts_with("link.") ||
          row.path.starts_with("infiniband.vl")) {
        values.push_back(row.path + " " + row.value);
      }
    }
    return values;
  };
  EXPECT_EQ(hardware(*roce), hardware(*infiniband));
  const auto& devices = roce->devices;
  EXPECT_EQ(devices.switch_.forwarding, Forwarding::kCutThrough);
  EXPECT_EQ(devices.switch_.buffer, devices.infiniband.vl_buffer * devices.infiniband.vls * devices.switch_.ports);
}

TEST(ScenarioLoad, TakesTheParametersOfTheChosenProfile) {
  const auto paper = right("[congestion_control]\nalgorithm = \"dcqcn\"\nprofile = \"paper\"\n");
  EXPECT_EQ(paper.dcqcn.increase_timer, 55_us);
  EXPECT_EQ(paper.dcqcn.byte_counter, 10_mb);
  const auto usual = right("");
  EXPECT_EQ(usual.congestion.profile, "scaled");
  EXPECT_EQ(usual.dcqcn.increase_timer, 100_us);
  EXPECT_EQ(usual.dcqcn.byte_counter, Bytes(32'767 * 64));
}

TEST(ScenarioLoad, TakesTheParametersOfSwiftAndHpccFromTheirProfiles) {
  const auto swift = right("[congestion_control]\nalgorithm = \"swift\"\n");
  EXPECT_EQ(swift.congestion.profile, "published");
  EXPECT_EQ(swift.swift.base_target, 25_us);
  // What queues on the way back is none of the sender's business.
  EXPECT_NE(swift.qos.ack_priority, swift.qos.data_priority);
  const auto htsim = right("[congestion_control]\nalgorithm = \"swift\"\nprofile = \"htsim\"\n");
  EXPECT_EQ(htsim.swift.base_target, 20_us);
  EXPECT_EQ(htsim.swift.flow_scaling_range, htsim.swift.base_target * 5);
  const auto hpcc = right("[congestion_control]\nalgorithm = \"hpcc\"\n");
  EXPECT_EQ(hpcc.hpcc.target, Probability::from_ratio({.numerator = 95, .denominator = 100}));
  EXPECT_EQ(hpcc.hpcc.stages, 5);
  EXPECT_EQ(hpcc.hpcc.base_round_trip, std::nullopt);
}

TEST(ScenarioLoad, FindsFilesBesideTheScenario) {
  const auto text =
      "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"file\"\nfile = \"graphs/ring.toml\"\n"
      "[[traffic]]\nkind = \"poisson\"\ncdf = \"websearch\"\nstop = \"1 ms\"\n"
      "[[traffic]]\nkind = \"poisson\"\ncdf = \"sizes.txt\"\nstop = \"1 ms\"\n";
  const auto scenario =
      parse_scenario(text, {.file = "some/where/s.toml", .case_name = {}, .settings = {}}, test_catalogue());
  ASSERT_EQ(message_of(scenario), "no error");
  EXPECT_EQ(scenario->name, "s");
  EXPECT_EQ(scenario->topology.file, "some/where/graphs/ring.toml");
  EXPECT_EQ(scenario->traffic[0].cdf, "websearch");
  EXPECT_EQ(scenario->traffic[1].cdf, "some/where/sizes.txt");
}

std::vector<std::string> values_of(const Scenario& scenario) {
  std::vector<std::string> values;
  for (const auto& row : list_values(scenario, Listing::kAll)) {
    values.push_back(row.path + " " + row.value);
  }
  return values;
}

TEST(ScenarioLoad, ReadsAllCasesAsOneByOne) {
  constexpr std::string_view kText =
      "[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"dumbbell\"\nhosts = 4\n"
      "[[case]]\nname = \"b\"\nseed = 3\n[[case]]\nname = \"a\"\ntopology.hosts = 8\n";
  ScenarioRequest request{.file = "f.toml", .case_name = {}, .settings = {"link.host.rate=200 Gbps"}};
  const auto all = parse_cases(kText, request, test_catalogue());
  ASSERT_EQ(message_of(all), "no error");
  ASSERT_EQ(all->size(), 2U);
  for (const Scenario& scenario : *all) {
    request.case_name = scenario.case_name;
    const auto one = parse_scenario(kText, request, test_catalogue());
    ASSERT_EQ(message_of(one), "no error");
    EXPECT_EQ(values_of(*one), values_of(scenario));
  }
  EXPECT_EQ((*all)[0].case_name, "b");
  EXPECT_EQ((*all)[1].case_name, "a");
  const auto wrong = parse_cases(fmt::format("{}[[case]]\nname = \"c\"\nsead = 3\n", kText),
                                 {.file = "f.toml", .case_name = {}, .settings = {}}, test_catalogue());
  EXPECT_THAT(message_of(wrong), HasSubstr("f.toml:"));
}

TEST(ScenarioLoad, ListsTheCases) {
  const auto names = case_names("[[case]]\nname = \"b\"\n[[case]]\nname = \"a\"\n", "f.toml");
  ASSERT_TRUE(names.has_value());
  EXPECT_THAT(*names, testing::ElementsAre("b", "a"));
}

// What is shown can be given again and means the same.
TEST(ScenarioLoad, UnderstandsEveryValueItShows) {
  const auto scenario = right(
      "[nic]\nservice_time = \"uniform 10 ns to 20 ns\"\n[infiniband]\nvls = 2\nvl_arbitration_high = [\"0:4\", "
      "\"1:2\"]\n"
      "[link]\nbit_error_rate = 2.5e-12\n[[traffic]]\nkind = \"incast\"\nsources = [\"host0\", \"host1\"]\n");
  for (const auto& row : list_values(scenario, Listing::kAll)) {
    const auto at = find_path(row.path);
    ASSERT_TRUE(at.has_value()) << row.path;
    const bool is_text = std::holds_alternative<std::string>(read_value(row.value).content);
    const Given given{.at = *at,
                      .value = is_text ? RawValue{.place = {}, .content = row.value} : read_value(row.value),
                      .place = "again"};
    auto copy = scenario;
    const bool applied = apply(given, target_of(copy)).has_value();
    ASSERT_TRUE(applied) << row.path << " = " << row.value;
    EXPECT_EQ(value_text(*at, target_of(copy)), row.value) << row.path;
  }
}

TEST(ScenarioListing, FoldsTablesThatAgreeAndHidesTheOtherFamily) {
  const auto text = listing_text(right("[ethernet.priority.3]\nkmin = \"9 kB\"\n"));
  EXPECT_THAT(text, HasSubstr("ethernet.priority.*.kmin "));
  EXPECT_THAT(text, HasSubstr("ethernet.priority.3.kmin "));
  EXPECT_THAT(text, HasSubstr("9 kB "));
  EXPECT_THAT(text, testing::Not(HasSubstr("infiniband.")));
  EXPECT_THAT(text, testing::Not(HasSubstr("topology.radix")));
}

constexpr std::string_view kOverrides = R"([link]
length = "2 m"
[[override]]
select = "leaf1/*"
switch.buffer = "1 MiB"
ethernet.priority.3.alpha = "1/2"
[[override]]
select = "leaf1/port2"
link.length = "20 m"
ethernet.priority.3.alpha = "4"
[[override]]
select = "leaf2"
switch.port_rate = "10 Gbps"
)";

TEST(Overrides, ChangeTheDevicesTheySelect) {
  const auto scenario = right(kOverrides);
  EXPECT_EQ(settings_of_device(scenario, "leaf1").switch_.buffer, 1_mib);
  EXPECT_EQ(settings_of_device(scenario, "leaf0").switch_.buffer, scenario.devices.switch_.buffer);
  EXPECT_EQ(settings_of_port(scenario, "leaf1/port0").ethernet.priorities[3].alpha, PowerOfTwo{-1});
}

TEST(Overrides, OfALaterTableWin) {
  const auto scenario = right(kOverrides);
  const auto port = settings_of_port(scenario, "leaf1/port2");
  EXPECT_EQ(port.ethernet.priorities[3].alpha, PowerOfTwo{2});
  EXPECT_EQ(settings_of_device(scenario, "leaf1").ethernet.priorities[3].alpha, PowerOfTwo{-1});
}

TEST(Overrides, DeriveLikeTheScenario) {
  const auto scenario = right(kOverrides);
  EXPECT_EQ(settings_of_port(scenario, "leaf1/port2").links[1].propagation, 100_ns);
  EXPECT_EQ(settings_of_port(scenario, "leaf2/port0").links[1].rate, 10_gbps);
}

std::string fault_of_file(const std::string& text, std::vector<std::string> settings = {}) {
  const std::string file = (std::filesystem::path(testing::TempDir()) / fmt::format("weft_file_{}.toml", getpid()));
  EXPECT_TRUE(write_file(file, text));
  const auto right = check_file({.file = file, .case_name = {}, .settings = std::move(settings)});
  std::filesystem::remove(file);
  return right ? "" : right.error().message.substr(right.error().message.find(".toml") + 5);
}

// No family is named: what it would make of the values is not asked.
TEST(ScenarioFile, IsWrongByItselfWhereAKeyOrAValueIs) {
  const std::string good =
      "[topology]\nkind = \"single-switch\"\nhosts = 4\n[infiniband]\nvls = 4\n[dcqcn]\ngain = "
      "\"1%\"\n[[traffic]]\nkind = \"incast\"\nsize = \"1 MB\"\n";
  const std::string in_case = good + "[[case]]\nname = \"tcp\"\n";
  EXPECT_EQ(fault_of_file(good), "");
  EXPECT_EQ(fault_of_file(in_case + "tcp.initial_window = 10\n"), "");
  EXPECT_THAT(fault_of_file(good + "[transport]\nretry_count = 8\n"), AllOf(StartsWith(":12:"), HasSubstr("8")));
  EXPECT_THAT(fault_of_file(good + "[transport]\nretry_cuont = 3\n"), AllOf(StartsWith(":12:"), HasSubstr("cuont")));
  EXPECT_THAT(fault_of_file(in_case + "transport.retry_count = 8\n"), StartsWith(":13:"));
  EXPECT_THAT(fault_of_file(in_case + "transport.retry_cuont = 8\n"), StartsWith(":13:"));
  EXPECT_THAT(fault_of_file(good + "[[override]]\nselect = \"host0\"\nnic.ports = 0\n"), StartsWith(":13:"));
}

TEST(ScenarioFile, ASettingMayBeOfAListThatOneCaseHas) {
  const std::string text =
      "[topology]\nkind = \"single-switch\"\nhosts = 4\n[[case]]\nname = \"a\"\n[[case.traffic]]\n"
      "kind = \"incast\"\nsize = \"1 MB\"\n";
  EXPECT_EQ(fault_of_file(text, {"traffic[0].size=2 MB"}), "");
  EXPECT_NE(fault_of_file(text, {"traffic[1].size=2 MB"}), "");
  EXPECT_NE(fault_of_file(text, {"transport.retry_count=9"}), "");
}

}  // namespace
}  // namespace weft::study::scenario
