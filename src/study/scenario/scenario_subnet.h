// What a scenario says of the manager of an InfiniBand subnet.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace weft::study::scenario {

/// What a run begins with: ports that are active and tables that are written, or agents as after power-up.
enum class SubnetStart : std::uint8_t { kConfigured, kCold };

/// [subnet]
struct SubnetSettings {
  SubnetStart start = SubnetStart::kConfigured;
  std::int64_t smps_on_wire = 4;
  Duration timeout;
  std::int64_t retries = 3;
  Duration agent_time;       // for an answer
  Duration pass_time;        // of a switch, for a MAD on a directed route
  std::int64_t buffer = 64;  // MADs that a node holds
  Duration manager_time;     // for each MAD that comes in
  Duration route_time;       // of its routing engine, for each entry
};

}  // namespace weft::study::scenario
