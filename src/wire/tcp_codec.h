// A TCP segment as a whole Ethernet frame over IPv4 or IPv6, and between such a frame and the records of wire/packet.h.
//
// Carried: everything of TcpHeader but `connection`, the SACK blocks, payload length, DSCP = traffic_class, ecn,
// hop_limit, entropy = source port over IPv4 and flow label over IPv6, of which the upper four bits are zero. Not
// carried, as with wire/packet_codec.h: endpoint ids, priority, flags of the packet, hop state. A receiver finds
// `connection` by addresses and ports.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/result.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/packet.h"
#include "wire/packet_codec.h"
#include "wire/tcp.h"

namespace weft::wire {

/// Headers, and views of the parsed input or the sender's memory, which must outlive the frame.
struct TcpFrame {
  /// The largest payload of a frame that is sealed: a jumbo frame's.
  static constexpr std::size_t kMaxSealedPayload = 9216;

  EthernetHeader ethernet{};
  Ipv4Header ipv4{};
  std::optional<Ipv6Header> ipv6{};  // if it is there, it stands in the place of the one above
  TcpSegmentHeader tcp{};
  std::span<const std::byte> payload{};
  std::span<const std::byte> trailer{};  // behind the packet: padding to 60 bytes, a captured FCS

  [[nodiscard]] std::size_t ip_size() const { return ipv6 ? Ipv6Header::kSize : ipv4.size(); }
};

/// An Ethernet frame with a TCP segment over IPv4 or IPv6, without preamble. Checksums are not verified. Errors:
/// another protocol, a fragment, an extension header of IPv6, lengths that contradict one another.
[[nodiscard]] Result<TcpFrame> parse_tcp_frame(std::span<const std::byte> bytes);

/// Bytes that `emit_tcp_frame` writes.
[[nodiscard]] std::size_t emitted_size(const TcpFrame& frame);
/// Writes every field as it is; `out` must hold `emitted_size(frame)`, which is returned.
std::size_t emit_tcp_frame(const TcpFrame& frame, std::span<std::byte> out);
/// Fills in lengths, both checksums, and Ethernet's padding to 60 bytes.
void seal_tcp_frame(TcpFrame& frame);

/// The TCP checksum that belongs to the other fields.
[[nodiscard]] std::uint16_t compute_tcp_checksum(const TcpFrame& frame);
/// The TCP checksum, and that of IPv4.
[[nodiscard]] bool checksums_ok(const TcpFrame& frame);

/// A sealed frame of a packet of kind kTcp. `payload` must have `payload_bytes` bytes, or none: then zeros stand for
/// them, at most TcpFrame::kMaxSealedPayload. `cold` is read only if there are SACK blocks.
[[nodiscard]] TcpFrame to_tcp_frame(const Packet& packet, const ColdPacket& cold, std::span<const std::byte> payload,
                                    const Addresses& addresses);
/// Writes what the frame carries, with kind, encapsulation and sizes, and leaves every other member as it was; sets
/// kHasCold exactly if there are SACK blocks. Errors: malformed options.
Result<void> from_tcp_frame(const TcpFrame& frame, Packet& packet, ColdPacket& cold);

}  // namespace weft::wire
