#include "study/world/path_cuts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

namespace weft::study::world {
namespace {

constexpr double kRounding = 1e-9;

/// Beyond so many sets each is looked at by itself: which lie within which takes too long.
constexpr std::size_t kMostRelated = 20'000;

/// Links that hops have in common directly or by others that overlap with both.
class LinkGroups {
 public:
  explicit LinkGroups(std::size_t links) : parents_(links) { std::iota(parents_.begin(), parents_.end(), 0U); }

  std::uint32_t group_of(std::uint32_t link) {
    while (parents_[link] != link) {
      parents_[link] = parents_[parents_[link]];
      link = parents_[link];
    }
    return link;
  }
  void join(std::uint32_t a, std::uint32_t b) { parents_[group_of(a)] = group_of(b); }

 private:
  std::vector<std::uint32_t> parents_;
};

/// What all links of a set have in common; none: they differ.
std::optional<std::uint32_t> common(const std::vector<std::uint32_t>& set, std::span<const CutLink> all,
                                    std::uint32_t CutLink::*end) {
  const std::uint32_t first = all[set.front()].*end;
  const bool alike = std::ranges::all_of(set, [&](std::uint32_t link) { return all[link].*end == first; });
  return alike ? std::optional(first) : std::nullopt;
}

}  // namespace

std::uint32_t PathCuts::number_of(FlowLinks links, std::span<const CutLink> all) {
  std::ranges::sort(links, {}, &LinkUse::link);
  Set set;
  for (const LinkUse& use : links) {
    set.push_back(use.link);
    const LinkUse& first = links.front();
    are_needed_ = are_needed_ || std::abs(use.part - first.part) > kRounding ||
                  std::abs(all[use.link].capacity / all[first.link].capacity - 1) > kRounding;
  }
  return keep(std::move(set));
}

std::uint32_t PathCuts::keep(Set set) {
  const auto [found, is_new] = numbers_.try_emplace(std::move(set), static_cast<std::uint32_t>(sets_.size()));
  if (is_new) {
    sets_.push_back(&found->first);
  }
  return found->second;
}

bool PathCuts::overlap() const {
  std::set<std::uint32_t> known;
  for (const Set* const set : sets_) {
    for (const std::uint32_t link : *set) {
      if (!known.insert(link).second) {
        return true;
      }
    }
  }
  return false;
}

void PathCuts::add_unions(std::span<const CutLink> all) {
  LinkGroups groups(all.size());
  std::map<std::uint32_t, std::set<std::uint32_t>> out;
  std::map<std::uint32_t, std::set<std::uint32_t>> in;
  for (const Set* const set : sets_) {
    for (const std::uint32_t link : *set) {
      groups.join(link, set->front());
    }
    if (const auto from = common(*set, all, &CutLink::from)) {
      out[*from].insert(set->begin(), set->end());
    }
    if (const auto to = common(*set, all, &CutLink::to)) {
      in[*to].insert(set->begin(), set->end());
    }
  }
  std::map<std::uint32_t, std::set<std::uint32_t>> joined;
  for (const Set* const set : sets_) {
    joined[groups.group_of(set->front())].insert(set->begin(), set->end());
  }
  for (const auto* const unions : {&out, &in, &joined}) {
    for (const auto& [name, links] : *unions) {
      keep(Set(links.begin(), links.end()));
    }
  }
}

void PathCuts::find_supersets() {
  supersets_.resize(sets_.size());
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_link;
  const bool few = sets_.size() <= kMostRelated;
  for (std::uint32_t number = 0; few && number < sets_.size(); ++number) {
    for (const std::uint32_t link : *sets_[number]) {
      by_link[link].push_back(number);
    }
  }
  for (std::uint32_t number = 0; number < sets_.size(); ++number) {
    if (!few) {
      supersets_[number].push_back(number);
      continue;
    }
    for (const std::uint32_t other : by_link.at(sets_[number]->front())) {
      if (std::ranges::includes(*sets_[other], *sets_[number])) {
        supersets_[number].push_back(other);
      }
    }
  }
}

void PathCuts::complete(std::span<const CutLink> all) {
  if (overlap()) {
    are_needed_ = true;
    if (sets_.size() <= kMostRelated) {
      add_unions(all);
    }
  }
  find_supersets();
  for (const Set* const set : sets_) {
    double sum = 0;
    for (const std::uint32_t link : *set) {
      sum += all[link].capacity;
    }
    capacities_.push_back(sum);
  }
}

FlowLinks PathCuts::cuts_of(const FlowLinks& sets) const {
  std::map<std::uint32_t, double> parts;
  for (const LinkUse& use : sets) {
    for (const std::uint32_t cut : supersets_[use.link]) {
      parts[cut] += use.part;
    }
  }
  FlowLinks made;
  for (const auto& [cut, part] : parts) {
    made.push_back({.link = cut, .part = part});
  }
  return made;
}

}  // namespace weft::study::world
