#include "wire/uet/pds_ack.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire::uet {

namespace {

constexpr std::uint8_t kAckEpsn = 0x40;
constexpr std::uint8_t kAckMarked = 0x20;
constexpr std::uint8_t kAckRetransmitted = 0x10;
constexpr std::uint8_t kAckProbe = 0x08;
constexpr unsigned kAckRequestShift = 1;
constexpr std::uint8_t kAckReserved = 0x01;

void read_ack_flags(std::uint8_t flags, PdsAck& ack) {
  ack.epsn = (flags & kAckEpsn) != 0;
  ack.marked = (flags & kAckMarked) != 0;
  ack.retransmitted = (flags & kAckRetransmitted) != 0;
  ack.probe = (flags & kAckProbe) != 0;
  ack.request = static_cast<AckRequest>((flags >> kAckRequestShift) & 3U);
  ack.reserved = (flags & kAckReserved) != 0;
}

std::uint8_t ack_flags(const PdsAck& ack) {
  return static_cast<std::uint8_t>((ack.epsn ? kAckEpsn : 0U) | (ack.marked ? kAckMarked : 0U) |
                                   (ack.retransmitted ? kAckRetransmitted : 0U) | (ack.probe ? kAckProbe : 0U) |
                                   shifted<kAckRequestShift>(static_cast<unsigned>(ack.request) & 3U) |
                                   (ack.reserved ? kAckReserved : 0U));
}

void read_ack_cc(std::span<const std::byte> bytes, PdsAck& ack) {
  ack.cc_type = static_cast<CcType>(load_u8(bytes, 12) >> 4);
  ack.cc_flags = load_u8(bytes, 12) & 15U;
  ack.mpr = load_u8(bytes, 13);
  ack.sack_psn_offset = static_cast<std::int16_t>(load_be16(bytes, 14));
  ack.sack_bitmap = load_be64(bytes, 16);
  ack.cc_state = load_be64(bytes, 24);
  if (ack.type == PdsType::kAckCcx) {
    ack.ccx_state = load_be64(bytes, 32);
  }
}

}  // namespace

std::size_t PdsAck::size() const {
  if (type == PdsType::kAck) {
    return epsn ? kExpectedPsnSize : kSize;
  }
  return type == PdsType::kAckCc ? kCcSize : kCcxSize;
}

Result<PdsAck> PdsAck::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("PDS ACK", {.needed = kSize, .found = bytes.size()});
  }
  const PdsPrologue prologue = PdsPrologue::unpack(load_be16(bytes, 0));
  PdsAck ack;
  ack.type = static_cast<PdsType>(prologue.type);
  if (!is_ack(ack.type)) {
    return fail("PDS type is {} ({}), must be an ACK's: 7, 8 or 9", prologue.type, to_string(ack.type));
  }
  read_ack_flags(prologue.flags, ack);
  if (bytes.size() < ack.size()) {
    return too_short(to_string(ack.type), {.needed = ack.size(), .found = bytes.size()});
  }
  ack.next_header = static_cast<NextHeader>(prologue.next);
  if (ack.probe) {
    ack.probe_opaque = load_be16(bytes, 2);
  } else {
    ack.ack_psn_offset = static_cast<std::int16_t>(load_be16(bytes, 2));
  }
  ack.cumulative_psn = load_be32(bytes, 4);
  ack.source_pdc = load_be16(bytes, 8);
  ack.destination_pdc = load_be16(bytes, 10);
  if (ack.has_expected_psn()) {
    ack.expected_psn = load_be32(bytes, 12);
  } else if (ack.type != PdsType::kAck) {
    read_ack_cc(bytes, ack);
  }
  return ack;
}

void PdsAck::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size() && is_ack(type));
  store_be16(out, 0,
             PdsPrologue{.type = static_cast<std::uint8_t>(type),
                         .next = static_cast<std::uint8_t>(next_header),
                         .flags = ack_flags(*this)}
                 .pack());
  store_be16(out, 2, probe ? probe_opaque : static_cast<std::uint16_t>(ack_psn_offset));
  store_be32(out, 4, cumulative_psn);
  store_be16(out, 8, source_pdc);
  store_be16(out, 10, destination_pdc);
  if (has_expected_psn()) {
    store_be32(out, 12, expected_psn);
  }
  if (type == PdsType::kAck) {
    return;
  }
  store_u8(out, 12, static_cast<std::uint8_t>(shifted<4>(static_cast<unsigned>(cc_type) & 15U) | (cc_flags & 15U)));
  store_u8(out, 13, mpr);
  store_be16(out, 14, static_cast<std::uint16_t>(sack_psn_offset));
  store_be64(out, 16, sack_bitmap);
  store_be64(out, 24, cc_state);
  if (type == PdsType::kAckCcx) {
    store_be64(out, 32, ccx_state);
  }
}

}  // namespace weft::wire::uet
