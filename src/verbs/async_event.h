// Asynchronous events, as `ibv_async_event`: events of an object that no completion reports.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "verbs/handles.h"

namespace weft::verbs {

//= ibta-1.7 11.6.3
enum class AsyncEventType : std::uint8_t {
  kCqErr,             // a completion queue overflowed: it is in error, and so are the queue pairs that use it
  kQpFatal,           // a queue pair failed and could not say so in a completion
  kQpReqErr,          // the peer sent what its transport forbids
  kQpAccessErr,       // the peer asked for memory it may not touch
  kCommEst,           // the first packet arrived while the queue pair was in RTR
  kSqDrained,         // a send queue in SQD has finished what had begun
  kQpLastWqeReached,  // a queue pair in ERR takes no more from its shared receive queue
  kSrqErr,            // a shared receive queue failed
  kSrqLimitReached,   // fewer requests than the armed limit remain in a shared receive queue
  kPortActive,        // the device's port came up
  kPortErr,           // the device's port went down
  kDeviceFatal,       // the device itself failed
};

/// "send queue drained": a short phrase for people.
[[nodiscard]] std::string_view to_string(AsyncEventType type);

/// One event. Only the member that `type` is about is valid, none for a port or the device.
struct AsyncEvent {
  AsyncEventType type = AsyncEventType::kDeviceFatal;
  Qpn qp{};
  CqHandle cq{};
  SrqHandle srq{};

  friend bool operator==(const AsyncEvent&, const AsyncEvent&) = default;
};

}  // namespace weft::verbs
