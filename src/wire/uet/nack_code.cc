#include "wire/uet/nack_code.h"

#include <array>

namespace weft::wire::uet {

namespace {

struct NamedNack {
  NackCode code;
  std::string_view name;
};

constexpr std::array<NamedNack, 29> kNackCodes{{
    {NackCode::kNone, "none"},
    {NackCode::kTrimmed, "trimmed"},
    {NackCode::kTrimmedLastHop, "trimmed at the last hop"},
    {NackCode::kTrimmedAck, "trimmed ACK with data"},
    {NackCode::kNoPdc, "no PDC available"},
    {NackCode::kNoCcc, "no congestion context available"},
    {NackCode::kNoBitmap, "no PSN bitmap available"},
    {NackCode::kNoPacketBuffer, "no packet buffer available"},
    {NackCode::kNoGuaranteedDelivery, "no room for a guaranteed response"},
    {NackCode::kNoSesMessage, "no SES message state available"},
    {NackCode::kNoResource, "no resource available"},
    {NackCode::kPsnOutsideWindow, "PSN outside the window"},
    {NackCode::kRodOutOfOrder, "out of order on a ROD context"},
    {NackCode::kInvalidDestinationPdc, "invalid destination PDC"},
    {NackCode::kPdcHeaderMismatch, "header does not match the PDC"},
    {NackCode::kClosing, "PDC is closing"},
    {NackCode::kClosingInError, "PDC is closing in error"},
    {NackCode::kPacketNotReceived, "packet was not received"},
    {NackCode::kGuaranteedResponseUnavailable, "guaranteed response is not available"},
    {NackCode::kAckWithData, "ACK has data"},
    {NackCode::kInvalidSyn, "invalid SYN"},
    {NackCode::kPdcModeMismatch, "delivery mode does not match the PDC"},
    {NackCode::kNewStartPsn, "new start PSN"},
    {NackCode::kReceivedSesProcessing, "received, SES is still processing"},
    {NackCode::kUnexpectedEvent, "unexpected event"},
    {NackCode::kReceiverInferredLoss, "receiver infers loss"},
    {NackCode::kExperimentalNormal, "experimental, normal"},
    {NackCode::kExperimentalError, "experimental, PDC error"},
    {NackCode::kExperimentalFatal, "experimental, fatal"},
}};

}  // namespace

std::string_view to_string(NackCode code) {
  for (const NamedNack& named : kNackCodes) {
    if (named.code == code) {
      return named.name;
    }
  }
  return "reserved";
}

bool is_known(NackCode code) {
  const auto value = static_cast<unsigned>(code);
  return (value <= static_cast<unsigned>(NackCode::kReceiverInferredLoss) && value != 0x0C) ||
         value >= static_cast<unsigned>(NackCode::kExperimentalNormal);
}

}  // namespace weft::wire::uet
