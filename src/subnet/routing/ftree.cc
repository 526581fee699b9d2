#include "subnet/routing/ftree.h"

#include <algorithm>
#include <tuple>

#include "subnet/routing/fat_tree.h"

namespace weft::subnet {
namespace {

constexpr std::uint8_t kNoHops = 255;
constexpr Lid kMissingAdapter = 0;  // for which a leaf routes although it is not there

/// Whether routes to a LID count for balance: to adapters along their first path.
enum class PathKind : std::uint8_t { kMain, kSecondary };

TreePort& least_used(TreeGroup& group, std::uint32_t TreePort::*routes) {
  return *std::ranges::min_element(group.ports, {}, routes);  // the first of equal ones
}

class TreeRouter {
 public:
  TreeRouter(const RoutingView& view, FatTree& tree)
      : view_(view), tree_(tree), tables_(empty_tables(view)), hops_(view.switches.size()) {
    for (std::vector<std::uint8_t>& hops : hops_) {
      hops.assign(view.by_lid.size(), kNoHops);
    }
  }

  void route() {
    for (const SwitchIndex leaf : tree_.leaves) {
      route_leaf(leaf);
    }
    for (std::size_t i = 0; i < view_.switches.size(); ++i) {
      start(view_.switch_at(i), view_.switches[i].lid, {.port = 0, .hops = 0, .kind = PathKind::kSecondary});
    }
  }

  [[nodiscard]] ForwardingTables take_tables() { return std::move(tables_); }

  /// Between switches: through every cable to the neighbour that the route takes.
  [[nodiscard]] HopMatrix hops() const {
    HopMatrix matrix(view_);
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const SwitchIndex from = view_.switch_at(i);
      const std::vector<SwitchPort>& ports = view_[from].ports;
      for (std::size_t k = 0; k < tables_.size(); ++k) {
        const SwitchIndex to = view_.switch_at(k);
        const PortNumber egress = tables_[i][view_[to].lid];
        for (std::size_t port = 0; port < ports.size() && egress != kNoRoute; ++port) {
          const bool is_parallel = ports[port].to_switch.is_valid() && ports[port].to_switch == ports[egress].to_switch;
          if (port == egress || is_parallel) {
            matrix.set({.from = from, .to = to, .port = static_cast<PortNumber>(port)}, hops_[i][view_[to].lid]);
          }
        }
      }
    }
    return matrix;
  }

 private:
  struct Start {
    PortNumber port = 0;
    std::uint8_t hops = 0;
    PathKind kind = PathKind::kMain;
  };

  void start(SwitchIndex at, Lid lid, const Start& first) {
    tables_[at.value()][lid] = first.port;
    hops_[at.value()][lid] = first.hops;
    ascend(at, SwitchIndex(), {.lid = lid, .hops = first.hops}, first.kind);
  }

  void route_leaf(SwitchIndex leaf) {
    std::size_t routed = 0;
    for (const std::unique_ptr<TreeGroup>& group : tree_[leaf].down) {
      if (group->to_end_port.is_valid()) {
        start(leaf, view_[group->to_end_port].lid, {.port = group->ports.front().port, .hops = 1});
        ++routed;
      }
    }
    for (; routed < tree_.adapters_per_leaf; ++routed) {
      start(leaf, kMissingAdapter, {.port = kNoRoute, .hops = 1});
      for (std::size_t i = 0; i < tables_.size(); ++i) {
        tables_[i][kMissingAdapter] = kNoRoute;
        hops_[i][kMissingAdapter] = kNoHops;
      }
    }
  }

  struct Target {
    Lid lid = 0;
    std::uint8_t hops = 0;  // from where the search is
    [[nodiscard]] Target further() const { return {.lid = lid, .hops = static_cast<std::uint8_t>(hops + 1)}; }
  };

  void sort(TreeGroups& groups, std::uint32_t TreeGroup::*routes) {
    const bool among_switches =
        std::ranges::all_of(groups, [](const auto& group) { return group->to_switch.is_valid(); });
    if (among_switches) {
      std::ranges::stable_sort(
          groups, {}, [&](const auto& group) { return std::tuple((*group).*routes, tree_[group->to_switch].index); });
    }
  }

  void set(SwitchIndex at, const Target& target, PortNumber egress) {
    tables_[at.value()][target.lid] = egress;
    hops_[at.value()][target.lid] = target.hops;
  }

  /// Routes of what lies below a switch: up to it and on to the target. Whether an adapter was reached.
  bool descend(SwitchIndex at, SwitchIndex before, const Target& target) {
    TreeSwitch& here = tree_[at];
    if (here.down.empty()) {
      return false;
    }
    sort(here.down, &TreeGroup::routes_up);
    sort(here.level, &TreeGroup::routes_up);
    const std::size_t level = target.lid == kMissingAdapter ? 0 : here.level.size();
    bool created = false;
    for (std::size_t i = 0; i < here.down.size() + level; ++i) {
      TreeGroup& group = i < here.down.size() ? *here.down[i] : *here.level[i - here.down.size()];
      if (!group.to_switch.is_valid()) {
        created = true;
        continue;
      }
      const std::uint8_t known = hops_[group.to_switch.value()][target.lid];
      if (group.to_switch == before || (known != kNoHops && target.hops + 1 >= known)) {
        continue;
      }
      TreePort& port = least_used(group, &TreePort::routes_up);
      set(group.to_switch, target.further(), port.remote_port);
      if (descend(group.to_switch, SwitchIndex(), target.further())) {
        created = true;
        ++port.routes_up;
        ++group.routes_up;
      }
    }
    return created;
  }

  /// Routes of what lies above a switch: down to it and on to the target; and of what lies below those.
  bool ascend(SwitchIndex at, SwitchIndex before, const Target& target, PathKind kind) {
    bool created = descend(at, before, target);
    TreeSwitch& here = tree_[at];
    if (here.rank == 0) {
      return created;
    }
    sort(here.up, &TreeGroup::routes_down);
    TreeGroup& main = *here.up.front();
    if (kind == PathKind::kMain) {
      TreePort& port = least_used(main, &TreePort::routes_down);
      ++main.routes_down;
      ++port.routes_down;
      if (is_better(main.to_switch, target.further())) {
        set(main.to_switch, target.further(), port.remote_port);
      }
      created |= ascend(main.to_switch, at, target.further(), PathKind::kMain);
    }
    for (std::size_t i = kind == PathKind::kMain ? 1 : 0; i < here.up.size(); ++i) {
      created |= step_aside(*here.up[i], at, target).created;
    }
    sort(here.level, &TreeGroup::routes_down);
    for (const std::unique_ptr<TreeGroup>& group : here.level) {
      const Aside aside = step_aside(*group, at, target);
      created |= aside.created;
      if (aside.created) {
        ++main.routes_down;  // OpenSM counts it there, not at the group that it took
        ++aside.port->routes_down;
      }
    }
    return created;
  }

  struct Aside {
    bool created = false;
    TreePort* port = nullptr;
  };

  Aside step_aside(TreeGroup& group, SwitchIndex at, const Target& target) {
    if (!is_better(group.to_switch, target.further())) {
      return {};
    }
    TreePort& port = least_used(group, &TreePort::routes_down);
    set(group.to_switch, target.further(), port.remote_port);
    return {.created = ascend(group.to_switch, at, target.further(), PathKind::kSecondary), .port = &port};
  }

  [[nodiscard]] bool is_better(SwitchIndex at, const Target& target) const {
    return tables_[at.value()][target.lid] == kNoRoute || target.hops < hops_[at.value()][target.lid];
  }

  const RoutingView& view_;
  FatTree& tree_;
  ForwardingTables tables_;
  std::vector<std::vector<std::uint8_t>> hops_;  // per switch and LID
};

}  // namespace

Result<Routes> route_ftree(const RoutingView& view, const EngineOptions& /*options*/) {
  Result<FatTree> tree = make_fat_tree(view);
  if (!tree) {
    return pass_on(tree);
  }
  TreeRouter router(view, *tree);
  router.route();
  return Routes{.tables = router.take_tables(), .plan = {}};
}

Result<HopMatrix> ftree_hops(const RoutingView& view) {
  Result<FatTree> tree = make_fat_tree(view);
  if (!tree) {
    return pass_on(tree);
  }
  TreeRouter router(view, *tree);
  router.route();
  return router.hops();
}

}  // namespace weft::subnet
