#include "study/tuning/tuning_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/format_quantity.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/congestion/dcqcn.h"
#include "study/assembly/port_needs.h"
#include "study/scenario/data_class.h"
#include "study/scenario/packet_sizes.h"
#include "study/scenario/scenario_words.h"
#include "study/tuning/tuning_warnings.h"

namespace weft::study::tuning {
namespace {

constexpr std::array<std::int64_t, 3> kSenders = {2, 8, 32};

class Reporter {
 public:
  Reporter(const scenario::Scenario& scenario, const fabric::Graph& graph) : scenario_(scenario), graph_(graph) {
    report_.name = scenario.name;
    report_.family = scenario.fabric.family;
    report_.round_trip = assembly::base_round_trip(scenario, graph);
    data_ = static_cast<std::size_t>(scenario::data_priority_of(scenario.qos, scenario.fabric.family));
  }

  Result<TuningReport> make() {
    if (scenario::is_infiniband(scenario_.fabric.family)) {
      auto options = assembly::infiniband_options(scenario_, graph_);
      if (!options) {
        return pass_on(options);
      }
      add_infiniband_ports(*options);
    } else {
      auto options = assembly::ethernet_options(scenario_, graph_);
      if (!options) {
        return pass_on(options);
      }
      add_ethernet_ports(*options);
    }
    for (auto& [key, port] : ports_) {
      report_.ports.push_back(std::move(port));
    }
    add_senders();
    if (const auto needs = assembly::port_needs(scenario_, graph_); needs && needs->receive_headroom) {
      report_.receive_headroom_needed = needs->receive_headroom->most;
    }
    report_.warnings = tuning_warnings(scenario_, report_);
    return std::move(report_);
  }

 private:
  /// One end of a link that is a switch's port, and its number in the fabric's options.
  struct End {
    const fabric::Link& link;
    fabric::LinkEnd at;
    std::size_t number;  // of this end, of all link ends
    std::size_t peer;
    scenario::LinkTier tier;
    std::size_t switch_ordinal;
  };

  template <class Add>
  void each_switch_port(Add add) const {
    for (std::size_t i = 0; i < graph_.links.size(); ++i) {
      const fabric::Link& link = graph_.links[i];
      for (const std::size_t side : {0U, 1U}) {
        const fabric::LinkEnd at = side == 0 ? link.a : link.b;
        const std::uint32_t node = at.node.value();
        const bool internal = std::ranges::any_of(std::array{link.a, link.b}, [&](fabric::LinkEnd end) {
          return end.node.value() >= graph_.host_endpoints() && end.node.value() < graph_.endpoints;
        });
        if (node < graph_.endpoints || internal) {
          continue;
        }
        add(End{.link = link,
                .at = at,
                .number = 2 * i + side,
                .peer = 2 * i + 1 - side,
                .tier = assembly::tier_of(graph_, link),
                .switch_ordinal = node - graph_.endpoints});
      }
    }
  }

  // Ports are alike that share tier, rate, the profiles of port and switch.
  PortTuning& port_of(const End& end, std::size_t port_profile, std::size_t switch_profile) {
    PortTuning& port = ports_[{end.tier, end.link.rate, port_profile, switch_profile}];
    port.tier = end.tier;
    port.rate = end.link.rate;
    port.bdp = assembly::bandwidth_delay_product(end.link.rate, report_.round_trip.time);
    ++port.ports;
    port.switch_ports = std::max<std::int64_t>(port.switch_ports, graph_[end.at.node].ports);
    port.propagation = std::max(port.propagation, end.link.propagation);
    return port;
  }

  [[nodiscard]] Bytes headroom_of(const fabric::EthernetOptions& options, const End& end) const {
    return assembly::headroom_needed(options, graph_, {.link = end.number / 2, .side = end.number % 2});
  }

  // As the fabric divides a switch's buffer: what headroom and reserves leave is shared.
  [[nodiscard]] std::vector<Bytes> pools(const fabric::EthernetOptions& options) const {
    std::vector<Bytes> left;
    for (const std::uint16_t profile : options.switch_profile) {
      left.push_back(options.switches[profile].buffer);
    }
    each_switch_port([&](const End& end) {
      for (const fabric::PriorityOptions& own : options.ports[options.port_profile[end.number]].priorities) {
        left[end.switch_ordinal] -= own.reserve;
        if (own.lossless) {
          left[end.switch_ordinal] -= own.headroom.value_or(headroom_of(options, end));
        }
      }
    });
    return left;
  }

  void add_ethernet_ports(const fabric::EthernetOptions& options) {
    const std::vector<Bytes> pools = this->pools(options);
    each_switch_port([&](const End& end) {
      const std::size_t profile = options.port_profile[end.number];
      const fabric::PriorityOptions& own = options.ports[profile].priorities[data_];
      PortTuning& port = port_of(end, profile, options.switch_profile[end.switch_ordinal]);
      const DynamicThreshold threshold{.pool = std::max(pools[end.switch_ordinal], Bytes::zero()),
                                       .reserve = own.reserve,
                                       .alpha_shift = own.ingress_alpha_shift};
      const CrowdedPorts all{graph_[end.at.node].ports};
      if (own.lossless) {
        add_pause(port, own, threshold, all, headroom_of(options, end));
      }
      if (own.ecn) {
        add_mark(port, own, threshold, all);
      }
    });
  }

  static void add_pause(PortTuning& port, const fabric::PriorityOptions& own, const DynamicThreshold& threshold,
                        CrowdedPorts all, Bytes needed) {
    const PauseTuning here{
        .headroom = own.headroom.value_or(needed),
        .headroom_needed = needed,
        .threshold = own.ingress_limit.value_or(pause_threshold(threshold, CrowdedPorts{1})),
        .threshold_crowded = own.ingress_limit.value_or(pause_threshold(threshold, all)),
    };
    if (!port.pause) {
      port.pause = here;
      return;
    }
    // Of ports that differ in cable or in how full their switch is, the tightest.
    port.pause->headroom_needed = std::max(port.pause->headroom_needed, here.headroom_needed);
    port.pause->headroom = own.headroom ? here.headroom : std::max(port.pause->headroom, here.headroom);
    port.pause->threshold = std::min(port.pause->threshold, here.threshold);
    port.pause->threshold_crowded = std::min(port.pause->threshold_crowded, here.threshold_crowded);
  }

  static void add_mark(PortTuning& port, const fabric::PriorityOptions& own, const DynamicThreshold& threshold,
                       CrowdedPorts all) {
    MarkTuning here{.kmin = own.ecn->kmin, .kmax = own.ecn->kmax, .pmax = own.ecn->pmax, .before_pause = std::nullopt};
    if (own.lossless) {
      here.before_pause = own.ingress_limit ? *own.ingress_limit / all.count : mark_before_pause(threshold, all);
    }
    if (port.mark && port.mark->before_pause) {
      here.before_pause = std::min(here.before_pause.value_or(*port.mark->before_pause), *port.mark->before_pause);
    }
    port.mark = here;
  }

  void add_infiniband_ports(const fabric::InfiniBandOptions& options) {
    const Bytes frame = wire_packet();
    each_switch_port([&](const End& end) {
      const std::size_t profile = options.port_profile[end.number];
      PortTuning& port = port_of(end, profile, options.switch_profile[end.switch_ordinal]);
      const auto lane = static_cast<std::size_t>(
          assembly::lanes_of(scenario_, scenario_.devices.infiniband)[static_cast<std::size_t>(scenario_.qos.data_sl)]);
      constexpr std::int64_t kBlock = 64;
      port.credits = Bytes(options.ports[profile].buffer_blocks[lane] * kBlock);
      // A packet stays until it has gone on; its credit then travels back behind at most one packet.
      const Duration pipeline = options.switches[options.switch_profile[end.switch_ordinal]].latency;
      const Bytes needed = end.link.rate.bytes_in(end.link.propagation * 2 + pipeline) + frame * 2;
      port.credits_needed = std::max(port.credits_needed.value_or(needed), needed);
    });
  }

  [[nodiscard]] Bytes wire_packet() const { return scenario::data_packet(scenario_, Bytes(scenario_.fabric.mtu)).wire; }

  void add_senders() {
    std::map<Rate, const fabric::Link*> lines;
    for (const fabric::Link& link : graph_.links) {
      for (const fabric::LinkEnd end : {link.a, link.b}) {
        if (end.node.value() < graph_.host_endpoints()) {
          lines.emplace(link.rate, &link);
        }
      }
    }
    for (const auto& [line, link] : lines) {
      SenderTuning sender{.line = line,
                          .window = std::nullopt,
                          .bdp = assembly::bandwidth_delay_product(line, report_.round_trip.time),
                          .dcqcn = std::nullopt,
                          .queues = {}};
      if (scenario_.congestion.window) {
        sender.window = assembly::window_bytes(scenario_, *scenario_.congestion.window, line, report_.round_trip.time);
      }
      if (scenario_.congestion.algorithm == scenario::CongestionAlgorithm::kDcqcn) {
        add_dcqcn(sender);
      }
      report_.senders.push_back(std::move(sender));
    }
  }

  // The queue is that of a switch port towards such a line.
  void add_dcqcn(SenderTuning& sender) {
    const transport::DcqcnParameters own = assembly::dcqcn_parameters(scenario_, sender.line, std::nullopt);
    const auto port = std::ranges::find_if(report_.ports, [&](const PortTuning& candidate) {
      return candidate.tier == scenario::LinkTier::kHost && candidate.rate == sender.line && candidate.mark;
    });
    DcqcnFormula formula{.line = sender.line,
                         .packet = wire_packet(),
                         .kmin = {},
                         .kmax = {},
                         .pmax = Probability::zero(),
                         .cnp_interval = std::max(own.cnp_interval, own.decrease_interval),
                         .increase_timer = own.increase_timer,
                         .byte_counter = scenario_.dcqcn.byte_counter,
                         .additive_increase = own.additive_increase};
    if (port != report_.ports.end()) {
      formula.kmin = port->mark->kmin;
      formula.kmax = port->mark->kmax;
      formula.pmax = port->mark->pmax;
      for (const std::int64_t senders : kSenders) {
        sender.queues.push_back({.senders = senders, .point = fixed_point(formula, senders)});
      }
    }
    sender.dcqcn = formula;
  }

  using PortKey = std::tuple<scenario::LinkTier, Rate, std::size_t, std::size_t>;

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  std::size_t data_ = 0;
  std::map<PortKey, PortTuning> ports_;
  TuningReport report_;
};

}  // namespace

Result<TuningReport> tuning_report(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  return Reporter(scenario, graph).make();
}

}  // namespace weft::study::tuning
