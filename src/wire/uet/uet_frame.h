// A whole UET packet, header by header, in both encapsulations: over UDP, and directly on IP with an entropy header.
//
// As wire/frame.h for RDMA: `parse_*` split bytes into a frame that views them; `emit_frame` writes exactly the frame's
// fields, so that emitting a parsed frame gives the same bytes. A sender fills in addresses and fields, calls
// `seal_frame`, and emits. With a TSS header everything behind it is ciphertext: it is `payload`, not read here, and an
// ICV follows in place of the CRC.
// Ownership: `payload` and `trailer` view the parsed input (or the sender's memory), which must outlive the frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/ethernet.h"
#include "wire/frame.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/udp.h"
#include "wire/uet/entropy.h"
#include "wire/uet/pds.h"
#include "wire/uet/ses.h"
#include "wire/uet/tss.h"
#include "wire/uet/uet_crc.h"

namespace weft::wire::uet {

struct UetFrame {
  /// Parsing and sealing refuse more: the largest IP packet.
  static constexpr std::size_t kMaxPayload = 65'000;

  std::optional<EthernetHeader> ethernet{};  // missing where a capture begins with IP
  std::optional<Ipv4Header> ipv4{};          // one of the two
  std::optional<Ipv6Header> ipv6{};
  std::optional<UdpHeader> udp{};  // one of the two
  std::optional<EntropyHeader> entropy{};
  std::optional<TssHeader> tss{};  // then no `pds`, `ses` and `crc`
  std::optional<PdsHeader> pds{};
  Ses ses{};
  std::span<const std::byte> payload{};
  std::uint32_t crc = 0;                 // on the wire least significant byte first
  TssIcv icv{};                          // with `tss`
  std::span<const std::byte> trailer{};  // behind the packet: Ethernet's padding to 60 bytes, a captured FCS

  /// The entropy value: UDP's source port or the entropy header's.
  [[nodiscard]] std::uint16_t entropy_value() const { return udp ? udp->source_port : entropy ? entropy->entropy : 0; }
};

using UetFrameResult = tl::expected<UetFrame, FrameError>;

/// An Ethernet frame, without preamble. `FrameFault::kNotRdma` says that it is not UET.
[[nodiscard]] UetFrameResult parse_uet_frame(std::span<const std::byte> bytes);
/// An IP packet, from the first byte of its IPv4 or IPv6 header.
[[nodiscard]] UetFrameResult parse_uet_ip_packet(std::span<const std::byte> bytes);

/// From behind the UDP or entropy header to the CRC or ICV: the frame has no network headers.
[[nodiscard]] UetFrameResult parse_uet_transport(std::span<const std::byte> bytes);
/// What TSS had encrypted, PDS to payload: nothing else is in the frame.
[[nodiscard]] UetFrameResult parse_uet_decrypted(std::span<const std::byte> bytes);

/// Bytes that `emit_frame` writes.
[[nodiscard]] std::size_t emitted_size(const UetFrame& frame);
/// Writes every field as it is; `out` must hold `emitted_size(frame)`, which is returned.
std::size_t emit_frame(const UetFrame& frame, std::span<std::byte> out);

/// Fills in what follows from the rest: every length, the IPv4 header checksum, UDP's port and zero checksum, or the IP
/// protocol; the CRC, and Ethernet's padding to 60 bytes. The ICV stays as it is.
void seal_frame(UetFrame& frame);

/// The CRC that belongs to the frame's fields and payload; the frame must have none of TSS.
[[nodiscard]] std::uint32_t compute_crc(const UetFrame& frame);
/// True also when there is an ICV in its place.
[[nodiscard]] bool crc_ok(const UetFrame& frame);

}  // namespace weft::wire::uet
