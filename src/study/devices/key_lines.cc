#include "study/devices/key_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/text_table.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/resolved_values.h"
#include "study/devices/nic_commands.h"
#include "study/scenario/scenario_listing.h"

namespace weft::study::devices {
namespace {

/// The line of each syntax; empty: it has none.
struct Counterpart {
  std::string_view key;  // "#" stands for a priority, or for "*"
  std::string_view sonic{};
  std::string_view nvue{};
  std::string_view eos{};
  std::string_view nic{};
  std::string_view opensm{};
};

constexpr std::array kCounterparts = {
    Counterpart{.key = "fabric.mtu",
                .sonic = "PORT|PORT|mtu",
                .nvue = "interface PORT link mtu",
                .eos = "interface PORT: mtu",
                .nic = "ip link set dev IF mtu"},
    Counterpart{.key = "link.#.rate",
                .sonic = "PORT|PORT|speed",
                .nvue = "interface PORT link speed",
                .eos = "interface PORT: speed"},
    Counterpart{.key = "link.#.length",
                .sonic = "CABLE_LENGTH|AZURE|PORT",
                .nvue = "qos pfc PROFILE cable-length",
                .nic = "mlnx_qos --cable_len"},
    Counterpart{.key = "switch.buffer", .sonic = "BUFFER_POOL|ingress_lossless_pool|size and xoff"},
    Counterpart{.key = "ethernet.priority.#.lossless",
                .sonic = "PORT_QOS_MAP|PORT|pfc_enable",
                .nvue = "qos pfc PROFILE switch-priority N",
                .eos = "priority-flow-control priority N no-drop",
                .nic = "mlnx_qos --pfc"},
    Counterpart{.key = "ethernet.priority.#.alpha", .sonic = "BUFFER_PROFILE|NAME|dynamic_th (lossless classes)"},
    Counterpart{.key = "ethernet.priority.#.reserve", .sonic = "BUFFER_PROFILE|NAME|size (lossless classes)"},
    Counterpart{.key = "ethernet.priority.#.headroom",
                .sonic = "BUFFER_PROFILE|NAME|xoff",
                .nvue = "qos pfc PROFILE port-buffer"},
    Counterpart{.key = "ethernet.priority.#.ingress_limit", .sonic = "BUFFER_PROFILE|NAME|static_th"},
    Counterpart{.key = "ethernet.priority.#.xon_offset", .sonic = "BUFFER_PROFILE|NAME|xon_offset"},
    Counterpart{.key = "ethernet.priority.#.ecn",
                .sonic = "QUEUE|PORT.N|wred_profile and WRED_PROFILE|NAME|ecn",
                .nvue = "qos congestion-control PROFILE traffic-class N ecn",
                .eos = "uc-tx-queue N: random-detect ecn",
                .nic = ""},
    Counterpart{.key = "ethernet.priority.#.kmin",
                .sonic = "WRED_PROFILE|NAME|COLOUR_min_threshold",
                .nvue = "qos congestion-control PROFILE traffic-class N min-threshold",
                .eos = "random-detect ecn minimum-threshold"},
    Counterpart{.key = "ethernet.priority.#.kmax",
                .sonic = "WRED_PROFILE|NAME|COLOUR_max_threshold",
                .nvue = "qos congestion-control PROFILE traffic-class N max-threshold",
                .eos = "random-detect ecn maximum-threshold"},
    Counterpart{.key = "ethernet.priority.#.ecn_reference_rate",
                .sonic = "WRED_PROFILE|NAME of ports of each rate",
                .nvue = "qos congestion-control PROFILE of ports of each rate",
                .eos = "random-detect ecn thresholds of ports of each rate"},
    Counterpart{.key = "ethernet.priority.#.pmax",
                .sonic = "WRED_PROFILE|NAME|COLOUR_drop_probability",
                .nvue = "qos congestion-control PROFILE traffic-class N probability",
                .eos = "random-detect ecn max-mark-probability"},
    Counterpart{.key = "ethernet.priority.#.weight",
                .sonic = "SCHEDULER|NAME|type and weight",
                .nvue = "qos egress-scheduler PROFILE traffic-class N mode and bw-percent",
                .eos = "uc-tx-queue N: bandwidth percent, or priority strict",
                .nic = "mlnx_qos --tsa and --tcbw"},
    Counterpart{.key = "ethernet.watchdog_detect",
                .sonic = "PFC_WD|PORT|detection_time",
                .eos = "priority-flow-control pause watchdog default timeout"},
    Counterpart{.key = "ethernet.watchdog_restore",
                .sonic = "PFC_WD|PORT|restoration_time",
                .eos = "priority-flow-control pause watchdog default recovery-time"},
    Counterpart{.key = "ethernet.watchdog_action",
                .sonic = "PFC_WD|PORT|action",
                .eos = "priority-flow-control pause watchdog action"},
    Counterpart{.key = "ethernet.trimming.enabled", .sonic = "SWITCH_TRIMMING|GLOBAL"},
    Counterpart{.key = "ethernet.trimming.size", .sonic = "SWITCH_TRIMMING|GLOBAL|size"},
    Counterpart{.key = "ethernet.trimming.dscp", .sonic = "SWITCH_TRIMMING|GLOBAL|dscp_value"},
    Counterpart{.key = "ethernet.trimming.priority", .sonic = "SWITCH_TRIMMING|GLOBAL|queue_index"},
    Counterpart{.key = "qos.data_priority",
                .sonic = "DSCP_TO_TC_MAP|WEFT",
                .nvue = "qos mapping dscp switch-priority",
                .eos = "qos map dscp to traffic-class",
                .nic = "mlnx_qos --dscp2prio"},
    Counterpart{.key = "qos.ack_priority",
                .sonic = "DSCP_TO_TC_MAP|WEFT",
                .nvue = "qos mapping dscp switch-priority",
                .eos = "qos map dscp to traffic-class",
                .nic = "mlnx_qos --dscp2prio"},
    Counterpart{.key = "qos.cnp_priority",
                .sonic = "DSCP_TO_TC_MAP|WEFT",
                .nvue = "qos mapping dscp switch-priority",
                .eos = "qos map dscp to traffic-class",
                .nic = "mlnx_qos --dscp2prio; roce_np/cnp_802p_prio"},
    Counterpart{.key = "qos.tcp_priority",
                .sonic = "DSCP_TO_TC_MAP|WEFT",
                .nvue = "qos mapping dscp switch-priority",
                .eos = "qos map dscp to traffic-class",
                .nic = "mlnx_qos --dscp2prio"},
    Counterpart{.key = "qos.data_dscp",
                .sonic = "DSCP_TO_TC_MAP|WEFT",
                .nvue = "qos mapping dscp",
                .eos = "qos map dscp",
                .nic = "cma_roce_tos; tc/1/traffic_class; mlnx_qos --dscp2prio"},
    Counterpart{.key = "qos.ack_dscp",
                .sonic = "DSCP_TO_TC_MAP|WEFT",
                .nvue = "qos mapping dscp",
                .eos = "qos map dscp",
                .nic = "mlnx_qos --dscp2prio"},
    Counterpart{.key = "qos.cnp_dscp",
                .sonic = "DSCP_TO_TC_MAP|WEFT",
                .nvue = "qos mapping dscp",
                .eos = "qos map dscp",
                .nic = "roce_np/cnp_dscp"},
    Counterpart{.key = "qos.tcp_dscp",
                .sonic = "DSCP_TO_TC_MAP|WEFT",
                .nvue = "qos mapping dscp",
                .eos = "qos map dscp",
                .nic = "mlnx_qos --dscp2prio"},
    Counterpart{.key = "qos.data_sl", .opensm = "qos-policy.conf: qos-ulps default"},
    Counterpart{.key = "nic.congestion_control", .nic = "roce_np/enable/N and roce_rp/enable/N"},
    Counterpart{.key = "congestion_control.algorithm",
                .nic = "roce_np/enable/N, roce_rp/enable/N, ROCE_CC_PRIO_MASK_P1 (dcqcn)"},
    Counterpart{.key = "dcqcn.cnp_interval", .nic = "roce_np/min_time_between_cnps"},
    Counterpart{.key = "dcqcn.alpha_timer", .nic = "roce_rp/dce_tcp_rtt"},
    Counterpart{.key = "dcqcn.decrease_interval", .nic = "roce_rp/rate_reduce_monitor_period"},
    Counterpart{.key = "dcqcn.increase_timer", .nic = "roce_rp/rpg_time_reset"},
    Counterpart{.key = "dcqcn.timer_reference_rate", .nic = "roce_rp/rpg_time_reset, for the NIC's line"},
    Counterpart{.key = "dcqcn.byte_counter", .nic = "roce_rp/rpg_byte_reset (in 64 bytes)"},
    Counterpart{.key = "dcqcn.fast_recovery_threshold", .nic = "roce_rp/rpg_threshold"},
    Counterpart{.key = "dcqcn.gain", .nic = "roce_rp/dce_tcp_g (1 - g, of 1024)"},
    Counterpart{.key = "dcqcn.additive_increase", .nic = "roce_rp/rpg_ai_rate"},
    Counterpart{.key = "dcqcn.hyper_increase", .nic = "roce_rp/rpg_hai_rate"},
    Counterpart{.key = "dcqcn.reference_rate", .nic = "roce_rp/rpg_ai_rate and rpg_hai_rate, for the NIC's line"},
    Counterpart{.key = "dcqcn.minimum_rate", .nic = "roce_rp/rpg_min_rate"},
    Counterpart{.key = "control.kind",
                .sonic = "BGP_GLOBALS|default and BGP_NEIGHBOR",
                .nvue = "router bgp",
                .eos = "router bgp"},
    Counterpart{.key = "control.as_numbers",
                .sonic = "BGP_GLOBALS|default|local_asn; BGP_NEIGHBOR|...|asn",
                .nvue = "router bgp autonomous-system; neighbor remote-as",
                .eos = "router bgp; neighbor remote-as"},
    Counterpart{.key = "control.hold_time",
                .sonic = "BGP_NEIGHBOR|...|holdtime and keepalive",
                .nvue = "neighbor timers hold and keepalive",
                .eos = "neighbor timers"},
    Counterpart{.key = "control.mrai",
                .sonic = "BGP_NEIGHBOR|...|min_adv_interval",
                .nvue = "neighbor timers route-advertisement",
                .eos = "neighbor out-delay"},
    Counterpart{
        .key = "control.bfd", .sonic = "BGP_NEIGHBOR|...|bfd", .nvue = "neighbor bfd enable", .eos = "neighbor bfd"},
    Counterpart{.key = "control.bfd_interval",
                .sonic = "BGP_NEIGHBOR|...|desired_minimum_tx_interval and required_minimum_receive",
                .nvue = "neighbor bfd min-tx-interval and min-rx-interval",
                .eos = "neighbor bfd interval and min-rx"},
    Counterpart{.key = "control.bfd_multiplier",
                .sonic = "BGP_NEIGHBOR|...|detection_multiplier",
                .nvue = "neighbor bfd detect-multiplier",
                .eos = "neighbor bfd multiplier"},
    Counterpart{.key = "keys.bgp_password",
                .sonic = "BGP_NEIGHBOR|...|auth_password (if true, a placeholder)",
                .nvue = "neighbor password (if true, a placeholder)",
                .eos = "neighbor password (if true, a placeholder)"},
    Counterpart{.key = "keys.bgp_ttl_security",
                .sonic = "BGP_NEIGHBOR|...|ttl_security_hops (if true)",
                .nvue = "neighbor ttl-security enable and hops (if true)",
                .eos = "neighbor ttl maximum-hops (if true)"},
    Counterpart{.key = "keys.m_key",
                .opensm = "opensm.conf: m_key (if true, a placeholder), m_key_protection_level, m_key_lease_period"},
    Counterpart{.key = "keys.sa_key", .opensm = "opensm.conf: sa_key (if true, a placeholder)"},
    Counterpart{.key = "keys.cc_key", .opensm = "opensm.conf: cc_key (if true, a placeholder) and congestion_control"},
    Counterpart{.key = "keys.switch_enforcement", .opensm = "opensm.conf: part_enforce (if true)"},
    Counterpart{.key = "keys.partition_file", .opensm = "partitions.conf: what the file says"},
    Counterpart{.key = "keys.partitions", .opensm = "partitions.conf: partitions and their members"},
    Counterpart{.key = "infiniband.vls", .opensm = "opensm.conf: qos_max_vls"},
    Counterpart{.key = "infiniband.sl2vl", .opensm = "opensm.conf: qos_sl2vl"},
    Counterpart{.key = "infiniband.vl_arbitration_high", .opensm = "opensm.conf: qos_vlarb_high"},
    Counterpart{.key = "infiniband.vl_arbitration_low", .opensm = "opensm.conf: qos_vlarb_low"},
    Counterpart{.key = "infiniband.vl.#.weight", .opensm = "opensm.conf: qos_vlarb_low"},
    Counterpart{.key = "infiniband.vl.#.high_weight", .opensm = "opensm.conf: qos_vlarb_high"},
    Counterpart{.key = "infiniband.vl_high_limit", .opensm = "opensm.conf: qos_high_limit"},
    Counterpart{.key = "infiniband.head_of_queue_lifetime",
                .opensm = "opensm.conf: head_of_queue_lifetime and leaf_head_of_queue_lifetime"},
    Counterpart{.key = "routing.engine", .opensm = "opensm.conf: routing_engine"},
    Counterpart{.key = "routing.tables", .opensm = "opensm.conf: lfts_file"},
    Counterpart{.key = "routing.nue_max_num_vls", .opensm = "opensm.conf: nue_max_num_vls"},
    Counterpart{.key = "routing.lmc", .opensm = "opensm.conf: lmc"},
};

std::string_view line_of(const Counterpart& row, Syntax syntax) {
  switch (syntax) {
    case Syntax::kSonic:
      return row.sonic;
    case Syntax::kNvue:
      return row.nvue;
    case Syntax::kEos:
      return row.eos;
    case Syntax::kNic:
      return row.nic;
    default:
      return row.opensm;
  }
}

struct Reason {
  std::string_view prefix;
  std::string_view text;
};

/// Of keys that no syntax or not this one has; the first that fits counts.
constexpr std::array kReasons = {
    Reason{"ethernet.pause_", "802.3 and the device's hardware decide"},
    Reason{"ethernet.ecn_moment", "the device's hardware decides"},
    Reason{"ethernet.", "this device has no such setting, or its syntax could not be verified from a public source"},
    Reason{"qos.", "this device has no such setting"},
    Reason{"dcqcn.", "set at NICs; what is left has no parameter that could be verified"},
    Reason{"congestion_control.", "set at NICs, or by what programs keep in flight"},
    Reason{"control.", "this device has no such setting, or it is a property of the device and not a setting"},
    Reason{"infiniband.", "a property of the hardware"},
    Reason{"routing.", "this device has no such setting, or its syntax differs between platforms"},
    Reason{"fabric.", "names the family or entries of the catalogue"},
    Reason{"topology.", "the cabling, not a setting"},
    Reason{"link.", "a property of the cable"},
    Reason{"switch.", "a property of the hardware"},
    Reason{"uet.", "set at NICs; no public source for commands that set Ultra Ethernet's transport was found"},
    Reason{"nic.", "a property of the hardware"},
    Reason{"host.", "a property of hosts"},
    Reason{"security.", "keys and policies are set by other means; weft has sizes, rates and latencies"},
    Reason{"transport.", "set by programs and drivers for each queue pair"},
    Reason{"keys.attacks", "what attackers do, not a setting"},
    Reason{"keys.partitions", "NICs of Ethernet have the default P_Key alone, and no manager that gives them others"},
    Reason{"keys.switch_enforcement", "switches of InfiniBand alone check P_Keys, as their manager sets them"},
    Reason{"keys.r_keys", "drivers and NICs number memory regions; no setting is known"},
    Reason{"keys.source_check",
           "IP source guard and inspection of ARP hold packets against hosts' addresses, which a "
           "scenario does not have"},
    Reason{"keys.cnp_limit", "no parameter for the CNPs that a NIC takes could be verified from a public source"},
    Reason{"keys.bgp_", "a setting of switches that run BGP"},
    Reason{"keys.", "a setting of the subnet manager of InfiniBand"},
    Reason{"", "the load, the simulation or money; not a setting of a device"},
};

/// The kinds of cables that end at a device of the syntax, as keys name them: "host", "leaf", "spine".
std::set<std::string, std::less<>> tiers_of(const fabric::Graph& graph, Syntax syntax) {
  static constexpr std::array kWords = {"host", "leaf", "spine"};
  std::set<std::string, std::less<>> made;
  for (const fabric::Link& link : graph.links) {
    const auto ends = [&](bool at_host) {
      return std::ranges::any_of(std::array{link.a, link.b}, [&](const fabric::LinkEnd& end) {
        return at_host ? end.node.value() < graph.host_endpoints() : end.node.value() >= graph.endpoints;
      });
    };
    if (ends(syntax == Syntax::kNic)) {
      made.insert(kWords[static_cast<std::size_t>(assembly::tier_of(graph, link))]);
    }
  }
  return made;
}

/// A key of a kind of cable that no such device has: "link.spine.length" of a network without a core.
bool is_elsewhere(std::string_view key, const std::set<std::string, std::less<>>& tiers) {
  constexpr std::string_view kLink = "link.";
  const std::string_view tier = key.starts_with(kLink) ? key.substr(kLink.size()) : "";
  const std::size_t dot = tier.find('.');
  const bool is_tier = tier.starts_with("host.") || tier.starts_with("leaf.") || tier.starts_with("spine.");
  return is_tier && !tiers.contains(tier.substr(0, dot));
}

}  // namespace

bool fits(std::string_view pattern, std::string_view key) {
  const std::size_t at = pattern.find('#');
  if (at == std::string_view::npos) {
    return pattern == key;
  }
  const std::string_view head = pattern.substr(0, at);
  const std::string_view tail = pattern.substr(at + 1);
  if (key.size() < head.size() + tail.size() || !key.starts_with(head) || !key.ends_with(tail)) {
    return std::string(head.substr(0, head.size() - 1)).append(tail) == key;  // "link.rate" says it of all
  }
  return key.substr(head.size(), key.size() - head.size() - tail.size()).find('.') == std::string_view::npos;
}

std::vector<KeyLine> key_lines(const scenario::Scenario& scenario, const fabric::Graph& graph, Syntax syntax) {
  std::vector<KeyLine> rows;
  const auto tiers = tiers_of(graph, syntax);
  const NicCommands commands = nic_commands_of(scenario.fabric.nic_entry);
  for (const scenario::ListedValue& value : assembly::resolved_listing(scenario, graph)) {
    KeyLine row{.key = value.path, .value = value.value};
    const auto found =
        std::ranges::find_if(kCounterparts, [&](const Counterpart& each) { return fits(each.key, value.path); });
    const bool elsewhere = is_elsewhere(value.path, tiers);
    if (found != kCounterparts.end() && !elsewhere) {
      row.line = line_of(*found, syntax);
    }
    if (syntax == Syntax::kNic && !elsewhere) {
      if (const auto own = nic_key_line(commands, value.path)) {
        row.line = own->line;
        row.note = own->reason;
      }
    }
    if (found != kCounterparts.end() && elsewhere && !line_of(*found, syntax).empty()) {
      row.note = "no such cable ends at these devices";
    } else if (row.line.empty() && row.note.empty()) {
      row.note = std::ranges::find_if(kReasons, [&](const Reason& each) {
                   return std::string_view(value.path).starts_with(each.prefix);
                 })->text;
    }
    rows.push_back(std::move(row));
  }
  for (const scenario::DeviceOverride& own : scenario.overrides) {
    for (const scenario::Assignment& value : own.assignments) {
      const auto found =
          std::ranges::find_if(kCounterparts, [&](const Counterpart& each) { return fits(each.key, value.path); });
      const auto of_nic = syntax == Syntax::kNic ? nic_key_line(commands, value.path) : std::nullopt;
      const std::string_view line = of_nic ? of_nic->line : found == kCounterparts.end() ? "" : line_of(*found, syntax);
      rows.push_back({.key = fmt::format("{} at {}", value.path, scenario::override_title(own)),
                      .value = value.text,
                      .line = std::string(line),
                      .note = line.empty() ? "no counterpart, as for the key itself" : ""});
    }
  }
  return rows;
}

std::string key_lines_text(const std::vector<KeyLine>& rows, const std::vector<std::string>& rounded, LineWidth width) {
  TextTable table(
      {{.heading = "key"}, {.heading = "value", .most = 24, .wraps = true}, {.heading = "line", .wraps = true}}, width);
  std::map<std::string, std::string> without;
  for (const KeyLine& row : rows) {
    if (!row.line.empty()) {
      table.add({row.key, row.value, row.line});
    } else {
      std::string& keys = without[row.note];
      keys += (keys.empty() ? "" : ", ") + row.key;
    }
  }
  std::string text = table.text();
  if (!rounded.empty()) {
    text += "\nRounded to the units of the device:\n";
    for (const std::string& line : rounded) {
      text += paragraph(line, {.first = 2, .rest = 4, .columns = width.value_or(120)});
    }
  }
  text += "\nWithout a line:\n";
  for (const auto& [reason, keys] : without) {
    text += paragraph(fmt::format("{}: {}", reason, keys), {.first = 2, .rest = 4, .columns = width.value_or(120)});
  }
  return text;
}

nlohmann::ordered_json key_lines_json(const std::vector<KeyLine>& rows, const std::vector<std::string>& rounded) {
  nlohmann::ordered_json json{
      {"lines", nlohmann::ordered_json::array()}, {"without", nlohmann::ordered_json::array()}, {"rounded", rounded}};
  for (const KeyLine& row : rows) {
    if (!row.line.empty()) {
      json["lines"].push_back({{"key", row.key}, {"value", row.value}, {"line", row.line}});
    } else {
      json["without"].push_back({{"key", row.key}, {"value", row.value}, {"reason", row.note}});
    }
  }
  return json;
}

}  // namespace weft::study::devices
