// What a scenario says of reduction by the network: the reducers of switches, and their limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/data_size.h"
#include "base/time.h"
#include "verbs/group.h"

namespace weft::study::scenario {

/// [reduction]
struct ReductionSettings {
  bool enabled = false;
  std::string entry;     // of the catalogue
  std::string switches;  // selector: which have a reducer
  Bytes max_size;        // of a request
  std::int64_t window = 1;
  std::int64_t max_groups = 1;               // of a reducer
  std::optional<std::int64_t> max_children;  // of a reducer in one group; none: no limit but the switch's ports
  std::int64_t max_members = 2;
  std::optional<std::int64_t> ports;  // internal ones of a reducer; none: one for each cable of its switch
  Duration latency;
  Duration probe_interval;
  std::int64_t probes = 0;
  std::vector<verbs::DataType> data_types;
  std::vector<verbs::ReduceOperation> operations;
};

}  // namespace weft::study::scenario
