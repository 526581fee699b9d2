// The first 16 bits of every header of the packet delivery sublayer (PDS) of Ultra Ethernet, and the values in them.
//
// type 5 | next header 4 (control packets: control type) | flags 7, whose meaning depends on the type.
//
// Source: Ultra Ethernet Specification 1.0, 3.5. The text of the specification was not at hand: layouts and values of
// this folder are those on which three public readers agree, UEC's reference provider (uet_pkt_hdr.h), xdp2 (uet/pds.h,
// uet/ses.h) and Wireshark's dissector. Where they differ, the header concerned says so.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::wire::uet {

//= uet-1.0 3.5.10
enum class PdsType : std::uint8_t {
  kSecurity = 1,  // a TSS header (wire/uet/tss.h), whose type has the same place
  kRudRequest = 2,
  kRodRequest = 3,
  kRudiRequest = 4,
  kRudiResponse = 5,
  kUudRequest = 6,
  kAck = 7,
  kAckCc = 8,
  kAckCcx = 9,
  kNack = 10,
  kControl = 11,
  kNackCcx = 12,
  kRudCcRequest = 13,
  kRodCcRequest = 14,
};
/// "RUD request"; "reserved" for 0 and for values above 14.
[[nodiscard]] std::string_view to_string(PdsType type);

/// What follows the PDS header. A value above 6 is reserved, and what follows then is not read.
//= uet-1.0 3.5.10
enum class NextHeader : std::uint8_t {
  kNone = 0,
  kRequestSmall = 1,
  kRequestMedium = 2,
  kRequestStandard = 3,
  kResponse = 4,
  kResponseData = 5,
  kResponseDataSmall = 6,
};
/// "standard request"; "reserved" for values above 6.
[[nodiscard]] std::string_view to_string(NextHeader next);

/// In the place of the next header of control packets.
//= uet-1.0 3.5.10
enum class ControlType : std::uint8_t {
  kNoOperation = 0,
  kAckRequest = 1,
  kClear = 2,
  kClearRequest = 3,
  kClose = 4,
  kCloseRequest = 5,
  kProbe = 6,
  kCredit = 7,
  kCreditRequest = 8,
  kNegotiation = 9,
};
/// "clear request"; "reserved" for values above 9.
[[nodiscard]] std::string_view to_string(ControlType type);

/// The 16 bits as they are; any value of each field.
struct PdsPrologue {
  std::uint8_t type = 0;   // 5 bits; PdsType if known
  std::uint8_t next = 0;   // 4 bits; NextHeader or ControlType if known
  std::uint8_t flags = 0;  // 7 bits

  [[nodiscard]] static constexpr PdsPrologue unpack(std::uint16_t word) {
    return {.type = static_cast<std::uint8_t>(word >> 11),
            .next = static_cast<std::uint8_t>((word >> 7) & 15U),
            .flags = static_cast<std::uint8_t>(word & 0x7FU)};
  }
  [[nodiscard]] constexpr std::uint16_t pack() const {
    return static_cast<std::uint16_t>((type & 31U) << 11 | (next & 15U) << 7 | (flags & 0x7FU));
  }

  friend bool operator==(const PdsPrologue&, const PdsPrologue&) = default;
};

/// A request of a delivery context: RUD or ROD, with or without congestion context.
[[nodiscard]] constexpr bool is_request(PdsType type) {
  return type == PdsType::kRudRequest || type == PdsType::kRodRequest || type == PdsType::kRudCcRequest ||
         type == PdsType::kRodCcRequest;
}
[[nodiscard]] constexpr bool is_rod(PdsType type) {
  return type == PdsType::kRodRequest || type == PdsType::kRodCcRequest;
}
[[nodiscard]] constexpr bool has_congestion_context(PdsType type) {
  return type == PdsType::kRudCcRequest || type == PdsType::kRodCcRequest;
}
[[nodiscard]] constexpr bool is_ack(PdsType type) {
  return type == PdsType::kAck || type == PdsType::kAckCc || type == PdsType::kAckCcx;
}

}  // namespace weft::wire::uet
