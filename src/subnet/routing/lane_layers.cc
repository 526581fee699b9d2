#include "subnet/routing/lane_layers.h"

#include <algorithm>
#include <map>

namespace weft::subnet {
namespace {

/// A path by the LIDs of its ends.
struct PathEnds {
  Lid from = 0;
  Lid to = 0;
};

/// A channel is a directed cable between switches; this names it, and orders channels.
using ChannelName = std::uint64_t;

/// The channels between switches that a path takes, in order.
template <class Visit>
void for_each_channel(const RoutingView& view, const ForwardingTables& tables, const PathEnds& path, Visit visit) {
  const EndPort& from = view[view.by_lid[path.from]];
  if (from.is_switch()) {
    return;  // leaves no port of a switch that it entered by another one
  }
  SwitchIndex at = from.at;
  for (std::size_t hop = 0; at.is_valid() && hop <= view.switches.size(); ++hop) {
    const PortNumber egress = tables[at.value()][path.to];
    if (egress == kNoRoute || egress >= view[at].ports.size()) {
      return;
    }
    const SwitchPort& port = view[at].ports[egress];
    if (!port.to_switch.is_valid()) {
      return;
    }
    visit((ChannelName{view[at].lid} << 48U) + (ChannelName{egress} << 32U) +
          (ChannelName{view[port.to_switch].lid} << 16U) + port.peer_port);
    at = port.to_switch;
  }
}

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// The channels of one lane with their dependencies, and the search for cycles among them.
class ChannelGraph {
 public:
  struct Dependency {
    std::uint32_t to = 0;  // channel
    std::vector<PathEnds> paths{};
    std::uint32_t removed = 0;  // of them

    [[nodiscard]] std::uint32_t weight() const { return static_cast<std::uint32_t>(paths.size()) - removed; }
  };

  [[nodiscard]] bool is_empty() const { return channels_.empty(); }

  void add(const RoutingView& view, const ForwardingTables& tables, const PathEnds& path) {
    std::uint32_t before = kNone;
    for_each_channel(view, tables, path, [&](ChannelName name) {
      const std::uint32_t channel = find_or_insert(name);
      if (before != kNone) {
        Dependency* dependency = find(before, channel);
        if (dependency == nullptr) {
          dependency = &channels_[before].next.emplace_back(Dependency{.to = channel});
        }
        dependency->paths.push_back(path);
      }
      before = channel;
    });
  }

  void remove(const RoutingView& view, const ForwardingTables& tables, const PathEnds& path) {
    std::uint32_t before = kNone;
    for_each_channel(view, tables, path, [&](ChannelName name) {
      const std::uint32_t channel = by_name_.at(name);
      Dependency* const dependency = before == kNone ? nullptr : find(before, channel);
      if (dependency != nullptr) {
        ++dependency->removed;
      }
      before = channel;
    });
  }

  /// A channel on a cycle; kNone: there is none. A search that follows another one and the removal of a dependency
  /// goes on where that one stopped, with `start` as it was returned.
  std::uint32_t find_cycle(std::uint32_t start) {
    for (std::uint32_t at = start; at != kNone;) {
      channels_[at].state = State::kOnPath;
      std::uint32_t next = kNone;
      for (const Dependency& dependency : channels_[at].next) {
        if (channels_[dependency.to].state == State::kOnPath) {
          return dependency.to;
        }
        if (channels_[dependency.to].state == State::kUnknown) {
          next = dependency.to;
          break;
        }
      }
      if (next != kNone) {
        channels_[next].before = at;
        at = next;
      } else {
        at = leave(at);
      }
    }
    return kNone;
  }

  /// Takes the dependency with the fewest paths out of the cycle that the last search found.
  Dependency take_weakest(std::uint32_t cycle) {
    std::uint32_t weakest_from = kNone;
    std::size_t weakest = 0;
    std::uint32_t at = cycle;
    do {
      const std::size_t on_cycle = dependency_on_path(at);
      channels_[at].state = at == cycle ? State::kOnPath : State::kUnknown;
      if (weakest_from == kNone ||
          channels_[at].next[on_cycle].weight() < channels_[weakest_from].next[weakest].weight()) {
        weakest_from = at;
        weakest = on_cycle;
      }
      at = channels_[at].next[on_cycle].to;
    } while (at != cycle);
    channels_[cycle].state = State::kUnknown;
    std::vector<Dependency>& next = channels_[weakest_from].next;
    Dependency taken = std::move(next[weakest]);
    next.erase(next.begin() + static_cast<std::ptrdiff_t>(weakest));
    return taken;
  }

 private:
  enum class State : std::uint8_t { kUnknown, kOnPath, kDone };
  struct Channel {
    ChannelName name = 0;
    std::vector<Dependency> next{};
    State state = State::kUnknown;
    std::uint32_t before = kNone;  // on the path of the search
    std::uint32_t lower = kNone;   // children in a search tree that is never balanced
    std::uint32_t higher = kNone;
  };

  std::uint32_t find_or_insert(ChannelName name) {
    const std::uint32_t made = static_cast<std::uint32_t>(channels_.size());
    const auto [entry, added] = by_name_.try_emplace(name, made);
    if (!added) {
      return entry->second;
    }
    channels_.push_back({.name = name});
    for (std::uint32_t at = 0; at != made;) {
      std::uint32_t& child = name < channels_[at].name ? channels_[at].lower : channels_[at].higher;
      child = child == kNone ? made : child;
      at = child;
    }
    return made;
  }

  Dependency* find(std::uint32_t from, std::uint32_t to) {
    const auto found = std::ranges::find(channels_[from].next, to, &Dependency::to);
    return found == channels_[from].next.end() ? nullptr : &*found;
  }

  /// Of a channel on the cycle, the dependency that the search followed: the first whose channel is on its path.
  [[nodiscard]] std::size_t dependency_on_path(std::uint32_t at) const {
    const std::vector<Dependency>& next = channels_[at].next;
    const auto found = std::ranges::find_if(
        next, [&](const Dependency& dependency) { return channels_[dependency.to].state == State::kOnPath; });
    return static_cast<std::size_t>(found - next.begin());
  }

  /// Nothing behind a channel is left: back on the path, or on to a channel that was not searched.
  std::uint32_t leave(std::uint32_t at) {
    channels_[at].state = State::kDone;
    for (Dependency& dependency : channels_[at].next) {
      dependency.paths.clear();
      dependency.removed = 0;
    }
    const std::uint32_t before = channels_[at].before;
    channels_[at].before = kNone;
    return before != kNone ? before : next_unknown();
  }

  /// In the order root, lower, higher of the search tree. Channels that are done stay so, except for those before
  /// them on a path, so the search for the next one begins anew.
  [[nodiscard]] std::uint32_t next_unknown() const {
    std::vector<std::uint32_t> open{0};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (channels_[at].state == State::kUnknown) {
        return at;
      }
      for (const std::uint32_t child : {channels_[at].higher, channels_[at].lower}) {
        if (child != kNone) {
          open.push_back(child);
        }
      }
    }
    return kNone;
  }

  std::vector<Channel> channels_;
  std::map<ChannelName, std::uint32_t> by_name_;
};

class Layering {
 public:
  Layering(const RoutingView& view, const ForwardingTables& tables, std::uint32_t lanes)
      : view_(view), tables_(tables), graphs_(lanes) {
    made_.paths.assign(lanes, 0);
    made_.plan.lids = view.by_lid.size();
    made_.plan.lanes.assign(view.by_lid.size() * view.by_lid.size(), 0);
  }

  void add_all(const std::vector<EndPortIndex>& order) {
    for (const EndPortIndex to : order) {
      for (const EndPortIndex from : order) {
        if (from != to) {
          add_pair(view_[from], view_[to]);
        }
      }
    }
  }

  void break_cycles() {
    for (std::uint32_t lane = 0; lane + 1 < graphs_.size(); ++lane) {
      std::uint32_t start = graphs_[lane].is_empty() ? kNone : 0;
      while (start != kNone) {
        start = graphs_[lane].find_cycle(start);
        if (start != kNone) {
          made_.needed = lane + 2;
          move_up(graphs_[lane].take_weakest(start), lane);
        }
      }
    }
    if (!graphs_.back().is_empty() && graphs_.back().find_cycle(0) != kNone) {
      made_.needed = static_cast<std::uint32_t>(graphs_.size()) + 1;
    }
  }

  /// Lanes that nothing needs go to the lanes with the most paths; those of a lane then are a group of lanes.
  void fill_lanes() {
    std::vector<std::uint32_t> width(made_.needed, 1);
    for (std::size_t lane = made_.needed; lane < graphs_.size(); ++lane) {
      std::size_t fullest = 0;
      double most = 0;
      for (std::size_t i = 0; i < width.size(); ++i) {
        const double share = static_cast<double>(made_.paths[i]) / width[i];
        fullest = share > most ? i : fullest;
        most = std::max(most, share);
      }
      ++width[fullest];
    }
    std::vector<std::uint32_t> first(width.size(), 0);
    for (std::size_t i = 1; i < width.size(); ++i) {
      first[i] = first[i - 1] + width[i - 1];
    }
    for (std::size_t i = 0; i < made_.plan.lanes.size(); ++i) {
      const std::uint8_t layer = made_.plan.lanes[i];
      // OpenSM draws lots here; the sum of the LIDs spreads as evenly and is the same in every run.
      const std::size_t spread = i / made_.plan.lids + i % made_.plan.lids;
      made_.plan.lanes[i] = static_cast<std::uint8_t>(first[layer] + spread % width[layer]);
    }
  }

  [[nodiscard]] LaneLayers& made() { return made_; }

 private:
  [[nodiscard]] std::uint8_t& lane_of(const PathEnds& path) {
    return made_.plan.lanes[path.from * made_.plan.lids + path.to];
  }

  void add_pair(const EndPort& from, const EndPort& to) {
    for (std::uint32_t i = 0; i < from.lids; ++i) {
      for (std::uint32_t j = 0; j < to.lids; ++j) {
        const PathEnds path{.from = static_cast<Lid>(from.lid + i), .to = static_cast<Lid>(to.lid + j)};
        graphs_[0].add(view_, tables_, path);
        ++made_.paths[0];
      }
    }
  }

  void move_up(const ChannelGraph::Dependency& dependency, std::uint32_t lane) {
    for (const PathEnds& path : dependency.paths) {
      if (lane_of(path) != lane) {
        continue;  // moved by another cycle already
      }
      graphs_[lane].remove(view_, tables_, path);
      graphs_[lane + 1].add(view_, tables_, path);
      lane_of(path) = static_cast<std::uint8_t>(lane + 1);
      --made_.paths[lane];
      ++made_.paths[lane + 1];
    }
  }

  const RoutingView& view_;
  const ForwardingTables& tables_;
  std::vector<ChannelGraph> graphs_;  // per lane
  LaneLayers made_;
};

}  // namespace

Result<LaneLayers> layer_paths(const RoutingView& view, const ForwardingTables& tables,
                               const std::vector<EndPortIndex>& order, std::uint32_t lanes) {
  Layering layering(view, tables, lanes);
  layering.add_all(order);
  layering.break_cycles();
  if (layering.made().needed > lanes) {
    return fail("{} virtual lanes are not enough to break all cycles of buffers", lanes);
  }
  layering.fill_lanes();
  return std::move(layering.made());
}

}  // namespace weft::subnet
