// What an InfiniBand switch's linear forwarding table says: one port per destination, by fat-tree routing (D-mod-K).
//
// The ports of a next-hop set are taken in turn by the destination's position, its place among all endpoints in the
// order of leaves and their ports. A switch divides the position by its stride first: the product, over the tiers
// below, of the number of switches above each. All paths to a destination then go down through one core, destinations
// spread evenly over upward ports, and in a full tree no two flows of a shift permutation share a link. Parallel cables
// count as GraphBuilder orders them. Nothing is stored per switch and destination. With a LID mask control (LMC) above
// 0 each end port has several LIDs, and the one that is `offset` above its base goes as if the port stood so many
// positions further: to another core for each, as long as there are cores. Source: Zahavi, "D-Mod-K routing providing
// non-blocking traffic for shift permutations on real life fat trees", 2010. Graphs without tiers are served too,
// without that promise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/ids.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// Division by a number that is known beforehand, as a multiplication: exact for dividends and divisors up to 2^21.
class SmallDivider {
 public:
  static constexpr std::uint32_t kLimit = 1U << 21;

  constexpr SmallDivider() : SmallDivider(1) {}
  explicit constexpr SmallDivider(std::uint32_t divisor) : multiplier_((std::uint64_t{1} << kShift) / divisor + 1) {
    WEFT_DCHECK(divisor > 0 && divisor <= kLimit);
  }

  [[nodiscard]] constexpr std::uint32_t quotient(std::uint32_t dividend) const {
    WEFT_DCHECK(dividend < kLimit);
    return static_cast<std::uint32_t>(dividend * multiplier_ >> kShift);
  }

 private:
  // The error of the multiplier, at most 1 / 2^42 per unit, stays below 1 / divisor for a dividend below 2^21.
  static constexpr int kShift = 42;
  std::uint64_t multiplier_;
};

class ForwardingTable {
 public:
  /// LIDs of an end port, as offsets from its base LID, are below this.
  static constexpr std::uint32_t kLids = 128;

  /// Keeps nothing of `graph`. Positions must stay below 2^21 - kLids: leaves times the endpoints of the fullest.
  explicit ForwardingTable(const Graph& graph);

  struct Target {
    EndpointId destination{};
    std::uint32_t offset = 0;  // of the LID, below kLids
  };
  /// Takes one of `hops`, which are Routes::next_hops(switch_ordinal, target.destination) and not empty.
  [[nodiscard]] std::uint16_t choose(std::uint32_t switch_ordinal, const Target& target, const NextHops& hops) const {
    if (hops.size() == 1) {
      return hops[0];
    }
    WEFT_DCHECK(!hops.empty() && hops.size() < counts_.size());
    WEFT_DCHECK(target.offset < kLids);
    const std::uint32_t turn =
        strides_[switch_ordinal].quotient(positions_[target.destination.value()] + target.offset);
    return hops[turn - counts_[hops.size()].quotient(turn) * hops.size()];
  }

  /// Of an endpoint; what a shift permutation shifts by.
  [[nodiscard]] std::uint32_t position(EndpointId endpoint) const { return positions_[endpoint.value()]; }

  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  void place_endpoints(const Graph& graph);
  void find_strides(const Graph& graph);

  std::vector<std::uint32_t> positions_;
  std::vector<SmallDivider> strides_;  // per switch
  std::vector<SmallDivider> counts_;   // by the size of a next-hop set
};

}  // namespace weft::fabric
