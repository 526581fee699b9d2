// Channels that wait for each other: a directed graph to which edges are added while it has no cycle.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::subnet {

struct ChannelDependency {
  std::uint32_t from = 0;  // channel whose buffer is held
  std::uint32_t to = 0;    // channel that is waited for
};

class DependencyGraph {
 public:
  explicit DependencyGraph(std::uint32_t channels) : next_(channels) {}

  /// Adds dependencies that are not there yet; with all of them the graph must have no cycle, or none is added and the
  /// result is false.
  [[nodiscard]] bool add_without_cycle(const std::vector<ChannelDependency>& added);
  /// Adds one, whatever it closes.
  void add(const ChannelDependency& added);

  /// The channels of a cycle, in order; empty: there is none.
  [[nodiscard]] std::vector<std::uint32_t> find_cycle() const;

 private:
  [[nodiscard]] bool reaches(std::uint32_t from, std::uint32_t to) const;

  std::vector<std::vector<std::uint32_t>> next_;  // per channel
};

}  // namespace weft::subnet
