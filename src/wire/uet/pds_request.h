// The PDS header of RUD and ROD requests, in both forms, without and with congestion context.
//
// Until the initiator knows the destination's delivery context (PDC), each request has the SYN flag, and in place of
// the destination's id stands how far its PSN is from the first of the context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/uet/pds_prologue.h"

namespace weft::wire::uet {

/// What stands in place of the destination's PDC id while SYN is set.
//= uet-1.0 3.5.10
struct PdcInfo {
  bool use_reserved_pdc = false;
  std::uint8_t reserved = 0;     // 3 bits, ignored by receivers
  std::uint16_t psn_offset = 0;  // 12 bits: PSN less the start PSN of the context

  [[nodiscard]] static constexpr PdcInfo unpack(std::uint16_t word) {
    return {.use_reserved_pdc = (word & 0x8000U) != 0,
            .reserved = static_cast<std::uint8_t>((word >> 12) & 7U),
            .psn_offset = static_cast<std::uint16_t>(word & 0x0FFFU)};
  }
  [[nodiscard]] constexpr std::uint16_t pack() const {
    return static_cast<std::uint16_t>((use_reserved_pdc ? 0x8000U : 0U) | (reserved & 7U) << 12 |
                                      (psn_offset & 0x0FFFU));
  }

  friend bool operator==(const PdcInfo&, const PdcInfo&) = default;
};

//= uet-1.0 3.5.10
struct PdsRequest {
  static constexpr std::size_t kSize = 12;
  static constexpr std::size_t kCcSize = 16;

  PdsType type = PdsType::kRudRequest;  // one of the four requests
  NextHeader next_header = NextHeader::kRequestStandard;
  bool retransmitted = false;
  bool ack_request = false;
  bool syn = false;
  std::uint8_t reserved = 0;          // in place, mask kReservedFlags; ignored by receivers
  std::int16_t clear_psn_offset = 0;  // the clear PSN less the PSN
  std::uint32_t psn = 0;
  std::uint16_t source_pdc = 0;
  std::uint16_t destination_pdc = 0;  // without SYN
  PdcInfo pdc_info{};                 // with SYN
  std::uint8_t ccc_id = 0;            // the congestion context; only with one
  std::uint32_t credit_target = 0;    // 24 bits; only with congestion context

  static constexpr std::uint8_t kReservedFlags = 0x63;

  [[nodiscard]] constexpr std::size_t size() const { return has_congestion_context(type) ? kCcSize : kSize; }
  /// The least PSN whose response the initiator has not yet cleared is the one behind this.
  [[nodiscard]] constexpr std::uint32_t clear_psn() const {
    return psn + static_cast<std::uint32_t>(static_cast<std::int32_t>(clear_psn_offset));
  }

  /// The type must be that of a request.
  [[nodiscard]] static Result<PdsRequest> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PdsRequest&, const PdsRequest&) = default;
};

}  // namespace weft::wire::uet
