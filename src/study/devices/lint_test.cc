#include "study/devices/lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/devices/lint_cost.h"
#include "study/devices/test_network.h"

namespace weft::study::devices {
namespace {

using testing::HasSubstr;

class Mutation {
 public:
  Mutation(std::string_view scenario, Syntax syntax) : network_(scenario), syntax_(syntax) {}

  std::vector<Finding> of(const std::string& device, std::string_view before, std::string_view after) {
    const LintPlan plan = network_.plan();
    return lint(changed(network_, syntax_, device, before, after), &plan).value();
  }
  std::vector<Finding> without_plan(const std::string& device, std::string_view before, std::string_view after) {
    return lint(changed(network_, syntax_, device, before, after), nullptr).value();
  }
  [[nodiscard]] std::string text(const std::string& device) const {
    for (const DeviceConfig& one : network_.described(syntax_)) {
      if (one.name == device) {
        return config_text(one);
      }
    }
    return "";
  }
  [[nodiscard]] const TestNetwork& network() const { return network_; }

 private:
  TestNetwork network_;
  Syntax syntax_;
};

std::string shown(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& one : findings) {
    text += one.rule + " | " + one.device + " | " + one.place + " | " + one.what + " | " + one.right + "\n";
  }
  return text;
}

TEST(Lint, SaysNothingOfWhatWasEmitted) {
  for (const Syntax syntax : {Syntax::kSonic, Syntax::kNvue, Syntax::kEos, Syntax::kNic}) {
    Mutation none(kRoce, syntax);
    const std::string device = syntax == Syntax::kNic ? "host0/nic0" : "leaf0";
    EXPECT_EQ(shown(none.of(device, "", "")), "") << to_string(syntax);
    EXPECT_EQ(shown(none.without_plan(device, "", "")), "") << to_string(syntax);
  }
  Mutation manager(kInfiniBand, Syntax::kOpensm);
  EXPECT_EQ(shown(manager.of("opensm", "", "")), "");
}

TEST(Lint, FindsHeadroomTooSmallForTheCable) {
  Mutation mutation(kRoce, Syntax::kSonic);
  const auto found = mutation.of("leaf0", "\"xoff\": \"", "\"xoff\": \"1\", \"was\": \"");
  EXPECT_THAT(shown(found), HasSubstr("pool-small | leaf0 | leaf0.config_db.json: BUFFER_POOL|ingress_lossless_pool"));
  const std::string text = mutation.text("leaf0");
  const std::size_t profile = text.find("\"WEFT_P3\"", text.find("\"BUFFER_PROFILE\""));
  const std::string row = text.substr(profile, text.find('}', profile) - profile);
  const auto shorter = mutation.of("leaf0", row, with(row, "\"xoff\": \"", "\"xoff\": \"1000\", \"was\": \""));
  ASSERT_EQ(shorter.size(), 1U) << shown(shorter);
  EXPECT_EQ(shorter[0].rule, "headroom-short");
  EXPECT_EQ(shorter[0].place, "leaf0.config_db.json: BUFFER_PROFILE|WEFT_P3|xoff");
  EXPECT_THAT(shorter[0].what, HasSubstr("class 3: headroom of 1 kB"));
  EXPECT_THAT(shorter[0].right, HasSubstr("at least "));
  EXPECT_THAT(shorter[0].right, HasSubstr(" of cable both ways at 100 Gb/s and two frames with an MTU of "));
  EXPECT_THAT(shorter[0].right, HasSubstr(" for the devices' pipelines and their response to a pause"));
  EXPECT_TRUE(shorter[0].mistake);
}

TEST(Lint, FindsAClassWithoutPfcOnOneHop) {
  Mutation mutation(kRoce, Syntax::kSonic);
  for (const auto& found : {mutation.of("leaf0", "\"pfc_enable\": \"3\"", "\"pfc_enable\": \"\""),
                            mutation.without_plan("leaf0", "\"pfc_enable\": \"3\"", "\"pfc_enable\": \"\"")}) {
    ASSERT_EQ(found.size(), 1U) << shown(found);
    EXPECT_EQ(found[0].rule, "pfc-missing");
    EXPECT_EQ(found[0].place, "leaf0.config_db.json: PORT_QOS_MAP|Ethernet0|pfc_enable");
  }
  Mutation eos(kRoce, Syntax::kEos);
  const auto found = eos.of("leaf0", "   priority-flow-control priority 3 no-drop\n", "");
  ASSERT_EQ(found.size(), 1U) << shown(found);
  EXPECT_EQ(found[0].rule, "pfc-missing");
}

TEST(Lint, FindsMarksAfterPauses) {
  Mutation mutation(kRoce, Syntax::kSonic);
  const std::string text = mutation.text("leaf0");
  const std::size_t at = text.find("\"dynamic_th\": \"");
  const std::string alpha = text.substr(at, text.find('\n', at) - at);
  const auto found = mutation.of("leaf0", alpha, "\"static_th\": \"1000\"");
  EXPECT_THAT(shown(found), HasSubstr("ecn-after-pfc | leaf0 | leaf0.config_db.json: WRED_PROFILE|WEFT_P3"));
  EXPECT_THAT(shown(found), HasSubstr("buffer-differs | leaf0"));
}

TEST(Lint, FindsDscpMapsThatDiffer) {
  for (const auto& [syntax, before, after] :
       {std::tuple(Syntax::kSonic, "\"26\": \"3\"", "\"26\": \"0\""),
        std::tuple(Syntax::kNvue, "dscp 26 switch-priority 3", "dscp 26 switch-priority 0"),
        std::tuple(Syntax::kEos, "dscp 26 to traffic-class 3", "dscp 26 to traffic-class 0")}) {
    Mutation mutation(kRoce, syntax);
    for (const auto& found : {mutation.of("leaf0", before, after), mutation.without_plan("leaf0", before, after)}) {
      ASSERT_EQ(found.size(), 1U) << shown(found);
      EXPECT_EQ(found[0].rule, "dscp-map");
      EXPECT_EQ(found[0].what, "DSCP 26 goes to class 0");
    }
  }
}

TEST(Lint, FindsMtusThatDiffer) {
  Mutation mutation(kRoce, Syntax::kSonic);
  const auto found = mutation.of("leaf0", "\"mtu\": \"", "\"mtu\": \"1500\", \"was\": \"");
  ASSERT_EQ(found.size(), 1U) << shown(found);
  EXPECT_EQ(found[0].rule, "mtu");
  EXPECT_THAT(found[0].cost_only, HasSubstr("if hosts use a path MTU that fits; else nothing passes"));
  EXPECT_EQ(found[0].place, "leaf0.config_db.json: PORT|Ethernet0|mtu");
}

/// With an MTU that just holds its packets, Linux gives RoCE half of the path MTU.
TEST(Lint, AnMtuLeavesRoomForAllHeadersThatRoceMayHave) {
  Mutation nic(kRoce, Syntax::kNic);
  const auto found = nic.of("host0/nic0", " mtu ", " mtu 4160 # ");
  ASSERT_EQ(found.size(), 1U) << shown(found);
  EXPECT_EQ(found[0].rule, "nic-mtu");
  EXPECT_EQ(found[0].right, "MTU 4192 or more, as the plan has it");
}

TEST(Lint, ALargerMtuIsNoMistake) {
  Mutation bridge(kRoce, Syntax::kSonic);
  EXPECT_TRUE(bridge.of("leaf0", "\"mtu\": \"", "\"mtu\": \"9216\", \"was\": \"").empty());
  Mutation nic(kRoce, Syntax::kNic);
  EXPECT_TRUE(nic.of("host0/nic0", " mtu ", " mtu 4200 # ").empty());
}

TEST(Lint, FindsAnAsThatDoesNotMatchItsCable) {
  Mutation mutation(kRoce, Syntax::kSonic);
  const auto found = mutation.of("leaf0", "\"asn\": \"42", "\"asn\": \"41");
  ASSERT_EQ(found.size(), 1U) << shown(found);
  EXPECT_EQ(found[0].rule, "asn");
  EXPECT_TRUE(found[0].mistake);
  const auto alone = mutation.without_plan("leaf0", "\"asn\": \"42", "\"asn\": \"41");
  ASSERT_EQ(alone.size(), 1U) << shown(alone);
  EXPECT_EQ(alone[0].rule, "asn");
}

TEST(Lint, FindsANeighbourThatIsNotWhereItsCableLeads) {
  Mutation mutation(kRoce, Syntax::kSonic);
  const auto found = mutation.of("leaf0", "\"name\": \"host", "\"name\": \"other");
  ASSERT_EQ(found.size(), 1U) << shown(found);
  EXPECT_EQ(found[0].rule, "cable");
}

TEST(Lint, FindsAQueueWithoutWred) {
  Mutation mutation(kRoce, Syntax::kSonic);
  const auto found = mutation.of("leaf0", "\"ecn\": \"ecn_all\"", "\"ecn\": \"ecn_none\"");
  ASSERT_EQ(found.size(), 1U) << shown(found);
  EXPECT_EQ(found[0].rule, "wred-off");
  EXPECT_THAT(found[0].what, HasSubstr("class 3: no ECN marking"));
}

TEST(Lint, FindsThresholdsAndWeightsThatDiffer) {
  Mutation mutation(kRoce, Syntax::kSonic);
  EXPECT_THAT(shown(mutation.of("leaf0", "\"green_min_threshold\": \"", "\"green_min_threshold\": \"1\", \"w\": \"")),
              HasSubstr("wred-differs | leaf0"));
  EXPECT_THAT(shown(mutation.of("leaf0", "\"type\": \"STRICT\"", "\"type\": \"DWRR\", \"weight\": \"7\"")),
              HasSubstr("scheduler | leaf0"));
  EXPECT_THAT(shown(mutation.of("leaf0", "\"pfcwd_sw_enable\": \"3\"", "\"pfcwd_sw_enable\": \"\"")),
              HasSubstr("watchdog-off | leaf0"));
  EXPECT_THAT(shown(mutation.of("leaf0", "\"detection_time\": \"200\"", "\"detection_time\": \"300\"")),
              HasSubstr("watchdog-differs | leaf0"));
}

TEST(Lint, FindsWhatNicsDoNotShareWithTheirSwitch) {
  Mutation mutation(kRoce, Syntax::kNic);
  const auto pfc = mutation.of("host0/nic0", "--pfc 0,0,0,1,", "--pfc 0,0,0,0,");
  ASSERT_EQ(pfc.size(), 1U) << shown(pfc);
  EXPECT_EQ(pfc[0].rule, "nic-pfc");
  EXPECT_EQ(pfc[0].what, "class 3: PFC is off");
  EXPECT_THAT(shown(mutation.of("host0/nic0", "set,26,3", "set,26,0")), HasSubstr("nic-dscp-map | host0/nic0"));
  EXPECT_THAT(shown(mutation.of("host0/nic0", " mtu ", " mtu 1500 # ")), HasSubstr("nic-mtu | host0/nic0"));
  EXPECT_THAT(shown(mutation.of("host0/nic0", "-t 104", "-t 0")), HasSubstr("nic-dscp | host0/nic0"));
  EXPECT_THAT(shown(mutation.of("host0/nic0", "echo 48 >", "echo 47 >")), HasSubstr("nic-dcqcn | host0/nic0"));
  EXPECT_THAT(shown(mutation.of("host0/nic0", "echo 1 > /sys/class/net/eth0/ecn/roce_rp",
                                "echo 0 > /sys/class/net/eth0/ecn/roce_rp")),
              HasSubstr("nic-dcqcn-off | host0/nic0"));
}

TEST(Lint, HoldsNicsAgainstTheSwitchPortThatNamesThem) {
  const TestNetwork network(kRoce);
  std::vector<DeviceConfig> devices = changed(network, Syntax::kSonic, "leaf0", "", "");
  std::vector<DeviceConfig> nics = changed(network, Syntax::kNic, "host0/nic0", "--pfc 0,0,0,1,", "--pfc 0,0,0,0,");
  devices.push_back(nics.front());
  const auto found = lint(devices, nullptr).value();
  ASSERT_GE(found.size(), 1U);
  EXPECT_EQ(found[0].rule, "nic-pfc");
  EXPECT_THAT(found[0].right, HasSubstr("on, as leaf0 Ethernet0 has it"));
}

TEST(Lint, FindsManagersThatDisagree) {
  const auto manager = [](std::string_view text, std::string_view name) {
    return read_config({.text = text, .name = name}).value();
  };
  const auto keys = lint({manager("m_key 0x1\nqos TRUE\nsm_priority 5\n", "a.conf"),
                          manager("m_key 0x2\nqos TRUE\nsm_priority 1\n", "b.conf")},
                         nullptr)
                        .value();
  ASSERT_EQ(keys.size(), 1U) << shown(keys);
  EXPECT_EQ(keys[0].rule, "m-key");
  EXPECT_EQ(keys[0].place, "b.conf:1");
  const auto rules =
      lint({manager("Default=0x7fff : ALL=full ;\n", "a.conf"), manager("Default=0x7fff : ALL=limited ;\n", "b.conf")},
           nullptr)
          .value();
  ASSERT_EQ(rules.size(), 1U) << shown(rules);
  EXPECT_EQ(rules[0].rule, "partitions");
  Mutation lanes(kInfiniBand, Syntax::kOpensm);
  const auto found = lanes.of("opensm", "qos_sl2vl 0,1,", "qos_sl2vl 1,1,");
  ASSERT_EQ(found.size(), 1U) << shown(found);
  EXPECT_EQ(found[0].place, "opensm.conf:9");
  EXPECT_TRUE(found[0].mistake);
}

TEST(Lint, AMistakeCostsWhatItsSimulationDoes) {
  Mutation mutation(kRoce, Syntax::kSonic);
  std::vector<Finding> found = mutation.of("leaf0", "\"26\": \"3\"", "\"26\": \"0\"");
  ASSERT_EQ(found.size(), 1U) << shown(found);
  ASSERT_TRUE(add_costs(found, mutation.network().scenario, {.seeds = 2}).has_value());
  ASSERT_TRUE(found[0].cost.has_value()) << found[0].no_cost;
  EXPECT_EQ(found[0].cost->seeds, 2);
  EXPECT_GT(found[0].cost->right, 0);
  EXPECT_GT(found[0].cost->wrong, 0);
}

TEST(Lint, HeadroomWithoutAPlanIsSaidToLackTheDevicesDelays) {
  Mutation mutation(kRoce, Syntax::kSonic);
  const std::string text = mutation.text("leaf0");
  const std::size_t profile = text.find("\"WEFT_P3\"", text.find("\"BUFFER_PROFILE\""));
  const std::string row = text.substr(profile, text.find('}', profile) - profile);
  const auto found = mutation.without_plan("leaf0", row, with(row, "\"xoff\": \"", "\"xoff\": \"1000\", \"was\": \""));
  EXPECT_THAT(shown(found), HasSubstr("at least, without the devices' own delays, "));
  EXPECT_THAT(shown(found), HasSubstr(" at 100 Gb/s and two frames with an MTU of "));
}

TEST(Lint, ARunThatIsStoppedKeepsWhatIsKnown) {
  Mutation mutation(kRoce, Syntax::kSonic);
  std::vector<Finding> found = mutation.of("leaf0", "\"26\": \"3\"", "\"26\": \"0\"");
  found.push_back(found.front());
  // The plan, the first mistake, and then no more.
  const auto two = [](std::size_t done, std::size_t) { return done < 2; };
  ASSERT_TRUE(add_costs(found, mutation.network().scenario, {.seeds = 1, .keep_going = two}).has_value());
  EXPECT_TRUE(found[0].cost.has_value());
  EXPECT_FALSE(found[1].cost.has_value());
  EXPECT_EQ(found[1].no_cost, "");
}

TEST(Lint, TwoConfigurationsOfOneDeviceAreRefused) {
  Mutation mutation(kRoce, Syntax::kSonic);
  const auto device = read_config({.text = mutation.text("leaf0"), .name = "a"}).value();
  EXPECT_FALSE(lint({device, device}, nullptr).has_value());
}

}  // namespace
}  // namespace weft::study::devices
