// The CRC at the end of a UET packet without TSS: CRC-32C over everything from the source address in the IP header to
// the CRC itself, so over no field that a router changes. A packet with TSS has an ICV instead.
//
// That the checked bytes begin at the source address is the reference provider's; that the CRC is sent least
// significant byte first, as iWARP's and the ICRC are, is not verified. UDP's checksum is among the checked bytes and
// must be 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire::uet {

inline constexpr std::size_t kCrcSize = 4;

/// Where the checked bytes begin in an IPv4 and in an IPv6 header.
inline constexpr std::size_t kCrcFromIpv4 = 12;
inline constexpr std::size_t kCrcFromIpv6 = 8;

/// Of a whole IP packet without its CRC; `headers` are emitted bytes from the IP header, version 4 or 6, to the last
/// SES header, `payload` what follows them. An IPv4 header's options are among the checked bytes.
//= uet-1.0 3.5
[[nodiscard]] std::uint32_t packet_crc(std::span<const std::byte> headers, std::span<const std::byte> payload);

}  // namespace weft::wire::uet
