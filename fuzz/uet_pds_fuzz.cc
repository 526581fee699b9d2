// PDS headers of Ultra Ethernet, and whole packets from Ethernet or IP on: nothing is read past the input, and whatever
// is accepted is emitted as the same bytes and described.
//
// The first byte chooses: a PDS header, an Ethernet frame, an IP packet.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assert.h"
#include "wire/uet/uet_frame.h"
#include "wire/uet/uet_text.h"

namespace {

using namespace weft::wire;
using Input = std::span<const std::byte>;

void check_pds(Input bytes) {
  const auto header = uet::parse_pds(bytes);
  if (!header) {
    WEFT_ASSERT(!header.error().message.empty());
    return;
  }
  const std::size_t size = uet::size_of(*header);
  WEFT_ASSERT(size <= bytes.size());
  std::vector<std::byte> again(size);
  uet::emit(*header, again);
  WEFT_ASSERT(std::ranges::equal(again, bytes.first(size)));
}

void check_frame(const uet::UetFrameResult& frame, Input bytes) {
  if (!frame) {
    WEFT_ASSERT(!frame.error().error.message.empty());
    return;
  }
  std::vector<std::byte> again(uet::emitted_size(*frame));
  uet::emit_frame(*frame, again);
  // The IPv4 checksum and header are kept as they were; nothing of the input is left out.
  WEFT_ASSERT(std::ranges::equal(again, bytes));
  WEFT_ASSERT(!uet::frame_text(*frame).empty());
  static_cast<void>(uet::crc_ok(*frame));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const Input bytes = std::as_bytes(std::span(data, size)).subspan(1);
  switch (data[0] % 3) {
    case 0:
      check_pds(bytes);
      break;
    case 1:
      check_frame(uet::parse_uet_frame(bytes), bytes);
      break;
    default:
      check_frame(uet::parse_uet_ip_packet(bytes), bytes);
  }
  return 0;
}
