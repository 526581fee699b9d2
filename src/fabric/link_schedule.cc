#include "fabric/link_schedule.h"

namespace weft::fabric {

LinkSchedule::LinkSchedule(const std::vector<LinkEvent>& events, RouteUpdates updates) : updates_(updates) {
  for (const LinkEvent& event : events) {
    pending_.push_back({.at = event.at, .event = event});
  }
}

Time LinkSchedule::next() const {
  Time first = Time::never();
  for (const Pending& pending : pending_) {
    first = earlier(first, pending.at);
  }
  return first;
}

std::vector<LinkSchedule::Pending> LinkSchedule::take_due(Time now) {
  std::vector<Pending> due;
  std::erase_if(pending_, [&](const Pending& pending) {
    if (pending.at <= now) {
      due.push_back(pending);
    }
    return pending.at <= now;
  });
  return due;
}

}  // namespace weft::fabric
