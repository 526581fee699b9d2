#include "wire/memory_format.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::wire {
namespace {

std::uint32_t wire_packets(const MemoryFormat& format, std::uint32_t payload) {
  return std::max((payload + format.packet_payload - 1) / format.packet_payload, 1U);
}

std::uint64_t in_flits(const MemoryFormat& format, std::uint64_t bytes) {
  return (bytes + format.flit - 1) / format.flit * format.flit;
}

std::uint32_t on_link(const MemoryFormat& format, std::uint64_t bytes) {
  const std::uint64_t share = format.link_efficiency.raw();
  WEFT_DCHECK(share > 0);
  const auto scaled = static_cast<Uint128>(bytes) << 63;
  // The share itself is rounded, so the quotient is taken to the nearest byte: exact ones stay exact.
  return static_cast<std::uint32_t>((scaled + share / 2) / share);
}

}  // namespace

std::uint32_t data_wire_bytes(const MemoryFormat& format, std::uint32_t payload) {
  const std::uint32_t full = payload / format.packet_payload;
  const std::uint32_t rest = payload % format.packet_payload;
  std::uint64_t bytes = full * in_flits(format, std::uint64_t{format.data_header} + format.packet_payload);
  if (rest != 0 || full == 0) {
    bytes += in_flits(format, std::uint64_t{format.data_header} + rest);
  }
  return on_link(format, bytes);
}

std::uint32_t request_wire_bytes(const MemoryFormat& format, std::uint32_t asked) {
  return on_link(format, wire_packets(format, asked) * in_flits(format, format.request_header));
}

std::uint32_t ack_wire_bytes(const MemoryFormat& format) { return on_link(format, in_flits(format, format.answer)); }

Probability payload_share(const MemoryFormat& format) {
  return Probability::from_ratio({.numerator = format.unit, .denominator = data_wire_bytes(format, format.unit)});
}

}  // namespace weft::wire
