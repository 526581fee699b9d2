#include "study/scenario/scenario_validate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/format_quantity.h"
#include "base/nearest_word.h"
#include "fabric/routing/depth_grades.h"
#include "fabric/scale_up/scale_up_fabric.h"
#include "study/scenario/apply.h"
#include "study/scenario/collective_traffic.h"
#include "study/scenario/congestion/congestion_table.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/optional_traffic.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

constexpr Bytes kLargestFrame{0xFFFF};  // of a simulated packet

template <std::size_t Count>
bool is_one_of(std::int64_t value, const std::array<std::int64_t, Count>& allowed) {
  return std::ranges::find(allowed, value) != allowed.end();
}

Result<void> validate_mtu(const Scenario& scenario) {
  const std::int64_t mtu = scenario.fabric.mtu;
  constexpr std::array<std::int64_t, 5> kMtus = {256, 512, 1'024, 2'048, 4'096};
  if (is_infiniband(scenario.fabric.family) && !is_one_of(mtu, kMtus)) {
    return fail_at(scenario, "fabric.mtu", "{} is no path MTU of InfiniBand; one of {}", mtu, fmt::join(kMtus, ", "));
  }
  if (mtu % 4 != 0) {
    return fail_at(scenario, "fabric.mtu", "{} is not a whole number of words of 4 bytes; {} or {}", mtu, mtu / 4 * 4,
                   mtu / 4 * 4 + 4);
  }
  return {};
}

/// What a scheduled fabric needs, and what of Ethernet it does not have.
Result<void> validate_scheduled(const Scenario& scenario) {
  const RoutingSettings& own = scenario.routing;
  const EthernetSettings& ethernet = scenario.devices.ethernet;
  if (is_infiniband(scenario.fabric.family)) {
    return fail_at(scenario, "routing.policy",
                   "a scheduled fabric is one of Ethernet, and InfiniBand has its own credits; use lft, adaptive or "
                   "spray");
  }
  if (own.cell_header >= own.cell_size) {
    return fail_at(scenario, "routing.cell_header", "{} leaves no room in a cell of {}", own.cell_header,
                   own.cell_size);
  }
  if (own.egress_buffer < own.credit_size) {
    return fail_at(scenario, "routing.egress_buffer", "{} is less than a credit, {}", own.egress_buffer,
                   own.credit_size);
  }
  if (own.polarised || own.hash_seed) {
    return fail_at(scenario, own.polarised ? "routing.polarised" : "routing.hash_seed",
                   "with policy = \"scheduled\" no packet is hashed; leave it out");
  }
  for (const auto& [path, is_on] : {std::pair{"ethernet.trimming.enabled", ethernet.trimming.enabled},
                                    std::pair{"ethernet.llr.enabled", ethernet.llr.enabled}}) {
    if (is_on) {
      return fail_at(scenario, path, "is not for a scheduled fabric (routing.policy); set it to false");
    }
  }
  for (std::size_t i = 0; i < ethernet.priorities.size(); ++i) {
    if (ethernet.priorities[i].credits) {
      return fail_at(scenario, fmt::format("ethernet.priority.{}.credits", i),
                     "a scheduled fabric (routing.policy) has credits of its own; use lossless, or neither");
    }
  }
  if (scenario.congestion.algorithm == CongestionAlgorithm::kHpcc) {
    return fail_at(scenario, "congestion_control.algorithm",
                   "hpcc needs telemetry of each queue, which cells do not collect; use another algorithm");
  }
  return {};
}

/// What pinned paths are of: packets on Ethernet, and with a controller, flows that it can know.
Result<void> validate_pinned(const Scenario& scenario) {
  const RoutingSettings& own = scenario.routing;
  const Family family = scenario.fabric.family;
  if (is_infiniband(family)) {
    return fail_at(scenario, "routing.policy",
                   "'{}' is for Ethernet; a subnet manager of InfiniBand gives each destination its path: use lft",
                   word_of(own.policy));
  }
  if (own.policy != RoutingPolicy::kCentral) {
    return {};
  }
  const bool is_uet = engine_of(family) == FamilyEngine::kUet;
  const PathRule selector = is_uet ? scenario.uet.path_selector : scenario.transport.path_selector;
  if (selector != PathRule::kSingle) {
    return fail_at(scenario, "routing.policy",
                   "'central' places flows, and {} = \"{}\" gives each packet a source port of its own; set it to "
                   "\"single\", or use ecmp",
                   is_uet ? "uet.path_selector" : "transport.path_selector", word_of(selector));
  }
  if (own.controller_algorithm != ControllerAlgorithm::kCommunicators) {
    return {};
  }
  if (is_uet || is_over_tcp(family)) {
    return fail_at(scenario, "routing.controller_algorithm",
                   "'communicators' needs source ports that are known before a job begins, and those of {} are not; "
                   "use cspf, greedy or min-max",
                   word_of(family));
  }
  if (own.controller_demand == ControllerDemand::kMeasured) {
    return {};
  }
  return fail_at(scenario, "routing.controller_demand",
                 "with controller_algorithm = \"communicators\" flows are alike; leave it out");
}

Result<void> validate_fabric(const Scenario& scenario) {
  if (auto right = validate_mtu(scenario); !right) {
    return right;
  }
  const bool infiniband = is_infiniband(scenario.fabric.family);
  const auto policy = scenario.routing.policy;
  if (!infiniband && policy == RoutingPolicy::kLft) {
    return fail_at(scenario, "routing.policy", "'lft' is for InfiniBand only; use ecmp, spray or adaptive");
  }
  if (infiniband && hashes_flows(policy)) {
    return fail_at(scenario, "routing.policy", "InfiniBand has no ECMP; use lft, adaptive or spray");
  }
  if (policy == RoutingPolicy::kEnhancedEcmp && scenario.fabric.family != Family::kRoceV2) {
    return fail_at(scenario, "routing.policy",
                   "E-ECMP hashes the queue pair of rocev2; {} has none behind UDP, use ecmp",
                   word_of(scenario.fabric.family));
  }
  if (infiniband && policy == RoutingPolicy::kConga) {
    return fail_at(scenario, "routing.policy",
                   "CONGA writes into the outer IP header, and InfiniBand has none; use lft, adaptive or spray");
  }
  if (infiniband && (policy == RoutingPolicy::kConWeave || scenario.routing.reorder == ReorderPlace::kLeaf)) {
    return fail_at(scenario, policy == RoutingPolicy::kConWeave ? "routing.policy" : "routing.reorder",
                   "leaf switches of InfiniBand restore no order; use lft, adaptive or spray, and reorder = \"none\"");
  }
  if (policy == RoutingPolicy::kPinned || policy == RoutingPolicy::kCentral) {
    if (Result<void> able = validate_pinned(scenario); !able) {
      return able;
    }
  }
  if (policy == RoutingPolicy::kScheduled) {
    if (Result<void> able = validate_scheduled(scenario); !able) {
      return able;
    }
  }
  if (!infiniband && scenario.reduction.enabled) {
    return fail_at(scenario, "reduction.enabled",
                   "switches of {} have no in-network reduction; only those of infiniband have",
                   word_of(scenario.fabric.family));
  }
  if (scenario.reduction.enabled && scenario.reduction.data_types.empty()) {
    return fail_at(scenario, "reduction.data_types", "the list is empty; name at least one");
  }
  if (scenario.reduction.enabled && scenario.reduction.operations.empty()) {
    return fail_at(scenario, "reduction.operations", "the list is empty; name at least one");
  }
  return {};
}

bool hashes_plainly(const RoutingSettings& routing) {
  return routing.hash_function == fabric::HashFunction::kMixed &&
         routing.hash_fields == std::vector{HashedField::kFiveTuple} && routing.hash_rotation == 0 &&
         routing.hash_buckets == 0 && !routing.link_aggregation;
}

Result<void> validate_hash(const Scenario& scenario) {
  const RoutingSettings& routing = scenario.routing;
  const Family family = scenario.fabric.family;
  const auto hashes = [&](HashedField field) { return std::ranges::count(routing.hash_fields, field) > 0; };
  if (routing.hash_fields.empty()) {
    return fail_at(scenario, "routing.hash_fields", "the list is empty; name at least one field, such as \"5-tuple\"");
  }
  if (hashes_plainly(routing)) {
    return {};
  }
  if (is_infiniband(family)) {
    return fail_at(scenario, "routing.hash_function",
                   "switches of InfiniBand hash no headers; leave out hash_function, hash_fields, hash_rotation, "
                   "hash_buckets and link_aggregation");
  }
  if (!hashes_flows(routing.policy) && routing.multipath_for == MultipathTraffic::kAll) {
    return fail_at(scenario, "routing.hash_function",
                   "with policy = \"{}\" no packet is hashed; use \"ecmp\", or multipath_for = \"unordered\"",
                   word_of(routing.policy));
  }
  if (hashes(HashedField::kDestinationQp) && family != Family::kRoceV2) {
    return fail_at(scenario, "routing.hash_fields", "destination-qp is a field of rocev2; {} has none behind UDP",
                   word_of(family));
  }
  if (hashes(HashedField::kFlowLabel) && scenario.fabric.ip_version != IpVersion::kV6) {
    return fail_at(scenario, "routing.hash_fields", "flow-label is a field of IPv6; set fabric.ip_version = \"ipv6\"");
  }
  return {};
}

Result<void> validate_routing(const Scenario& scenario) {
  if (scenario.routing.policy == RoutingPolicy::kConga && scenario.routing.dre_alpha == Probability::zero()) {
    return fail_at(scenario, "routing.dre_alpha", "is zero, so that no load would ever decay; e.g. 10%");
  }
  if (const RoutingSettings& own = scenario.routing;
      own.policy == RoutingPolicy::kConWeave && own.flow_expiry <= own.resume_default + own.resume_margin) {
    return fail_at(scenario, "routing.flow_expiry",
                   "{} is not longer than resume_default and resume_margin together, {}: a flow would begin anew while "
                   "its packets wait",
                   own.flow_expiry, own.resume_default + own.resume_margin);
  }
  constexpr std::size_t kMaxBounds = fabric::DepthGrades::kMost - 1;
  const auto& bounds = scenario.routing.depth_grades;
  if (bounds.size() > kMaxBounds) {
    return fail_at(scenario, "routing.depth_grades", "{} bounds; at most {}", bounds.size(), kMaxBounds);
  }
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    if (bounds[i] <= bounds[i - 1]) {
      return fail_at(scenario, "routing.depth_grades", "{} follows {}; bounds must ascend", bounds[i], bounds[i - 1]);
    }
  }
  return validate_hash(scenario);
}

// Of the whole scenario: the gap is a value of the catalogue.
Result<void> validate_flowlets(const Scenario& scenario) {
  const auto policy = scenario.routing.policy;
  const bool by_flowlet = policy == RoutingPolicy::kLetFlow || policy == RoutingPolicy::kConga;
  if (by_flowlet && !scenario.routing.flowlet_gap) {
    return fail_at(scenario, "routing.flowlet_gap", "'{}' needs one; for each packet at random use spray",
                   word_of(policy));
  }
  return {};
}

Result<void> validate_transport(const Scenario& scenario) {
  const auto& transport = scenario.transport;
  if (transport.out_of_order_placement && transport.loss_recovery != LossRecoveryKind::kSelectiveRepeat) {
    return fail_at(scenario, "transport.out_of_order_placement", "needs loss_recovery = \"selective-repeat\"");
  }
  return {};
}

bool lacks_hosts(const TopologySettings& topology) {
  switch (topology.kind) {
    case TopologyKind::kSingleSwitch:
    case TopologyKind::kDumbbell:
    case TopologyKind::kParkingLot:
      return topology.hosts == 0;
    case TopologyKind::kLeafSpine:
    case TopologyKind::kRailOptimised:
    case TopologyKind::kDragonflyPlus:
      return topology.hosts == 0 && (topology.leaves == 0 || topology.hosts_per_leaf == 0);
    case TopologyKind::kFatTree:
    case TopologyKind::kTorus:
    case TopologyKind::kFile:
      return false;
  }
  return false;
}

Result<void> validate_topology(const Scenario& scenario) {
  const auto& topology = scenario.topology;
  if (lacks_hosts(topology)) {
    const bool shaped = topology.kind == TopologyKind::kLeafSpine || topology.kind == TopologyKind::kRailOptimised ||
                        topology.kind == TopologyKind::kDragonflyPlus;
    return fail_at(scenario, "topology.kind", "'{}' needs topology.hosts{}", word_of(topology.kind),
                   shaped ? ", or leaves and hosts_per_leaf" : "");
  }
  if (topology.hosts == 1) {
    return fail_at(scenario, "topology.hosts", "1 host; at least 2 are needed");
  }
  if (topology.radix % 2 != 0) {
    return fail_at(scenario, "topology.radix", "{} is odd; half of the ports are uplinks", topology.radix);
  }
  if (topology.kind == TopologyKind::kFile && topology.file.empty()) {
    return fail_at(scenario, "topology.kind", "'file' needs topology.file");
  }
  // Both say how many spines there are. What is nearer to the command line counts; side by side they are a question.
  const auto origin = [&](const std::string& path) {
    const auto found = scenario.sources.find(path);
    return found == scenario.sources.end() ? Origin::kDefault : found->second.origin;
  };
  if (topology.spines > 0 && origin("topology.oversubscription") >= Origin::kFile &&
      origin("topology.oversubscription") != Origin::kDerived &&
      origin("topology.oversubscription") >= origin("topology.spines")) {
    return fail_at(scenario, "topology.oversubscription",
                   "topology.spines = {} says already how many spines there are; leave one of the two out",
                   topology.spines);
  }
  const auto& nic = scenario.devices.nic;
  if (topology.ports_per_nic > nic.ports) {
    return fail_at(scenario, "topology.ports_per_nic", "{} is more than nic.ports, {}", topology.ports_per_nic,
                   nic.ports);
  }
  return {};
}

Result<void> validate_job_name(const Scenario& scenario, const std::string& path, const std::string& name) {
  std::vector<std::string_view> valid;
  for (const auto& job : scenario.jobs) {
    valid.push_back(job.name);
  }
  if (name.empty() || std::ranges::find(valid, name) != valid.end()) {
    return {};
  }
  if (valid.empty()) {
    return fail_at(scenario, path, "no job '{}'; the scenario has no [[job]]", name);
  }
  return fail_at(scenario, path, "{}", unknown_word({.kind = "job", .word = name, .valid = valid}).message);
}

Result<void> validate_flows(const Scenario& scenario, const TrafficSettings& traffic, const std::string& path) {
  if (!traffic.file.empty()) {
    if (!traffic.sources.empty() || !traffic.destinations.empty()) {
      return fail_at(scenario, path + "file", "file excludes sources and destinations; give one or the other");
    }
    return {};
  }
  if (traffic.sources.empty() || traffic.sources.size() != traffic.destinations.size()) {
    return fail_at(scenario, path + "kind",
                   "'flows' needs file, or equally many sources and destinations; found {} and {}",
                   traffic.sources.size(), traffic.destinations.size());
  }
  return {};
}

Result<void> validate_carrier(const Scenario& scenario, const TrafficSettings& traffic, const std::string& path) {
  const std::optional<CarrierFault> fault = carrier_fault(scenario, traffic);
  if (!fault) {
    return {};
  }
  const bool is_own = fault->key.find('.') == std::string::npos;
  return fail_at(scenario, is_own ? path + fault->key : fault->key, "{}; {}", fault->reason, fault->remedy);
}

/// Poisson arrivals and closed loops end with the jobs or at a stop, and one of the two must be there.
Result<void> validate_end(const Scenario& scenario, const TrafficSettings& traffic, const std::string& path) {
  const bool poisson = traffic.kind == TrafficKind::kPoisson;
  if (!poisson && is_collective(traffic.kind) && traffic.count == 0) {
    return fail_at(scenario, path + "count", "0 repetitions of a collective; at least 1");
  }
  if (traffic.kind == TrafficKind::kMulticast && traffic.count == 0) {
    return fail_at(scenario, path + "count", "0 datagrams; at least 1");
  }
  const bool endless = poisson || traffic.count == 0;
  if (!endless || traffic.stop || scenario.stop || lasts_as_long_as_jobs(scenario, traffic)) {
    return {};
  }
  return fail_at(scenario, path + (poisson ? "kind" : "count"),
                 "{} has no end; set stop in this [[traffic]] or in the scenario, or add a [[job]] that runs steps, as "
                 "long as which it lasts",
                 poisson ? "'poisson'" : "count = 0");
}

Result<void> validate_checkpoint(const Scenario& scenario, const TrafficSettings& traffic, const std::string& path) {
  const auto job = std::ranges::find(scenario.jobs, traffic.job, &JobSettings::name);
  if (job == scenario.jobs.end() || !job->trains()) {
    return fail_at(scenario, path + "kind", "'checkpoint' needs job, a [[job]] that trains a model");
  }
  if (traffic.destinations.empty()) {
    return fail_at(scenario, path + "kind", "'checkpoint' needs destinations: the hosts of the storage");
  }
  return traffic.over == TrafficRoute::kFabric
             ? Result<void>()
             : fail_at(scenario, path + "over", "storage is reached through the fabric");
}

Result<void> validate_ends(const Scenario& scenario, const TrafficSettings& traffic, const std::string& path) {
  if (traffic.ends == TrafficEnds::kNics && traffic.over == TrafficRoute::kScaleUp) {
    return fail_at(scenario, path + "ends", "'nics' are of the fabric; leave it out with over = \"scale-up\"");
  }
  return {};
}

Result<void> validate_one_traffic(const Scenario& scenario, std::size_t index) {
  const auto& traffic = scenario.traffic[index];
  const auto path = fmt::format("traffic[{}].", index);
  if (auto named = validate_job_name(scenario, path + "job", traffic.job); !named) {
    return named;
  }
  if (auto carried = validate_carrier(scenario, traffic, path); !carried) {
    return carried;
  }
  if (traffic.stop && *traffic.stop <= traffic.start) {
    return fail_at(scenario, path + "stop", "{} is not after start, {}", *traffic.stop, traffic.start);
  }
  if (auto end = validate_end(scenario, traffic, path); !end) {
    return end;
  }
  if (auto ends = validate_ends(scenario, traffic, path); !ends) {
    return ends;
  }
  if (traffic.kind == TrafficKind::kFlows) {
    return validate_flows(scenario, traffic, path);
  }
  if (traffic.kind == TrafficKind::kCheckpoint) {
    return validate_checkpoint(scenario, traffic, path);
  }
  if (traffic.kind == TrafficKind::kIncast && traffic.destinations.size() > 1) {
    return fail_at(scenario, path + "destinations", "{} of them; an incast has one", traffic.destinations.size());
  }
  if (traffic.kind == TrafficKind::kPoisson) {
    // That of in-band management has messages of one size.
    if (traffic.cdf.empty() && rank_of(scenario, path + "size") < static_cast<int>(Origin::kDerived)) {
      return fail_at(scenario, path + "kind", "'poisson' needs cdf: websearch, fb-hadoop, alistorage, or a file");
    }
    if (traffic.load == Probability::zero()) {
      return fail_at(scenario, path + "load", "0% would send nothing; must be above 0%");
    }
  }
  return {};
}

Result<void> validate_scale_up(const Scenario& scenario) {
  const ScaleUpSettings& own = scenario.scale_up;
  if (own.kind == ScaleUpKind::kNone) {
    for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
      if (scenario.traffic[i].over == TrafficRoute::kScaleUp) {
        return fail_at(scenario, fmt::format("traffic[{}].over", i),
                       "'scale-up' needs [scale_up]; set scale_up.entry, for example \"nvlink4\"");
      }
    }
    return {};
  }
  const std::int64_t domain = own.domain.value_or(scenario.topology.gpus_per_host);
  if (domain < 2 || domain > own.largest_domain) {
    return fail_at(scenario, "scale_up.domain", "{} GPUs; a domain of {} has 2 to {}", domain, own.entry,
                   own.largest_domain);
  }
  if (own.kind == ScaleUpKind::kMesh && domain > static_cast<std::int64_t>(fabric::ScaleUpFabric::kMeshPorts)) {
    return fail_at(scenario, "scale_up.domain", "{} GPUs; a mesh has at most {}", domain,
                   fabric::ScaleUpFabric::kMeshPorts);
  }
  if (own.link_efficiency < Probability::from_ratio({.numerator = 1, .denominator = 4})) {
    return fail_at(scenario, "scale_up.link_efficiency", "{}; at least 25%", to_string(own.link_efficiency));
  }
  if (own.packet_payload.count() < 16 || own.data_header > own.packet_payload || own.flit > own.packet_payload) {
    return fail_at(scenario, "scale_up.packet_payload", "{}; at least 16 B, and no less than flit and data_header",
                   own.packet_payload.count());
  }
  if (own.load_window < own.unit) {
    return fail_at(scenario, "scale_up.load_window", "{} is less than a unit, {}", own.load_window, own.unit);
  }
  const Bytes packet = largest_packet(own);
  if (packet > kLargestFrame) {
    return fail_at(scenario, "scale_up.unit", "a unit of {} is {} on the link; at most {}: a smaller unit", own.unit,
                   packet, kLargestFrame);
  }
  if (own.gpu_buffer < packet) {
    return fail_at(scenario, "scale_up.gpu_buffer", "{} is less than the largest packet, {}", own.gpu_buffer, packet);
  }
  if (own.kind == ScaleUpKind::kSwitch && own.switch_buffer < packet) {
    return fail_at(scenario, "scale_up.switch_buffer", "{} is less than the largest packet, {}", own.switch_buffer,
                   packet);
  }
  return {};
}

Result<void> validate_output(const Scenario& scenario) {
  if (scenario.output.ladder.empty()) {
    return {};
  }
  if (scenario.devices.host.model != HostModel::kStages) {
    return fail_at(scenario, "output.ladder", "needs a host.profile that has stages, such as 'modern'");
  }
  const bool told = scenario.traffic.size() == 1 && (scenario.traffic.front().operation == Operation::kSend ||
                                                     scenario.traffic.front().operation == Operation::kWriteImm);
  return told ? Result<void>()
              : fail_at(scenario, "output.ladder", "needs one [[traffic]], whose operation is send or write-imm");
}

Result<void> validate_traffic(const Scenario& scenario) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    if (auto checked = validate_one_traffic(scenario, i); !checked) {
      return checked;
    }
    if (!names.insert(scenario.traffic[i].name).second) {
      return fail_at(scenario, fmt::format("traffic[{}].name", i), "a second traffic '{}'", scenario.traffic[i].name);
    }
  }
  return {};
}

// What a catalogue's value counts as where it makes another meaningless: as who chose the family and the tuning.
// Another family, or a tuning by its name, over a file with settings of the file's own fabric leaves these without a
// meaning.
int chosen_rank(const Scenario& scenario, const std::string& path) {
  const int own = rank_of(scenario, path);
  return own != static_cast<int>(Origin::kCatalogue)
             ? own
             : std::max({own, rank_of(scenario, "fabric.family"), rank_of(scenario, "fabric.tuning")});
}

// What would have no effect.
Result<void> validate_security(const Scenario& scenario) {
  const UetSettings& uet = scenario.uet;
  if (uet.security == UetSecurity::kNone) {
    return uet.security_latency == Duration::zero()
               ? Result<void>()
               : fail_at(scenario, "uet.security_latency",
                         "is what encryption takes, and nothing is encrypted; set uet.security = \"tss\"");
  }
  if (uet.header_bytes || uet.control_bytes) {
    return fail_at(scenario, "uet.security",
                   "adds to the bytes of the wire; uet.header_bytes and uet.control_bytes take their place");
  }
  return {};
}

bool is_of_file(const ValueSource& source) { return source.origin == Origin::kFile || source.origin == Origin::kCase; }

/// Line and column at the end of "incast.toml:7:10".
std::pair<int, int> line_and_column(std::string_view place) {
  const auto column = place.rfind(':');
  const auto line = place.rfind(':', column - 1);
  const auto number = [](std::string_view digits) {
    int value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  };
  return {number(place.substr(line + 1, column - line - 1)), number(place.substr(column + 1))};
}

// Of a value that nobody gave: the first value that the file has in the same table, or its beginning.
std::string table_place(const Scenario& scenario, const std::string& table) {
  const std::string* first = nullptr;
  for (auto it = scenario.sources.lower_bound(table); it != scenario.sources.end() && it->first.starts_with(table);
       ++it) {
    const auto& [path, source] = *it;
    if (is_of_file(source) && (first == nullptr || line_and_column(source.text) < line_and_column(*first))) {
      first = &source.text;
    }
  }
  return first == nullptr ? scenario.file + ":1:1" : *first;
}

}  // namespace

int rank_of(const Scenario& scenario, const std::string& path) {
  const auto found = scenario.sources.find(path);
  return found == scenario.sources.end() ? 0 : static_cast<int>(found->second.origin);
}

bool lasts_as_long_as_jobs(const Scenario& scenario, const TrafficSettings& traffic) {
  const bool poisson = traffic.kind == TrafficKind::kPoisson;
  const bool endless = poisson ? traffic.count <= 1 : traffic.count == 0 && !is_collective(traffic.kind);
  return endless && !traffic.stop && !scenario.stop &&
         std::ranges::any_of(scenario.jobs, [](const JobSettings& job) { return job.runs_steps(); });
}

Result<void> check_has_traffic(const Scenario& scenario) {
  if (scenario.traffic.empty() && scenario.jobs.empty()) {
    return fail("{}:1:1: nothing is sent: {}", scenario.file,
                scenario.left_out.empty() ? "add a [[traffic]] or a [[job]]" : left_out_text(scenario));
  }
  return {};
}

std::string source_place(const Scenario& scenario, const std::string& path) {
  const auto found = scenario.sources.find(path);
  if (found != scenario.sources.end() && (is_of_file(found->second) || found->second.origin == Origin::kSet)) {
    return found->second.text;
  }
  return table_place(scenario, path.substr(0, path.rfind('.') + 1));
}

Result<void> check_applies(std::span<const ResolveLayer> layers, Scenario& scenario) {
  for (const auto& layer : layers) {
    for (const auto& given : layer.layer->values) {
      const auto& section = *given.at.section;
      const auto source = scenario.sources.find(path_of(given.at));
      const bool in_force = source != scenario.sources.end() && source->second.text == given.place;
      if (given.at.key->only_for.empty() || !in_force) {
        continue;
      }
      const KeyAt selecting{
          .section = &section, .key = selecting_key_of(section, *given.at.key), .index = given.at.index};
      const auto word = value_text(selecting, target_of(scenario));
      const bool weaker = static_cast<int>(layer.origin) < chosen_rank(scenario, path_of(selecting));
      if (!has_word(given.at.key->only_for, word) && !weaker) {
        std::string words(given.at.key->only_for);
        std::ranges::replace(words, ' ', '/');
        return fail("{}: has no effect with {} = \"{}\"; only with {}", key_at(given.place, path_of(given.at)),
                    selecting.key->name, word, words);
      }
    }
  }
  return {};
}

Result<void> validate_protocols(const Scenario& scenario) {
  for (const auto check : {validate_fabric, validate_routing, validate_paths, validate_control, validate_security,
                           validate_protection, validate_congestion}) {
    if (auto checked = check(scenario); !checked) {
      return checked;
    }
  }
  return {};
}

// Which family moves a traffic, and whether it has the operation.
std::optional<CarrierFault> carrier_fault(const Scenario& scenario, const TrafficSettings& traffic) {
  if (traffic.kind == TrafficKind::kMulticast && !is_infiniband(scenario.fabric.family)) {
    return CarrierFault{.key = "kind",
                        .reason = fmt::format("'multicast' is that of InfiniBand's datagrams, and the network is {}",
                                              word_of(scenario.fabric.family)),
                        .remedy = "set fabric.family = \"infiniband\"; required = false leaves it out elsewhere"};
  }
  if (traffic.over == TrafficRoute::kScaleUp) {
    return std::nullopt;  // stores, loads and sends: every operation
  }
  const Family fabric = scenario.fabric.family;
  const Family family = traffic.family.value_or(fabric);
  if (family != fabric && (is_infiniband(fabric) || !is_over_tcp(family))) {
    return CarrierFault{.key = "family",
                        .reason = fmt::format("'{}' cannot run on a fabric of {}", word_of(family), word_of(fabric)),
                        .remedy = is_infiniband(fabric)
                                      ? "InfiniBand carries no other family; required = false leaves it out there"
                                      : "in addition to it: tcp, iwarp"};
  }
  const HostSettings& host = scenario.devices.host;
  const bool sockets_beside_rdma = family != fabric && engine_of(family) == FamilyEngine::kTcp;
  if (family != fabric && !sockets_beside_rdma && host.model == HostModel::kStages) {
    return CarrierFault{.key = "family",
                        .reason = "a host profile with stages supports the fabric's own family and, beside it, tcp",
                        .remedy = fmt::format("set host.profile = \"ideal\" to run '{}' and '{}' on the same hosts",
                                              word_of(family), word_of(fabric))};
  }
  if (host.model == HostModel::kStages && host.memory == MemoryKind::kGpu && !sockets_beside_rdma) {
    if (is_over_tcp(family)) {
      return CarrierFault{.key = "host.memory",
                          .reason = "GPU buffers are modelled for RDMA families only",
                          .remedy = fmt::format("with {}, set memory = \"host\"", word_of(family))};
    }
    if (host.path == GpuPath::kBounce && traffic.operation == Operation::kRead) {
      return CarrierFault{.key = "operation",
                          .reason = "READ through host memory (bounce) is not modelled",
                          .remedy = "use write, write-imm or send"};
    }
  }
  if (engine_of(family) == FamilyEngine::kTcp && traffic.operation == Operation::kRead) {
    return CarrierFault{.key = "operation", .reason = "a TCP stream has no READ", .remedy = "one of write, send"};
  }
  return std::nullopt;
}

Result<void> validate(const Scenario& scenario) {
  using Check = Result<void> (*)(const Scenario&);
  constexpr std::array<Check, 14> kChecks = {
      validate_protocols, validate_security_settings, validate_flowlets, validate_topology, validate_cycles,
      validate_manager,   validate_transport,         validate_jobs,     validate_traffic,  validate_scale_up,
      validate_output,    validate_failures,          validate_attacks,  validate_multicast};
  for (const auto check : kChecks) {
    if (auto checked = check(scenario); !checked) {
      return checked;
    }
  }
  if (const auto fault = device_fault(scenario.devices)) {
    return fail_at(scenario, fault->path, "{}", fault->message);
  }
  return {};
}

}  // namespace weft::study::scenario
