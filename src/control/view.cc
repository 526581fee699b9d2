#include "control/view.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/assert.h"

namespace weft::control {
namespace {

/// More paths than this between two switches are not looked for.
constexpr std::size_t kMostFound = 4096;

bool is_usable(const Arc& arc) { return arc.state == ArcState::kUp && arc.capacity > Rate::zero(); }

double ratio(Rate load, Rate capacity) {
  return static_cast<double>(load.bits_per_second()) / static_cast<double>(capacity.bits_per_second());
}

}  // namespace

void ConflictCounter::add(const Path& path) {
  bool shares = false;
  for (const ArcIndex arc : path) {
    shares = !taken_.insert(arc).second || shares;
  }
  conflicts_ += shares ? 1U : 0U;
}

CandidatePaths::CandidatePaths(const View& view, std::uint32_t most)
    : view_(view), most_(most), out_(view.vertices), in_(view.vertices) {
  WEFT_ASSERT(most > 0);
  for (std::uint32_t i = 0; i < view.arcs.size(); ++i) {
    const Arc& arc = view.arcs[i];
    WEFT_ASSERT(arc.from.value() < view.vertices && arc.to.value() < view.vertices);
    if (is_usable(arc)) {
      out_[arc.from.value()].push_back(ArcIndex(i));
      in_[arc.to.value()].push_back(ArcIndex(i));
    }
  }
}

const std::vector<Path>& CandidatePaths::between(const Pair& pair) {
  const auto at = found_.find(pair);
  return at != found_.end() ? at->second : found_.emplace(pair, find(pair)).first->second;
}

// Distances to the destination by breadth-first search backwards; then depth first along links that come nearer.
std::vector<Path> CandidatePaths::find(const Pair& pair) const {
  WEFT_ASSERT(pair.from != pair.to);
  constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> distance(view_.vertices, kFar);
  std::vector<Vertex> queue{pair.to};
  distance[pair.to.value()] = 0;
  for (std::size_t i = 0; i < queue.size() && distance[pair.from.value()] == kFar; ++i) {
    for (const ArcIndex arc : in_[queue[i].value()]) {
      const Vertex before = view_.arcs[arc.value()].from;
      if (distance[before.value()] == kFar) {
        distance[before.value()] = distance[queue[i].value()] + 1;
        queue.push_back(before);
      }
    }
  }
  std::vector<Path> paths;
  if (distance[pair.from.value()] == kFar) {
    return paths;
  }
  Path path;
  const auto extend = [&](const auto& self, Vertex at) -> void {
    if (at == pair.to) {
      paths.push_back(path);
      return;
    }
    for (const ArcIndex arc : out_[at.value()]) {
      const Vertex next = view_.arcs[arc.value()].to;
      if (paths.size() < kMostFound && distance[next.value()] != kFar &&
          distance[next.value()] + 1 == distance[at.value()]) {
        path.push_back(arc);
        self(self, next);
        path.pop_back();
      }
    }
  };
  extend(extend, pair.from);
  if (paths.size() <= most_) {
    return paths;
  }
  std::vector<Path> some;
  for (std::size_t i = 0; i < most_; ++i) {
    some.push_back(std::move(paths[i * paths.size() / most_]));
  }
  return some;
}

Loads::Loads(const View& view) : view_(view) {
  for (const Arc& arc : view.arcs) {
    loads_.push_back(arc.background);
  }
}

Loads::Loads(CandidatePaths& candidates, const std::vector<Demand>& demands, const Placement& placement)
    : Loads(candidates.view()) {
  WEFT_ASSERT(placement.choice.size() == demands.size());
  for (std::size_t i = 0; i < demands.size(); ++i) {
    if (placement.choice[i]) {
      add(candidates.between({.from = demands[i].from, .to = demands[i].to})[*placement.choice[i]], demands[i].rate);
    }
  }
}

void Loads::add(const Path& path, Rate rate) {
  for (const ArcIndex arc : path) {
    loads_[arc.value()] = loads_[arc.value()] + rate;
  }
}

void Loads::remove(const Path& path, Rate rate) {
  for (const ArcIndex arc : path) {
    loads_[arc.value()] = loads_[arc.value()] - rate;
  }
}

double Loads::utilisation(ArcIndex arc) const { return ratio(of(arc), view_.arcs[arc.value()].capacity); }

double Loads::highest() const {
  double most = 0;
  for (std::uint32_t i = 0; i < view_.arcs.size(); ++i) {
    if (is_usable(view_.arcs[i])) {
      most = std::max(most, utilisation(ArcIndex(i)));
    }
  }
  return most;
}

Loads::Fill Loads::fill(const Path& path, Rate rate) const {
  Fill fill;
  for (const ArcIndex arc : path) {
    const double with = ratio(of(arc) + rate, view_.arcs[arc.value()].capacity);
    fill.highest = std::max(fill.highest, with);
    fill.sum += with;
  }
  return fill;
}

std::optional<std::uint32_t> Loads::least_filled(const std::vector<Path>& candidates, Rate rate) const {
  std::optional<std::uint32_t> best;
  Fill least;
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    const Fill here = fill(candidates[i], rate);
    if (!best || here < least) {
      best = i;
      least = here;
    }
  }
  return best;
}

std::vector<std::size_t> largest_first(const std::vector<Demand>& demands) {
  std::vector<std::size_t> order(demands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return demands[i].rate; });
  return order;
}

std::uint32_t improve(CandidatePaths& candidates, const std::vector<Demand>& demands, Placement& placement,
                      std::uint32_t moves) {
  const View& view = candidates.view();
  Loads loads(candidates, demands, placement);
  const std::vector<std::size_t> order = largest_first(demands);
  const auto paths_of = [&](std::size_t i) -> const std::vector<Path>& {
    return candidates.between({.from = demands[i].from, .to = demands[i].to});
  };
  std::vector<std::vector<std::size_t>> users(view.arcs.size());  // demands on each link, the largest first
  for (const std::size_t i : order) {
    if (placement.choice[i]) {
      for (const ArcIndex arc : paths_of(i)[*placement.choice[i]]) {
        users[arc.value()].push_back(i);
      }
    }
  }
  const auto move_one_from = [&](ArcIndex arc, double highest) {
    for (const std::size_t i : users[arc.value()]) {
      const Path& old = paths_of(i)[*placement.choice[i]];
      loads.remove(old, demands[i].rate);
      const std::optional<std::uint32_t> to = loads.least_filled(paths_of(i), demands[i].rate);
      if (demands[i].rate > Rate::zero() && loads.fill(paths_of(i)[*to], demands[i].rate).highest < highest) {
        for (const ArcIndex left : old) {
          std::erase(users[left.value()], i);
        }
        placement.choice[i] = to;
        loads.add(paths_of(i)[*to], demands[i].rate);
        for (const ArcIndex taken : paths_of(i)[*to]) {
          users[taken.value()].push_back(i);
        }
        return true;
      }
      loads.add(old, demands[i].rate);
    }
    return false;
  };
  std::uint32_t moved = 0;
  for (bool found = true; found && moved < moves;) {
    found = false;
    const double highest = loads.highest();
    for (std::uint32_t i = 0; i < view.arcs.size() && !found; ++i) {
      found = loads.utilisation(ArcIndex(i)) >= highest && move_one_from(ArcIndex(i), highest);
    }
    moved += found ? 1U : 0U;
  }
  return moved;
}

}  // namespace weft::control
