#include "study/world/link_bundles.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "fabric/routing/ecmp_hash.h"
#include "study/world/link_parts.h"

namespace weft::study::world {
namespace {

/// Of looking for bundles: links of flows between leaves, and routes of switches.
constexpr std::size_t kMostLinksSeen = 1U << 24;
constexpr std::size_t kMostRoutesSeen = 1U << 26;

/// What tells it from all others but for 1 in 2^64.
std::uint64_t mark_of(std::uint64_t a, std::uint64_t b) {
  return fabric::folded_product(a ^ 0xa0761d6478bd642f, b ^ 0xe7037ed1a0b428db);
}

template <class Fabric>
bool joins_two_switches(const Fabric& fabric, fabric::PortIndex link) {
  const auto& from = fabric.port(link);
  return !from.has(fabric::kIsEndpoint) && !fabric.port(from.peer).has(fabric::kIsEndpoint);
}

/// What is asked of one fabric's routes.
template <class Fabric>
class BundleSearch {
 public:
  BundleSearch(const Fabric& fabric, LinkBundles::SpreadBy by) : fabric_(fabric), by_(by) {}

  /// By endpoint: its leaf, and the link to it. False: some have none.
  [[nodiscard]] bool find_leaves(std::vector<std::uint32_t>& leaves, std::vector<fabric::PortIndex>& down) {
    for (std::uint32_t i = 0; i < fabric_.graph().endpoints; ++i) {
      const fabric::PortIndex up = fabric_.port_index({fabric_.graph().node_of(EndpointId(i)), 0});
      const auto& arrival = fabric_.port(fabric_.port(up).peer);
      if (arrival.has(fabric::kIsEndpoint)) {
        return false;
      }
      const fabric::NextHops last = fabric_.next_hops(arrival.owner, EndpointId(i));
      if (last.size() != 1 || link_of(arrival.owner, last[0]) != fabric_.port(up).peer) {
        return false;
      }
      leaves.push_back(arrival.owner);
      down.push_back(fabric_.port(up).peer);
      some_at_.try_emplace(arrival.owner, EndpointId(i));
    }
    return true;
  }

  /// Every flow takes all next hops of every switch, and these are the same for all endpoints of a leaf.
  [[nodiscard]] bool spreads_all(std::span<const std::uint32_t> leaves) const {
    if constexpr (requires { fabric_.lid_mask_control(); }) {
      if (fabric_.lid_mask_control() > 0) {
        return false;
      }
    }
    const fabric::Graph& graph = fabric_.graph();
    const auto switches = static_cast<std::uint32_t>(graph.nodes.size()) - graph.endpoints;
    if (std::size_t{switches} * leaves.size() > kMostRoutesSeen) {
      return false;
    }
    for (std::uint32_t node = 0; node < switches; ++node) {
      for (std::uint32_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i] != node && !spreads_at(node, EndpointId(i), some_at_.at(leaves[i]))) {
          return false;
        }
      }
    }
    return true;
  }

  /// By link: what it has of flows between any two leaves. None: there are too many.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> marks() const {
    std::vector<std::uint64_t> marks(fabric_.port_count());
    std::size_t seen = 0;
    std::uint64_t pair = 0;
    for (const auto& [leaf, from] : some_at_) {
      for (const auto& [other, to] : some_at_) {
        ++pair;
        if (leaf == other) {
          continue;
        }
        for (const auto& [link, part] : spread_links(fabric_, {.source = from, .destination = to})) {
          marks[link] += mark_of(pair, std::bit_cast<std::uint64_t>(part));
          ++seen;
        }
        if (seen > kMostLinksSeen) {
          return std::nullopt;
        }
      }
    }
    return marks;
  }

  [[nodiscard]] std::vector<fabric::PortIndex> first_links(const std::vector<std::uint64_t>& marks) const {
    std::vector<fabric::PortIndex> first(marks.size());
    std::unordered_map<std::uint64_t, fabric::PortIndex> known;  // lookup only
    for (fabric::PortIndex link = 0; link < marks.size(); ++link) {
      first[link] = link;
      if (marks[link] != 0 && joins_two_switches(fabric_, link)) {
        const std::uint64_t rate = std::bit_cast<std::uint64_t>(link_rate(fabric_, link));
        first[link] = known.try_emplace(mark_of(marks[link], rate), link).first->second;
      }
    }
    return first;
  }

 private:
  [[nodiscard]] fabric::PortIndex link_of(std::uint32_t node, std::uint16_t port) const {
    return fabric_.port_index({fabric::NodeIndex(fabric_.graph().endpoints + node), port});
  }

  [[nodiscard]] bool spreads_at(std::uint32_t node, EndpointId to, EndpointId as) const {
    const fabric::NextHops hops = fabric_.next_hops(node, to);
    const fabric::NextHops others = fabric_.next_hops(node, as);
    const bool alike = hops.begin() == others.begin() ? hops.size() == others.size() : hops == others;
    if (hops.empty() || !alike) {
      return false;
    }
    // Whoever chooses one for a flow does for each.
    return by_ == LinkBundles::SpreadBy::kSenders || hops.size() == 1 ||
           fabric_.ports_taken(node, {.source = as, .destination = to}, 0).size() == hops.size();
  }

  const Fabric& fabric_;
  LinkBundles::SpreadBy by_;
  std::map<std::uint32_t, EndpointId> some_at_;  // by leaf, the first
};

}  // namespace

LinkBundles LinkBundles::of(const fabric::AnyFabric& fabric, SpreadBy by) {
  LinkBundles made;
  made.fabric_ = &fabric;
  fabric.visit([&](const auto& network) {
    BundleSearch search(network, by);
    if (search.find_leaves(made.leaves_, made.down_) && search.spreads_all(made.leaves_)) {
      if (const auto marks = search.marks()) {
        made.first_ = search.first_links(*marks);
      }
    }
  });
  return made;
}

std::vector<flow::LinkUse> LinkBundles::links_of(EndpointId from, EndpointId to) {
  const std::uint64_t pair = std::uint64_t{leaves_[from.value()]} << 32 | leaves_[to.value()];
  const auto [found, is_new] = between_.try_emplace(pair);
  std::vector<flow::LinkUse>& between = found->second;
  if (is_new) {
    fabric_->visit([&](const auto& fabric) {
      for (const auto& [link, part] : spread_links(fabric, {.source = from, .destination = to})) {
        if (first_[link] == link && joins_two_switches(fabric, link)) {
          between.push_back({.link = link, .part = rounded_part(part)});
        }
      }
    });
  }
  std::vector<flow::LinkUse> made;
  made.reserve(between.size() + 2);
  made.assign(between.begin(), between.end());
  const auto add = [&made](fabric::PortIndex link) {
    const flow::LinkUse use{.link = link};
    made.insert(std::ranges::upper_bound(made, use), use);
  };
  add(fabric_->peer_of(down_[from.value()]));
  add(down_[to.value()]);
  return made;
}

}  // namespace weft::study::world
