// Why a packet was not taken: the codes of PDS NACKs.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::wire::uet {

/// 0x0C and 0x1B to 0xFC are reserved.
//= uet-1.0 3.5
enum class NackCode : std::uint8_t {
  kNone = 0x00,
  kTrimmed = 0x01,
  kTrimmedLastHop = 0x02,
  kTrimmedAck = 0x03,
  kNoPdc = 0x04,
  kNoCcc = 0x05,
  kNoBitmap = 0x06,
  kNoPacketBuffer = 0x07,
  kNoGuaranteedDelivery = 0x08,
  kNoSesMessage = 0x09,
  kNoResource = 0x0A,
  kPsnOutsideWindow = 0x0B,
  kRodOutOfOrder = 0x0D,
  kInvalidDestinationPdc = 0x0E,
  kPdcHeaderMismatch = 0x0F,
  kClosing = 0x10,
  kClosingInError = 0x11,
  kPacketNotReceived = 0x12,
  kGuaranteedResponseUnavailable = 0x13,
  kAckWithData = 0x14,
  kInvalidSyn = 0x15,
  kPdcModeMismatch = 0x16,
  kNewStartPsn = 0x17,
  kReceivedSesProcessing = 0x18,
  kUnexpectedEvent = 0x19,
  kReceiverInferredLoss = 0x1A,
  kExperimentalNormal = 0xFD,
  kExperimentalError = 0xFE,
  kExperimentalFatal = 0xFF,
};
/// "trimmed at the last hop"; "reserved" for codes that nobody assigned.
[[nodiscard]] std::string_view to_string(NackCode code);
[[nodiscard]] bool is_known(NackCode code);

}  // namespace weft::wire::uet
