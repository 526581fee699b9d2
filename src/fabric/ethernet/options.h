// What an Ethernet switch and its ports are like. Plain values; the catalogue and the scenario fill them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"
#include "fabric/core/options.h"
#include "fabric/forwarding.h"
#include "fabric/marking/red.h"
#include "fabric/routing/path_policy.h"

namespace weft::fabric {

inline constexpr std::uint32_t kPriorities = 8;

/// One of the eight priorities of a port. Ingress and egress sides of a port share it.
struct PriorityOptions {
  bool lossless = false;                // PFC protects it; otherwise a full buffer drops
  std::int8_t ingress_alpha_shift = 0;  // a group may hold 2^shift times what is left of the shared buffer
  std::int8_t egress_alpha_shift = 0;   // the same for the egress queue; lossy priorities only
  std::optional<Bytes> ingress_limit;   // a fixed limit in place of the dynamic threshold
  Bytes reserve;                        // of its own for each ingress group, before the shared buffer
  std::optional<Bytes> headroom;        // lossless only; unset: headroom_bytes() for the cable
  Bytes xon_offset;                     // resume that far below the threshold
  std::optional<RedOptions> ecn;
  std::uint16_t dwrr_weight = 0;  // 0: strict priority, above all weighted ones; higher priorities first
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
  Duration deadlock_check;  // every so often while pauses last; zero: never
  bool telemetry = false;   // packets with telemetry are to be written to
};

/// Parts of the headroom of one lossless group.
struct HeadroomTerms {
  Rate rate;
  Duration propagation;  // one way
  Duration pipeline;     // from the wire to the buffer: what is in it comes after the pause was decided
  Duration response;     // of the peer to a pause
  Bytes peer_frame;      // that the peer has just begun
  Bytes local_frame;     // that has just begun and keeps the pause from the wire
};

/// What can still arrive after a pause was decided: everything on the way there and back, one frame at either end, and
/// the pause frame itself. Rounded up.
[[nodiscard]] Bytes headroom_bytes(const HeadroomTerms& terms);

}  // namespace weft::fabric
