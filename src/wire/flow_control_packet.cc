#include "wire/flow_control_packet.h"

#include <array>

#include "wire/byte_order.h"
#include "wire/crc16.h"
#include "wire/header_error.h"

namespace weft::wire {

namespace {

constexpr std::size_t kCovered = FlowControlPacket::kSize - 2;

}  // namespace

Result<FlowControlPacket> FlowControlPacket::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("flow control packet", {.needed = kSize, .found = bytes.size()});
  }
  const auto sent = load_be16(bytes, 0);
  const auto limit = load_be16(bytes, 2);
  if ((sent >> 12) > static_cast<unsigned>(Operation::kInitialise)) {
    return fail("flow control operation is {}, must be 0 (normal) or 1 (initialise)", sent >> 12);
  }
  if ((limit >> 12) > kMaxLane) {
    return fail("flow control of virtual lane {}, must be 0 to {}", limit >> 12, kMaxLane);
  }
  return FlowControlPacket{.operation = static_cast<Operation>(sent >> 12),
                           .total_blocks_sent = static_cast<std::uint16_t>(sent & kBlockMask),
                           .virtual_lane = static_cast<std::uint8_t>(limit >> 12),
                           .credit_limit = static_cast<std::uint16_t>(limit & kBlockMask),
                           .lpcrc = load_le16(bytes, 4)};
}

void FlowControlPacket::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be16(out, 0,
             static_cast<std::uint16_t>((static_cast<unsigned>(operation) << 12) | (total_blocks_sent & kBlockMask)));
  store_be16(out, 2, static_cast<std::uint16_t>((virtual_lane << 12) | (credit_limit & kBlockMask)));
  store_le16(out, 4, lpcrc);
}

std::uint16_t FlowControlPacket::compute_lpcrc() const {
  std::array<std::byte, kSize> bytes{};
  emit(bytes);
  return LinkCrc16().add(std::span(bytes).first(kCovered)).value();
}

}  // namespace weft::wire
