#include "wire/uet/pds_control.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

namespace {

constexpr std::uint8_t kControlRod = 0x20;
constexpr std::uint8_t kControlRetransmitted = 0x10;
constexpr std::uint8_t kControlAckRequest = 0x08;
constexpr std::uint8_t kControlSyn = 0x04;

}  // namespace

Result<PdsControl> PdsControl::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("PDS control", {.needed = kSize, .found = bytes.size()});
  }
  const PdsPrologue prologue = PdsPrologue::unpack(load_be16(bytes, 0));
  if (prologue.type != static_cast<std::uint8_t>(PdsType::kControl)) {
    return fail("PDS type is {} ({}), must be control's: 11", prologue.type,
                to_string(static_cast<PdsType>(prologue.type)));
  }
  PdsControl control;
  control.control = static_cast<ControlType>(prologue.next);
  control.rod = (prologue.flags & kControlRod) != 0;
  control.retransmitted = (prologue.flags & kControlRetransmitted) != 0;
  control.ack_request = (prologue.flags & kControlAckRequest) != 0;
  control.syn = (prologue.flags & kControlSyn) != 0;
  control.reserved = prologue.flags & kReservedFlags;
  control.probe_opaque = load_be16(bytes, 2);
  control.psn = load_be32(bytes, 4);
  control.source_pdc = load_be16(bytes, 8);
  if (control.syn) {
    control.pdc_info = PdcInfo::unpack(load_be16(bytes, 10));
  } else {
    control.destination_pdc = load_be16(bytes, 10);
  }
  control.payload = load_be32(bytes, 12);
  return control;
}

void PdsControl::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  const unsigned flags = (rod ? kControlRod : 0U) | (retransmitted ? kControlRetransmitted : 0U) |
                         (ack_request ? kControlAckRequest : 0U) | (syn ? kControlSyn : 0U) |
                         (reserved & kReservedFlags);
  store_be16(out, 0,
             PdsPrologue{.type = static_cast<std::uint8_t>(PdsType::kControl),
                         .next = static_cast<std::uint8_t>(control),
                         .flags = static_cast<std::uint8_t>(flags)}
                 .pack());
  store_be16(out, 2, probe_opaque);
  store_be32(out, 4, psn);
  store_be16(out, 8, source_pdc);
  store_be16(out, 10, syn ? pdc_info.pack() : destination_pdc);
  store_be32(out, 12, payload);
}

}  // namespace weft::wire::uet
