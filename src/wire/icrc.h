// The invariant CRC: covers a packet from its first network or link header to the pad bytes, with every field that a
// switch or router may change replaced by ones. The polynomial is Ethernet's, so zlib computes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire {

/// Which headers stand in front of the BTH, and so which of their fields count as ones.
//= ibta-1.7 7.8.1
//= ibta-1.7 A17.3.3
enum class IcrcForm : std::uint8_t {
  kIbLocal,     // LRH: virtual lane
  kGrh,         // GRH (InfiniBand global, RoCEv1): traffic class, flow label, hop limit; the LRH counts as all ones
  kRoceV2Ipv4,  // IPv4, UDP: type of service, time to live, both checksums; 8 bytes of ones in place of an LRH
  kRoceV2Ipv6,  // IPv6, UDP: traffic class, flow label, hop limit, UDP checksum; likewise
  kTransport,   // nothing before the BTH; no sender uses it
};

/// Takes the headers at once, then payload and pad bytes in any number of pieces.
class Icrc {
 public:
  /// Most bytes that `headers` may have: the longest network headers, BTH and all extension headers.
  static constexpr std::size_t kMaxHeaders = 256;

  /// `headers` are emitted bytes from the LRH (kIbLocal), the GRH, the IP header or the BTH to the last extension
  /// header. They must hold at least everything up to the BTH's end. The byte with FECN and BECN counts as ones in
  /// every form.
  Icrc(IcrcForm form, std::span<const std::byte> headers);

  Icrc& add(std::span<const std::byte> bytes);
  /// On the wire least significant byte first.
  [[nodiscard]] std::uint32_t value() const { return crc_; }

 private:
  std::uint32_t crc_;
};

}  // namespace weft::wire
