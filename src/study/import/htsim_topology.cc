#include "study/import/htsim_topology.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format_quantity.h"

namespace weft::study::import {
namespace {

/// A whole tree's number of endpoints for a radix.
std::uint64_t nodes_of(std::uint64_t radix, std::uint32_t tiers) {
  return tiers == 3 ? radix * radix * radix / 4 : radix * radix / 2;
}

class GraphWriter {
 public:
  explicit GraphWriter(const HtsimTopology& topology) : topology_(topology) {}

  std::string write() && {
    for (std::uint32_t i = 0; i < topology_.nodes; ++i) {
      line("endpoint host{}/nic0\n", i);
    }
    for (std::uint32_t i = 0; i < topology_.leaves(); ++i) {
      line("switch {} tier=1\n", leaf(i));
    }
    for (std::uint32_t i = 0; i < topology_.pods * topology_.aggs_per_pod; ++i) {
      line("switch {} tier=2\n", agg(i));
    }
    for (std::uint32_t i = 0; i < topology_.cores; ++i) {
      line("switch core{} tier=3\n", i);
    }
    const std::uint32_t per_leaf = topology_.tier[0].radix_down;
    for (std::uint32_t i = 0; i < topology_.nodes; ++i) {
      line("link host{}/nic0 {}{}", i, leaf(i / per_leaf), cable(0));
    }
    for (std::uint32_t i = 0; i < topology_.leaves(); ++i) {
      const std::uint32_t pod = i / topology_.leaves_per_pod;
      for (std::uint32_t above = 0; above < topology_.aggs_per_pod; ++above) {
        for (std::uint32_t b = 0; b < topology_.tier[1].bundle; ++b) {
          line("link {} {}{}", leaf(i), agg(pod * topology_.aggs_per_pod + above), cable(1));
        }
      }
    }
    for (std::uint32_t i = 0; i < (topology_.tiers == 3 ? topology_.pods * topology_.aggs_per_pod : 0); ++i) {
      for (std::uint32_t above = 0; above < topology_.cores_per_agg(); ++above) {
        for (std::uint32_t b = 0; b < topology_.tier[2].bundle; ++b) {
          line("link {} core{}{}", agg(i), i % topology_.aggs_per_pod + topology_.aggs_per_pod * above, cable(2));
        }
      }
    }
    return fmt::to_string(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
  }

  [[nodiscard]] std::string leaf(std::uint32_t i) const {
    return topology_.tiers == 3
               ? fmt::format("pod{}/leaf{}", i / topology_.leaves_per_pod, i % topology_.leaves_per_pod)
               : fmt::format("leaf{}", i);
  }
  [[nodiscard]] std::string agg(std::uint32_t i) const {
    return topology_.tiers == 3 ? fmt::format("pod{}/agg{}", i / topology_.aggs_per_pod, i % topology_.aggs_per_pod)
                                : fmt::format("spine{}", i);
  }
  [[nodiscard]] std::string cable(std::size_t tier) const {
    return fmt::format(" rate={}bps delay={}ps\n", topology_.tier[tier].downlink_speed.bits_per_second(),
                       topology_.tier[tier].downlink_latency.picoseconds());
  }

  const HtsimTopology& topology_;
  fmt::memory_buffer text_;
};

}  // namespace

std::uint32_t HtsimTopology::most_ports() const {
  std::uint32_t most = 0;
  for (const HtsimTier& own : tier) {
    most = std::max(most, own.radix_down + own.radix_up);
  }
  return most;
}

Rate HtsimTopology::fastest() const {
  Rate most;
  for (std::uint32_t i = 0; i < tiers; ++i) {
    most = std::max(most, tier[i].downlink_speed);
  }
  return most;
}

bool HtsimTopology::is_uniform() const {
  const std::uint32_t half = tier[0].radix_down;
  for (std::uint32_t i = 0; i < tiers; ++i) {
    const bool is_top = i + 1 == tiers;
    if (tier[i].bundle != 1 || tier[i].radix_down != (is_top ? 2 * half : half) ||
        (!is_top && tier[i].radix_up != half)) {
      return false;
    }
  }
  return nodes == nodes_of(std::uint64_t{2} * half, tiers);
}

Duration HtsimTopology::diameter_latency() const {
  Duration sum = 2 * tier[0].downlink_latency + 2 * tier[1].downlink_latency + 2 * tier[0].switch_latency;
  sum += tiers == 2 ? tier[1].switch_latency
                    : 2 * tier[1].switch_latency + 2 * tier[2].downlink_latency + tier[2].switch_latency;
  return sum;
}

Result<HtsimTopology> uniform_topology(const HtsimTreeOptions& options) {
  if (options.tiers != 2 && options.tiers != 3) {
    return fail("tiers is {}; a fat-tree has 2 or 3", options.tiers);
  }
  std::uint32_t radix = 2;
  while (nodes_of(radix, options.tiers) < options.nodes) {
    radix += 2;
  }
  if (nodes_of(radix, options.tiers) != options.nodes) {
    const std::uint64_t below = radix > 2 ? nodes_of(radix - 2, options.tiers) : 0;
    return fail(
        "{} nodes are no whole fat-tree of {} tiers, which has K^{} for an even radix K: {}{}; give the "
        "topology in a file",
        options.nodes, options.tiers, options.tiers == 3 ? "3/4" : "2/2",
        below == 0 ? "" : fmt::format("{} or ", below), nodes_of(radix, options.tiers));
  }
  const std::uint32_t half = radix / 2;
  HtsimTopology topology{.nodes = options.nodes,
                         .tiers = options.tiers,
                         .pods = options.tiers == 3 ? radix : 1,
                         .leaves_per_pod = options.tiers == 3 ? half : radix,
                         .aggs_per_pod = half,
                         .cores = options.tiers == 3 ? half * half : 0};
  for (std::uint32_t i = 0; i < options.tiers; ++i) {
    const bool is_top = i + 1 == options.tiers;
    topology.tier[i] = {.downlink_speed = options.linkspeed,
                        .downlink_latency = options.hop_latency,
                        .switch_latency = options.switch_latency,
                        .radix_down = is_top ? radix : half,
                        .radix_up = is_top ? 0 : half};
  }
  return topology;
}

std::string graph_text(const HtsimTopology& topology) { return GraphWriter(topology).write(); }

}  // namespace weft::study::import
