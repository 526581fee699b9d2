// The 64 bits of congestion control state in an ACK_CC, as its cc_type says: for the sender's window (NSCC) or for
// credit (RCCC).
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::wire::uet {

/// How the state of an ACK_CC is read; 2 to 15 are reserved.
//= uet-1.0 3.6
enum class CcType : std::uint8_t { kNscc = 0, kCredit = 1 };
/// "NSCC", "credit"; "reserved" for the others.
[[nodiscard]] constexpr std::string_view to_string(CcType type) {
  switch (type) {
    case CcType::kNscc:
      return "NSCC";
    case CcType::kCredit:
      return "credit";
  }
  return "reserved";
}

//= uet-1.0 3.6
struct NsccState {
  std::uint16_t service_time = 0;  // between arrival and ACK at the receiver
  bool restore_cwnd = false;
  std::uint8_t rcv_cwnd_pend = 0;  // 7 bits: how much the receiver wants the window cut, 127 most
  std::uint32_t rcvd_bytes = 0;    // 24 bits, a running count that wraps
  std::uint16_t ooo_count = 0;

  [[nodiscard]] static constexpr NsccState unpack(std::uint64_t state) {
    return {.service_time = static_cast<std::uint16_t>(state >> 48),
            .restore_cwnd = ((state >> 47) & 1U) != 0,
            .rcv_cwnd_pend = static_cast<std::uint8_t>((state >> 40) & 0x7FU),
            .rcvd_bytes = static_cast<std::uint32_t>((state >> 16) & 0xFFFFFFU),
            .ooo_count = static_cast<std::uint16_t>(state & 0xFFFFU)};
  }
  [[nodiscard]] constexpr std::uint64_t pack() const {
    return std::uint64_t{service_time} << 48 | std::uint64_t{restore_cwnd} << 47 |
           std::uint64_t{rcv_cwnd_pend & 0x7FU} << 40 | std::uint64_t{rcvd_bytes & 0xFFFFFFU} << 16 | ooo_count;
  }

  friend bool operator==(const NsccState&, const NsccState&) = default;
};

//= uet-1.0 3.6
struct CreditState {
  std::uint32_t credit = 0;    // 24 bits, a running count that wraps, in units of 256 bytes
  std::uint32_t reserved = 0;  // 24 bits, ignored by senders
  std::uint16_t ooo_count = 0;

  [[nodiscard]] static constexpr CreditState unpack(std::uint64_t state) {
    return {.credit = static_cast<std::uint32_t>(state >> 40),
            .reserved = static_cast<std::uint32_t>((state >> 16) & 0xFFFFFFU),
            .ooo_count = static_cast<std::uint16_t>(state & 0xFFFFU)};
  }
  [[nodiscard]] constexpr std::uint64_t pack() const {
    return std::uint64_t{credit & 0xFFFFFFU} << 40 | std::uint64_t{reserved & 0xFFFFFFU} << 16 | ooo_count;
  }

  friend bool operator==(const CreditState&, const CreditState&) = default;
};

}  // namespace weft::wire::uet
