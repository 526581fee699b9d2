// The syndrome byte of an AETH: acknowledgement with end-to-end credits, receiver not ready with a timer, or NAK.
//
// Codes are five bits. Credit code 31 says that the responder does not count credits. Timer codes and credit codes are
// tables of the specification; code 0 of the timer is the longest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace weft::wire {

/// Bits 6 and 5. Bit 7 is zero in every syndrome.
//= ibta-1.7 9.7.5.2.1
enum class SyndromeKind : std::uint8_t { kAck, kRnrNak, kReserved, kNak };

//= ibta-1.7 9.7.5.2.2
enum class NakCode : std::uint8_t {
  kPsnSequenceError = 0,
  kInvalidRequest = 1,
  kRemoteAccessError = 2,
  kRemoteOperationalError = 3,
  kInvalidRdRequest = 4,
};

inline constexpr std::uint8_t kSyndromeCodeMask = 0x1F;
/// Credit code of a responder that does not count credits.
inline constexpr std::uint8_t kCreditsNotUsed = 31;
/// An acknowledgement without credits, as Linux sends it.
inline constexpr std::uint8_t kSyndromeAckNoCredits = 0x1F;

[[nodiscard]] constexpr SyndromeKind syndrome_kind(std::uint8_t syndrome) {
  return (syndrome & 0x80U) != 0 ? SyndromeKind::kReserved : static_cast<SyndromeKind>(syndrome >> 5);
}
/// Credit code, timer code or NAK code.
[[nodiscard]] constexpr std::uint8_t syndrome_code(std::uint8_t syndrome) { return syndrome & kSyndromeCodeMask; }

[[nodiscard]] constexpr std::uint8_t ack_syndrome(std::uint8_t credit_code) { return credit_code & kSyndromeCodeMask; }
[[nodiscard]] constexpr std::uint8_t rnr_syndrome(std::uint8_t timer_code) {
  return static_cast<std::uint8_t>(0x20U | (timer_code & kSyndromeCodeMask));
}
[[nodiscard]] constexpr std::uint8_t nak_syndrome(NakCode code) {
  return static_cast<std::uint8_t>(0x60U | static_cast<std::uint8_t>(code));
}
/// The NAK's reason; nothing for reserved codes and for syndromes that are not a NAK.
[[nodiscard]] std::optional<NakCode> nak_code(std::uint8_t syndrome);

/// Messages that a credit code (0 to 31) grants; nothing for kCreditsNotUsed.
//= ibta-1.7 9.7.7.2.1
[[nodiscard]] std::optional<std::uint32_t> credits_of_code(std::uint8_t credit_code);
/// The largest code that grants no more than `credits`.
[[nodiscard]] std::uint8_t code_of_credits(std::uint32_t credits);

/// How long a requester waits after an RNR NAK with this timer code (0 to 31).
//= ibta-1.7 9.7.5.2.8
[[nodiscard]] Duration rnr_timer(std::uint8_t timer_code);
/// The code of the shortest timer that is at least `wait`; code 0 (655.36 ms) when none is.
[[nodiscard]] std::uint8_t rnr_timer_code(Duration wait);

/// "PSN sequence error".
[[nodiscard]] const char* to_string(NakCode code);
/// "ACK", "ACK credits 32", "RNR NAK 0.64 ms", "NAK PSN sequence error", "reserved syndrome 0x40".
[[nodiscard]] std::string syndrome_text(std::uint8_t syndrome);

}  // namespace weft::wire
