#include "wire/uet/pds_request.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

namespace {

constexpr std::uint8_t kRequestRetransmitted = 0x10;
constexpr std::uint8_t kRequestAckRequest = 0x08;
constexpr std::uint8_t kRequestSyn = 0x04;

}  // namespace

Result<PdsRequest> PdsRequest::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("PDS request", {.needed = kSize, .found = bytes.size()});
  }
  const PdsPrologue prologue = PdsPrologue::unpack(load_be16(bytes, 0));
  PdsRequest request;
  request.type = static_cast<PdsType>(prologue.type);
  if (!is_request(request.type)) {
    return fail("PDS type is {} ({}), must be a request's: 2, 3, 13 or 14", prologue.type, to_string(request.type));
  }
  if (bytes.size() < request.size()) {
    return too_short("PDS request with congestion context", {.needed = request.size(), .found = bytes.size()});
  }
  request.next_header = static_cast<NextHeader>(prologue.next);
  request.retransmitted = (prologue.flags & kRequestRetransmitted) != 0;
  request.ack_request = (prologue.flags & kRequestAckRequest) != 0;
  request.syn = (prologue.flags & kRequestSyn) != 0;
  request.reserved = prologue.flags & kReservedFlags;
  request.clear_psn_offset = static_cast<std::int16_t>(load_be16(bytes, 2));
  request.psn = load_be32(bytes, 4);
  request.source_pdc = load_be16(bytes, 8);
  if (request.syn) {
    request.pdc_info = PdcInfo::unpack(load_be16(bytes, 10));
  } else {
    request.destination_pdc = load_be16(bytes, 10);
  }
  if (has_congestion_context(request.type)) {
    request.ccc_id = load_u8(bytes, 12);
    request.credit_target = load_be24(bytes, 13);
  }
  return request;
}

void PdsRequest::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size() && is_request(type));
  const unsigned flags = (retransmitted ? kRequestRetransmitted : 0U) | (ack_request ? kRequestAckRequest : 0U) |
                         (syn ? kRequestSyn : 0U) | (reserved & kReservedFlags);
  store_be16(out, 0,
             PdsPrologue{.type = static_cast<std::uint8_t>(type),
                         .next = static_cast<std::uint8_t>(next_header),
                         .flags = static_cast<std::uint8_t>(flags)}
                 .pack());
  store_be16(out, 2, static_cast<std::uint16_t>(clear_psn_offset));
  store_be32(out, 4, psn);
  store_be16(out, 8, source_pdc);
  store_be16(out, 10, syn ? pdc_info.pack() : destination_pdc);
  if (has_congestion_context(type)) {
    store_u8(out, 12, ccc_id);
    store_be24(out, 13, credit_target);
  }
}

}  // namespace weft::wire::uet
