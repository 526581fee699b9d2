#include "study/assembly/build_hosts.h"

#include <algorithm>
#include <bit>

#include "fabric/fabric.h"
#include "fabric/topology/graph_query.h"
#include "host/path/shared_path.h"
#include "study/assembly/base_round_trip.h"
#include "study/assembly/build_fabric.h"
#include "study/assembly/build_lanes.h"
#include "study/assembly/build_path_selector.h"
#include "study/assembly/build_paths.h"
#include "study/assembly/build_security.h"
#include "study/assembly/build_streams.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/build_uet.h"
#include "study/assembly/congestion/rccc.h"
#include "study/scenario/data_class.h"
#include "study/scenario/encapsulation_of.h"
#include "transport/congestion/marked_paths.h"

namespace weft::study::assembly {
namespace {

/// Round trips of the empty network that the first packets of a flow may wait behind others' where PFC or credits hold
/// senders back: one to three milliseconds, as long as the shared buffer of a switch takes to drain over one port.
constexpr std::uint16_t kFirstProbeWithoutDrops = 256;

/// A DSCP for each priority that has none of its own: the class selector.
std::uint8_t dscp_of_priority(const scenario::QosSettings& qos, std::int64_t priority) {
  return static_cast<std::uint8_t>(priority == qos.data_priority  ? qos.data_dscp
                                   : priority == qos.tcp_priority ? qos.tcp_dscp
                                                                  : priority * 8);
}

bool is_tcp(scenario::Family family) { return scenario::engine_of(family) == scenario::FamilyEngine::kTcp; }

bool has_sockets_beside_rdma(const scenario::Scenario& scenario) {
  return !is_tcp(scenario.fabric.family) &&
         std::ranges::any_of(scenario.traffic, [](const scenario::TrafficSettings& traffic) {
           return traffic.over == scenario::TrafficRoute::kFabric && traffic.family && is_tcp(*traffic.family);
         });
}

std::optional<Distribution<Duration>> service_time(const scenario::ServiceTime& from) {
  switch (from.kind) {
    case scenario::ServiceTimeKind::kConstant:
      return from.low == Duration::zero() ? std::nullopt
                                          : std::optional<Distribution<Duration>>(Constant<Duration>(from.low));
    case scenario::ServiceTimeKind::kUniform:
      if (auto made = Uniform<Duration>::make({.low = from.low, .high = from.high}); made) {
        return *made;
      }
      return std::nullopt;
    case scenario::ServiceTimeKind::kExponential:
      if (auto made = Exponential<Duration>::make(from.low); made) {
        return *made;
      }
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

HostBuilder::HostBuilder(const scenario::Scenario& scenario, const fabric::Graph& graph,
                         std::vector<host::ReceiveFlowControl> receive)
    : scenario_(scenario),
      host_endpoints_(graph.host_endpoints()),
      rates_(fabric::endpoint_rates(graph)),
      receive_(std::move(receive)) {
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    names_.push_back(graph.nodes[i].name);
    hosts_.push_back(host_of(graph, EndpointId(i)));
    first_of_host_.emplace(hosts_.back(), EndpointId(i));
  }
  const std::optional<scenario::WindowSize>& window = scenario.congestion.window;
  if ((window && window->bdp_millis > 0) ||
      scenario.transport.loss_recovery == scenario::LossRecoveryKind::kSelectiveRepeat || needs_round_trip(scenario) ||
      scenario::engine_of(scenario.fabric.family) == scenario::FamilyEngine::kUet) {
    round_trip_ = base_round_trip(scenario, graph).time;
  }
  if (follows_core(scenario, graph)) {
    core_least_ = least_of_core(scenario, graph);
  }
}

std::optional<Bytes> HostBuilder::window(Rate line) const {
  const std::optional<scenario::WindowSize>& window = scenario_.congestion.window;
  return window ? std::optional(window_bytes(scenario_, *window, line, round_trip_)) : std::nullopt;
}

scenario::DeviceSettings HostBuilder::settings(EndpointId endpoint) const {
  return scenario_.overrides.empty() ? scenario_.devices
                                     : scenario::settings_of_device(scenario_, names_[endpoint.value()]);
}

host::HostResources* HostBuilder::resources(EndpointId endpoint) {
  const scenario::DeviceSettings devices = settings(endpoint);
  if (devices.host.model == scenario::HostModel::kNicDelays) {
    return nullptr;
  }
  std::unique_ptr<host::HostResources>& made = resources_[hosts_[endpoint.value()]];
  if (made == nullptr) {
    host::HostOptions options = host_options({scenario_, devices});
    if (has_sockets_beside_rdma(scenario_)) {
      options.rdma_cores = std::min(options.cores / 2, static_cast<std::uint32_t>(scenario_.topology.nics_per_host));
    }
    made = std::make_unique<host::HostResources>(options);
  }
  return made.get();
}

verbs::MemoryPlace HostBuilder::memory(EndpointId endpoint) const {
  const scenario::DeviceSettings devices = settings(endpoint);
  const auto gpus = static_cast<std::uint32_t>(scenario_.topology.gpus_per_host);
  if (devices.host.model == scenario::HostModel::kNicDelays || devices.host.memory == scenario::MemoryKind::kHost ||
      gpus == 0) {
    return {};
  }
  // Endpoints of a host stand together.
  std::uint32_t number = 0;
  for (std::uint32_t i = endpoint.value(); i > 0 && hosts_[i - 1] == hosts_[i]; --i) {
    ++number;
  }
  return {verbs::GpuIndex(number % gpus)};
}

// What PFC does not protect leaves it the headroom.
void HostBuilder::set_flow_control(host::RdmaPathOptions& path, EndpointId endpoint) const {
  if (!receive_.empty() && receive_[endpoint.value()].lanes != 0) {
    path.flow_control = receive_[endpoint.value()];
    path.receive_buffer = path.flow_control.xoff;
  }
}

void HostBuilder::set_path(host::NicOptions& nic, EndpointId endpoint, const scenario::DeviceSettings& devices) {
  host::HostResources* const shared = resources(endpoint);
  if (shared == nullptr) {
    return;
  }
  if (is_tcp(scenario_.fabric.family)) {
    nic.path = [shared, options = socket_path_options({scenario_, devices})](std::uint64_t seed) {
      return std::make_unique<host::SocketPath>(options, host::SocketPath::Place{.host = *shared, .seed = seed});
    };
    return;
  }
  host::PcieSlot& slot = shared->add_nic();
  const RdmaSite site{.memory = memory(endpoint), .line = rates_[endpoint.value()]};
  host::RdmaPathOptions rdma = rdma_path_options({scenario_, devices}, site);
  set_flow_control(rdma, endpoint);
  if (has_sockets_beside_rdma(scenario_)) {
    nic.path = [shared, &slot, rdma, sockets = socket_path_options({scenario_, devices})](std::uint64_t seed) {
      const host::RdmaPath::Place place{.host = *shared, .slot = slot, .seed = seed};
      return std::make_unique<host::SharedPath>(rdma, sockets, place);
    };
    return;
  }
  nic.path = [shared, &slot, rdma](std::uint64_t seed) {
    return std::make_unique<host::RdmaPath>(rdma, host::RdmaPath::Place{.host = *shared, .slot = slot, .seed = seed});
  };
}

host::NicOptions HostBuilder::scale_up_nic(const ScaleUpPlan::Gpu* gpu) {
  host::NicOptions nic = study::assembly::scale_up_nic(scenario_.scale_up);
  if (gpu == nullptr) {
    nic.pipeline = {};
    return nic;
  }
  host::HostResources* const shared = resources(gpu->host);
  if (shared != nullptr && shared->options().gpu_memory_rate != Rate::max()) {
    nic.path = [&memory = shared->gpu_memory(gpu->gpu), options = scale_up_path_options(scenario_)](std::uint64_t) {
      return std::make_unique<host::ScaleUpPath>(options, memory);
    };
  }
  return nic;
}

host::NicOptions HostBuilder::nic(EndpointId endpoint) {
  const scenario::DeviceSettings devices = this->settings(endpoint);
  const scenario::NicSettings& settings = devices.nic;
  host::NicOptions nic;
  nic.device.encapsulation = scenario::encapsulation_of(scenario_);
  nic.device.active_mtu = verbs::ethernet_path_mtu_from(Bytes(scenario_.fabric.mtu)).value_or(verbs::PathMtu::k4096);
  nic.device.key_order = scenario_.keys.r_keys == scenario::KeyNumbering::kSequential ? verbs::KeyOrder::kSequential
                                                                                      : verbs::KeyOrder::kRandom;
  nic.rc.ack_request_interval = static_cast<std::uint16_t>(scenario_.transport.ack_interval);
  set_loss_recovery(nic, settings, rates_[endpoint.value()]);
  nic.measures_order = !scenario::hashes_flows(scenario_.routing.policy) &&
                       scenario_.routing.policy != scenario::RoutingPolicy::kLft &&
                       scenario_.routing.policy != scenario::RoutingPolicy::kDimensionOrder;
  nic.header_hash = header_hash_of(scenario_.routing);
  nic.pipeline = {.doorbell = settings.doorbell_latency,
                  .fetch = settings.pcie_latency + settings.tx_latency +
                           (scenario::engine_of(scenario_.fabric.family) == scenario::FamilyEngine::kIwarp
                                ? settings.offload_latency
                                : Duration::zero()),
                  .completion = settings.completion_latency,
                  .service_time = service_time(settings.service_time)};
  if (endpoint.value() < host_endpoints_) {
    set_path(nic, endpoint, devices);
    nic.bump = bump_options(scenario_);
  }
  set_classes(nic);
  nic.lane_weights = lane_weights(scenario_, devices);
  if (settings.congestion_control || !scenario::reacts_to_congestion(scenario_.congestion.algorithm)) {
    set_congestion_control(nic, rates_[endpoint.value()]);
  }
  set_path_selector(nic);
  set_streams(nic);
  set_ultra_ethernet(nic, rates_[endpoint.value()]);
  if (scenario::uses_rccc(scenario_)) {
    nic.uet.credits = uet_credits(
        scenario_, {.line = rates_[endpoint.value()], .round_trip = round_trip_, .core_least = core_least_});
    nic.uet.credits->limits_senders = settings.congestion_control;
  }
  return nic;
}

// Where a selector learns, acknowledgements name the paths of marked packets.
void HostBuilder::set_path_selector(host::NicOptions& nic) const {
  const scenario::TransportSettings& transport = scenario_.transport;
  if (!scenario::has_entropy(scenario_.fabric.family)) {
    return;
  }
  nic.path_selector = path_selector(transport);
  if (!scenario::learns(transport.path_selector)) {
    return;
  }
  nic.congestion_receiver = [make = nic.congestion_receiver] {
    std::unique_ptr<transport::CongestionReceiver> receiver = make ? make() : nullptr;
    if (receiver == nullptr) {
      receiver = std::make_unique<transport::MarkedPaths>();
    }
    receiver->name_marked_paths();
    return receiver;
  };
}

void HostBuilder::set_ultra_ethernet(host::NicOptions& nic, Rate line) const {
  if (scenario::engine_of(scenario_.fabric.family) != scenario::FamilyEngine::kUet) {
    return;
  }
  nic.device.uet = uet_options(scenario_, {.line = line, .round_trip = round_trip_});
  nic.uet.congestion_control = nic.congestion_control;
  nic.uet.path_selector = path_selector(scenario_.uet);
  nic.measures_order |= nic.uet.path_selector && nic.device.uet.mode == transport::UetMode::kRud;
}

// Bitmaps are sized for what the longest path holds while a loss is found, and then repaired. Where credits hold a
// sender back, what is under way beyond that stands in buffers that others need.
void HostBuilder::set_loss_recovery(host::NicOptions& nic, const scenario::NicSettings& settings, Rate line) const {
  const scenario::TransportSettings& transport = scenario_.transport;
  if (transport.loss_recovery == scenario::LossRecoveryKind::kGoBackN) {
    return;
  }
  constexpr std::int64_t kMaxInFlight = 65'536;
  const bool credits = scenario::is_infiniband(scenario_.fabric.family);
  const std::int64_t products = credits ? 4 : 8;
  const std::int64_t least_in_flight = credits ? 128 : 256;
  nic.rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
  nic.rc.out_of_order_placement = transport.out_of_order_placement;
  const bool by_time =
      transport.loss_detection == scenario::LossDetectionKind::kTime ||
      (transport.loss_detection == scenario::LossDetectionKind::kAuto && transport.out_of_order_placement);
  transport::SelectiveRepeatOptions& selective = nic.selective_repeat.emplace();
  selective.loss_detection = by_time ? transport::LossDetection::kByTime : transport::LossDetection::kByCount;
  selective.reorder_threshold = static_cast<std::uint16_t>(transport.reorder_threshold);
  selective.round_trip = round_trip_;
  if (scenario::is_infiniband(scenario_.fabric.family) || scenario::can_be_paused(scenario_)) {
    selective.first_probe = kFirstProbeWithoutDrops;
  }
  const std::int64_t mtu = verbs::to_bytes(nic.device.active_mtu).count();
  const std::int64_t path = (line.bytes_in(round_trip_).count() + mtu - 1) / mtu;
  const std::int64_t needed = std::clamp(products * path, least_in_flight, kMaxInFlight);
  const std::int64_t flight = transport.flight_packets.value_or(
      std::min<std::int64_t>(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(needed))),
                             settings.tracked_packets.value_or(kMaxInFlight)));
  selective.flight_packets = static_cast<std::uint32_t>(std::max<std::int64_t>(flight, 64));
  selective.tracked_packets = static_cast<std::uint32_t>(settings.tracked_packets.value_or(selective.flight_packets));
  selective.reorder_capacity = static_cast<std::uint32_t>(settings.reorder_packets);
  selective.reorder_bytes = settings.reorder_buffer.value_or(Bytes::max());
  selective.reorder_overflow = settings.reorder_overflow == scenario::ReorderOverflowRule::kNak
                                   ? transport::ReorderOverflow::kNak
                                   : transport::ReorderOverflow::kDrop;
  // Sixteen acknowledgements per flight, so that news is fresh.
  if (by_time) {
    nic.rc.ack_request_interval = static_cast<std::uint16_t>(std::min<std::uint32_t>(
        nic.rc.ack_request_interval, std::max<std::uint32_t>(selective.flight_packets / 16, 1)));
  }
}

void HostBuilder::set_classes(host::NicOptions& nic) const {
  const scenario::QosSettings& qos = scenario_.qos;
  const auto narrow = [](std::int64_t value) { return static_cast<std::uint8_t>(value); };
  if (scenario::is_infiniband(scenario_.fabric.family)) {
    const auto lanes = lanes_of(scenario_, scenario_.devices.infiniband);
    std::copy(lanes.begin(), lanes.end(), nic.lane_of_mark.begin());
    const auto class_of = [&](std::int64_t sl) {
      return host::TrafficClass{lanes[static_cast<std::size_t>(sl)], narrow(sl)};
    };
    if (scenario::has_manager(scenario_.routing) && scenario::assigns_lanes(scenario_.routing)) {
      return;  // answers keep the lanes of their paths
    }
    if (qos.ack_sl != qos.data_sl) {
      nic.ack = class_of(qos.ack_sl);
    }
    if (qos.cnp_class == scenario::CnpClass::kOwn) {
      nic.cnp = class_of(qos.cnp_sl);
    }
    return;
  }
  for (std::int64_t priority = 0; priority < 8; ++priority) {
    nic.lane_of_mark[static_cast<std::size_t>(priority * 8)] = narrow(priority);
  }
  nic.lane_of_mark[static_cast<std::size_t>(qos.tcp_dscp)] = narrow(qos.tcp_priority);
  nic.lane_of_mark[static_cast<std::size_t>(qos.data_dscp)] = narrow(qos.data_priority);
  if (qos.ack_dscp != qos.data_dscp || qos.ack_priority != qos.data_priority) {
    nic.ack = host::TrafficClass{narrow(qos.ack_priority), narrow(qos.ack_dscp)};
  }
  if (qos.cnp_class == scenario::CnpClass::kOwn) {
    nic.cnp = host::TrafficClass{narrow(qos.cnp_priority), narrow(qos.cnp_dscp)};
  }
}

void HostBuilder::set_congestion_control(host::NicOptions& nic, Rate line) {
  const auto [made, is_new] = congestion_.try_emplace(line);
  if (is_new) {
    made->second = make_congestion_control(
        {.scenario = scenario_, .line = line, .window = window(line), .round_trip = round_trip_});
  }
  nic.congestion_control = made->second.sender;
  nic.congestion_receiver = made->second.receiver;
}

void HostBuilder::set_streams(host::NicOptions& nic) {
  if (scenario::is_infiniband(scenario_.fabric.family)) {
    return;
  }
  static_cast<transport::StreamOptions&>(nic.tcp) = stream_options(scenario_, scenario_.tcp.minimum_rto);
  static_cast<transport::StreamOptions&>(nic.iwarp) = stream_options(scenario_, scenario_.iwarp.minimum_rto);
  nic.tcp.ledgers = nic.iwarp.ledgers = &ledgers_;
  nic.iwarp.mpa_revision = static_cast<std::uint8_t>(scenario_.iwarp.mpa_revision);
  nic.iwarp.crc = scenario_.iwarp.crc;
  nic.iwarp.markers = scenario_.iwarp.markers;
  nic.iwarp.early_placement = scenario_.iwarp.early_placement;
  nic.tcp_congestion_control = tcp_control(scenario_.tcp.congestion_control);
  nic.tcp_plb = tcp_plb(scenario_);
}

host::Service service_of(scenario::Family family) {
  switch (scenario::engine_of(family)) {
    case scenario::FamilyEngine::kTcp:
      return host::Service::kTcp;
    case scenario::FamilyEngine::kIwarp:
      return host::Service::kIwarp;
    case scenario::FamilyEngine::kUet:
      return host::Service::kUet;
    case scenario::FamilyEngine::kRdma:
      break;
  }
  return host::Service::kRdma;
}

workload::ConnectionAttributes connection_attributes(const scenario::Scenario& scenario, scenario::Family family,
                                                     std::optional<std::int64_t> priority) {
  const scenario::QosSettings& qos = scenario.qos;
  workload::ConnectionAttributes attributes;
  attributes.service_level = static_cast<std::uint8_t>(priority.value_or(qos.data_sl));
  const std::uint8_t dscp = dscp_of_priority(qos, priority.value_or(scenario::data_priority_of(qos, family)));
  attributes.traffic_class = static_cast<std::uint8_t>(dscp << 2);
  attributes.path_mtu = verbs::ethernet_path_mtu_from(Bytes(scenario.fabric.mtu)).value_or(verbs::PathMtu::k4096);
  attributes.timeout = static_cast<std::uint8_t>(scenario.transport.ack_timeout);
  attributes.retry_count = static_cast<std::uint8_t>(scenario.transport.retry_count);
  attributes.rnr_retry = static_cast<std::uint8_t>(scenario.transport.rnr_retry);
  attributes.source_ports = scenario.transport.source_ports;
  if (scenario::is_infiniband(family)) {
    attributes.lid_mask_control = static_cast<std::uint8_t>(scenario.routing.lmc);
  }
  const scenario::LibrarySettings& library = scenario.library;
  if (library.reconnects() && scenario::has_ib_transport(family)) {
    attributes.reconnect = {.attempts = static_cast<std::uint32_t>(library.reconnect_attempts),
                            .first_wait = library.reconnect_wait,
                            .next_wait = library.reconnect_interval,
                            .backoff = library.reconnect_backoff,
                            .longest_wait = library.reconnect_longest,
                            .exchange = library.reconnect_exchange};
  }
  return attributes;
}

}  // namespace weft::study::assembly
