// What a run says of a subnet that its manager brought up: one row of a results file. docs/results.md explains each
// figure.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace weft::study::results {

struct SubnetRow {
  std::string engine{};        // routing engine of the manager
  std::uint32_t subnets = 0;   // with a manager each, which come up beside one another
  std::uint64_t switches = 0;  // of all
  std::uint64_t adapters = 0;
  Duration bring_up{};         // before the run, until the last port was active; of several subnets the longest
  Duration discovery{};        // of that: until every node was known
  Duration tables{};           // of that: forwarding tables written
  std::uint64_t requests = 0;  // of all managers, without those sent again
  std::uint64_t retried = 0;
  std::uint64_t failed = 0;  // without an answer after all retries
  std::uint64_t blocks = 0;  // of forwarding tables, of 64 LIDs
  bool as_routed = false;    // tables in the agents are those that the engine makes for the network
  std::string error{};       // why a subnet did not come up

  friend bool operator==(const SubnetRow&, const SubnetRow&) = default;
};

}  // namespace weft::study::results
