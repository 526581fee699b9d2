// What an Ethernet link has beyond PFC: link layer retry (LLR) and credits (CBFC), as the two ends keep them.
//
// Both talk by control ordered sets of eight bytes between frames (docs/decisions/0039). Of a link with LLR the
// sender's record stands for both ends: whether a frame will arrive damaged is drawn as it begins, so a link without
// errors has no more events than one without LLR.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/ring.h"
#include "base/time.h"
#include "fabric/bit_errors.h"
#include "fabric/ethernet/options.h"
#include "fabric/ethernet/pause_content.h"
#include "fabric/flow_control/held_arrivals.h"
#include "fabric/flow_control/link_credits.h"
#include "fabric/packet_pool.h"

namespace weft::fabric {

/// A frame as the sender's replay buffer holds it.
struct RetryFrame {
  PacketHandle packet;
  std::uint32_t frame_bytes = 0;
};

/// LLR of the wire that begins at a port.
struct RetryLink {
  enum class State : std::uint8_t {
    kOff,
    kAdvance,  // what is sent arrives
    kWaiting,  // a frame was damaged: nothing behind it is taken, until the sender hears of it
    kReplay,   // sends again, from the damaged frame on
    kFlush,    // gave up; the two ends agree anew
  };
  struct Unacknowledged {
    Time until;  // its acknowledgement has come
    std::uint32_t bytes = 0;
  };

  State state = State::kOff;
  bool receiver_waits = false;   // it has asked for the first lost frame and got nothing since: it does not ask again
  std::uint32_t damage = 0;      // number of the latest request
  std::uint32_t sent_again = 0;  // of `lost`: how many from the front are on the wire or past it
  std::uint32_t replays = 0;     // from the same frame, one after the other
  std::uint64_t lost_bytes = 0;  // of frames in `lost`
  std::uint64_t unacknowledged_bytes = 0;
  Time deadline = Time::never();        // replay timer, or end of a flush
  Ring<RetryFrame> lost;                // oldest first
  Ring<Unacknowledged> unacknowledged;  // only where the buffer can be too small
  bool counts_buffer = false;
  std::uint64_t buffer = 0;
  Duration acknowledged_after;        // the end of a frame, where it arrives undamaged
  std::uint32_t since_set = 0;        // bytes on the wire since the last ordered set
  std::unique_ptr<BitErrors> errors;  // null: none

  // Counters.
  std::uint64_t replays_begun = 0;
  std::uint64_t frames_replayed = 0;
  std::uint64_t flushed = 0;  // frames

  [[nodiscard]] bool is_on() const { return state != State::kOff; }
  /// Has frames to send that come before all others.
  [[nodiscard]] bool replays_now() const {
    return state == State::kReplay || (state == State::kWaiting && sent_again < lost.size());
  }
};

/// A pause that has arrived and is not obeyed yet.
struct DeferredPause {
  Time at;
  PauseContent content;
};

/// Of one port: the wire that begins here, and credits for the wire that ends here.
struct LinkControl {
  RetryLink retry;
  std::array<CreditGrantee, kPriorities> sends;     // for what leaves here
  std::array<CreditGranter, kPriorities> receives;  // for what arrives here
  std::uint8_t credited_out = 0;                    // bit p: `sends[p]` counts
  std::uint8_t credited_in = 0;
  Time resync_at = Time::never();  // the next CC_Update
  Ring<DeferredPause> pauses;
  std::uint64_t sets_sent = 0;  // credit updates of either kind
  HeldArrivals held_arrivals;   // of an endpoint whose receive side backs up

  [[nodiscard]] bool is_on() const { return retry.is_on() || (credited_in | credited_out) != 0; }
};

/// What a link-level record of kind kFlowControl is, in PacketCommon::hop_scratch.
enum class LinkMessage : std::uint8_t {
  kPause,     // a PFC frame: PauseContent
  kDamage,    // no message: a damaged frame has ended
  kNack,      // LLR_NACK
  kFreed,     // CF_Update
  kConsumed,  // CC_Update
};

/// Contents of the last four.
struct LinkContent {
  std::uint32_t value = 0;
  std::uint8_t priority = 0;

  void store(wire::Packet& packet, LinkMessage kind) const {
    packet.common.kind = wire::PacketKind::kFlowControl;
    packet.common.hop_scratch = static_cast<std::uint8_t>(kind);
    packet.raw = {};
    std::memcpy(packet.raw.data(), this, sizeof(*this));
  }
  [[nodiscard]] static LinkContent load(const wire::Packet& packet) {
    LinkContent content;
    std::memcpy(&content, packet.raw.data(), sizeof(content));
    return content;
  }
};

}  // namespace weft::fabric
