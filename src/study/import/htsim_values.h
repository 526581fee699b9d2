// What htsim_uec derives from its options and its topology: round trip, sizes of queues and windows, marking.
//
// Sizes are counted in packets of the MTU, as there. Source: htsim of the Ultra Ethernet Consortium, 40ccb05.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/data_size.h"
#include "base/time.h"
#include "study/import/htsim_topology.h"

namespace weft::study::import {

/// Whether a switch that has no room cuts packets to their headers or drops them.
enum class HtsimOverflow : std::uint8_t { kTrim, kDrop };

/// Options of the command line; nothing: what the reference derives.
struct HtsimSettings {
  static constexpr Bytes kHeader{64};  // of its packets, and all of an ACK

  Bytes mtu{4150};  // of a packet, header included
  std::optional<std::int64_t> queue_packets{};
  std::int64_t queue_bdp_factor = 0;                                   // 0: 1 with trimming, 5 without
  std::optional<std::pair<std::int64_t, std::int64_t>> ecn_packets{};  // none below, all above
  std::optional<std::int64_t> window_packets{};
  HtsimOverflow overflow = HtsimOverflow::kTrim;
};

struct HtsimValues {
  Duration round_trip{};  // of a packet of the MTU and an ACK over all tiers, idle
  std::int64_t bdp_packets = 0;
  Bytes queue{};
  Bytes ecn_low{};
  Bytes ecn_high{};
  Bytes window{};  // first and largest
  Duration minimum_rto{};
};

/// At the speed of the hosts' links. Errors: a queue that cannot hold the upper bound of marking, bounds in wrong
/// order.
[[nodiscard]] Result<HtsimValues> derive_values(const HtsimTopology& topology, const HtsimSettings& settings);

}  // namespace weft::study::import
