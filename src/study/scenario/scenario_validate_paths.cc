// Paths: which settings of senders, LIDs and ports choose among them, and where they would have no effect.
#include <algorithm>
#include <array>
#include <bit>

#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

Result<void> check_power_of_two(const Scenario& scenario, const char* path, std::int64_t value) {
  if (std::has_single_bit(static_cast<std::uint64_t>(value))) {
    return {};
  }
  const auto below = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(value)));
  return fail_at(scenario, path, "{} is no power of two; {} or {}", value, below, below * 2);
}

// What only InfiniBand has is an error elsewhere, but where it was set for another family.
Result<void> validate_lids(const Scenario& scenario) {
  const RoutingSettings& routing = scenario.routing;
  const Family family = scenario.fabric.family;
  const char* const key = routing.lmc > 0                            ? "routing.lmc"
                          : !routing.adaptive_service_levels.empty() ? "routing.adaptive_service_levels"
                                                                     : nullptr;
  if (key == nullptr || is_infiniband(family) || rank_of(scenario, key) < rank_of(scenario, "fabric.family")) {
    return {};
  }
  return fail_at(scenario, key, "is of infiniband and has no effect with family = \"{}\"", word_of(family));
}

// Where the family, or the discipline, has no bonds, an error only if it was not set for another one.
Result<void> validate_port_failover(const Scenario& scenario) {
  constexpr const char* kKey = "routing.port_failover";
  if (!scenario.routing.port_failover) {
    return {};
  }
  if (scenario.topology.ports_per_nic < 2) {
    return fail_at(scenario, kKey, "needs NICs with several ports; topology.ports_per_nic is {}",
                   scenario.topology.ports_per_nic);
  }
  if (rank_of(scenario, kKey) < rank_of(scenario, "fabric.family")) {
    return {};
  }
  if (is_infiniband(scenario.fabric.family)) {
    return fail_at(
        scenario, kKey,
        "has no effect with family = \"{}\": its ports have LIDs of their own, and moving a connection is left "
        "to programs",
        word_of(scenario.fabric.family));
  }
  if (scenario.routing.policy == RoutingPolicy::kScheduled) {
    return fail_at(scenario, kKey, "has no effect in a scheduled fabric: queues there are of one port");
  }
  constexpr std::array kByLeaves = {RoutingPolicy::kConga, RoutingPolicy::kConWeave, RoutingPolicy::kPinned,
                                    RoutingPolicy::kCentral};
  if (scenario.topology.planes > 1 && std::ranges::find(kByLeaves, scenario.routing.policy) != kByLeaves.end()) {
    return fail_at(
        scenario, kKey,
        "with planes works with routing.policy ecmp, e-ecmp, spray, adaptive, drill and letflow; '{}' knows one "
        "leaf of each receiver",
        word_of(scenario.routing.policy));
  }
  return {};
}

/// PLB of TCP: what it changes must be there, switches must look at it, and marks must come back.
Result<void> validate_tcp_plb(const Scenario& scenario) {
  constexpr const char* kKey = "tcp.path_selector";
  const RoutingSettings& routing = scenario.routing;
  if (scenario.tcp.path_selector == TcpPathRule::kSingle) {
    return {};
  }
  if (is_infiniband(scenario.fabric.family)) {
    return rank_of(scenario, kKey) < rank_of(scenario, "fabric.family")
               ? Result<void>()
               : fail_at(scenario, kKey, "has no effect with family = \"{}\", which carries no TCP; use \"single\"",
                         word_of(scenario.fabric.family));
  }
  if (scenario.fabric.ip_version != IpVersion::kV6) {
    return fail_at(scenario, kKey, "'plb' changes the flow label, a field of IPv6; set fabric.ip_version = \"ipv6\"");
  }
  if (!hashes_flows(routing.policy) && routing.multipath_for == MultipathTraffic::kAll) {
    return fail_at(scenario, kKey,
                   "'plb' needs switches that hash; with routing.policy = \"{}\" no flow label is looked at. Use "
                   "\"ecmp\"",
                   word_of(routing.policy));
  }
  if (std::ranges::find(routing.hash_fields, HashedField::kFlowLabel) == routing.hash_fields.end()) {
    return fail_at(scenario, kKey,
                   "'plb' changes the flow label, which the switches do not hash; set routing.hash_fields = "
                   "[\"5-tuple\", \"flow-label\"]");
  }
  if (tcp_ecn(scenario.tcp) != TcpEcnUse::kPerPacket) {
    return fail_at(scenario, kKey,
                   "'plb' goes by the echo of each mark; set tcp.congestion_control = \"dctcp\", or tcp.ecn = "
                   "\"per-packet\"");
  }
  return {};
}

/// One key of how senders choose paths, and whether the rule in force looks at it.
struct PathKey {
  const char* path;
  bool used;
  const char* rules;  // that look at it
};

// Keys that the rule in force does not look at. One that is weaker than what chose the rule was meant for another one.
Result<void> validate_path_keys(const Scenario& scenario) {
  const Family family = scenario.fabric.family;
  const PathRule rule = has_entropy(family) ? scenario.transport.path_selector : PathRule::kSingle;
  const bool tcp_plb = !is_infiniband(family) && scenario.tcp.path_selector == TcpPathRule::kPlb;
  const bool plb = rule == PathRule::kPlb || tcp_plb;
  constexpr const char* kPlb = "transport.path_selector or tcp.path_selector \"plb\"";
  const std::array keys = {
      PathKey{.path = "transport.paths",
              .used = rule != PathRule::kSingle,
              .rules = "a path_selector other than \"single\" on rocev2"},
      PathKey{.path = "transport.path_burst",
              .used = rule == PathRule::kInTurn || rule == PathRule::kRandom,
              .rules = "path_selector \"in-turn\" or \"random\" on rocev2"},
      PathKey{.path = "transport.plb_threshold", .used = plb, .rules = kPlb},
      PathKey{.path = "transport.plb_rounds", .used = plb, .rules = kPlb},
      PathKey{.path = "transport.plb_idle_rounds", .used = plb, .rules = kPlb},
      PathKey{.path = "transport.plb_suspend", .used = plb, .rules = kPlb},
  };
  const int chosen = std::max({rank_of(scenario, "transport.path_selector"), rank_of(scenario, "tcp.path_selector"),
                               rank_of(scenario, "routing.scheme"), rank_of(scenario, "fabric.family"),
                               rank_of(scenario, "fabric.tuning"), static_cast<int>(Origin::kFile)});
  for (const PathKey& key : keys) {
    const int rank = rank_of(scenario, key.path);
    if (!key.used && rank >= chosen && rank != static_cast<int>(Origin::kDerived)) {
      return fail_at(scenario, key.path, "has no effect with family = \"{}\" and path_selector = \"{}\"; only with {}",
                     word_of(family), word_of(scenario.transport.path_selector), key.rules);
    }
  }
  return {};
}

}  // namespace

// Paths that senders choose. Of a network whose packets have no room for them they mean nothing: an error only if they
// were not set for another family.
Result<void> validate_paths(const Scenario& scenario) {
  const TransportSettings& transport = scenario.transport;
  constexpr const char* kSelector = "transport.path_selector";
  if (auto right = validate_lids(scenario); !right) {
    return right;
  }
  if (auto right = validate_port_failover(scenario); !right) {
    return right;
  }
  if (auto right = validate_tcp_plb(scenario); !right) {
    return right;
  }
  if (auto right = check_power_of_two(scenario, "transport.paths", transport.paths); !right) {
    return right;
  }
  if (auto right = validate_path_keys(scenario); !right) {
    return right;
  }
  if (auto right = check_power_of_two(scenario, "uet.paths", scenario.uet.paths); !right) {
    return right;
  }
  if (scenario.uet.window) {
    if (auto right = check_power_of_two(scenario, "uet.window", *scenario.uet.window); !right) {
      return right;
    }
  }
  if (!is_of_uet(scenario.uet.path_selector)) {
    return fail_at(scenario, "uet.path_selector",
                   "'{}' is of rocev2; Ultra Ethernet has single, oblivious, bitmap, reps and mixed",
                   word_of(scenario.uet.path_selector));
  }
  const Family family = scenario.fabric.family;
  constexpr const char* kPorts = "transport.source_ports";
  if (transport.source_ports != workload::SourcePorts::kPerQueuePair && !has_entropy(family) &&
      rank_of(scenario, kPorts) >= rank_of(scenario, "fabric.family")) {
    return fail_at(scenario, kPorts, "has no effect with family = \"{}\"; only with rocev2", word_of(family));
  }
  if (transport.path_selector == PathRule::kSingle) {
    return {};
  }
  if (!has_entropy(family)) {
    return rank_of(scenario, kSelector) < rank_of(scenario, "fabric.family")
               ? Result<void>()
               : fail_at(scenario, kSelector, "has no effect with family = \"{}\"; {}", word_of(family),
                         engine_of(family) == FamilyEngine::kUet ? "set uet.path_selector" : "only with rocev2");
  }
  if (learns(transport.path_selector) && transport.loss_recovery != LossRecoveryKind::kSelectiveRepeat) {
    return fail_at(scenario, kSelector,
                   "'{}' learns from each packet's fate; needs loss_recovery = \"selective-repeat\"",
                   word_of(transport.path_selector));
  }
  return {};
}

}  // namespace weft::study::scenario
