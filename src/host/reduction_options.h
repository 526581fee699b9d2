// What the network's reducers are like, and the connections that an aggregation tree is made of.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "base/time.h"
#include "verbs/group.h"
#include "verbs/queue_pair.h"

namespace weft::host {

/// Sets of verbs::DataType and verbs::ReduceOperation: bit `1 << value`.
inline constexpr std::uint32_t kAllDataTypes = 0xFF;
inline constexpr std::uint32_t kAllReduceOperations = 0x3F;

struct ReductionOptions {
  verbs::ReduceLimits limits{
      .max_size = 16_kib, .data_types = kAllDataTypes, .operations = kAllReduceOperations, .max_members = 65'535};
  std::uint32_t max_children = 0xFFFF;  // of a reducer in one group
  std::uint32_t max_groups = 64;        // of a reducer
  /// Reductions of a group that a reducer has buffers for. A member sends no more until it has had an answer, so a
  /// reducer always has a receive request for what comes.
  std::uint32_t window = 64;
  Duration latency{};  // from the last child's vector to the result

  /// A group that waits for somebody asks the connections whether they live: first after this, then after twice as
  /// long, and so on; after the last of `probes` it gives up.
  Duration probe_interval = Duration::picoseconds(100'000'000'000);
  std::uint32_t probes = 12;

  // Of the connections along the tree; as in verbs::QpAttributes.
  verbs::PathMtu path_mtu = verbs::PathMtu::k4096;
  std::uint8_t service_level = 0;
  std::uint8_t traffic_class = 0;
  std::uint8_t timeout = 14;
  std::uint8_t retry_count = 7;
};

}  // namespace weft::host
