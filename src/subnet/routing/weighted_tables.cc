#include "subnet/routing/weighted_tables.h"

#include <algorithm>
#include <functional>

#include "subnet/routing/path_heap.h"

namespace weft::subnet {
namespace {

constexpr std::uint64_t kUnreached = 0x7FFFFFFF;  // paths are not longer than that in OpenSM either

/// LIDs of a switch and of the adapters at it.
std::uint64_t lids_at(const RoutingView& view, SwitchIndex at) {
  std::uint64_t lids = view[view[at].end_port].lids;
  for (const SwitchPort& port : view[at].ports) {
    lids += port.to_end_port.is_valid() ? view[port.to_end_port].lids : 0;
  }
  return lids;
}

/// A cable in the direction away from the destination.
struct WeightedLink {
  std::uint32_t from = 0;  // vertex
  std::uint32_t to = 0;
  PortNumber egress = 0;   // of `to`, towards the destination
  PortNumber ingress = 0;  // of `from`, where that arrives
  std::uint64_t weight = 0;
};

/// Vertices are the switches of the view, and last the adapter that is the destination.
class WeightedRouter {
 public:
  explicit WeightedRouter(const RoutingView& view)
      : view_(view),
        adapter_(static_cast<std::uint32_t>(view.switches.size())),
        lids_(view.switches.size()),
        distance_(view.switches.size() + 1),
        used_(view.switches.size() + 1),
        settled_(view.switches.size() + 1) {
    std::uint64_t all = 0;
    for (const EndPort& end : view.end_ports) {
      all += end.type == NodeType::kRouter ? 0 : end.lids;
    }
    links_.resize(view.switches.size());
    for (std::uint32_t i = 0; i < view.switches.size(); ++i) {
      lids_[i] = lids_at(view, SwitchIndex(i));
      const std::vector<SwitchPort>& ports = view.switches[i].ports;
      for (std::size_t number = 0; number < ports.size(); ++number) {
        const SwitchPort& port = ports[number];
        if (port.to_switch.is_valid() && port.to_switch.value() != i) {
          links_[i].push_back({.from = i,
                               .to = port.to_switch.value(),
                               .egress = port.peer_port,
                               .ingress = static_cast<PortNumber>(number),
                               .weight = all * all});
        }
      }
    }
  }

  /// Whether the tree from a destination reaches all switches.
  bool grow_tree(EndPortIndex destination) {
    PathHeap heap(view_.switches.size() + 1);
    for (std::uint32_t i = 0; i < view_.switches.size(); ++i) {
      heap.insert({.distance = kUnreached, .vertex = i});
    }
    std::ranges::fill(distance_, kUnreached);
    std::ranges::fill(used_, nullptr);
    settled_.assign(settled_.size(), false);
    const EndPort& end = view_[destination];
    const std::uint32_t source = end.is_switch() ? end.at.value() : adapter_;
    if (!end.is_switch()) {
      to_switch_ = {.from = adapter_, .to = end.at.value(), .egress = end.switch_port, .weight = 1};
      heap.insert({.distance = kUnreached, .vertex = adapter_});
    }
    distance_[source] = 0;
    settled_[source] = true;
    heap.change({.distance = 0, .vertex = source});
    while (!heap.is_empty()) {
      settle(heap.take(), heap);
    }
    return std::count(used_.begin(), used_.end() - 1, nullptr) <= (end.is_switch() ? 1 : 0);
  }

  void write(Lid lid, ForwardingTables& tables) const {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      if (used_[i] != nullptr) {
        tables[i][lid] = used_[i]->egress;
      }
    }
  }

  [[nodiscard]] CableTree cables() const {
    CableTree tree(view_.switches.size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
      if (used_[i] != nullptr && used_[i]->from != adapter_) {
        tree[i] = {.above = SwitchIndex(used_[i]->from), .up = used_[i]->egress, .down = used_[i]->ingress};
      }
    }
    return tree;
  }

  void add_weights() {
    for (std::size_t i = 0; i < view_.switches.size(); ++i) {
      for (std::size_t at = i; used_[at] != nullptr; at = used_[at]->from) {
        used_[at]->weight += lids_[i];
      }
    }
  }

 private:
  void settle(std::uint32_t at, PathHeap& heap) {
    settled_[at] = true;
    if (at == adapter_) {
      relax(to_switch_, heap);
      return;
    }
    for (WeightedLink& link : links_[at]) {
      relax(link, heap);
    }
  }

  void relax(WeightedLink& link, PathHeap& heap) {
    const std::uint64_t distance = distance_[link.from] + link.weight;
    if (!settled_[link.to] && distance < distance_[link.to]) {
      used_[link.to] = &link;
      distance_[link.to] = distance;
      heap.change({.distance = distance, .vertex = link.to});
    }
  }

  const RoutingView& view_;
  std::uint32_t adapter_;
  std::vector<std::uint64_t> lids_;               // per switch
  std::vector<std::vector<WeightedLink>> links_;  // per switch
  WeightedLink to_switch_;                        // from the adapter
  std::vector<std::uint64_t> distance_;           // per vertex
  std::vector<WeightedLink*> used_;               // per vertex: the link of the tree that leads to it
  std::vector<bool> settled_;
};

}  // namespace

std::vector<EndPortIndex> weighted_order(const RoutingView& view) {
  std::vector<SwitchIndex> order;
  for (std::size_t i = 0; i < view.switches.size(); ++i) {
    order.push_back(view.switch_at(i));
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](SwitchIndex at) { return lids_at(view, at); });
  std::vector<EndPortIndex> ports;
  for (const SwitchIndex at : order) {
    for (const SwitchPort& port : view[at].ports) {
      if (port.to_end_port.is_valid() && view[port.to_end_port].type != NodeType::kRouter) {
        ports.push_back(port.to_end_port);
      }
    }
  }
  for (const SwitchIndex at : order) {
    ports.push_back(view[at].end_port);
  }
  return ports;
}

namespace {

Result<ForwardingTables> route_all(const RoutingView& view, WeightedRouter& router) {
  ForwardingTables tables = empty_tables(view);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i][view.switches[i].lid] = 0;
  }
  for (const EndPortIndex destination : weighted_order(view)) {
    const EndPort& end = view[destination];
    for (std::uint32_t offset = 0; offset < end.lids; ++offset) {
      if (!router.grow_tree(destination)) {
        return fail("not all switches can be reached from LID {}", end.lid);
      }
      router.write(static_cast<Lid>(end.lid + offset), tables);
      router.add_weights();
    }
  }
  return tables;
}

}  // namespace

Result<ForwardingTables> weighted_tables(const RoutingView& view) {
  WeightedRouter router(view);
  return route_all(view, router);
}

Result<std::vector<CableTree>> weighted_trees(const RoutingView& view, std::span<const SwitchIndex> roots) {
  WeightedRouter router(view);
  if (Result<ForwardingTables> routed = route_all(view, router); !routed) {
    return pass_on(routed);
  }
  std::vector<CableTree> trees(roots.size());
  for (std::size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].is_valid() && router.grow_tree(view[roots[i]].end_port)) {
      trees[i] = router.cables();
    }
  }
  return trees;
}

}  // namespace weft::subnet
