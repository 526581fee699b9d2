// Choices of a reliable connection that are not attributes of verbs. Both ends of a connection must agree on the two
// extensions; everything else is a matter of one end.
#pragma once

#include <cstdint>

#include "transport/flow_policies.h"

namespace weft::transport {

/// How a requester recovers from loss, and what a responder does with packets that come early.
enum class LossRecovery : std::uint8_t {
  kGoBackN,          // as specified: one NAK, everything from there again
  kSelectiveRepeat,  // extension: early packets are held, a bitmap tells which, only missing ones are sent again
};

/// The NAK for a SEND that is longer than its receive buffer: the specification's, or that of Linux's soft-RoCE.
enum class ShortReceiveNak : std::uint8_t { kInvalidRequest, kRemoteOperational };

struct RcOptions {
  /// A packet with this many before it since the last request for acknowledgement asks for one; 1 = every packet.
  std::uint16_t ack_request_interval = 64;
  /// Grant end-to-end credits in acknowledgements (never with a shared receive queue). Off: syndrome 0x1F.
  bool end_to_end_credits = false;
  ShortReceiveNak short_receive_nak = ShortReceiveNak::kInvalidRequest;

  LossRecovery loss_recovery = LossRecovery::kGoBackN;
  /// Extension: every WRITE packet carries a RETH for its own bytes and is placed whenever it comes; needs
  /// kSelectiveRepeat. Completions stay in order.
  bool out_of_order_placement = false;
  /// Selective repeat: packets held out of order at most, 1..127; and how many later packets must have arrived
  /// before a missing one counts as lost, 1..127.
  std::uint8_t reorder_capacity = 64;
  std::uint8_t reorder_threshold = 3;

  /// Not owned; null = none. They must outlive the queue pair.
  CongestionControl* congestion_control = nullptr;
  CongestionReceiver* congestion_receiver = nullptr;
  PathSelector* path_selector = nullptr;

  [[nodiscard]] FlowPolicies policies() const { return {congestion_control, congestion_receiver, path_selector}; }
  [[nodiscard]] bool has_hooks() const {
    return congestion_control != nullptr || congestion_receiver != nullptr || path_selector != nullptr;
  }
};

}  // namespace weft::transport
