#include "verbs/completion.h"

namespace weft::verbs {

std::string_view to_string(WcStatus status) {
  switch (status) {
    case WcStatus::kSuccess:
      return "success";
    case WcStatus::kLocLenErr:
      return "local length error";
    case WcStatus::kLocQpOpErr:
      return "local queue pair operation error";
    case WcStatus::kLocProtErr:
      return "local protection error";
    case WcStatus::kWrFlushErr:
      return "work request flushed";
    case WcStatus::kBadRespErr:
      return "bad response from peer";
    case WcStatus::kLocAccessErr:
      return "local access error";
    case WcStatus::kRemInvReqErr:
      return "peer found request invalid";
    case WcStatus::kRemAccessErr:
      return "peer refused access";
    case WcStatus::kRemOpErr:
      return "peer failed the operation";
    case WcStatus::kRetryExcErr:
      return "transport retry counter exceeded";
    case WcStatus::kRnrRetryExcErr:
      return "receiver-not-ready retry counter exceeded";
    case WcStatus::kRemAbortErr:
      return "peer aborted the operation";
    case WcStatus::kFatalErr:
      return "fatal error";
    case WcStatus::kGeneralErr:
      return "general error";
  }
  return "unknown status";
}

}  // namespace weft::verbs
