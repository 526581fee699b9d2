#include "subnet/routing/nue_search.h"

#include <algorithm>

namespace weft::subnet {

NueSearch::NueSearch(const NueNetwork& network, NueDependencies& dependencies)
    : network_(network),
      dependencies_(dependencies),
      reached_(network.switches()),
      distance_(network.channels() + network.switches(), 0),
      heap_(network.channels()) {}

NueTree NueSearch::find_paths(NueSwitch destination, const NueTree& escape) {
  start(destination);
  Channel at = dependencies_.source(destination);
  while (at != kNoChannel) {
    expand(at);
    if (!heap_.is_empty()) {
      at = heap_.take();
      continue;
    }
    at = found_ < network_.switches() ? step_back() : kNoChannel;
    if (at != kNoChannel) {
      ++found_;
      ++steps_back_;
    }
  }
  if (found_ < network_.switches()) {
    used_ = escape;
    network_.turn(used_, destination);
    ++counts_.escaped;
  } else {
    counts_.backtracked += steps_back_ > 0 ? 1 : 0;
  }
  keep_paths();
  return used_;
}

void NueSearch::start(NueSwitch destination) {
  ++counts_.destinations;
  destination_ = destination;
  steps_back_ = 0;
  found_ = 1;
  used_.assign(network_.switches(), kNoChannel);
  for (Reached& each : reached_) {
    each.distance = kNueUnreached;
    each.found_after = kNotFound;
    each.others.clear();
  }
  reached_[destination].distance = 0;
  dependencies_.begin(destination);
  distance_[dependencies_.source(destination)] = 0;
}

/// Dependencies that are used come first, then those that are not yet.
void NueSearch::expand(Channel from) {
  for (const NueDependencies::Dependency each : dependencies_.of(from)) {
    if (dependencies_.is_used(each)) {
      visit(from, each);
    }
  }
  for (const NueDependencies::Dependency each : dependencies_.of(from)) {
    if (!dependencies_.is_used(each) && !dependencies_.is_blocked(each)) {
      visit(from, each);
    }
  }
}

void NueSearch::visit(Channel from, NueDependencies::Dependency dependency) {
  const Channel next = dependencies_.to(dependency);
  const NueSwitch at = network_[next].to;
  const std::uint64_t distance = distance_[from] + network_[next].weight;
  const bool is_entered = used_[at] != kNoChannel;
  if (distance < reached_[at].distance) {
    if (!dependencies_.take(from, dependency)) {
      return;
    }
    if (steps_back_ > 0 && is_entered && reached_[at].found_after != steps_back_) {
      if (!take_shortcut(at, next)) {
        return;
      }
    } else {
      if (is_entered) {
        replace(at);
      } else {
        ++found_;
        reached_[at].found_after = steps_back_;
      }
      distance_[next] = distance;
      heap_.insert({.distance = distance, .vertex = next});
    }
    reached_[at].distance = distance;
    used_[at] = next;
  } else if (dependencies_.is_used(dependency) && (steps_back_ == 0 || !is_entered)) {
    distance_[next] = distance;
    add_other(at, next);
  }
}

/// A nearer channel into the switch was found: the other one was not expanded yet.
void NueSearch::replace(NueSwitch at) {
  const Channel old = used_[at];
  heap_.remove(old);
  if (const Channel before = used_[network_[old].from]; before != kNoChannel) {
    dependencies_.drop(dependencies_.find({.from = before, .to = old}));
  }
}

void NueSearch::add_other(NueSwitch at, Channel channel) {
  std::vector<Channel>& others = reached_[at].others;
  if (std::ranges::find(others, channel) == others.end()) {
    others.push_back(channel);
  }
}

std::vector<Channel> NueSearch::channels_behind(NueSwitch at) const {
  std::vector<Channel> behind;
  for (const Channel channel : network_.channels_from(at)) {
    const Channel used = used_[network_[channel].to];
    if (used != kNoChannel && network_[used].from == at) {
      behind.push_back(used);
    }
  }
  return behind;
}

/// The first switch that a detour reaches, of those that are not reached: the channel into it.
Channel NueSearch::step_back() {
  for (NueSwitch unreached = 0; unreached < network_.switches(); ++unreached) {
    if (reached_[unreached].distance != kNueUnreached) {
      continue;
    }
    std::vector<Detour> detours = detours_to(unreached);
    std::ranges::stable_sort(detours, {}, [&](const Detour& detour) { return distance_[detour.before]; });
    Channel first = kNoChannel;
    for (const Detour& detour : detours) {
      if (!take_detour(detour)) {
        continue;
      }
      distance_[detour.last] = distance_[detour.before] + network_[detour.last].weight;
      if (first != kNoChannel) {
        add_other(unreached, detour.last);
        continue;
      }
      first = detour.last;
      used_[unreached] = first;
      reached_[unreached].distance = distance_[first];
      used_[network_[first].from] = detour.before;
      reached_[network_[first].from].distance = distance_[detour.before];
    }
    if (first != kNoChannel) {
      return first;
    }
  }
  return kNoChannel;
}

std::vector<NueSearch::Detour> NueSearch::detours_to(NueSwitch unreached) const {
  std::vector<Detour> detours;
  for (const Channel back : network_.channels_from(unreached)) {
    const NueSwitch at = network_[back].to;
    if (reached_[at].distance == kNueUnreached) {
      continue;
    }
    const std::vector<Channel> behind = channels_behind(at);
    for (const Channel other : reached_[at].others) {
      if (can_enter_by(other, behind)) {
        detours.push_back({.last = network_[back].reverse, .before = other});
      }
    }
  }
  return detours;
}

/// All that is reached through the switch stays reached if it is entered by another channel.
bool NueSearch::can_enter_by(Channel channel, const std::vector<Channel>& behind) const {
  return std::ranges::all_of(behind, [&](Channel next) {
    return network_[next].to != network_[channel].from &&
           dependencies_.is_used(dependencies_.find({.from = channel, .to = next}));
  });
}

bool NueSearch::take_detour(const Detour& detour) {
  const NueDependencies::Dependency last = dependencies_.find({.from = detour.before, .to = detour.last});
  const NueSwitch from = network_[detour.before].from;
  if (dependencies_.is_blocked(last) || from == destination_) {
    return false;
  }
  const Channel first = used_[from];
  if (network_[first].from == network_[detour.before].to) {
    return false;  // would go back to where it came from
  }
  const NueDependencies::Dependency before = dependencies_.find({.from = first, .to = detour.before});
  if (dependencies_.is_blocked(before)) {
    return false;
  }
  const bool was_provisional = dependencies_.is_provisional(before);
  if (!dependencies_.take(first, before)) {
    return false;
  }
  if (!dependencies_.take(detour.before, last)) {
    if (!was_provisional) {
      dependencies_.drop(before);
    }
    return false;
  }
  return true;
}

bool NueSearch::take_shortcut(NueSwitch at, Channel channel) {
  const Channel old = used_[at];
  std::vector<NueDependencies::Dependency> taken;
  std::vector<bool> was_provisional;
  for (const Channel next : channels_behind(at)) {
    taken.push_back(dependencies_.find({.from = channel, .to = next}));
    if (taken.back() == NueDependencies::kNone) {
      return false;
    }
    was_provisional.push_back(dependencies_.is_provisional(taken.back()));
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (!dependencies_.is_blocked(taken[i]) && dependencies_.take(channel, taken[i])) {
      continue;
    }
    while (i-- > 0) {
      if (!was_provisional[i]) {
        dependencies_.drop(taken[i]);
      }
    }
    return false;
  }
  if (const Channel before = used_[network_[old].from]; before != kNoChannel) {
    dependencies_.drop(dependencies_.find({.from = before, .to = old}));
  }
  // OpenSM means those of the old channel, and drops those that the shortcut needs (0073).
  for (const NueDependencies::Dependency each : taken) {
    dependencies_.drop(each);
  }
  ++counts_.shortcuts;
  return true;
}

void NueSearch::keep_paths() {
  for (const Channel used : used_) {
    if (used != kNoChannel) {
      const NueSwitch from = network_[used].from;
      const Channel before = from == destination_ ? dependencies_.source(from) : used_[from];
      dependencies_.keep({.from = before, .to = used});
    }
  }
  dependencies_.settle();
}

}  // namespace weft::subnet
