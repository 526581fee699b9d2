// A whole RDMA packet, header by header: InfiniBand local and global, RoCEv1, RoCEv2 over IPv4 and IPv6.
//
// `parse_*` split bytes into a frame that views them; `emit_frame` writes exactly the frame's fields, so that emitting
// a parsed frame gives the same bytes. A sender fills in addresses and fields, calls `seal_frame`, and emits.
// Ownership: `payload` and `trailer` view the parsed input (or the sender's memory), which must outlive the frame.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "wire/bth.h"
#include "wire/ethernet.h"
#include "wire/extension_headers.h"
#include "wire/grh.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/link_type.h"
#include "wire/lrh.h"
#include "wire/packet.h"
#include "wire/udp.h"

namespace weft::wire {

/// Headers in wire order. Which of them are present says the encapsulation:
/// lrh; lrh grh; ethernet grh; ethernet ipv4 udp; ethernet ipv6 udp. IP-level input has no ethernet header, and
/// transport-level input none before the bth.
struct RdmaFrame {
  static constexpr std::size_t kIcrcSize = 4;
  static constexpr std::size_t kVcrcSize = 2;
  /// The largest path MTU: parsing refuses a packet with more payload.
  //= ibta-1.7 7.7.8
  static constexpr std::size_t kMaxPathMtu = 4096;
  /// But for Ethernet frames, as a simulated device may send them: up to this. Sealing asserts that there is no more.
  static constexpr std::size_t kMaxSealedPayload = 8192;

  std::optional<EthernetHeader> ethernet{};
  std::optional<LrhHeader> lrh{};
  std::optional<GrhHeader> grh{};
  std::optional<Ipv4Header> ipv4{};
  std::optional<Ipv6Header> ipv6{};
  std::optional<UdpHeader> udp{};
  BthHeader bth{};
  ExtensionHeaders extensions{};
  std::span<const std::byte> payload{};  // without the pad bytes
  std::array<std::byte, 3> pad{};        // the first `bth.pad_count` of them are on the wire
  std::uint32_t icrc = 0;                // on the wire least significant byte first
  std::optional<std::uint16_t> vcrc{};   // on the wire least significant byte first; InfiniBand only
  std::span<const std::byte> trailer{};  // behind the packet: Ethernet's padding to 60 bytes, a captured FCS
};

/// Why bytes are not a frame.
enum class FrameFault : std::uint8_t {
  kNotRdma,        // well-formed as far as it was read, but another protocol (or an IP fragment)
  kUnknownOpcode,  // an RDMA packet with an opcode that is reserved or belongs to a manufacturer
  kMalformed,      // truncated, over-long, or with a field that contradicts another or the specification
};

struct FrameError {
  FrameFault fault = FrameFault::kMalformed;
  Error error;
};

using FrameResult = tl::expected<RdmaFrame, FrameError>;

/// A captured frame, without preamble; the FCS of Ethernet may be there (it becomes part of `trailer`), the VCRC of
/// InfiniBand may be missing. Checksums and CRCs are not verified here. UDP is RoCEv2 if it goes to port 4791 or one of
/// `ports`.
[[nodiscard]] FrameResult parse_frame(LinkType link, std::span<const std::byte> bytes, FurtherRocePorts ports = {});
/// An IP packet, from the first byte of its IPv4 or IPv6 header.
[[nodiscard]] FrameResult parse_ip_packet(std::span<const std::byte> bytes, FurtherRocePorts ports = {});
/// From the BTH to the end of the ICRC, exactly: what a UDP socket delivers.
[[nodiscard]] FrameResult parse_transport(std::span<const std::byte> bytes);

/// Bytes that `emit_frame` writes.
[[nodiscard]] std::size_t emitted_size(const RdmaFrame& frame);
/// Writes every field as it is; `out` must hold `emitted_size(frame)`, which is returned.
std::size_t emit_frame(const RdmaFrame& frame, std::span<std::byte> out);

/// Fills in what follows from the rest: pad count and zero pad, every length, the LRH's next header, the IPv4 header
/// checksum, the ICRC, the VCRC when there is an LRH, and Ethernet's padding to 60 bytes. UDP's checksum stays as it
/// is.
void seal_frame(RdmaFrame& frame);

/// The ICRC that belongs to the frame's fields and payload. A frame of `parse_transport` has lost headers that the ICRC
/// covers, so the result says nothing about it until the caller has put IP and UDP headers back.
[[nodiscard]] std::uint32_t compute_icrc(const RdmaFrame& frame);
[[nodiscard]] bool icrc_ok(const RdmaFrame& frame);

/// The VCRC over LRH to ICRC; the frame must have an LRH.
[[nodiscard]] std::uint16_t compute_vcrc(const RdmaFrame& frame);
/// True also when there is no VCRC to check.
[[nodiscard]] bool vcrc_ok(const RdmaFrame& frame);

/// Which encapsulation the headers say; nothing for a frame of `parse_transport`.
[[nodiscard]] std::optional<Encapsulation> encapsulation_of(const RdmaFrame& frame);

}  // namespace weft::wire
