// Load balancing of one switch over equal-cost paths beyond ECMP: adaptive by queue depth, by DRILL, by flowlet
// (LetFlow, CONGA), weighted by capacity, and around ports that neighbours reported as congested.
//
// A choice reads the switch's own queues and its own tables alone; what happens behind its neighbours it knows from
// their notifications. Deterministic: random numbers are hashes of the seed and a count of choices. Not asked where a
// destination has one next hop.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "fabric/routing/deadline_table.h"
#include "fabric/routing/depth_grades.h"
#include "fabric/routing/drill.h"
#include "fabric/routing/flowlet_table.h"
#include "fabric/routing/path_policy.h"
#include "fabric/routing/port_weights.h"
#include "fabric/routing/routes.h"

namespace weft::fabric {

/// What an adaptive switch compares: bytes that wait, and among ports where as many wait, one that sends nothing is
/// less.
[[nodiscard]] inline std::uint64_t depth_of(std::uint32_t queued_bytes, bool sends) {
  return std::uint64_t{queued_bytes} * 2 + (sends ? 1 : 0);
}
[[nodiscard]] inline std::uint32_t bytes_of(std::uint64_t depth) { return static_cast<std::uint32_t>(depth / 2); }

/// Grade of a port over time, as observed by routing decisions, and how often it was chosen.
struct GradeCounters {
  std::uint64_t chosen = 0;  // packets
  Duration time;             // from one observation to the next

  friend bool operator==(const GradeCounters&, const GradeCounters&) = default;
};
struct PortChoices {
  std::vector<GradeCounters> grades;         // by grade; empty: the port was never looked at
  std::uint64_t flowlets = 0;                // that began at this port
  std::uint64_t moved = 0;                   // of these, those whose flow was at another port before
  std::uint64_t notifications_sent = 0;      // out of this port, to the switch behind it
  std::uint64_t notifications_received = 0;  // by this port, about it
  std::uint64_t detours = 0;  // packets bound for a third group of a dragonfly by the choice of this port

  friend bool operator==(const PortChoices&, const PortChoices&) = default;
};

class PathBalancer {
 public:
  struct Setup {
    PathPolicy policy = PathPolicy::kEcmp;
    std::uint32_t ports = 0;
    std::uint64_t seed = 0;
  };
  /// Inert until it is replaced: never asked.
  PathBalancer() = default;
  PathBalancer(const Setup& setup, const BalancingOptions& options);

  /// Whether a switch of that policy needs one: adaptive choice always, others where something is refined.
  [[nodiscard]] static bool is_needed(PathPolicy policy, const BalancingOptions& options);

  /// A packet with these flags, of this service level, stays on the one path of its flow.
  [[nodiscard]] bool keeps_in_order(std::uint8_t packet_flags, std::uint8_t service_level = 0) const {
    return (packet_flags & required_) != required_ || ((service_levels_ >> (service_level & 15U)) & 1U) == 0;
  }

  struct Packet {
    std::uint32_t flow_hash = 0;
    std::uint32_t leaf = 0;                  // of its destination, as notifications name it
    std::uint16_t input = 0;                 // number of the port that it came in by
    const std::uint32_t* weights = nullptr;  // of the hops; null: all are equal
    Time now{};
  };
  struct Choice {
    std::uint16_t port = 0;
    bool all_congested = false;  // every next hop is reported as congested
  };
  /// `depth(port)` is depth_of() of a port, without side effects, or with kConga the metric of the path by it; asked
  /// where ports are compared. `hops` are two or more.
  template <class Depth>
  [[nodiscard]] Choice choose(const NextHops& hops, const Packet& packet, Depth&& depth);

  /// kConWeave, which chooses by itself: a flow has begun to use the port.
  enum class Began : std::uint8_t { kNew, kMoved };
  void count_path(std::uint16_t port, Began began) {
    ++others_[port].flowlets;
    others_[port].moved += began == Began::kMoved ? 1 : 0;
  }

  /// A packet was bound for a third group, and begins there by the port (non_minimal.h).
  void count_detour(std::uint16_t port) { ++others_[port].detours; }
  [[nodiscard]] std::uint64_t detours() const;  // of all ports

  // Notifications.
  [[nodiscard]] bool notifies() const { return !notified_.empty(); }
  /// Bytes waiting for an egress port from which on its packets' senders are told.
  [[nodiscard]] std::uint32_t notify_from() const { return notify_from_; }
  /// What notify_from() bytes take at the port's rate, for the times that follow from it.
  struct Drain {
    Duration time;
  };
  /// Whether the neighbour behind `ingress` is to be told of the leaf now; counts it, and starts the interval.
  [[nodiscard]] bool claim_notification(const DeadlineTable::Key& ingress_and_leaf, Drain drain, Time now);
  /// The neighbour behind the port reported congestion.
  void mark_congested(const DeadlineTable::Key& port_and_leaf, Drain drain, Time now);

  /// Times up to `now`.
  [[nodiscard]] PortChoices choices(std::uint32_t port, Time now) const;
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  /// Of notifications each way.
  static constexpr std::uint32_t kPairs = 1024;
  static constexpr std::uint64_t kCongestedPenalty = std::uint64_t{1} << 40;  // above every depth

  /// The last look at a port.
  struct Observation {
    Time at;
    std::uint8_t grade = 0;
    bool happened = false;
  };
  struct Counters {
    std::uint64_t flowlets = 0;
    std::uint64_t moved = 0;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t detours = 0;
  };

  void observe(std::uint32_t port, std::uint32_t grade, Time now) {
    Observation& last = observations_[port];
    WEFT_DCHECK(last.at <= now && grade < grades_.count());
    counters_[port * grades_.count() + last.grade].time += now - last.at;
    last = {.at = now, .grade = static_cast<std::uint8_t>(grade), .happened = true};
  }
  void count(std::uint32_t port) {
    Observation& last = observations_[port];
    last.happened = true;
    ++counters_[port * grades_.count() + last.grade].chosen;
  }
  void count_flowlet(FlowletTable::Entry& flowlet, std::uint16_t port) {
    ++others_[port].flowlets;
    others_[port].moved += !flowlet.last.is_never() && flowlet.port != port ? 1 : 0;
    flowlet.port = port;
  }
  [[nodiscard]] static bool contains(const NextHops& hops, std::uint16_t port) {
    return std::find(hops.begin(), hops.end(), port) != hops.end();
  }
  template <class Depth>
  [[nodiscard]] Choice choose_anew(const NextHops& hops, const Packet& packet, Depth&& depth);
  template <class Metric>
  [[nodiscard]] Choice choose_metric(const NextHops& hops, const Packet& packet, const FlowletTable::Entry& last,
                                     Metric&& metric);
  [[nodiscard]] Choice choose_least(const NextHops& hops, const Packet& packet, std::uint64_t least);

  PathPolicy policy_ = PathPolicy::kEcmp;
  std::uint8_t required_ = 0;  // of a packet's flags
  std::uint16_t service_levels_ = BalancingOptions::kAllLevels;
  bool by_bytes_ = false;  // without grades
  std::uint32_t notify_from_ = 0xFFFFFFFF;
  std::uint32_t choices_ = 0;  // so far
  std::uint64_t seed_ = 0;
  DepthGrades grades_;
  FlowletTable flowlets_;
  Drill drill_;
  DeadlineTable congested_;  // port and leaf
  DeadlineTable notified_;   // ingress port and leaf
  std::optional<Duration> hold_;
  std::optional<Duration> interval_;
  std::vector<std::uint64_t> scores_;      // of the hops of the present choice
  std::vector<Observation> observations_;  // by port
  std::vector<GradeCounters> counters_;    // by port, then by grade
  std::vector<Counters> others_;           // by port
};

template <class Depth>
PathBalancer::Choice PathBalancer::choose(const NextHops& hops, const Packet& packet, Depth&& depth) {
  if (flowlets_.empty()) {
    const Choice made = choose_anew(hops, packet, depth);
    count(made.port);
    return made;
  }
  FlowletTable::Entry& flowlet = flowlets_.entry_of(switch_hash(packet.flow_hash, seed_));
  Choice made{.port = flowlet.port};
  if (!flowlets_.is_alive(flowlet, packet.now) || !contains(hops, flowlet.port)) {
    made =
        policy_ == PathPolicy::kConga ? choose_metric(hops, packet, flowlet, depth) : choose_anew(hops, packet, depth);
    count_flowlet(flowlet, made.port);
  }
  flowlet.last = packet.now;
  count(made.port);
  return made;
}

// A flow moves only where another path is strictly better (CONGA, section 3.5).
template <class Metric>
PathBalancer::Choice PathBalancer::choose_metric(const NextHops& hops, const Packet& packet,
                                                 const FlowletTable::Entry& last, Metric&& metric) {
  WEFT_DCHECK(hops.size() <= scores_.size());
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t own = least;
  for (std::uint32_t i = 0; i < hops.size(); ++i) {
    observe(hops[i], 0, packet.now);
    scores_[i] = metric(hops[i]);
    least = std::min(least, scores_[i]);
    own = !last.last.is_never() && hops[i] == last.port ? scores_[i] : own;
  }
  return own == least ? Choice{.port = last.port} : choose_least(hops, packet, least);
}

template <class Depth>
PathBalancer::Choice PathBalancer::choose_anew(const NextHops& hops, const Packet& packet, Depth&& depth) {
  if (policy_ == PathPolicy::kDrill) {
    return {.port = drill_.choose(hops, packet.input, {.seed = seed_, .count = choices_}, [&](std::uint16_t port) {
      observe(port, 0, packet.now);
      return depth(port);
    })};
  }
  if (policy_ != PathPolicy::kAdaptive) {
    const std::uint32_t hash = switch_hash(policy_ == PathPolicy::kEcmp ? packet.flow_hash : ++choices_, seed_);
    return {.port = hops[pick_weighted(packet.weights, hops.size(), hash)]};
  }
  WEFT_DCHECK(hops.size() <= scores_.size());
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < hops.size(); ++i) {
    const std::uint64_t here = depth(hops[i]);
    const std::uint32_t grade = grades_.of(bytes_of(here));
    observe(hops[i], grade, packet.now);
    scores_[i] = by_bytes_ ? here : grade;
    if (!congested_.empty() && congested_.holds({.port = hops[i], .leaf = packet.leaf}, packet.now)) {
      scores_[i] += kCongestedPenalty;
    }
    least = std::min(least, scores_[i]);
  }
  return choose_least(hops, packet, least);
}

}  // namespace weft::fabric
