// Routes of a graph by a rule: for each switch and destination endpoint, the ports on all paths of fewest hops, or
// those of dimension order in a torus (dimension_order.h).
//
// Paths go through switches only. Routes are kept per pair of a switch and a destination's leaf, the switch to which
// an endpoint is attached; switches that see all leaves through the same ports share one row. In a fat-tree all leaves,
// all switches of a pod's second tier, and all cores do, so that what packets read stays in the processor's caches.
//
// Limits (assertions): 65,534 leaves, 65,535 different sets of ports, 65,535 ports of one switch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/assert.h"
#include "base/ids.h"
#include "fabric/routing/dimension_order.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// Equally good ports of one switch towards one destination, in ascending order; empty when there is no path. Points
/// into its Routes, until the next recompute().
class NextHops {
 public:
  constexpr NextHops() = default;
  constexpr NextHops(const std::uint16_t* ports, std::uint32_t count) : ports_(ports), count_(count) {}

  [[nodiscard]] constexpr std::uint32_t size() const { return count_; }
  [[nodiscard]] constexpr bool empty() const { return count_ == 0; }
  [[nodiscard]] constexpr std::uint16_t operator[](std::uint32_t i) const {
    WEFT_DCHECK(i < count_);
    return ports_[i];
  }
  [[nodiscard]] constexpr const std::uint16_t* begin() const { return ports_; }
  [[nodiscard]] constexpr const std::uint16_t* end() const { return ports_ + count_; }

  friend constexpr bool operator==(const NextHops& a, const NextHops& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  const std::uint16_t* ports_ = nullptr;
  std::uint32_t count_ = 0;
};

enum class LinkState : std::uint8_t { kDown, kUp };

enum class RouteRule : std::uint8_t {
  kShortest,
  kDimensionOrder,  // of a graph whose switches are joined in rings alone
};

class Routes {
 public:
  struct Options {
    RouteRule rule = RouteRule::kShortest;
    /// An endpoint whose link is down is reached through the next port of its NIC whose link is up, as one address that
    /// both ports announce (dual-ToR). The NIC hands the packet on.
    bool ports_stand_in = false;
  };

  /// All links are up. Keeps nothing of `graph`, which need not pass check(): only the ends of links are read.
  Routes(const Graph& graph, const Options& options);
  explicit Routes(const Graph& graph, RouteRule rule = RouteRule::kShortest) : Routes(graph, Options{.rule = rule}) {}

  /// `switch_ordinal` counts switches in the order of Graph::nodes, from 0.
  [[nodiscard]] NextHops next_hops(std::uint32_t switch_ordinal, EndpointId destination) const {
    WEFT_DCHECK(switch_ordinal < row_start_.size() && destination.value() < attachments_.size());
    const Attachment& at = attachments_[destination.value()];
    if (at.leaf == switch_ordinal) {
      return {ports_.data() + at.port, 1};
    }
    const Group& group = groups_[rows_[row_start_[switch_ordinal] + at.column]];
    return {ports_.data() + group.first, group.count};
  }

  /// The port through which this switch reaches the NIC of `destination`: that port itself, or where ports stand in for
  /// one another and lie in planes, the one in the switch's plane. What next_hops() and leaf_of() are to be asked for
  /// where `destination` itself is not reached.
  [[nodiscard]] EndpointId seen_as(std::uint32_t switch_ordinal, EndpointId destination) const {
    return planes_.empty() ? destination : port_in_plane(switch_ordinal, destination);
  }

  /// The switch that an endpoint is attached to, or the port that stands in for it; above all ordinals while there is
  /// none.
  [[nodiscard]] std::uint32_t leaf_of(EndpointId endpoint) const { return attachments_[endpoint.value()].leaf; }

  [[nodiscard]] LinkState state_of(LinkIndex link) const { return links_[link.value()]; }
  /// What next_hops() answers changes with the next recompute() only.
  void set_link(LinkIndex link, LinkState state);
  /// Gives what a new Routes over the links that are up would give.
  void recompute();

  /// A row of the table: of a switch, for the endpoints of a leaf, both as ordinals of switches.
  struct Entry {
    std::uint32_t switch_ordinal = 0;
    std::uint32_t leaf = 0;
  };
  /// Gives one entry other next hops, in ascending order, as a control plane does (fabric/control/); not to be mixed
  /// with recompute(). Next hops that were asked for before are void.
  void install(const Entry& entry, std::span<const std::uint16_t> hops);

  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// Where an endpoint is attached; kNone and the last column while its link is down.
  struct Attachment {
    std::uint32_t leaf = kNone;  // ordinal of the switch
    std::uint16_t column = 0;    // of that leaf in each row
    std::uint16_t port = 0;      // of the leaf
  };
  static_assert(sizeof(Attachment) == 8);

  /// A set of ports: `count` entries of ports_ from `first`. Group 0 is empty.
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  /// The other end of a switch's port.
  struct Neighbour {
    std::uint32_t node = kNone;  // ordinal of a switch; kNone: an endpoint, or nothing
    std::uint32_t link = 0;
    std::uint16_t port = 0;  // on this side
  };

  /// One column of the table while it is computed.
  struct Search {
    std::vector<std::uint32_t> distance;
    std::vector<std::uint32_t> queue;
    std::vector<std::uint16_t> hops;
  };
  class GroupIndex;
  /// Groups of each switch to each column, while they are computed.
  struct Table {
    std::uint32_t columns = 0;
    std::vector<std::uint16_t> groups;
    [[nodiscard]] std::uint16_t* row(std::uint32_t node) { return &groups[std::size_t{node} * columns]; }
  };
  /// Leaves whose links that are up lead to the same switches.
  struct LeafClasses {
    std::vector<std::uint32_t> of;     // by column
    std::vector<std::uint32_t> first;  // column of the first of each
  };

  void read_links(const Graph& graph);
  void find_leaves(const Graph& graph);
  void attach_endpoints();
  [[nodiscard]] bool is_cut_off(std::size_t endpoint) const;
  [[nodiscard]] EndpointId port_in_plane(std::uint32_t switch_ordinal, EndpointId destination) const;
  [[nodiscard]] std::span<const Neighbour> neighbours_of(std::uint32_t node) const {
    return {neighbours_.begin() + first_neighbour_[node], neighbours_.begin() + first_neighbour_[node + 1]};
  }
  void route_shortest(GroupIndex& index, Table& table) const;
  [[nodiscard]] LeafClasses classes_of_leaves() const;
  void route_within_classes(const LeafClasses& classes, GroupIndex& index, Table& table) const;
  void route_to(std::uint32_t leaf, std::uint32_t column, Search& search, GroupIndex& index, Table& table) const;
  void route_in_order(std::uint16_t column, GroupIndex& index, Table& table) const;
  void share_rows(const std::vector<std::uint16_t>& table);
  void separate_rows();
  void drop_unused_groups();

  [[nodiscard]] std::uint32_t switches() const { return static_cast<std::uint32_t>(first_neighbour_.size() - 1); }
  [[nodiscard]] std::uint32_t columns() const { return static_cast<std::uint32_t>(leaves_.size()) + 1; }

  // What a packet reads.
  std::vector<Attachment> attachments_;
  std::vector<std::uint32_t> row_start_;  // per switch, into rows_
  std::vector<std::uint16_t> rows_;       // groups; one row for all switches that have the same
  std::vector<Group> groups_;
  std::vector<std::uint16_t> ports_;  // begins with 0, 1, 2, ...: every contiguous set is a part of that

  using KnownGroups = std::unordered_multimap<std::uint64_t, std::uint16_t>;  // lookup only
  std::optional<KnownGroups> installed_;                                      // of install(), once it was called

  // What recompute() reads.
  std::vector<std::uint32_t> first_neighbour_;  // per switch, into neighbours_; one more at the end
  std::vector<Neighbour> neighbours_;           // that are switches, by port
  std::vector<LinkState> links_;
  std::uint32_t port_limit_ = 0;       // above the largest port
  std::vector<std::uint32_t> leaves_;  // ordinals of the switches that endpoints are attached to, per column
  std::vector<Attachment> wired_;      // as if all links were up
  std::vector<std::uint32_t> endpoint_link_;
  std::vector<EndpointId> stand_in_;   // per endpoint, in a ring; empty: none does
  std::vector<std::uint16_t> planes_;  // of endpoints, then of switches; empty: one, or no port stands in
  std::optional<DimensionOrder> order_;
};

}  // namespace weft::fabric
