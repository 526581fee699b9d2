// The PDS header of NACKs, without and with extended congestion control state (NACK_CCX), for contexts and for RUDI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/uet/nack_code.h"
#include "wire/uet/pds_prologue.h"

namespace weft::wire::uet {

//= uet-1.0 3.5.10
struct PdsNack {
  static constexpr std::size_t kSize = 16;
  static constexpr std::size_t kCcxSize = 32;
  static constexpr std::uint8_t kReservedFlags = 0x47;

  PdsType type = PdsType::kNack;  // or kNackCcx
  NextHeader next_header = NextHeader::kNone;
  bool marked = false;         // the packet that is refused had an ECN mark
  bool retransmitted = false;  // the packet that is refused was sent again
  bool rudi = false;           // of a RUDI packet: `psn` is its packet id, and there are no PDC ids
  std::uint8_t reserved = 0;   // in place, mask kReservedFlags; ignored by receivers
  NackCode code = NackCode::kNone;
  std::uint8_t vendor_code = 0;
  std::uint32_t psn = 0;
  std::uint16_t source_pdc = 0;
  std::uint16_t destination_pdc = 0;
  std::uint32_t payload = 0;     // what the code says, otherwise 0
  std::uint8_t ccx_type = 0;     // 4 bits; this and what follows only of a NACK_CCX
  std::uint64_t ccx_state1 = 0;  // 60 bits
  std::uint64_t ccx_state2 = 0;

  [[nodiscard]] constexpr std::size_t size() const { return type == PdsType::kNackCcx ? kCcxSize : kSize; }
  [[nodiscard]] static Result<PdsNack> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PdsNack&, const PdsNack&) = default;
};

}  // namespace weft::wire::uet
