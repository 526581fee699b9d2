// What an InfiniBand switch, its ports and its links are like. Plain values; the catalogue and the scenario fill them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/time.h"
#include "fabric/core/options.h"
#include "fabric/forwarding.h"
#include "fabric/infiniband/vl_arbiter.h"
#include "fabric/marking/fecn.h"
#include "fabric/routing/linear_tables.h"
#include "fabric/routing/multicast_tables.h"
#include "fabric/routing/path_policy.h"
#include "fabric/routing/table_schedule.h"

namespace weft::fabric {

inline constexpr std::uint32_t kServiceLevels = 16;
inline constexpr std::uint32_t kMaxDataLanes = 15;  // VL0 to VL14; VL15 belongs to management
/// In an SL-to-VL table: packets of that service level are discarded.
//= ibta-1.7 7.6.6
inline constexpr std::uint8_t kDropLane = 15;

/// One port of a switch or an endpoint.
struct InfiniBandPortOptions {
  /// The lane of each service level on the wire that begins here.
  std::array<std::uint8_t, kServiceLevels> sl_to_vl{};
  /// Receive buffer of each lane, in blocks of 64 bytes; all that one lane can advertise.
  std::array<std::uint16_t, kMaxDataLanes> buffer_blocks{2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048,
                                                         2048, 2048, 2048, 2048, 2048, 2048, 2048};
  /// Empty tables: all lanes in the low table with the same weight. One data lane needs none.
  VlArbitration arbitration;
  std::optional<FecnOptions> fecn;
  /// LRH to VCRC: the payload of the largest MTU and all headers.
  //= ibta-1.7 7.7
  Bytes largest_frame = Bytes(4096 + 126);
  /// A credit update is sent when this part of the lane's buffer is free and unadvertised, or earlier where the round
  /// trip of the link needs more of the buffer (docs/decisions/0012).
  std::uint16_t credit_divisor = 4;
};

struct InfiniBandSwitchOptions {
  Forwarding forwarding = Forwarding::kCutThrough;
  Duration latency;                 // of the pipeline: from the bytes that decide to the wire that goes on
  Duration head_of_queue_lifetime;  // zero: infinite
  PathPolicy path = PathPolicy::kTable;
  BalancingOptions balancing{};
  std::optional<std::uint64_t> hash_seed;  // unset: f(seed, name); the same everywhere polarises
};

struct InfiniBandOptions : FabricOptions<InfiniBandSwitchOptions, InfiniBandPortOptions> {
  /// 0 to 7: each end port has 2^this LIDs, and a path for each in the forwarding tables. Which of them a packet goes
  /// to is in the low bits of its entropy.
  //= ibta-1.7 4.1.1
  std::uint8_t lid_mask_control = 0;
  std::uint8_t data_lanes = 1;  // 1 to 15
  /// Of a subnet manager, in place of the rule of ForwardingTable; all switches then have PathPolicy::kTable. Of the
  /// same LID mask control; empty: none.
  LinearTables tables;
  PathLevels levels;  // that it tells senders; empty: none
  /// Of groups; empty: no packet is for one. Not with sets of lanes.
  MulticastTables multicast;
  /// What becomes of tables and levels when links fail and return: at times when routes learn of `events`. Empty: they
  /// stay.
  TableSchedule sweeps;
  /// The data lanes are so many sets of equal size, and service levels name lanes of the first. Switches move packets
  /// to the same lane of another set as LanePhases says; what would need a further set is discarded. 1: no sets.
  std::uint8_t lane_phases = 1;
  /// Interval between repeated credit updates on links with errors; unset: 65,536 symbol times of the link.
  std::optional<Duration> credit_repetition;
};

}  // namespace weft::fabric
