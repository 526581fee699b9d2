#include "fabric/routing/non_minimal.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "fabric/routing/ecmp_hash.h"

namespace weft::fabric {

template <class Leads>
NonMinimal::Set NonMinimal::add_ports(const std::vector<Neighbour>& neighbours, Leads&& leads) {
  const auto first = static_cast<std::uint32_t>(ports_.size());
  for (const Neighbour& neighbour : neighbours) {
    if (leads(neighbour.at)) {
      ports_.push_back(neighbour.port);
    }
  }
  std::sort(ports_.begin() + first, ports_.end());
  return {.first = first, .count = static_cast<std::uint32_t>(ports_.size()) - first};
}

NonMinimal::NonMinimal(const Graph& graph, const Routes& routes) {
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    const std::uint32_t group = graph.nodes[i].group;
    WEFT_ASSERT(group > 0 && group <= kMaxGroups);
    groups_ = std::max(groups_, group);
    group_of_.push_back(static_cast<std::uint8_t>(group));
  }
  const Neighbours neighbours = read_links(graph, routes);
  sets_.resize(group_of_.size() * (groups_ + 1));
  descents_.resize(sets_.size());
  // Each set rests on the one before: cables of spines, leaves below spines that have some, spines above such leaves.
  const auto for_others = [&](bool spines, const auto& visit) {
    for (std::uint32_t own = 0; own < group_of_.size(); ++own) {
      for (std::uint32_t group = 1; is_spine(own) == spines && group <= groups_; ++group) {
        if (group != group_of_[own]) {
          visit(own, static_cast<State>(group));
        }
      }
    }
  };
  bool whole = true;  // every spine has cables to every other group
  for_others(true, [&](std::uint32_t own, State group) {
    Set& set = sets_[at(own, group)];
    set = add_ports(neighbours[own], [&](std::uint32_t other) { return group_of_[other] == group; });
    whole = whole && set.count > 0;
  });
  for_others(false, [&](std::uint32_t own, State group) {
    sets_[at(own, group)] = add_ports(
        neighbours[own], [&](std::uint32_t other) { return is_spine(other) && !towards(other, group).empty(); });
  });
  for_others(true, [&](std::uint32_t own, State group) {
    descents_[at(own, group)] = add_ports(
        neighbours[own], [&](std::uint32_t other) { return !is_spine(other) && !towards(other, group).empty(); });
  });
  // Within the intermediate group a packet goes down and up again where its spine has no cable to the next group.
  const std::uint32_t between = whole ? 0 : 2;
  hops_ = {Hops{.direct = 3, .detour = 4 + between}, Hops{.direct = 2, .detour = 3 + between}};
}

NonMinimal::Neighbours NonMinimal::read_links(const Graph& graph, const Routes& routes) {
  Neighbours neighbours(group_of_.size());
  joined_.assign(std::size_t{groups_ + 1} * (groups_ + 1), 0);
  is_spine_.assign(group_of_.size(), 0);
  for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
    const Link& link = graph.links[i];
    for (const auto& [near, far] : {std::pair(link.a, link.b), {link.b, link.a}}) {
      if (near.node.value() < graph.endpoints || far.node.value() < graph.endpoints) {
        continue;
      }
      const std::uint32_t own = near.node.value() - graph.endpoints;
      const std::uint32_t other = far.node.value() - graph.endpoints;
      if (group_of_[own] != group_of_[other]) {
        is_spine_[own] = 1;
      }
      if (routes.state_of(LinkIndex(i)) == LinkState::kUp) {
        neighbours[own].push_back({.at = other, .port = near.port});
        joined_[std::size_t{group_of_[own]} * (groups_ + 1) + group_of_[other]] = 1;
      }
    }
  }
  return neighbours;
}

bool NonMinimal::is_usable(const Place& place, std::uint32_t group) const {
  return group != group_of_[place.switch_ordinal] && group != group_of_[place.leaf] &&
         joins(group, group_of_[place.leaf]) && !towards(place.switch_ordinal, static_cast<State>(group)).empty();
}

std::optional<NonMinimal::State> NonMinimal::intermediate(const Place& place, std::uint32_t hash) const {
  std::uint32_t usable = 0;
  for (std::uint32_t group = 1; group <= groups_; ++group) {
    usable += is_usable(place, group) ? 1 : 0;
  }
  if (usable == 0) {
    return std::nullopt;
  }
  std::uint32_t left = pick(hash, usable);
  for (std::uint32_t group = 1;; ++group) {
    if (is_usable(place, group) && left-- == 0) {
      return static_cast<State>(group);
    }
  }
}

std::size_t NonMinimal::heap_bytes() const {
  return group_of_.capacity() + is_spine_.capacity() + joined_.capacity() +
         (sets_.capacity() + descents_.capacity()) * sizeof(Set) + ports_.capacity() * sizeof(ports_[0]);
}

}  // namespace weft::fabric
