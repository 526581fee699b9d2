// The search of nue for the paths to one destination: Dijkstra's algorithm over channels, by dependencies that close no
// cycle.
//
// Where it ends before all switches are reached (an impasse), a switch next to one that is not reached may be entered
// by another channel, if all that lies behind it agrees (local backtracking), and the search goes on; it then also
// looks whether switches that were reached before have become nearer (shortcuts). Where that does not help, all paths
// to the destination are those of the escape tree.
//
// Which channels are tried in which order, and what is left as it is after a shortcut, is that of OpenSM 3.3.23.
// Source: Domke, Hoefler, Matsuoka, "Routing on the Dependency Graph", 2016.
#pragma once

#include <cstdint>
#include <vector>

#include "subnet/routing/nue_dependencies.h"
#include "subnet/routing/nue_network.h"
#include "subnet/routing/path_heap.h"

namespace weft::subnet {

/// How often the search needed more than its first pass.
struct NueCounts {
  std::uint64_t destinations = 0;
  std::uint64_t backtracked = 0;  // destinations with at least one step back
  std::uint64_t shortcuts = 0;    // taken
  std::uint64_t escaped = 0;      // destinations that got the escape tree
};

class NueSearch {
 public:
  /// Both outlive the search; `dependencies` has the escape paths.
  NueSearch(const NueNetwork& network, NueDependencies& dependencies);

  /// Paths from all switches to a switch or to an adapter at it, whose dependencies are used from then on. `escape`: of
  /// the lane.
  [[nodiscard]] NueTree find_paths(NueSwitch destination, const NueTree& escape);
  [[nodiscard]] const NueCounts& counts() const { return counts_; }

 private:
  static constexpr std::uint32_t kNotFound = ~std::uint32_t{0};
  struct Reached {
    std::uint64_t distance = kNueUnreached;
    std::uint32_t found_after = kNotFound;  // steps back
    std::vector<Channel> others{};          // by which the switch can be entered, too
  };
  /// A switch that is not reached may be entered by `last`, if the switch before it is entered by `before`.
  struct Detour {
    Channel last = kNoChannel;
    Channel before = kNoChannel;
  };

  void start(NueSwitch destination);
  void expand(Channel from);
  void visit(Channel from, NueDependencies::Dependency dependency);
  void replace(NueSwitch at);
  void add_other(NueSwitch at, Channel channel);
  [[nodiscard]] Channel step_back();
  [[nodiscard]] std::vector<Detour> detours_to(NueSwitch unreached) const;
  [[nodiscard]] bool can_enter_by(Channel channel, const std::vector<Channel>& behind) const;
  [[nodiscard]] bool take_detour(const Detour& detour);
  [[nodiscard]] bool take_shortcut(NueSwitch at, Channel channel);
  /// Channels by which neighbours are entered from a switch.
  [[nodiscard]] std::vector<Channel> channels_behind(NueSwitch at) const;
  void keep_paths();

  const NueNetwork& network_;
  NueDependencies& dependencies_;
  NueSwitch destination_ = 0;
  std::uint32_t steps_back_ = 0;
  NueSwitch found_ = 0;
  NueTree used_;                         // per switch
  std::vector<Reached> reached_;         // per switch
  std::vector<std::uint64_t> distance_;  // per channel, of the last way to it that was seen; and of sources
  PathHeap heap_;                        // channels
  NueCounts counts_;
};

}  // namespace weft::subnet
