#include "fabric/control/reach_monitor.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace weft::fabric {

/// One walk over all paths to a destination.
struct ReachMonitor::Visit {
  enum class Mark : std::uint8_t { kNew, kOnPath, kDone };
  std::vector<Mark> marks;
  std::vector<double> lost;
  bool black_hole = false;
  bool loop = false;
};

ReachMonitor::ReachMonitor(const Graph& graph, std::vector<std::uint32_t> leaf_of)
    : prefixes_(static_cast<std::uint32_t>(leaf_of.size())),
      leaf_of_(std::move(leaf_of)),
      neighbours_(graph.switches()),
      is_up_(graph.links.size(), true),
      entries_(std::size_t{graph.switches()} * prefixes_, 0),
      sets_(1),
      records_(prefixes_) {
  known_sets_.emplace(std::vector<std::uint16_t>(), 0);
  for (std::uint32_t i = 0; i < graph.switches(); ++i) {
    neighbours_[i].resize(graph.nodes[graph.endpoints + i].ports);
  }
  for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
    const LinkEnd a = graph.links[link].a;
    const LinkEnd b = graph.links[link].b;
    if (a.node.value() >= graph.endpoints && b.node.value() >= graph.endpoints) {
      neighbours_[a.node.value() - graph.endpoints][a.port] = {.node = b.node.value() - graph.endpoints, .link = link};
      neighbours_[b.node.value() - graph.endpoints][b.port] = {.node = a.node.value() - graph.endpoints, .link = link};
    }
  }
  find_components();
}

void ReachMonitor::find_components() {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  component_.assign(neighbours_.size(), kNone);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t first = 0; first < component_.size(); ++first) {
    if (component_[first] != kNone) {
      continue;
    }
    component_[first] = first;
    queue.assign(1, first);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      for (const Neighbour& next : neighbours_[queue[head]]) {
        if (next.node != kNone && is_up_[next.link] && component_[next.node] == kNone) {
          component_[next.node] = first;
          queue.push_back(next.node);
        }
      }
    }
  }
}

void ReachMonitor::begin(Time now) {
  counts_ = true;
  for (Record& record : records_) {
    record.since = now;
  }
  touch_all(now);
}

void ReachMonitor::add(Record& record, Time until) {
  const Duration passed = until - record.since;
  record.sum.black_hole += record.state.black_hole ? passed : Duration::zero();
  record.sum.loop += record.state.loop ? passed : Duration::zero();
  record.sum.cut_off += record.state.cut_off ? passed : Duration::zero();
  record.sum.lost_seconds += record.state.lost * passed.seconds();
  record.since = until;
}

void ReachMonitor::settle() {
  for (const PrefixId prefix : touched_) {
    Record& record = records_[prefix];
    add(record, touched_at_);
    record.state = evaluate(prefix);
  }
  touched_.clear();
}

void ReachMonitor::settle_before(Time now) {
  if (now > touched_at_) {
    settle();
    touched_at_ = now;
  }
}

void ReachMonitor::touch(PrefixId prefix, Time now) {
  WEFT_DCHECK(now >= touched_at_);
  if (counts_) {
    settle_before(now);
    touched_.insert(prefix);
  }
}

void ReachMonitor::touch_all(Time now) {
  for (std::uint32_t prefix = 0; prefix < prefixes_; ++prefix) {
    touch(static_cast<PrefixId>(prefix), now);
  }
}

void ReachMonitor::set_entry(std::uint32_t switch_ordinal, PrefixId prefix, std::span<const std::uint16_t> ports,
                             Time now) {
  touch(prefix, now);
  const std::vector<std::uint16_t> set(ports.begin(), ports.end());
  auto at = known_sets_.find(set);
  if (at == known_sets_.end()) {
    at = known_sets_.emplace(set, static_cast<std::uint32_t>(sets_.size())).first;
    sets_.push_back(set);
  }
  entries_[std::size_t{switch_ordinal} * prefixes_ + prefix] = at->second;
}

void ReachMonitor::set_cable(LinkIndex link, Cable state, Time now) {
  touch_all(now);
  is_up_[link.value()] = state == Cable::kUp;
  find_components();
}

ReachMonitor::Outage ReachMonitor::outage(PrefixId prefix, Time now) {
  if (!counts_) {
    return {};
  }
  settle();
  touched_at_ = later(touched_at_, now);
  Record& record = records_[prefix];
  if (now > record.since) {
    add(record, now);
  }
  return record.sum;
}

ReachMonitor::State ReachMonitor::evaluate(PrefixId prefix) const {
  Visit visit;
  visit.marks.assign(neighbours_.size(), Visit::Mark::kNew);
  visit.lost.assign(neighbours_.size(), 0);
  const std::uint32_t to = leaf_of_[prefix];
  visit.marks[to] = Visit::Mark::kDone;
  double sum = 0;
  std::uint32_t sources = 0;
  bool cut_off = false;
  for (const std::uint32_t leaf : leaf_of_) {
    if (component_[leaf] != component_[to]) {
      cut_off = true;
    } else if (leaf != to) {
      sum += lost_from(leaf, prefix, visit);
      ++sources;
    }
  }
  return {
      .black_hole = visit.black_hole, .loop = visit.loop, .cut_off = cut_off, .lost = sources == 0 ? 0 : sum / sources};
}

// Depth first with a stack of its own: paths may be as long as there are switches. Where a loop closes, all that
// arrives there is lost.
double ReachMonitor::lost_from(std::uint32_t node, PrefixId prefix, Visit& visit) const {
  struct Step {
    std::uint32_t node;
    std::size_t next;
  };
  std::vector<Step> path;
  const auto enter = [&](std::uint32_t next) {
    visit.marks[next] = Visit::Mark::kOnPath;
    path.push_back({.node = next, .next = 0});
  };
  if (visit.marks[node] == Visit::Mark::kNew) {
    enter(node);
  }
  while (!path.empty()) {
    Step& step = path.back();
    const std::vector<std::uint16_t>& hops = sets_[entries_[std::size_t{step.node} * prefixes_ + prefix]];
    if (step.next == hops.size()) {
      const std::uint32_t done = step.node;
      if (hops.empty()) {
        visit.black_hole = true;
        visit.lost[done] = 1;
      } else {
        visit.lost[done] /= static_cast<double>(hops.size());
      }
      visit.marks[done] = Visit::Mark::kDone;
      path.pop_back();
      if (!path.empty()) {
        visit.lost[path.back().node] += visit.lost[done];
      }
      continue;
    }
    const std::uint32_t from = step.node;
    const Neighbour& next = neighbours_[from][hops[step.next++]];
    if (!is_up_[next.link]) {
      visit.black_hole = true;
      visit.lost[from] += 1;
    } else if (visit.marks[next.node] == Visit::Mark::kOnPath) {
      visit.loop = true;
      visit.lost[from] += 1;
    } else if (visit.marks[next.node] == Visit::Mark::kDone) {
      visit.lost[from] += visit.lost[next.node];
    } else {
      enter(next.node);
    }
  }
  return visit.lost[node];
}

}  // namespace weft::fabric
