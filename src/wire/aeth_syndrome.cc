#include "wire/aeth_syndrome.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/assert.h"

namespace weft::wire {

namespace {

constexpr std::array<std::uint32_t, kCreditsNotUsed> kCredits{
    0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,  192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};

/// In units of 10 microseconds, by code.
constexpr std::array<std::int64_t, 32> kRnrTimers{65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                                  48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                                  2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};

constexpr Duration kRnrUnit = Duration::microseconds(10);

}  // namespace

std::optional<NakCode> nak_code(std::uint8_t syndrome) {
  const auto code = syndrome_code(syndrome);
  if (syndrome_kind(syndrome) != SyndromeKind::kNak || code > static_cast<std::uint8_t>(NakCode::kInvalidRdRequest)) {
    return std::nullopt;
  }
  return static_cast<NakCode>(code);
}

std::optional<std::uint32_t> credits_of_code(std::uint8_t credit_code) {
  WEFT_ASSERT(credit_code <= kCreditsNotUsed);
  return credit_code == kCreditsNotUsed ? std::nullopt : std::optional(kCredits[credit_code]);
}

std::uint8_t code_of_credits(std::uint32_t credits) {
  const auto above = std::ranges::upper_bound(kCredits, credits);
  return static_cast<std::uint8_t>(above - kCredits.begin() - 1);
}

Duration rnr_timer(std::uint8_t timer_code) {
  WEFT_ASSERT(timer_code < kRnrTimers.size());
  return kRnrUnit * kRnrTimers[timer_code];
}

std::uint8_t rnr_timer_code(Duration wait) {
  for (std::uint8_t code = 1; code < kRnrTimers.size(); ++code) {
    if (rnr_timer(code) >= wait) {
      return code;
    }
  }
  return 0;
}

const char* to_string(NakCode code) {
  switch (code) {
    case NakCode::kPsnSequenceError:
      return "PSN sequence error";
    case NakCode::kInvalidRequest:
      return "invalid request";
    case NakCode::kRemoteAccessError:
      return "remote access error";
    case NakCode::kRemoteOperationalError:
      return "remote operational error";
    case NakCode::kInvalidRdRequest:
      return "invalid RD request";
  }
  return "reserved code";
}

std::string syndrome_text(std::uint8_t syndrome) {
  const auto code = syndrome_code(syndrome);
  switch (syndrome_kind(syndrome)) {
    case SyndromeKind::kAck:
      return code == kCreditsNotUsed ? "ACK" : fmt::format("ACK credits {}", kCredits[code]);
    case SyndromeKind::kRnrNak:
      return fmt::format("RNR NAK {}.{:02} ms", kRnrTimers[code] / 100, kRnrTimers[code] % 100);
    case SyndromeKind::kNak:
      if (const auto nak = nak_code(syndrome)) {
        return fmt::format("NAK {}", to_string(*nak));
      }
      return fmt::format("NAK reserved code {}", code);
    case SyndromeKind::kReserved:
      break;
  }
  return fmt::format("reserved syndrome 0x{:02X}", syndrome);
}

}  // namespace weft::wire
