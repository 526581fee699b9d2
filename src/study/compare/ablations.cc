#include "study/compare/ablations.h"

#include <algorithm>

#include "study/scenario/buffer_cycles.h"
#include "study/scenario/data_class.h"

namespace weft::study::compare {
namespace {

bool is_lossy(const scenario::Scenario& scenario) {
  return !scenario::is_infiniband(scenario.fabric.family) && !scenario::can_be_paused(scenario);
}

/// Buffers that never fill: nothing is dropped, and nothing has to be paused for want of room.
void without_loss(scenario::Scenario& scenario) {
  scenario.devices.switch_.buffer = Bytes(std::int64_t{1} << 40);
  for (scenario::PrioritySettings& priority : scenario.devices.ethernet.priorities) {
    priority.ingress_limit.reset();
    priority.alpha = scenario::PowerOfTwo{.exponent = 6};
    priority.egress_alpha = scenario::PowerOfTwo{.exponent = 6};
  }
}

/// Senders send as fast as their links are; pauses or credits hold them back where they meet.
void without_congestion_control(scenario::Scenario& scenario) {
  scenario.congestion.algorithm = scenario::CongestionAlgorithm::kNone;
  scenario.congestion.window.reset();
}

/// Streams begin with the largest window that their engine can have, and with buffers that do not limit it.
void without_slow_start(scenario::Scenario& scenario) {
  constexpr Bytes kBuffer{16 << 20};
  scenario.tcp.initial_window = 255;
  scenario.tcp.receive_buffer = std::max(scenario.tcp.receive_buffer, kBuffer);
  scenario.tcp.send_buffer = std::max(scenario.tcp.send_buffer, kBuffer);
}

/// Each packet takes the least loaded way, and may arrive in any order.
void with_ideal_routing(scenario::Scenario& scenario) {
  scenario.routing.policy = scenario::RoutingPolicy::kAdaptive;
  scenario.routing.polarised = false;
  scenario.transport.loss_recovery = scenario::LossRecoveryKind::kSelectiveRepeat;
  scenario.transport.out_of_order_placement = true;
}

/// All hosts on one switch with a port for each: no link between switches to share, fewer hops. Its ports have room for
/// what meets there.
void on_one_switch(scenario::Scenario& scenario, const fabric::Graph& graph) {
  scenario::TopologySettings& topology = scenario.topology;
  scenario::TopologySettings one;
  one.kind = scenario::TopologyKind::kSingleSwitch;
  one.hosts = graph.host_endpoints() / (topology.nics_per_host * topology.ports_per_nic);
  one.nics_per_host = topology.nics_per_host;
  one.ports_per_nic = topology.ports_per_nic;
  one.gpus_per_host = topology.gpus_per_host;
  one.planes = topology.planes;
  topology = one;
  scenario.routing.engine = scenario::RoutingEngine::kDModK;  // tables are of the network that they were made for
  scenario.devices.switch_.ports = std::max<std::int64_t>(scenario.devices.switch_.ports, graph.host_endpoints());
  scenario.overrides.clear();
  scenario.events.clear();
}

void without_library(scenario::Scenario& scenario) {
  scenario::CollectiveSettings& own = scenario.collectives;
  own.launch = Duration::zero();
  own.scale_out_message = Duration::zero();
  own.scale_out_lane_rate.reset();
  own.scale_up_message = Duration::zero();
  own.scale_up_lane_rate.reset();
}

void without_host(scenario::Scenario& scenario) {
  scenario.devices.host.model = scenario::HostModel::kNicDelays;
  scenario::NicSettings& nic = scenario.devices.nic;
  for (Duration* delay : {&nic.doorbell_latency, &nic.pcie_latency, &nic.tx_latency, &nic.rx_latency,
                          &nic.offload_latency, &nic.completion_latency}) {
    *delay = Duration::zero();
  }
  nic.service_time = {};
}

}  // namespace

std::vector<Ablation> ablations_of(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  std::vector<Ablation> ladder;
  scenario::Scenario current = scenario;
  const auto add = [&](std::string_view cause, void (*remove)(scenario::Scenario&)) {
    remove(current);
    ladder.push_back({.cause = cause, .scenario = current});
  };
  if (is_lossy(scenario)) {
    add("losses and their recovery", without_loss);
  }
  if (scenario.congestion.algorithm != scenario::CongestionAlgorithm::kNone) {
    add("congestion control", without_congestion_control);
  } else if (scenario::is_over_tcp(scenario.fabric.family)) {
    add("congestion control", without_slow_start);
  }
  const bool one_switch = scenario.topology.kind == scenario::TopologyKind::kSingleSwitch;
  const bool graph_of_file = scenario.topology.kind == scenario::TopologyKind::kFile;
  // Rings and intermediate groups have paths that no queue of the first switch tells apart.
  const bool rings = scenario.topology.kind == scenario::TopologyKind::kTorus;
  if (!one_switch && !rings && !scenario::closes_cycles(scenario) && !scenario::is_over_tcp(scenario.fabric.family) &&
      scenario.routing.policy != scenario::RoutingPolicy::kAdaptive) {
    add("flows sharing a path", with_ideal_routing);
  }
  if (!one_switch && !graph_of_file) {
    on_one_switch(current, graph);
    ladder.push_back({.cause = "links between switches", .scenario = current});
  }
  add("collective library", without_library);
  add("hosts and NICs", without_host);
  return ladder;
}

}  // namespace weft::study::compare
