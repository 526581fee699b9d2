#include "control/conflict_free.h"

#include <algorithm>
#include <map>
#include <optional>

#include "control/edge_colouring.h"
#include "control/greedy.h"

namespace weft::control {
namespace {

constexpr std::uint32_t kMoves = 10'000;

/// A switch in between, and which of the cables to it.
struct Way {
  Vertex spine;
  std::uint32_t up = 0;    // of the cables from the first leaf to it
  std::uint32_t down = 0;  // of the cables from it to the last leaf
  friend auto operator<=>(const Way&, const Way&) = default;
};

/// Numbers the links between each two switches in their order.
std::vector<std::uint32_t> number_parallels(const View& view) {
  std::map<CandidatePaths::Pair, std::uint32_t> seen;
  std::vector<std::uint32_t> numbers;
  for (const Arc& arc : view.arcs) {
    numbers.push_back(arc.state == ArcState::kUp ? seen[{.from = arc.from, .to = arc.to}]++ : 0);
  }
  return numbers;
}

/// Of each pair the ways of its paths that use the same of several parallel cables at both ends, with the path of each.
using WaysOfPair = std::map<Way, std::uint32_t>;

/// Empty unless all paths have two links.
std::map<CandidatePaths::Pair, WaysOfPair> find_ways(CandidatePaths& candidates, const std::vector<Demand>& flows) {
  const View& view = candidates.view();
  const std::vector<std::uint32_t> numbers = number_parallels(view);
  std::map<CandidatePaths::Pair, WaysOfPair> ways;
  for (const Demand& flow : flows) {
    const CandidatePaths::Pair pair{.from = flow.from, .to = flow.to};
    const std::vector<Path>& paths = candidates.between(pair);
    if (paths.empty() || ways.contains(pair)) {
      continue;
    }
    WaysOfPair& own = ways[pair];
    for (std::uint32_t i = 0; i < paths.size(); ++i) {
      if (paths[i].size() != 2) {
        return {};
      }
      const Way way{.spine = view.arcs[paths[i][0].value()].to,
                    .up = numbers[paths[i][0].value()],
                    .down = numbers[paths[i][1].value()]};
      if (way.up == way.down) {
        own.emplace(way, i);
      }
    }
  }
  return ways;
}

/// Those that every pair has.
std::vector<Way> ways_of_all(const std::map<CandidatePaths::Pair, WaysOfPair>& ways) {
  std::vector<Way> common;
  if (!ways.empty()) {
    for (const auto& [way, path] : ways.begin()->second) {
      const Way& wanted = way;
      if (std::ranges::all_of(ways, [&](const auto& own) { return own.second.contains(wanted); })) {
        common.push_back(way);
      }
    }
  }
  return common;
}

}  // namespace

ConflictFreeResult place_conflict_free(CandidatePaths& candidates, const std::vector<Demand>& flows) {
  ConflictFreeResult result;
  std::vector<Demand> equal = flows;
  for (Demand& flow : equal) {
    flow.rate = 1_gbps;
  }
  const auto ways = find_ways(candidates, flows);
  if (const std::vector<Way> common = ways_of_all(ways); !common.empty()) {
    result.is_coloured = true;
    std::vector<BipartiteEdge> edges;
    std::vector<std::size_t> placed;
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (ways.contains({.from = flows[i].from, .to = flows[i].to})) {
        edges.push_back({.left = flows[i].from.value(), .right = flows[i].to.value()});
        placed.push_back(i);
      }
    }
    const std::vector<std::uint32_t> colours = colour_edges(edges, static_cast<std::uint32_t>(common.size()));
    result.placement.choice.resize(flows.size());
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const Demand& flow = flows[placed[i]];
      result.placement.choice[placed[i]] = ways.at({.from = flow.from, .to = flow.to}).at(common[colours[i]]);
    }
  } else {
    result.placement = place_greedily(candidates, equal);
  }
  improve(candidates, equal, result.placement, kMoves);
  ConflictCounter counter;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (const std::optional<std::uint32_t> choice = result.placement.choice[i]) {
      counter.add(candidates.between({.from = flows[i].from, .to = flows[i].to})[*choice]);
    }
  }
  result.conflicts = counter.conflicts();
  return result;
}

}  // namespace weft::control
