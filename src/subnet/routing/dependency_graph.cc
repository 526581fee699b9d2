#include "subnet/routing/dependency_graph.h"

#include <algorithm>

namespace weft::subnet {

bool DependencyGraph::add_without_cycle(const std::vector<ChannelDependency>& added) {
  std::vector<std::uint32_t> grown;
  bool closes = false;
  for (const ChannelDependency& each : added) {
    std::vector<std::uint32_t>& next = next_[each.from];
    if (std::ranges::find(next, each.to) != next.end()) {
      continue;
    }
    if (reaches(each.to, each.from)) {
      closes = true;
      break;
    }
    next.push_back(each.to);
    grown.push_back(each.from);
  }
  if (closes) {
    for (const std::uint32_t from : grown) {
      next_[from].pop_back();
    }
  }
  return !closes;
}

void DependencyGraph::add(const ChannelDependency& added) {
  std::vector<std::uint32_t>& next = next_[added.from];
  if (std::ranges::find(next, added.to) == next.end()) {
    next.push_back(added.to);
  }
}

bool DependencyGraph::reaches(std::uint32_t from, std::uint32_t to) const {
  std::vector<bool> seen(next_.size(), false);
  std::vector<std::uint32_t> open{from};
  seen[from] = true;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (at == to) {
      return true;
    }
    for (const std::uint32_t next : next_[at]) {
      if (!seen[next]) {
        seen[next] = true;
        open.push_back(next);
      }
    }
  }
  return false;
}

std::vector<std::uint32_t> DependencyGraph::find_cycle() const {
  enum class State : std::uint8_t { kUnknown, kOnPath, kDone };
  std::vector<State> state(next_.size(), State::kUnknown);
  std::vector<std::uint32_t> path;
  std::vector<std::size_t> followed;  // per channel of the path: dependencies that were followed
  for (std::uint32_t start = 0; start < next_.size(); ++start) {
    if (state[start] != State::kUnknown) {
      continue;
    }
    path = {start};
    followed = {0};
    state[start] = State::kOnPath;
    while (!path.empty()) {
      const std::uint32_t at = path.back();
      if (followed.back() == next_[at].size()) {
        state[at] = State::kDone;
        path.pop_back();
        followed.pop_back();
        continue;
      }
      const std::uint32_t next = next_[at][followed.back()++];
      if (state[next] == State::kOnPath) {
        return {std::ranges::find(path, next), path.end()};
      }
      if (state[next] == State::kUnknown) {
        state[next] = State::kOnPath;
        path.push_back(next);
        followed.push_back(0);
      }
    }
  }
  return {};
}

}  // namespace weft::subnet
