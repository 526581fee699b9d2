#include "fabric/routing/path_balancer.h"

#include "base/assert.h"
#include "wire/packet.h"

namespace weft::fabric {
namespace {

/// Policies that do not compare queues by grades have one grade for all.
bool has_grades(PathPolicy policy) {
  switch (policy) {
    case PathPolicy::kEcmp:
    case PathPolicy::kSpray:
    case PathPolicy::kAdaptive:
    case PathPolicy::kTable:
      return true;
    case PathPolicy::kDrill:
    case PathPolicy::kConga:
    case PathPolicy::kConWeave:
    case PathPolicy::kPinned:
    case PathPolicy::kCentral:
      break;
  }
  return false;
}

}  // namespace

PathBalancer::PathBalancer(const Setup& setup, const BalancingOptions& options)
    : policy_(setup.policy),
      seed_(setup.seed),
      grades_(has_grades(setup.policy) ? DepthGrades(options.grades) : DepthGrades()),
      scores_(setup.ports),
      observations_(setup.ports),
      counters_(std::size_t{setup.ports} * grades_.count()),
      others_(setup.ports) {
  by_bytes_ = options.grades.empty();
  const bool per_packet = policy_ == PathPolicy::kSpray || policy_ == PathPolicy::kAdaptive;
  if ((per_packet || policy_ == PathPolicy::kDrill) && options.unordered_only) {
    required_ = wire::kUnordered;
  }
  if (per_packet || policy_ == PathPolicy::kDrill) {
    service_levels_ = options.service_levels;
  }
  if (policy_ == PathPolicy::kDrill) {
    drill_ = Drill(options.drill, setup.ports);
  }
  WEFT_ASSERT(policy_ != PathPolicy::kConga || options.flowlet_gap);
  if ((per_packet || policy_ == PathPolicy::kConga) && options.flowlet_gap) {
    WEFT_ASSERT(options.flowlet_entries > 0);
    flowlets_ = FlowletTable(options.flowlet_entries, *options.flowlet_gap);
  }
  if (policy_ == PathPolicy::kAdaptive && options.notifications) {
    const NotificationOptions& notifications = *options.notifications;
    notify_from_ = static_cast<std::uint32_t>(std::min<std::int64_t>(notifications.threshold.count(), 0xFFFFFFFF));
    hold_ = notifications.hold;
    interval_ = notifications.interval;
    congested_ = DeadlineTable(kPairs);
    notified_ = DeadlineTable(kPairs);
  }
}

bool PathBalancer::is_needed(PathPolicy policy, const BalancingOptions& options) {
  switch (policy) {
    case PathPolicy::kAdaptive:
    case PathPolicy::kDrill:
    case PathPolicy::kConga:
    case PathPolicy::kConWeave:
    case PathPolicy::kPinned:
    case PathPolicy::kCentral:
      return true;
    case PathPolicy::kSpray:
      return options.unordered_only || options.service_levels != BalancingOptions::kAllLevels || options.flowlet_gap ||
             options.weighting != Weighting::kEqual;
    case PathPolicy::kEcmp:
      return options.weighting != Weighting::kEqual || !options.hash.is_plain();
    case PathPolicy::kTable:
      break;
  }
  return false;
}

// Any port of the least score, in proportion to the weights.
PathBalancer::Choice PathBalancer::choose_least(const NextHops& hops, const Packet& packet, std::uint64_t least) {
  std::uint32_t total = 0;
  std::uint32_t only = 0;
  std::uint32_t ties = 0;
  for (std::uint32_t i = 0; i < hops.size(); ++i) {
    if (scores_[i] == least) {
      total += packet.weights == nullptr ? 1 : packet.weights[i];
      only = i;
      ++ties;
    }
  }
  WEFT_DCHECK(ties > 0 && total >= ties);  // a weight is never zero
  ++choices_;
  std::uint32_t at = only;
  if (ties > 1) {
    std::uint32_t left = pick(switch_hash(choices_, seed_), total);
    for (at = 0;; ++at) {
      if (scores_[at] != least) {
        continue;
      }
      const std::uint32_t weight = packet.weights == nullptr ? 1 : packet.weights[at];
      if (left < weight) {
        break;
      }
      left -= weight;
    }
  }
  return {.port = hops[at], .all_congested = least >= kCongestedPenalty};
}

bool PathBalancer::claim_notification(const DeadlineTable::Key& ingress_and_leaf, Drain drain, Time now) {
  WEFT_DCHECK(notifies() && ingress_and_leaf.port < others_.size());
  if (notified_.holds(ingress_and_leaf, now)) {
    return false;
  }
  notified_.set(ingress_and_leaf, now + interval_.value_or(hold_.value_or(drain.time) / 4));
  ++others_[ingress_and_leaf.port].sent;
  return true;
}

void PathBalancer::mark_congested(const DeadlineTable::Key& port_and_leaf, Drain drain, Time now) {
  ++others_[port_and_leaf.port].received;
  if (!congested_.empty()) {
    congested_.set(port_and_leaf, now + hold_.value_or(drain.time));
  }
}

PortChoices PathBalancer::choices(std::uint32_t port, Time now) const {
  const Observation& last = observations_[port];
  const Counters& others = others_[port];
  PortChoices result{.grades = {},
                     .flowlets = others.flowlets,
                     .moved = others.moved,
                     .notifications_sent = others.sent,
                     .notifications_received = others.received,
                     .detours = others.detours};
  if (last.happened) {
    const auto first = counters_.begin() + static_cast<std::ptrdiff_t>(port * grades_.count());
    result.grades.assign(first, first + grades_.count());
    result.grades[last.grade].time += now - last.at;
  }
  return result;
}

std::uint64_t PathBalancer::detours() const {
  std::uint64_t sum = 0;
  for (const Counters& port : others_) {
    sum += port.detours;
  }
  return sum;
}

std::size_t PathBalancer::heap_bytes() const {
  return flowlets_.heap_bytes() + drill_.heap_bytes() + congested_.heap_bytes() + notified_.heap_bytes() +
         scores_.capacity() * sizeof(scores_[0]) + observations_.capacity() * sizeof(observations_[0]) +
         counters_.capacity() * sizeof(counters_[0]) + others_.capacity() * sizeof(others_[0]);
}

}  // namespace weft::fabric
