// What the distributed control plane of an Ethernet is like. Plain values; a scenario fills them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/time.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// Which switches share an AS number.
enum class AsNumbering : std::uint8_t {
  kSwitch,  // none
  kClos,    // those of one tier that the tiers below join: all of the top, those of a pod, no two leaves (RFC 7938)
};

/// How a switch that will be taken down, or an end of such a link, says so.
enum class DrainMethod : std::uint8_t {
  kCommunity,  // GRACEFUL_SHUTDOWN (RFC 8326)
  kPrepend,    // its own AS number three times more
};

/// What one write to the forwarding table changes.
enum class FibUnit : std::uint8_t {
  kPrefix,  // the entry of one prefix
  kGroup,   // all prefixes that leave one group of next hops for another
};

/// Two cables between switches of which each is plugged, by its second end (Link::b), where the plan has the other's.
struct CableSwap {
  LinkIndex first;
  LinkIndex second;
};

/// Whether the world begins with sessions and routes as after a long quiet time, or with nothing.
enum class ControlStart : std::uint8_t { kConverged, kCold };

struct ControlOptions {
  AsNumbering as_numbering = AsNumbering::kClos;
  ControlStart start = ControlStart::kConverged;
  Duration hold_time = Duration::seconds(9);
  Duration connect_retry = Duration::seconds(10);
  Duration mrai;
  Duration processing_time = Duration::microseconds(100);  // of the switch's CPU, for each prefix of an UPDATE
  bool has_signal = true;                                  // loss of signal ends sessions
  Duration signal_delay = Duration::milliseconds(1);       // from the failure of a link, or its return, until BGP knows
  bool has_bfd = false;
  Duration bfd_interval = Duration::milliseconds(300);
  std::uint8_t bfd_multiplier = 3;
  FibUnit fib_unit = FibUnit::kPrefix;
  Duration fib_time = Duration::microseconds(50);
  bool local_repair = true;
  Duration drain_lead;  // before a link fails by plan, its ends say so; zero: it fails unannounced
  DrainMethod drain = DrainMethod::kCommunity;
  bool has_lldp = true;
  Duration lldp_interval = Duration::seconds(30);
  std::uint8_t priority = 7;  // of its frames; a lossy one
  std::vector<CableSwap> swaps{};
};

}  // namespace weft::fabric
