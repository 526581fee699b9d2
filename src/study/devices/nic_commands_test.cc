#include "study/devices/nic_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text_lines.h"
#include "study/devices/key_lines.h"
#include "study/devices/nic.h"
#include "study/devices/reference.h"
#include "study/devices/test_network.h"

namespace weft::study::devices {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::array<std::string_view, 12> kNics = {"connectx-3",  "connectx-5", "connectx-6", "connectx-7",
                                                    "roce-50g",    "roce-100g",  "roce-200g",  "roce-400g",
                                                    "pollara-400", "thor-ultra", "chelsio-t6", "equal"};

TestNetwork network_with(std::string_view nic) {
  const bool is_iwarp = nic == "chelsio-t6";
  const std::string text = with(std::string(kRoce), "connectx-7", nic);
  return TestNetwork(is_iwarp ? with(text, "rocev2", "iwarp") : text);
}

std::string text_of(std::string_view nic) { return config_text(network_with(nic).described(Syntax::kNic).front()); }

/// Rules that the first NIC breaks with this text, and lines of it that are not read.
std::string lint_of(const TestNetwork& network, const std::string& text) {
  const DeviceConfig read = read_config({.text = text, .name = "host0-nic0.sh"}).value();
  const Reference reference = Reference::of_plan(network.plan(), {read}).value();
  std::string found;
  for (const Finding& one : lint_against(reference, {read})) {
    found += one.rule + " | " + one.what + " | " + one.right + "\n";
  }
  for (const UnreadLine& line : read.unread) {
    found += "unread " + line.text + "\n";
  }
  return found;
}

std::string changed_of(std::string_view nic, std::string_view before, std::string_view after) {
  return lint_of(network_with(nic), with(text_of(nic), before, after));
}

KeyLine line_of(std::string_view nic, std::string_view key) {
  const TestNetwork network = network_with(nic);
  const auto rows = key_lines(network.scenario, network.graph, Syntax::kNic);
  const auto row = std::ranges::find(rows, key, &KeyLine::key);
  return row == rows.end() ? KeyLine{} : *row;
}

TEST(NicCommands, OfEveryNicOfTheCatalogueAreReadBackAsTheyWereWritten) {
  for (const std::string_view nic : kNics) {
    const TestNetwork network = network_with(nic);
    for (const DeviceConfig& device : network.described(Syntax::kNic)) {
      const std::string text = config_text(device);
      const auto read = read_config({.text = text, .name = "x"});
      ASSERT_TRUE(read.has_value()) << nic << ": " << read.error().message;
      EXPECT_EQ(read->nic, device.nic) << nic << "\n" << text;
      EXPECT_EQ(config_text(*read), text) << nic;
      EXPECT_THAT(read->unread, IsEmpty()) << nic;
    }
    EXPECT_EQ(lint_of(network, text_of(nic)), "") << nic;
  }
}

TEST(NicCommands, ALineThatIsMissingIsFound) {
  for (const std::string_view nic : kNics) {
    const TestNetwork network = network_with(nic);
    const std::string text = text_of(nic);
    for (std::size_t at = text.find('\n', text.find("# nic:")) + 1; at < text.size();) {
      const std::size_t end = text.find('\n', at) + 1;
      EXPECT_NE(lint_of(network, text.substr(0, at) + text.substr(end)), "")
          << nic << ": " << text.substr(at, end - at);
      at = end;
    }
  }
}

TEST(NicCommands, AreThoseOfItsVendorAlone) {
  for (const std::string_view nic : kNics) {
    const std::string text = text_of(nic);
    const bool is_nvidia = nic.starts_with("connectx");
    EXPECT_EQ(text.find("mlnx_qos") != std::string::npos, is_nvidia) << nic;
    EXPECT_EQ(text.find("nicctl") != std::string::npos, nic == "pollara-400") << nic;
    EXPECT_EQ(text.find("bnxt_re") != std::string::npos, nic == "thor-ultra") << nic;
    for (const char* own : {"mlx5", "mlxconfig", "--trust", "--cable_len", "/ecn/roce_"}) {
      EXPECT_EQ(text.find(own) != std::string::npos, is_nvidia && nic != "connectx-3") << nic << " " << own;
    }
  }
  EXPECT_THAT(text_of("roce-400g"), HasSubstr("dcb pfc set dev eth0 prio-pfc 0:off 1:off 2:off 3:on 4:off"));
  EXPECT_THAT(text_of("roce-400g"), HasSubstr("echo 104 > /sys/kernel/config/rdma_cm/rdma0/ports/1/default_roce_tos"));
  EXPECT_THAT(text_of("thor-ultra"), HasSubstr("echo 0x1a > /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/roce_dscp"));
  EXPECT_THAT(text_of("pollara-400"), HasSubstr("nicctl update qos dscp-to-priority --dscp 26 --priority 3\n"));
  EXPECT_THAT(text_of("pollara-400"), HasSubstr("nicctl update qos pfc --priority 3 --no-drop enable\n"));
  EXPECT_THAT(text_of("chelsio-t6"), Not(HasSubstr("dcb ")));
}

TEST(NicCommands, WhatANicCannotSayHasItsReason) {
  for (const std::string_view nic : kNics) {
    const KeyLine length = line_of(nic, "link.host.length");
    EXPECT_EQ(length.line.empty(), !nic.starts_with("connectx") || nic == "connectx-3") << nic << length.line;
    EXPECT_NE(length.line.empty(), length.note.empty()) << nic;
  }
  EXPECT_EQ(line_of("roce-400g", "dcqcn.additive_increase").line, "");
  EXPECT_THAT(line_of("roce-400g", "dcqcn.additive_increase").note, HasSubstr("Linux has no command"));
  EXPECT_THAT(line_of("pollara-400", "dcqcn.additive_increase").note, HasSubstr("units"));
  EXPECT_EQ(line_of("pollara-400", "dcqcn.fast_recovery_threshold").line,
            "nicctl update dcqcn --rate-increase-threshold");
  EXPECT_THAT(line_of("connectx-3", "qos.data_priority").note, HasSubstr("VLAN"));
  EXPECT_THAT(line_of("chelsio-t6", "qos.tcp_priority").note, HasSubstr("firmware"));
  EXPECT_EQ(line_of("connectx-7", "dcqcn.additive_increase").line, "roce_rp/rpg_ai_rate");
}

TEST(NicCommands, OtherValuesAreFound) {
  EXPECT_THAT(changed_of("roce-400g", "3:on", "3:off"), HasSubstr("nic-pfc | class 3: PFC is off"));
  EXPECT_THAT(changed_of("roce-400g", " 26:3", " 26:4"), HasSubstr("DSCP 26 goes to class 4"));
  EXPECT_THAT(changed_of("roce-400g", "3:3 ", "3:4 "), HasSubstr("priority-map"));
  EXPECT_THAT(changed_of("roce-400g", "echo 104 >", "echo 0 >"), HasSubstr("nic-dscp"));
  EXPECT_THAT(changed_of("thor-ultra", "echo 0x30 >", "echo 0x2e >"), HasSubstr("cnp_dscp is 46 | 48, as the plan"));
  EXPECT_THAT(changed_of("thor-ultra", "echo 0x1 > /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/ecn_enable",
                         "echo 0x0 > /sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/ecn_enable"),
              HasSubstr("nic-dcqcn-off | class 3: DCQCN is off"));
  EXPECT_THAT(changed_of("pollara-400", "--priority 3 --no-drop enable", "--priority 3 --no-drop disable"),
              HasSubstr("nic-pfc | class 3: PFC is off"));
  EXPECT_THAT(changed_of("pollara-400", "--cnp-dscp 48", "--cnp-dscp 46"), HasSubstr("cnp_dscp is 46"));
  EXPECT_THAT(changed_of("pollara-400", "type dscp", "type pcp"), HasSubstr("trust: pcp | dscp"));
  EXPECT_THAT(changed_of("pollara-400", "--cnp-dscp 48", "--cnp-dscp 48 --ai-rate 160"), HasSubstr("unread nicctl"));
}

TEST(NicCommands, OfAnotherVendorAreFound) {
  const std::string found = lint_of(network_with("thor-ultra"), text_of("connectx-7"));
  EXPECT_THAT(found, HasSubstr("nic-commands | commands: mlnx_qos | dcb, as the plan has it"));
}

TEST(NicCommands, RangesOfCodePointsAreRead) {
  const auto read = [](const std::string& line) { return read_nic({.text = line, .name = "x"}); };
  const auto map = read("nicctl update qos dscp-to-priority --dscp 0-23,25 --priority 2\n").value().nic.dscp_class;
  EXPECT_EQ(map.size(), 25U);
  EXPECT_EQ(map.at(25), 2U);
  EXPECT_FALSE(map.contains(24));
  EXPECT_THAT(read("nicctl update qos dscp-to-priority --dscp 64 --priority 2\n").error().message, HasSubstr("x:1: "));
  EXPECT_THAT(read("dcb pfc set dev eth0 prio-pfc 3:maybe\n").error().message, HasSubstr("neither on nor off"));
  EXPECT_THAT(read("dcb app add dev eth0 dscp-prio 26\n").error().message, HasSubstr("not a pair"));
  EXPECT_EQ(read("dcb pfc set dev eth0 prio-pfc all:off 6:on\n").value().nic.pfc[6], true);
  EXPECT_THAT(read("nicctl update qos scheduling --priority 0,1 --dwrr 50 --rate-limit 0,0\n").error().message,
              HasSubstr("2 classes, --dwrr 1 shares"));
  EXPECT_THAT(read("nicctl update qos pfc --priority 3 --no-drop enabled\n").error().message,
              HasSubstr("neither enable nor disable"));
  EXPECT_THAT(read("dcb ets set dev eth0 tc-tsa 0:strikt\n").error().message, HasSubstr("neither strict nor ets"));
  EXPECT_THAT(read("mlnx_qos -i eth0 --tsa ets,ets,ets,ets,ets,ets,dwrr,ets\n").error().message,
              HasSubstr("--tsa: 'dwrr' is none of strict, ets and vendor"));
}

}  // namespace
}  // namespace weft::study::devices
