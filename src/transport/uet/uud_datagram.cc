#include "transport/uet/uud_datagram.h"

#include "transport/uet/ses_types.h"
#include "wire/opcode.h"

namespace weft::transport {

using wire::UetOperation;

//= uet-1.0 3.5
void to_uud(const TransmitSlot& slot, const UetSizes& sizes) {
  const wire::IbTransportHeader datagram = slot.packet.ib;
  const bool immediate = wire::describe(datagram.opcode).immediate;
  const bool solicited = datagram.has(wire::kBthSolicited);
  wire::UetHeader& header = slot.packet.uet;
  header = wire::UetHeader{};
  header.request = {.buffer_offset = 0,
                    .memory_key = datagram.deth.queue_key,
                    .message_id = 0,
                    .operation = static_cast<std::uint8_t>(UetOperation::kDatagramSend),
                    .ses_flags = static_cast<std::uint8_t>(wire::kUetStartOfMessage | wire::kUetEndOfMessage |
                                                           (immediate || solicited ? wire::kUetHeaderData : 0))};
  header.type = wire::UetType::kUudRequest;
  header.set_target(wire::UetNextHeader::kRequestMedium, datagram.destination_qp);
  slot.packet.common.kind = wire::PacketKind::kUet;
  slot.packet.common.flags |= wire::kUnordered;
  wire::UetExtension& extension = attach_extension(slot);
  extension.initiator = datagram.deth.source_qp;
  extension.length = slot.packet.common.payload_bytes;
  extension.header_data = pack({.immediate = datagram.immediate, .has_immediate = immediate, .solicited = solicited});
  set_uet_sizes(slot.packet, UetSizeClass::kData,
                {.headers = Bytes(kPdsUudBytes + kSesMediumBytes), .payload = Bytes(slot.packet.common.payload_bytes)},
                sizes);
}

bool from_uud(const ReceivedPacket& received, std::uint16_t partition_key, wire::Packet& out) {
  const wire::UetHeader& header = received.packet.uet;
  if (!received.packet.has(wire::kHasCold) || received.packet.has(wire::kTrimmed) ||
      header.operation() != UetOperation::kDatagramSend || !header.has_ses(wire::kUetStartOfMessage) ||
      !header.has_ses(wire::kUetEndOfMessage))
    return false;
  const VerbsHeaderData data =
      unpack_header_data(header.has_ses(wire::kUetHeaderData) ? received.cold.uet.header_data : std::uint64_t{0});
  out.common = received.packet.common;
  out.common.kind = wire::PacketKind::kInfiniBandTransport;
  out.common.flags = static_cast<std::uint8_t>(out.common.flags & ~wire::kHasCold);
  out.ib = wire::IbTransportHeader{};
  out.ib.deth = {.queue_key = header.request.memory_key, .source_qp = received.cold.uet.initiator};
  out.ib.immediate = data.immediate;
  out.ib.destination_qp = header.resource();
  out.ib.opcode = wire::make_opcode(
      wire::Service::kUd, data.has_immediate ? wire::Operation::kSendOnlyImmediate : wire::Operation::kSendOnly);
  out.ib.flags = static_cast<std::uint8_t>(data.solicited ? wire::kBthSolicited : 0);
  out.ib.partition_key = partition_key;
  return true;
}

}  // namespace weft::transport
