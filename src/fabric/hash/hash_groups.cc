#include "fabric/hash/hash_groups.h"

#include <algorithm>
#include <utility>

namespace weft::fabric {

HashGroups::HashGroups(const Graph& graph, std::vector<Switch> switches)
    : switches_(std::move(switches)), neighbours_(graph.switches()) {
  WEFT_ASSERT(switches_.size() == graph.switches());
  for (std::uint32_t i = 0; i < switches_.size(); ++i) {
    const Node& node = graph.nodes[graph.endpoints + i];
    choices_.emplace_back(switches_[i].options, MemberChoice::Switch{.seed = switches_[i].seed, .tier = node.tier});
    neighbours_[i].assign(node.ports, kNone);
  }
  for (const Link& link : graph.links) {
    for (const auto& [own, other] : {std::pair{link.a, link.b}, {link.b, link.a}}) {
      if (own.node.value() >= graph.endpoints) {
        neighbours_[own.node.value() - graph.endpoints][own.port] = other.node.value();
      }
    }
  }
  for (std::uint32_t endpoint = 0; endpoint < graph.endpoints; ++endpoint) {
    endpoints_.emplace_back(endpoint);
  }
  ids_.assign(switches_.size() * switches_.size(), kNone);
}

void HashGroups::update(const Routes& routes, const PortWeights& weights) {
  const auto leaves = static_cast<std::uint32_t>(switches_.size());
  std::vector<std::uint32_t> ids(ids_.size(), kNone);
  std::vector<Group> groups;
  std::vector<std::map<Key, std::uint32_t>> known(leaves);
  std::vector<bool> done(leaves, false);
  for (const EndpointId endpoint : endpoints_) {
    const std::uint32_t leaf = routes.leaf_of(endpoint);
    if (leaf >= leaves || done[leaf]) {
      continue;
    }
    done[leaf] = true;
    for (std::uint32_t ordinal = 0; ordinal < leaves; ++ordinal) {
      const NextHops hops = routes.next_hops(ordinal, endpoint);
      if (!switches_[ordinal].uses_groups || ordinal == leaf || hops.empty()) {
        continue;
      }
      const std::size_t cell = std::size_t{ordinal} * leaves + leaf;
      const bool resilient = switches_[ordinal].options.buckets > 0;
      Key key{.before = resilient ? ids_[cell] : kNone, .hops = {hops.begin(), hops.end()}, .weights = {}};
      if (const std::uint32_t* of = switches_[ordinal].weighs ? weights.of(ordinal, leaf) : nullptr; of != nullptr) {
        key.weights.assign(of, of + hops.size());
      }
      const auto [found, is_new] = known[ordinal].try_emplace(key, static_cast<std::uint32_t>(groups.size()));
      if (is_new) {
        groups.push_back(make(ordinal, key));
      }
      ids[cell] = found->second;
    }
  }
  ids_ = std::move(ids);
  groups_ = std::move(groups);
}

HashGroups::Group HashGroups::make(std::uint32_t switch_ordinal, const Key& key) const {
  const HashOptions& options = switches_[switch_ordinal].options;
  Group group;
  std::vector<std::vector<std::uint16_t>> ports;
  for (std::size_t i = 0; i < key.hops.size(); ++i) {
    const std::uint32_t name = options.parallel_links ? neighbours_[switch_ordinal][key.hops[i]] : key.hops[i];
    const std::uint32_t weight = key.weights.empty() ? 1 : key.weights[i];
    const auto found = std::ranges::find(group.members, name, &GroupMember::name);
    if (found == group.members.end()) {
      group.members.push_back({.name = name, .weight = weight});
      ports.push_back({key.hops[i]});
    } else {
      found->weight += key.weights.empty() ? 0 : weight;
      ports[static_cast<std::size_t>(found - group.members.begin())].push_back(key.hops[i]);
    }
  }
  for (const std::vector<std::uint16_t>& of : ports) {
    group.first.push_back(static_cast<std::uint32_t>(group.ports.size()));
    group.ports.insert(group.ports.end(), of.begin(), of.end());
  }
  group.first.push_back(static_cast<std::uint32_t>(group.ports.size()));
  if (!key.weights.empty()) {
    for (const GroupMember& member : group.members) {
      group.total_weight += member.weight;
    }
  }
  if (options.buckets > 0) {
    const std::uint32_t count =
        std::max<std::uint32_t>(options.buckets, static_cast<std::uint32_t>(group.members.size()));
    std::span<const std::uint32_t> before;
    if (key.before != kNone && groups_[key.before].names.size() == count) {
      before = groups_[key.before].names;
    }
    group.names = assign_buckets(before, group.members, count);
    for (const std::uint32_t name : group.names) {
      const auto found = std::ranges::find(group.members, name, &GroupMember::name);
      group.buckets.push_back(static_cast<std::uint16_t>(found - group.members.begin()));
    }
  }
  return group;
}

std::uint16_t HashGroups::Group::choose(const MemberChoice& choice, std::uint32_t hash) const {
  const std::uint32_t value = choice.value_of(hash);
  std::uint32_t member = 0;
  if (!buckets.empty()) {
    member = buckets[choice.pick_of(value, static_cast<std::uint32_t>(buckets.size()))];
  } else if (total_weight > 0) {
    std::uint32_t at = choice.pick_of(value, total_weight);
    while (at >= members[member].weight) {
      at -= members[member++].weight;
    }
  } else {
    member = choice.pick_of(value, static_cast<std::uint32_t>(members.size()));
  }
  const std::uint32_t links = first[member + 1] - first[member];
  return ports[first[member] + (links == 1 ? 0 : choice.pick_of(choice.apart(value), links))];
}

std::size_t HashGroups::heap_bytes() const {
  std::size_t bytes = switches_.capacity() * sizeof(Switch) + choices_.capacity() * sizeof(MemberChoice) +
                      ids_.capacity() * sizeof(std::uint32_t) + groups_.capacity() * sizeof(Group) +
                      endpoints_.capacity() * sizeof(EndpointId);
  for (const std::vector<std::uint32_t>& of : neighbours_) {
    bytes += of.capacity() * sizeof(std::uint32_t);
  }
  for (const Group& group : groups_) {
    bytes += group.members.capacity() * sizeof(GroupMember) + group.first.capacity() * sizeof(std::uint32_t) +
             group.ports.capacity() * sizeof(std::uint16_t) + group.names.capacity() * sizeof(std::uint32_t) +
             group.buckets.capacity() * sizeof(std::uint16_t);
  }
  return bytes;
}

}  // namespace weft::fabric
