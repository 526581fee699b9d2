#include "wire/pfc_frame.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {

namespace {

constexpr std::size_t kOpcodeOffset = EthernetHeader::kSize;
constexpr std::size_t kVectorOffset = kOpcodeOffset + 2;
constexpr std::size_t kQuantaOffset = kVectorOffset + 2;
constexpr std::size_t kPadOffset = kQuantaOffset + 2 * PfcFrame::kPriorities;

}  // namespace

Result<PfcFrame> PfcFrame::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("PFC frame", {.needed = kSize, .found = bytes.size()});
  }
  const auto ethernet = EthernetHeader::parse(bytes);
  if (!ethernet) {
    return tl::unexpected<Error>(ethernet.error());
  }
  if (ethernet->tag_count != 0 || ethernet->ether_type != kEtherTypeMacControl) {
    return fail("PFC frame has EtherType 0x{:04X} behind {} VLAN tags, must be 0x8808 behind none",
                ethernet->ether_type, ethernet->tag_count);
  }
  if (ethernet->destination != kDestination) {
    return fail("PFC frame goes to {}, must go to {}", to_string(ethernet->destination), to_string(kDestination));
  }
  if (const auto opcode = load_be16(bytes, kOpcodeOffset); opcode != kOpcode) {
    return fail("MAC control opcode is 0x{:04X}, must be 0x{:04X} (PFC)", opcode, kOpcode);
  }
  PfcFrame frame;
  frame.source = ethernet->source;
  frame.reserved_classes = load_u8(bytes, kVectorOffset);
  frame.enabled = load_u8(bytes, kVectorOffset + 1);
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    frame.quanta[priority] = load_be16(bytes, kQuantaOffset + 2 * priority);
  }
  std::ranges::copy(bytes.subspan(kPadOffset, kPadSize), frame.pad.begin());
  return frame;
}

void PfcFrame::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  EthernetHeader{.destination = kDestination, .source = source, .ether_type = kEtherTypeMacControl}.emit(out);
  store_be16(out, kOpcodeOffset, kOpcode);
  store_u8(out, kVectorOffset, reserved_classes);
  store_u8(out, kVectorOffset + 1, enabled);
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    store_be16(out, kQuantaOffset + 2 * priority, quanta[priority]);
  }
  std::ranges::copy(pad, out.begin() + static_cast<std::ptrdiff_t>(kPadOffset));
}

}  // namespace weft::wire
