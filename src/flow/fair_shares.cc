#include "flow/fair_shares.h"

#include <algorithm>
#include <functional>

#include "base/assert.h"

namespace weft::flow {
namespace {

/// Rounds of an update that take in only classes whose bottleneck is shown to have moved; from then on all neighbours.
constexpr int kNarrowRounds = 12;

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

FairShares::FairShares(std::vector<double> capacities)
    : capacities_(std::move(capacities)),
      entries_(capacities_.size()),
      place_(capacities_.size()),
      link_epoch_(capacities_.size()) {}

ClassId FairShares::add_class(std::span<const LinkUse> links, const ClassOptions& options) {
  WEFT_ASSERT(options.cap > 0 && options.weight > 0);
  const auto number = static_cast<std::uint32_t>(classes_.size());
  classes_.push_back({.cap = options.cap,
                      .weight = options.weight,
                      .first_use = static_cast<std::uint32_t>(uses_.size()),
                      .room = static_cast<std::uint32_t>(links.size()),
                      .uses = static_cast<std::uint32_t>(links.size())});
  for (const LinkUse& use : links) {
    WEFT_DCHECK(use.link < capacities_.size() && use.part > 0);
    uses_.push_back({.link = use.link, .part = use.part});
  }
  return ClassId(number);
}

void FairShares::enlist(std::uint32_t flows) {
  const Class& own = classes_[flows];
  for (std::uint32_t i = 0; i < own.uses; ++i) {
    Use& use = uses_[own.first_use + i];
    use.position = static_cast<std::uint32_t>(entries_[use.link].size());
    const double parts = static_cast<double>(use.part) * own.count;
    entries_[use.link].push_back(
        {.flows = flows, .use = own.first_use + i, .parts = parts, .weight = own.weight * parts});
  }
}

void FairShares::delist(std::uint32_t flows) {
  for (const Use& use : uses_of(classes_[flows])) {
    std::vector<Entry>& entries = entries_[use.link];
    entries[use.position] = entries.back();
    uses_[entries[use.position].use].position = use.position;
    entries.pop_back();
  }
}

void FairShares::mark_link(std::uint32_t link) { dirty_links_.push_back(link); }

void FairShares::mark(std::uint32_t flows) {
  Class& own = classes_[flows];
  if (!own.dirty) {
    own.dirty = true;
    dirty_.push_back(flows);
  }
  for (const Use& use : uses_of(own)) {
    mark_link(use.link);
  }
}

void FairShares::set_flows(ClassId flows, std::uint32_t count) {
  Class& own = classes_[flows.value()];
  if (own.count == count) {
    return;
  }
  const bool was_there = own.count > 0;
  own.count = count;
  if (was_there && count == 0) {
    delist(flows.value());
    own.rate = 0;
    own.level = 0;
    classes_[active_.back()].position = own.position;
    active_[own.position] = active_.back();
    active_.pop_back();
  } else if (!was_there) {
    enlist(flows.value());
    own.position = static_cast<std::uint32_t>(active_.size());
    active_.push_back(flows.value());
  } else {
    for (const Use& use : uses_of(own)) {
      Entry& entry = entries_[use.link][use.position];
      entry.parts = static_cast<double>(use.part) * count;
      entry.weight = own.weight * entry.parts;
    }
  }
  mark(flows.value());
}

void FairShares::set_links(ClassId flows, std::span<const LinkUse> links) {
  Class& own = classes_[flows.value()];
  mark(flows.value());
  if (own.count > 0) {
    delist(flows.value());
  }
  if (links.size() > own.room) {
    own.first_use = static_cast<std::uint32_t>(uses_.size());
    own.room = static_cast<std::uint32_t>(links.size());
    uses_.resize(uses_.size() + links.size());
  }
  own.uses = static_cast<std::uint32_t>(links.size());
  for (std::uint32_t i = 0; i < own.uses; ++i) {
    uses_[own.first_use + i] = {.link = links[i].link, .part = links[i].part};
  }
  if (own.count > 0) {
    enlist(flows.value());
  }
  mark(flows.value());
}

void FairShares::set_capacity(std::uint32_t link, double capacity) {
  WEFT_ASSERT(capacity >= 0);
  if (capacities_[link] != capacity) {
    capacities_[link] = capacity;
    mark_link(link);
  }
}

std::span<const ClassOnLink> FairShares::classes_on(std::uint32_t link) {
  on_link_.clear();
  for (const Entry& entry : entries_[link]) {
    on_link_.push_back({.flows = ClassId(entry.flows),
                        .part = static_cast<double>(uses_[entry.use].part),
                        .held = classes_[entry.flows].bottleneck == link});
  }
  return on_link_;
}

void FairShares::touch(std::uint32_t link) {
  if (link_epoch_[link] != epoch_) {
    link_epoch_[link] = epoch_;
    place_[link] = static_cast<std::uint32_t>(touched_.size());
    touched_.push_back({.link = link});
  }
}

void FairShares::join(std::uint32_t flows) {
  Class& own = classes_[flows];
  if (own.epoch == epoch_) {
    return;
  }
  own.epoch = epoch_;
  members_.push_back({.flows = flows, .rate_before = own.rate});
  for (const Use& use : uses_of(own)) {
    touch(use.link);
    touched_[place_[use.link]].joined = true;
  }
}

void FairShares::join_all() {
  for (const std::uint32_t flows : active_) {
    Class& own = classes_[flows];
    own.epoch = epoch_;
    members_.push_back({.flows = flows, .rate_before = own.rate});
  }
  for (std::uint32_t link = 0; link < entries_.size(); ++link) {
    if (!entries_[link].empty()) {
      touch(link);
    }
  }
}

std::span<const ClassId> FairShares::update(Reach reach) {
  changed_.clear();
  if (dirty_.empty() && dirty_links_.empty()) {
    return changed_;
  }
  ++epoch_;
  touched_.clear();
  members_.clear();
  solves_all_ = reach == Reach::kAll;
  for (const std::uint32_t flows : dirty_) {
    classes_[flows].dirty = false;
    if (!solves_all_ && classes_[flows].count > 0) {
      join(flows);
    }
  }
  if (solves_all_) {
    join_all();
  }
  for (const std::uint32_t link : dirty_links_) {
    touch(link);
  }
  dirty_.clear();
  dirty_links_.clear();
  int rounds = 0;
  do {
    solve();
  } while (!solves_all_ && expand(++rounds > kNarrowRounds));
  for (const Member& member : members_) {
    if (classes_[member.flows].rate != member.rate_before) {
      changed_.push_back(ClassId(member.flows));
    }
  }
  return changed_;
}

double FairShares::estimate(ClassId flows) {
  Class& own = classes_[flows.value()];
  double level = own.cap / own.weight;
  for (std::uint32_t i = 0; i < own.uses; ++i) {
    const Use& use = uses_[own.first_use + i];
    double load = 0;
    double highest = 0;
    double weight = 0;  // of those that have the highest
    for (const Entry& entry : entries_[use.link]) {
      const Class& other = classes_[entry.flows];
      load += other.rate * entry.parts;
      if (other.level > highest * (1 + tolerance_)) {
        highest = other.level;
        weight = 0;
      }
      weight += other.level >= highest * (1 - tolerance_) ? other.weight * entry.parts : 0;
    }
    const double left = std::max(capacities_[use.link] - load, 0.0);
    const double needs = own.weight * static_cast<double>(use.part);
    level = std::min(level, std::max(left / needs, (left + weight * highest) / (weight + needs)));
  }
  own.level = level;
  own.rate = level * own.weight;
  return own.rate;
}

void FairShares::weigh(Touched& link) {
  if (link.joined) {
    link.joined = false;
    link.members = 0;
    link.weight = 0;
    link.outside = 0;
    for (const Entry& entry : entries_[link.link]) {
      if (solves_all_ || classes_[entry.flows].epoch == epoch_) {
        link.weight += entry.weight;
        ++link.members;
      } else {
        link.outside += classes_[entry.flows].rate * entry.parts;
      }
    }
  }
  link.load = link.weight;
  link.growing = link.members;
  link.full_at = -1;
  link.left = std::max(capacities_[link.link] - link.outside, 0.0);
}

// Filling never lowers the level at which a link will be full, so a value in the heap that is out of date is too low:
// it comes up early and goes back.
std::pair<double, std::uint32_t> FairShares::next_full() {
  while (!heap_.empty()) {
    const auto [level, place] = heap_.front();
    const Touched& link = touched_[place];
    const double now = link.growing == 0 ? kNever : std::max(link.left, 0.0) / link.load;
    if (link.growing > 0 && now <= level * (1 + 1e-12)) {
      return {level, place};
    }
    std::ranges::pop_heap(heap_, std::greater<>());
    heap_.pop_back();
    if (link.growing > 0) {
      heap_.emplace_back(now, place);
      std::ranges::push_heap(heap_, std::greater<>());
    }
  }
  return {kNever, kNone};
}

void FairShares::freeze(std::uint32_t number, double level, std::uint32_t bottleneck) {
  Class& flows = classes_[number];
  flows.frozen = true;
  flows.bottleneck = bottleneck;
  flows.rate = bottleneck == kNone ? flows.cap : level * flows.weight;
  flows.level = flows.rate / flows.weight;
  --growing_;
  for (const Use& use : uses_of(flows)) {
    Touched& link = touched_[place_[use.link]];
    const double flows_here = static_cast<double>(use.part) * flows.count;
    link.left -= flows.rate * flows_here;
    link.load -= flows.weight * flows_here;
    --link.growing;
  }
}

void FairShares::solve() {
  solved_ += members_.size();
  heap_.clear();
  capped_.clear();
  for (std::uint32_t place = 0; place < touched_.size(); ++place) {
    Touched& link = touched_[place];
    weigh(link);
    if (link.growing > 0) {
      heap_.emplace_back(link.left / link.load, place);
    }
  }
  std::ranges::make_heap(heap_, std::greater<>());
  for (const Member& member : members_) {
    Class& flows = classes_[member.flows];
    flows.frozen = false;
    if (flows.cap < kNever) {
      capped_.emplace_back(flows.cap / flows.weight, member.flows);
    }
  }
  std::ranges::sort(capped_);
  growing_ = static_cast<std::uint32_t>(members_.size());
  auto cap = capped_.begin();
  while (growing_ > 0) {
    while (cap != capped_.end() && classes_[cap->second].frozen) {
      ++cap;
    }
    const auto [level, place] = next_full();
    if (cap != capped_.end() && cap->first <= level) {
      freeze(cap->second, cap->first, kNone);
      continue;
    }
    if (place == kNone) {
      break;  // neither link nor cap
    }
    touched_[place].full_at = level;
    const std::uint32_t link = touched_[place].link;
    for (const Entry& entry : entries_[link]) {
      if (const Class& flows = classes_[entry.flows]; flows.epoch == epoch_ && !flows.frozen) {
        freeze(entry.flows, level, link);
      }
    }
  }
  if (growing_ > 0) {
    for (const Member& member : members_) {
      if (Class& flows = classes_[member.flows]; !flows.frozen) {
        flows.rate = kNever;
        flows.level = kNever;
        flows.bottleneck = kNone;
      }
    }
  }
}

void FairShares::expand_over(const Touched& link, bool all) {
  const std::vector<Entry>& entries = entries_[link.link];
  double load = 0;
  double highest = 0;
  double highest_outside = 0;
  double lowest_held = kNever;
  for (const Entry& entry : entries) {
    const Class& flows = classes_[entry.flows];
    load += flows.rate * entry.parts;
    highest = std::max(highest, flows.level);
    if (flows.epoch != epoch_) {
      highest_outside = std::max(highest_outside, flows.level);
      lowest_held = flows.bottleneck == link.link ? std::min(lowest_held, flows.level) : lowest_held;
    }
  }
  const double capacity = capacities_[link.link];
  const double least_held = load >= capacity * (1 - tolerance_) ? highest * (1 - tolerance_) : kNever;
  const double most = all || link.outside > capacity * (1 + tolerance_) ? -1
                      : link.full_at >= 0                               ? link.full_at * (1 + tolerance_)
                                                                        : kNever;
  if (highest_outside <= most && lowest_held >= least_held) {
    return;
  }
  for (const Entry& entry : entries) {
    const Class& flows = classes_[entry.flows];
    if (flows.epoch != epoch_ && (flows.level > most || (flows.bottleneck == link.link && flows.level < least_held))) {
      join(entry.flows);
    }
  }
}

bool FairShares::expand(bool all) {
  const std::size_t members = members_.size();
  // Links that join below are looked at in the next round.
  for (std::size_t place = 0, count = touched_.size(); place < count; ++place) {
    const Touched link = touched_[place];
    // Others may have joined over links before this one: `members` counts those that were solved.
    if (link.members < entries_[link.link].size()) {
      expand_over(link, all);
    }
  }
  return members_.size() > members;
}

}  // namespace weft::flow
