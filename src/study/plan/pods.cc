#include "study/plan/pods.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

namespace weft::study::plan {
namespace {

/// Nodes that belong together, by the first of them.
class NodeSets {
 public:
  explicit NodeSets(std::size_t nodes) : first_(nodes) { std::iota(first_.begin(), first_.end(), std::size_t{0}); }
  std::size_t find(std::size_t node) {
    while (first_[node] != node) {
      first_[node] = first_[first_[node]];
      node = first_[node];
    }
    return node;
  }
  void join(std::size_t a, std::size_t b) {
    const std::size_t first = find(a);
    const std::size_t second = find(b);
    first_[std::max(first, second)] = std::min(first, second);
  }

 private:
  std::vector<std::size_t> first_;
};

bool is_reducer(const fabric::Graph& graph, fabric::NodeIndex node) {
  return node.value() >= graph.host_endpoints() && node.value() < graph.endpoints;
}

}  // namespace

Pods pods_of(const fabric::Graph& graph) {
  NodeSets sets(graph.nodes.size());
  std::vector<bool> begins_host(graph.host_endpoints());
  std::string_view last;
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    const std::string_view name = graph.nodes[i].name;
    const std::string_view host = name.substr(0, name.find('/'));
    begins_host[i] = host != last;
    if (!begins_host[i]) {
      sets.join(i, i - 1);
    }
    last = host;
  }
  for (const fabric::Link& link : graph.links) {
    const bool is_host = link.a.node.value() < graph.host_endpoints() || link.b.node.value() < graph.host_endpoints();
    if (is_host) {
      sets.join(link.a.node.value(), link.b.node.value());
    }
  }
  std::map<std::size_t, std::int64_t> hosts;
  for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
    hosts[sets.find(i)] += begins_host[i] ? 1 : 0;
  }
  Pods made{.count = static_cast<std::int64_t>(hosts.size())};
  for (const auto& [first, count] : hosts) {
    made.most_hosts = std::max(made.most_hosts, count);
  }
  for (const fabric::Link& link : graph.links) {
    const std::size_t a = sets.find(link.a.node.value());
    const std::size_t b = sets.find(link.b.node.value());
    if (a == b || is_reducer(graph, link.a.node) || is_reducer(graph, link.b.node)) {
      continue;
    }
    const auto rate = static_cast<double>(link.rate.bits_per_second());
    made.out += (hosts.contains(a) ? rate : 0) + (hosts.contains(b) ? rate : 0);
  }
  return made;
}

}  // namespace weft::study::plan
