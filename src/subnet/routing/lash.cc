#include "subnet/routing/lash.h"

#include <deque>

#include "subnet/routing/dependency_graph.h"

namespace weft::subnet {
namespace {

/// Egress ports between switches.
class LashPaths {
 public:
  explicit LashPaths(const RoutingView& view)
      : view_(view), switches_(view.switches.size()), egress_(switches_ * switches_, kNoRoute) {
    for (std::uint32_t root = 0; root < switches_; ++root) {
      take_tree(root);
    }
  }

  [[nodiscard]] PortNumber egress(SwitchIndex from, SwitchIndex to) const {
    return egress_[from.value() * switches_ + to.value()];
  }
  [[nodiscard]] SwitchIndex next(SwitchIndex from, SwitchIndex to) const {
    return view_[from].ports[egress(from, to)].to_switch;
  }

 private:
  /// The breadth-first tree of a root gives every switch in it a path to those below, if it has none yet.
  void take_tree(std::uint32_t root) {
    std::vector<std::uint32_t> parent(switches_, root);
    std::vector<bool> reached(switches_, false);
    std::deque<std::uint32_t> open{root};
    reached[root] = true;
    while (!open.empty()) {
      const std::uint32_t at = open.front();
      open.pop_front();
      for (const SwitchPort& port : view_.switches[at].ports) {
        if (port.to_switch.is_valid() && !reached[port.to_switch.value()]) {
          const std::uint32_t child = port.to_switch.value();
          reached[child] = true;
          parent[child] = at;
          open.push_back(child);
          take_ancestors(root, child, parent);
        }
      }
    }
  }

  void take_ancestors(std::uint32_t root, std::uint32_t to, const std::vector<std::uint32_t>& parent) {
    for (std::uint32_t below = to; below != root; below = parent[below]) {
      PortNumber& egress = egress_[parent[below] * switches_ + to];
      if (egress == kNoRoute) {
        egress = first_port(parent[below], below);
      }
    }
  }

  [[nodiscard]] PortNumber first_port(std::uint32_t from, std::uint32_t to) const {
    const std::vector<SwitchPort>& ports = view_.switches[from].ports;
    std::size_t port = 1;
    while (ports[port].to_switch != SwitchIndex(to)) {
      ++port;
    }
    return static_cast<PortNumber>(port);
  }

  const RoutingView& view_;
  std::size_t switches_;
  std::vector<PortNumber> egress_;  // per switch and destination switch
};

/// Lanes of pairs of switches. Parallel cables are one channel: a pair always takes the first of them.
class LashLanes {
 public:
  LashLanes(const RoutingView& view, const LashPaths& paths)
      : paths_(paths), switches_(view.switches.size()), lane_(switches_ * switches_, 0) {}

  Result<void> assign(std::uint32_t lanes) {
    std::vector<DependencyGraph> graphs;
    for (std::uint32_t i = 0; i < switches_; ++i) {
      for (std::uint32_t j = i + 1; j < switches_; ++j) {
        std::vector<ChannelDependency> added;
        collect(SwitchIndex(i), SwitchIndex(j), added);
        collect(SwitchIndex(j), SwitchIndex(i), added);
        std::size_t lane = 0;
        while (lane < graphs.size() && !graphs[lane].add_without_cycle(added)) {
          ++lane;
        }
        if (lane == lanes) {
          return fail("{} virtual lanes are not enough to break all cycles of buffers", lanes);
        }
        if (lane == graphs.size()) {
          graphs.emplace_back(static_cast<std::uint32_t>(switches_ * switches_));
          (void)graphs.back().add_without_cycle(added);
        }
        lane_[i * switches_ + j] = static_cast<std::uint8_t>(lane);
        lane_[j * switches_ + i] = static_cast<std::uint8_t>(lane);
      }
    }
    return {};
  }

  [[nodiscard]] std::uint8_t lane(SwitchIndex from, SwitchIndex to) const {
    return lane_[from.value() * switches_ + to.value()];
  }

 private:
  void collect(SwitchIndex from, SwitchIndex to, std::vector<ChannelDependency>& added) const {
    std::uint32_t before = ~std::uint32_t{0};
    for (SwitchIndex at = from; at != to; at = paths_.next(at, to)) {
      const std::uint32_t channel = static_cast<std::uint32_t>(at.value() * switches_ + paths_.next(at, to).value());
      if (at != from) {
        added.push_back({.from = before, .to = channel});
      }
      before = channel;
    }
  }

  const LashPaths& paths_;
  std::size_t switches_;
  std::vector<std::uint8_t> lane_;  // per switch and destination switch
};

LanePlan plan_of(const RoutingView& view, const LashLanes& lanes) {
  LanePlan plan{.lanes = std::vector<std::uint8_t>(view.by_lid.size() * view.by_lid.size(), 0),
                .lids = view.by_lid.size()};
  for (std::size_t from = 1; from < plan.lids; ++from) {
    for (std::size_t to = 1; to < plan.lids; ++to) {
      if (view.by_lid[from].is_valid() && view.by_lid[to].is_valid()) {
        plan.lanes[from * plan.lids + to] = lanes.lane(view[view.by_lid[from]].at, view[view.by_lid[to]].at);
      }
    }
  }
  return plan;
}

}  // namespace

Result<Routes> route_lash(const RoutingView& view, const EngineOptions& options) {
  const LashPaths paths(view);
  LashLanes lanes(view, paths);
  if (Result<void> assigned = lanes.assign(options.lanes); !assigned) {
    return pass_on(assigned);
  }
  ForwardingTables tables = empty_tables(view);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (std::size_t lid = 1; lid < view.by_lid.size(); ++lid) {
      if (!view.by_lid[lid].is_valid()) {
        continue;
      }
      const EndPort& end = view[view.by_lid[lid]];
      tables[i][lid] = end.at == view.switch_at(i) ? (end.is_switch() ? PortNumber{0} : end.switch_port)
                                                   : paths.egress(view.switch_at(i), end.at);
    }
  }
  return Routes{.tables = std::move(tables), .plan = plan_of(view, lanes)};
}

}  // namespace weft::subnet
