#include "study/devices/manager.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/printable.h"
#include "study/devices/command_line.h"
#include "subnet/partitions/partition_file.h"

namespace weft::study::devices {
namespace {

void check_lanes(CommandReader& read, std::string_view list) {
  std::size_t count = 0;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    read.number_in(list.substr(0, end), "a virtual lane", {.most = 15});
    list.remove_prefix(std::min(end + 1, list.size()));
    ++count;
  }
  if (count != 16) {
    read.refuse(fmt::format("a table of service levels has 16 lanes; here are {}", count));
  }
}

void check_weights(CommandReader& read, std::string_view list) {
  std::size_t count = 0;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view entry = list.substr(0, end);
    const std::size_t colon = std::min(entry.find(':'), entry.size());
    read.number_in(entry.substr(0, colon), "a virtual lane", {.most = 14});
    read.number_in(entry.substr(std::min(colon + 1, entry.size())), "a weight", {.most = 255});
    list.remove_prefix(std::min(end + 1, list.size()));
    ++count;
  }
  if (count > 64) {
    read.refuse(fmt::format("an arbitration table has at most 64 entries; here are {}", count));
  }
}

void check_option(CommandReader& read, std::string_view key, std::string_view value) {
  if (value == "(null)") {
    return;
  }
  if (key == "lmc") {
    read.number(1, key, {.most = 7});
  } else if (key.ends_with("_max_vls")) {
    read.number(1, key, {.most = 15});
  } else if (key == "nue_max_num_vls") {
    read.number(1, key, {.most = 16});  // 0: all of a link
  } else if (key.ends_with("_high_limit") && value != "-1") {
    read.number(1, key, {.most = 255});
  } else if (key.ends_with("_sl2vl")) {
    check_lanes(read, value);
  } else if (key.ends_with("_vlarb_high") || key.ends_with("_vlarb_low")) {
    check_weights(read, value);
  } else if (key == "m_key_protection_level") {
    read.number(1, key, {.most = 3});
  } else if (key == "m_key_lease_period") {
    read.number(1, key, {.most = UINT16_MAX});
  } else if (key == "sm_priority") {
    read.number(1, key, {.most = 15});
  }
}

/// Options that two managers, or a manager and a plan, are compared by, and those that each has of its own.
bool is_known(std::string_view key) {
  static constexpr std::array<std::string_view, 27> kKnown = {"routing_engine",
                                                              "lfts_file",
                                                              "nue_max_num_vls",
                                                              "lmc",
                                                              "qos",
                                                              "partition_config_file",
                                                              "qos_policy_file",
                                                              "qos_max_vls",
                                                              "qos_high_limit",
                                                              "qos_sl2vl",
                                                              "qos_vlarb_high",
                                                              "qos_vlarb_low",
                                                              "m_key",
                                                              "sm_priority",
                                                              "guid",
                                                              "log_file",
                                                              "dump_files_dir",
                                                              "subnet_prefix",
                                                              "sm_key",
                                                              "sa_key",
                                                              "m_key_lease_period",
                                                              "m_key_protection_level",
                                                              "congestion_control",
                                                              "cc_key",
                                                              "part_enforce",
                                                              "head_of_queue_lifetime",
                                                              "leaf_head_of_queue_lifetime"};
  return std::ranges::find(kKnown, key) != kKnown.end();
}

}  // namespace

std::string manager_text(const DeviceConfig& device) {
  std::string text;
  if (std::ranges::any_of(device.manager.options, [](const auto& one) { return one.second == kKeyPlaceholder; })) {
    text += fmt::format("# {} is a placeholder: give each key 64 bits of your own\n", kKeyPlaceholder);
  }
  for (const auto& [key, value] : device.manager.options) {
    text += fmt::format("{} {}\n", key, value);
  }
  for (const std::string& line : device.manager.lines) {
    text += line + '\n';
  }
  return text;
}

Result<DeviceConfig> read_opensm(const ConfigText& source) {
  DeviceConfig device{.syntax = Syntax::kOpensm, .name = "opensm", .file = std::string(source.name)};
  CommandReader read(source);
  for (const ConfigLine& line : lines_of(source.text, "#")) {
    read.begin(line);
    const std::string key(line.words[0]);
    const std::string value(read.word(1, "the value"));
    if (!device.manager.options.emplace(key, value).second) {
      read.refuse(fmt::format("option '{}' stands twice", excerpt(key)));
    }
    check_option(read, key, value);
    device.places["option." + key] = read.place();
    if (is_known(key)) {
      read.take_rest();
    } else {
      read.leave();
    }
    read.note_unread(device);
    if (read.fault()) {
      return tl::unexpected<Error>(*read.fault());
    }
  }
  return device;
}

std::vector<PartitionSetting> partition_settings(const std::vector<subnet::PartitionRule>& rules,
                                                 std::string_view file) {
  std::vector<PartitionSetting> made;
  for (const subnet::PartitionRule& rule : rules) {
    PartitionSetting one{.name = rule.name, .p_key = rule.p_key};
    for (const subnet::MemberRule& member : rule.members) {
      one.members.push_back({.who = member.kind == subnet::MemberKind::kPort
                                        ? fmt::format("0x{:016x}", member.port.value)
                                        : std::string(subnet::to_string(member.kind)),
                             .full = member.membership == subnet::Membership::kFull,
                             .place = fmt::format("{}:{}", file, member.line)});
    }
    made.push_back(std::move(one));
  }
  return made;
}

Result<DeviceConfig> read_partitions(const ConfigText& source) {
  const auto file = subnet::parse_partitions({.text = source.text, .name = source.name});
  if (!file) {
    return tl::unexpected<Error>(file.error());
  }
  DeviceConfig device{.syntax = Syntax::kPartitions, .name = "partitions", .file = std::string(source.name)};
  device.manager.partitions = partition_settings(file->rules, source.name);
  for (const ConfigLine& line : lines_of(source.text, "#")) {
    device.manager.lines.push_back(fmt::format("{}", fmt::join(line.words, " ")));
    device.places[fmt::format("line.{}", device.manager.lines.size() - 1)] = place_of(source.name, line);
  }
  return device;
}

Result<DeviceConfig> read_qos_policy(const ConfigText& source) {
  DeviceConfig device{.syntax = Syntax::kQosPolicy, .name = "qos-policy", .file = std::string(source.name)};
  std::vector<std::string> open;
  for (const ConfigLine& line : lines_of(source.text, "#")) {
    static constexpr std::array<std::string_view, 7> kSections = {
        "port-groups", "port-group", "qos-levels", "qos-level", "qos-match-rules", "qos-match-rule", "qos-ulps"};
    const std::string_view first = line.words[0];
    if (std::ranges::find(kSections, first) != kSections.end()) {
      open.emplace_back(first);
    } else if (first.starts_with("end-")) {
      if (open.empty() || open.back() != first.substr(4)) {
        return fail("{}: '{}' ends no section that is open", place_of(source.name, line), excerpt(first));
      }
      open.pop_back();
    }
    device.manager.lines.push_back(std::string(line.indent, ' ') + fmt::format("{}", fmt::join(line.words, " ")));
    device.places[fmt::format("line.{}", device.manager.lines.size() - 1)] = place_of(source.name, line);
  }
  if (!open.empty()) {
    return fail("{}: section '{}' has no end; write end-{}", source.name, open.back(), open.back());
  }
  return device;
}

}  // namespace weft::study::devices
