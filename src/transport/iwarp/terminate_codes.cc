#include "transport/iwarp/terminate_codes.h"

namespace weft::transport {

namespace terminate = wire::terminate;

//= rfc5041 7
//= rfc5040 7
wire::TerminateCode tagged_code(SinkFault fault) {
  switch (fault) {
    case SinkFault::kInvalidKey:
      return terminate::kTaggedInvalidStag;
    case SinkFault::kWrongDomain:
      return terminate::kTaggedNotAssociated;
    case SinkFault::kOutOfBounds:
      return terminate::kTaggedBounds;
    case SinkFault::kAddressWrap:
      return terminate::kTaggedOffsetWrap;
    case SinkFault::kPermission:
    case SinkFault::kNotAdmitted:
      return terminate::kAccessRights;
    case SinkFault::kNone:
    case SinkFault::kNoReceive:
    case SinkFault::kTooLong:
    case SinkFault::kReceiveMemory:
    case SinkFault::kNotInvalidatable:
    case SinkFault::kCompletionQueue:
      break;
  }
  return terminate::kLocalCatastrophic;
}

wire::TerminateCode read_code(SinkFault fault) {
  switch (fault) {
    case SinkFault::kInvalidKey:
      return terminate::kInvalidStag;
    case SinkFault::kWrongDomain:
      return terminate::kStagNotAssociated;
    case SinkFault::kOutOfBounds:
      return terminate::kBounds;
    case SinkFault::kAddressWrap:
      return terminate::kOffsetWrap;
    case SinkFault::kPermission:
    case SinkFault::kNotAdmitted:
      return terminate::kAccessRights;
    case SinkFault::kNone:
    case SinkFault::kNoReceive:
    case SinkFault::kTooLong:
    case SinkFault::kReceiveMemory:
    case SinkFault::kNotInvalidatable:
    case SinkFault::kCompletionQueue:
      break;
  }
  return terminate::kLocalCatastrophic;
}

wire::TerminateCode untagged_code(SinkFault fault) {
  switch (fault) {
    case SinkFault::kNoReceive:
      return terminate::kNoBuffer;
    case SinkFault::kTooLong:
      return terminate::kMessageTooLong;
    case SinkFault::kInvalidKey:
      return terminate::kInvalidStag;
    case SinkFault::kWrongDomain:
      return terminate::kStagNotAssociated;
    case SinkFault::kNotInvalidatable:
      return terminate::kCannotInvalidate;
    case SinkFault::kNone:
    case SinkFault::kReceiveMemory:
    case SinkFault::kOutOfBounds:
    case SinkFault::kAddressWrap:
    case SinkFault::kPermission:
    case SinkFault::kNotAdmitted:
    case SinkFault::kCompletionQueue:
      break;
  }
  return terminate::kLocalCatastrophic;
}

bool is_protection(wire::TerminateCode code) {
  return code.type == 1 &&
         (code.layer == terminate::kInvalidStag.layer || code.layer == terminate::kTaggedBounds.layer);
}

verbs::WcStatus status_of(wire::TerminateCode code) {
  if (is_protection(code))
    return verbs::WcStatus::kRemAccessErr;
  if (code == terminate::kNoBuffer)
    return verbs::WcStatus::kRnrRetryExcErr;
  if (code == terminate::kLocalCatastrophic || code == terminate::kDdpCatastrophic)
    return verbs::WcStatus::kRemOpErr;
  if (code.layer == terminate::kCrc.layer)
    return verbs::WcStatus::kRemAbortErr;
  return verbs::WcStatus::kRemInvReqErr;
}

}  // namespace weft::transport
