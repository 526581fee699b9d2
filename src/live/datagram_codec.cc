#include "live/datagram_codec.h"

#include <algorithm>

#include "base/assert.h"
#include "wire/encapsulation.h"
#include "wire/packet_codec.h"

namespace weft::live {
namespace {

/// Puts in front of the transport the headers that the kernel writes and reads.
void add_network_headers(wire::RdmaFrame& frame, const DatagramPath& path, std::size_t transport_bytes) {
  const auto udp_bytes = static_cast<std::uint16_t>(wire::UdpHeader::kSize + transport_bytes);
  frame.udp = wire::UdpHeader{
      .source_port = path.source.port(), .destination_port = path.destination.port(), .length = udp_bytes};
  if (path.source.is_ipv4()) {
    frame.ipv6.reset();
    frame.ipv4 = wire::Ipv4Header{.total_length = static_cast<std::uint16_t>(wire::Ipv4Header::kSize + udp_bytes),
                                  .dont_fragment = true,
                                  .source = path.source.ipv4_address(),
                                  .destination = path.destination.ipv4_address()};
  } else {
    frame.ipv4.reset();
    frame.ipv6 = wire::Ipv6Header{.payload_length = udp_bytes,
                                  .source = path.source.ipv6_address(),
                                  .destination = path.destination.ipv6_address()};
  }
}

void store_le32(std::byte* out, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i)
    out[i] = static_cast<std::byte>((value >> (8 * i)) & 0xFFU);
}

}  // namespace

std::size_t datagram_size(const wire::Packet& packet) {
  const std::size_t padded = (packet.common.payload_bytes + std::size_t{3}) & ~std::size_t{3};
  return wire::detail::kHeaderBytes[packet.ib.opcode] + padded + wire::RdmaFrame::kIcrcSize;
}

SealedDatagram seal(DatagramBuffer& buffer, const SealOptions& options) {
  const std::size_t length = buffer.packet.common.payload_bytes;
  WEFT_ASSERT(length <= DatagramBuffer::kMaxPayload);
  SealedDatagram sealed{
      .bytes = {}, .frame = wire::transport_frame(buffer.packet, buffer.cold, buffer.payload_room().first(length))};
  wire::RdmaFrame& frame = sealed.frame;
  add_network_headers(frame, options.path, datagram_size(buffer.packet));
  if (frame.ipv4)
    frame.ipv4->identification = options.identification;
  wire::seal_frame(frame);

  const std::size_t headers = wire::BthHeader::kSize + frame.extensions.size();
  const std::size_t begin = DatagramBuffer::kHeaderRoom - headers;
  const std::span<std::byte> bytes(buffer.bytes);
  frame.bth.emit(bytes.subspan(begin));
  frame.extensions.emit(bytes.subspan(begin + wire::BthHeader::kSize));
  std::size_t end = DatagramBuffer::kHeaderRoom + length;
  for (std::size_t i = 0; i < frame.bth.pad_count; ++i)
    bytes[end++] = std::byte{0};
  store_le32(&bytes[end], frame.icrc);
  end += wire::RdmaFrame::kIcrcSize;
  sealed.bytes = bytes.subspan(begin, end - begin);
  return sealed;
}

DatagramVerdict DatagramReader::read(std::span<const std::byte> bytes, const DatagramPath& path) {
  // No sender's packet is longer, and its lengths must fit the fields of the headers put back.
  if (bytes.size() > DatagramBuffer::kHeaderRoom + DatagramBuffer::kMaxPayload)
    return DatagramVerdict::kMalformed;
  wire::FrameResult parsed = wire::parse_transport(bytes);
  if (!parsed || parsed->payload.size() > DatagramBuffer::kMaxPayload)
    return DatagramVerdict::kMalformed;
  frame = *parsed;
  add_network_headers(frame, path, bytes.size());
  if (!check_icrc())
    return DatagramVerdict::kWrongIcrc;
  if (frame.ipv4)
    frame.ipv4->header_checksum = frame.ipv4->compute_checksum();
  return wire::from_frame(frame, packet, cold) ? DatagramVerdict::kGood : DatagramVerdict::kMalformed;
}

bool DatagramReader::check_icrc() {
  const std::uint32_t difference = frame.icrc ^ wire::compute_icrc(frame);
  if (difference == 0)
    return true;
  if (!frame.ipv4)
    return false;
  const auto identification = solver_.solve({.icrc_difference = difference, .packet_bytes = frame.ipv4->total_length});
  if (!identification)
    return false;
  frame.ipv4->identification = *identification;
  return true;
}

}  // namespace weft::live
