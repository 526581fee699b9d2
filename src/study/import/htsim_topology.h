// Topology files of htsim, and the fat-trees of two or three tiers that they and its options mean.
//
//   Nodes 1024
//   Tiers 2
//   Podsize 1024
//   Tier 0
//   Downlink_speed_Gbps 100
//   Radix_Down 32
//   Radix_Up 8
//   Downlink_Latency_ns 1000
//   Oversubscribed 4
//   Tier 1
//   ...
//
// Tier 0 are the leaves. An uplink has the speed and the latency that the tier above gives its downlinks. Bundle: links
// between two neighbouring switches. Keys are read without regard to case. Source: htsim of the Ultra Ethernet
// Consortium, 40ccb05.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/time.h"
#include "study/import/htsim_lines.h"

namespace weft::study::import {

/// One tier; of the top one, radix_up and queue_up are 0 and none.
struct HtsimTier {
  Rate downlink_speed{};
  Duration downlink_latency{};
  Duration switch_latency{};
  std::uint32_t radix_down = 0;  // links, bundles counted whole
  std::uint32_t radix_up = 0;
  std::uint32_t bundle = 1;  // parallel links of each of its downlinks
};

/// A tree, whose counts fit together.
struct HtsimTopology {
  std::uint32_t nodes = 0;
  std::uint32_t tiers = 3;
  std::uint32_t pods = 1;
  std::uint32_t leaves_per_pod = 0;
  std::uint32_t aggs_per_pod = 0;  // with two tiers the spines
  std::uint32_t cores = 0;
  std::array<HtsimTier, 3> tier{};

  [[nodiscard]] std::uint32_t leaves() const { return pods * leaves_per_pod; }
  /// Upwards from an aggregation switch.
  [[nodiscard]] std::uint32_t cores_per_agg() const { return aggs_per_pod == 0 ? 0 : cores / aggs_per_pod; }
  /// Ports of the switch that has most.
  [[nodiscard]] std::uint32_t most_ports() const;
  [[nodiscard]] Rate fastest() const;
  /// Whether it is the tree of switches with one radix, whole, that Al-Fares et al. describe.
  [[nodiscard]] bool is_uniform() const;
  /// One way from end to end over all tiers, cables and switches.
  [[nodiscard]] Duration diameter_latency() const;
  /// Links on that way.
  [[nodiscard]] std::uint32_t diameter() const { return 2 * tiers; }
};

/// What the reference takes when no file says more.
struct HtsimTreeOptions {
  std::uint32_t nodes = 0;
  std::uint32_t tiers = 3;
  Rate linkspeed = 100_gbps;
  Duration hop_latency = 1_us;
  Duration switch_latency{};
};

/// The whole tree of switches with one radix. Errors: nodes that are no K^3/4 (K^2/2 with two tiers) for an even K.
[[nodiscard]] Result<HtsimTopology> uniform_topology(const HtsimTreeOptions& options);

/// A file may be as long as this, in bytes.
inline constexpr std::uint64_t kLargestTopologyFile = std::uint64_t{1} << 20;

/// Errors: what a line says, with its place; keys that are missing, at the tier's line; counts that do not fit
/// together. Queue sizes of a file are read and left: htsim_uec replaces them by its own.
[[nodiscard]] Result<HtsimTopology> parse_htsim_topology(const HtsimText& source);

/// The graph as text (fabric/topology/graph_file.h): host0 and so on, pod0/leaf0, pod0/agg0, core0; core c hangs on the
/// switches of every pod whose place is c modulo their number.
[[nodiscard]] std::string graph_text(const HtsimTopology& topology);

}  // namespace weft::study::import
