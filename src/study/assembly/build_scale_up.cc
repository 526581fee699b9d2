#include "study/assembly/build_scale_up.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/assert.h"
#include "fabric/topology/reducers.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/fail_at.h"

namespace weft::study::assembly {
namespace {

std::vector<std::string> hosts_of(const fabric::Graph& graph) {
  std::vector<std::string> hosts;
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    const std::string host = host_of(graph, EndpointId(i));
    if (hosts.empty() || hosts.back() != host) {
      hosts.push_back(host);
    }
  }
  return hosts;
}

/// Of a domain's reducer: no limit is published.
constexpr std::uint32_t kMaxGroups = 65'536;

std::uint32_t narrow(Bytes bytes) { return static_cast<std::uint32_t>(bytes.count()); }

class ScaleUpPlanner {
 public:
  ScaleUpPlanner(const scenario::Scenario& scenario, const fabric::Graph& graph)
      : scenario_(scenario),
        settings_(scenario.scale_up),
        hosts_(hosts_of(graph)),
        gpus_per_host_(scenario.topology.gpus_per_host),
        domain_(settings_.domain.value_or(gpus_per_host_)) {
    plan_.options.first = EndpointId(graph.endpoints);
    plan_.options.largest_packet = narrow(scenario::largest_packet(settings_));
  }

  Result<ScaleUpPlan> plan() {
    const std::int64_t gpus = static_cast<std::int64_t>(hosts_.size()) * gpus_per_host_;
    if (gpus % domain_ != 0) {
      return scenario::fail_at(scenario_, "scale_up.domain",
                               "{} hosts of {} GPUs are {} GPUs, not a multiple of the domain size {}", hosts_.size(),
                               gpus_per_host_, gpus, domain_);
    }
    for (std::int64_t first = 0; first < gpus; first += domain_) {
      add_domain(first);
    }
    if (settings_.reduction) {
      add_reduction();
    }
    return std::move(plan_);
  }

 private:
  EndpointId next_endpoint() { return EndpointId(plan_.options.first.value() + endpoints_++); }

  void add_domain(std::int64_t first) {
    const auto number = static_cast<std::uint32_t>(plan_.options.domains.size());
    fabric::ScaleUpDomain& domain = plan_.options.domains.emplace_back();
    domain.name = fmt::format("domain{}", number);
    domain.shape =
        settings_.kind == scenario::ScaleUpKind::kMesh ? fabric::ScaleUpShape::kMesh : fabric::ScaleUpShape::kSwitch;
    domain.switch_latency = settings_.switch_latency;
    domain.switch_buffer = settings_.switch_buffer;
    domain.first_bytes = narrow(settings_.data_header);
    for (std::int64_t i = first; i < first + domain_; ++i) {
      const std::string& host = hosts_[static_cast<std::size_t>(i / gpus_per_host_)];
      const auto gpu = static_cast<std::uint32_t>(i % gpus_per_host_);
      domain.ports.push_back({.name = fmt::format("{}/gpu{}", host, gpu),
                              .rate = settings_.rate,
                              .propagation = settings_.propagation,
                              .buffer = settings_.gpu_buffer});
      plan_.gpus.push_back({.host = host, .gpu = verbs::GpuIndex(gpu), .domain = number, .endpoint = next_endpoint()});
    }
    for (std::int64_t i = 0; i < settings_.pools; ++i) {
      std::string name = fmt::format("{}/pool{}", domain.name, i);
      domain.ports.push_back({.name = name,
                              .rate = settings_.pool_rate,
                              .propagation = settings_.propagation + settings_.pool_latency,
                              .buffer = settings_.gpu_buffer});
      plan_.pools.push_back({.name = std::move(name), .domain = number, .endpoint = next_endpoint()});
    }
    for (std::int64_t i = 0; settings_.reduction && i < domain_; ++i) {
      domain.ports.push_back({.name = fmt::format("{}/reducer/port{}", domain.name, i),
                              .rate = settings_.rate,
                              .propagation = Duration::picoseconds(1),
                              .buffer = settings_.gpu_buffer});
      reducer_ports_.push_back(next_endpoint());
    }
  }

  /// Each domain as a star: as the network's switches get their reducers, so do those of domains.
  void add_reduction() {
    ScaleUpPlan::Reducers& made = plan_.reducers;
    const auto node = [&](std::string name, fabric::NodeKind kind) {
      made.graph.nodes.push_back({.name = std::move(name), .kind = kind});
      return fabric::NodeIndex(static_cast<std::uint32_t>(made.graph.nodes.size() - 1));
    };
    for (const ScaleUpPlan::Gpu& gpu : plan_.gpus) {
      made.graph[node(fmt::format("{}/gpu{}", gpu.host, gpu.gpu.value()), fabric::NodeKind::kEndpoint)].ports = 1;
      made.endpoints.push_back(gpu.endpoint);
    }
    made.graph.endpoints = static_cast<std::uint32_t>(plan_.gpus.size());
    std::vector<fabric::NodeIndex> switches;
    for (const fabric::ScaleUpDomain& domain : plan_.options.domains) {
      switches.push_back(node(domain.name, fabric::NodeKind::kSwitch));
    }
    for (std::uint32_t i = 0; i < plan_.gpus.size(); ++i) {
      const fabric::NodeIndex at = switches[plan_.gpus[i].domain];
      made.graph.links.push_back({.a = {fabric::NodeIndex(i), 0},
                                  .b = {at, made.graph[at].ports++},
                                  .rate = settings_.rate,
                                  .propagation = settings_.propagation});
    }
    const Result<void> added = fabric::add_reducers(made.graph, switches, {});
    WEFT_ASSERT(added.has_value());
    made.endpoints.insert(made.endpoints.end(), reducer_ports_.begin(), reducer_ports_.end());
    made.options.limits.max_size = settings_.reduction_size;
    made.options.limits.max_members = static_cast<std::uint32_t>(domain_);
    made.options.max_groups = kMaxGroups;
    made.options.window = static_cast<std::uint32_t>(settings_.reduction_window);
    made.options.latency = settings_.reduction_latency;
  }

  const scenario::Scenario& scenario_;
  const scenario::ScaleUpSettings& settings_;
  std::vector<std::string> hosts_;
  std::int64_t gpus_per_host_;
  std::int64_t domain_;
  std::uint32_t endpoints_ = 0;
  std::vector<EndpointId> reducer_ports_;
  ScaleUpPlan plan_;
};

}  // namespace

const ScaleUpPlan::Gpu* ScaleUpPlan::find(const std::string& host, verbs::GpuIndex gpu) const {
  const auto found =
      std::ranges::find_if(gpus, [&](const Gpu& candidate) { return candidate.host == host && candidate.gpu == gpu; });
  return found == gpus.end() ? nullptr : &*found;
}

const ScaleUpPlan::Gpu* ScaleUpPlan::find(EndpointId endpoint) const {
  const auto found = std::ranges::find(gpus, endpoint, &Gpu::endpoint);
  return found == gpus.end() ? nullptr : &*found;
}

std::uint32_t ScaleUpPlan::domain_of(EndpointId endpoint) const {
  std::uint32_t number = endpoint.value() - options.first.value();
  for (std::uint32_t domain = 0; domain < options.domains.size(); ++domain) {
    const auto ports = static_cast<std::uint32_t>(options.domains[domain].ports.size());
    if (number < ports) {
      return domain;
    }
    number -= ports;
  }
  WEFT_ASSERT(false);
  return 0;
}

Result<std::optional<ScaleUpPlan>> plan_scale_up(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (scenario.scale_up.kind == scenario::ScaleUpKind::kNone) {
    return std::optional<ScaleUpPlan>();
  }
  Result<ScaleUpPlan> made = ScaleUpPlanner(scenario, graph).plan();
  if (!made) {
    return pass_on(made);
  }
  return std::optional<ScaleUpPlan>(std::move(*made));
}

transport::MemoryOptions memory_options(const scenario::ScaleUpSettings& settings) {
  return {.format = scenario::memory_format(settings), .load_window = settings.load_window};
}

host::NicOptions scale_up_nic(const scenario::ScaleUpSettings& settings) {
  host::NicOptions nic;
  nic.memory = memory_options(settings);
  nic.pipeline = {.doorbell = settings.issue_latency,
                  .fetch = {},
                  .completion = settings.completion_latency,
                  .service_time = std::nullopt};
  return nic;
}

}  // namespace weft::study::assembly
