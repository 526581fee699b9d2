// What a run says of its scale-up domains: rows of a results file, as plain values. docs/results.md explains each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::study::results {

/// All links of one kind that begin at hosts or GPUs. Bytes are those on the links, headers included.
struct TierRow {
  std::string name{};     // "scale-up", "scale-out"
  Bytes sent{};           // by all ports
  std::string busiest{};  // port; empty: nobody sent
  Duration wire_time{};   // of that port, sending
  Duration stalled{};     // all ports together: something to send, and no credits or a pause

  friend bool operator==(const TierRow&, const TierRow&) = default;
};

/// Loads from, or stores to, the memory of others. The same through host memory would take two copies for each message.
struct MemoryAccessRow {
  std::string memory{};     // whose: "peer", "pool"
  std::string operation{};  // "load", "store", "send"
  std::uint64_t messages = 0;
  Bytes bytes{};
  Bytes smallest{};    // message
  Duration fastest{};  // message of that size, from its posting to its completion
  Rate best_flow{};    // payload of the flow that got most, from its first posting to its last completion

  [[nodiscard]] std::uint64_t copies_avoided() const { return operation == "send" ? 0 : 2 * messages; }

  friend bool operator==(const MemoryAccessRow&, const MemoryAccessRow&) = default;
};

struct ScaleUpRow {
  std::uint32_t domains = 0;
  std::uint32_t gpus = 0;   // of all domains
  std::uint32_t pools = 0;  // likewise
  Bytes gpu_memory{};       // of each GPU; zero: not said
  Bytes pool_capacity{};    // of each pool
  Rate gpu_memory_rate{};   // of each GPU; zero: not said
  std::vector<MemoryAccessRow> accesses{};

  [[nodiscard]] Bytes capacity_gained() const { return pool_capacity * std::int64_t{pools}; }
  /// Of what the GPUs have themselves; zero if that is not said.
  [[nodiscard]] double share_gained() const {
    const Bytes own = gpu_memory * std::int64_t{gpus};
    return own > Bytes::zero() ? static_cast<double>(capacity_gained().count()) / static_cast<double>(own.count()) : 0;
  }

  friend bool operator==(const ScaleUpRow&, const ScaleUpRow&) = default;
};

}  // namespace weft::study::results
