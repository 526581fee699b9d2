#include "study/compare/failure_probe.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>

#include "study/assembly/build_topology.h"
#include "study/run/manager_study.h"

namespace weft::study::compare {
namespace {

constexpr std::size_t kRingHosts = 8;
constexpr Bytes kRingBytes{4 << 20};
/// Of the last operations, whose median is the speed.
constexpr std::size_t kLastOperations = 3;

constexpr std::array<std::string_view, kFailureCases> kCaseWords = {
    "host-link", "link", "flapping", "degraded-lanes", "leaf", "spine", "subnet-manager", "gpu-slow"};

scenario::FailureKind kind_of(FailureCase which) {
  switch (which) {
    case FailureCase::kHostLink:
      return scenario::FailureKind::kNicPort;
    case FailureCase::kFabricLink:
    case FailureCase::kManager:
      return scenario::FailureKind::kLinkDown;
    case FailureCase::kFlapping:
      return scenario::FailureKind::kFlapping;
    case FailureCase::kDegraded:
      return scenario::FailureKind::kDegradedLanes;
    case FailureCase::kLeaf:
    case FailureCase::kSpine:
      return scenario::FailureKind::kSwitchReboot;
    case FailureCase::kGpuSlow:
      break;
  }
  return scenario::FailureKind::kGpuSlow;
}

scenario::FailureSettings failure_of(const scenario::Scenario& scenario, FailureCase which,
                                     const std::string& component, Duration at) {
  scenario::FailureSettings made{
      .name = std::string(word_of(which)), .kind = kind_of(which), .select = component, .at = at};
  if (which == FailureCase::kFlapping) {
    // One of its turns: the others are like it.
    made.kind = scenario::FailureKind::kLinkDown;
    made.duration = scenario.failure_rates.flap_down;
  }
  (void)scenario::fill_in(made, scenario.failure_rates);
  return made;
}

/// A switch is back before long; a cable, a port or a GPU is not.
bool returns(FailureCase which) { return which == FailureCase::kLeaf || which == FailureCase::kSpine; }

double median_of(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::vector<double> times_between(const std::vector<double>& ends) {
  std::vector<double> times;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    times.push_back(ends[i] - ends[i - 1]);
  }
  return times;
}

/// A cable of a host that carries data.
struct HostCable {
  std::string port;  // of the NIC
  std::string leaf;
  bool is_managers = false;
};

/// The first ones that leave the manager its subnet, or just the first.
void take_host_cable(const std::vector<HostCable>& cables, UsedComponents& used) {
  if (cables.empty()) {
    return;
  }
  const auto or_first = [&](auto found) { return found == cables.end() ? cables.begin() : found; };
  const auto is_at_managers_leaf = [&](const HostCable& cable) {
    return std::ranges::any_of(cables,
                               [&](const HostCable& other) { return other.is_managers && other.leaf == cable.leaf; });
  };
  used.host_port = or_first(std::ranges::find(cables, false, &HostCable::is_managers))->port;
  used.leaf = or_first(std::ranges::find_if_not(cables, is_at_managers_leaf))->leaf;
}

}  // namespace

std::string_view word_of(FailureCase which) { return kCaseWords.at(static_cast<std::size_t>(which)); }

Result<scenario::Scenario> ring_probe(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  std::vector<std::string> hosts;
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    std::string host = assembly::host_of(graph, EndpointId(i));
    if (hosts.empty() || hosts.back() != host) {
      hosts.push_back(std::move(host));
    }
  }
  if (hosts.size() < 2) {
    return fail("failures of a network need two hosts at least; there is one");
  }
  scenario::Scenario probe = scenario;
  probe.jobs.clear();
  probe.traffic.clear();
  probe.events.clear();
  probe.failures.clear();
  probe.stop.reset();
  probe.fidelity = scenario::Fidelity::kPacket;
  probe.output.sample_interval.reset();
  probe.output.ladder.clear();
  scenario::JobSettings job;
  job.name = "ring";
  job.placement = scenario::Placement::kListed;
  const std::size_t ranks = std::min(kRingHosts, hosts.size());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    job.places.push_back(hosts[rank * hosts.size() / ranks] + "/gpu0");
  }
  job.ranks = static_cast<std::int64_t>(ranks);
  probe.jobs.push_back(std::move(job));
  scenario::TrafficSettings traffic;
  traffic.name = "ring";
  traffic.kind = scenario::TrafficKind::kCollective;
  traffic.collective = workload::CollectiveKind::kAllReduce;
  traffic.algorithm = workload::CollectiveAlgorithm::kRing;
  traffic.size = kRingBytes;
  traffic.count = kRingRepetitions;
  traffic.job = "ring";
  probe.traffic.push_back(std::move(traffic));
  return probe;
}

UsedComponents used_components(const results::RunResults& healthy, const fabric::Graph& graph,
                               const std::optional<std::string>& manager) {
  std::map<std::string, std::uint32_t> nodes;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    nodes.emplace(graph.nodes[i].name, i);
  }
  const auto node_of = [&nodes](const std::string& port) {
    const auto found = nodes.find(port);
    const auto device = nodes.find(port.substr(0, port.rfind('/')));
    return found != nodes.end()    ? std::optional(found->second)
           : device != nodes.end() ? std::optional(device->second)
                                   : std::nullopt;
  };
  UsedComponents used;
  std::uint64_t most = 0;
  std::vector<HostCable> cables;
  for (const results::PortRow& port : healthy.ports) {
    const auto from = node_of(port.name);
    const auto to = node_of(port.peer);
    if (!from || !to || port.tx_bytes == 0) {
      continue;
    }
    const bool from_host = *from < graph.host_endpoints();
    const bool to_switch = *to >= graph.endpoints;
    if (from_host && to_switch) {
      cables.push_back({.port = graph.nodes[*from].name,
                        .leaf = graph.nodes[*to].name,
                        .is_managers = manager && assembly::host_of(graph, EndpointId(*from)) == *manager});
    }
    if (*from >= graph.endpoints && to_switch && port.tx_bytes > most) {
      most = port.tx_bytes;
      used.fabric_port = port.name;
      // Seen from the leaf the other switch is the one above, and the other way round.
      const bool up = graph.nodes[*from].tier <= graph.nodes[*to].tier;
      used.spine = graph.nodes[up ? *to : *from].name;
    }
  }
  take_host_cable(cables, used);
  if (used.spine == used.leaf) {
    used.spine.reset();
  }
  return used;
}

std::optional<std::string> component_of(const UsedComponents& used, FailureCase which) {
  switch (which) {
    case FailureCase::kHostLink:
      return used.host_port;
    case FailureCase::kFabricLink:
    case FailureCase::kFlapping:
    case FailureCase::kDegraded:
    case FailureCase::kManager:
      return used.fabric_port;
    case FailureCase::kLeaf:
      return used.leaf;
    case FailureCase::kSpine:
      return used.spine;
    case FailureCase::kGpuSlow:
      break;
  }
  return std::nullopt;
}

void add_failure(scenario::Scenario& scenario, FailureCase which, const std::string& component, Duration at) {
  scenario::FailureSettings made = failure_of(scenario, which, component, at);
  if (returns(which)) {
    made.duration = scenario.failure_rates.switch_reboot;
  }
  scenario.failures.push_back(made);
  if (which == FailureCase::kManager) {
    scenario::FailureSettings manager{
        .name = "manager", .kind = scenario::FailureKind::kSubnetManager, .at = at / 2, .duration = {}};
    (void)scenario::fill_in(manager, scenario.failure_rates);
    scenario.failures.push_back(manager);
  }
}

void add_steady_failure(scenario::Scenario& scenario, FailureCase which, const std::string& component,
                        std::optional<Duration> until) {
  scenario::FailureSettings made = failure_of(scenario, which, component, Duration::zero());
  made.duration = until;
  scenario.failures.push_back(made);
  scenario.routing.reroute_delay = Duration::zero();
  scenario.routing.port_failover_delay = Duration::zero();
}

std::vector<double> ring_ends(const results::RunResults& results) {
  std::map<std::uint32_t, std::pair<std::size_t, Time>> by_iteration;
  const std::size_t ranks = results.jobs.empty() ? 0 : results.jobs.front().ranks.size();
  for (const workload::CollectiveRecord& record : results.collectives) {
    auto& [count, last] = by_iteration[record.iteration];
    ++count;
    last = later(last, record.finished);
  }
  std::vector<double> ends;
  for (const auto& [iteration, end] : by_iteration) {
    if (end.first == ranks) {
      ends.push_back(end.second.since_start().seconds());
    }
  }
  return ends;
}

double usual_time(const std::vector<double>& ends) { return median_of(times_between(ends)); }

RingReading read_ring(const std::vector<double>& ends, double at, double healthy) {
  RingReading reading;
  std::vector<double> last;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const double time = ends[i] - ends[i - 1];
    reading.timeline.push_back({.at = ends[i] - at, .speed = time > 0 ? healthy / time : 1});
    if (i + kLastOperations >= ends.size()) {
      last.push_back(time);
    }
  }
  const double during = median_of(last);
  reading.speed = during > 0 ? std::min(1.0, healthy / during) : 1;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    if (ends[i] > at && ends[i - 1] <= at) {
      reading.stall = std::max(0.0, ends[i] - ends[i - 1] - std::max(during, healthy));
    }
  }
  return reading;
}

std::optional<std::string> manager_host(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  return scenario::simulates_resweeps(scenario.routing) ? std::optional(assembly::host_of(graph, EndpointId(0)))
                                                        : std::nullopt;
}

Result<std::optional<Duration>> reroute_delay_of(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  return scenario::simulates_resweeps(scenario.routing)
             ? run::first_sweep_time(scenario, graph)
             : Result<std::optional<Duration>>(scenario::reroute_delay_of(scenario.routing));
}

}  // namespace weft::study::compare
