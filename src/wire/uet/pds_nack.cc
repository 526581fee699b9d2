#include "wire/uet/pds_nack.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

namespace {

constexpr std::uint8_t kNackMarked = 0x20;
constexpr std::uint8_t kNackRetransmitted = 0x10;
constexpr std::uint8_t kNackRudi = 0x08;
constexpr unsigned kNackCcxTypeShift = 60;
constexpr std::uint64_t kNackCcxStateMask = (std::uint64_t{1} << kNackCcxTypeShift) - 1;

}  // namespace

Result<PdsNack> PdsNack::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("PDS NACK", {.needed = kSize, .found = bytes.size()});
  }
  const PdsPrologue prologue = PdsPrologue::unpack(load_be16(bytes, 0));
  PdsNack nack;
  nack.type = static_cast<PdsType>(prologue.type);
  if (nack.type != PdsType::kNack && nack.type != PdsType::kNackCcx) {
    return fail("PDS type is {} ({}), must be a NACK's: 10 or 12", prologue.type, to_string(nack.type));
  }
  if (bytes.size() < nack.size()) {
    return too_short("NACK_CCX", {.needed = nack.size(), .found = bytes.size()});
  }
  nack.next_header = static_cast<NextHeader>(prologue.next);
  nack.marked = (prologue.flags & kNackMarked) != 0;
  nack.retransmitted = (prologue.flags & kNackRetransmitted) != 0;
  nack.rudi = (prologue.flags & kNackRudi) != 0;
  nack.reserved = prologue.flags & kReservedFlags;
  nack.code = static_cast<NackCode>(load_u8(bytes, 2));
  nack.vendor_code = load_u8(bytes, 3);
  nack.psn = load_be32(bytes, 4);
  nack.source_pdc = load_be16(bytes, 8);
  nack.destination_pdc = load_be16(bytes, 10);
  nack.payload = load_be32(bytes, 12);
  if (nack.type == PdsType::kNackCcx) {
    const std::uint64_t first = load_be64(bytes, 16);
    nack.ccx_type = static_cast<std::uint8_t>(first >> kNackCcxTypeShift);
    nack.ccx_state1 = first & kNackCcxStateMask;
    nack.ccx_state2 = load_be64(bytes, 24);
  }
  return nack;
}

void PdsNack::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size() && (type == PdsType::kNack || type == PdsType::kNackCcx));
  const unsigned flags = (marked ? kNackMarked : 0U) | (retransmitted ? kNackRetransmitted : 0U) |
                         (rudi ? kNackRudi : 0U) | (reserved & kReservedFlags);
  store_be16(out, 0,
             PdsPrologue{.type = static_cast<std::uint8_t>(type),
                         .next = static_cast<std::uint8_t>(next_header),
                         .flags = static_cast<std::uint8_t>(flags)}
                 .pack());
  store_u8(out, 2, static_cast<std::uint8_t>(code));
  store_u8(out, 3, vendor_code);
  store_be32(out, 4, psn);
  store_be16(out, 8, source_pdc);
  store_be16(out, 10, destination_pdc);
  store_be32(out, 12, payload);
  if (type == PdsType::kNackCcx) {
    store_be64(out, 16, std::uint64_t{ccx_type & 15U} << kNackCcxTypeShift | (ccx_state1 & kNackCcxStateMask));
    store_be64(out, 24, ccx_state2);
  }
}

}  // namespace weft::wire::uet
