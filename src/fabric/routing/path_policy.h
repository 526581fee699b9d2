// How a switch chooses among equally good next hops.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/data_size.h"
#include "base/time.h"
#include "fabric/hash/member_choice.h"
#include "fabric/routing/conga.h"
#include "fabric/routing/conweave.h"
#include "fabric/routing/drill.h"
#include "fabric/routing/port_weights.h"

namespace weft::fabric {

enum class PathPolicy : std::uint8_t {
  kEcmp,      // by the hash of the flow: one path per flow
  kSpray,     // per packet, at random
  kAdaptive,  // per packet, one of the ports with the least queued, at random
  kTable,     // the one port that the forwarding table names (InfiniBand's LFT)
  kDrill,     // per packet, the least loaded of some at random and of those remembered
  kConga,     // per flowlet, by the congestion of whole paths, at leaves of two tiers (Ethernet)
  kConWeave,  // per flow, away from paths that have become slow; the last leaf restores the order (Ethernet)
  kPinned,    // by the destination's place below its leaf, whatever the flow: path pinning (Ethernet)
  kCentral,   // by entries that a controller installs for flows, the others by their hash (Ethernet)
};

/// Congestion notifications between switches: a switch whose egress port holds much tells the neighbour that the packet
/// came from, and that one avoids the port for the destination's leaf.
struct NotificationOptions {
  Bytes threshold{};  // of the bytes that wait for the egress port
  /// How long the neighbour avoids the port; unset: as long as the threshold takes at the port's rate. What is held
  /// back for much longer than it takes to drain was held back in vain.
  std::optional<Duration> hold{};
  /// At least between two of them for one neighbour and leaf; unset: a quarter of the hold.
  std::optional<Duration> interval{};
};

/// Paths of a dragonfly over an intermediate group (non_minimal.h).
enum class DetourRule : std::uint8_t {
  kValiant,  // always, if the destination is in another group
  kUgal,     // where queues say so
};
struct DetourOptions {
  DetourRule rule = DetourRule::kValiant;
  Bytes threshold{};  // kUgal: of bytes times hops by which the direct way may be worse
};

/// Queues in which a leaf holds what came too early for its hosts until the order is restored.
struct LeafReorderOptions {
  std::uint32_t queues = 32;      // flows at a time, for each port to a host; above 0
  std::optional<Bytes> buffer{};  // of all of them, for each port; unset: what the switch's buffer has
  Duration wait = 100_us;         // for packets that are missing; ConWeave has its own rule
};

/// What refines a PathPolicy. The defaults refine nothing.
struct BalancingOptions {
  /// kAdaptive: bounds between the grades of depth, ascending. A port of at least bound i and less than bound i + 1 has
  /// grade i + 1; all ports of the best grade are equal. Empty: the depth to the byte decides, an idle port before one
  /// that sends.
  std::vector<Bytes> grades{};
  /// kSpray, kAdaptive, kDrill: packets without wire::kUnordered stay on the path of their flow.
  bool unordered_only = false;
  /// The same policies on InfiniBand: packets of service levels without a bit here go by the forwarding table.
  static constexpr std::uint16_t kAllLevels = 0xFFFF;
  std::uint16_t service_levels = kAllLevels;
  /// kSpray, kAdaptive, kConga (which needs it): a flow keeps its port until it has sent nothing for so long. Unset:
  /// each packet chooses. With kSpray it is LetFlow (Vanini et al., "Let It Flow", NSDI 2017).
  std::optional<Duration> flowlet_gap{};
  std::uint32_t flowlet_entries = 16'384;  // of the table of a switch, which flows share by their hash
  /// Not for kTable. All switches that are not kEqual have the same.
  Weighting weighting = Weighting::kEqual;
  /// Of flows that stay on one path; where it is not plain the NICs give packets the hash that it says.
  HashOptions hash{};
  std::optional<NotificationOptions> notifications{};  // kAdaptive
  DrillOptions drill{};                                // kDrill
  CongaOptions conga{};                                // kConga
  ConWeaveOptions conweave{};                          // kConWeave
  std::uint32_t pinned_entries = 4'096;                // kCentral: flows that the table of a switch holds
  /// kAdaptive, in a graph whose switches have groups; all switches have the same. Packets that stay on the path of
  /// their flow take the intermediate group of its hash with kValiant, and none with kUgal. Not with weights.
  std::optional<DetourOptions> detours{};
  /// Ethernet: the last leaf restores the order of each flow before the host, whatever chose the paths. kConWeave needs
  /// it.
  std::optional<LeafReorderOptions> reorder{};
};

}  // namespace weft::fabric
