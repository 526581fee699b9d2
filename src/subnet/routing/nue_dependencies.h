// The complete channel dependency graph of nue: which channel may wait for which, and the part of it that paths use.
//
// Vertices are channels, and for each switch a source, where paths from there begin. A dependency leads from a channel
// to each that leaves the switch which it enters, except back through the same cable. What paths use must stay without
// cycles. Used vertices and dependencies belong to numbered subgraphs: a dependency between two of them closes no cycle
// and joins them; one within a subgraph needs a search, and is blocked for good where it closes a cycle. What the
// search for one destination takes is provisional until it is kept or dropped.
//
// As in OpenSM 3.3.23 a subgraph that was joined is looked up once, not along a chain, and settle() makes that good.
// Source: Domke, Hoefler, Matsuoka, "Routing on the Dependency Graph", 2016.
#pragma once

#include <cstdint>
#include <vector>

#include "subnet/routing/dependency_graph.h"
#include "subnet/routing/nue_network.h"
#include "subnet/routing/number_range.h"

namespace weft::subnet {

class NueDependencies {
 public:
  using Dependency = std::uint32_t;  // index
  static constexpr Dependency kNone = ~Dependency{0};

  explicit NueDependencies(const NueNetwork& network);

  /// Nothing is used or blocked: the state for a virtual lane.
  void clear();

  [[nodiscard]] Channel source(NueSwitch at) const { return channels_ + at; }
  [[nodiscard]] NumberRange of(Channel from) const { return {first_[from], first_[from + 1]}; }
  /// kNone: the two are the directions of one cable.
  [[nodiscard]] Dependency find(const ChannelDependency& ends) const;
  [[nodiscard]] Channel to(Dependency dependency) const { return to_[dependency]; }
  [[nodiscard]] bool is_used(Dependency dependency) const { return dependency_[dependency].name > kUnused; }
  [[nodiscard]] bool is_blocked(Dependency dependency) const { return dependency_[dependency].name == kBlocked; }
  [[nodiscard]] bool is_provisional(Dependency dependency) const { return dependency_[dependency].provisional; }

  void add_escape(Channel channel);
  /// With both of its channels.
  void add_escape(const ChannelDependency& ends);

  /// The next destination: its paths are a subgraph that begins with the source of a switch.
  void begin(NueSwitch destination);
  /// `dependency` is one of `from`, which is used. False: it would close a cycle, and is blocked.
  [[nodiscard]] bool take(Channel from, Dependency dependency);
  /// Unused again, if it is provisional.
  void drop(Dependency dependency);
  /// A channel, and that another one (or a source) waits for it.
  void keep(const ChannelDependency& ends);
  /// Drops all that is still provisional.
  void settle();

 private:
  using Subgraph = std::uint32_t;
  static constexpr Subgraph kBlocked = 0;
  static constexpr Subgraph kUnused = 1;
  static constexpr Subgraph kEscape = 2;  // of escape paths; those of destinations follow
  struct Use {
    Subgraph name = kUnused;  // what the subgraph was called when it was used; settled_ says what it is now
    bool provisional = false;
  };

  [[nodiscard]] Subgraph subgraph(const Use& use) const { return joined_[settled_[use.name]]; }
  [[nodiscard]] bool reaches(Channel from, Channel to);

  const NueNetwork& network_;
  Channel channels_;               // without sources
  std::vector<Dependency> first_;  // per vertex, and one more
  std::vector<Channel> to_;        // per dependency
  std::vector<Use> channel_;       // per vertex
  std::vector<Use> dependency_;
  std::vector<Subgraph> settled_;      // per name
  std::vector<Subgraph> joined_;       // per subgraph, the one that it is part of since the last settle()
  std::vector<Channel> new_channels_;  // used since then
  std::vector<Dependency> new_dependencies_;
  std::vector<std::uint32_t> seen_;  // per vertex, the search that saw it last
  std::uint32_t searches_ = 0;
  std::vector<Channel> open_;  // of a search
};

}  // namespace weft::subnet
