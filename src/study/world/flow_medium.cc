#include "study/world/flow_medium.h"

#include <algorithm>

#include "base/stable_hash.h"
#include "fabric/hash/header_hash.h"
#include "fabric/routing/ecmp_hash.h"
#include "fabric/topology/graph_query.h"
#include "host/header_fields.h"
#include "study/world/end_addresses.h"
#include "study/world/ideal_time.h"
#include "study/world/idle_hops.h"
#include "study/world/link_parts.h"
#include "study/world/message_trains.h"
#include "study/world/world.h"
#include "transport/path/path_selector.h"
#include "transport/qp_core.h"
#include "transport/stream/stream_message.h"

namespace weft::study::world {
namespace {

workload::Operation operation_of(verbs::WrOpcode opcode) {
  switch (opcode) {
    case verbs::WrOpcode::kRdmaWrite:
      return workload::Operation::kWrite;
    case verbs::WrOpcode::kRdmaWriteWithImm:
      return workload::Operation::kWriteWithImm;
    case verbs::WrOpcode::kRdmaRead:
    case verbs::WrOpcode::kAtomicCmpAndSwp:
    case verbs::WrOpcode::kAtomicFetchAndAdd:
      return workload::Operation::kRead;
    case verbs::WrOpcode::kSend:
    case verbs::WrOpcode::kSendWithImm:
    case verbs::WrOpcode::kSendWithInv:
      break;
  }
  return workload::Operation::kSend;
}

/// Picoseconds of a core in a second: its capacity.
constexpr double kCoreTime = 1e12;
constexpr double kBitsPerByte = 8;
/// Of a path through three tiers of switches.
constexpr std::size_t kUsualHops = 6;

/// A WRITE of one full packet.
flow::MessageQuery full_message(const flow::PathEnds& ends) {
  return {.from = ends.from,
          .to = ends.to,
          .opcode = verbs::WrOpcode::kRdmaWrite,
          .size = verbs::to_bytes(ends.path_mtu),
          .path_mtu = ends.path_mtu};
}

/// Adds to the load of a link that may be there already.
void add_use(std::uint32_t link, double part, std::vector<flow::LinkUse>& links) {
  const auto known = std::ranges::find(links, link, &flow::LinkUse::link);
  if (known != links.end()) {
    known->part += static_cast<float>(part);
  } else if (part > 0) {
    links.push_back({.link = link, .part = static_cast<float>(part)});
  }
}

}  // namespace

FlowMedium::FlowMedium(FlowMediumOptions options) : options_(std::move(options)) {}

Result<std::unique_ptr<FlowMedium>> FlowMedium::create(FlowMediumOptions options) {
  std::unique_ptr<FlowMedium> medium(new FlowMedium(std::move(options)));
  FlowMediumOptions& own = medium->options_;
  if (std::holds_alternative<fabric::ScheduledOptions>(own.fabric)) {
    return fail("a scheduled fabric has no flow level; set fidelity = \"packet\"");
  }
  const fabric::FabricContext context{
      .kernel = medium->kernel_, .packets = medium->packets_, .seed = own.seed, .paths_alone = true};
  auto network = fabric::AnyFabric::create(std::exchange(own.graph, {}), std::move(own.fabric), context);
  if (!network) {
    return pass_on(network);
  }
  medium->fabric_ = std::move(*network);
  const fabric::Graph& graph = medium->graph();
  medium->rates_ = fabric::endpoint_rates(graph);
  medium->hosts_ = own.hosts.empty() ? 0 : 1 + *std::ranges::max_element(own.hosts);
  medium->addresses_.reserve(graph.endpoints);
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    medium->addresses_.push_back(stable_hash(own.seed, graph.nodes[i].name));
  }
  if (own.scale_up) {
    auto made = fabric::ScaleUpFabric::create(*std::exchange(own.scale_up, std::nullopt), context);
    if (!made) {
      return pass_on(made);
    }
    medium->scale_up_ = std::move(*made);
    for (std::uint32_t i = 0; i < medium->scale_up_->endpoints(); ++i) {
      medium->rates_.push_back(medium->scale_up_->port(EndpointId(graph.endpoints + i)).rate);
    }
  }
  return medium;
}

double FlowMedium::capacity_of(std::uint32_t link) const {
  if (link >= first_core()) {
    return kCoreTime;
  }
  if (link >= fabric_.port_count()) {
    return static_cast<double>(scale_up_->wire(link - fabric_.port_count()).rate.bits_per_second());
  }
  const double line = fabric_.visit([link](const auto& fabric) { return link_rate(fabric, link); });
  return options_.protected_rate && !joins_switches(link)
             ? std::min(line, static_cast<double>(options_.protected_rate->bits_per_second()))
             : line;
}

std::vector<double> FlowMedium::capacities() const {
  std::vector<double> made;
  made.reserve(links());
  for (std::uint32_t link = 0; link < links(); ++link) {
    made.push_back(capacity_of(link));
  }
  return made;
}

bool FlowMedium::joins_switches(std::uint32_t link) const {
  return link < fabric_.port_count() && fabric_.visit([link](const auto& fabric) {
    const auto& from = fabric.port(link);
    return !from.has(fabric::kIsEndpoint) && !fabric.port(from.peer).has(fabric::kIsEndpoint);
  });
}

const std::string& FlowMedium::name_of(EndpointId endpoint) const {
  return is_scale_up(endpoint) ? scale_up_->port(endpoint).name : graph()[graph().node_of(endpoint)].name;
}

const FlowMedium::Kind& FlowMedium::kind_of(EndpointId endpoint) {
  constexpr std::uint64_t kScaleUp = std::uint64_t{1} << 63;
  const bool scale_up = is_scale_up(endpoint);
  // Host paths are of one host; without any, NICs with one line are alike.
  const std::uint64_t line = static_cast<std::uint64_t>(rate_of(endpoint).bits_per_second());
  const std::uint64_t name = (options_.nics_alike ? line : endpoint.value()) | (scale_up ? kScaleUp : 0);
  const auto [found, is_new] = kinds_.try_emplace(name);
  Kind& kind = found->second;
  if (is_new) {
    kind.nic = scale_up ? options_.scale_up_nic(endpoint) : options_.nic(endpoint);
    kind.number = static_cast<std::uint32_t>(kinds_.size() - 1);
    if (kind.nic.path) {
      kind.path = kind.nic.path(options_.seed);
    }
  }
  return kind;
}

verbs::DeviceAttributes FlowMedium::device_of(EndpointId endpoint) {
  verbs::DeviceAttributes attributes;
  attributes.active_mtu = kind_of(endpoint).nic.device.active_mtu;
  return attributes;
}

FlowMedium::Stream FlowMedium::stream_of(const flow::PathEnds& ends) {
  const Kind& kind = kind_of(ends.from);
  Stream stream{.flow = {.source = ends.from, .destination = ends.to}, .entropy = ends.address.source_port};
  const bool is_uet = options_.service == host::Service::kUet;
  if (is_uet) {
    if (paths_taken(kind.nic, options_.service) == PathsTaken::kAll) {
      stream.any_path = true;
      return stream;
    }
    stream.entropy = contexts_.of(
        {.initiator = ends.from, .target = ends.to, .traffic_class = ends.address.traffic_class}, stream.entropy);
  } else if (kind.nic.path_selector) {
    const std::unique_ptr<transport::PathSelector> paths =
        kind.nic.path_selector(stable_hash(addresses_[ends.from.value()] + ends.queue_pair.value(), "paths"));
    if (paths != nullptr) {
      const std::optional<std::uint16_t> lasting = paths->lasting_entropy();
      stream.any_path = !lasting;
      stream.entropy = lasting.value_or(stream.entropy);
    }
  }
  wire::Packet packet;
  packet.common.kind = is_uet ? wire::PacketKind::kUet : wire::PacketKind::kInfiniBandTransport;
  packet.common.encapsulation = kind.nic.device.encapsulation;
  packet.common.source = ends.from;
  transport::set_address(packet.common, ends.address);
  packet.common.entropy = stream.entropy;
  packet.ib.destination_qp = ends.remote_queue_pair.value();
  if (!kind.nic.header_hash) {
    stream.flow.hash =
        host::tuple_hash(packet, {.source = addresses_[ends.from.value()], .destination = addresses_[ends.to.value()]});
    return stream;
  }
  if (header_addresses_.empty()) {
    header_addresses_ = end_addresses(graph(), options_.seed);
  }
  stream.flow.hash = kind.nic.header_hash->of(host::header_fields(packet, header_addresses_));
  return stream;
}

template <class Fabric>
Result<flow::Route> FlowMedium::route_over(const Fabric& fabric, const Stream& stream) const {
  const fabric::Graph& graph = fabric.graph();
  flow::Route route;
  route.links.reserve(kUsualHops);
  route.hops.reserve(kUsualHops);
  fabric::PortIndex port = fabric.port_index({graph.node_of(stream.flow.source), 0});
  for (int hop = 0; hop < kMaxHops; ++hop) {
    const auto& out = fabric.port(port);
    route.links.push_back({.link = port});
    route.hops.push_back(hop_of(out));
    const auto& arrival = fabric.port(out.peer);
    if (arrival.has(fabric::kIsEndpoint)) {
      return route;
    }
    const fabric::NextHops ports = fabric.ports_taken(arrival.owner, stream.flow, stream.entropy);
    if (ports.size() != 1) {
      return ports.empty() ? fail("no path from {} to {}: the topology does not connect all ports",
                                  name_of(stream.flow.source), name_of(stream.flow.destination))
                           : spread_over(fabric, stream);
    }
    port = fabric.port_index({fabric::NodeIndex(graph.endpoints + arrival.owner), ports[0]});
  }
  return fail("the path from {} to {} goes round in circles", name_of(stream.flow.source),
              name_of(stream.flow.destination));
}

/// Where packets of a flow take several paths: the part of it on each link, and the hops of one of its packets.
template <class Fabric>
Result<flow::Route> FlowMedium::spread_over(const Fabric& fabric, const Stream& stream) const {
  std::map<fabric::PortIndex, double> links;
  if (stream.any_path) {
    add_all_paths(fabric, {.flow = stream.flow}, 1, links);
  } else {
    add_links(fabric, {.flow = stream.flow, .entropy = stream.entropy}, 1, links);
  }
  flow::Route route{.hops = idle_hops(fabric, stream.flow.source, stream.flow.destination,
                                      stream.any_path ? PathsTaken::kAll : PathsTaken::kOfFlow)};
  for (const auto& [port, part] : links) {
    route.links.push_back({.link = port, .part = rounded_part(part)});
  }
  return route;
}

flow::Route FlowMedium::scale_up_route(EndpointId from, EndpointId to) const {
  flow::Route route;
  const std::vector<fabric::WireIndex> path = scale_up_->path(from, to);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const fabric::ScaleUpWire& wire = scale_up_->wire(path[i]);
    route.links.push_back({.link = fabric_.port_count() + path[i]});
    // Into a faster wire nothing is cut through: it would run dry.
    const bool early = i + 1 < path.size() && scale_up_->wire(path[i + 1]).rate <= wire.rate;
    route.hops.push_back(
        {.delay = wire.delay, .rate = wire.rate, .cut_through = early ? Bytes(wire.cut_through_bytes) : Bytes::zero()});
  }
  return route;
}

LinkBundles FlowMedium::make_bundles() {
  const bool evenly = fabric_.visit([](const auto& fabric) { return hashes_spread_evenly(fabric); });
  bool all = true;  // senders spread all flows
  bool any = false;
  for (std::uint32_t i = 0; i < graph().endpoints; ++i) {
    const bool spreads = paths_taken(kind_of(EndpointId(i)).nic, options_.service) == PathsTaken::kAll;
    all = all && spreads;
    any = any || spreads || kind_of(EndpointId(i)).nic.path_selector;
  }
  if (options_.service == host::Service::kUet && all) {
    return evenly ? LinkBundles::of(fabric_, LinkBundles::SpreadBy::kSenders) : LinkBundles();
  }
  return evenly || !any ? LinkBundles::of(fabric_, LinkBundles::SpreadBy::kSwitches) : LinkBundles();
}

LinkBundles& FlowMedium::bundles() {
  if (!bundles_) {
    bundles_ = options_.bundles_links ? make_bundles() : LinkBundles();
  }
  return *bundles_;
}

Result<flow::Route> FlowMedium::route_of(const Stream& stream) {
  if (!bundles().empty()) {
    flow::Route route{.links = bundles().links_of(stream.flow.source, stream.flow.destination)};
    route.hops = fabric_.visit([&](const auto& fabric) {
      return idle_hops(fabric, stream.flow.source, stream.flow.destination,
                       stream.any_path ? PathsTaken::kAll : PathsTaken::kOfFlow);
    });
    return route;
  }
  return fabric_.visit(
      [&](const auto& fabric) { return stream.any_path ? spread_over(fabric, stream) : route_over(fabric, stream); });
}

Result<std::vector<flow::LinkUse>> FlowMedium::links_of(const flow::PathEnds& ends) {
  if (!bundles().empty()) {
    return bundles().links_of(ends.from, ends.to);
  }
  Result<flow::Route> made = route_of(stream_of(ends));
  if (!made) {
    return pass_on(made);
  }
  return std::move(made->links);
}

Result<flow::Route> FlowMedium::route(const flow::PathEnds& ends) {
  flow::Route made;
  if (is_scale_up(ends.from)) {
    made = scale_up_route(ends.from, ends.to);
  } else {
    const Stream stream = stream_of(ends);
    Result<flow::Route> over = route_of(stream);
    if (!over) {
      return over;
    }
    made = std::move(*over);
    made.queues = made.links.size();
    add_cores(ends, stream.flow.hash, made);
    limit_window(ends, made);
    made.answer_share = answer_share(ends);
    if (stand_ins_ != nullptr) {
      stand_ins_->apply(ends.from, made.links);
    }
    // Where each exchanges with each, both directions of a link carry as much.
    if (options_.mirrors_answers || stand_ins_ != nullptr) {
      for (flow::LinkUse& use : made.links) {
        use.part *= use.link < first_core() ? static_cast<float>(1 + made.answer_share) : 1;
      }
      made.answer_share = 0;
    }
  }
  made.kind = kind_of(ends.from).number;
  return made;
}

// A sending thread runs on a core by its queue pair, what arrives is taken on one by the hash of the flow.
void FlowMedium::add_cores(const flow::PathEnds& ends, std::uint64_t hash, flow::Route& route) {
  if (options_.cores == 0 || options_.hosts.empty()) {
    return;
  }
  const flow::MessagePackets full = full_packet(ends);
  const Bytes payload = verbs::to_bytes(ends.path_mtu);
  const double bytes_per_bit =
      static_cast<double>(payload.count()) / (static_cast<double>(full.data.count()) * kBitsPerByte);
  const auto core = [&](EndpointId endpoint, std::uint64_t of) {
    return first_core() + options_.hosts[endpoint.value()] * options_.cores +
           static_cast<std::uint32_t>(of % options_.cores);
  };
  add_use(core(ends.from, host::core_hash(addresses_[ends.from.value()], ends.queue_pair)),
          options_.send_cost * bytes_per_bit, route.links);
  add_use(core(ends.to, hash), options_.receive_cost * bytes_per_bit, route.links);
}

flow::MessagePackets FlowMedium::full_packet(const flow::PathEnds& ends) { return packets_of(full_message(ends)); }

// A stream has at most its receiver's buffer under way. Others have windows of bandwidth-delay products and more.
void FlowMedium::limit_window(const flow::PathEnds& ends, flow::Route& route) {
  const bool is_tcp = options_.service == host::Service::kTcp;
  if (!is_tcp && options_.service != host::Service::kIwarp) {
    return;
  }
  const host::NicOptions& nic = kind_of(ends.from).nic;
  const transport::TcpOptions& tcp = is_tcp ? nic.tcp.tcp : nic.iwarp.tcp;
  const flow::MessagePackets full = full_packet(ends);
  route.round_trip = flow::packet_time(route.hops, full.data) + flow::packet_time(route.hops, full.other) +
                     stages_of(full_message(ends)).completion;
  const double wire = static_cast<double>(full.data.count()) / static_cast<double>(to_bytes(ends.path_mtu).count());
  route.cap = static_cast<double>(tcp.receive_buffer.count()) * kBitsPerByte * wire / route.round_trip.seconds();
}

// One acknowledgement for several packets, as each protocol has them.
double FlowMedium::answer_share(const flow::PathEnds& ends) {
  const host::NicOptions& nic = kind_of(ends.from).nic;
  const Bytes payload = to_bytes(ends.path_mtu);
  std::int64_t packets = nic.rc.ack_request_interval;
  switch (options_.service) {
    case host::Service::kTcp:
      packets = options_.receive_unit / payload;
      break;
    case host::Service::kIwarp:
      packets = nic.iwarp.tcp.delayed_ack.every;
      break;
    case host::Service::kUet:
      packets = nic.device.uet.ack_every / payload;
      break;
    case host::Service::kRdma:
    case host::Service::kMemory:
      break;
  }
  const flow::MessagePackets full = full_packet(ends);
  return static_cast<double>(full.other.count()) /
         (static_cast<double>(full.data.count()) * static_cast<double>(std::max<std::int64_t>(packets, 1)));
}

Duration FlowMedium::ideal_time(const flow::MessageQuery& message) {
  const auto hops = [&](EndpointId from, EndpointId to) {
    return is_scale_up(from) ? scale_up_route(from, to).hops : fabric_.visit([&](const auto& fabric) {
      return idle_hops(fabric, from, to, paths_taken(kind_of(from).nic, options_.service));
    });
  };
  const std::vector<flow::Hop> there = hops(message.from, message.to);
  const std::vector<flow::Hop> back = hops(message.to, message.from);
  const bool reads = message.opcode == verbs::WrOpcode::kRdmaRead;
  const flow::MessagePackets packets = packets_of(message);
  const flow::HostStages stages = stages_of(message);
  return stages.before_wire + flow::train_time(reads ? back : there, packets) +
         flow::packet_time(reads ? there : back, packets.other) + stages.completion;
}

flow::MessagePackets FlowMedium::packets_of(const flow::MessageQuery& message) {
  const Kind& from = kind_of(message.from);
  const workload::Operation operation = operation_of(message.opcode);
  const MessageTrains trains = is_scale_up(message.from)
                                   ? memory_trains_of(from.nic.memory.format, operation, message.size)
                                   : trains_of(from.nic,
                                               {.source = message.from,
                                                .destination = message.to,
                                                .encapsulation = from.nic.device.encapsulation,
                                                .mtu = verbs::to_bytes(message.path_mtu),
                                                .service = options_.service},
                                               operation, message.size);
  return {.data = trains.data.total,
          .first = trains.data.first,
          .full = trains.data.full,
          .last = trains.data.last,
          .other = trains.other.total};
}

flow::HostStages FlowMedium::path_stages(const flow::MessageQuery& message, const Kind& from, const Kind& to) const {
  using host::HostPathSide;
  const bool loads = is_scale_up(message.from);
  const bool sockets = options_.service == host::Service::kTcp && !loads;
  const auto shape = [&](const Kind& kind, EndpointId endpoint) {
    return host::MessageShape{.size = sockets ? message.size + Bytes(transport::StreamMessage::kSize) : message.size,
                              .packet = loads ? Bytes(kind.nic.memory.format.unit) : verbs::to_bytes(message.path_mtu),
                              .opcode = message.opcode,
                              .place = options_.memory(endpoint),
                              .engine = sockets ? transport::EngineKind::kTcp : transport::EngineKind::kRc};
  };
  const host::MessageShape own = shape(from, message.from);
  flow::HostStages made{.before_wire = from.path->idle_stages(HostPathSide::kSend, own).sum()};
  // The fabric has the delay of the NIC's receiving pipeline.
  const auto landing = [](const host::StageTimes& stages) { return stages.sum() - stages.time_of("NIC receive"); };
  if (message.opcode == verbs::WrOpcode::kRdmaRead) {
    made.completion = landing(from.path->idle_stages(HostPathSide::kReceive, own));
    if (to.path != nullptr && options_.service == host::Service::kRdma && !loads) {
      made.completion += to.path->idle_stages(HostPathSide::kReadTarget, own).sum();
    }
    return made;
  }
  made.completion = from.path->idle_stages(HostPathSide::kCompletion, own).sum();
  if (to.path != nullptr) {
    made.completion += to.path->idle_stages(HostPathSide::kAckReturn, own).sum();
    made.arrival = landing(to.path->idle_stages(HostPathSide::kReceive, shape(to, message.to)));
  }
  return made;
}

flow::HostStages FlowMedium::stages_of(const flow::MessageQuery& message) {
  const Kind& from = kind_of(message.from);
  const Kind& to = kind_of(message.to);
  if (from.path != nullptr) {
    return path_stages(message, from, to);
  }
  return {.before_wire = from.nic.pipeline.before_wire(),
          .completion = from.nic.pipeline.completion,
          .arrival = to.nic.pipeline.completion};
}

}  // namespace weft::study::world
