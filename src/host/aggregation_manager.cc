#include "host/aggregation_manager.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/assert.h"
#include "base/stable_hash.h"
#include "fabric/topology/reducers.h"

namespace weft::host {

AggregationManager::AggregationManager(const ReductionOptions& options, const Environment& environment)
    : options_(options), environment_(environment) {
  for (std::uint32_t i = 0; i < environment.endpoints.size(); ++i) {
    in_graph_.emplace(environment.endpoints[i], EndpointId(i));
  }
  for (const fabric::Link& link : environment.graph.links) {
    ports_.try_emplace({link.a.node, link.b.node}, link.a.port);
    ports_.try_emplace({link.b.node, link.a.node}, link.b.port);
  }
}

void AggregationManager::make_reducers(const std::function<Nic&(EndpointId)>& nic) {
  for (const fabric::ReducerSite& site : fabric::reducers_of(environment_.graph)) {
    const std::string name = environment_.graph[site.at].name + "/reducer";
    Reducer& made = reducers_.emplace_back(Reducer::Place{.kernel = environment_.kernel,
                                                          .index = end_actor(),
                                                          .name = name,
                                                          .carries_bytes = environment_.carries_bytes,
                                                          .service = environment_.service},
                                           options_);
    actors_.push_back({&made, stable_hash(environment_.seed, name)});
    reducer_at_[site.at] = static_cast<std::uint32_t>(reducers_.size() - 1);
    for (std::uint16_t port = 0; port < site.ports; ++port) {
      const EndpointId own(site.first_port.value() + port);
      made.add_port(nic(environment_.endpoints.empty() ? own : environment_.endpoints[own.value()]));
    }
  }
}

verbs::GroupProvider& AggregationManager::add_rail(Nic& nic, SimProvider& rail, const std::string& name) {
  SimGroupProvider& made = rails_.emplace_back(SimGroupProvider::Place{.kernel = environment_.kernel,
                                                                       .index = end_actor(),
                                                                       .nic = nic,
                                                                       .rail = rail,
                                                                       .manager = *this,
                                                                       .service = environment_.service},
                                               options_);
  actors_.push_back({&made, stable_hash(environment_.seed, name)});
  return made;
}

void AggregationManager::register_actors(sim::ActorOrder& ranks) {
  for (const Actor& actor : actors_) {
    ranks.add({actor.name_hash, kReduction}, actor.actor->wake());
  }
}

std::string AggregationManager::name_of(const std::vector<EndpointId>& members, std::size_t number) const {
  std::string name = fmt::format("group {}", number);
  for (const EndpointId member : members) {
    name += ' ';
    name += environment_.graph.nodes[in_graph(member).value()].name;
  }
  return name;
}

EndpointId AggregationManager::in_graph(EndpointId member) const {
  EndpointId own = member;
  if (!environment_.endpoints.empty()) {
    const auto found = in_graph_.find(member);
    own = found == in_graph_.end() ? EndpointId() : found->second;
  }
  return own.is_valid() && own.value() < environment_.graph.host_endpoints() ? own : EndpointId();
}

Psn AggregationManager::psn_of(const std::string& edge) const {
  return Psn(static_cast<std::uint32_t>(stable_hash(environment_.seed, edge) & 0xFFFFFF));
}

Psn AggregationManager::first_psn(const Joining& joining) const {
  const auto found = families_.find(joining.members);
  const std::uint32_t number = found == families_.end() ? 0 : found->second.joined[joining.self];
  return psn_of(fmt::format("psn of member {} of {}", joining.self, name_of(joining.members, number)));
}

Result<void> AggregationManager::check(const Joining& joining) const {
  for (const EndpointId endpoint : joining.members) {
    if (!in_graph(endpoint).is_valid()) {
      return fail("group: there is no endpoint {}", endpoint.value());
    }
  }
  return {};
}

Result<void> AggregationManager::reserve(const verbs::GroupReservation& reservation) {
  const auto known = reserved_.find(reservation.owner);
  return known != reserved_.end() ? known->second
                                  : reserved_.emplace(reservation.owner, make_trees(reservation)).first->second;
}

Result<void> AggregationManager::make_trees(const verbs::GroupReservation& reservation) {
  const std::vector<std::vector<EndpointId>>& groups = reservation.groups;
  for (const std::vector<EndpointId>& members : groups) {
    if (Result<void> checked = check({.members = members}); !checked) {
      return checked;
    }
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    MemberSet& family = families_[groups[i]];
    family.joined.resize(groups[i].size());
    Result<std::uint32_t> made = make_tree(groups[i], name_of(groups[i], family.trees.size()));
    if (made) {
      family.trees.push_back(*made);
      continue;
    }
    for (std::size_t before = i; before-- > 0;) {  // these are the last ones of their families, and of all
      close(trees_.back());
      trees_.pop_back();
      families_[groups[before]].trees.pop_back();
    }
    return groups.size() == 1 ? pass_on(made)
                              : fail("{}; it would be group {} of the {} that are needed together",
                                     made.error().message, i + 1, groups.size());
  }
  return {};
}

Result<AggregationManager::Membership> AggregationManager::join(const Joining& joining, const EdgeAddress& member) {
  WEFT_ASSERT(check(joining));
  MemberSet& family = families_[joining.members];
  family.joined.resize(joining.members.size());
  const std::uint32_t number = family.joined[joining.self];
  if (number == family.trees.size()) {
    Result<std::uint32_t> made = make_tree(joining.members, name_of(joining.members, number));
    if (!made) {
      return pass_on(made);
    }
    family.trees.push_back(*made);
  }
  const std::uint32_t index = family.trees[number];
  Tree& tree = trees_[index];
  const MemberPlace place = tree.members[joining.self];
  const fabric::NodeIndex at = tree.shape.nodes[place.node].at;
  const Reducer::EdgePlace edge{
      .group = tree.groups[place.node],
      .child = place.child,
      .port = ports_.at({at, tree.shape.nodes[place.node].children[place.child].via}),
      .first_psn = psn_of(fmt::format("psn towards member {} of {}", joining.self, tree.name))};
  Reducer& reducer = reducer_of(tree, place.node);
  Result<EdgeAddress> opened = reducer.open_edge(edge);
  if (!opened) {
    return pass_on(opened);
  }
  if (Result<void> connected = reducer.connect_edge(edge, member); !connected) {
    return pass_on(connected);
  }
  ++family.joined[joining.self];
  return Membership{.tree = index, .reducer = *opened};
}

Reducer& AggregationManager::reducer_of(const Tree& tree, std::uint32_t node) {
  return reducers_[reducer_at_.at(tree.shape.nodes[node].at)];
}

Result<std::uint32_t> AggregationManager::make_tree(const std::vector<EndpointId>& members, const std::string& name) {
  std::vector<EndpointId> own;
  for (const EndpointId member : members) {
    own.push_back(in_graph(member));
  }
  Result<fabric::AggregationTree> shape =
      fabric::make_aggregation_tree(environment_.graph, own, stable_hash(environment_.seed, name));
  if (!shape) {
    return pass_on(shape);
  }
  Tree tree{.name = name, .shape = std::move(*shape), .groups = {}, .members = {}, .left = {}};
  tree.members.resize(members.size());
  for (std::uint32_t node = 0; node < tree.shape.nodes.size(); ++node) {
    const auto& children = tree.shape.nodes[node].children;
    for (std::uint32_t child = 0; child < children.size(); ++child) {
      if (children[child].is_member) {
        tree.members[children[child].index] = {.node = node, .child = child};
      }
    }
  }
  if (Result<void> opened = open_groups(tree); !opened) {
    close(tree);
    return pass_on(opened);
  }
  trees_.push_back(std::move(tree));
  return static_cast<std::uint32_t>(trees_.size() - 1);
}

Result<void> AggregationManager::open_groups(Tree& tree) {
  for (std::uint32_t i = 0; i < tree.shape.nodes.size(); ++i) {
    const fabric::AggregationTree::Node& node = tree.shape.nodes[i];
    Reducer::GroupShape shape{.children = static_cast<std::uint32_t>(node.children.size()), .members = {}};
    for (const fabric::AggregationTree::Child& child : node.children) {
      shape.members.push_back(child.is_member ? std::vector{child.index} : tree.shape.nodes[child.index].members);
    }
    Result<Reducer::GroupNumber> opened = reducer_of(tree, i).open_group(shape);
    if (!opened) {
      return pass_on(opened);
    }
    tree.groups.push_back(*opened);
  }
  for (std::uint32_t i = 0; i < tree.shape.nodes.size(); ++i) {
    const auto& children = tree.shape.nodes[i].children;
    for (std::uint32_t child = 0; child < children.size(); ++child) {
      if (!children[child].is_member) {
        if (Result<void> joined = join_nodes(tree, i, child); !joined) {
          return joined;
        }
      }
    }
  }
  return {};
}

Result<void> AggregationManager::join_nodes(Tree& tree, std::uint32_t parent, std::uint32_t child) {
  const std::uint32_t below = tree.shape.nodes[parent].children[child].index;
  const fabric::NodeIndex upper = tree.shape.nodes[parent].at;
  const fabric::NodeIndex lower = tree.shape.nodes[below].at;
  const std::string edge =
      fmt::format("{} {} to {}", tree.name, environment_.graph[lower].name, environment_.graph[upper].name);
  const Reducer::EdgePlace down{.group = tree.groups[parent],
                                .child = child,
                                .port = ports_.at({upper, tree.shape.nodes[parent].children[child].via}),
                                .first_psn = psn_of("psn down " + edge)};
  const Reducer::EdgePlace up{.group = tree.groups[below],
                              .child = {},
                              .port = ports_.at({lower, tree.shape.nodes[below].up}),
                              .first_psn = psn_of("psn up " + edge)};
  Result<EdgeAddress> at_parent = reducer_of(tree, parent).open_edge(down);
  if (!at_parent) {
    return pass_on(at_parent);
  }
  Result<EdgeAddress> at_child = reducer_of(tree, below).open_edge(up);
  if (!at_child) {
    return pass_on(at_child);
  }
  if (Result<void> connected = reducer_of(tree, parent).connect_edge(down, *at_child); !connected) {
    return connected;
  }
  return reducer_of(tree, below).connect_edge(up, *at_parent);
}

void AggregationManager::close(Tree& tree) {
  for (std::uint32_t i = 0; i < tree.groups.size(); ++i) {
    reducer_of(tree, i).close_group(tree.groups[i]);
  }
  tree.groups.clear();
  for (TreeEdge& edge : tree.left) {
    edge.destroy();
  }
  tree.left.clear();
}

void AggregationManager::leave(std::uint32_t index, const TreeEdge& edge) {
  Tree& tree = trees_[index];
  WEFT_ASSERT(tree.left.size() < tree.members.size());  // each member leaves once
  tree.left.push_back(edge);
  if (tree.left.size() == tree.members.size()) {
    close(tree);
  }
}

std::size_t AggregationManager::trees() const {
  return static_cast<std::size_t>(
      std::count_if(trees_.begin(), trees_.end(), [](const Tree& tree) { return !tree.groups.empty(); }));
}

std::size_t AggregationManager::heap_bytes() const {
  std::size_t bytes = rails_.size() * sizeof(SimGroupProvider);
  for (const Reducer& reducer : reducers_) {
    bytes += sizeof(reducer) + reducer.heap_bytes();
  }
  return bytes;
}

}  // namespace weft::host
