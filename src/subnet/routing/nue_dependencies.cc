#include "subnet/routing/nue_dependencies.h"

#include "base/assert.h"

namespace weft::subnet {

NueDependencies::NueDependencies(const NueNetwork& network) : network_(network), channels_(network.channels()) {
  for (Channel from = 0; from < channels_ + network.switches(); ++from) {
    first_.push_back(static_cast<Dependency>(to_.size()));
    const bool is_source = from >= channels_;
    for (const Channel to : network.channels_from(is_source ? from - channels_ : network[from].to)) {
      if (is_source || to != network[from].reverse) {
        to_.push_back(to);
      }
    }
  }
  first_.push_back(static_cast<Dependency>(to_.size()));
  seen_.assign(first_.size() - 1, 0);
  clear();
}

void NueDependencies::clear() {
  channel_.assign(first_.size() - 1, {});
  dependency_.assign(to_.size(), {});
  joined_ = {kBlocked, kUnused, kEscape};
  settled_ = joined_;
}

NueDependencies::Dependency NueDependencies::find(const ChannelDependency& ends) const {
  if (ends.from >= channels_) {
    return first_[ends.from] + ends.to - *network_.channels_from(ends.from - channels_).begin();
  }
  const NueChannel& from = network_[ends.from];
  if (ends.to == from.reverse) {
    return kNone;
  }
  const Channel before = ends.to - *network_.channels_from(from.to).begin();
  return first_[ends.from] + before - (ends.to > from.reverse ? 1 : 0);
}

void NueDependencies::add_escape(Channel channel) { channel_[channel].name = kEscape; }

void NueDependencies::add_escape(const ChannelDependency& ends) {
  add_escape(ends.from);
  add_escape(ends.to);
  dependency_[find(ends)].name = kEscape;
}

void NueDependencies::begin(NueSwitch destination) {
  const auto added = static_cast<Subgraph>(joined_.size());
  joined_.push_back(added);
  settled_.push_back(added);
  Use& use = channel_[source(destination)];
  if (use.name > kUnused) {
    joined_[settled_[use.name]] = added;
  } else {
    use.name = added;
  }
}

bool NueDependencies::take(Channel from, Dependency dependency) {
  if (is_used(dependency)) {
    return true;
  }
  const Channel to = to_[dependency];
  const Subgraph name = channel_[from].name;
  if (subgraph(channel_[to]) == joined_.size() - 1) {  // the subgraph of this destination
    if (reaches(to, from)) {
      dependency_[dependency].name = kBlocked;
      return false;
    }
  } else if (channel_[to].name == kUnused) {
    channel_[to] = {.name = name, .provisional = true};
    new_channels_.push_back(to);
  } else {
    joined_[settled_[channel_[to].name]] = settled_[name];
  }
  dependency_[dependency] = {.name = name, .provisional = true};
  new_dependencies_.push_back(dependency);
  return true;
}

void NueDependencies::drop(Dependency dependency) {
  WEFT_ASSERT(dependency != kNone);
  if (dependency_[dependency].provisional) {
    dependency_[dependency] = {};
  }
}

void NueDependencies::keep(const ChannelDependency& ends) {
  channel_[ends.to].provisional = false;
  if (const Dependency dependency = find(ends); dependency != kNone) {
    dependency_[dependency].provisional = false;
  }
}

void NueDependencies::settle() {
  for (const Channel channel : new_channels_) {
    if (channel_[channel].provisional) {
      channel_[channel] = {};
    }
  }
  for (const Dependency dependency : new_dependencies_) {
    drop(dependency);
  }
  new_channels_.clear();
  new_dependencies_.clear();
  for (Subgraph& name : settled_) {
    name = joined_[name];
  }
}

bool NueDependencies::reaches(Channel from, Channel to) {
  ++searches_;
  open_.assign(1, from);
  seen_[from] = searches_;
  while (!open_.empty()) {
    const Channel at = open_.back();
    open_.pop_back();
    for (const Dependency dependency : of(at)) {
      const Channel next = to_[dependency];
      if (!is_used(dependency) || seen_[next] == searches_) {
        continue;
      }
      if (next == to) {
        return true;
      }
      seen_[next] = searches_;
      open_.push_back(next);
    }
  }
  return false;
}

}  // namespace weft::subnet
