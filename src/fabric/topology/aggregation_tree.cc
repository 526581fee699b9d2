#include "fabric/topology/aggregation_tree.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/stable_hash.h"
#include "fabric/topology/reducers.h"

namespace weft::fabric {
namespace {

constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

/// The switches of a graph by ordinal: who is joined with whom, and what each is worth in a choice.
class Switches {
 public:
  Switches(const Graph& graph, std::uint64_t choice) : graph_(graph), neighbours_(graph.switches()) {
    attached_.assign(graph.endpoints, kFar);
    for (const Link& link : graph.links) {
      for (const auto& [near, far] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
        if (is_switch(near.node) && is_switch(far.node)) {
          neighbours_[ordinal(near.node)].push_back(ordinal(far.node));
        } else if (is_switch(far.node)) {
          attached_[near.node.value()] = ordinal(far.node);
        }
      }
    }
    for (std::uint32_t i = 0; i < graph.switches(); ++i) {
      worth_.push_back(stable_hash(choice, name(i)));
    }
    reduces_.assign(graph.switches(), false);
    for (const ReducerSite& site : reducers_of(graph)) {
      reduces_[ordinal(site.at)] = true;
    }
  }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(neighbours_.size()); }
  [[nodiscard]] const std::string& name(std::uint32_t i) const { return graph_.nodes[graph_.endpoints + i].name; }
  [[nodiscard]] NodeIndex node(std::uint32_t i) const { return NodeIndex(graph_.endpoints + i); }
  /// The switch that an endpoint is attached to; kFar: none.
  [[nodiscard]] std::uint32_t of(EndpointId endpoint) const { return attached_[endpoint.value()]; }
  [[nodiscard]] bool reduces(std::uint32_t i) const { return reduces_[i]; }
  [[nodiscard]] bool better(std::uint32_t a, std::uint32_t b) const {
    return worth_[a] != worth_[b] ? worth_[a] > worth_[b] : name(a) < name(b);
  }

  /// Hops from one switch to each.
  [[nodiscard]] std::vector<std::uint32_t> distances(std::uint32_t from) const {
    std::vector<std::uint32_t> distance(count(), kFar);
    std::vector<std::uint32_t> queue{from};
    distance[from] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const std::uint32_t neighbour : neighbours_[queue[next]]) {
        if (distance[neighbour] == kFar) {
          distance[neighbour] = distance[queue[next]] + 1;
          queue.push_back(neighbour);
        }
      }
    }
    return distance;
  }

  /// The chosen neighbour one hop nearer to where the distances are counted from.
  [[nodiscard]] std::uint32_t towards(std::uint32_t from, const std::vector<std::uint32_t>& distance) const {
    std::uint32_t best = kFar;
    for (const std::uint32_t neighbour : neighbours_[from]) {
      if (distance[neighbour] + 1 == distance[from] && (best == kFar || better(neighbour, best))) {
        best = neighbour;
      }
    }
    return best;
  }

 private:
  [[nodiscard]] bool is_switch(NodeIndex node) const { return node.value() >= graph_.endpoints; }
  [[nodiscard]] std::uint32_t ordinal(NodeIndex node) const { return node.value() - graph_.endpoints; }

  const Graph& graph_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::uint32_t> attached_;
  std::vector<std::uint64_t> worth_;
  std::vector<bool> reduces_;
};

/// The switch with a reducer whose farthest leaf is nearest; the farthest of unreachable ones is infinitely far.
Result<std::uint32_t> choose_root(const Switches& switches, const std::vector<std::uint32_t>& leaves) {
  std::vector<std::uint32_t> farthest(switches.count(), 0);
  for (const std::uint32_t leaf : leaves) {
    const std::vector<std::uint32_t> distance = switches.distances(leaf);
    for (std::uint32_t i = 0; i < switches.count(); ++i) {
      farthest[i] = std::max(farthest[i], distance[i]);
    }
  }
  std::uint32_t best = kFar;
  bool reachable = false;
  for (std::uint32_t i = 0; i < switches.count(); ++i) {
    reachable = reachable || farthest[i] != kFar;
    if (farthest[i] == kFar || !switches.reduces(i)) {
      continue;
    }
    if (best == kFar || farthest[i] < farthest[best] || (farthest[i] == farthest[best] && switches.better(i, best))) {
      best = i;
    }
  }
  if (best == kFar) {
    return reachable ? fail("no switch that joins the group's members has a reducer")
                     : fail("the group's members cannot reach one another through switches");
  }
  return best;
}

/// Grows the tree from the leaves' ways to the root.
class TreeBuilder {
 public:
  TreeBuilder(const Switches& switches, std::uint32_t root)
      : switches_(switches),
        distance_(switches.distances(root)),
        children_(switches.count()),
        members_(switches.count()),
        seen_(switches.count(), false) {
    seen_[root] = true;
  }

  void add_member(std::uint32_t member, EndpointId endpoint) {
    const std::uint32_t leaf = switches_.of(endpoint);
    members_[leaf].push_back(
        {.index = member, .is_member = true, .first_member = member, .via = NodeIndex(endpoint.value())});
    for (std::uint32_t at = leaf; !seen_[at];) {
      seen_[at] = true;
      const std::uint32_t above = switches_.towards(at, distance_);
      children_[above].push_back(at);
      at = above;
    }
  }

  [[nodiscard]] AggregationTree finish(std::uint32_t root) && {
    (void)gather(root);
    // Gathered from the leaves upwards: turned round, so that the root stands first.
    const auto last = static_cast<std::uint32_t>(tree_.nodes.size() - 1);
    std::reverse(tree_.nodes.begin(), tree_.nodes.end());
    for (std::uint32_t i = 0; i <= last; ++i) {
      for (AggregationTree::Child& child : tree_.nodes[i].children) {
        if (!child.is_member) {
          child.index = last - child.index;
          tree_.nodes[child.index].parent = i;
        }
      }
    }
    return std::move(tree_);
  }

 private:
  using Child = AggregationTree::Child;

  /// What the switch's subtree is to whoever is above: one node or member, or several where nothing here reduces.
  std::vector<Child> gather(std::uint32_t at) {
    std::vector<Child> found = members_[at];
    for (const std::uint32_t below : children_[at]) {
      for (Child child : gather(below)) {
        child.via = switches_.node(below);
        found.push_back(child);
      }
    }
    if (found.size() < 2 || !switches_.reduces(at)) {
      return found;
    }
    std::sort(found.begin(), found.end(),
              [](const Child& a, const Child& b) { return a.first_member < b.first_member; });
    const std::uint32_t above = switches_.towards(at, distance_);
    AggregationTree::Node node{.at = switches_.node(at),
                               .parent = {},
                               .up = above == kFar ? NodeIndex() : switches_.node(above),
                               .children = found,
                               .members = {}};
    for (const Child& child : found) {
      if (child.is_member) {
        node.members.push_back(child.index);
      } else {
        const std::vector<std::uint32_t>& below = tree_.nodes[child.index].members;
        node.members.insert(node.members.end(), below.begin(), below.end());
      }
    }
    std::sort(node.members.begin(), node.members.end());
    tree_.nodes.push_back(std::move(node));
    return {{.index = static_cast<std::uint32_t>(tree_.nodes.size() - 1),
             .is_member = false,
             .first_member = found.front().first_member,
             .via = {}}};
  }

  const Switches& switches_;
  std::vector<std::uint32_t> distance_;  // from the root
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::vector<Child>> members_;
  std::vector<bool> seen_;
  AggregationTree tree_;
};

}  // namespace

Result<AggregationTree> make_aggregation_tree(const Graph& graph, std::span<const EndpointId> members,
                                              std::uint64_t choice) {
  WEFT_ASSERT(members.size() >= 2);
  const Switches switches(graph, choice);
  std::vector<std::uint32_t> leaves;
  for (const EndpointId member : members) {
    if (member.value() >= graph.host_endpoints() || switches.of(member) == kFar) {
      return fail("a group's member, endpoint {}, is not attached to a switch", member.value());
    }
    leaves.push_back(switches.of(member));
  }
  std::sort(leaves.begin(), leaves.end());
  leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
  Result<std::uint32_t> root = choose_root(switches, leaves);
  if (!root) {
    return pass_on(root);
  }
  TreeBuilder builder(switches, *root);
  for (std::uint32_t member = 0; member < members.size(); ++member) {
    builder.add_member(member, members[member]);
  }
  return std::move(builder).finish(*root);
}

}  // namespace weft::fabric
