#include "study/cost/bill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "study/assembly/build_topology.h"
#include "study/cost/bill_text.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::cost {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Billed {
  scenario::Scenario scenario;
  Bill bill;
};

Billed billed(std::string_view text) {
  const auto scenario = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                                 scenario::test_catalogue());
  EXPECT_EQ(scenario::message_of(scenario), "no error");
  const auto graph = assembly::build_topology(*scenario);
  EXPECT_TRUE(graph.has_value()) << graph.error().message;
  return {.scenario = *scenario, .bill = bill_of(*scenario, *graph)};
}

std::string network(std::string_view family, std::string_view topology, std::string_view more = "") {
  return fmt::format("[fabric]\nfamily = \"{}\"\n[topology]\n{}\n{}", family, topology, more);
}

std::int64_t count_of(const Bill& bill, scenario::BillPart part) {
  std::int64_t count = 0;
  for (const BillLine& line : bill.lines) {
    count += line.part == part ? line.count : 0;
  }
  return count;
}

const BillLine& line_with(const Bill& bill, std::string_view name) {
  const auto found =
      std::ranges::find_if(bill.lines, [&](const BillLine& line) { return line.name.find(name) != std::string::npos; });
  EXPECT_NE(found, bill.lines.end()) << "no line with " << name;
  static const BillLine kNone;
  return found == bill.lines.end() ? kNone : *found;
}

// 64 leaves of 32 hosts and 32 uplinks, 32 spines: 2,048 endpoints, 96 switches, 2,048 links between switches.
TEST(Bill, CountsAFatTreeOfTwoTiers) {
  constexpr std::int64_t kRadix = 64;
  constexpr std::int64_t kHosts = kRadix * kRadix / 2;
  const auto [scenario, bill] =
      billed(network("infiniband", "kind = \"fat-tree\"\ntiers = 2\nradix = 64\nhosts = 2048"));
  EXPECT_EQ(count_of(bill, scenario::BillPart::kSwitch), kRadix + kRadix / 2);
  EXPECT_EQ(count_of(bill, scenario::BillPart::kNic), kHosts);
  // Hosts hang on 3 m of copper; 30 m to the spines are multimode fibre with an optic at each end.
  EXPECT_EQ(line_with(bill, "copper").count, kHosts);
  EXPECT_EQ(line_with(bill, "fibre of 30 m").count, kHosts);
  EXPECT_EQ(line_with(bill, "multimode optic").count, 2 * kHosts);
  EXPECT_EQ(bill.lines.size(), 5U);
}

// 4 by 3 by 2 switches of two hosts: rings of two are one cable.
TEST(Bill, CountsATorus) {
  const auto [scenario, bill] = billed(network("infiniband", "kind = \"torus\"\nsizes = [4, 3, 2]\nhosts_per_leaf = 2",
                                               "[routing]\npolicy = \"dimension-order\"\n[infiniband]\nvls = 2\n"));
  EXPECT_EQ(count_of(bill, scenario::BillPart::kSwitch), 24);
  EXPECT_EQ(count_of(bill, scenario::BillPart::kNic), 48);
  EXPECT_EQ(line_with(bill, "copper").count, 48);
  EXPECT_EQ(line_with(bill, "fibre of 30 m").count, 24 + 24 + 12);
}

TEST(Bill, CountsAFatTreeOfThreeTiers) {
  constexpr std::int64_t kRadix = 16;
  constexpr std::int64_t kHosts = kRadix * kRadix * kRadix / 4;
  const auto [scenario, bill] =
      billed(network("infiniband", "kind = \"fat-tree\"\ntiers = 3\nradix = 16\nhosts = 1024"));
  EXPECT_EQ(count_of(bill, scenario::BillPart::kSwitch), 5 * kRadix * kRadix / 4);
  EXPECT_EQ(count_of(bill, scenario::BillPart::kNic), kHosts);
  // As many links between the tiers as hosts, twice; those to the cores are 100 m, beyond multimode's 50.
  EXPECT_EQ(line_with(bill, "multimode optic").count, 2 * kHosts);
  EXPECT_EQ(line_with(bill, "single-mode optic").count, 2 * kHosts);
  EXPECT_EQ(line_with(bill, "fibre of 100 m").count, kHosts);
}

TEST(Bill, IsTheSumOfItsLines) {
  const auto [scenario, bill] = billed(network("rocev2", "kind = \"leaf-spine\"\nleaves = 4\nspines = 2\nhosts = 16"));
  std::int64_t cost = 0;
  std::int64_t power = 0;
  for (const BillLine& line : bill.lines) {
    EXPECT_EQ(line.price().count, line.count * line.unit_price.count);
    cost += line.count * line.unit_price.count;
    power += line.count * line.unit_power.count;
  }
  EXPECT_EQ(bill.cost.count, cost);
  EXPECT_EQ(bill.power.count, power);
  EXPECT_EQ(bill.total().count, cost);
  const auto& devices = scenario.devices;
  EXPECT_EQ(line_with(bill, scenario.fabric.switch_entry).price().count, 6 * devices.switch_.price.count);
  EXPECT_EQ(line_with(bill, scenario.fabric.nic_entry).power().count, 16 * devices.nic.power.count);
}

TEST(Bill, ChargesAWholeSwitchForTwoPorts) {
  const auto [scenario, bill] = billed(network("rocev2", "kind = \"single-switch\"\nhosts = 2"));
  EXPECT_GT(scenario.devices.switch_.ports, 2);
  EXPECT_EQ(line_with(bill, scenario.fabric.switch_entry).price(), scenario.devices.switch_.price);
}

TEST(Bill, TakesOneNicForAllItsPorts) {
  const auto [scenario, bill] = billed(network("infiniband",
                                               "kind = \"rail-optimised\"\nhosts = 4\nnics_per_host = 2\n"
                                               "ports_per_nic = 2\nplanes = 2\nspines = 1\nhosts_per_leaf = 2",
                                               "[nic]\nports = 2\n"));
  EXPECT_EQ(count_of(bill, scenario::BillPart::kNic), 4 * 2);
  EXPECT_EQ(line_with(bill, "copper").count, 4 * 2 * 2);
}

// Twice the leaves and their cables, the same NICs; planes double the spines too.
TEST(Bill, CountsTheLeavesAndCablesOfEachPort) {
  const std::string one = "kind = \"leaf-spine\"\nleaves = 4\nspines = 2\nhosts = 16\n";
  const auto bill_of = [&](std::string_view ports) {
    return billed(network("rocev2", one + std::string(ports), "[nic]\nports = 2\n")).bill;
  };
  const auto plain = bill_of("");
  const auto dual = bill_of("ports_per_nic = 2\n");
  const auto planes = bill_of("ports_per_nic = 2\nplanes = 2\n");
  EXPECT_EQ(count_of(plain, scenario::BillPart::kSwitch), 4 + 2);
  EXPECT_EQ(count_of(dual, scenario::BillPart::kSwitch), 2 * 4 + 2);
  EXPECT_EQ(count_of(planes, scenario::BillPart::kSwitch), 2 * (4 + 2));
  for (const auto& bill : {dual, planes}) {
    EXPECT_EQ(count_of(bill, scenario::BillPart::kNic), 16);
    EXPECT_EQ(line_with(bill, "copper").count, 2 * line_with(plain, "copper").count);
  }
}

TEST(Bill, LeavesOutReducersInsideSwitches) {
  const std::string topology = "kind = \"leaf-spine\"\nleaves = 2\nspines = 1\nhosts = 4";
  const auto plain = billed(network("infiniband", topology)).bill;
  const auto reducing = billed(network("infiniband", topology, "[reduction]\nenabled = true\n")).bill;
  EXPECT_EQ(bill_text(reducing), bill_text(plain));
}

TEST(Bill, TakesPartsOfTheFamily) {
  const std::string topology = "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 4";
  EXPECT_THAT(line_with(billed(network("infiniband", topology)).bill, "copper").name, HasSubstr("infiniband"));
  EXPECT_THAT(line_with(billed(network("rocev2", topology)).bill, "copper").name, HasSubstr("ethernet"));
}

TEST(Bill, WithEqualHardwareIsTheSameForEveryFamily) {
  const std::string topology = "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 4";
  const auto of = [&](std::string_view family) {
    return bill_text(billed("hardware = \"equal\"\n" + network(family, topology)).bill);
  };
  EXPECT_EQ(of("infiniband"), of("rocev2"));
}

TEST(Bill, PartsFollowTheRateOfTheLink) {
  const std::string topology = "kind = \"single-switch\"\nhosts = 2";
  const auto copper = [&](std::string_view rate) {
    return line_with(billed(network("rocev2", topology, fmt::format("[link.host]\nrate = \"{}\"\n", rate))).bill,
                     "copper")
        .name;
  };
  EXPECT_THAT(copper("100 Gbps"), HasSubstr(" 100g "));
  EXPECT_THAT(copper("56 Gbps"), HasSubstr(" 100g "));
  EXPECT_THAT(copper("101 Gbps"), HasSubstr(" 200g "));
  EXPECT_THAT(copper("1 Gbps"), HasSubstr(" 10g "));
}

TEST(Bill, ARateBeyondAllPartsTakesSeveral) {
  const auto bill = billed(network("rocev2", "kind = \"single-switch\"\nhosts = 2",
                                   "[switch]\nport_rate = \"1.6 Tbps\"\n[nic]\nport_rate = \"1.6 Tbps\"\n"
                                   "[link.host]\nlength = \"10 m\"\n"))
                        .bill;
  EXPECT_EQ(line_with(bill, "800g fibre of 10 m").count, 2 * 2);
  EXPECT_EQ(line_with(bill, "800g multimode optic").count, 2 * 2 * 2);
}

/// The defect: a fibre whose price by the metre is the catalogue's was "given".
TEST(Bill, AFibreIsGivenIfBothItsPricesAre) {
  const auto mark_with = [](const std::string& prices) {
    return line_with(
               billed(network("rocev2", "kind = \"leaf-spine\"\nleaves = 4\nspines = 2\nhosts = 16", prices)).bill,
               "fibre")
        .mark;
  };
  EXPECT_EQ(mark_with(""), "guess");
  EXPECT_EQ(mark_with("[cabling.400g]\nfibre_price = \"50 USD\"\n"), "guess");
  EXPECT_EQ(mark_with("[cabling.400g]\nfibre_price = \"50 USD\"\nfibre_metre_price = \"1 USD\"\n"), "given");
}

// The fibre's price grows with its length; a propagation stands for the length that causes it.
TEST(Bill, FibreHasAPriceByTheMetre) {
  const auto [scenario, bill] =
      billed(network("rocev2", "kind = \"single-switch\"\nhosts = 2", "[link.host]\npropagation = \"1 us\"\n"));
  const scenario::CablingSettings& parts =
      scenario.cabling[scenario::cabling_class(scenario.devices.link(scenario::LinkTier::kHost).rate)];
  const BillLine& fibre = line_with(bill, "fibre of 200 m");
  EXPECT_EQ(fibre.unit_price.count, parts.fibre_price.count + 200 * parts.fibre_metre_price.count);
  EXPECT_EQ(line_with(bill, "single-mode optic").unit_price, parts.single_mode_price);
}

TEST(Bill, OverriddenDevicesAndLinksHaveLinesOfTheirOwn) {
  const auto [scenario, bill] = billed(network("rocev2", "kind = \"dumbbell\"\nhosts = 4",
                                               "[[override]]\nselect = \"leaf0\"\nswitch.price = \"1 USD\"\n"
                                               "[[override]]\nselect = \"host0/nic0\"\nlink.host.length = \"20 m\"\n"));
  const auto cheap = std::ranges::find(bill.lines, scenario::Money{1'000}, &BillLine::unit_price);
  ASSERT_NE(cheap, bill.lines.end());
  EXPECT_EQ(cheap->count, 1);
  EXPECT_EQ(cheap->mark, "given");
  EXPECT_THAT(cheap->source, HasSubstr("test.toml:8:"));
  EXPECT_EQ(count_of(bill, scenario::BillPart::kSwitch), 2);
  EXPECT_EQ(line_with(bill, "fibre of 20 m").count, 1);
  EXPECT_EQ(line_with(bill, "copper").count, 3);
}

TEST(Bill, OwnedPartsCostNothingButDrawPower) {
  const std::string topology = "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 4";
  const auto all = billed(network("rocev2", topology)).bill;
  const auto rest = billed(network("rocev2", topology, "[cost]\nowned = [\"switches\", \"cables\"]\n")).bill;
  std::int64_t owned = 0;
  for (const BillLine& line : all.lines) {
    owned +=
        line.part == scenario::BillPart::kSwitch || line.part == scenario::BillPart::kCable ? line.price().count : 0;
  }
  EXPECT_EQ(rest.cost.count, all.cost.count - owned);
  EXPECT_EQ(rest.power, all.power);
  EXPECT_TRUE(line_with(rest, "fibre").owned);
  EXPECT_FALSE(line_with(rest, "optic").owned);
}

TEST(Bill, EveryPriceHasAMarkAndASource) {
  for (const auto* family : {"infiniband", "rocev2", "rocev1", "iwarp", "tcp"}) {
    const auto bill = billed(network(family, "kind = \"leaf-spine\"\nleaves = 2\nspines = 2\nhosts = 4")).bill;
    for (const BillLine& line : bill.lines) {
      EXPECT_GT(line.unit_price.count, 0) << line.name;
      EXPECT_THAT(line.mark, ::testing::AnyOf("specified", "measured", "calibrated", "guess")) << line.name;
      EXPECT_THAT(line.source, HasSubstr("catalogue ")) << line.name;
    }
  }
}

TEST(Bill, SaysThatAPriceIsNotKnown) {
  const auto scenario = scenario::scenario_with("[switch]\nprice = \"0 USD\"\n");
  ASSERT_EQ(scenario::message_of(scenario), "no error");
  scenario::Scenario unknown = *scenario;
  unknown.sources["switch.price"] = {.origin = scenario::Origin::kDefault, .text = "default", .mark = {}};
  const auto graph = assembly::build_topology(unknown);
  ASSERT_TRUE(graph.has_value());
  const auto bill = bill_of(unknown, *graph);
  EXPECT_EQ(bill.lines.front().mark, "not known");
  EXPECT_THAT(bill.not_counted, Contains(HasSubstr("price of switch")));
}

TEST(Bill, CountsNothingOverYearsThatNobodyGave) {
  const auto bill = billed(network("rocev2", "kind = \"single-switch\"\nhosts = 2")).bill;
  EXPECT_FALSE(bill.energy || bill.upkeep || bill.staff);
  EXPECT_THAT(bill.not_counted, Contains(HasSubstr("cost.years is not set")));
  EXPECT_FALSE(bill_json(bill).contains("energy_usd"));
}

TEST(Bill, CountsEnergyUpkeepAndStaffOverTheYears) {
  constexpr std::int64_t kYears = 4;
  const auto [scenario, bill] = billed(network("rocev2", "kind = \"single-switch\"\nhosts = 2",
                                               "[cost]\nyears = 4\nenergy_price = \"0.125 USD/kWh\"\n"
                                               "upkeep_per_year = \"1000 USD\"\nstaff_hours_per_year = 200\n"
                                               "staff_hour_price = \"80 USD\"\n"));
  ASSERT_TRUE(bill.energy && bill.upkeep && bill.staff);
  // Milliwatts, hours and an eighth of a dollar per kilowatt-hour: 10^-6 kW make 10^-3 of thousandths.
  EXPECT_EQ(bill.energy->count, bill.power.count * 8'760 * kYears / 8 / 1'000);
  EXPECT_EQ(bill.upkeep->count, 1'000'000 * kYears);
  EXPECT_EQ(bill.staff->count, 200 * 80'000 * kYears);
  EXPECT_EQ(bill.total().count, bill.cost.count + bill.energy->count + bill.upkeep->count + bill.staff->count);
  EXPECT_THAT(bill.not_counted, IsEmpty());
}

TEST(Bill, SaysWhichInputOfTheRunningCostIsMissing) {
  const auto bill =
      billed(network("rocev2", "kind = \"single-switch\"\nhosts = 2", "[cost]\nyears = 1\nstaff_hours_per_year = 5\n"))
          .bill;
  EXPECT_THAT(bill.not_counted, Contains(HasSubstr("cost.energy_price")));
  EXPECT_THAT(bill.not_counted, Contains(HasSubstr("cost.upkeep_per_year")));
  EXPECT_THAT(bill.not_counted, Contains(HasSubstr("cost.staff_hour_price")));
}

TEST(Bill, ACaseHasStaffOfItsOwn) {
  const std::string text = network("rocev2", "kind = \"single-switch\"\nhosts = 2",
                                   "[cost]\nyears = 1\nstaff_hours_per_year = 5\nstaff_hour_price = \"10 USD\"\n"
                                   "[[case]]\nname = \"tuned\"\ncost.staff_hours_per_year = 500\n");
  const auto scenario = scenario::parse_scenario(text, {.file = "test.toml", .case_name = "tuned", .settings = {}},
                                                 scenario::test_catalogue());
  ASSERT_EQ(scenario::message_of(scenario), "no error");
  EXPECT_EQ(scenario->cost.staff_hours_per_year, 500);
}

TEST(Bill, SumsThatNobodyCanPayStayWithinTheirRange) {
  const auto bill = billed(network("rocev2", "kind = \"single-switch\"\nhosts = 64",
                                   "[switch]\nprice = \"1000000000 USD\"\npower = \"1000 kW\"\n[nic]\n"
                                   "price = \"1000000000 USD\"\n[cost]\nyears = 100\n"
                                   "energy_price = \"1000000000 USD/kWh\"\nupkeep_per_year = \"1000000000 USD\"\n"
                                   "staff_hours_per_year = 100000000\nstaff_hour_price = \"1000000000 USD\"\n"))
                        .bill;
  EXPECT_EQ(bill.total().count, std::numeric_limits<std::int64_t>::max());
  EXPECT_GT(bill.cost.count, 0);
}

TEST(Bill, JsonHasThePartsThatTheComparisonTakes) {
  const auto [scenario, bill] =
      billed(network("infiniband", "kind = \"single-switch\"\nhosts = 2", "[cost]\nowned = [\"nics\"]\n"));
  const auto json = bill_json(bill);
  EXPECT_DOUBLE_EQ(json.at("cost_usd").get<double>(), static_cast<double>(bill.cost.count) / 1'000);
  ASSERT_EQ(json.at("bill").size(), bill.lines.size());
  const auto& nic = json.at("bill").at(1);
  EXPECT_EQ(nic.at("part"), "nic");
  EXPECT_EQ(nic.at("count"), 2);
  EXPECT_EQ(nic.at("price_usd"), 0.0);
  EXPECT_TRUE(nic.at("owned").get<bool>());
  EXPECT_EQ(nic.at("name"), scenario.fabric.nic_entry);
  EXPECT_THAT(bill_text(bill), HasSubstr("owned"));
  EXPECT_THAT(bill_text(bill), Not(HasSubstr("energy  ")));
}

}  // namespace
}  // namespace weft::study::cost
