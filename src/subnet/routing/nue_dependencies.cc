#include "subnet/routing/nue_dependencies.h"

#include <utility>

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
  used_channels_.clear();
  used_dependencies_.clear();
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

void NueDependencies::add_escape(Channel channel) {
  channel_[channel].subgraph = kEscape;
  list(used_channels_, channel_, channel);
}

void NueDependencies::add_escape(const ChannelDependency& ends) {
  add_escape(ends.from);
  add_escape(ends.to);
  const Dependency dependency = find(ends);
  dependency_[dependency].subgraph = kEscape;
  list(used_dependencies_, dependency_, dependency);
}

void NueDependencies::begin(NueSwitch destination) {
  const auto added = static_cast<Subgraph>(joined_.size());
  joined_.push_back(added);
  Use& use = channel_[source(destination)];
  if (subgraph(use) > kUnused) {
    joined_[use.subgraph] = added;
  } else {
    use.subgraph = added;
    list(used_channels_, channel_, source(destination));
  }
}

bool NueDependencies::take(Channel from, Dependency dependency) {
  if (is_used(dependency)) {
    return true;
  }
  const Channel to = to_[dependency];
  const Subgraph of_from = channel_[from].subgraph;
  if (subgraph(channel_[to]) == joined_.size() - 1) {  // the subgraph of this destination
    if (reaches(to, from)) {
      dependency_[dependency].subgraph = kBlocked;
      return false;
    }
  } else if (subgraph(channel_[to]) == kUnused) {
    channel_[to].subgraph = of_from;
    channel_[to].provisional = true;
    list(used_channels_, channel_, to);
  } else {
    joined_[channel_[to].subgraph] = of_from;
  }
  dependency_[dependency].subgraph = of_from;
  dependency_[dependency].provisional = true;
  list(used_dependencies_, dependency_, dependency);
  return true;
}

void NueDependencies::drop(Dependency dependency) {
  WEFT_ASSERT(dependency != kNone);
  if (Use& use = dependency_[dependency]; use.provisional) {
    use.subgraph = kUnused;
    use.provisional = false;
  }
}

void NueDependencies::keep(const ChannelDependency& ends) {
  channel_[ends.to].provisional = false;
  if (const Dependency dependency = find(ends); dependency != kNone) {
    dependency_[dependency].provisional = false;
  }
}

void NueDependencies::settle() {
  settle(used_channels_, channel_);
  settle(used_dependencies_, dependency_);
}

void NueDependencies::settle(std::vector<std::uint32_t>& listed, std::vector<Use>& uses) const {
  std::erase_if(listed, [&](std::uint32_t index) {
    Use& use = uses[index];
    use.subgraph = use.provisional ? kUnused : joined_[use.subgraph];
    use.provisional = false;
    use.listed = use.subgraph > kUnused;
    return !use.listed;
  });
}

void NueDependencies::list(std::vector<std::uint32_t>& listed, std::vector<Use>& uses, std::uint32_t index) {
  if (!std::exchange(uses[index].listed, true)) {
    listed.push_back(index);
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
