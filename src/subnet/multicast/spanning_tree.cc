#include "subnet/multicast/spanning_tree.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "subnet/routing/cable_tree.h"
#include "subnet/routing/dnup.h"
#include "subnet/routing/ftree.h"
#include "subnet/routing/hop_matrix.h"
#include "subnet/routing/nue.h"
#include "subnet/routing/updn.h"
#include "subnet/routing/weighted_tables.h"

namespace weft::subnet {
namespace {

constexpr std::uint32_t kMostDepth = 64;  // OpenSM gives up there

/// Members of a group at one switch.
struct MembersAt {
  std::uint32_t adapters = 0;
  bool itself = false;
};

std::vector<MembersAt> members_by_switch(const RoutingView& view, const MulticastGroup& group) {
  std::vector<MembersAt> at(view.switches.size());
  for (const EndPortIndex member : group.members) {
    const EndPort& end = view[member];
    if (!end.at.is_valid()) {
      continue;
    }
    MembersAt& here = at[end.at.value()];
    here.itself = here.itself || end.is_switch();
    here.adapters += end.is_switch() ? 0U : 1U;
  }
  return at;
}

/// Hops along unicast paths between switches.
HopMatrix routed_hops(const RoutingView& view, const ForwardingTables& tables) {
  HopMatrix hops(view);
  for (std::size_t to = 0; to < view.switches.size(); ++to) {
    const Lid lid = view.switches[to].lid;
    hops.set({.from = view.switch_at(to), .to = view.switch_at(to), .port = 0}, 0);
    for (std::size_t from = 0; from < view.switches.size(); ++from) {
      std::uint8_t count = 0;
      SwitchIndex at = view.switch_at(from);
      while (at.is_valid() && at != view.switch_at(to) && count < kNoPath - 1) {
        const PortNumber port = tables[at.value()][lid];
        at = port == kNoRoute ? SwitchIndex() : view[at].ports[port].to_switch;
        ++count;
      }
      if (from != to && at == view.switch_at(to)) {
        hops.set({.from = view.switch_at(from), .to = at, .port = tables[from][lid]}, count);
      }
    }
  }
  return hops;
}

Result<HopMatrix> hops_of(const RoutingView& view, const MulticastEngine& engine) {
  switch (engine.used) {
    case EngineKind::kUpdn:
      return updn_hops(view);
    case EngineKind::kDnup:
      return dnup_hops(view);
    case EngineKind::kFtree:
      return ftree_hops(view);
    case EngineKind::kSssp:
    case EngineKind::kDfsssp: {
      Result<ManagedRoutes> routes = route_subnet(view, engine.used, engine.options);
      return routes ? Result<HopMatrix>(routed_hops(view, routes->routes.tables)) : pass_on(routes);
    }
    case EngineKind::kNue:
      return nue_hops(view, engine.options);
    case EngineKind::kMinhop:
    case EngineKind::kDor:
    case EngineKind::kLash:
      break;
  }
  return shortest_hops(view);
}

SwitchIndex best_root(const RoutingView& view, const HopMatrix& hops, const MulticastGroup& group) {
  const std::vector<MembersAt> members = members_by_switch(view, group);
  SwitchIndex best;
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    std::uint32_t most = 0;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (members[k].adapters > 0 || members[k].itself) {
        most = std::max(most, hops.least(view.switch_at(i), view.switch_at(k)) + (members[k].itself ? 0U : 1U));
      }
    }
    if (most < fewest) {
      best = view.switch_at(i);
      fewest = most;
    }
  }
  return best;
}

/// Downwards from the root, by hops.
class BranchingTree {
 public:
  BranchingTree(const RoutingView& view, const HopMatrix& hops, Lid lid, MulticastRoutes& routes)
      : view_(view), hops_(hops), lid_(lid), tables_(routes.tables), tree_(routes.trees.back()) {}

  void grow(const std::vector<EndPortIndex>& members) {
    waiting_.push_back({.at = tree_.root, .members = members});
    while (!waiting_.empty()) {
      const Branch branch = std::move(waiting_.front());
      waiting_.pop_front();
      divide(branch);
    }
  }

 private:
  struct Branch {
    SwitchIndex at;
    std::vector<EndPortIndex> members{};
    PortNumber upstream = 0;  // none at the root
    std::uint32_t depth = 1;
  };

  void divide(const Branch& branch) {
    if (branch.depth >= kMostDepth) {
      tree_.unreached.insert(tree_.unreached.end(), branch.members.begin(), branch.members.end());
      return;
    }
    tree_.depth = std::max(tree_.depth, branch.depth);
    std::map<PortNumber, std::vector<EndPortIndex>> by_port;
    for (const EndPortIndex member : branch.members) {
      if (const std::optional<PortNumber> port = towards(branch.at, view_[member])) {
        by_port[*port].push_back(member);
      } else {
        tree_.unreached.push_back(member);
      }
    }
    PortMask& mask = tables_[branch.at.value()][lid_];
    if (branch.depth > 1) {
      mask.set(branch.upstream);
    }
    for (auto& [number, members] : by_port) {
      mask.set(number);
      const SwitchPort& port = view_[branch.at].ports[number];
      if (port.to_switch.is_valid()) {
        waiting_.push_back({.at = port.to_switch,
                            .members = std::move(members),
                            .upstream = port.peer_port,
                            .depth = branch.depth + 1});
      }
    }
  }

  [[nodiscard]] std::optional<PortNumber> towards(SwitchIndex at, const EndPort& end) const {
    if (end.at == at) {
      return end.is_switch() ? PortNumber{0} : end.switch_port;
    }
    if (!end.at.is_valid() || hops_.least(at, end.at) == kNoPath) {
      return std::nullopt;
    }
    PortNumber port = 1;
    while (hops_.through({.from = at, .to = end.at, .port = port}) != hops_.least(at, end.at)) {
      ++port;
    }
    return port;
  }

  const RoutingView& view_;
  const HopMatrix& hops_;
  Lid lid_;
  MulticastTables& tables_;
  MulticastTree& tree_;
  std::deque<Branch> waiting_;
};

/// Upwards from each member's switch, along a tree that reaches all switches.
void take_tree(const RoutingView& view, const CableTree& cables, const MulticastGroup& group, MulticastRoutes& routes) {
  MulticastTree& tree = routes.trees.back();
  for (const EndPortIndex member : group.members) {
    const EndPort& end = view[member];
    if (!end.at.is_valid()) {
      tree.unreached.push_back(member);
      continue;
    }
    routes.tables[end.at.value()][group.lid].set(end.is_switch() ? 0U : end.switch_port);
    std::uint32_t depth = 1;
    for (SwitchIndex at = end.at; at != tree.root; ++depth) {
      const TreeCable& cable = cables[at.value()];
      routes.tables[at.value()][group.lid].set(cable.up);
      routes.tables[cable.above.value()][group.lid].set(cable.down);
      at = cable.above;
    }
    tree.depth = std::max(tree.depth, depth);
  }
}

bool takes_cable_trees(EngineKind used) {
  return used == EngineKind::kSssp || used == EngineKind::kDfsssp || used == EngineKind::kNue;
}

Result<std::vector<CableTree>> cable_trees(const RoutingView& view, const MulticastEngine& engine,
                                           const std::vector<MulticastTree>& trees) {
  std::vector<SwitchIndex> roots;
  for (const MulticastTree& tree : trees) {
    roots.push_back(tree.root);
  }
  return engine.used == EngineKind::kNue ? nue_trees(view, engine.options, roots) : weighted_trees(view, roots);
}

}  // namespace

Result<MulticastRoutes> route_multicast(const RoutingView& view, const MulticastEngine& engine,
                                        std::span<const MulticastGroup> groups) {
  MulticastRoutes routes{.tables = MulticastTables(view.switches.size()), .trees = {}};
  if (std::ranges::none_of(groups, [](const MulticastGroup& group) { return group.members.size() > 1; })) {
    routes.trees.resize(groups.size());
    return routes;
  }
  Result<HopMatrix> hops = hops_of(view, engine);
  if (!hops) {
    return pass_on(hops);
  }
  const bool by_cables = takes_cable_trees(engine.used);
  for (const MulticastGroup& group : groups) {
    const bool has_tree = group.members.size() > 1;
    routes.trees.push_back({.root = has_tree ? best_root(view, *hops, group) : SwitchIndex(), .unreached = {}});
    if (has_tree && !by_cables) {
      BranchingTree(view, *hops, group.lid, routes).grow(group.members);
    }
  }
  if (!by_cables) {
    return routes;
  }
  Result<std::vector<CableTree>> cables = cable_trees(view, engine, routes.trees);
  if (!cables) {
    return pass_on(cables);
  }
  std::vector<MulticastTree> trees = std::move(routes.trees);
  routes.trees.clear();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    routes.trees.push_back(std::move(trees[i]));
    if (routes.trees[i].root.is_valid()) {
      take_tree(view, (*cables)[i], groups[i], routes);
    }
  }
  return routes;
}

MulticastCheck check_multicast(const RoutingView& view, const MulticastTables& tables, const MulticastGroup& group) {
  MulticastCheck check;
  const auto mask = [&](SwitchIndex at) {
    const auto entry = tables[at.value()].find(group.lid);
    return entry == tables[at.value()].end() ? PortMask() : entry->second;
  };
  std::vector<bool> reached(view.switches.size(), false);
  std::uint32_t parts = 0;
  std::vector<SwitchIndex> first_part;
  for (std::size_t start = 0; start < view.switches.size(); ++start) {
    if (reached[start] || mask(view.switch_at(start)).none()) {
      continue;
    }
    ++parts;
    std::vector<SwitchIndex> part{view.switch_at(start)};
    reached[start] = true;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const RoutedSwitch& here = view[part[i]];
      for (std::size_t number = 1; number < here.ports.size(); ++number) {
        const SwitchPort& port = here.ports[number];
        if (!port.to_switch.is_valid() || !mask(part[i])[number]) {
          continue;
        }
        check.is_tree = check.is_tree && mask(port.to_switch)[port.peer_port];
        ++check.cables;  // once from each end
        if (!reached[port.to_switch.value()]) {
          reached[port.to_switch.value()] = true;
          part.push_back(port.to_switch);
        }
      }
    }
    check.switches += static_cast<std::uint32_t>(part.size());
    first_part = parts == 1 ? part : first_part;
  }
  check.cables /= 2;
  check.is_tree = check.is_tree && check.cables + parts == check.switches;
  for (const EndPortIndex member : group.members) {
    const EndPort& end = view[member];
    const bool in_part = end.at.is_valid() && std::ranges::find(first_part, end.at) != first_part.end();
    const bool is_served = in_part && mask(end.at)[end.is_switch() ? 0U : end.switch_port];
    check.missing += group.members.size() > 1 && !is_served ? 1U : 0U;
  }
  return check;
}

}  // namespace weft::subnet
