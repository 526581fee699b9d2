// What an Ethernet switch and its ports are like. Plain values; the catalogue and the scenario fill them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"
#include "fabric/control/control_options.h"
#include "fabric/core/options.h"
#include "fabric/forwarding.h"
#include "fabric/marking/red.h"
#include "fabric/routing/path_policy.h"
#include "wire/encapsulation.h"

namespace weft::fabric {

inline constexpr std::uint32_t kPriorities = 8;
/// A control ordered set: one block of the line code.
inline constexpr std::uint32_t kOrderedSetBytes = 8;

/// CBFC of one priority, a virtual channel then.
struct CreditOptions {
  std::optional<Bytes> buffer{};  // unset: credit_buffer() for the cable
};

/// Beside PriorityOptions, of a port.
struct CreditLinkOptions {
  Bytes unit = Bytes(64);  // of a credit, 32 to 2048
  Duration resync =
      Duration::microseconds(10);  // with credits outstanding, a CC_Update so often, where links have errors
};

/// LLR of a link; both ends have it, or it is off.
struct RetryOptions {
  Duration latency{};             // that it adds to whatever this port sends
  std::optional<Bytes> buffer{};  // of frames that may have to be sent again; unset: retry_buffer() for the cable
  Bytes spacing = Bytes(2048);    // while frames leave, one control ordered set after so many bytes
  Duration replay_timer = Duration::microseconds(10);  // from the end of a frame that nobody acknowledges
  std::uint32_t replays = 1;                           // from the same frame, before the port gives up
};

/// One of the eight priorities of a port. Ingress and egress sides of a port share it.
struct PriorityOptions {
  bool lossless = false;                 // PFC protects it; otherwise a full buffer drops
  std::int8_t ingress_alpha_shift = 0;   // a group may hold 2^shift times what is left of the shared buffer
  std::int8_t egress_alpha_shift = 0;    // the same for the egress queue; lossy priorities only
  std::optional<Bytes> ingress_limit{};  // a fixed limit in place of the dynamic threshold
  Bytes reserve{};                       // of its own for each ingress group, before the shared buffer
  std::optional<Bytes> headroom{};       // lossless only; unset: headroom_bytes() for the cable
  Bytes xon_offset{};                    // resume that far below the threshold
  std::optional<RedOptions> ecn{};
  std::uint16_t dwrr_weight = 0;  // 0: strict priority, above all weighted ones; higher priorities first
  /// A fixed limit of the egress queue, with the newcomer and with what is on the wire, in place of the shared buffer;
  /// lossy priorities only.
  std::optional<Bytes> egress_limit{};
  /// CBFC in place of PFC: what a port has to receive the priority, all of it credits; both ends of a cable or neither.
  std::optional<CreditOptions> credits{};
};

/// When a packet is marked, and of what queue (docs/decisions/0011 and 0039).
enum class EcnDecision : std::uint8_t {
  kStart,  // as it begins to leave: of the queue with the packet itself
  kEnd,    // when its last byte has left: of what waits then
};

/// Packet trimming at an egress port: a packet that finds no room goes on without its payload.
struct TrimmingOptions {
  /// Who loses the payload: the packet that comes, or by a coin that one or the last of the queue, where the queue has
  /// a limit of its own and the last is no smaller.
  enum class Victim : std::uint8_t { kNewcomer, kCoin };
  Bytes size = Bytes(64);      // of the frame that is left, FCS included
  std::uint8_t priority = 6;   // its class from here on; one without credits
  std::uint8_t dscp = 0;       // its mark
  std::uint8_t last_dscp = 0;  // the same where the port leads to an endpoint
  Victim victim = Victim::kNewcomer;
};

/// What the port does when a priority stays paused.
struct PfcWatchdogOptions {
  enum class Action : std::uint8_t { kDrop, kForward };
  Duration detect;   // zero: no watchdog
  Duration restore;  // without a pause for that long
  Action action = Action::kDrop;
};

struct EthernetPortOptions {
  std::array<PriorityOptions, kPriorities> priorities{};
  PfcWatchdogOptions watchdog;
  std::uint16_t pause_quanta = 0xFFFF;
  Duration pause_response;             // of this port: from the end of a pause frame to its effect
  Bytes mtu_frame = Bytes(4096 + 62);  // the largest frame, for headroom
  EcnDecision ecn_decision = EcnDecision::kStart;
  std::optional<TrimmingOptions> trimming;
  std::optional<RetryOptions> retry;
  CreditLinkOptions credit_link;
};

struct EthernetSwitchOptions {
  Forwarding forwarding = Forwarding::kStoreAndForward;
  Duration latency;  // of the pipeline, from the wire to the buffer
  Bytes buffer = Bytes(16 * 1024 * 1024);
  PathPolicy path = PathPolicy::kEcmp;
  BalancingOptions balancing{};
  std::optional<std::uint64_t> hash_seed;  // unset: f(seed, name); the same everywhere polarises
};

struct EthernetOptions : FabricOptions<EthernetSwitchOptions, EthernetPortOptions> {
  Duration deadlock_check;                           // every so often while pauses last; zero: never
  bool telemetry = false;                            // packets with telemetry are to be written to
  Bytes frame_gap = Bytes(wire::kEthernetGapBytes);  // preamble and gap of each frame on the wire
  std::uint8_t control_priority = 6;                 // of what leaves tell each other in packets (ConWeave)
  /// Switches decide for themselves, and routes follow from that alone; `route_updates` is kNone then.
  std::optional<ControlOptions> control;
};

/// Parts of the headroom of one lossless group.
struct HeadroomTerms {
  Rate rate;
  Duration propagation;  // one way
  Duration pipeline;     // from the wire to the buffer: what is in it comes after the pause was decided
  Duration response;     // of the peer to a pause
  Bytes peer_frame;      // that the peer has just begun
  Bytes local_frame;     // that has just begun and keeps the pause from the wire
  Bytes replay{};        // of frames that LLR may bring beside all of that
};

/// What can still arrive after a pause was decided: everything on the way there and back, one frame at either end, and
/// the pause frame itself. Rounded up.
[[nodiscard]] Bytes headroom_bytes(const HeadroomTerms& terms);

/// A cable as the rules below see it.
struct LoopTerms {
  Rate rate;
  Duration one_way;  // propagation, and what LLR adds to it
  Duration pipeline;
  Bytes frame;    // the largest
  Bytes spacing;  // of ordered sets
};

/// From the end of a frame until its acknowledgement has come. That waits for a target spacing, or for the largest
/// frame where that is longer.
[[nodiscard]] Duration acknowledged_after(const LoopTerms& terms);
/// A replay buffer that never keeps a wire without errors waiting.
[[nodiscard]] Bytes retry_buffer(const LoopTerms& terms);
/// What the credits of a link must cover.
[[nodiscard]] Bytes credit_loop(const LoopTerms& terms);
/// A buffer whose credits cover the loop of the link: full rate, with a sixteenth of it unsaid.
[[nodiscard]] Bytes credit_buffer(const LoopTerms& terms);
/// Freed since the last CF_Update before the next is due, of a buffer of so many credits: what it has beside the loop
/// of the link, at least a sixteenth and at most a quarter, and never so much that the largest frame could be stuck.
struct CreditShares {
  std::uint32_t buffer = 0;
  std::uint32_t largest_frame = 0;
  std::uint32_t loop = 0;  // that must be covered
};
[[nodiscard]] std::uint32_t credit_threshold(const CreditShares& shares);

}  // namespace weft::fabric
