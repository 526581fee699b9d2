// The PDS header of ACKs: plain, with congestion control state (ACK_CC), with extended state (ACK_CCX).
//
// A plain ACK with the EPSN flag closes a context of a secure domain and carries the PSN that the next one must not be
// below. Only the reference provider knows that form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"
#include "wire/uet/ack_cc_state.h"
#include "wire/uet/pds_prologue.h"

namespace weft::wire::uet {

/// What the target asks of the initiator in an ACK.
//= uet-1.0 3.5.10
enum class AckRequest : std::uint8_t { kNone = 0, kClear = 1, kClose = 2, kReserved = 3 };

//= uet-1.0 3.5.10
struct PdsAck {
  static constexpr std::size_t kSize = 12;
  static constexpr std::size_t kExpectedPsnSize = 16;
  static constexpr std::size_t kCcSize = 32;
  static constexpr std::size_t kCcxSize = 40;

  PdsType type = PdsType::kAck;  // or kAckCc, kAckCcx
  NextHeader next_header = NextHeader::kResponse;
  bool epsn = false;           // of a plain ACK: `expected_psn` follows
  bool marked = false;         // the packet that is acknowledged had an ECN mark
  bool retransmitted = false;  // the packet that is acknowledged was sent again
  bool probe = false;          // answers a probe: `ack_psn_offset` is replaced by `probe_opaque`
  AckRequest request = AckRequest::kNone;
  bool reserved = false;             // ignored by receivers
  std::int16_t ack_psn_offset = 0;   // the PSN that is acknowledged less the cumulative one; without `probe`
  std::uint16_t probe_opaque = 0;    // the probe's; with `probe`
  std::uint32_t cumulative_psn = 0;  // this PSN and all before it have arrived
  std::uint16_t source_pdc = 0;
  std::uint16_t destination_pdc = 0;
  std::uint32_t expected_psn = 0;  // a plain ACK with `epsn`

  // Not of a plain ACK:
  CcType cc_type = CcType::kNscc;    // 4 bits
  std::uint8_t cc_flags = 0;         // 4 bits, reserved
  std::uint8_t mpr = 0;              // maximum PSN range, in a unit that the readers do not say
  std::int16_t sack_psn_offset = 0;  // the bitmap's base PSN less the cumulative one
  std::uint64_t sack_bitmap = 0;     // bit 0 (least significant) is the base PSN
  std::uint64_t cc_state = 0;        // NsccState or CreditState
  std::uint64_t ccx_state = 0;       // only of an ACK_CCX

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] constexpr bool has_expected_psn() const { return type == PdsType::kAck && epsn; }
  [[nodiscard]] constexpr std::uint32_t ack_psn() const {
    return cumulative_psn + static_cast<std::uint32_t>(static_cast<std::int32_t>(ack_psn_offset));
  }
  [[nodiscard]] constexpr std::uint32_t sack_base_psn() const {
    return cumulative_psn + static_cast<std::uint32_t>(static_cast<std::int32_t>(sack_psn_offset));
  }

  /// The type must be that of an ACK.
  [[nodiscard]] static Result<PdsAck> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const PdsAck&, const PdsAck&) = default;
};

}  // namespace weft::wire::uet
