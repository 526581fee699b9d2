#include "study/run/step_overlap.h"

#include <algorithm>
#include <cmath>

#include "base/assert.h"
#include "study/world/max_min.h"

namespace weft::study::run {
namespace {

/// What rounding leaves is no change.
constexpr double kRounding = 1e-9;

}  // namespace

StepOverlap::StepOverlap(const std::vector<Member>& members) {
  struct Total {
    std::uint32_t members = 0;
    std::map<std::uint32_t, double> by_kind{};
  };
  std::map<fabric::PortIndex, Total> totals;
  for (const Member& member : members) {
    for (const auto& use : member.uses) {
      Total& total = totals[use.link];
      ++total.members;
      total.by_kind[member.kind] += use.seconds;
    }
  }
  std::map<fabric::PortIndex, Link> numbers;
  for (const Member& member : members) {
    Known& own = known_.emplace_back(Known{.kind = member.kind, .flow_bytes = member.flow_bytes});
    for (const auto& use : member.uses) {
      const Total& total = totals.at(use.link);
      own.floor = std::max(own.floor, use.seconds);
      own.with_all = std::max(own.with_all, total.by_kind.at(member.kind));
      if (total.members > 1) {
        const auto number = numbers.try_emplace(use.link, static_cast<Link>(numbers.size())).first->second;
        own.uses.push_back({.link = number, .seconds = use.seconds});
      }
    }
  }
  any_meet_ = !numbers.empty();
  on_link_.resize(numbers.size());
  short_.resize(numbers.size());
}

std::vector<StepOverlap::Change> StepOverlap::begin(Id id, const workload::SharedProgress::Operation& operation,
                                                    Duration alone) {
  WEFT_ASSERT(operation.place < known_.size());
  const Known& known = known_[operation.place];
  Active& own = active_[id];
  own = {.id = id, .known = &known, .alone = alone.seconds(), .time = alone.seconds()};
  for (const Use& use : known.uses) {
    on_link_[use.link].push_back({.active = &own, .seconds = use.seconds});
  }
  own.time = time_of(own);
  return adapt(known);
}

std::vector<StepOverlap::Change> StepOverlap::end(Id id) {
  const auto found = active_.find(id);
  WEFT_ASSERT(found != active_.end());
  const Known& known = *found->second.known;
  for (const Use& use : known.uses) {
    std::erase_if(on_link_[use.link], [&found](const OnLink& on) { return on.active == &found->second; });
  }
  active_.erase(found);
  return adapt(known);
}

// What its bytes need on the link that is loaded most, by those of its kind that are under way in place of all.
double StepOverlap::time_of(const Active& active) const {
  const Known& known = *active.known;
  double needed = known.floor;
  for (const Use& use : known.uses) {
    double sum = 0;
    for (const OnLink& on : on_link_[use.link]) {
      sum += on.active->known->kind == known.kind ? on.seconds : 0;
    }
    needed = std::max(needed, sum);
  }
  if (known.with_all <= 0 || std::abs(needed / known.with_all - 1) < kRounding) {
    return active.alone;
  }
  const double bytes = std::min(known.with_all, active.alone);
  return active.alone - bytes + bytes * needed / known.with_all;
}

bool StepOverlap::is_short(Link link) const {
  double load = 0;
  bool several = false;
  const std::vector<OnLink>& all = on_link_[link];
  for (const OnLink& on : all) {
    load += on.seconds / on.active->time;
    several = several || on.active->known->kind != all.front().active->known->kind;
  }
  return several && load > 1 + kRounding;
}

// All whose speed may have changed with it: those of its kind on its links first, then whoever shares what is short.
std::vector<StepOverlap::Change> StepOverlap::adapt(const Known& changed) {
  std::set<Link> links;
  std::map<Id, Active*> alike;
  for (const Use& use : changed.uses) {
    links.insert(use.link);
    for (const OnLink& on : on_link_[use.link]) {
      if (on.active->known->kind == changed.kind) {
        alike.try_emplace(on.active->id, on.active);
      }
    }
  }
  for (const auto& [id, active] : alike) {
    if (const double time = time_of(*active); time != active->time) {
      active->time = time;
      for (const Use& use : active->known->uses) {
        links.insert(use.link);
      }
    }
  }
  for (const Link link : links) {
    short_[link] = is_short(link);
  }
  std::vector<Active*> reached;
  std::map<Link, std::uint32_t> short_links;
  for (const auto& [id, active] : reached_from(std::move(links))) {
    reached.push_back(active);
    for (const Use& use : active->known->uses) {
      if (short_[use.link]) {
        short_links.try_emplace(use.link, 0);
        met_.insert(active->known->kind);
      }
    }
  }
  std::vector<double> factors;
  share(reached, short_links, factors);
  std::vector<Change> changes;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (factors[i] != reached[i]->factor) {
      reached[i]->factor = factors[i];
      changes.push_back({.id = reached[i]->id, .factor = factors[i]});
    }
  }
  return changes;
}

std::map<StepOverlap::Id, StepOverlap::Active*> StepOverlap::reached_from(std::set<Link> links) const {
  std::map<Id, Active*> reached;
  std::set<Link> seen = links;
  while (!links.empty()) {
    const Link link = *links.begin();
    links.erase(links.begin());
    for (const OnLink& on : on_link_[link]) {
      if (!reached.try_emplace(on.active->id, on.active).second) {
        continue;
      }
      for (const Use& use : on.active->known->uses) {
        if (short_[use.link] && seen.insert(use.link).second) {
          links.insert(use.link);
        }
      }
    }
  }
  return reached;
}

// An operation's flows send its bytes in its time, so its rate is that of a flow over the flow's bytes. It is limited
// by the links that are short, and by a link of its own that has room for its time without other kinds.
void StepOverlap::share(const std::vector<Active*>& reached, const std::map<Link, std::uint32_t>& short_links,
                        std::vector<double>& factors) {
  for (const Active* const active : reached) {
    factors.push_back(active->time == active->alone ? 1 : active->time / active->alone);
  }
  if (short_links.empty()) {
    return;
  }
  // In units in which no number is far from one.
  double slowest = 0;
  for (const Active* const active : reached) {
    slowest = std::max(slowest, active->time / active->known->flow_bytes);
  }
  std::vector<double> capacities(reached.size(), 1);
  std::map<Link, std::uint32_t> numbers = short_links;
  for (auto& [link, number] : numbers) {
    number = static_cast<std::uint32_t>(capacities.size());
    capacities.push_back(1);
  }
  std::vector<world::FlowLinks> flows;
  for (std::uint32_t i = 0; i < reached.size(); ++i) {
    const double unit = slowest * reached[i]->known->flow_bytes;
    world::FlowLinks& uses = flows.emplace_back();
    uses.push_back({.link = i, .part = reached[i]->time / unit});
    for (const Use& use : reached[i]->known->uses) {
      if (const auto found = numbers.find(use.link); found != numbers.end()) {
        uses.push_back({.link = found->second, .part = use.seconds / unit});
      }
    }
  }
  const std::vector<double> rates = world::max_min_rates(flows, capacities);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Active& own = *reached[i];
    const double time = slowest * own.known->flow_bytes / rates[i];
    if (time > own.time * (1 + kRounding)) {
      factors[i] = time / own.alone;
    }
  }
}

}  // namespace weft::study::run
