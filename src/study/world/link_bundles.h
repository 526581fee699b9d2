// Links on which all flows of a network put the same, where the packets of every flow take all shortest paths evenly.
//
// The 128 links from one leaf to its spines are such a bundle, and those from the spines to one leaf. Max-min rates,
// fullest links and least times are the same with one link of each, so a flow need not name the others. Bundles are
// found by what flows between any two leaves put on every link, as the routes say; links of other rates are others.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "fabric/any_fabric.h"
#include "flow/fair_shares.h"

namespace weft::study::world {

class LinkBundles {
 public:
  /// Which flows there are: all that senders spread, whatever switches do, or all that switches do.
  enum class SpreadBy : std::uint8_t { kSenders, kSwitches };
  /// Empty where some flow takes one of several paths, an endpoint is not reached from everywhere, endpoints of one
  /// leaf have other routes, or finding them would take longer than it saves. `fabric` must outlive it.
  [[nodiscard]] static LinkBundles of(const fabric::AnyFabric& fabric, SpreadBy by);

  [[nodiscard]] bool empty() const { return first_.empty(); }
  /// The link, by egress port, that stands for this one.
  [[nodiscard]] fabric::PortIndex first_of(fabric::PortIndex link) const { return first_[link]; }
  /// One link of each bundle that a flow between these endpoints takes, ascending; not of an empty one.
  [[nodiscard]] std::vector<flow::LinkUse> links_of(EndpointId from, EndpointId to);

 private:
  const fabric::AnyFabric* fabric_ = nullptr;
  std::vector<fabric::PortIndex> first_;  // by link
  std::vector<std::uint32_t> leaves_;     // by endpoint: ordinals of switches
  std::vector<fabric::PortIndex> down_;   // by endpoint: the leaf's link to it
  /// By pair of leaves.
  std::unordered_map<std::uint64_t, std::vector<flow::LinkUse>> between_;  // lookup only
};

}  // namespace weft::study::world
