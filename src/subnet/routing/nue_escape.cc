#include "subnet/routing/nue_escape.h"

#include <algorithm>

namespace weft::subnet {
namespace {

constexpr std::uint32_t kFar = ~std::uint32_t{0};

std::vector<std::uint32_t> hops_from(const NueNetwork& network, NueSwitch start) {
  std::vector<std::uint32_t> hops(network.switches(), kFar);
  std::vector<NueSwitch> reached{start};
  hops[start] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const Channel channel : network.channels_from(reached[i])) {
      if (const NueSwitch next = network[channel].to; hops[next] == kFar) {
        hops[next] = hops[reached[i]] + 1;
        reached.push_back(next);
      }
    }
  }
  return hops;
}

/// Switches with destinations, and all on shortest paths between two of the hull.
class ConvexHull {
 public:
  ConvexHull(const NueNetwork& network, const std::vector<std::uint32_t>& adapters) : network_(network) {
    for (const std::uint32_t count : adapters) {
      has_.push_back(count > 0);
    }
    for (NueSwitch at = 0; at < network.switches(); ++at) {
      if (has_[at]) {
        add_paths_to(at);
      }
    }
  }

  [[nodiscard]] std::vector<bool>& switches() { return has_; }

 private:
  void add_paths_to(NueSwitch destination) {
    const std::vector<std::uint32_t> hops = hops_from(network_, destination);
    std::vector<bool> done(network_.switches(), false);
    done[destination] = true;
    for (NueSwitch start = 0; start < network_.switches(); ++start) {
      if (!has_[start] || done[start] || hops[start] == kFar) {
        continue;
      }
      done[start] = true;
      std::vector<NueSwitch> reached{start};
      for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const Channel channel : network_.channels_from(reached[i])) {
          const NueSwitch next = network_[channel].to;
          if (!done[next] && hops[next] + 1 == hops[reached[i]]) {
            has_[next] = true;
            done[next] = true;
            reached.push_back(next);
          }
        }
      }
    }
  }

  const NueNetwork& network_;
  std::vector<bool> has_;  // per switch
};

/// Betweenness of switches in the hull, between its switches and the adapters that are destinations.
class Betweenness {
 public:
  Betweenness(const NueNetwork& network, const std::vector<bool>& hull, const std::vector<std::uint32_t>& adapters)
      : network_(network), hull_(hull), adapters_(adapters), between_(network.switches(), 0.0) {
    for (NueSwitch at = 0; at < network.switches(); ++at) {
      if (hull[at]) {
        find_paths(at);
        add_from_switch(at);
        add_from_adapters(at);
      }
    }
  }

  [[nodiscard]] NueSwitch most_central() const {
    NueSwitch best = kFar;
    for (NueSwitch at = 0; at < network_.switches(); ++at) {
      if (hull_[at] && (best == kFar || between_[best] < between_[at])) {
        best = at;
      }
    }
    return best;
  }

 private:
  void find_paths(NueSwitch start) {
    hops_.assign(network_.switches(), kFar);
    paths_.assign(network_.switches(), 0);
    before_.assign(network_.switches(), {});
    reached_ = {start};
    hops_[start] = 0;
    paths_[start] = 1;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const NueSwitch at = reached_[i];
      for (const Channel channel : network_.channels_from(at)) {
        const NueSwitch next = network_[channel].to;
        if (!hull_[next]) {
          continue;
        }
        if (hops_[next] == kFar) {
          hops_[next] = hops_[at] + 1;
          reached_.push_back(next);
        }
        if (hops_[next] == hops_[at] + 1) {
          paths_[next] += paths_[at];
          before_[next].push_back(at);
        }
      }
    }
  }

  /// The share of paths from the start that leads through each switch; `own`: to how many adapters at the start.
  void share(NueSwitch start, std::uint32_t own) {
    share_.assign(network_.switches(), 0.0);
    for (std::size_t i = reached_.size(); i-- > 0;) {
      const NueSwitch at = reached_[i];
      // One after the other: a sum of doubles depends on its order.
      for (std::uint32_t k = 0; k < (at == start ? own : adapters_[at]); ++k) {
        share_[at] += 1.0;
      }
      for (const NueSwitch before : before_[at]) {
        share_[before] += static_cast<double>(paths_[before]) / static_cast<double>(paths_[at]) * (1 + share_[at]);
      }
    }
  }

  void add_from_switch(NueSwitch start) {
    share(start, adapters_[start]);
    for (const NueSwitch at : reached_) {
      between_[at] += at == start ? 0.0 : share_[at];
    }
  }

  void add_from_adapters(NueSwitch start) {
    if (adapters_[start] == 0) {
      return;
    }
    share(start, adapters_[start] - 1);
    for (std::uint32_t k = 0; k < adapters_[start]; ++k) {
      for (const NueSwitch at : reached_) {
        between_[at] += share_[at];
      }
    }
  }

  const NueNetwork& network_;
  const std::vector<bool>& hull_;
  const std::vector<std::uint32_t>& adapters_;
  std::vector<double> between_;  // per switch
  // From one start:
  std::vector<NueSwitch> reached_;
  std::vector<std::uint32_t> hops_;             // per switch
  std::vector<std::uint64_t> paths_;            // per switch: shortest ones
  std::vector<std::vector<NueSwitch>> before_;  // per switch: on those, once for each cable
  std::vector<double> share_;                   // per switch
};

/// A path that comes up into a switch of the tree, against `down`, may turn to its other children.
void add_turns(const NueNetwork& network, const NueTree& tree, Channel down, NueDependencies& dependencies) {
  const NueSwitch at = network[down].from;
  for (const Channel channel : network.channels_from(at)) {
    const Channel other = tree[network[channel].to];
    if (other != kNoChannel && network[other].from == at && network[other].to != network[down].to) {
      dependencies.add_escape({.from = network[down].reverse, .to = other});
    }
  }
}

}  // namespace

NueTree escape_tree(const NueNetwork& network, const std::vector<std::uint32_t>& adapters) {
  ConvexHull hull(network, adapters);
  return network.spanning_tree(Betweenness(network, hull.switches(), adapters).most_central());
}

void add_escape_paths(const NueNetwork& network, const NueTree& tree, const std::vector<std::uint32_t>& adapters,
                      NueDependencies& dependencies) {
  std::vector<Channel> of_root;
  for (NueSwitch at = 0; at < network.switches(); ++at) {
    for (Channel down = tree[at]; down != kNoChannel; down = tree[network[down].from]) {
      dependencies.add_escape(down);
      const Channel above = tree[network[down].from];
      if (above == kNoChannel) {
        if (std::ranges::find(of_root, down) == of_root.end()) {
          of_root.push_back(down);
        }
        break;
      }
      dependencies.add_escape({.from = above, .to = down});
      if (adapters[at] > 0) {
        dependencies.add_escape({.from = network[down].reverse, .to = network[above].reverse});
        add_turns(network, tree, down, dependencies);
      }
    }
  }
  for (const Channel down : of_root) {
    for (const Channel other : of_root) {
      if (down != other) {
        dependencies.add_escape({.from = network[other].reverse, .to = down});
      }
    }
  }
}

}  // namespace weft::subnet
