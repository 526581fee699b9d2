#include "wire/uet/pds_datagram.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

namespace {

constexpr std::uint8_t kRudiMarked = 0x20;
constexpr std::uint8_t kRudiRetransmitted = 0x10;

}  // namespace

Result<PdsRudi> PdsRudi::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("PDS RUDI header", {.needed = kSize, .found = bytes.size()});
  }
  const PdsPrologue prologue = PdsPrologue::unpack(load_be16(bytes, 0));
  PdsRudi rudi;
  rudi.type = static_cast<PdsType>(prologue.type);
  if (rudi.type != PdsType::kRudiRequest && rudi.type != PdsType::kRudiResponse) {
    return fail("PDS type is {} ({}), must be RUDI's: 4 or 5", prologue.type, to_string(rudi.type));
  }
  rudi.next_header = static_cast<NextHeader>(prologue.next);
  rudi.marked = (prologue.flags & kRudiMarked) != 0;
  rudi.retransmitted = (prologue.flags & kRudiRetransmitted) != 0;
  rudi.reserved = prologue.flags & kReservedFlags;
  rudi.reserved_word = load_be16(bytes, 2);
  rudi.packet_id = load_be32(bytes, 4);
  return rudi;
}

void PdsRudi::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize && (type == PdsType::kRudiRequest || type == PdsType::kRudiResponse));
  const unsigned flags =
      (marked ? kRudiMarked : 0U) | (retransmitted ? kRudiRetransmitted : 0U) | (reserved & kReservedFlags);
  store_be16(out, 0,
             PdsPrologue{.type = static_cast<std::uint8_t>(type),
                         .next = static_cast<std::uint8_t>(next_header),
                         .flags = static_cast<std::uint8_t>(flags)}
                 .pack());
  store_be16(out, 2, reserved_word);
  store_be32(out, 4, packet_id);
}

Result<PdsUud> PdsUud::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("PDS UUD header", {.needed = kSize, .found = bytes.size()});
  }
  const PdsPrologue prologue = PdsPrologue::unpack(load_be16(bytes, 0));
  if (prologue.type != static_cast<std::uint8_t>(PdsType::kUudRequest)) {
    return fail("PDS type is {} ({}), must be UUD's: 6", prologue.type, to_string(static_cast<PdsType>(prologue.type)));
  }
  return PdsUud{.next_header = static_cast<NextHeader>(prologue.next),
                .reserved = prologue.flags,
                .reserved_word = load_be16(bytes, 2)};
}

void PdsUud::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be16(out, 0,
             PdsPrologue{.type = static_cast<std::uint8_t>(PdsType::kUudRequest),
                         .next = static_cast<std::uint8_t>(next_header),
                         .flags = reserved}
                 .pack());
  store_be16(out, 2, reserved_word);
}

}  // namespace weft::wire::uet
