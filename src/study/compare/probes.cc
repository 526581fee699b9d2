#include "study/compare/probes.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "study/assembly/build_topology.h"

namespace weft::study::compare {
namespace {

constexpr std::int64_t kIdleMessages = 200;
constexpr std::size_t kPairs = 8;
constexpr std::size_t kMaxSenders = 64;       // of load from first NICs
constexpr std::int64_t kEndless = 1'000'000;  // messages: the probe ends before
constexpr Duration kLoadedTime = Duration::microseconds(600);
constexpr Bytes kLoad{1 << 20};
constexpr Bytes kFaultMessage{4 << 20};
/// A failed link whose traffic has not come back by then has cut it off.
constexpr Duration kMaxOutage = Duration::seconds(20);

scenario::Scenario without_work(const scenario::Scenario& scenario) {
  scenario::Scenario probe = scenario;
  probe.jobs.clear();
  probe.traffic.clear();
  probe.events.clear();
  probe.failures.clear();
  probe.stop.reset();
  probe.output.sample_interval.reset();
  probe.output.ladder.clear();
  // Small messages are control: their buffers are in host memory on every fabric, wherever the job has its own.
  probe.devices.host.memory = scenario::MemoryKind::kHost;
  return probe;
}

/// A NIC port of each host, in the order of the hosts: the first, or the one behind it if there are several.
enum class Which : std::uint8_t { kFirst, kNext };
std::vector<std::string> ports_of_hosts(const fabric::Graph& graph, Which which) {
  std::vector<std::string> ports;
  std::string last;
  int seen = 0;
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    const std::string host = assembly::host_of(graph, EndpointId(i));
    seen = host == last ? seen + 1 : 0;
    if (seen == 0) {
      ports.push_back(graph.nodes[i].name);
    } else if (seen == 1 && which == Which::kNext) {
      ports.back() = graph.nodes[i].name;
    }
    last = host;
  }
  return ports;
}

scenario::TrafficSettings pair(const std::string& name, const std::string& from, const std::string& to) {
  scenario::TrafficSettings traffic;
  traffic.name = name;
  traffic.kind = scenario::TrafficKind::kFlows;
  traffic.operation = scenario::Operation::kSend;
  traffic.sources = {from};
  traffic.destinations = {to};
  return traffic;
}

}  // namespace

scenario::Scenario idle_probe(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const std::vector<std::string> ports = ports_of_hosts(graph, Which::kFirst);
  scenario::Scenario probe = without_work(scenario);
  scenario::TrafficSettings small = pair(kProbeTraffic, ports.front(), ports.back());
  small.size = kSmallMessage;
  small.count = kIdleMessages;
  probe.traffic.push_back(small);
  return probe;
}

scenario::Scenario loaded_probe(const scenario::Scenario& scenario, const fabric::Graph& graph, Load load) {
  const std::vector<std::string> ports = ports_of_hosts(graph, Which::kFirst);
  scenario::Scenario probe = without_work(scenario);
  probe.stop = kLoadedTime;
  if (load == Load::kAllNics) {
    scenario::TrafficSettings large;
    large.name = "load";
    large.kind = scenario::TrafficKind::kPermutation;
    large.size = kLoad;
    large.count = kEndless;
    const auto per_host = static_cast<std::int64_t>(graph.host_endpoints() / ports.size());
    large.shift = static_cast<std::int64_t>(ports.size() / 2) * per_host;
    probe.traffic.push_back(large);
  } else {
    for (std::size_t i = 0; i < std::min(kMaxSenders, ports.size()); ++i) {
      scenario::TrafficSettings large =
          pair(fmt::format("load{}", i), ports[i], ports[(i + ports.size() / 2) % ports.size()]);
      large.size = kLoad;
      large.count = kEndless;
      probe.traffic.push_back(large);
    }
  }
  for (std::size_t i = 0; i < std::min(kPairs, ports.size() / 2); ++i) {
    scenario::TrafficSettings small =
        pair(fmt::format("{}{}", kProbeTraffic, i), ports[i], ports[i + (ports.size() + 1) / 2]);
    small.size = kSmallMessage;
    small.count = kEndless;
    probe.traffic.push_back(small);
  }
  return probe;
}

scenario::Scenario fault_probe(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  // Another NIC of the other host: on rails, the way between two leads over the spines.
  const std::vector<std::string> others = ports_of_hosts(graph, Which::kNext);
  const std::vector<std::string> ports = ports_of_hosts(graph, Which::kFirst);
  scenario::Scenario probe = without_work(scenario);
  for (std::size_t i = 0; i < std::min(kPairs, ports.size() / 2); ++i) {
    scenario::TrafficSettings large = pair(fmt::format("pair{}", i), ports[i], others[i + (ports.size() + 1) / 2]);
    large.operation = scenario::Operation::kWrite;
    large.size = kFaultMessage;
    probe.traffic.push_back(large);
  }
  if (scenario::is_over_tcp(scenario.fabric.family)) {
    std::ranges::for_each(probe.traffic,
                          [](scenario::TrafficSettings& own) { own.operation = scenario::Operation::kSend; });
  }
  return probe;
}

scenario::Scenario with_failed_link(scenario::Scenario probe, const std::string& port, Duration healthy) {
  probe.events.push_back({.at = healthy / 3, .select = port, .action = scenario::EventAction::kFail, .rate = {}});
  probe.stop = kMaxOutage;
  return probe;
}

}  // namespace weft::study::compare
