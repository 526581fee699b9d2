#include "study/devices/lint_native.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "study/devices/lint_text.h"
#include "study/devices/reference.h"
#include "study/devices/test_network.h"

namespace weft::study::devices {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The plan's devices in one syntax; texts of them are changed and held against the plan.
class Emitted {
 public:
  explicit Emitted(Syntax syntax)
      : network_(kRoce),
        devices_(network_.described(syntax)),
        reference_(Reference::of_plan(network_.plan(), devices_).value()) {
    for (const DeviceConfig& one : devices_) {
      texts_.push_back(config_text(one));
    }
  }

  [[nodiscard]] const std::string& text(std::size_t i) const { return texts_[i]; }

  /// Rules that one device breaks with this text, as "mtu | found | right" lines, or the error of reading it.
  [[nodiscard]] std::string lint_of(std::size_t i, const std::string& text) const {
    const auto read = read_config({.text = text, .name = file_name_of(devices_[i])});
    if (!read) {
      return "error: " + read.error().message;
    }
    return shown(lint_against(reference_, {*read})) + unread_of(*read);
  }
  [[nodiscard]] std::string replaced(std::string_view before, std::string_view after) const {
    return lint_of(0, with(text(0), before, after));
  }

  /// All devices without the plan, the first with this text.
  [[nodiscard]] std::string without_plan(const std::string& first) const {
    std::vector<DeviceConfig> read;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      read.push_back(read_config({.text = i == 0 ? first : texts_[i], .name = file_name_of(devices_[i])}).value());
    }
    return shown(lint(read, nullptr).value());
  }

 private:
  static std::string shown(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& one : findings) {
      text += one.rule + " | " + one.place + " | " + one.what + " | " + one.right + "\n";
    }
    return text;
  }
  static std::string unread_of(const DeviceConfig& device) {
    std::string text;
    for (const UnreadLine& line : device.unread) {
      text += "unread " + line.place + " " + line.text + "\n";
    }
    return text;
  }

  TestNetwork network_;
  std::vector<DeviceConfig> devices_;
  Reference reference_;  // of the plan; made once, as it takes longer than to hold a text against it
  std::vector<std::string> texts_;
};

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Comments, what only says for people where a cable leads, and what of a session is so without a line.
bool says_nothing(const std::string& line) {
  if (line.ends_with("bfd enable off") || line.ends_with("route-advertisement 0") || line.ends_with("out-delay 0")) {
    return true;
  }
  return line.empty() || line.starts_with("#") || line.starts_with("!") ||
         line.find(" description ") != std::string::npos;
}

TEST(LintEveryLine, OfCommandsIsMissedWhereItIsNotThere) {
  for (const Syntax syntax : {Syntax::kNvue, Syntax::kEos, Syntax::kNic}) {
    const Emitted emitted(syntax);
    EXPECT_EQ(emitted.lint_of(0, emitted.text(0)), "") << to_string(syntax);
    const std::vector<std::string> lines = split_lines(emitted.text(0));
    for (std::size_t skipped = 0; skipped < lines.size(); ++skipped) {
      std::string text;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        text += i == skipped ? "" : lines[i] + "\n";
      }
      if (!says_nothing(lines[skipped])) {
        EXPECT_NE(emitted.lint_of(0, text), "") << to_string(syntax) << " without '" << lines[skipped] << "'";
      }
    }
  }
}

TEST(LintEveryLine, OfSonicIsMissedWhereItIsNotThere) {
  using Json = nlohmann::ordered_json;
  const Emitted emitted(Syntax::kSonic);
  EXPECT_EQ(emitted.lint_of(0, emitted.text(0)), "");
  const Json all = Json::parse(emitted.text(0));
  for (const auto& [table, rows] : all.items()) {
    for (const auto& [key, row] : rows.items()) {
      Json without = all;
      without[table].erase(key);
      if (table != "DEVICE_NEIGHBOR") {  // only says for people where a cable leads
        EXPECT_NE(emitted.lint_of(0, without.dump(1)), "") << table << "|" << key;
      }
      for (const auto& [field, value] : row.items()) {
        without = all;
        without[table][key].erase(field);
        const bool is_default = (field == "bfd" && value == "false") || (field == "min_adv_interval" && value == "0");
        if (table != "DEVICE_NEIGHBOR" && !is_default) {
          EXPECT_NE(emitted.lint_of(0, without.dump(1)), "") << table << "|" << key << "|" << field;
        }
      }
    }
  }
}

TEST(LintNvue, ReadsWhetherPausesAreSentAndHeeded) {
  const Emitted emitted(Syntax::kNvue);
  EXPECT_THAT(emitted.replaced("tx enable", "tx disable"), HasSubstr("pfc-missing"));
  EXPECT_THAT(emitted.replaced("rx enable", "rx disable"), HasSubstr("class 3: PFC is off"));
  EXPECT_THAT(emitted.replaced("trust l3", "trust l2"), HasSubstr("trust: l2 | l3, as the plan has it"));
}

TEST(LintEos, ReadsPfcTrustAndShutdown) {
  const Emitted emitted(Syntax::kEos);
  EXPECT_THAT(emitted.replaced("   priority-flow-control on\n", ""), HasSubstr("pfc-missing"));
  EXPECT_THAT(emitted.replaced("qos trust dscp", "no qos trust"), HasSubstr("qos trust: none"));
  const std::string down = emitted.replaced("   qos trust dscp\n", "   qos trust dscp\n   shutdown\n");
  EXPECT_THAT(down, HasSubstr("port-down"));
  EXPECT_THAT(down, HasSubstr("Ethernet1/1: shutdown: yes | no, as the plan has it"));
  EXPECT_THAT(emitted.replaced("priority 3 no-drop", "priority 3 drop"), HasSubstr("class 3: PFC is off"));
  EXPECT_THAT(emitted.replaced("   no priority\n", ""), HasSubstr("strict priority"));
}

TEST(LintSonic, ReadsBuffersMapsPortsAndWred) {
  const Emitted emitted(Syntax::kSonic);
  auto json = nlohmann::ordered_json::parse(emitted.text(0));
  json["BUFFER_PG"].erase("Ethernet0|3");
  const std::string without = emitted.lint_of(0, json.dump(1));
  EXPECT_THAT(without, HasSubstr("headroom-short | leaf0.config_db.json: BUFFER_PG|Ethernet0|3 | "
                                 "Ethernet0: class 3: PFC without a buffer"));
  EXPECT_THAT(emitted.without_plan(json.dump(1)), HasSubstr("class 3: PFC without a buffer"));
  json = nlohmann::ordered_json::parse(emitted.text(0));
  json["TC_TO_PRIORITY_GROUP_MAP"]["WEFT"]["3"] = "4";
  const std::string mapped = emitted.lint_of(0, json.dump(1));
  EXPECT_THAT(mapped, HasSubstr("PFC without a buffer"));
  EXPECT_THAT(mapped, HasSubstr("classes of tc_to_pg_map: 3 to 4 | each to its own"));
  EXPECT_THAT(emitted.replaced("\"admin_status\": \"up\"", "\"admin_status\": \"down\""), HasSubstr("port-down"));
  EXPECT_THAT(emitted.replaced("\"wred_green_enable\": \"true\"", "\"wred_green_enable\": \"false\""),
              HasSubstr("wred-off"));
  json = nlohmann::ordered_json::parse(emitted.text(0));
  json["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"]["WEFT"]["3"] = "4";
  EXPECT_THAT(emitted.lint_of(0, json.dump(1)), HasSubstr("priority-map"));
  json = nlohmann::ordered_json::parse(emitted.text(0));
  json["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "300m";
  EXPECT_THAT(emitted.lint_of(0, json.dump(1)), HasSubstr("cable-length"));
}

TEST(LintNic, ReadsTrustPausesSharesAndMasks) {
  const Emitted emitted(Syntax::kNic);
  EXPECT_THAT(emitted.replaced("--trust dscp", "--trust pcp"), HasSubstr("trust: pcp | dscp, as the plan has it"));
  EXPECT_THAT(emitted.replaced("echo 104 >", "echo 0 >"), HasSubstr("nic-dscp"));
  EXPECT_THAT(emitted.replaced("ROCE_CC_PRIO_MASK_P1=8", "ROCE_CC_PRIO_MASK_P1=0"), HasSubstr("nic-dcqcn"));
  EXPECT_THAT(emitted.replaced("rx off tx off", "rx on tx on"), HasSubstr("nic-pause"));
  EXPECT_THAT(emitted.replaced("--cable_len ", "--cable_len 9"), HasSubstr("cable-length"));
  EXPECT_THAT(emitted.replaced("--tcbw 48,1,1,47,1,1,0,1", "--tcbw 1,1,1,1,1,1,0,94"), HasSubstr("class 7: 94 %"));
  EXPECT_THAT(emitted.replaced("--tcbw 48,", "--tcbw 51,"), HasSubstr("the shares of its classes sum to 103 %"));
}

TEST(LintUnread, LinesAreNamedWithTheirPlaces) {
  const Emitted emitted(Syntax::kEos);
  EXPECT_THAT(emitted.lint_of(0, emitted.text(0) + "mtuu 1500\n"), HasSubstr("mtuu 1500\n"));
  DeviceConfig device = read_config({.text = "hostname a\nmtuu 1500\n", .name = "a.eos"}).value();
  EXPECT_THAT(lint_text({}, {device}), HasSubstr("1 line not read: a.eos:2 'mtuu 1500'"));
  EXPECT_EQ(lint_json({}, {device})["unread"][0]["place"], "a.eos:2");
  const Emitted sonic(Syntax::kSonic);
  EXPECT_THAT(sonic.replaced("\"admin_status\": \"up\"", "\"admin_status\": \"up\", \"fec\": \"rs\""),
              HasSubstr("unread leaf0.config_db.json: PORT|Ethernet0|fec"));
  EXPECT_THAT(sonic.replaced("{", "{\"NTP\": {\"x\": {}},"), HasSubstr("unread leaf0.config_db.json: NTP"));
  const Emitted nic(Syntax::kNic);
  EXPECT_THAT(nic.lint_of(0, nic.text(0) + "mlnx_qos -i eth0 --trusst dscp\n"), HasSubstr("--trusst dscp\n"));
}

// A device that differs from most is found without a plan, and a port that leads somewhere and is shut.
TEST(LintMajority, FindsNativeSettingsThatDiffer) {
  const Emitted eos(Syntax::kEos);
  EXPECT_THAT(eos.without_plan(eos.text(0)), IsEmpty());
  EXPECT_THAT(eos.without_plan(with(eos.text(0), "qos trust dscp", "qos trust cos")),
              HasSubstr("qos trust: cos | dscp, as most others have it"));
  EXPECT_THAT(eos.without_plan(with(eos.text(0), "   qos trust dscp\n", "   qos trust dscp\n   shutdown\n")),
              HasSubstr("port-down"));
  const Emitted sonic(Syntax::kSonic);
  EXPECT_THAT(sonic.without_plan(sonic.text(0)), IsEmpty());
}

TEST(LintText, AnIntervalNeedsMoreThanOneSeed) {
  Finding finding{.rule = "mtu", .device = "leaf0", .cost_only = "if hosts use a path MTU that fits"};
  finding.cost = MistakeCost{.right = 1, .wrong = 1.5, .least = 0.5, .most = 0.5, .seeds = 1};
  const std::string text = lint_text({finding}, {}, 400);
  EXPECT_THAT(text, HasSubstr("+50.0 % (one seed)"));
  EXPECT_THAT(text, HasSubstr("instead of 0, if hosts use a path MTU that fits"));
  EXPECT_THAT(text, Not(HasSubstr("to +50.0")));
}

}  // namespace
}  // namespace weft::study::devices
