// What the options of every discipline have. Plain values; the catalogue and the scenario fill them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/probability.h"
#include "base/time.h"
#include "fabric/link_schedule.h"
#include "fabric/routing/routes.h"

namespace weft::fabric {

template <class SwitchOptions, class PortOptions>
struct FabricOptions {
  /// One entry per profile in use; `switch_profile` and `port_profile` say who has which (empty: everyone has the
  /// first).
  std::vector<SwitchOptions> switches{SwitchOptions{}};
  std::vector<PortOptions> ports{PortOptions{}};
  std::vector<std::uint16_t> switch_profile;   // per switch ordinal
  std::vector<std::uint16_t> port_profile;     // per link end: 2 * link for a, 2 * link + 1 for b
  std::vector<Probability> bit_error_rate;     // per link; empty: no errors
  std::vector<Probability> packet_error_rate;  // the same of whole packets
  std::vector<std::uint32_t> link_weight;      // per link, above 0, of Weighting::kGiven; empty: all are equal
  std::vector<Duration> endpoint_pipeline;     // per endpoint: receive pipeline; empty: none
  std::vector<LinkEvent> events;               // in any order
  LinkSchedule::RouteUpdates route_updates = LinkSchedule::RouteUpdates::kAfterDelay;
  RouteRule route_rule = RouteRule::kShortest;
  bool ports_stand_in = false;  // of a NIC, for one whose link is down (routes.h)
};

}  // namespace weft::fabric
