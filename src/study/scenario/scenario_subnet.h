// What a scenario says of the manager of an InfiniBand subnet.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace weft::study::scenario {

/// What a run begins with: ports that are active and tables that are written, or agents as after power-up.
enum class SubnetStart : std::uint8_t { kConfigured, kCold };

/// [subnet]. What a manager does takes these times wherever it is simulated (study/assembly/manager_plan.h).
struct SubnetSettings {
  SubnetStart start = SubnetStart::kConfigured;
  std::string manager;  // entry of the catalogue
  std::int64_t smps_on_wire = 4;
  Duration timeout;
  std::int64_t retries = 3;
  Duration sweep_interval;   // between light sweeps
  Duration switch_sma_time;  // of a switch's agent, for an answer
  Duration hca_sma_time;     // of an adapter's
  Duration pass_time;        // of a switch, for a MAD on a directed route
  Duration forward_time;     // of a switch, for a MAD by its LID
  std::int64_t buffer = 64;  // MADs that a node holds
  Duration trap_time;        // from a failure until the switches at its ends know
  Duration manager_time;     // for each MAD that comes in
  Duration route_time;       // of its routing engine, for each entry
};

}  // namespace weft::study::scenario
