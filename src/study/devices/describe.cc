#include "study/devices/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/format_quantity.h"
#include "fabric/control/as_numbers.h"
#include "fabric/port_map.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/congestion/dcqcn.h"
#include "study/assembly/port_needs.h"
#include "study/devices/nic_commands.h"
#include "study/devices/path_mtu.h"
#include "study/scenario/data_class.h"
#include "study/scenario/vl_tables.h"

namespace weft::study::devices {
namespace {

constexpr std::uint64_t kMostWeight = 100;

/// Of a port, so that hosts have the path MTU and the largest frame of the scenario passes.
std::uint64_t mtu_of(const scenario::Scenario& scenario, const fabric::EthernetPortOptions& port) {
  constexpr std::int64_t kFrameBeyondIp = 18;  // Ethernet header and FCS
  return std::max(interface_mtu(scenario, Bytes(scenario.fabric.mtu)),
                  static_cast<std::uint64_t>(port.mtu_frame.count() - kFrameBeyondIp));
}

std::uint64_t count_of(Bytes bytes) { return static_cast<std::uint64_t>(bytes.count()); }

/// Of whole units, to the nearest.
std::uint64_t units_of(Duration value, Duration unit) {
  return static_cast<std::uint64_t>((value.picoseconds() + unit.picoseconds() / 2) / unit.picoseconds());
}

std::uint64_t percent_of(Probability value) {
  const auto scaled = static_cast<Uint128>(value.raw()) * 100 + Probability::kOne / 2;
  return static_cast<std::uint64_t>(scaled / Probability::kOne);
}

std::uint64_t metres_of(Duration propagation) {
  constexpr std::int64_t kPicosecondsPerMetre = 5'000;
  return static_cast<std::uint64_t>((propagation.picoseconds() + kPicosecondsPerMetre - 1) / kPicosecondsPerMetre);
}

/// One address of a /31 for each end of the cable of that number, from 10.0.0.0.
std::string cable_address(std::size_t link, std::size_t side) {
  const std::size_t number = 2 * link + side;
  return fmt::format("10.{}.{}.{}", number >> 16U & 0xFFU, number >> 8U & 0xFFU, number & 0xFFU);
}

std::string dotted(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24U, address >> 16U & 0xFFU, address >> 8U & 0xFFU, address & 0xFFU);
}

/// What of the whole scenario every switch has.
std::map<std::uint64_t, std::uint64_t> code_points(const scenario::Scenario& scenario) {
  const scenario::QosSettings& qos = scenario.qos;
  std::map<std::uint64_t, std::uint64_t> map;
  const auto set = [&map](std::int64_t dscp, std::int64_t priority) {
    map[static_cast<std::uint64_t>(dscp)] = static_cast<std::uint64_t>(priority);
  };
  set(0, 0);
  if (scenario::is_over_tcp(scenario.fabric.family)) {
    set(qos.tcp_dscp, qos.tcp_priority);
  } else {
    set(qos.cnp_dscp, qos.cnp_priority);
    set(qos.ack_dscp, qos.ack_priority);
    set(qos.data_dscp, qos.data_priority);
  }
  const scenario::TrimmingSettings& trimming = scenario.devices.ethernet.trimming;
  if (trimming.enabled) {
    set(trimming.dscp, trimming.priority);
    set(trimming.last_dscp, trimming.priority);
  }
  return map;
}

using Shares = std::array<std::uint64_t, kClasses>;

/// Percent that sum to 100, in proportion to weights of DWRR by the largest remainder; 0 where the class is strict. A
/// share below 1 is 1, taken from the largest.
Shares percents_of(const Shares& weights) {
  const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  Shares made{};
  if (sum == 0) {
    return made;
  }
  std::array<std::size_t, kClasses> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t p) { return weights[p] * 100 % sum; });
  std::ranges::transform(weights, made.begin(), [sum](std::uint64_t weight) { return weight * 100 / sum; });
  const std::uint64_t left = 100 - std::accumulate(made.begin(), made.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < left; ++i) {
    ++made[order[i]];  // fewer are left than there are shares with a remainder
  }
  for (std::size_t p = 0; p < kClasses; ++p) {
    if (weights[p] > 0 && made[p] == 0) {
      --*std::ranges::max_element(made);
      made[p] = 1;
    }
  }
  return made;
}

void note(std::vector<std::string>& rounded, std::string text) {
  if (std::ranges::find(rounded, text) == rounded.end()) {
    rounded.push_back(std::move(text));
  }
}

/// The same, and what was rounded.
Shares percents_of(const Shares& weights, std::vector<std::string>& rounded) {
  const Shares made = percents_of(weights);
  const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  for (std::size_t p = 0; p < kClasses; ++p) {
    if (weights[p] * 100 != made[p] * sum) {
      note(rounded,
           fmt::format("ethernet.priority.{}.weight: {} of {} is {:.2f} % and is written as {} %", p, weights[p], sum,
                       100 * static_cast<double>(weights[p]) / static_cast<double>(sum), made[p]));
    }
  }
  return made;
}

class Describer {
 public:
  Describer(const scenario::Scenario& scenario, const fabric::Graph& graph, Syntax syntax)
      : scenario_(scenario), graph_(graph), syntax_(syntax) {}

  Result<Described> make() {
    if (scenario::is_infiniband(scenario_.fabric.family)) {
      return fail("fabric.family is infiniband: its switches have no configuration of their own; use --for opensm");
    }
    auto options = assembly::ethernet_options(scenario_, graph_);
    if (!options) {
      return pass_on(options);
    }
    options_ = std::move(*options);
    if (options_.control) {
      const fabric::PortMap map(graph_, static_cast<std::uint64_t>(scenario_.seed));
      std::vector<std::uint64_t> hashes;
      for (std::uint32_t i = 0; i < graph_.switches(); ++i) {
        hashes.push_back(map.node_hash(fabric::NodeIndex(graph_.endpoints + i)));
      }
      auto plan = fabric::plan_control(graph_, *options_.control, hashes);
      if (!plan) {
        return pass_on(plan);
      }
      plan_ = std::move(*plan);
    }
    for (std::uint32_t i = 0; i < graph_.switches(); ++i) {
      add_switch(i);
    }
    add_ports();
    for (DeviceConfig& device : made_.devices) {
      finish(device.bridge);
    }
    return std::move(made_);
  }

 private:
  void round(std::string text) { note(made_.rounded, std::move(text)); }

  std::uint64_t rounded(const char* key, Duration value, Duration unit, std::uint64_t least) {
    const std::uint64_t units = std::max(units_of(value, unit), least);
    if (unit * static_cast<std::int64_t>(units) != value) {
      round(fmt::format("{}: {} is written as {}", key, value, unit * static_cast<std::int64_t>(units)));
    }
    return units;
  }

  struct Allowed {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    const char* unit = "";  // " ms"
  };
  /// What the device takes; `most` 0: its schema says nothing.
  std::uint64_t within(const char* key, std::uint64_t value, const Allowed& allowed) {
    const std::uint64_t kept = allowed.most == 0 ? value : std::clamp(value, allowed.least, allowed.most);
    if (kept != value) {
      round(fmt::format("{}: {}{} is outside of what the device takes, {} to {}{}, and is written as {}{}", key, value,
                        allowed.unit, allowed.least, allowed.most, allowed.unit, kept, allowed.unit));
    }
    return kept;
  }

  void add_switch(std::uint32_t ordinal) {
    DeviceConfig device{.syntax = syntax_, .name = graph_.nodes[graph_.endpoints + ordinal].name};
    SwitchSetting& own = device.bridge;
    own.dscp_class = code_points(scenario_);
    own.pool = count_of(options_.switches[options_.switch_profile[ordinal]].buffer);
    if (const scenario::TrimmingSettings& trim = scenario_.devices.ethernet.trimming; trim.enabled) {
      own.trimming = TrimSetting{.size = count_of(trim.size),
                                 .dscp = static_cast<std::uint64_t>(trim.dscp),
                                 .queue = static_cast<std::uint64_t>(trim.priority)};
    }
    if (options_.control) {
      own.as_number = plan_.as_numbers[ordinal];
      own.router_id = dotted(plan_.identifiers[ordinal]);
      constexpr std::uint64_t kMostPaths = 256;
      own.paths = std::min<std::uint64_t>(graph_.nodes[graph_.endpoints + ordinal].ports, kMostPaths);
    }
    made_.devices.push_back(std::move(device));
  }

  void add_ports() {
    for (std::size_t i = 0; i < graph_.links.size(); ++i) {
      const fabric::Link& link = graph_.links[i];
      if (is_reducer(link.a) || is_reducer(link.b)) {
        continue;
      }
      for (const std::size_t side : {0U, 1U}) {
        const fabric::LinkEnd at = side == 0 ? link.a : link.b;
        if (at.node.value() >= graph_.endpoints) {
          add_port(i, side, at, side == 0 ? link.b : link.a);
        }
      }
    }
  }

  [[nodiscard]] bool is_reducer(fabric::LinkEnd end) const {
    return end.node.value() >= graph_.host_endpoints() && end.node.value() < graph_.endpoints;
  }

  void add_port(std::size_t i, std::size_t side, fabric::LinkEnd at, fabric::LinkEnd far) {
    const fabric::Link& link = graph_.links[i];
    SwitchSetting& bridge = made_.devices[at.node.value() - graph_.endpoints].bridge;
    const fabric::EthernetPortOptions& own = options_.ports[options_.port_profile[2 * i + side]];
    PortSetting port{.name = port_label(syntax_, at.port),
                     .number = at.port,
                     .speed = static_cast<std::uint64_t>(link.rate.bits_per_second() / 1'000'000),
                     .mtu = mtu_of(scenario_, own),
                     .metres = metres_of(link.propagation),
                     .peer = graph_[far.node].name};
    const bool to_switch = far.node.value() >= graph_.endpoints;
    port.peer_port = to_switch ? port_label(syntax_, far.port) : "eth0";
    if (options_.control) {
      port.address = cable_address(i, side) + "/31";
      if (to_switch) {
        bridge.neighbours.push_back(neighbour(i, side, far));
      }
    }
    const Bytes needed = assembly::headroom_needed(options_, graph_, {.link = i, .side = side});
    for (std::size_t p = 0; p < kClasses; ++p) {
      port.classes[p] = class_of(own.priorities[p], p, needed);
    }
    add_shares(port, own);
    if (own.watchdog.detect > Duration::zero()) {
      const Duration ms = Duration::milliseconds(1);
      const bool bounded = syntax_ == Syntax::kSonic;  // its schema has 100 to 5,000 ms and 100 to 60,000 ms
      bridge.watchdog = WatchdogSetting{
          .detect = within("ethernet.watchdog_detect", rounded("ethernet.watchdog_detect", own.watchdog.detect, ms, 1),
                           {100, bounded ? 5'000U : 0U, " ms"}),
          .restore =
              within("ethernet.watchdog_restore", rounded("ethernet.watchdog_restore", own.watchdog.restore, ms, 1),
                     {100, bounded ? 60'000U : 0U, " ms"}),
          .drops = own.watchdog.action == fabric::PfcWatchdogOptions::Action::kDrop};
      for (ClassSetting& one : port.classes) {
        one.watchdog = one.pfc;
      }
    }
    bridge.ports.push_back(std::move(port));
  }

  /// SONiC has weights from 1 to 100; all others have percent.
  void add_shares(PortSetting& port, const fabric::EthernetPortOptions& own) {
    Shares weights{};
    std::ranges::transform(own.priorities, weights.begin(), &fabric::PriorityOptions::dwrr_weight);
    const bool percent = syntax_ != Syntax::kSonic;
    const Shares shares = percent ? percents_of(weights, made_.rounded) : weights;
    for (std::size_t p = 0; p < kClasses; ++p) {
      port.classes[p].weight = std::min(shares[p], kMostWeight);
      if (shares[p] > kMostWeight) {
        round(fmt::format("ethernet.priority.{}.weight: {} is written as {}", p, shares[p], kMostWeight));
      }
    }
  }

  ClassSetting class_of(const fabric::PriorityOptions& own, std::size_t number, Bytes needed) {
    ClassSetting made{.pfc = own.lossless};
    if (own.ecn) {
      made.mark = MarkSetting{
          .kmin = count_of(own.ecn->kmin), .kmax = count_of(own.ecn->kmax), .percent = percent_of(own.ecn->pmax)};
      if (Probability::from_ratio({.numerator = made.mark->percent, .denominator = 100}) != own.ecn->pmax) {
        round(
            fmt::format("ethernet.priority.{}.pmax: {} is written as {} %", number, own.ecn->pmax, made.mark->percent));
      }
    }
    if (own.lossless) {
      made.buffer = BufferSetting{.reserve = count_of(own.reserve),
                                  .xon_offset = count_of(own.xon_offset),
                                  .headroom = count_of(own.headroom.value_or(needed)),
                                  .exponent = own.ingress_alpha_shift};
      if (own.ingress_limit) {
        made.buffer->limit = count_of(*own.ingress_limit);
        made.buffer->exponent = 0;
      }
    }
    return made;
  }

  NeighbourSetting neighbour(std::size_t link, std::size_t side, fabric::LinkEnd far) {
    const scenario::ControlSettings& control = scenario_.control;
    const Duration second = Duration::seconds(1);
    const std::uint64_t hold = rounded("control.hold_time", control.hold_time, second, 3);
    NeighbourSetting made{.address = cable_address(link, 1 - side),
                          .name = graph_[far.node].name,
                          .as_number = plan_.as_numbers[far.node.value() - graph_.endpoints],
                          .keepalive = hold / 3,
                          .hold = hold,
                          .mrai = rounded("control.mrai", control.mrai, second, 0),
                          .bfd = control.bfd};
    if (control.bfd) {
      const bool is_eos = syntax_ == Syntax::kEos;
      const Duration ms = Duration::milliseconds(1);
      made.bfd_interval = within("control.bfd_interval", rounded("control.bfd_interval", control.bfd_interval, ms, 1),
                                 {50, 60'000, " ms"});
      made.bfd_receive = made.bfd_interval;
      made.bfd_multiplier = within("control.bfd_multiplier", static_cast<std::uint64_t>(control.bfd_multiplier),
                                   {is_eos ? 3U : 2U, is_eos ? 50U : 255U, ""});
    }
    if (scenario_.keys.bgp_password) {
      made.password = kPasswordPlaceholder;
    }
    if (scenario_.keys.bgp_ttl_security) {
      made.ttl_hops = 1;  // at the other end of the cable
    }
    return made;
  }

  // Headroom and reserves of all ports, and the pool that holds what is left with the reserves.
  void finish(SwitchSetting& own) {
    std::uint64_t headroom = 0;
    for (const PortSetting& port : own.ports) {
      for (const ClassSetting& one : port.classes) {
        headroom += one.buffer && one.buffer->headroom ? *one.buffer->headroom : 0;
      }
    }
    own.pool_headroom = headroom;
    own.pool = *own.pool > headroom ? *own.pool - headroom : 0;
    std::ranges::sort(own.ports, {}, &PortSetting::number);
    std::ranges::sort(own.neighbours, {}, &NeighbourSetting::address);
  }

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  Syntax syntax_;
  fabric::EthernetOptions options_;
  fabric::ControlPlan plan_;
  Described made_;
};

/// Parameters of DCQCN as mlx5 has them.
std::map<std::string, std::uint64_t> dcqcn_of(const scenario::Scenario& scenario, Rate line) {
  const scenario::DcqcnSettings& own = scenario.dcqcn;
  const transport::DcqcnParameters scaled = assembly::dcqcn_parameters(scenario, line, std::nullopt);
  const Duration us = Duration::microseconds(1);
  constexpr std::int64_t kMegabit = 1'000'000;
  std::map<std::string, std::uint64_t> made;
  made["rpg_time_reset"] = std::max<std::uint64_t>(units_of(scaled.increase_timer, us), 1);
  made["rpg_byte_reset"] = own.byte_counter ? static_cast<std::uint64_t>(own.byte_counter->count() / 64) : 0;
  made["rpg_threshold"] = static_cast<std::uint64_t>(own.fast_recovery_threshold);
  made["rpg_ai_rate"] = static_cast<std::uint64_t>(scaled.additive_increase.bits_per_second() / kMegabit);
  made["rpg_hai_rate"] = static_cast<std::uint64_t>(scaled.hyper_increase.bits_per_second() / kMegabit);
  made["rpg_min_rate"] = static_cast<std::uint64_t>(scaled.minimum_rate.bits_per_second() / kMegabit);
  made["rate_reduce_monitor_period"] = units_of(own.decrease_interval, us);
  made["dce_tcp_rtt"] = std::max<std::uint64_t>(units_of(own.alpha_timer, us), 1);
  constexpr std::uint64_t kUnity = 1024;  // 1 - g in parts of it
  made["dce_tcp_g"] =
      static_cast<std::uint64_t>((static_cast<Uint128>(own.gain.complement().raw()) * kUnity) / Probability::kOne);
  made["min_time_between_cnps"] = units_of(own.cnp_interval, us);
  made["cnp_dscp"] = static_cast<std::uint64_t>(scenario.qos.cnp_dscp);
  made["cnp_802p_prio"] = static_cast<std::uint64_t>(scenario.qos.cnp_priority);
  return made;
}

void add_weights(NicSetting& nic, const fabric::EthernetPortOptions& port, std::vector<std::string>& rounded) {
  Shares weights{};
  std::ranges::transform(port.priorities, weights.begin(), &fabric::PriorityOptions::dwrr_weight);
  std::ranges::copy(percents_of(weights, rounded), nic.weight.begin());
}

}  // namespace

Result<Described> describe_switches(const scenario::Scenario& scenario, const fabric::Graph& graph, Syntax syntax) {
  return Describer(scenario, graph, syntax).make();
}

Result<Described> describe_nics(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (scenario::is_infiniband(scenario.fabric.family)) {
    return fail("fabric.family is infiniband: what its adapters do is set by the subnet manager; use --for opensm");
  }
  auto options = assembly::ethernet_options(scenario, graph);
  if (!options) {
    return pass_on(options);
  }
  Described made;
  std::map<std::string, std::size_t> ports_of_host;
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    const fabric::Link& link = graph.links[i];
    for (const std::size_t side : {0U, 1U}) {
      const std::uint32_t node = (side == 0 ? link.a : link.b).node.value();
      if (node >= graph.host_endpoints()) {
        continue;
      }
      const std::string& name = graph.nodes[node].name;
      const scenario::DeviceSettings settings = scenario::settings_of_port(
          scenario, name, scenario::PortLink{.rate = link.rate, .tier = assembly::tier_of(graph, link)});
      const fabric::EthernetPortOptions& own = options->ports[options->port_profile[2 * i + side]];
      const std::size_t ordinal = ports_of_host[assembly::host_of(graph, EndpointId(node))]++;
      DeviceConfig device{.syntax = Syntax::kNic, .name = name};
      NicSetting& nic = device.nic;
      nic.commands = nic_commands_of(scenario.fabric.nic_entry);
      nic.interface = fmt::format("eth{}", ordinal);
      nic.rdma = fmt::format("{}{}", rdma_stem(nic.commands), ordinal);
      for (std::size_t p = 0; p < kClasses; ++p) {
        nic.pfc[p] = own.priorities[p].lossless;
      }
      nic.dscp_class = code_points(scenario);
      add_weights(nic, own, made.rounded);
      nic.metres = metres_of(link.propagation);
      nic.mtu = mtu_of(scenario, own);
      if (!scenario::is_over_tcp(scenario.fabric.family)) {  // sockets have theirs from programs
        nic.data_dscp = static_cast<std::uint64_t>(scenario.qos.data_dscp);
      }
      if (scenario.congestion.algorithm == scenario::CongestionAlgorithm::kDcqcn) {
        const auto data = static_cast<std::size_t>(scenario::data_priority_of(scenario.qos, scenario.fabric.family));
        nic.reaction[data] = settings.nic.congestion_control;
        nic.notification[data] = settings.nic.congestion_control;
        nic.congestion = dcqcn_of(scenario, link.rate);
      }
      keep_expressible(nic);
      made.devices.push_back(std::move(device));
    }
  }
  return made;
}

}  // namespace weft::study::devices
