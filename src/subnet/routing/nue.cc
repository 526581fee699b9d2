#include "subnet/routing/nue.h"

#include <algorithm>

#include "subnet/routing/nue_dependencies.h"
#include "subnet/routing/nue_escape.h"
#include "subnet/routing/nue_network.h"
#include "subnet/routing/nue_search.h"

namespace weft::subnet {
namespace {

class NueRouter {
 public:
  NueRouter(const RoutingView& view, std::uint32_t lanes)
      : view_(view),
        network_(view),
        dependencies_(network_),
        destinations_(lanes),
        tables_(empty_tables(view)),
        last_(network_.switches(), kNoChannel) {
    std::size_t lane = 0;
    for (std::size_t i = 0; i < view.end_ports.size(); ++i) {
      if (view.end_ports[i].type == NodeType::kChannelAdapter) {
        destinations_[lane].push_back(EndPortIndex(static_cast<std::uint32_t>(i)));
        lane = (lane + 1) % lanes;
      }
    }
    if (lanes > 1) {
      plan_ = {.lanes = std::vector<std::uint8_t>(view.by_lid.size() * view.by_lid.size(), 0),
               .lids = view.by_lid.size()};
    }
  }

  Result<Routes> route() {
    for (std::size_t lane = 0; lane < destinations_.size(); ++lane) {
      if (destinations_[lane].empty()) {
        continue;
      }
      if (Result<void> routed = route_lane(static_cast<std::uint8_t>(lane)); !routed) {
        return pass_on(routed);
      }
    }
    if (Result<void> routed = route_switches(); !routed) {
      return pass_on(routed);
    }
    return Routes{.tables = std::move(tables_), .plan = std::move(plan_)};
  }

  /// Hops that OpenSM holds against a switch when it looks for the root of a multicast tree: those to the last adapter
  /// that was routed, for every destination but the switch itself.
  [[nodiscard]] HopMatrix hops_for_roots() const {
    HopMatrix hops(view_);
    for (NueSwitch from = 0; from < network_.switches(); ++from) {
      std::uint8_t count = 1;  // to the adapter
      for (NueSwitch at = from; last_[at] != kNoChannel && count < kNoPath - 1; at = network_[last_[at]].from) {
        ++count;
      }
      for (NueSwitch to = 0; to < network_.switches(); ++to) {
        hops.set({.from = network_.place(from), .to = network_.place(to), .port = 0}, from == to ? 0 : count);
      }
    }
    return hops;
  }

  /// From a switch, once all is routed.
  [[nodiscard]] CableTree tree_from(SwitchIndex root) const {
    const NueTree found = network_.spanning_tree(network_.at(root));
    CableTree tree(view_.switches.size());
    for (NueSwitch at = 0; at < network_.switches(); ++at) {
      if (found[at] != kNoChannel) {
        const NueChannel& channel = network_[found[at]];
        tree[network_.place(at).value()] = {
            .above = network_.place(channel.from), .up = channel.egress, .down = channel.port};
      }
    }
    return tree;
  }

 private:
  Result<void> route_lane(std::uint8_t lane) {
    std::vector<std::uint32_t> adapters(network_.switches(), 0);
    for (const EndPortIndex destination : destinations_[lane]) {
      ++adapters[network_.at(view_[destination].at)];
    }
    const NueTree escape = escape_tree(network_, adapters);
    if (std::ranges::count(escape, kNoChannel) > 1) {
      return fail("not all switches can be reached");
    }
    dependencies_.clear();
    add_escape_paths(network_, escape, adapters, dependencies_);
    NueSearch search(network_, dependencies_);
    for (const EndPortIndex destination : destinations_[lane]) {
      const EndPort& end = view_[destination];
      for (std::uint32_t offset = 0; offset < end.lids; ++offset) {
        const Lid lid = static_cast<Lid>(end.lid + offset);
        last_ = search.find_paths(network_.at(end.at), escape);
        if (Result<void> taken = take_paths(last_, end, lid); !taken) {
          return taken;
        }
        set_lane(lid, lane);
      }
    }
    return {};
  }

  Result<void> route_switches() {
    for (NueSwitch at = 0; at < network_.switches(); ++at) {
      const EndPort& end = view_[view_[network_.place(at)].end_port];
      for (std::uint32_t offset = 0; offset < end.lids; ++offset) {
        Result<void> taken = take_paths(network_.spanning_tree(at), end, static_cast<Lid>(end.lid + offset));
        if (!taken) {
          return taken;
        }
      }
    }
    return {};
  }

  /// Into the tables and the weights.
  Result<void> take_paths(const NueTree& tree, const EndPort& end, Lid lid) {
    for (NueSwitch at = 0; at < network_.switches(); ++at) {
      PortNumber& port = tables_[network_.place(at).value()][lid];
      if (tree[at] != kNoChannel) {
        port = network_[tree[at]].egress;
      } else if (network_.place(at) == end.at) {
        port = end.is_switch() ? PortNumber{0} : end.switch_port;
      }
    }
    return network_.add_weights(tree) ? Result<void>() : fail("paths to LID {} go round in a loop", lid);
  }

  void set_lane(Lid to, std::uint8_t lane) {
    for (std::size_t at = to; at < plan_.lanes.size(); at += plan_.lids) {
      plan_.lanes[at] = lane;
    }
  }

  const RoutingView& view_;
  NueNetwork network_;
  NueDependencies dependencies_;
  std::vector<std::vector<EndPortIndex>> destinations_;  // per lane
  ForwardingTables tables_;
  LanePlan plan_;
  NueTree last_;  // to the last adapter
};

std::uint32_t lanes_of(const EngineOptions& options) {
  return options.nue_lanes == 0 ? options.lanes : std::min(options.nue_lanes, options.lanes);
}

}  // namespace

Result<Routes> route_nue(const RoutingView& view, const EngineOptions& options) {
  return NueRouter(view, lanes_of(options)).route();
}

Result<HopMatrix> nue_hops(const RoutingView& view, const EngineOptions& options) {
  NueRouter router(view, lanes_of(options));
  if (Result<Routes> routed = router.route(); !routed) {
    return pass_on(routed);
  }
  return router.hops_for_roots();
}

Result<std::vector<CableTree>> nue_trees(const RoutingView& view, const EngineOptions& options,
                                         std::span<const SwitchIndex> roots) {
  NueRouter router(view, lanes_of(options));
  if (Result<Routes> routed = router.route(); !routed) {
    return pass_on(routed);
  }
  std::vector<CableTree> trees;
  for (const SwitchIndex root : roots) {
    trees.push_back(root.is_valid() ? router.tree_from(root) : CableTree());
  }
  return trees;
}

}  // namespace weft::subnet
