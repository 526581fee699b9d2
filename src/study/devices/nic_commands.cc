#include "study/devices/nic_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "study/devices/key_lines.h"

namespace weft::study::devices {
namespace {

constexpr NicKeyLine kNoLength{.reason = "no command tells this NIC the length of a cable"};
constexpr NicKeyLine kFirmware{
    .reason = "cxgb4 takes classes, PFC and shares from what its firmware agrees on with the switch (DCBX)"};
constexpr NicKeyLine kNoDscp{
    .reason = "mlx4 takes the class of a packet from its service level or VLAN tag, not from its DSCP"};
constexpr NicKeyLine kNoDcqcnOfLinux{
    .reason = "Linux has no command for congestion control that all NICs share; which product this is decides"};
constexpr NicKeyLine kNoDcqcnOfMlx4{.reason = "mlx4 has QCN, not DCQCN"};
constexpr NicKeyLine kNoDcqcnOfChelsio{.reason = "the NIC runs TCP; it has no DCQCN"};
constexpr NicKeyLine kNoUnits{.reason =
                                  "the NIC has parameters of its own for it, whose units and ranges no public source "
                                  "states"};
constexpr NicKeyLine kByPrograms{.reason = "programs give it to each queue pair or socket"};

/// Columns in the order of NicCommands from kMlx4 on.
struct NicRow {
  std::string_view key;  // "#" stands for what is between two dots
  NicKeyLine mlx4{};
  NicKeyLine broadcom{};
  NicKeyLine pensando{};
  NicKeyLine any{};  // of Linux
  NicKeyLine chelsio{};
};

constexpr NicKeyLine kNicMap{.line = "dcb app replace dscp-prio"};
constexpr NicKeyLine kNicMapOfPensando{.line = "nicctl update qos dscp-to-priority"};

/// The first that fits counts.
constexpr std::array kRows = {
    NicRow{"link.#.length", kNoLength, kNoLength, kNoLength, kNoLength, kNoLength},
    NicRow{"ethernet.priority.#.lossless",
           {.line = "mlnx_qos --pfc"},
           {.line = "dcb pfc set prio-pfc"},
           {.line = "nicctl update port --pause-type pfc; nicctl update qos pfc --no-drop"},
           {.line = "dcb pfc set prio-pfc"},
           kFirmware},
    NicRow{"ethernet.priority.#.weight",
           {.line = "mlnx_qos --tsa and --tcbw"},
           {.line = "dcb ets set tc-tsa and tc-bw"},
           {.line =
                "nicctl update qos scheduling --dwrr (a strict class has no line: it takes a rate limit, whose unit no "
                "public source states)"},
           {.line = "dcb ets set tc-tsa and tc-bw"},
           kFirmware},
    NicRow{"qos.data_priority",
           kNoDscp,
           {.line = "dcb app replace dscp-prio; cc/roce_prio"},
           kNicMapOfPensando,
           kNicMap,
           kFirmware},
    NicRow{"qos.cnp_priority",
           kNoDscp,
           {.line = "dcb app replace dscp-prio; cc/cnp_prio"},
           kNicMapOfPensando,
           kNicMap,
           kFirmware},
    NicRow{"qos.#_priority", kNoDscp, kNicMap, kNicMapOfPensando, kNicMap, kFirmware},
    NicRow{"qos.data_dscp",
           {.line = "cma_roce_tos"},
           {.line = "rdma_cm/default_roce_tos; cc/roce_dscp; dcb app replace dscp-prio"},
           {.line = "nicctl update qos dscp-to-priority (programs give it to each queue pair)"},
           {.line = "rdma_cm/default_roce_tos; dcb app replace dscp-prio"},
           kByPrograms},
    NicRow{"qos.cnp_dscp",
           kNoDscp,
           {.line = "cc/cnp_dscp; dcb app replace dscp-prio"},
           {.line = "nicctl update dcqcn --cnp-dscp; nicctl update qos dscp-to-priority"},
           {.line = "dcb app replace dscp-prio (which one CNPs carry has no common command)"},
           kFirmware},
    NicRow{"qos.#_dscp", kNoDscp, kNicMap, kNicMapOfPensando, kNicMap, kByPrograms},
    NicRow{"nic.congestion_control",
           kNoDcqcnOfMlx4,
           {.line = "cc/ecn_enable and cc/ecn_marking"},
           {.line = "nicctl update dcqcn --profile-id 1"},
           kNoDcqcnOfLinux,
           kNoDcqcnOfChelsio},
    NicRow{"congestion_control.algorithm",
           kNoDcqcnOfMlx4,
           {.line = "cc/ecn_enable, cc/ecn_marking and cc/cc_mode (dcqcn)"},
           {.line = "nicctl update dcqcn --profile-id 1 (dcqcn)"},
           kNoDcqcnOfLinux,
           kNoDcqcnOfChelsio},
    NicRow{"dcqcn.fast_recovery_threshold",
           kNoDcqcnOfMlx4,
           kNoUnits,
           {.line = "nicctl update dcqcn --rate-increase-threshold"},
           kNoDcqcnOfLinux,
           kNoDcqcnOfChelsio},
    NicRow{"dcqcn.#", kNoDcqcnOfMlx4, kNoUnits, kNoUnits, kNoDcqcnOfLinux, kNoDcqcnOfChelsio},
};

/// "0:0 1:0 ..." of eight values.
template <class Values>
std::string numbered(const Values& values) {
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < values.size(); ++i) {
    pairs.push_back(fmt::format("{}:{}", i, values[i]));
  }
  return fmt::format("{}", fmt::join(pairs, " "));
}

bool has_shares(const NicSetting& nic) {
  return std::ranges::all_of(nic.weight, [](const auto& weight) { return weight.has_value(); });
}

std::string dcb_text(const NicSetting& nic) {
  std::string text;
  if (!nic.dscp_class.empty()) {
    std::vector<std::string> pairs;
    for (const auto& [dscp, tc] : nic.dscp_class) {
      pairs.push_back(fmt::format("{}:{}", dscp, tc));
    }
    text += fmt::format("dcb app replace dev {} dscp-prio {}\n", nic.interface, fmt::join(pairs, " "));
  }
  std::array<std::string_view, kClasses> pfc{};
  std::ranges::transform(nic.pfc, pfc.begin(), [](bool on) { return on ? "on" : "off"; });
  text += fmt::format("dcb pfc set dev {} prio-pfc {}\n", nic.interface, numbered(pfc));
  if (has_shares(nic)) {
    std::array<std::string_view, kClasses> kinds{};
    std::array<std::uint64_t, kClasses> shares{};
    for (std::size_t i = 0; i < kClasses; ++i) {
      kinds[i] = *nic.weight[i] == 0 ? "strict" : "ets";
      shares[i] = *nic.weight[i];
    }
    constexpr std::array<int, kClasses> kToEachItsOwn = {0, 1, 2, 3, 4, 5, 6, 7};
    text += fmt::format("dcb ets set dev {} prio-tc {} tc-tsa {} tc-bw {}\n", nic.interface, numbered(kToEachItsOwn),
                        numbered(kinds), numbered(shares));
  }
  return text;
}

/// RDMA-CM's, of any driver.
std::string default_tos_text(const NicSetting& nic) {
  if (!nic.data_dscp) {
    return {};
  }
  const std::string folder = fmt::format("/sys/kernel/config/rdma_cm/{}", nic.rdma);
  return fmt::format("mkdir -p {0}\necho {1} > {0}/ports/1/default_roce_tos\nrmdir {0}\n", folder, *nic.data_dscp * 4);
}

/// Files of bnxt_re take numbers in hexadecimal.
std::string bnxt_text(const NicSetting& nic) {
  const auto own = std::ranges::find(nic.reaction, true);
  if (nic.congestion.empty()) {
    return {};
  }
  const std::string folder = fmt::format("/sys/kernel/config/bnxt_re/{}", nic.rdma);
  std::string text = fmt::format("mkdir -p {}\n", folder);
  const auto set = [&](std::string_view file, std::uint64_t value) {
    text += fmt::format("echo 0x{:x} > {}/ports/1/cc/{}\n", value, folder, file);
  };
  const bool on = own != nic.reaction.end();
  set("ecn_marking", on ? 1 : 0);
  set("ecn_enable", on ? 1 : 0);
  if (on) {
    set("cc_mode", 1);
    set("roce_prio", static_cast<std::uint64_t>(own - nic.reaction.begin()));
  }
  for (const auto& [name, file] : {std::pair("cnp_802p_prio", "cnp_prio"), std::pair("cnp_dscp", "cnp_dscp")}) {
    if (const auto found = nic.congestion.find(name); found != nic.congestion.end()) {
      set(file, found->second);
    }
  }
  if (nic.data_dscp) {
    set("roce_dscp", *nic.data_dscp);
  }
  set("apply", 1);
  return text + fmt::format("rmdir {}\n", folder);
}

std::string nicctl_text(const NicSetting& nic) {
  std::string text = "nicctl update port --all --pause-type pfc --rx-pause enable --tx-pause enable\n";
  text += "nicctl update qos --classification-type dscp\n";
  for (const auto& [dscp, tc] : nic.dscp_class) {
    text += fmt::format("nicctl update qos dscp-to-priority --dscp {} --priority {}\n", dscp, tc);
  }
  std::vector<std::size_t> classes;
  std::vector<std::uint64_t> shares;
  for (std::size_t i = 0; i < kClasses; ++i) {
    text += fmt::format("nicctl update qos pfc --priority {} --no-drop {}\n", i, nic.pfc[i] ? "enable" : "disable");
    if (nic.weight[i].value_or(0) > 0) {
      classes.push_back(i);
      shares.push_back(*nic.weight[i]);
    }
  }
  if (!classes.empty()) {
    const std::vector<int> unlimited(classes.size(), 0);
    text += fmt::format("nicctl update qos scheduling --priority {} --dwrr {} --rate-limit {}\n",
                        fmt::join(classes, ","), fmt::join(shares, ","), fmt::join(unlimited, ","));
  }
  if (nic.congestion.empty()) {
    return text;
  }
  if (nic.congestion.contains("disabled")) {
    return text + fmt::format("nicctl update dcqcn --roce-device {} --profile-id 1 --disable\n", nic.rdma);
  }
  text += fmt::format("nicctl update dcqcn --roce-device {} --profile-id 1", nic.rdma);
  for (const auto& [name, option] :
       {std::pair("cnp_dscp", "--cnp-dscp"), std::pair("rpg_threshold", "--rate-increase-threshold")}) {
    if (const auto found = nic.congestion.find(name); found != nic.congestion.end()) {
      text += fmt::format(" {} {}", option, found->second);
    }
  }
  return text + "\n";
}

}  // namespace

NicCommands nic_commands_of(std::string_view entry) {
  struct Vendor {
    std::string_view stem;
    NicCommands commands;
  };
  static constexpr std::array kVendors = {
      Vendor{"connectx-3", NicCommands::kMlx4}, Vendor{"connectx", NicCommands::kMlx5},
      Vendor{"thor", NicCommands::kBroadcom},   Vendor{"pollara", NicCommands::kPensando},
      Vendor{"chelsio", NicCommands::kChelsio},
  };
  const auto found = std::ranges::find_if(kVendors, [&](const Vendor& each) { return entry.starts_with(each.stem); });
  return found == kVendors.end() ? NicCommands::kLinux : found->commands;
}

std::string_view rdma_stem(NicCommands commands) {
  switch (commands) {
    case NicCommands::kMlx5:
      return "mlx5_";
    case NicCommands::kMlx4:
      return "mlx4_";
    case NicCommands::kBroadcom:
      return "bnxt_re";
    case NicCommands::kPensando:
      return "ionic_";
    case NicCommands::kLinux:
      return "rdma";
    case NicCommands::kChelsio:
      break;
  }
  return "cxgb4_";
}

bool is_planned_interface(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kStems = {"eth",    "mlx5_", "mlx4_", "bnxt_re",
                                                             "ionic_", "rdma",  "cxgb4_"};
  return std::ranges::any_of(kStems, [&](std::string_view stem) {
    const std::string_view number = name.substr(std::min(stem.size(), name.size()));
    return name.starts_with(stem) && !number.empty() &&
           number.find_first_not_of("0123456789") == std::string_view::npos;
  });
}

std::optional<NicKeyLine> nic_key_line(NicCommands commands, std::string_view key) {
  const auto row = std::ranges::find_if(kRows, [&](const NicRow& each) { return fits(each.key, key); });
  if (row == kRows.end()) {
    return std::nullopt;
  }
  switch (commands) {
    case NicCommands::kMlx5:
      return std::nullopt;
    case NicCommands::kMlx4:
      return row->mlx4;
    case NicCommands::kBroadcom:
      return row->broadcom;
    case NicCommands::kPensando:
      return row->pensando;
    case NicCommands::kLinux:
      return row->any;
    case NicCommands::kChelsio:
      break;
  }
  return row->chelsio;
}

std::string nic_commands_text(const DeviceConfig& device) {
  const NicSetting& nic = device.nic;
  switch (nic.commands) {
    case NicCommands::kMlx5:
    case NicCommands::kMlx4:
    case NicCommands::kChelsio:
      return {};
    case NicCommands::kBroadcom:
      return dcb_text(nic) + default_tos_text(nic) + bnxt_text(nic);
    case NicCommands::kPensando:
      return nicctl_text(nic);
    case NicCommands::kLinux:
      break;
  }
  return dcb_text(nic) + default_tos_text(nic);
}

void keep_expressible(NicSetting& nic) {
  const NicCommands commands = nic.commands;
  if (commands == NicCommands::kMlx5) {
    return;
  }
  nic.metres.reset();
  if (commands == NicCommands::kChelsio) {
    nic.pfc = {};
    nic.weight = {};
    nic.rdma.clear();  // no line names it
  }
  if (commands == NicCommands::kChelsio || commands == NicCommands::kMlx4) {
    nic.dscp_class.clear();
  }
  if (commands == NicCommands::kChelsio || commands == NicCommands::kPensando) {
    nic.data_dscp.reset();
  }
  const bool pensando = commands == NicCommands::kPensando;
  if (pensando) {
    std::ranges::replace_if(
        nic.weight, [](const auto& weight) { return weight == 0U; }, std::nullopt);
    if (!nic.congestion.empty() && std::ranges::find(nic.reaction, true) == nic.reaction.end()) {
      nic.congestion = {{"disabled", 1}};
    }
    nic.reaction = nic.notification = {};  // of all classes
  }
  const bool broadcom = commands == NicCommands::kBroadcom;
  if (!broadcom && !pensando) {
    nic.congestion.clear();
    nic.reaction = nic.notification = {};
  }
  std::erase_if(nic.congestion, [broadcom](const auto& each) {
    return each.first != "disabled" && each.first != "cnp_dscp" &&
           each.first != (broadcom ? "cnp_802p_prio" : "rpg_threshold");
  });
}

}  // namespace weft::study::devices
