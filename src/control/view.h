// What a traffic controller knows of a network: switches, their links with capacity and load, and what is to be
// carried.
//
// Links are directed: a cable is two of them. A demand goes from the switch of its source to that of its destination;
// links of hosts are not part of a view, since no choice of path changes what they carry.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "base/rate.h"

namespace weft::control {

using Vertex = Id<struct VertexTag>;  // a switch, from 0
using ArcIndex = Id<struct ArcTag>;   // in View::arcs

enum class ArcState : std::uint8_t { kUp, kDown };

/// One direction of a link between two switches.
struct Arc {
  Vertex from;
  Vertex to;
  Rate capacity;                   // > 0
  ArcState state = ArcState::kUp;  // as the controller knows it
  Rate background = Rate::zero();  // of what it does not place
};

struct View {
  std::uint32_t vertices = 0;
  std::vector<Arc> arcs;
};

/// Traffic that takes one path: a flow, or all of a pair.
struct Demand {
  Vertex from;
  Vertex to;  // not `from`
  Rate rate;  // >= 0

  friend bool operator==(const Demand&, const Demand&) = default;
};

using Path = std::vector<ArcIndex>;  // from the source's switch onwards

/// Counts paths that share a link with one before them, each once.
class ConflictCounter {
 public:
  void add(const Path& path);
  [[nodiscard]] std::uint32_t conflicts() const { return conflicts_; }

 private:
  std::set<ArcIndex> taken_;
  std::uint32_t conflicts_ = 0;
};

/// The paths of fewest links between pairs of switches, over links that are up; found once for each pair.
class CandidatePaths {
 public:
  struct Pair {
    Vertex from;
    Vertex to;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  /// At most `most` for a pair: where there are more, those at even distances in the order of their links. `view`
  /// outlives this.
  CandidatePaths(const View& view, std::uint32_t most);

  /// In the order of their links; empty if there is none.
  [[nodiscard]] const std::vector<Path>& between(const Pair& pair);
  [[nodiscard]] const View& view() const { return view_; }

 private:
  [[nodiscard]] std::vector<Path> find(const Pair& pair) const;

  const View& view_;
  std::uint32_t most_;
  std::vector<std::vector<ArcIndex>> out_;  // per vertex
  std::vector<std::vector<ArcIndex>> in_;
  std::map<Pair, std::vector<Path>> found_;
};

/// For each demand one of its candidate paths; none where there is no path.
struct Placement {
  std::vector<std::optional<std::uint32_t>> choice;  // per demand: which of the candidates
};

/// What the links carry: background, and demands on the paths that were chosen for them.
class Loads {
 public:
  explicit Loads(const View& view);
  Loads(CandidatePaths& candidates, const std::vector<Demand>& demands, const Placement& placement);

  void add(const Path& path, Rate rate);
  void remove(const Path& path, Rate rate);
  [[nodiscard]] Rate of(ArcIndex arc) const { return loads_[arc.value()]; }
  /// Load over capacity.
  [[nodiscard]] double utilisation(ArcIndex arc) const;
  /// The highest of all links that are up; 0 without one.
  [[nodiscard]] double highest() const;

  /// How full a path would be with `rate` more: first its fullest link, then all of them together.
  struct Fill {
    double highest = 0;
    double sum = 0;
    friend auto operator<=>(const Fill&, const Fill&) = default;
  };
  [[nodiscard]] Fill fill(const Path& path, Rate rate) const;
  /// The candidate that `rate` more would fill least, the first of equal ones; none without candidates.
  [[nodiscard]] std::optional<std::uint32_t> least_filled(const std::vector<Path>& candidates, Rate rate) const;

 private:
  const View& view_;
  std::vector<Rate> loads_;
};

/// Indices of demands, the largest first; of equal ones the first.
[[nodiscard]] std::vector<std::size_t> largest_first(const std::vector<Demand>& demands);

/// Moves single demands away from the fullest link as long as that leaves the path that they move to less full than
/// the link was; at most `moves` times. Never raises the highest utilisation. Returns how many moved.
std::uint32_t improve(CandidatePaths& candidates, const std::vector<Demand>& demands, Placement& placement,
                      std::uint32_t moves);

}  // namespace weft::control
