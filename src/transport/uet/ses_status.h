// The completion status that a return code of SES means to a verbs program.
#pragma once

#include <cstdint>

#include "verbs/completion.h"
#include "wire/uet/ses_codes.h"

namespace weft::transport {

/// Codes that name neither the right to the memory nor the form of the request count as an operational error.
//= uet-1.0 3.4
[[nodiscard]] constexpr verbs::WcStatus status_of(std::uint8_t code) {
  using wire::uet::SesReturnCode;
  const auto known = static_cast<SesReturnCode>(code);
  if (known == SesReturnCode::kNull || known == SesReturnCode::kOk)
    return verbs::WcStatus::kSuccess;
  if (known == SesReturnCode::kPermissionViolation || known == SesReturnCode::kBadMemoryKey ||
      known == SesReturnCode::kBadAddress)
    return verbs::WcStatus::kRemAccessErr;
  if (known == SesReturnCode::kUnsupportedOperation || known == SesReturnCode::kTooLong ||
      known == SesReturnCode::kBadIndex || known == SesReturnCode::kOperationViolation)
    return verbs::WcStatus::kRemInvReqErr;
  return verbs::WcStatus::kRemOpErr;
}

}  // namespace weft::transport
