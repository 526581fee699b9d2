// CONGA: what a leaf knows of the congestion of its paths, and how leaves tell each other.
//
// A path is a leaf's uplink, by its number (tag), towards another leaf. Every packet between leaves carries its tag and
// the greatest metric of the links on its way (routing/dre.h); the leaf at which it arrives keeps that, and sends it
// back on whatever goes the other way: one metric per packet, changed ones first, else in rotation. A flowlet takes the
// uplink with the least of the greater of two metrics, that of the uplink itself and that which came back.
//
// For two tiers alone, as published: more tags would be needed to name paths of more hops. Source: Alizadeh et al.,
// "CONGA: Distributed Congestion-Aware Load Balancing for Datacenters", SIGCOMM 2014, section 3.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "fabric/routing/dre.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

struct CongaOptions {
  DreOptions dre{};
  /// A metric, in either table, that no packet has renewed for so long halves, and again each time that as much has
  /// passed: a path that nobody uses is tried again. Above zero.
  Duration age = 10_ms;
};

/// What a packet between leaves carries in its outer header.
struct CongaHeader {
  static constexpr std::uint8_t kNone = 0xFF;

  std::uint8_t tag = kNone;           // the uplink of the leaf that it comes from
  std::uint8_t congestion = 0;        // the greatest metric so far
  std::uint8_t feedback_tag = kNone;  // an uplink of the leaf that it goes to
  std::uint8_t feedback = 0;          // and the metric of the path by it
};

/// The two tables of a leaf, by the number of the other leaf and tag.
class CongestionTables {
 public:
  struct Size {
    std::uint32_t leaves = 0;
    std::uint32_t tags = 0;  // of the leaf with the most uplinks
  };
  CongestionTables() = default;
  /// `age` as in CongaOptions.
  CongestionTables(Size size, Duration age);

  /// A packet with this header arrives from another leaf.
  void take(std::uint32_t from_leaf, const CongaHeader& header, Time now);
  /// Puts into the header what a packet to that leaf brings back; nothing, if nothing came from there yet.
  void give(std::uint32_t to_leaf, CongaHeader& header, Time now);
  /// Of the path to that leaf by that uplink, as it came back; 0 if nothing did.
  [[nodiscard]] std::uint8_t metric(std::uint32_t to_leaf, std::uint32_t tag, Time now) const;

  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct ToLeaf {
    Time at;
    std::uint8_t metric = 0;
  };
  struct FromLeaf {
    Time at;
    std::uint8_t metric = 0;
    bool is_known = false;
    bool has_changed = false;  // since it was sent back
  };
  [[nodiscard]] std::size_t at(std::uint32_t leaf, std::uint32_t tag) const {
    return std::size_t{leaf} * size_.tags + tag;
  }

  /// What is left of a metric of that time.
  [[nodiscard]] std::uint8_t aged(std::uint8_t metric, Time at, Time now) const {
    const std::int64_t ages = (now - at) / age_;
    return ages < 8 ? static_cast<std::uint8_t>(metric >> ages) : std::uint8_t{0};
  }

  Size size_;
  Duration age_;
  std::vector<ToLeaf> to_;
  std::vector<FromLeaf> from_;
  std::vector<std::uint8_t> next_;  // by leaf: the tag to begin with
};

/// Whether the graph has leaves, to which endpoints are attached, and spines, each cable between switches joining one
/// of either, with at least one spine and at most 255 uplinks of a leaf. The error names the first node or cable that
/// is otherwise.
[[nodiscard]] Result<void> check_two_tiers(const Graph& graph);

}  // namespace weft::fabric
