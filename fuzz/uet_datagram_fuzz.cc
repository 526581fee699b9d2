// UDP payloads of Ultra Ethernet as a driver reads them: nothing is read past the input; what has a record form is
// written and read again as the same record.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/assert.h"
#include "wire/uet_packet_codec.h"

namespace {

using namespace weft::wire;

/// False: it has no record form. `cold` has no bytes that nobody has written.
bool read_record(uet::UetFrame frame, Packet& packet, ColdPacket& cold) {
  frame.ipv4 = Ipv4Header{};
  frame.udp = UdpHeader{};
  cold.uet = UetExtension{};
  return from_uet_frame(frame, packet, cold).has_value();
}

void check_frame(const uet::UetFrame& frame) {
  Packet packet;
  ColdPacket cold;
  if (!read_record(frame, packet, cold)) {
    return;
  }
  WEFT_ASSERT(packet.common.payload_bytes <= frame.payload.size());
  const uet::UetFrame again = uet_transport_frame(packet, cold, frame.payload.first(packet.common.payload_bytes));
  Packet second;
  ColdPacket second_cold;
  WEFT_ASSERT(read_record(again, second, second_cold));
  WEFT_ASSERT(std::memcmp(&second.uet, &packet.uet, sizeof(UetHeader)) == 0);
  WEFT_ASSERT(std::memcmp(&second_cold.uet, &cold.uet, sizeof(UetExtension)) == 0);
  WEFT_ASSERT(second.common.payload_bytes == packet.common.payload_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  if (size > uet::UetFrame::kMaxPayload) {
    return 0;
  }
  if (const uet::UetFrameResult frame = uet::parse_uet_transport(bytes)) {
    check_frame(*frame);
  }
  if (const uet::UetFrameResult frame = uet::parse_uet_decrypted(bytes)) {
    check_frame(*frame);
  }
  return 0;
}
