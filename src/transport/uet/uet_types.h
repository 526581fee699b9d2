// What the parts of the Ultra Ethernet engine share: counters, sizes, PSN order, and the environment of a call.
#pragma once

#include <array>
#include <cstdint>

#include "base/data_size.h"
#include "base/psn.h"
#include "transport/flow_policies.h"
#include "transport/packet_io.h"
#include "transport/uet/uet_options.h"
#include "wire/encapsulation.h"

namespace weft::transport {

struct UetCounters {
  std::uint64_t retransmissions = 0;
  std::uint64_t timeouts = 0;  // packets whose timeout passed
  std::uint64_t probes = 0;
  std::uint64_t credits = 0;          // credit packets received
  std::uint64_t credit_requests = 0;  // sent
  std::uint64_t duplicates = 0;
  std::uint64_t out_of_order = 0;                               // packets that arrived beyond a gap
  std::uint64_t trimmed = 0;                                    // that arrived without their payload
  std::uint64_t discarded = 0;                                  // damaged, or for nothing that exists or makes sense
  std::array<std::uint64_t, wire::kUetNackCodes> nacks_sent{};  // by code
  std::array<std::uint64_t, wire::kUetNackCodes> nacks_received{};  // by code
  std::uint64_t opened = 0;                                         // contexts, as initiator and target
  std::uint64_t closed = 0;                                         // in good order
  std::uint64_t failed = 0;                                         // that gave up
  std::uint64_t refused = 0;                                        // contexts not made for want of room
  // Through a context, that did not take the fast path:
  std::uint64_t slow_sent = 0;
  std::uint64_t slow_received = 0;

  [[nodiscard]] std::uint64_t nacks() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : nacks_received)
      sum += count;
    return sum;
  }
};

/// Order of 32-bit PSNs that lie less than 2^31 apart.
[[nodiscard]] constexpr std::int32_t psn_distance(std::uint32_t from, std::uint32_t to) {
  return static_cast<std::int32_t>(to - from);
}
/// Bitmaps and path selectors go by the low bits.
[[nodiscard]] constexpr Psn short_psn(std::uint32_t psn) { return Psn(psn); }

/// PDS header sizes in bytes.
inline constexpr std::uint16_t kPdsRequestBytes = 12;
inline constexpr std::uint16_t kPdsCreditRequestBytes = 16;
inline constexpr std::uint16_t kPdsAckCcBytes = 32;
inline constexpr std::uint16_t kPdsNoticeBytes = 16;  // NACK and control
inline constexpr std::uint16_t kPdsRudiBytes = 8;
inline constexpr std::uint16_t kPdsUudBytes = 4;
/// SES header sizes in bytes.
inline constexpr std::uint16_t kSesMediumBytes = 32;
inline constexpr std::uint16_t kSesStandardBytes = 44;
inline constexpr std::uint16_t kSesResponseBytes = 12;
inline constexpr std::uint16_t kSesResponseDataBytes = 20;

/// Whether a packet counts as data or as control in UetSizes.
enum class UetSizeClass : std::uint8_t { kData, kControl };

/// Sets payload, frame and wire bytes; the encapsulation must be set.
inline void set_uet_sizes(wire::Packet& packet, UetSizeClass kind, const wire::UetPacketParts& parts,
                          const UetSizes& sizes) {
  wire::FrameSizes size = wire::uet_sizes(packet.common.encapsulation,
                                          {.headers = parts.headers + Bytes(sizes.security), .payload = parts.payload});
  if (kind == UetSizeClass::kData && sizes.data_headers) {
    size.wire = (size.frame = Bytes(*sizes.data_headers) + parts.payload) + Bytes(wire::kEthernetGapBytes);
  } else if (kind == UetSizeClass::kControl && sizes.control) {
    size.wire = (size.frame = Bytes(*sizes.control)) + Bytes(wire::kEthernetGapBytes);
  }
  if (sizes.gap)
    size.wire = size.frame + Bytes(*sizes.gap);
  packet.common.payload_bytes = static_cast<std::uint16_t>(parts.payload.count());
  packet.common.frame_bytes = static_cast<std::uint16_t>(size.frame.count());
  packet.common.wire_bytes = static_cast<std::uint16_t>(size.wire.count());
}

class PdsClient;

/// The environment of one call to a PDC.
struct PdcCall {
  PdsClient& client;
  const UetOptions& options;
  UetCounters& counters;
  Time now;
  std::uint32_t active_senders = 1;  // of the endpoint, that could send; with credit only
};

}  // namespace weft::transport
