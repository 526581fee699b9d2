#include "study/world/ideal_time.h"

#include <algorithm>

#include "study/world/message_trains.h"
#include "transport/stream/stream_message.h"

namespace weft::study::world {
namespace {

template <class Fabric>
NetworkTime travel(const Fabric& fabric, EndpointId source, EndpointId destination, const Train& train) {
  const fabric::Graph& graph = fabric.graph();
  fabric::PortIndex out = fabric.port_index({graph.node_of(source), 0});
  Duration sum;
  Duration slowest;
  int hop = 0;
  for (; hop < kMaxHops; ++hop) {
    const auto& port = fabric.port(out);
    const Duration last = port.rate.transmit_time(train.last);
    const bool early = port.cut_through_bytes() != 0 && Bytes(port.cut_through_bytes()) < train.last;
    sum += port.delay + (early ? port.rate.transmit_time(Bytes(port.cut_through_bytes())) : last);
    // Whatever came before the last packet passes at the rate of the slowest link.
    slowest = std::max(slowest, port.rate.transmit_time(train.total) - last);
    const auto& arrival = fabric.port(port.peer);
    if (arrival.has(fabric::kIsEndpoint)) {
      if constexpr (requires { fabric.idle_time(source, destination, train.total, train.last); }) {
        return {.time = fabric.idle_time(source, destination, train.total, train.last), .switches = hop};
      }
      return {.time = sum + slowest, .switches = hop};
    }
    const fabric::NextHops hops = fabric.next_hops(arrival.owner, destination);
    if (hops.empty()) {
      break;
    }
    const fabric::NodeIndex node(graph.endpoints + arrival.owner);
    out = fabric.port_index({node, hops[0]});
  }
  return {.time = sum + slowest, .switches = hop};
}

template <class Fabric>
Duration round_trip(const Fabric& fabric, const IdealPath& path, workload::Operation operation,
                    const MessageTrains& exchange) {
  const bool reads = operation == workload::Operation::kRead;
  const EndpointId from = reads ? path.destination : path.source;
  const EndpointId to = reads ? path.source : path.destination;
  return travel(fabric, from, to, exchange.data).time + travel(fabric, to, from, exchange.other).time;
}

Duration host_time(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  const host::Nic& source = world.nic(path.source);
  if (source.path() == nullptr) {
    const host::HostPipeline& pipeline = source.options().pipeline;
    return pipeline.before_wire() + pipeline.completion;
  }
  const host::HostPath& sender = *source.path();
  const host::HostPath* const receiver = world.nic(path.destination).path();
  const bool loads = path.service == host::Service::kMemory;
  const host::MessageShape shape{
      .size = host_bytes(path, size),
      .packet = loads ? Bytes(source.options().memory.format.unit) : path.mtu,
      .opcode = workload::opcode_of(operation),
      .place = path.place,
      .engine = path.service == host::Service::kTcp ? transport::EngineKind::kTcp : transport::EngineKind::kRc};
  Duration sum = sender.idle_stages(host::HostPathSide::kSend, shape).sum();
  if (operation == workload::Operation::kRead) {
    // The fabric has the delay of the NIC's receiving pipeline.
    const host::StageTimes landing = sender.idle_stages(host::HostPathSide::kReceive, shape);
    sum += landing.sum() - landing.time_of("NIC receive");
    const bool target_is_seen = receiver != nullptr && path.service == host::Service::kRdma;
    return target_is_seen ? sum + receiver->idle_stages(host::HostPathSide::kReadTarget, shape).sum() : sum;
  }
  sum += sender.idle_stages(host::HostPathSide::kCompletion, shape).sum();
  return receiver == nullptr ? sum : sum + receiver->idle_stages(host::HostPathSide::kAckReturn, shape).sum();
}

Duration scale_up_time(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  const MessageTrains exchange = memory_trains_of(world.nic(path.source).options().memory.format, operation, size);
  const bool reads = operation == workload::Operation::kRead;
  const auto travel = [&](EndpointId from, EndpointId to, const Train& train) {
    return world.scale_up()->unloaded_time(from, to, {.total = train.total, .last = train.last});
  };
  return reads ? travel(path.source, path.destination, exchange.other) +
                     travel(path.destination, path.source, exchange.data)
               : travel(path.source, path.destination, exchange.data) +
                     travel(path.destination, path.source, exchange.other);
}

}  // namespace

Duration ideal_time(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  const Duration host = host_time(world, path, operation, size);
  if (path.service == host::Service::kMemory) {
    return host + scale_up_time(world, path, operation, size);
  }
  const MessageTrains exchange = trains_of(world.nic(path.source).options(), path, operation, size);
  return host + world.fabric().visit([&](const auto& fabric) { return round_trip(fabric, path, operation, exchange); });
}

Bytes host_bytes(const IdealPath& path, Bytes size) {
  return path.service == host::Service::kTcp ? size + Bytes(transport::StreamMessage::kSize) : size;
}

NetworkTime one_way(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  if (path.service == host::Service::kMemory) {
    const Train units = memory_trains_of(world.nic(path.source).options().memory.format, operation, size).data;
    return {.time = world.scale_up()->unloaded_time(path.source, path.destination,
                                                    {.total = units.total, .last = units.last}),
            .switches = 1};
  }
  const Train data = trains_of(world.nic(path.source).options(), path, operation, size).data;
  return world.fabric().visit([&](const auto& fabric) { return travel(fabric, path.source, path.destination, data); });
}

}  // namespace weft::study::world
