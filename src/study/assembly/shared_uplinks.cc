#include "study/assembly/shared_uplinks.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "fabric/topology/graph_query.h"
#include "study/assembly/graph_parts.h"

namespace weft::study::assembly {
namespace {

using fabric::Graph;
using fabric::Link;
using fabric::NodeIndex;
using fabric::NodeKind;

std::span<const EndpointId> own_rails(const world::MachinePlan& machine) {
  return std::span(machine.rails).first(machine.rails.size() - machine.lent_rails);
}

bool is_switch(const Graph& graph, NodeIndex node) { return graph[node].kind == NodeKind::kSwitch; }

/// Of switches the number of cables to the nearest host: their tiers, also in a graph that names none.
std::vector<std::uint32_t> levels_of(const Graph& graph) {
  constexpr std::uint32_t kNone = 0;
  std::vector<std::uint32_t> level(graph.nodes.size(), kNone);
  const auto rises = [&](NodeIndex from, NodeIndex to, std::uint32_t next) {
    const bool reached =
        next == 1 ? from.value() < graph.host_endpoints() : is_switch(graph, from) && level[from.value()] == next - 1;
    return reached && is_switch(graph, to) && level[to.value()] == kNone;
  };
  bool changed = true;
  for (std::uint32_t next = 1; changed; ++next) {
    std::vector<NodeIndex> risen;
    for (const Link& link : graph.links) {
      for (const auto& [from, to] : {std::pair(link.a.node, link.b.node), std::pair(link.b.node, link.a.node)}) {
        if (rises(from, to, next)) {
          risen.push_back(to);
        }
      }
    }
    for (const NodeIndex node : risen) {
      level[node.value()] = next;
    }
    changed = !risen.empty();
  }
  return level;
}

/// The ways to part a network: for each, which cables stay inside a block.
class Partings {
 public:
  Partings(const std::vector<world::MachinePlan>& machines, const Graph& graph)
      : machines_(machines), graph_(graph), rates_(fabric::endpoint_rates(graph)), found_(machines.size()) {
    const std::vector<std::uint32_t> level = levels_of(graph);
    const std::uint32_t top = level.empty() ? 0 : *std::ranges::max_element(level);
    add([](const Link&) { return false; });
    for (std::uint32_t at = 1; at < top; ++at) {
      add([&](const Link& link) { return level[link.a.node.value()] <= at && level[link.b.node.value()] <= at; });
    }
    if (std::ranges::any_of(graph.nodes, [](const fabric::Node& node) { return node.group > 0; })) {
      add([&](const Link& link) { return graph[link.a.node].group == graph[link.b.node].group; });
    }
  }

  [[nodiscard]] std::vector<std::vector<workload::SharedUplinks>> take() { return std::move(found_); }

 private:
  /// Cables of endpoints are always inside.
  void add(const std::function<bool(const Link&)>& is_inside) {
    const auto inside = [&](const Link& link) {
      return !is_switch(graph_, link.a.node) || !is_switch(graph_, link.b.node) || is_inside(link);
    };
    const std::vector<std::uint32_t> blocks = joined_by(graph_, inside);
    if (blocks == last_) {
      return;
    }
    last_ = blocks;
    std::vector<Rate> up(graph_.nodes.size());
    for (const Link& link : graph_.links) {
      const std::uint32_t a = blocks[link.a.node.value()];
      const std::uint32_t b = blocks[link.b.node.value()];
      if (a != b) {
        up[a] = up[a] + link.rate;
        up[b] = up[b] + link.rate;
      }
    }
    std::vector<std::int64_t> rails(graph_.nodes.size());
    for (const world::MachinePlan& machine : machines_) {
      for (const EndpointId rail : own_rails(machine)) {
        ++rails[blocks[rail.value()]];
      }
    }
    for (std::size_t i = 0; i < machines_.size(); ++i) {
      if (own_rails(machines_[i]).empty()) {
        continue;
      }
      const std::uint32_t first = own_rails(machines_[i]).front().value();
      const std::uint32_t block = blocks[first];
      const Rate share = up[block] / rails[block];
      if (share > Rate::zero() && share < rates_[first]) {
        found_[i].push_back({.block = next_block_ + block, .share = share});
      }
    }
    next_block_ += static_cast<std::uint32_t>(graph_.nodes.size());
  }

  const std::vector<world::MachinePlan>& machines_;
  const Graph& graph_;
  std::vector<Rate> rates_;
  std::vector<std::vector<workload::SharedUplinks>> found_;
  std::vector<std::uint32_t> last_;  // the blocks of the parting before
  std::uint32_t next_block_ = 0;
};

}  // namespace

std::vector<std::vector<workload::SharedUplinks>> shared_uplinks(const std::vector<world::MachinePlan>& machines,
                                                                 const Graph& graph) {
  return Partings(machines, graph).take();
}

}  // namespace weft::study::assembly
