// Scheduled link events, and when routes are updated: after the reroute delay of each failure and recovery.
//
// A route update uses the state of the link at the time of the update, not of the event: a late failure must not hide a
// link that has recovered.
#pragma once

#include <cstdint>
#include <vector>

#include "base/probability.h"
#include "base/time.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// A link event at a given time.
struct LinkEvent {
  enum class Kind : std::uint8_t { kFail, kDegrade, kRestore };
  Time at{};
  LinkIndex link{};
  Kind kind = Kind::kFail;
  Rate rate{};               // kDegrade: the new one
  Duration reroute_delay{};  // until routes know of it
  /// kDegrade: whose direction it is.
  enum class Sender : std::uint8_t { kBoth, kA, kB };
  Sender sender = Sender::kBoth;
  // kDegrade: errors of bits, where they are more than the cable's own; and time that every packet takes longer, as
  // forward error correction does. A cable that gets shorter again trains anew: what is on it then is lost.
  Probability bit_error_rate{};
  Duration added_latency{};
};

class LinkSchedule {
 public:
  LinkSchedule() = default;
  /// Whether routes are updated, or others see to that.
  enum class RouteUpdates : std::uint8_t { kAfterDelay, kNone };
  /// In any order.
  explicit LinkSchedule(const std::vector<LinkEvent>& events, RouteUpdates updates = RouteUpdates::kAfterDelay);

  /// When something is due; never() if nothing is left.
  [[nodiscard]] Time next() const;

  /// Calls change(event) for every event that is due, and takes the news that are due into `routes`;
  /// is_down(link) tells how a cable is now.
  template <class Change, class IsDown>
  void run_due(Time now, Routes& routes, Change change, IsDown is_down) {
    bool learned = false;
    for (const Pending& pending : take_due(now)) {
      if (pending.is_route_update) {
        routes.set_link(pending.event.link, is_down(pending.event.link) ? LinkState::kDown : LinkState::kUp);
        learned = true;
        continue;
      }
      change(pending.event);
      if (pending.event.kind != LinkEvent::Kind::kDegrade && updates_ == RouteUpdates::kAfterDelay) {
        pending_.push_back({.at = now + pending.event.reroute_delay, .event = pending.event, .is_route_update = true});
      }
    }
    if (learned) {
      routes.recompute();
    }
  }

 private:
  struct Pending {
    Time at;
    LinkEvent event;
    bool is_route_update = false;  // of the event, for the routes
  };
  [[nodiscard]] std::vector<Pending> take_due(Time now);

  std::vector<Pending> pending_;
  RouteUpdates updates_ = RouteUpdates::kAfterDelay;
};

}  // namespace weft::fabric
