// Flows whose egress port at a switch was set from outside, and what hosts have sent by flow: an exact-match table with
// a limited number of entries, and the counters that a controller reads.
//
// A flow is known by addresses and the hash of its 5-tuple, whatever its priority. Source of the table: Gangidi et al.,
// "RDMA over Ethernet for Distributed AI Training at Meta Scale", SIGCOMM 2024, section 5.2 (exact-match entries that
// override the routes); of the counters: OpenFlow Switch Specification 1.3, section 5.8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/routing/leaf_flow.h"

namespace weft::fabric {

/// The same for all priorities.
[[nodiscard]] inline LeafFlow any_priority(LeafFlow flow) {
  flow.priority = 0;
  return flow;
}

class PinnedFlows {
 public:
  /// Of at most `capacity` flows.
  explicit PinnedFlows(std::uint32_t capacity = 0) : capacity_(capacity) {}

  enum class Outcome : std::uint8_t { kInstalled, kFull };
  /// Replaces what the flow had.
  Outcome install(const LeafFlow& flow, std::uint16_t port) {
    const auto at = ports_.find(any_priority(flow));
    if (at != ports_.end()) {
      at->second = port;
    } else if (ports_.size() >= capacity_) {
      return Outcome::kFull;
    } else {
      ports_.emplace(any_priority(flow), port);
    }
    return Outcome::kInstalled;
  }
  void remove(const LeafFlow& flow) { ports_.erase(any_priority(flow)); }

  [[nodiscard]] std::optional<std::uint16_t> find(const LeafFlow& flow) const {
    const auto at = ports_.find(any_priority(flow));
    return at == ports_.end() ? std::nullopt : std::optional(at->second);
  }
  [[nodiscard]] std::size_t size() const { return ports_.size(); }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t heap_bytes() const { return heap_bytes_of(ports_); }

 private:
  std::uint32_t capacity_;
  LeafFlowTable<std::uint16_t> ports_;
};

/// What a flow has sent.
struct MeteredFlow {
  LeafFlow flow;  // of any priority
  std::uint64_t bytes = 0;

  friend bool operator==(const MeteredFlow&, const MeteredFlow&) = default;
};

class FlowMeter {
 public:
  /// Whether it is the first since the last take().
  bool add(const LeafFlow& flow, std::uint32_t bytes) {
    const bool first = bytes_.empty();
    bytes_[any_priority(flow)] += bytes;
    return first;
  }
  /// In the order of flows; all counters begin anew.
  [[nodiscard]] std::vector<MeteredFlow> take() {
    std::vector<MeteredFlow> taken;
    for (const auto& [flow, bytes] : bytes_) {
      taken.push_back({.flow = flow, .bytes = bytes});
    }
    std::ranges::sort(taken, {}, &MeteredFlow::flow);
    bytes_.clear();
    return taken;
  }
  [[nodiscard]] std::size_t heap_bytes() const { return heap_bytes_of(bytes_); }

 private:
  LeafFlowTable<std::uint64_t> bytes_;
};

}  // namespace weft::fabric
