// The Ethernet class that a family's data travels in.
#pragma once

#include "study/scenario/scenario.h"

namespace weft::study::scenario {

/// The priority of data, unless a traffic has its own.
[[nodiscard]] constexpr std::int64_t data_priority_of(const QosSettings& qos, Family family) {
  return is_over_tcp(family) ? qos.tcp_priority : qos.data_priority;
}

/// Of the scenario's own family; on InfiniBand it says nothing.
[[nodiscard]] inline const PrioritySettings& data_class_of(const Scenario& scenario) {
  const std::int64_t priority = data_priority_of(scenario.qos, scenario.fabric.family);
  return scenario.devices.ethernet.priorities[static_cast<std::size_t>(priority)];
}

/// Whether PFC frames can hold the data back.
[[nodiscard]] inline bool can_be_paused(const Scenario& scenario) {
  return !is_infiniband(scenario.fabric.family) && data_class_of(scenario).lossless;
}

}  // namespace weft::study::scenario
