#include "study/world/ideal_time.h"

#include <algorithm>

#include "transport/stream/stream_message.h"
#include "wire/ddp.h"
#include "wire/encapsulation.h"
#include "wire/mpa.h"
#include "wire/opcode.h"
#include "wire/rdmap.h"

namespace weft::study::world {
namespace {

/// The time of the last byte of a train of packets over a path: `bytes` in all, the last packet of `last`.
struct Train {
  Bytes total;  // of wire bytes
  Bytes last;
};

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
    const bool early = port.cut_through_bytes != 0 && Bytes(port.cut_through_bytes) < train.last;
    sum += port.delay + (early ? port.rate.transmit_time(Bytes(port.cut_through_bytes)) : last);
    // Whatever came before the last packet passes at the rate of the slowest link.
    slowest = std::max(slowest, port.rate.transmit_time(train.total) - last);
    const auto& arrival = fabric.port(port.peer);
    if (arrival.has(fabric::kIsEndpoint)) {
      if constexpr (requires { fabric.idle_time(source, destination, train.total, train.last); }) {
        return {.time = fabric.idle_time(source, destination, train.total, train.last), .switches = hop};
      }
      return {.time = sum + slowest, .switches = hop};
    }
    const fabric::NextHops hops = fabric.routes().next_hops(arrival.owner, destination);
    if (hops.empty()) {
      break;
    }
    const fabric::NodeIndex node(graph.endpoints + arrival.owner);
    out = fabric.port_index({node, hops[0]});
  }
  return {.time = sum + slowest, .switches = hop};
}

Train train_of(const IdealPath& path, workload::Operation operation, Bytes size) {
  using wire::Operation;
  const std::int64_t mtu = path.mtu.count();
  const std::int64_t packets = std::max<std::int64_t>((size.count() + mtu - 1) / mtu, 1);
  const Bytes last_payload(size.count() - (packets - 1) * mtu);
  Operation first = Operation::kWriteFirst;
  Operation middle = Operation::kWriteMiddle;
  Operation last = packets == 1 ? Operation::kWriteOnly : Operation::kWriteLast;
  switch (operation) {
    case workload::Operation::kWrite:
      break;
    case workload::Operation::kWriteWithImm:
      last = packets == 1 ? Operation::kWriteOnlyImmediate : Operation::kWriteLastImmediate;
      break;
    case workload::Operation::kSend:
      first = Operation::kSendFirst;
      middle = Operation::kSendMiddle;
      last = packets == 1 ? Operation::kSendOnly : Operation::kSendLast;
      break;
    case workload::Operation::kRead:
      first = Operation::kReadResponseFirst;
      middle = Operation::kReadResponseMiddle;
      last = packets == 1 ? Operation::kReadResponseOnly : Operation::kReadResponseLast;
      break;
  }
  const auto wire_size = [&](Operation kind, Bytes payload) {
    return wire::sizes(path.encapsulation, wire::make_opcode(wire::Service::kRc, kind), payload).wire;
  };
  Train train{.total = wire_size(last, last_payload), .last = wire_size(last, last_payload)};
  if (packets > 1) {
    train.total = train.total + wire_size(first, path.mtu) + wire_size(middle, path.mtu) * (packets - 2);
  }
  return train;
}

//= rfc7306 6
constexpr std::int64_t kImmediateData = 8;

/// With two bytes of padding before it.
//= rfc7323 A
constexpr Bytes kTimestampOption(12);

/// What the segments of a stream are like.
struct StreamShape {
  Bytes room;  // payload of a full segment
  bool timestamps = true;

  [[nodiscard]] Bytes wire_size(Bytes payload) const {
    const Bytes options = timestamps ? kTimestampOption : Bytes::zero();
    return wire::tcp_sizes(wire::Encapsulation::kTcpIpv4, {.options = options, .payload = payload}).wire;
  }
  /// Of so many bytes of stream, as many as fit in each segment.
  [[nodiscard]] Train train(Bytes stream) const {
    const std::int64_t packets = std::max<std::int64_t>((stream.count() + room.count() - 1) / room.count(), 1);
    const Bytes last(stream.count() - (packets - 1) * room.count());
    return {.total = wire_size(room) * (packets - 1) + wire_size(last), .last = wire_size(last)};
  }
};

// Every FPDU has a segment of its own.
Train iwarp_train(const StreamShape& shape, const transport::IwarpOptions& options, workload::Operation operation,
                  Bytes size) {
  const bool tagged = operation != workload::Operation::kSend;
  const std::int64_t header = tagged ? wire::DdpHeader::kTaggedSize : wire::DdpHeader::kUntaggedSize;
  const auto markers = options.markers ? wire::MpaMarkers::kOn : wire::MpaMarkers::kOff;
  const auto unit = static_cast<std::int64_t>(wire::mulpdu(static_cast<std::size_t>(shape.room.count()), markers));
  const std::int64_t most = unit - header;
  const std::int64_t packets = std::max<std::int64_t>((size.count() + most - 1) / most, 1);
  const auto fpdu = [&](std::int64_t payload) {
    constexpr std::int64_t kLengthAndCrc = 2 + 4;
    return shape.wire_size(Bytes(((kLengthAndCrc + header + payload) + 3) & ~std::int64_t{3}));
  };
  const Bytes last = fpdu(size.count() - (packets - 1) * most);
  return {.total = fpdu(most) * (packets - 1) + last, .last = last};
}

/// The two directions of a message: what its data travel as, and what comes before or after them the other way.
struct Exchange {
  Train data;
  Train other;
};

Exchange exchange_of(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  if (path.service == host::Service::kRdma) {
    const auto short_kind =
        operation == workload::Operation::kRead ? wire::Operation::kReadRequest : wire::Operation::kAcknowledge;
    const Bytes other =
        wire::sizes(path.encapsulation, wire::make_opcode(wire::Service::kRc, short_kind), Bytes::zero()).wire;
    return {.data = train_of(path, operation, size), .other = {.total = other, .last = other}};
  }
  const host::NicOptions& nic = world.nic(path.source).options();
  const transport::TcpOptions& tcp = path.service == host::Service::kTcp ? nic.tcp.tcp : nic.iwarp.tcp;
  const StreamShape shape{.room = Bytes(tcp.mss) - (tcp.timestamps ? kTimestampOption : Bytes::zero()),
                          .timestamps = tcp.timestamps};
  const Bytes acknowledgement = shape.wire_size(Bytes::zero());
  const Train plain{.total = acknowledgement, .last = acknowledgement};
  if (path.service == host::Service::kTcp) {
    return {.data = shape.train(size + Bytes(transport::StreamMessage::kSize)), .other = plain};
  }
  const Train data = iwarp_train(shape, nic.iwarp, operation, size);
  if (operation == workload::Operation::kWriteWithImm) {
    const Train immediate = iwarp_train(shape, nic.iwarp, workload::Operation::kSend, Bytes(kImmediateData));
    return {.data = {.total = data.total + immediate.total, .last = immediate.last}, .other = plain};
  }
  if (operation != workload::Operation::kRead) {
    return {.data = data, .other = plain};
  }
  const Train request = iwarp_train(shape, nic.iwarp, workload::Operation::kSend, Bytes(wire::ReadRequest::kSize));
  return {.data = data, .other = request};
}

template <class Fabric>
Duration round_trip(const Fabric& fabric, const IdealPath& path, workload::Operation operation,
                    const Exchange& exchange) {
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

/// Of a message's units, and of what goes the other way: a store's answer, or the first request of a load.
struct MemoryExchange {
  fabric::ScaleUpFabric::Train data;
  fabric::ScaleUpFabric::Train other;
};

MemoryExchange memory_exchange(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  const wire::MemoryFormat& format = world.nic(path.source).options().memory.format;
  const std::int64_t units = std::max<std::int64_t>((size.count() + format.unit - 1) / format.unit, 1);
  const auto rest = static_cast<std::uint32_t>(size.count() - (units - 1) * format.unit);
  const Bytes last(wire::data_wire_bytes(format, rest));
  const bool reads = operation == workload::Operation::kRead;
  const auto asked = static_cast<std::uint32_t>(std::min<std::int64_t>(size.count(), format.unit));
  const Bytes other(reads ? wire::request_wire_bytes(format, asked) : wire::ack_wire_bytes(format));
  return {.data = {.total = Bytes(wire::data_wire_bytes(format, format.unit)) * (units - 1) + last, .last = last},
          .other = {.total = other, .last = other}};
}

Duration scale_up_time(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  const MemoryExchange exchange = memory_exchange(world, path, operation, size);
  const bool reads = operation == workload::Operation::kRead;
  const fabric::ScaleUpFabric& links = *world.scale_up();
  return reads ? links.unloaded_time(path.source, path.destination, exchange.other) +
                     links.unloaded_time(path.destination, path.source, exchange.data)
               : links.unloaded_time(path.source, path.destination, exchange.data) +
                     links.unloaded_time(path.destination, path.source, exchange.other);
}

}  // namespace

Duration ideal_time(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  const Duration host = host_time(world, path, operation, size);
  if (path.service == host::Service::kMemory) {
    return host + scale_up_time(world, path, operation, size);
  }
  const Exchange exchange = exchange_of(world, path, operation, size);
  return host + world.fabric().visit([&](const auto& fabric) { return round_trip(fabric, path, operation, exchange); });
}

Bytes host_bytes(const IdealPath& path, Bytes size) {
  return path.service == host::Service::kTcp ? size + Bytes(transport::StreamMessage::kSize) : size;
}

NetworkTime one_way(const World& world, const IdealPath& path, workload::Operation operation, Bytes size) {
  if (path.service == host::Service::kMemory) {
    const fabric::ScaleUpFabric::Train units = memory_exchange(world, path, operation, size).data;
    return {.time = world.scale_up()->unloaded_time(path.source, path.destination, units), .switches = 1};
  }
  const Train data = exchange_of(world, path, operation, size).data;
  return world.fabric().visit([&](const auto& fabric) { return travel(fabric, path.source, path.destination, data); });
}

}  // namespace weft::study::world
