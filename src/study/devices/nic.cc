#include "study/devices/nic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "study/devices/command_line.h"
#include "study/devices/nic_commands.h"
#include "study/devices/nic_tools.h"

namespace weft::study::devices {
namespace {

constexpr std::string_view kTitle = "# nic: ";

/// Of the notification point; all others are of the reaction point.
bool is_notification(std::string_view name) {
  return name == "cnp_dscp" || name == "cnp_802p_prio" || name == "min_time_between_cnps";
}

/// What the driver's parameters may be.
Span span_of(std::string_view name) {
  if (name == "cnp_dscp") {
    return {.most = 63};
  }
  if (name == "cnp_802p_prio") {
    return {.most = 7};
  }
  return {.most = name == "dce_tcp_g" ? std::uint64_t{1023} : UINT32_MAX};
}

constexpr std::array<std::string_view, 12> kParameters = {"rpg_time_reset",
                                                          "rpg_byte_reset",
                                                          "rpg_threshold",
                                                          "rpg_ai_rate",
                                                          "rpg_hai_rate",
                                                          "rpg_min_rate",
                                                          "rate_reduce_monitor_period",
                                                          "dce_tcp_rtt",
                                                          "dce_tcp_g",
                                                          "min_time_between_cnps",
                                                          "cnp_dscp",
                                                          "cnp_802p_prio"};

class NicReader {
 public:
  explicit NicReader(const ConfigText& source) : source_(source), read_(source), tools_(read_, device_) {}

  Result<DeviceConfig> read() {
    device_.syntax = Syntax::kNic;
    device_.file = source_.name;
    name();
    const std::vector<ConfigLine> lines = lines_of(source_.text, "#");
    interfaces(lines);
    for (const ConfigLine& line : lines) {
      read_.begin(line);
      if (const InterfaceOfLine of = interface_of(line); !is_own(of)) {
        read_.take_rest();  // lint says that it is for another interface
      } else {
        command();
      }
      read_.note_unread(device_);
      if (read_.fault()) {
        return tl::unexpected<Error>(*read_.fault());
      }
    }
    for (std::size_t i = 0; i < kClasses; ++i) {
      if (strict_[i] && device_.nic.weight[i]) {
        device_.nic.weight[i] = 0;
      }
    }
    const bool has_own = device_.native.contains("commands");
    device_.nic.commands = own_ ? NicCommands::kMlx5 : has_own ? NicCommands::kMlx4 : NicCommands::kChelsio;
    tools_.finish();
    return std::move(device_);
  }

 private:
  void name() {
    const std::size_t at = source_.text.find(kTitle);
    if (at != std::string_view::npos) {
      const std::string_view rest = source_.text.substr(at + kTitle.size());
      device_.name = rest.substr(0, std::min(rest.find_first_of("\r\n "), rest.size()));
      return;
    }
    std::string_view stem = source_.name.substr(source_.name.rfind('/') + 1);
    device_.name = stem.substr(0, std::min(stem.find('.'), stem.size()));
  }

  struct InterfaceOfLine {
    std::string name{};  // empty: of none that is known
    bool rdma = false;
  };

  static InterfaceOfLine interface_of(const ConfigLine& line) {
    const auto word = [&line](std::size_t i) { return i < line.words.size() ? line.words[i] : std::string_view(); };
    const auto behind = [](std::string_view path, std::string_view stem) {
      const std::string_view rest = path.substr(std::min(stem.size(), path.size()));
      return std::string(rest.substr(0, rest.find('/')));
    };
    constexpr std::string_view kNet = "/sys/class/net/";
    constexpr std::string_view kRdma = "/sys/class/infiniband/";
    if ((word(0) == "ip" || word(0) == "dcb") && word(3) == "dev") {
      return {.name = std::string(word(4))};
    }
    if ((word(0) == "mlnx_qos" && word(1) == "-i") || (word(0) == "ethtool" && word(1) == "-A")) {
      return {.name = std::string(word(2))};
    }
    if ((word(0) == "mlxconfig" || word(0) == "cma_roce_tos") && word(1) == "-d") {
      return {.name = std::string(word(2)), .rdma = true};
    }
    if (word(0) == "echo" && word(3).starts_with(kNet)) {
      return {.name = behind(word(3), kNet)};
    }
    if (word(0) == "echo" && word(3).starts_with(kRdma)) {
      return {.name = behind(word(3), kRdma), .rdma = true};
    }
    for (const std::string_view folder : {"/sys/kernel/config/bnxt_re/", "/sys/kernel/config/rdma_cm/"}) {
      const auto path = std::ranges::find_if(line.words, [&](std::string_view one) { return one.starts_with(folder); });
      if (path != line.words.end()) {
        return {.name = behind(*path, folder), .rdma = true};
      }
    }
    if (word(0) == "nicctl" && word(2) == "dcqcn" && (word(3) == "-r" || word(3) == "--roce-device")) {
      return {.name = std::string(word(4)), .rdma = true};
    }
    return {};
  }

  /// Those of every line; the NIC's own are what most lines are for, of several the first.
  void interfaces(const std::vector<ConfigLine>& lines) {
    for (const ConfigLine& line : lines) {
      if (InterfaceOfLine of = interface_of(line); !of.name.empty()) {
        device_.interfaces.push_back(
            {.name = std::move(of.name), .place = place_of(source_.name, line), .rdma = of.rdma});
      }
    }
    std::map<std::pair<bool, std::string>, std::size_t> times;
    for (const InterfaceLine& one : device_.interfaces) {
      ++times[{one.rdma, one.name}];
    }
    std::array<std::size_t, 2> most{};
    for (const InterfaceLine& one : device_.interfaces) {
      const std::size_t own = times[{one.rdma, one.name}];
      if (own > most[one.rdma ? 1 : 0]) {
        most[one.rdma ? 1 : 0] = own;
        (one.rdma ? device_.nic.rdma : device_.nic.interface) = one.name;
      }
    }
  }

  [[nodiscard]] bool is_own(const InterfaceOfLine& of) const {
    return of.name.empty() || of.name == (of.rdma ? device_.nic.rdma : device_.nic.interface);
  }

  NativeSetting here(std::string_view value) { return {.value = std::string(value), .place = read_.place()}; }

  void command() {
    if (tools_.command()) {
      return;
    }
    const std::string_view tool = read_.text(0);
    if (tool == "mlnx_qos" || tool == "mlxconfig") {
      device_.native.try_emplace("commands", here("mlnx_qos"));
      own_ = own_ || tool == "mlxconfig" || read_.is({"mlnx_qos", "-i", "*", "--trust"}) ||
             read_.is({"mlnx_qos", "-i", "*", "--dscp2prio"});
    }
    if (read_.is({"ip", "link", "set", "dev", "*", "mtu"})) {
      device_.nic.mtu = read_.number(6, "the MTU", {.least = 68, .most = 65'535});
      device_.places["port.0.mtu"] = read_.place();
    } else if (read_.is({"mlnx_qos", "-i"})) {
      static_cast<void>(read_.word(2, "the interface"));
      for (std::size_t at = 3; at < read_.words(); at += 2) {
        qos(at);
      }
    } else if (read_.is({"ethtool", "-A"})) {
      static_cast<void>(read_.word(2, "the interface"));
      for (std::size_t at = 3; at < read_.words(); at += 2) {
        if (read_.is({"autoneg"}, at) || read_.is({"rx"}, at) || read_.is({"tx"}, at)) {
          device_.native[fmt::format("pause.ethtool -A {}", read_.word(at, "rx or tx"))] =
              here(read_.word(at + 1, "on or off"));
        }
      }
    } else if (read_.is({"mlxconfig", "-d", "*", "--yes", "set"}) || read_.is({"mlxconfig", "-d", "*", "-y", "set"})) {
      constexpr std::string_view kMask = "ROCE_CC_PRIO_MASK_P1";
      for (std::size_t at = 5; at < read_.words(); ++at) {
        const std::string_view said = read_.text(at);
        if (const std::size_t is = said.find('='); said.substr(0, is) == kMask && is != std::string_view::npos) {
          device_.native[fmt::format("dcqcn.{}", kMask)] = here(read_.word(at, kMask).substr(is + 1));
        }
      }
    } else if (read_.is({"cma_roce_tos", "-d", "*", "-t"})) {
      device_.nic.data_dscp = read_.number(4, "the type of service", {.most = 255}) / 4;
      device_.places["data_dscp"] = read_.place();
    } else if (read_.is({"echo", "*", ">"})) {
      file();
    }
  }

  /// One option and its value.
  void qos(std::size_t at) {
    if (read_.is({"--dscp2prio"}, at)) {
      const std::vector<std::string_view> parts = split(read_.word(at + 1, "set,DSCP,PRIORITY"));
      if (parts.size() != 3 || parts[0] != "set") {
        read_.refuse("--dscp2prio takes set,DSCP,PRIORITY");
        return;
      }
      const std::uint64_t dscp = read_.number_in(parts[1], "DSCP", {.most = 63});
      device_.nic.dscp_class[dscp] = read_.number_in(parts[2], "the priority", {.most = 7});
      device_.places["dscp"] = read_.place();
    } else if (read_.is({"--pfc"}, at) || read_.is({"-f"}, at)) {
      const std::vector<std::string_view> parts = eight("--pfc", at + 1);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        device_.nic.pfc[i] = read_.number_in(parts[i], "--pfc", {.most = 1}) == 1;
      }
      device_.places["pfc"] = read_.place();
    } else if (read_.is({"--cable_len"}, at)) {
      device_.nic.metres = read_.number(at + 1, "--cable_len", {.most = 100'000});
      device_.places["port.0.metres"] = read_.place();
    } else if (read_.is({"--trust"}, at)) {
      device_.native["trust"] = here(read_.word(at + 1, "dscp or pcp"));
    } else if (read_.is({"--prio_tc"}, at) || read_.is({"-p"}, at)) {
      device_.native["map.--prio_tc"] = here(fmt::format("{}", fmt::join(eight("--prio_tc", at + 1), ",")));
    } else if (read_.is({"--tsa"}, at) || read_.is({"-s"}, at)) {
      const std::vector<std::string_view> parts = eight("--tsa", at + 1);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i] != "strict" && parts[i] != "ets" && parts[i] != "vendor") {
          read_.refuse(fmt::format("--tsa: '{}' is none of strict, ets and vendor", parts[i]));
          return;
        }
        strict_[i] = parts[i] == "strict";
      }
      device_.native["weight.--tsa"] = here("given");
    } else if (read_.is({"--tcbw"}, at) || read_.is({"-t"}, at)) {
      const std::vector<std::string_view> parts = eight("--tcbw", at + 1);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        device_.nic.weight[i] = read_.number_in(parts[i], "--tcbw", {.most = 100});
      }
      device_.places["weight"] = read_.place();
    }
  }

  static std::vector<std::string_view> split(std::string_view text) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(','), text.size());
      parts.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
  }

  std::vector<std::string_view> eight(std::string_view option, std::size_t at) {
    std::vector<std::string_view> parts = split(read_.word(at, "eight values"));
    if (parts.size() != kClasses) {
      read_.refuse(fmt::format("{} takes eight values between commas; here are {}", option, parts.size()));
      parts.clear();
    }
    return parts;
  }

  void file() {
    const std::string_view path = read_.word(3, "a file");
    const std::string_view last = path.substr(path.rfind('/') + 1);
    const bool reaction = path.find("/roce_rp/enable/") != std::string_view::npos;
    if (reaction || path.find("/roce_np/enable/") != std::string_view::npos) {
      const std::size_t tc = read_.number_in(last, "the priority", {.most = 7});
      (reaction ? device_.nic.reaction : device_.nic.notification)[tc] = read_.number(1, "0 or 1", {.most = 1}) == 1;
      const char* point = reaction ? "roce_rp" : "roce_np";
      device_.native[fmt::format("dcqcn.{}/enable/{}", point, tc)] = here("given");
      device_.places[fmt::format("{}.{}", point, tc)] = read_.place();
    } else if (path.ends_with("/tc/1/traffic_class")) {
      device_.native["data_dscp.traffic_class"] = here(read_.word(1, "the type of service"));
    } else if (std::ranges::find(kParameters, last) != kParameters.end()) {
      device_.nic.congestion[std::string(last)] = read_.number(1, last, span_of(last));
      device_.places[fmt::format("congestion.{}", last)] = read_.place();
    } else {
      read_.leave();
    }
  }

  ConfigText source_;
  CommandReader read_;
  DeviceConfig device_;
  NicToolReader tools_;
  std::array<bool, kClasses> strict_{};
  bool own_ = false;  // lines that mlx5 alone has
};

std::string congestion_text(const NicSetting& nic) {
  std::string text;
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < kClasses; ++i) {
    for (const auto& [point, on] : {std::pair("roce_np", nic.notification[i]), std::pair("roce_rp", nic.reaction[i])}) {
      text += fmt::format("echo {} > /sys/class/net/{}/ecn/{}/enable/{}\n", on ? 1 : 0, nic.interface, point, i);
    }
    mask |= nic.reaction[i] ? 1U << i : 0U;
  }
  for (const auto& [name, value] : nic.congestion) {
    text += fmt::format("echo {} > /sys/class/net/{}/ecn/{}/{}\n", value, nic.interface,
                        is_notification(name) ? "roce_np" : "roce_rp", name);
  }
  text += fmt::format("mlxconfig -d {} --yes set ROCE_CC_PRIO_MASK_P1={}\n", nic.rdma, mask);
  return text;
}

}  // namespace

std::string nic_text(const DeviceConfig& device) {
  const NicSetting& nic = device.nic;
  std::string text = fmt::format("#!/bin/sh -e\n{}{}\n", kTitle, device.name);
  if (nic.mtu) {
    text += fmt::format("ip link set dev {} mtu {}\n", nic.interface, *nic.mtu);
  }
  if (nic.commands != NicCommands::kPensando) {  // nicctl says it with PFC
    text += fmt::format("ethtool -A {} autoneg off rx off tx off\n", nic.interface);
  }
  if (nic.commands != NicCommands::kMlx5 && nic.commands != NicCommands::kMlx4) {
    return text + nic_commands_text(device);
  }
  if (nic.commands == NicCommands::kMlx5) {
    text += fmt::format("mlnx_qos -i {} --trust dscp\n", nic.interface);
  }
  for (const auto& [dscp, tc] : nic.dscp_class) {
    text += fmt::format("mlnx_qos -i {} --dscp2prio set,{},{}\n", nic.interface, dscp, tc);
  }
  std::array<int, kClasses> pfc{};
  std::ranges::copy(nic.pfc, pfc.begin());
  text += fmt::format("mlnx_qos -i {} --pfc {}\n", nic.interface, fmt::join(pfc, ","));
  if (nic.metres) {
    text += fmt::format("mlnx_qos -i {} --cable_len {}\n", nic.interface, *nic.metres);
  }
  if (std::ranges::all_of(nic.weight, [](const auto& weight) { return weight.has_value(); })) {
    std::array<std::string, kClasses> kinds;
    std::array<std::uint64_t, kClasses> shares{};
    for (std::size_t i = 0; i < kClasses; ++i) {
      kinds[i] = *nic.weight[i] == 0 ? "strict" : "ets";
      shares[i] = *nic.weight[i];
    }
    text += fmt::format("mlnx_qos -i {} --prio_tc 0,1,2,3,4,5,6,7\n", nic.interface);
    text += fmt::format("mlnx_qos -i {} --tsa {}\n", nic.interface, fmt::join(kinds, ","));
    text += fmt::format("mlnx_qos -i {} --tcbw {}\n", nic.interface, fmt::join(shares, ","));
  }
  if (nic.data_dscp) {
    text += fmt::format("cma_roce_tos -d {} -t {}\n", nic.rdma, *nic.data_dscp * 4);
    if (nic.commands == NicCommands::kMlx5) {
      text += fmt::format("echo {} > /sys/class/infiniband/{}/tc/1/traffic_class\n", *nic.data_dscp * 4, nic.rdma);
    }
  }
  return nic.congestion.empty() ? text : text + congestion_text(nic);
}

Result<DeviceConfig> read_nic(const ConfigText& source) { return NicReader(source).read(); }

}  // namespace weft::study::devices
