#include "study/world/message_trains.h"

#include <algorithm>

#include "transport/stream/stream_message.h"
#include "wire/ddp.h"
#include "wire/encapsulation.h"
#include "wire/mpa.h"
#include "wire/opcode.h"
#include "wire/rdmap.h"
#include "wire/uet/pds_ack.h"
#include "wire/uet/pds_request.h"
#include "wire/uet/ses_request.h"
#include "wire/uet/ses_response.h"

namespace weft::study::world {
namespace {

/// With what protects it.
Bytes protect(const host::NicOptions& nic, wire::FrameSizes plain) {
  return nic.bump ? wire::protected_sizes(plain, nic.bump->added).wire : plain.wire;
}

Train alone(Bytes packet) { return {.total = packet, .first = packet, .full = packet, .last = packet}; }

/// So many packets, all but the last full.
Train row_of(std::int64_t packets, Bytes full, Bytes last) {
  return packets == 1 ? alone(last)
                      : Train{.total = full * (packets - 1) + last, .first = full, .full = full, .last = last};
}

Train train_of(const host::NicOptions& nic, const IdealPath& path, workload::Operation operation, Bytes size) {
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
    return protect(nic, wire::sizes(path.encapsulation, wire::make_opcode(wire::Service::kRc, kind), payload));
  };
  const Bytes end = wire_size(last, last_payload);
  if (packets == 1) {
    return alone(end);
  }
  const Bytes begin = wire_size(first, path.mtu);  // with the message's address: no packet in the middle is larger
  const Bytes full = packets == 2 ? begin : wire_size(middle, path.mtu);
  return {.total = begin + full * (packets - 2) + end, .first = begin, .full = full, .last = end};
}

//= rfc7306 6
constexpr std::int64_t kImmediateData = 8;

/// With two bytes of padding before it.
//= rfc7323 A
constexpr Bytes kTimestampOption(12);

/// What the segments of a stream are like.
struct StreamShape {
  const host::NicOptions& nic;
  wire::Encapsulation encapsulation{};
  Bytes room;  // payload of a full segment
  bool timestamps = true;

  [[nodiscard]] Bytes wire_size(Bytes payload) const {
    const Bytes options = timestamps ? kTimestampOption : Bytes::zero();
    return protect(nic, wire::tcp_sizes(encapsulation, {.options = options, .payload = payload}));
  }
  /// Of so many bytes of stream, as many as fit in each segment.
  [[nodiscard]] Train train(Bytes stream) const {
    const std::int64_t packets = std::max<std::int64_t>((stream.count() + room.count() - 1) / room.count(), 1);
    const Bytes last(stream.count() - (packets - 1) * room.count());
    return row_of(packets, wire_size(room), wire_size(last));
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
  return row_of(packets, fpdu(most), last);
}

/// Packets have the headers of a request, a READ's data those of a response; the request of a READ has no payload.
MessageTrains uet_trains(const host::NicOptions& nic, const IdealPath& path, workload::Operation operation,
                         Bytes size) {
  const transport::UetSizes& given = nic.device.uet.sizes;
  const auto wire_size = [&](std::int64_t headers, std::optional<std::uint16_t> frame, Bytes payload) {
    if (frame) {
      const Bytes plain = Bytes(*frame) + payload;
      return protect(nic, {.frame = plain, .wire = plain + Bytes(given.gap.value_or(wire::kEthernetGapBytes))});
    }
    return protect(
        nic, wire::uet_sizes(path.encapsulation, {.headers = Bytes(headers + given.security), .payload = payload}));
  };
  const auto data = [&](Bytes payload) {
    const std::size_t pds = nic.uet.credits ? wire::uet::PdsRequest::kCcSize : wire::uet::PdsRequest::kSize;
    const bool answers = operation == workload::Operation::kRead && payload > Bytes::zero();
    const std::size_t ses = answers ? wire::uet::SesDataResponse::kSize : wire::uet::SesStandardRequest::kSize;
    return wire_size(static_cast<std::int64_t>(pds + ses), given.data_headers, payload);
  };
  const std::int64_t packets = std::max<std::int64_t>((size.count() + path.mtu.count() - 1) / path.mtu.count(), 1);
  const Bytes last = data(Bytes(size.count() - (packets - 1) * path.mtu.count()));
  const Bytes other = operation == workload::Operation::kRead
                          ? data(Bytes::zero())
                          : wire_size(wire::uet::PdsAck::kCcSize, given.control, Bytes::zero());
  return {.data = row_of(packets, data(path.mtu), last), .other = alone(other)};
}

}  // namespace

MessageTrains trains_of(const host::NicOptions& nic, const IdealPath& path, workload::Operation operation, Bytes size) {
  if (path.service == host::Service::kRdma) {
    const auto short_kind =
        operation == workload::Operation::kRead ? wire::Operation::kReadRequest : wire::Operation::kAcknowledge;
    const Bytes other =
        protect(nic, wire::sizes(path.encapsulation, wire::make_opcode(wire::Service::kRc, short_kind), Bytes::zero()));
    return {.data = train_of(nic, path, operation, size), .other = alone(other)};
  }
  if (path.service == host::Service::kUet) {
    return uet_trains(nic, path, operation, size);
  }
  const transport::TcpOptions& tcp = path.service == host::Service::kTcp ? nic.tcp.tcp : nic.iwarp.tcp;
  const StreamShape shape{.nic = nic,
                          .encapsulation = tcp.encapsulation,
                          .room = Bytes(tcp.mss) - (tcp.timestamps ? kTimestampOption : Bytes::zero()),
                          .timestamps = tcp.timestamps};
  const Bytes acknowledgement = shape.wire_size(Bytes::zero());
  const Train plain = alone(acknowledgement);
  if (path.service == host::Service::kTcp) {
    return {.data = shape.train(size + Bytes(transport::StreamMessage::kSize)), .other = plain};
  }
  const Train data = iwarp_train(shape, nic.iwarp, operation, size);
  if (operation == workload::Operation::kWriteWithImm) {
    const Train immediate = iwarp_train(shape, nic.iwarp, workload::Operation::kSend, Bytes(kImmediateData));
    return {
        .data = {.total = data.total + immediate.total, .first = data.first, .full = data.full, .last = immediate.last},
        .other = plain};
  }
  if (operation != workload::Operation::kRead) {
    return {.data = data, .other = plain};
  }
  const Train request = iwarp_train(shape, nic.iwarp, workload::Operation::kSend, Bytes(wire::ReadRequest::kSize));
  return {.data = data, .other = request};
}

MessageTrains memory_trains_of(const wire::MemoryFormat& format, workload::Operation operation, Bytes size) {
  const std::int64_t units = std::max<std::int64_t>((size.count() + format.unit - 1) / format.unit, 1);
  const auto rest = static_cast<std::uint32_t>(size.count() - (units - 1) * format.unit);
  const Bytes last(wire::data_wire_bytes(format, rest));
  const bool reads = operation == workload::Operation::kRead;
  const auto asked = static_cast<std::uint32_t>(std::min<std::int64_t>(size.count(), format.unit));
  const Bytes other(reads ? wire::request_wire_bytes(format, asked) : wire::ack_wire_bytes(format));
  return {.data = row_of(units, Bytes(wire::data_wire_bytes(format, format.unit)), last), .other = alone(other)};
}

}  // namespace weft::study::world
