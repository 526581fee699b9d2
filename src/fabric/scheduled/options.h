// What a scheduled Ethernet fabric is like: leaves with virtual output queues, spines that pass cells on. Plain values.
#pragma once

#include <cstdint>
#include <optional>

#include "base/data_size.h"
#include "base/probability.h"
#include "base/time.h"
#include "fabric/core/options.h"
#include "fabric/ethernet/options.h"

namespace weft::fabric {

struct ScheduledSwitchOptions {
  Forwarding forwarding = Forwarding::kStoreAndForward;  // the only one: a packet is cut when it is whole
  Duration latency;                                      // of the pipeline
  Bytes buffer = Bytes(std::int64_t{1} << 30);           // of a leaf, for all its virtual output queues; at most 4 GB
  PathPolicy path = PathPolicy::kSpray;
  BalancingOptions balancing{};
  std::optional<std::uint64_t> hash_seed{};
};

/// How packets cross the fabric.
struct CellOptions {
  Bytes size = Bytes(256);   // largest, on the wire
  Bytes header = Bytes(16);  // of that; less than the size
};

/// Of the scheduler of an egress port.
struct CreditOptionsOfPort {
  Bytes size = Bytes(8192);                                                            // of a credit
  Probability excess = Probability::from_ratio({.numerator = 2, .denominator = 100});  // faster than the line
  Bytes egress_buffer = Bytes(256 * 1024);  // granted and not yet sent to the host, at most; a credit or more
  Duration latency;                         // from a request's arrival until it is scheduled
};

/// Ports as those of Ethernet: priorities with PFC, ECN and weights are obeyed where hosts are attached; watchdog,
/// trimming, LLR and credits of the link are not for this discipline.
struct ScheduledOptions : FabricOptions<ScheduledSwitchOptions, EthernetPortOptions> {
  CellOptions cell{};
  CreditOptionsOfPort credit{};
  Duration reassembly_timeout = Duration::microseconds(100);  // of a packet whose cells are not complete
  Bytes frame_gap = Bytes(wire::kEthernetGapBytes);
};

}  // namespace weft::fabric
