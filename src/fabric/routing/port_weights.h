// In what proportion a switch should use next hops that are not equal: by how much capacity lies behind each, or by
// their own links alone.
//
// The capacity of a switch towards a leaf is the sum over its next hops, each being the smaller of its own rate and
// what the switch behind it has towards that leaf (as weighted-cost multipathing computes it: Zhou et al., "WCMP",
// EuroSys 2014). Known from topology and routes, as a control plane knows it; queues play no part. Sets whose hops are
// all equal are not stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/rate.h"
#include "fabric/routing/ecmp_hash.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// By what ports are chosen in proportion.
enum class Weighting : std::uint8_t {
  kEqual,
  kCapacity,  // behind them: what their link and all links on shortest paths behind it carry
  kLinkRate,  // of their own link
  kGiven,     // FabricOptions::link_weight
};

class PortWeights {
 public:
  /// The rate of a switch's port now.
  struct PortOf {
    std::uint32_t switch_ordinal = 0;
    std::uint16_t port = 0;
  };
  using RateOf = std::function<Rate(const PortOf&)>;
  enum class Reach : std::uint8_t { kPaths, kOwnLink };

  /// No weights: all hops are equal.
  PortWeights() = default;
  PortWeights(const Graph& graph, const Routes& routes, const RateOf& rate_of, Reach reach = Reach::kPaths);

  [[nodiscard]] bool empty() const { return first_.empty(); }
  /// Null if all are equal; else one weight, above zero, for each hop of routes.next_hops(switch_ordinal, an endpoint
  /// of the leaf).
  [[nodiscard]] const std::uint32_t* of(std::uint32_t switch_ordinal, std::uint32_t leaf) const {
    if (first_.empty() || leaf >= leaves_) {
      return nullptr;
    }
    const std::uint32_t first = first_[std::size_t{switch_ordinal} * leaves_ + leaf];
    return first == kEqual ? nullptr : weights_.data() + first;
  }
  [[nodiscard]] std::size_t heap_bytes() const {
    return (first_.capacity() + weights_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kEqual = 0xFFFFFFFF;

  std::uint32_t leaves_ = 0;          // switches, since any may be a leaf
  std::vector<std::uint32_t> first_;  // per switch and leaf, into weights_
  std::vector<std::uint32_t> weights_;
};

/// What ports are weighed by.
struct WeightSources {
  PortWeights::RateOf rate_of{};                                   // of kCapacity, kLinkRate
  std::function<LinkIndex(const PortWeights::PortOf&)> link_of{};  // of kGiven
  const std::vector<std::uint32_t>& given;                         // per link, above 0; empty: all are equal
};
[[nodiscard]] PortWeights weigh_ports(Weighting weighting, const Graph& graph, const Routes& routes,
                                      const WeightSources& sources);

/// The index of one of `count` hops, with a probability in proportion to its weight; null: all are equal.
[[nodiscard]] inline std::uint32_t pick_weighted(const std::uint32_t* weights, std::uint32_t count,
                                                 std::uint32_t hash) {
  if (weights == nullptr) {
    return pick(hash, count);
  }
  std::uint32_t total = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    total += weights[i];
  }
  std::uint32_t at = pick(hash, total);
  std::uint32_t i = 0;
  while (at >= weights[i]) {
    at -= weights[i++];
  }
  return i;
}

}  // namespace weft::fabric
