// The records of an InfiniBand switch and of one port of a device: its wire, output lanes, counters.
#pragma once

#include <cstdint>

#include "fabric/core/switch_core.h"
#include "fabric/flow_control/credits.h"
#include "fabric/infiniband/options.h"
#include "fabric/port_link.h"

namespace weft::fabric {

/// The port has an output stage, which holds one packet that waits only for the wire.
inline constexpr PortFlag kHasStage = kFirstOwnFlag;
/// The wire is idle, packets wait, and no lane has credits (PortXmitWait).
inline constexpr PortFlag kHasXmitWait = kSecondOwnFlag;
/// Of a switch that has multicast tables: what comes in here may be for a group.
inline constexpr PortFlag kTakesMulticast = kThirdOwnFlag;

/// `queued`: lanes where packets wait (switches); `blocked`: lanes whose credits do not admit the largest packet
/// (endpoints), or all while the link is down.
struct InfiniBandTransmission : PortTransmission {
  std::uint16_t stalled = 0;           // bit l: lane l is stalled for lack of credits
  std::uint16_t low_credit_lanes = 0;  // bit l: lane l of an endpoint may be out of credits
  Time begun_at;                       // the packet that was started last begins
};

/// Its own part is what only a port has where something waits or went wrong.
struct InfiniBandPort : PortLink<InfiniBandTransmission> {
  std::uint64_t credits_sent = 0;  // flow control packets
  std::uint64_t credits_received = 0;
  std::uint16_t profile = 0;           // in the fabric's table of InfiniBandPortOptions
  Time wanted_at = Time::never();      // an endpoint asked for the wire
  Time waiting_since = Time::never();  // it is held up
  Duration waited;                     // closed times of that: PortXmitWait
  std::uint64_t receive_errors = 0;    // damaged packets: PortRcvErrors
  std::uint64_t symbol_errors = 0;     // damaged flow control packets
  std::uint64_t discards = 0;          // packets for this egress port that were discarded: PortXmitDiscards
  std::uint64_t relay_errors = 0;      // of what came in here, that had no entry: PortRcvSwitchRelayErrors
  VlArbiter arbiter;

  [[nodiscard]] bool waits_for_credits() const { return (stalled | blocked) != 0; }
  /// Each credit update is an event; other ports process updates when they need credits.
  [[nodiscard]] bool needs_credit_events() const {
    return waits_for_credits() || (flags & (kHasErrors | kTapped)) != 0;
  }
};
static_assert(sizeof(InfiniBandPort) == 320);

/// Whether the egress port of a packet may be looked up before it arrives: where nothing changes that choice meanwhile.
enum class LookAhead : std::uint8_t {
  kNever,   // packets may be for groups
  kOneHop,  // if there is one next hop alone
  kAlways,  // a table or a hash chooses
};

/// One cache line, for every packet that is forwarded looks at it.
struct alignas(64) InfiniBandSwitch : SwitchCore {
  static constexpr std::uint16_t kMixedProfiles = 0xFFFF;

  bool expires = false;  // has a head-of-queue lifetime
  LookAhead look_ahead = LookAhead::kAlways;
  std::uint16_t map = kMixedProfiles;  // profile whose SL-to-VL table all ports share
  Duration lifetime;
};
static_assert(sizeof(InfiniBandSwitch) == 64);

struct InfiniBandParts {
  using Options = InfiniBandOptions;
  using Port = InfiniBandPort;
  using Switch = InfiniBandSwitch;
  /// The LRH says the egress port of a packet, its length and its service level.
  //= ibta-1.7 7.7
  static constexpr std::uint16_t kCutThroughBytes = 8;
  static constexpr PortFlags kSlowArrival = kTakesMulticast;
};

/// One lane of an output port, while packets wait for it.
struct OutputLane {
  std::uint32_t bytes = 0;  // of frames that wait
  std::uint32_t peak_bytes = 0;
  std::uint64_t marked = 0;  // packets marked FECN
  Time stalled_since = Time::never();
  Time last_stall_end = Time::from_picoseconds(-1);
  Duration stalled_total;  // closed stalls
  Fecn marker;
};

/// Counters of a port as a switch has them; data in units of 4 bytes.
//= ibta-1.7 16.1.3
struct InfiniBandCounters {
  std::uint64_t xmit_data = 0;
  std::uint64_t xmit_packets = 0;
  Duration xmit_wait;  // with something to send and no credits for any of it
  std::uint64_t xmit_discards = 0;
  std::uint64_t relay_errors = 0;
  std::uint64_t receive_errors = 0;
  std::uint64_t symbol_errors = 0;
  std::uint64_t marked = 0;
  std::uint64_t credits_sent = 0;  // flow control packets: in none of the other figures
  std::uint64_t credits_received = 0;
};

}  // namespace weft::fabric
