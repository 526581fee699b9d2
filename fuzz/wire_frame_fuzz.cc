// Whole frames: nothing is read past the input, and whatever is accepted is emitted as the same bytes.
//
// The first byte chooses the entry: Ethernet, InfiniBand, IP packet, transport alone.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "wire/frame.h"
#include "wire/packet_codec.h"

namespace {

using namespace weft::wire;

FrameResult parse_by(unsigned entry, std::span<const std::byte> bytes) {
  switch (entry % 4) {
    case 0:
      return parse_frame(LinkType::kEthernet, bytes);
    case 1:
      return parse_frame(LinkType::kInfiniBand, bytes);
    case 2:
      return parse_ip_packet(bytes);
    default:
      return parse_transport(bytes);
  }
}

void check_codec(const RdmaFrame& frame) {
  Packet packet;
  ColdPacket cold;
  const bool readable = encapsulation_of(frame) && has_record_form(frame.bth.opcode);
  WEFT_ASSERT(from_frame(frame, packet, cold).has_value() == readable);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const auto frame = parse_by(data[0], bytes);
  if (!frame) {
    WEFT_ASSERT(!frame.error().error.message.empty());
    return 0;
  }
  std::vector<std::byte> again(emitted_size(*frame));
  WEFT_ASSERT(emit_frame(*frame, again) == bytes.size());
  WEFT_ASSERT(std::ranges::equal(again, bytes));
  (void)icrc_ok(*frame);
  (void)vcrc_ok(*frame);
  check_codec(*frame);
  return 0;
}
