// What a scenario says of switches that decide for themselves. The central manager that they are held against:
// scenario_subnet.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "fabric/control/control_options.h"

namespace weft::study::scenario {

/// Where routes come from after a failure: from a stated delay, or from a routing protocol between switches.
enum class ControlKind : std::uint8_t { kNone, kBgp };

/// [control]
struct ControlSettings {
  ControlKind kind = ControlKind::kNone;
  fabric::AsNumbering as_numbers = fabric::AsNumbering::kClos;
  fabric::ControlStart start = fabric::ControlStart::kConverged;
  Duration hold_time;
  Duration connect_retry;
  Duration mrai;
  Duration processing_time;  // for each prefix of an UPDATE
  bool loss_of_signal = true;
  Duration signal_delay;
  bool bfd = false;
  Duration bfd_interval;
  std::int64_t bfd_multiplier = 3;
  fabric::FibUnit fib_unit = fabric::FibUnit::kPrefix;
  Duration fib_time;
  bool local_repair = true;
  Duration drain_lead;
  fabric::DrainMethod drain = fabric::DrainMethod::kCommunity;
  bool lldp = true;
  Duration lldp_interval;
  std::int64_t priority = 7;
  std::vector<std::string> swapped_cables;  // "PORT PORT"
};

}  // namespace weft::study::scenario
