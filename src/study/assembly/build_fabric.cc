#include "study/assembly/build_fabric.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "fabric/fabric.h"
#include "study/assembly/build_control.h"
#include "study/assembly/build_failures.h"
#include "study/assembly/build_lanes.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/scaled.h"
#include "study/assembly/subnet_routes.h"
#include "study/scenario/buffer_cycles.h"
#include "study/scenario/congestion/congestion_table.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/packet_sizes.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/selector.h"
#include "wire/lrh.h"
#include "wire/telemetry.h"

namespace weft::study::assembly {
namespace {

// 802.3 gives a receiver so many quanta to obey a pause; the limit grows with the rate.
//= ieee-802.3 31
Duration standard_response(Rate rate) {
  constexpr std::int64_t kQuantumBytes = 64;
  std::int64_t quanta = 60;
  if (rate > 100_gbps) {
    quanta = 905;
  } else if (rate > 40_gbps) {
    quanta = 394;
  } else if (rate > 10_gbps) {
    quanta = 118;
  }
  return rate.transmit_time(Bytes(kQuantumBytes * quanta));
}

/// What the packets of an algorithm carry for switches and receivers.
wire::TelemetryKind telemetry_of(scenario::CongestionAlgorithm algorithm) {
  switch (scenario::entry_of(algorithm).feedback) {
    case scenario::CongestionFeedback::kTimestamps:
      return wire::TelemetryKind::kTimestamp;
    case scenario::CongestionFeedback::kTelemetry:
      return wire::TelemetryKind::kInBand;
    case scenario::CongestionFeedback::kUetState:
    case scenario::CongestionFeedback::kNone:
    case scenario::CongestionFeedback::kEcn:
    case scenario::CongestionFeedback::kFecn:
      break;
  }
  return wire::TelemetryKind::kNone;
}

/// Beside priorities and pauses: trimming, marks, LLR, credits.
void add_link_options(fabric::EthernetPortOptions& options, const scenario::EthernetSettings& settings) {
  options.ecn_decision =
      settings.ecn_moment == scenario::EcnMoment::kEnd ? fabric::EcnDecision::kEnd : fabric::EcnDecision::kStart;
  if (const scenario::TrimmingSettings& own = settings.trimming; own.enabled) {
    using Victim = fabric::TrimmingOptions::Victim;
    options.trimming = fabric::TrimmingOptions{
        .size = own.size,
        .priority = static_cast<std::uint8_t>(own.priority),
        .dscp = static_cast<std::uint8_t>(own.dscp),
        .last_dscp = static_cast<std::uint8_t>(own.last_dscp),
        .victim = own.victim == scenario::TrimVictim::kCoin ? Victim::kCoin : Victim::kNewcomer};
  }
  if (const scenario::LlrSettings& own = settings.llr; own.enabled) {
    options.retry = fabric::RetryOptions{.latency = own.latency,
                                         .buffer = own.buffer,
                                         .spacing = own.spacing,
                                         .replay_timer = own.replay_timer,
                                         .replays = static_cast<std::uint32_t>(own.replays)};
  }
  options.credit_link = {.unit = settings.cbfc.unit, .resync = settings.cbfc.resync};
}

fabric::EthernetPortOptions port_options(const scenario::Scenario& scenario, const scenario::EthernetSettings& settings,
                                         Rate rate) {
  fabric::EthernetPortOptions options;
  for (std::size_t p = 0; p < settings.priorities.size(); ++p) {
    const scenario::PrioritySettings& from = settings.priorities[p];
    fabric::PriorityOptions& to = options.priorities[p];
    to.lossless = from.lossless;
    to.ingress_alpha_shift = from.alpha.exponent;
    to.egress_alpha_shift = from.egress_alpha.exponent;
    to.ingress_limit = from.ingress_limit;
    to.reserve = from.reserve;
    to.headroom = from.headroom;
    to.xon_offset = from.xon_offset;
    to.dwrr_weight = static_cast<std::uint16_t>(from.weight);
    to.egress_limit = from.egress_limit;
    if (from.credits) {
      to.credits = fabric::CreditOptions{.buffer = from.credit_buffer};
    }
    if (from.ecn) {
      to.ecn = fabric::RedOptions{.kmin = scaled(from.kmin, rate, from.ecn_reference_rate),
                                  .kmax = scaled(from.kmax, rate, from.ecn_reference_rate),
                                  .pmax = from.pmax};
    }
  }
  options.watchdog = {.detect = settings.watchdog_detect.value_or(Duration::zero()),
                      .restore = settings.watchdog_restore,
                      .action = settings.watchdog_action == scenario::WatchdogAction::kDrop
                                    ? fabric::PfcWatchdogOptions::Action::kDrop
                                    : fabric::PfcWatchdogOptions::Action::kForward};
  add_link_options(options, settings);
  options.pause_quanta = static_cast<std::uint16_t>(settings.pause_quanta);
  options.pause_response = settings.pause_response.value_or(standard_response(rate));
  options.mtu_frame = scenario::largest_packet(scenario, Bytes(scenario.fabric.mtu)).frame +
                      Bytes(wire::telemetry_bytes(telemetry_of(scenario.congestion.algorithm)));
  return options;
}

fabric::PathPolicy path_of(const scenario::Scenario& scenario) {
  switch (scenario.routing.policy) {
    case scenario::RoutingPolicy::kEcmp:
    case scenario::RoutingPolicy::kEnhancedEcmp:
      return fabric::PathPolicy::kEcmp;
    case scenario::RoutingPolicy::kSpray:
    case scenario::RoutingPolicy::kLetFlow:
    case scenario::RoutingPolicy::kScheduled:  // cells
      return fabric::PathPolicy::kSpray;
    case scenario::RoutingPolicy::kAdaptive:
    case scenario::RoutingPolicy::kValiant:
    case scenario::RoutingPolicy::kUgal:
      return fabric::PathPolicy::kAdaptive;
    case scenario::RoutingPolicy::kDrill:
      return fabric::PathPolicy::kDrill;
    case scenario::RoutingPolicy::kConga:
      return fabric::PathPolicy::kConga;
    case scenario::RoutingPolicy::kConWeave:
      return fabric::PathPolicy::kConWeave;
    case scenario::RoutingPolicy::kDimensionOrder:  // among parallel cables
      return scenario::is_infiniband(scenario.fabric.family) ? fabric::PathPolicy::kTable : fabric::PathPolicy::kEcmp;
    case scenario::RoutingPolicy::kPinned:
      return fabric::PathPolicy::kPinned;
    case scenario::RoutingPolicy::kCentral:
      return fabric::PathPolicy::kCentral;
    case scenario::RoutingPolicy::kLft:
      break;
  }
  return fabric::PathPolicy::kTable;
}

fabric::BalancingOptions balancing_of(const scenario::RoutingSettings& routing) {
  fabric::BalancingOptions options{.grades = routing.depth_grades,
                                   .unordered_only = routing.multipath_for == scenario::MultipathTraffic::kUnordered,
                                   .flowlet_gap = routing.flowlet_gap,
                                   .flowlet_entries = static_cast<std::uint32_t>(routing.flowlet_entries),
                                   .weighting = static_cast<fabric::Weighting>(routing.port_weights),
                                   .hash = {.function = routing.hash_function,
                                            .rotation = static_cast<std::uint8_t>(routing.hash_rotation),
                                            .buckets = static_cast<std::uint16_t>(routing.hash_buckets),
                                            .parallel_links = routing.link_aggregation},
                                   .notifications = {},
                                   .drill = {.samples = static_cast<std::uint8_t>(routing.drill_samples),
                                             .memory = static_cast<std::uint8_t>(routing.drill_memory)},
                                   .conga = {.dre = {.period = routing.dre_period,
                                                     .alpha = routing.dre_alpha,
                                                     .bits = static_cast<std::uint8_t>(routing.congestion_bits)},
                                             .age = routing.congestion_age},
                                   .conweave = {.reply_margin = routing.reply_margin,
                                                .path_pause = routing.path_pause,
                                                .resume_margin = routing.resume_margin,
                                                .resume_default = routing.resume_default,
                                                .expiry = routing.flow_expiry},
                                   .pinned_entries = static_cast<std::uint32_t>(routing.controller_table)};
  if (!routing.adaptive_service_levels.empty()) {
    options.service_levels = 0;
  }
  for (const std::int64_t level : routing.adaptive_service_levels) {
    options.service_levels = static_cast<std::uint16_t>(options.service_levels | 1U << level);
  }
  if (routing.reorder == scenario::ReorderPlace::kLeaf || routing.policy == scenario::RoutingPolicy::kConWeave) {
    options.reorder = fabric::LeafReorderOptions{.queues = static_cast<std::uint32_t>(routing.reorder_queues),
                                                 .buffer = routing.reorder_buffer,
                                                 .wait = routing.reorder_wait};
  }
  if (scenario::detours(routing.policy)) {
    options.detours =
        fabric::DetourOptions{.rule = routing.policy == scenario::RoutingPolicy::kValiant ? fabric::DetourRule::kValiant
                                                                                          : fabric::DetourRule::kUgal,
                              .threshold = routing.ugal_threshold};
  }
  if (routing.notification_threshold) {
    options.notifications = fabric::NotificationOptions{.threshold = *routing.notification_threshold,
                                                        .hold = routing.notification_hold,
                                                        .interval = routing.notification_interval};
  }
  return options;
}

/// An override at either end counts.
std::vector<std::uint32_t> link_weights(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  std::vector<std::uint32_t> weights;
  if (scenario.routing.port_weights != scenario::PortWeighting::kGiven) {
    return weights;
  }
  for (const fabric::Link& link : graph.links) {
    const scenario::LinkTier tier = tier_of(graph, link);
    const std::int64_t usual = scenario.devices.link(tier).weight;
    std::int64_t weight = usual;
    for (const fabric::LinkEnd end : {link.a, link.b}) {
      if (const std::int64_t own =
              scenario::settings_of_port(scenario, fabric::port_name(graph, end)).link(tier).weight;
          own != usual) {
        weight = own;
      }
    }
    weights.push_back(static_cast<std::uint32_t>(weight));
  }
  return weights;
}

std::optional<std::uint64_t> hash_seed_of(const scenario::Scenario& scenario) {
  if (scenario.routing.hash_seed) {
    return static_cast<std::uint64_t>(*scenario.routing.hash_seed);
  }
  return scenario.routing.polarised ? std::optional<std::uint64_t>(0) : std::nullopt;
}

fabric::Forwarding forwarding_of(const scenario::SwitchSettings& settings) {
  return settings.forwarding == scenario::Forwarding::kCutThrough ? fabric::Forwarding::kCutThrough
                                                                  : fabric::Forwarding::kStoreAndForward;
}

/// Which overrides select a name: what has the same may share a profile.
std::string overrides_of(const scenario::Scenario& scenario, const std::string& name,
                         const std::optional<scenario::PortLink>& link = std::nullopt) {
  std::string marks;
  for (const scenario::DeviceOverride& candidate : scenario.overrides) {
    if (!scenario::selects_link(candidate, link)) {
      marks += '0';
      continue;
    }
    const std::string device = name.substr(0, name.rfind('/'));
    marks += scenario::selects(candidate.select, name) || scenario::selects_device(candidate.select, name) ||
                     scenario::selects(candidate.select, device) || scenario::selects_device(candidate.select, device)
                 ? '1'
                 : '0';
  }
  return marks;
}

/// Gives out numbers to profiles: one for each different key.
class Profiles {
 public:
  /// The number, and whether it is new.
  std::pair<std::size_t, bool> number(const std::string& key) {
    const auto [place, fresh] = numbers_.try_emplace(key, numbers_.size());
    return {place->second, fresh};
  }

 private:
  std::map<std::string, std::size_t> numbers_;
};

Result<void> too_many(std::size_t profiles) {
  return profiles <= 0xFFFF ? Result<void>{}
                            : fail("the overrides create {} kinds of ports; at most 65,535 are supported", profiles);
}

/// Where a link end is that a profile is for.
struct EndPlace {
  Rate rate;
  bool last_hop = false;  // at a switch, towards an endpoint, where that makes a difference
};

/// Of what RCCC limits by credit, marks would tell again.
bool marks_everywhere(const scenario::Scenario& scenario) {
  return !scenario::uses_rccc(scenario) || scenario.rccc.mark_last_hop;
}

/// Calls make(settings, place) for every new kind of link end, and fills in who has which.
template <class Make>
Result<void> profile_ports(const scenario::Scenario& scenario, const fabric::Graph& graph,
                           std::vector<std::uint16_t>& profile_of, Make make) {
  Profiles profiles;
  std::size_t made = 0;
  for (const fabric::Link& link : graph.links) {
    for (const fabric::LinkEnd end : {link.a, link.b}) {
      const fabric::LinkEnd other = end.node == link.a.node ? link.b : link.a;
      const EndPlace place{.rate = link.rate,
                           .last_hop = !marks_everywhere(scenario) && other.node.value() < graph.endpoints};
      const std::string name = scenario.overrides.empty() ? std::string() : fabric::port_name(graph, end);
      const scenario::PortLink own{.rate = link.rate, .tier = tier_of(graph, link)};
      const std::string key = std::to_string(link.rate.bits_per_second()) + (place.last_hop ? " last hop" : "") +
                              (name.empty() ? "" : overrides_of(scenario, name, own));
      const auto [number, fresh] = profiles.number(key);
      if (fresh) {
        ++made;
        make(name.empty() ? scenario.devices : scenario::settings_of_port(scenario, name, own), place);
      }
      if (Result<void> few = too_many(made); !few) {
        return few;
      }
      profile_of.push_back(static_cast<std::uint16_t>(number));
    }
  }
  return {};
}

/// The same for switches.
template <class Make>
void profile_switches(const scenario::Scenario& scenario, const fabric::Graph& graph,
                      std::vector<std::uint16_t>& profile_of, Make make) {
  Profiles profiles;
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    const std::string& name = graph.nodes[i].name;
    const auto [number, fresh] =
        profiles.number(scenario.overrides.empty() ? std::string() : overrides_of(scenario, name));
    if (fresh) {
      make(scenario.overrides.empty() ? scenario.devices : scenario::settings_of_device(scenario, name));
    }
    profile_of.push_back(static_cast<std::uint16_t>(number));
  }
}

/// Between a switch and its reducer.
bool is_internal(const fabric::Graph& graph, const fabric::Link& link) {
  const auto is_port = [&](fabric::NodeIndex node) {
    return node.value() >= graph.host_endpoints() && node.value() < graph.endpoints;
  };
  return is_port(link.a.node) || is_port(link.b.node);
}

/// Of each link, by one of the two keys for errors; empty if none has any.
std::vector<Probability> error_rates(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                     Probability scenario::LinkSettings::*key) {
  std::vector<Probability> rates;
  bool any = false;
  for (const fabric::Link& link : graph.links) {
    const scenario::LinkTier tier = tier_of(graph, link);
    Probability rate = scenario.devices.link(tier).*key;
    if (!scenario.overrides.empty()) {
      for (const fabric::LinkEnd end : {link.a, link.b}) {
        rate = std::max(rate, scenario::settings_of_port(scenario, fabric::port_name(graph, end)).link(tier).*key);
      }
    }
    if (is_internal(graph, link)) {
      rate = Probability::zero();
    }
    any = any || rate > Probability::zero();
    rates.push_back(rate);
  }
  return any ? rates : std::vector<Probability>{};
}

// An event names a device (all of its cables), a port, or both by a pattern; a cable counts once.
Result<std::vector<fabric::LinkEvent>> link_events(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  std::vector<fabric::LinkEvent> events;
  for (const scenario::EventSettings& event : scenario.events) {
    for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
      const fabric::Link& link = graph.links[i];
      const auto is_named = [&](fabric::LinkEnd end) {
        const std::string& device = graph[end.node].name;
        return scenario::selects(event.select, fabric::port_name(graph, end)) ||
               scenario::selects(event.select, device) || scenario::selects_device(event.select, device);
      };
      const bool a = is_named(link.a);
      const bool b = is_named(link.b);
      if (!a && !b) {
        continue;
      }
      using Sender = fabric::LinkEvent::Sender;
      const bool one_way = event.direction == scenario::EventDirection::kOut && a != b;
      const auto kind = event.action == scenario::EventAction::kFail      ? fabric::LinkEvent::Kind::kFail
                        : event.action == scenario::EventAction::kDegrade ? fabric::LinkEvent::Kind::kDegrade
                                                                          : fabric::LinkEvent::Kind::kRestore;
      events.push_back({.at = Time::zero() + event.at,
                        .link = fabric::LinkIndex(i),
                        .kind = kind,
                        .rate = event.rate,
                        .reroute_delay = scenario::reroute_delay_of(scenario.routing),
                        .sender = !one_way ? Sender::kBoth
                                  : a      ? Sender::kA
                                           : Sender::kB});
    }
  }
  Result<std::vector<fabric::LinkEvent>> failures = failure_events(scenario, graph);
  Result<std::vector<FailureSpan>> absences = manager_absences(scenario);
  if (!failures || !absences) {
    return !failures ? std::move(failures) : pass_on(absences);
  }
  events.insert(events.end(), failures->begin(), failures->end());
  delay_routes(events, *absences);
  return events;
}

std::vector<Duration> endpoint_pipelines(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  std::vector<Duration> pipelines;
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    if (i >= graph.host_endpoints()) {
      pipelines.push_back(Duration::zero());  // of a reducer: no NIC is in between
      continue;
    }
    pipelines.push_back(scenario.overrides.empty()
                            ? scenario.devices.nic.rx_latency
                            : scenario::settings_of_device(scenario, graph.nodes[i].name).nic.rx_latency);
    // What the sender adds is counted here as well: each packet meets both.
    pipelines.back() += scenario::security_latency(scenario).at_end();
  }
  return pipelines;
}

constexpr std::int64_t kBlockBytes = 64;

fabric::InfiniBandPortOptions ib_port_options(const scenario::Scenario& scenario,
                                              const scenario::InfinibandSettings& settings) {
  fabric::InfiniBandPortOptions options;
  options.sl_to_vl = lanes_of(scenario, settings);
  const std::int64_t blocks = settings.vl_buffer.count() / kBlockBytes;
  options.buffer_blocks.fill(static_cast<std::uint16_t>(std::min<std::int64_t>(blocks, 0xFFFF)));
  options.arbitration = vl_arbitration(settings);
  if (scenario.congestion.algorithm == scenario::CongestionAlgorithm::kIbCc && scenario.ib_congestion.threshold > 0) {
    options.fecn =
        fabric::FecnOptions{.threshold = fabric::fecn_threshold(
                                {static_cast<std::uint8_t>(scenario.ib_congestion.threshold)}, settings.vl_buffer),
                            .marking_rate = static_cast<std::uint16_t>(scenario.ib_congestion.marking_rate),
                            .packet_size = Bytes(kBlockBytes * scenario.ib_congestion.packet_size)};
  }
  options.largest_frame = scenario::largest_packet(scenario, Bytes(scenario.fabric.mtu)).frame;
  if (settings.credit_update_threshold) {
    const std::int64_t parts = settings.vl_buffer.count() / settings.credit_update_threshold->count();
    options.credit_divisor = static_cast<std::uint16_t>(std::clamp<std::int64_t>(parts, 1, 0xFFFF));
  }
  return options;
}

/// By pauses or by credits.
bool holds_back(const fabric::EthernetPortOptions& port) {
  return std::ranges::any_of(port.priorities, [](const fabric::PriorityOptions& priority) {
    return priority.lossless || priority.credits.has_value();
  });
}

/// A subnet has a LID for each switch, and those of each end port.
Result<void> check_lids(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const std::uint64_t wanted = (std::uint64_t{graph.endpoints} << scenario.routing.lmc) + graph.switches();
  if (wanted <= wire::kLastUnicastLid) {
    return {};
  }
  return scenario::fail_at(scenario, scenario.routing.lmc > 0 ? "routing.lmc" : "fabric.family",
                           "{} end ports with {} LIDs each and {} switches need {} LIDs, and a subnet of InfiniBand "
                           "has {}; weft has no routers between subnets",
                           graph.endpoints, 1 << scenario.routing.lmc, graph.switches(), wanted, wire::kLastUnicastLid);
}

}  // namespace

std::uint8_t hash_fields_of(const std::vector<scenario::HashedField>& fields) {
  constexpr std::array<std::uint8_t, 8> kBits = {
      fabric::kHashFiveTuple,       fabric::kHashSource,   fabric::kHashDestination,   fabric::kHashSourcePort,
      fabric::kHashDestinationPort, fabric::kHashProtocol, fabric::kHashDestinationQp, fabric::kHashFlowLabel};
  std::uint8_t bits = 0;
  for (const scenario::HashedField field : fields) {
    bits = static_cast<std::uint8_t>(bits | kBits[static_cast<std::size_t>(field)]);
  }
  return bits;
}

std::optional<fabric::HeaderHash> header_hash_of(const scenario::RoutingSettings& routing) {
  fabric::HeaderHash hash{.function = routing.hash_function, .fields = hash_fields_of(routing.hash_fields)};
  if (routing.policy == scenario::RoutingPolicy::kEnhancedEcmp) {
    hash.fields |= fabric::kHashDestinationQp;
  }
  return hash == fabric::HeaderHash{} ? std::nullopt : std::optional(hash);
}

bool chooses_by_load(const scenario::Scenario& scenario) {
  using Policy = scenario::RoutingPolicy;
  constexpr std::array kPolicies{Policy::kAdaptive, Policy::kLetFlow, Policy::kDrill, Policy::kConga,
                                 Policy::kConWeave};
  return std::ranges::find(kPolicies, scenario.routing.policy) != kPolicies.end();
}

fabric::RouteRule route_rule_of(scenario::RoutingPolicy policy) {
  return policy == scenario::RoutingPolicy::kDimensionOrder ? fabric::RouteRule::kDimensionOrder
                                                            : fabric::RouteRule::kShortest;
}

std::array<std::uint8_t, fabric::kServiceLevels> lanes_of(const scenario::Scenario& scenario,
                                                          const scenario::InfinibandSettings& settings) {
  std::array<std::uint8_t, fabric::kServiceLevels> lanes{};
  const std::int64_t own = settings.vls / scenario::lane_sets(scenario);
  for (std::size_t sl = 0; sl < lanes.size(); ++sl) {
    lanes[sl] =
        static_cast<std::uint8_t>(settings.sl2vl.empty() ? static_cast<std::int64_t>(sl) % own : settings.sl2vl[sl]);
  }
  return lanes;
}

Result<fabric::EthernetOptions> ethernet_options(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (scenario.routing.policy == scenario::RoutingPolicy::kConga) {
    if (Result<void> able = fabric::check_two_tiers(graph); !able) {
      return scenario::fail_at(scenario, "routing.policy", "CONGA: {}", able.error().message);
    }
  }
  fabric::EthernetOptions options;
  options.switches.clear();
  options.ports.clear();
  profile_switches(scenario, graph, options.switch_profile, [&](const scenario::DeviceSettings& device) {
    options.switches.push_back({.forwarding = forwarding_of(device.switch_),
                                .latency = device.switch_.latency + scenario::security_latency(scenario).hop,
                                .buffer = device.switch_.buffer,
                                .path = path_of(scenario),
                                .balancing = balancing_of(scenario.routing),
                                .hash_seed = hash_seed_of(scenario)});
  });
  Result<void> profiled =
      profile_ports(scenario, graph, options.port_profile, [&](const scenario::DeviceSettings& device, EndPlace place) {
        options.ports.push_back(port_options(scenario, device.ethernet, place.rate));
        for (fabric::PriorityOptions& priority : options.ports.back().priorities) {
          if (place.last_hop) {
            priority.ecn.reset();
          }
        }
      });
  if (!profiled) {
    return pass_on(profiled);
  }
  // What the scenario says of all devices was checked before.
  if (scenario::closes_cycles(scenario) && std::ranges::any_of(options.ports, holds_back)) {
    return scenario::fail_at(scenario, "topology.kind",
                             "an override makes a priority lossless, and paths close cycles of buffers: switches that "
                             "pause each other around one never go on (deadlock)");
  }
  options.endpoint_pipeline = endpoint_pipelines(scenario, graph);
  options.bit_error_rate = error_rates(scenario, graph, &scenario::LinkSettings::bit_error_rate);
  options.packet_error_rate = error_rates(scenario, graph, &scenario::LinkSettings::packet_error_rate);
  options.link_weight = link_weights(scenario, graph);
  Result<std::vector<fabric::LinkEvent>> events = link_events(scenario, graph);
  if (!events) {
    return pass_on(events);
  }
  options.events = std::move(*events);
  options.route_rule = route_rule_of(scenario.routing.policy);
  options.ports_stand_in = scenario.routing.port_failover;
  options.deadlock_check = 1_ms;
  options.frame_gap = scenario.fabric.frame_gap + Bytes(scenario::protection_of(scenario).gap);
  options.telemetry = telemetry_of(scenario.congestion.algorithm) != wire::TelemetryKind::kNone;
  options.control_priority = static_cast<std::uint8_t>(scenario.qos.cnp_priority);
  if (scenario::has_control(scenario)) {
    Result<fabric::ControlOptions> control = control_options(scenario, graph);
    if (!control) {
      return pass_on(control);
    }
    options.control = std::move(*control);
    options.route_updates = fabric::LinkSchedule::RouteUpdates::kNone;
  }
  return options;
}

Result<fabric::ScheduledOptions> scheduled_options(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (Result<void> able = fabric::check_two_tiers(graph); !able) {
    return scenario::fail_at(scenario, "routing.policy", "a scheduled fabric: {}", able.error().message);
  }
  Result<fabric::EthernetOptions> plain = ethernet_options(scenario, graph);
  if (!plain) {
    return pass_on(plain);
  }
  fabric::ScheduledOptions options;
  options.switches.clear();
  for (const fabric::EthernetSwitchOptions& own : plain->switches) {
    options.switches.push_back({.latency = own.latency, .buffer = own.buffer});
  }
  options.ports = std::move(plain->ports);
  options.switch_profile = std::move(plain->switch_profile);
  options.port_profile = std::move(plain->port_profile);
  options.bit_error_rate = std::move(plain->bit_error_rate);
  options.packet_error_rate = std::move(plain->packet_error_rate);
  options.endpoint_pipeline = std::move(plain->endpoint_pipeline);
  options.events = std::move(plain->events);
  options.frame_gap = plain->frame_gap;
  const scenario::RoutingSettings& own = scenario.routing;
  options.cell = {.size = own.cell_size, .header = own.cell_header};
  options.credit = {.size = own.credit_size,
                    .excess = own.credit_excess,
                    .egress_buffer = own.egress_buffer,
                    .latency = own.credit_latency};
  options.reassembly_timeout = own.reassembly_timeout;
  return options;
}

Result<fabric::AnyFabricOptions> fabric_options(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const auto any = [](auto made) -> Result<fabric::AnyFabricOptions> {
    return made ? Result<fabric::AnyFabricOptions>(std::move(*made)) : pass_on(made);
  };
  if (scenario::is_infiniband(scenario.fabric.family)) {
    Result<void> enough = check_lids(scenario, graph);
    if (!enough) {
      return pass_on(enough);
    }
    Result<fabric::InfiniBandOptions> made = infiniband_options(scenario, graph);
    if (made && scenario::has_manager(scenario.routing)) {
      Result<SubnetRoutes> routes = subnet_routes(scenario, graph);
      if (!routes) {
        return pass_on(routes);
      }
      made->tables = std::move(routes->tables);
      made->levels = std::move(routes->levels);
    }
    return any(std::move(made));
  }
  return scenario.routing.policy == scenario::RoutingPolicy::kScheduled ? any(scheduled_options(scenario, graph))
                                                                        : any(ethernet_options(scenario, graph));
}

Result<fabric::InfiniBandOptions> infiniband_options(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  fabric::InfiniBandOptions options;
  options.data_lanes = static_cast<std::uint8_t>(scenario.devices.infiniband.vls);
  options.lane_phases = static_cast<std::uint8_t>(scenario::lane_sets(scenario));
  options.lid_mask_control = static_cast<std::uint8_t>(scenario.routing.lmc);
  options.switches.clear();
  options.ports.clear();
  profile_switches(scenario, graph, options.switch_profile, [&](const scenario::DeviceSettings& device) {
    options.switches.push_back(
        {.forwarding = forwarding_of(device.switch_),
         .latency = device.switch_.latency,
         .head_of_queue_lifetime = device.infiniband.head_of_queue_lifetime.value_or(Duration::zero()),
         .path = path_of(scenario),
         .balancing = balancing_of(scenario.routing),
         .hash_seed = hash_seed_of(scenario)});
  });
  Result<void> profiled = profile_ports(scenario, graph, options.port_profile,
                                        [&](const scenario::DeviceSettings& device, EndPlace /*place*/) {
                                          options.ports.push_back(ib_port_options(scenario, device.infiniband));
                                        });
  if (!profiled) {
    return pass_on(profiled);
  }
  options.endpoint_pipeline = endpoint_pipelines(scenario, graph);
  options.bit_error_rate = error_rates(scenario, graph, &scenario::LinkSettings::bit_error_rate);
  options.packet_error_rate = error_rates(scenario, graph, &scenario::LinkSettings::packet_error_rate);
  options.link_weight = link_weights(scenario, graph);
  Result<std::vector<fabric::LinkEvent>> events = link_events(scenario, graph);
  if (!events) {
    return pass_on(events);
  }
  options.events = std::move(*events);
  options.route_rule = route_rule_of(scenario.routing.policy);
  options.credit_repetition = scenario.devices.infiniband.credit_update_interval;
  return options;
}

}  // namespace weft::study::assembly
