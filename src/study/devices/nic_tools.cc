#include "study/devices/nic_tools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace weft::study::devices {
namespace {

constexpr std::string_view kBnxtFolder = "/sys/kernel/config/bnxt_re/";
constexpr std::string_view kRdmaCmFolder = "/sys/kernel/config/rdma_cm/";

std::vector<std::string_view> words_between(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(between), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// "26" of "0x1a"; files of bnxt_re take hexadecimal, with 0x or without.
std::string decimal_of(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  for (const char digit : text) {
    const int number = digit >= '0' && digit <= '9'   ? digit - '0'
                       : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                       : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                                      : -1;
    if (number < 0 || value > UINT32_MAX) {
      return std::string(text);  // the range's error shows it
    }
    value = value * 16 + static_cast<std::uint64_t>(number);
  }
  return text.empty() ? std::string() : fmt::format("{}", value);
}

}  // namespace

bool NicToolReader::command() {
  if (read_.text(0) == "dcb") {
    dcb_ = true;
    dcb();
  } else if (read_.is({"nicctl", "update"})) {
    nicctl_ = true;
    nicctl();
  } else if (read_.text(0) == "mkdir" || read_.text(0) == "rmdir") {
    folder();
  } else if (read_.words() > 3 && read_.text(0) == "echo" &&
             (read_.text(3).starts_with(kBnxtFolder) || read_.text(3).starts_with(kRdmaCmFolder))) {
    file();
  } else {
    return false;
  }
  return true;
}

void NicToolReader::finish() {
  for (std::size_t i = 0; has_strict_ && i < kClasses; ++i) {
    if (strict_[i] && device_.nic.weight[i]) {
      device_.nic.weight[i] = 0;
    }
  }
  if (bnxt_ && ecn_ && roce_class_) {
    device_.nic.reaction[*roce_class_] = device_.nic.notification[*roce_class_] = true;
  }
  if (nicctl_ || bnxt_ || dcb_) {
    device_.nic.commands = nicctl_ ? NicCommands::kPensando : bnxt_ ? NicCommands::kBroadcom : NicCommands::kLinux;
    device_.native.try_emplace("commands", here(nicctl_ ? "nicctl" : "dcb"));
  }
}

NativeSetting NicToolReader::here(std::string_view value) const {
  return {.value = std::string(value), .place = read_.place()};
}

std::optional<NicToolReader::Pair> NicToolReader::pair_at(std::size_t at) {
  const std::string_view word = read_.word(at, "a pair");
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) {
    read_.refuse(fmt::format("'{}' is not a pair as 3:0", word));
    return std::nullopt;
  }
  return Pair{.key = word.substr(0, colon), .value = word.substr(colon + 1)};
}

std::array<bool, kClasses> NicToolReader::classes_of_key(std::string_view key, std::string_view what) {
  std::array<bool, kClasses> made{};
  if (key == "all") {
    made.fill(true);
  } else {
    made[read_.number_in(key, what, {.most = kClasses - 1})] = true;
  }
  return made;
}

void NicToolReader::dcb() {
  if (read_.is({"dcb", "app", "replace", "dev", "*", "dscp-prio"}) ||
      read_.is({"dcb", "app", "add", "dev", "*", "dscp-prio"})) {
    for (std::size_t at = 6; at < read_.words(); ++at) {
      if (const auto pair = pair_at(at)) {
        const std::uint64_t dscp = read_.number_in(pair->key, "DSCP", {.most = kCodePoints - 1});
        device_.nic.dscp_class[dscp] = read_.number_in(pair->value, "the priority", {.most = kClasses - 1});
      }
    }
    device_.places["dscp"] = read_.place();
  } else if (read_.is({"dcb", "pfc", "set", "dev", "*", "prio-pfc"})) {
    for (std::size_t at = 6; at < read_.words() && read_.text(at).find(':') != std::string_view::npos; ++at) {
      const auto pair = pair_at(at);
      const bool on = pair->value == "on";
      if (!on && pair->value != "off") {
        read_.refuse(fmt::format("prio-pfc: '{}' is neither on nor off", pair->value));
        return;
      }
      const auto classes = classes_of_key(pair->key, "prio-pfc");
      for (std::size_t i = 0; i < kClasses; ++i) {
        device_.nic.pfc[i] = classes[i] ? on : device_.nic.pfc[i];
      }
    }
    device_.places["pfc"] = read_.place();
  } else if (read_.is({"dcb", "ets", "set", "dev", "*"})) {
    ets();
  }
}

void NicToolReader::ets() {
  std::string_view section;
  std::array<std::uint64_t, kClasses> of_priority{};
  bool has_map = false;
  for (std::size_t at = 5; at < read_.words(); ++at) {
    if (read_.text(at).find(':') == std::string_view::npos) {
      section = read_.text(at);
      if (section == "prio-tc" || section == "tc-tsa" || section == "tc-bw") {
        static_cast<void>(read_.word(at, "a keyword"));
      }
      continue;
    }
    if (section != "prio-tc" && section != "tc-tsa" && section != "tc-bw") {
      continue;
    }
    const auto pair = pair_at(at);
    const auto classes = classes_of_key(pair->key, section);
    if (section == "tc-tsa" && pair->value != "strict" && pair->value != "ets") {
      read_.refuse(fmt::format("tc-tsa: '{}' is neither strict nor ets", pair->value));
      return;
    }
    for (std::size_t i = 0; i < kClasses; ++i) {
      if (!classes[i]) {
        continue;
      }
      if (section == "prio-tc") {
        of_priority[i] = read_.number_in(pair->value, section, {.most = kClasses - 1});
        has_map = true;
      } else if (section == "tc-tsa") {
        strict_[i] = pair->value == "strict";
        has_strict_ = true;
        device_.native["weight.tc-tsa"] = here("given");
      } else {
        device_.nic.weight[i] = read_.number_in(pair->value, section, {.most = 100});
        device_.places["weight"] = read_.place();
      }
    }
  }
  if (has_map) {
    device_.native["map.prio-tc"] = here(fmt::format("{}", fmt::join(of_priority, ",")));
  }
}

std::size_t NicToolReader::option(std::initializer_list<std::string_view> names) const {
  for (std::size_t at = 3; at < read_.words(); ++at) {
    if (std::ranges::find(names, read_.text(at)) != names.end()) {
      return at;
    }
  }
  return read_.words();
}

void NicToolReader::nicctl() {
  if (const std::size_t at = option({"--all"}); at < read_.words()) {
    static_cast<void>(read_.word(at, "--all"));
  }
  if (read_.is({"port"}, 2)) {
    for (const std::string_view name : {"--pause-type", "--rx-pause", "--tx-pause"}) {
      if (const std::size_t at = option({name}); at < read_.words()) {
        static_cast<void>(read_.word(at, name));
        device_.native[fmt::format("pause.{}", name)] = here(read_.word(at + 1, name));
      }
    }
  } else if (read_.is({"qos"}, 2)) {
    if (const std::size_t at = option({"--classification-type"}); at < read_.words()) {
      static_cast<void>(read_.word(at, "--classification-type"));
      const std::string_view type = read_.word(at + 1, "dscp or pcp");
      device_.native["trust"] = here(type == "DSCP" ? "dscp" : type == "PCP" ? "pcp" : type);
    } else if (read_.words() > 3) {
      nicctl_qos(read_.text(3));
    }
  } else if (read_.is({"dcqcn"}, 2)) {
    nicctl_dcqcn();
  }
}

void NicToolReader::nicctl_qos(std::string_view what) {
  const auto value = [&](std::string_view name) {
    const std::size_t at = option({name});
    if (at < read_.words()) {
      static_cast<void>(read_.word(at, name));
    }
    return read_.word(std::min(at + 1, read_.words()), name);
  };
  const auto numbers = [&](std::string_view text, std::size_t most) {
    std::vector<std::size_t> made;
    for (const std::string_view part : words_between(text, ',')) {
      const auto some = classes_of(part, most);
      if (!some) {
        read_.refuse(some.error().message);
        return std::vector<std::size_t>{};
      }
      made.insert(made.end(), some->begin(), some->end());
    }
    return made;
  };
  if (what == "dscp-to-priority") {
    const std::vector<std::size_t> dscps = numbers(value("--dscp"), kCodePoints - 1);
    const std::uint64_t own = read_.number_in(value("--priority"), "--priority", {.most = kClasses - 1});
    for (const std::size_t dscp : dscps) {
      device_.nic.dscp_class[dscp] = own;
    }
    device_.places["dscp"] = read_.place();
  } else if (what == "pfc") {
    const std::string_view state = value("--no-drop");
    if (state != "enable" && state != "disable") {
      read_.refuse(fmt::format("--no-drop: '{}' is neither enable nor disable", state));
      return;
    }
    for (const std::size_t own : numbers(value("--priority"), kClasses - 1)) {
      device_.nic.pfc[own] = state == "enable";
      device_.native[fmt::format("pfc.--no-drop of {}", own)] = here("given");
    }
    device_.places["pfc"] = read_.place();
  } else if (what == "scheduling") {
    const std::vector<std::size_t> classes = numbers(value("--priority"), kClasses - 1);
    const std::vector<std::string_view> shares = words_between(value("--dwrr"), ',');
    if (shares.size() != classes.size()) {
      read_.refuse(fmt::format("--priority names {} classes, --dwrr {} shares", classes.size(), shares.size()));
      return;
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
      device_.nic.weight[classes[i]] = read_.number_in(shares[i], "--dwrr", {.most = 100});
    }
    device_.native["weight.--rate-limit"] = here(value("--rate-limit"));
    device_.places["weight"] = read_.place();
  } else {
    return;
  }
  static_cast<void>(read_.word(3, what));
}

void NicToolReader::nicctl_dcqcn() {
  const std::size_t device = option({"-r", "--roce-device"});
  const std::size_t profile = option({"-i", "--profile-id"});
  for (const std::size_t at : {device, profile}) {
    if (at < read_.words()) {
      static_cast<void>(read_.word(at, "an option"));
      static_cast<void>(read_.word(at + 1, "its value"));
    }
  }
  const std::size_t off = option({"--disable"});
  if (off < read_.words()) {
    static_cast<void>(read_.word(off, "--disable"));
    device_.nic.congestion["disabled"] = 1;
    device_.places["congestion.disabled"] = read_.place();
  }
  const std::string_view number = profile + 1 < read_.words() ? read_.text(profile + 1) : "1";
  device_.native[fmt::format("dcqcn profile {}", number)] = here(off < read_.words() ? "off" : "on");
  for (const auto& [name, key, most] : {std::tuple("--cnp-dscp", "cnp_dscp", kCodePoints - 1),
                                        std::tuple("--rate-increase-threshold", "rpg_threshold", std::size_t{31})}) {
    if (const std::size_t at = option({name}); at < read_.words()) {
      static_cast<void>(read_.word(at, name));
      device_.nic.congestion[key] = read_.number(at + 1, name, {.most = most});
      device_.places[fmt::format("congestion.{}", key)] = read_.place();
    }
  }
}

void NicToolReader::folder() {
  for (std::size_t at = 1; at < read_.words(); ++at) {
    const std::string_view path = read_.text(at);
    for (const auto& [stem, item] :
         {std::pair(kBnxtFolder, "dcqcn.{} bnxt_re"), std::pair(kRdmaCmFolder, "data_dscp.{} rdma_cm")}) {
      if (path.starts_with(stem)) {
        device_.native[fmt::format(fmt::runtime(item), read_.text(0))] = here("given");
        read_.take_rest();
      }
    }
  }
}

void NicToolReader::file() {
  if (!read_.is({"echo", "*", ">"})) {
    return;
  }
  const std::string_view path = read_.word(3, "a file");
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (path.starts_with(kBnxtFolder)) {
    bnxt_ = true;
    bnxt_file(name);
  } else if (name == "default_roce_tos") {
    device_.nic.data_dscp = read_.number(1, "the type of service", {.most = 255}) / 4;
    device_.places["data_dscp"] = read_.place();
  } else {
    read_.leave();
  }
}

void NicToolReader::bnxt_file(std::string_view name) {
  const std::string text = decimal_of(read_.word(1, "a value"));
  const auto number = [&](std::uint64_t most) { return read_.number_in(text, name, {.most = most}); };
  if (name == "ecn_enable") {
    ecn_ = number(1) == 1;
    device_.places["roce_rp"] = device_.places["roce_np"] = read_.place();
    device_.native["dcqcn.ecn_enable"] = here(text);
  } else if (name == "ecn_marking" || name == "cc_mode" || name == "apply") {
    device_.native[fmt::format("dcqcn.{}", name)] = here(text);
  } else if (name == "roce_prio") {
    roce_class_ = number(kClasses - 1);
    device_.native["dcqcn.roce_prio"] = here(text);
  } else if (name == "roce_dscp") {
    device_.native["data_dscp.roce_dscp"] = here(fmt::format("{}", number(kCodePoints - 1)));
  } else if (name == "cnp_prio" || name == "cnp_dscp") {
    const std::string key = name == "cnp_prio" ? "cnp_802p_prio" : "cnp_dscp";
    device_.nic.congestion[key] = number(name == "cnp_prio" ? kClasses - 1 : kCodePoints - 1);
    device_.places["congestion." + key] = read_.place();
  } else {
    read_.leave();
  }
}

}  // namespace weft::study::devices
