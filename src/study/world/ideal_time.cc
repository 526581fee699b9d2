#include "study/world/ideal_time.h"

#include "flow/medium.h"
#include "host/uet_paths.h"
#include "study/world/message_trains.h"
#include "transport/path/path_selector.h"
#include "transport/stream/stream_message.h"

namespace weft::study::world {
namespace {

template <class Fabric>
NetworkTime travel(const Fabric& fabric, EndpointId source, EndpointId destination, const Train& train,
                   PathsTaken taken) {
  const std::vector<flow::Hop> hops = idle_hops(fabric, source, destination, taken);
  const auto switches = static_cast<std::int64_t>(hops.size()) - 1;
  if constexpr (requires { fabric.idle_time(source, destination, train.total, train.first); }) {
    // As if the last packet were a full one: it waits behind full ones all the way.
    return {.time = fabric.idle_time(source, destination, train.total, train.first), .switches = switches};
  }
  const flow::MessagePackets packets{
      .data = train.total, .first = train.first, .full = train.full, .last = train.last, .other = {}};
  return {.time = flow::train_time(hops, packets), .switches = switches};
}

template <class Fabric>
Duration round_trip(const Fabric& fabric, const IdealPath& path, workload::Operation operation,
                    const MessageTrains& exchange, PathsTaken taken) {
  const bool reads = operation == workload::Operation::kRead;
  const EndpointId from = reads ? path.destination : path.source;
  const EndpointId to = reads ? path.source : path.destination;
  return travel(fabric, from, to, exchange.data, taken).time + travel(fabric, to, from, exchange.other, taken).time;
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
    return world.scale_up()->unloaded_time(from, to, {.total = train.total, .last = train.first});
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
  const host::NicOptions& nic = world.nic(path.source).options();
  const MessageTrains exchange = trains_of(nic, path, operation, size);
  const PathsTaken taken = paths_taken(nic, path.service);
  return host +
         world.fabric().visit([&](const auto& fabric) { return round_trip(fabric, path, operation, exchange, taken); });
}

PathsTaken paths_taken(const host::NicOptions& nic, host::Service service) {
  const bool any = service == host::Service::kUet ? host::contexts_take_any_path(nic)
                                                  : nic.path_selector && !nic.path_selector(0)->lasting_entropy();
  return any ? PathsTaken::kAll : PathsTaken::kOfFlow;
}

Bytes host_bytes(const IdealPath& path, Bytes size) {
  return path.service == host::Service::kTcp ? size + Bytes(transport::StreamMessage::kSize) : size;
}

NetworkTime one_way(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  if (path.service == host::Service::kMemory) {
    const Train units = memory_trains_of(world.nic(path.source).options().memory.format, operation, size).data;
    return {.time = world.scale_up()->unloaded_time(path.source, path.destination,
                                                    {.total = units.total, .last = units.first}),
            .switches = 1};
  }
  const host::NicOptions& nic = world.nic(path.source).options();
  const Train data = trains_of(nic, path, operation, size).data;
  const PathsTaken taken = paths_taken(nic, path.service);
  return world.fabric().visit(
      [&](const auto& fabric) { return travel(fabric, path.source, path.destination, data, taken); });
}

}  // namespace weft::study::world
