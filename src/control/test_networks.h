// Views for tests: leaves and spines, random graphs, random demands.
#pragma once

#include <vector>

#include "base/random.h"
#include "control/view.h"

namespace weft::control {

/// Leaves are vertices from 0, spines follow; the arcs of leaf l and spine s are 2 * (l * spines + s), up, and the next
/// one, down.
struct LeavesAndSpines {
  std::uint32_t leaves = 4;
  std::uint32_t spines = 4;
  Rate rate = 100_gbps;

  [[nodiscard]] ArcIndex up(std::uint32_t leaf, std::uint32_t spine) const {
    return ArcIndex(2 * (leaf * spines + spine));
  }
  [[nodiscard]] ArcIndex down(std::uint32_t leaf, std::uint32_t spine) const {
    return ArcIndex(2 * (leaf * spines + spine) + 1);
  }
  [[nodiscard]] View view() const {
    View view{.vertices = leaves + spines, .arcs = {}};
    for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
      for (std::uint32_t spine = 0; spine < spines; ++spine) {
        view.arcs.push_back({.from = Vertex(leaf), .to = Vertex(leaves + spine), .capacity = rate});
        view.arcs.push_back({.from = Vertex(leaves + spine), .to = Vertex(leaf), .capacity = rate});
      }
    }
    return view;
  }
};

inline Demand demand(std::uint32_t from, std::uint32_t to, Rate rate) {
  return {.from = Vertex(from), .to = Vertex(to), .rate = rate};
}

/// `each` flows from every leaf and to every leaf, none to its own: `each` shifts of all leaves.
inline std::vector<Demand> shifts(std::uint32_t leaves, std::uint32_t each, Rate rate) {
  std::vector<Demand> demands;
  for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::uint32_t i = 0; i < each; ++i) {
      demands.push_back(demand(leaf, (leaf + 1 + i % (leaves - 1)) % leaves, rate));
    }
  }
  return demands;
}

inline std::vector<Demand> random_demands(std::uint32_t leaves, std::uint32_t count, RandomStream& random) {
  std::vector<Demand> demands;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::uint32_t>(random.uniform(leaves));
    const auto shift = static_cast<std::uint32_t>(1 + random.uniform(leaves - 1));
    demands.push_back(
        demand(from, (from + shift) % leaves, 1_gbps * static_cast<std::int64_t>(1 + random.uniform(60))));
  }
  return demands;
}

}  // namespace weft::control
