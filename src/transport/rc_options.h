// Choices of a reliable connection that are not attributes of verbs. Both ends of a connection must agree on the two
// extensions; everything else is a matter of one end.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "transport/flow_policies.h"
#include "transport/loss/selective_repeat.h"

namespace weft::transport {

/// Loss recovery of the requester, and how a responder handles out-of-order packets.
enum class LossRecovery : std::uint8_t {
  kGoBackN,          // as specified: one NAK, then retransmission of everything from there
  kSelectiveRepeat,  // extension: out-of-order packets are held, a bitmap reports them, only missing ones are
                     // retransmitted
};

/// What a responder does with a packet beyond the PSNs or bytes that it can keep track of.
enum class ReorderOverflow : std::uint8_t {
  kDrop,  // nothing: the requester finds the loss itself
  kNak,   // one NAK for the expected PSN, until that arrives
};

/// The NAK for a SEND that is longer than its receive buffer: the specification's, or that of Linux's soft-RoCE.
enum class ShortReceiveNak : std::uint8_t { kInvalidRequest, kRemoteOperational };

/// Selective repeat: how a requester finds losses, and what a responder can keep track of.
struct SelectiveRepeatOptions {
  /// kByTime also takes READ data in any order.
  LossDetection loss_detection = LossDetection::kByCount;
  /// By count: how many later packets must have arrived before a missing one counts as lost, 1 to flight_packets - 1.
  std::uint16_t reorder_threshold = 3;
  /// By time: what a round trip is taken for until one has been measured.
  Duration round_trip = Duration::milliseconds(1);
  /// By time: how many of these pass in silence before the first probe, until one has been measured. Where congestion
  /// drops nothing, silence means queues, and whoever asks early only adds to them.
  std::uint16_t first_probe = 16;
  /// PSNs in flight at most, 64 to 65,536: at least what the path holds while a loss is found and repaired. The
  /// requester's memory grows with it (transport/loss/selective_repeat.h).
  std::uint32_t flight_packets = 128;
  /// What the responder can keep track of: PSNs from the expected one (2 to 65,536), and of these packets (1 or more)
  /// and bytes that it holds because they cannot be placed yet. Without placement it has a place for each PSN of
  /// those that follow the expected one, so that what fills a gap always finds room.
  std::uint32_t tracked_packets = 128;
  std::uint32_t reorder_capacity = 64;
  Bytes reorder_bytes = Bytes::max();
  ReorderOverflow reorder_overflow = ReorderOverflow::kDrop;
};

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
  /// Not owned; null = the defaults. Must outlive the queue pair. Kept separate, since most queue pairs use go-back-N.
  const SelectiveRepeatOptions* selective_repeat = nullptr;

  /// Not owned; null = none. They must outlive the queue pair.
  CongestionControl* congestion_control = nullptr;
  CongestionReceiver* congestion_receiver = nullptr;
  /// One that learns hears of packets with kSelectiveRepeat only, and of marks if the peer's receiver half names them
  /// (CongestionReceiver::name_marked_paths).
  PathSelector* path_selector = nullptr;

  [[nodiscard]] const SelectiveRepeatOptions& selective() const {
    static constexpr SelectiveRepeatOptions kDefaults;
    return selective_repeat == nullptr ? kDefaults : *selective_repeat;
  }
  [[nodiscard]] FlowPolicies policies() const { return {congestion_control, congestion_receiver, path_selector}; }
  [[nodiscard]] bool has_policies() const {
    return congestion_control != nullptr || congestion_receiver != nullptr || path_selector != nullptr;
  }
};

}  // namespace weft::transport
