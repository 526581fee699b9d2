#include "verbs/async_event.h"

namespace weft::verbs {

std::string_view to_string(AsyncEventType type) {
  switch (type) {
    case AsyncEventType::kCqErr:
      return "completion queue error";
    case AsyncEventType::kQpFatal:
      return "queue pair failed";
    case AsyncEventType::kQpReqErr:
      return "invalid request from peer";
    case AsyncEventType::kQpAccessErr:
      return "access violation by peer";
    case AsyncEventType::kCommEst:
      return "communication established";
    case AsyncEventType::kSqDrained:
      return "send queue drained";
    case AsyncEventType::kQpLastWqeReached:
      return "last shared receive request taken";
    case AsyncEventType::kSrqErr:
      return "shared receive queue error";
    case AsyncEventType::kSrqLimitReached:
      return "shared receive queue limit reached";
    case AsyncEventType::kPortActive:
      return "port active";
    case AsyncEventType::kPortErr:
      return "port down";
    case AsyncEventType::kDeviceFatal:
      return "device failed";
  }
  return "unknown event";
}

}  // namespace weft::verbs
