// What one sweep of a subnet manager took: its steps in time, its requests, and what it wrote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "subnet/manager/smp_exchange.h"

namespace weft::subnet {

/// In their order. A light sweep has only the first.
enum class SweepStep : std::uint8_t {
  kLight,       // SwitchInfo of all switches
  kDiscovery,   // everything is read
  kChanges,     // PortStateChange of switches is reset
  kPartitions,  // P_Key tables and, if asked for, lanes
  kOwnLid,
  kLids,
  kRouting,  // the engine computes; nothing is sent
  kTables,
  kMulticast,  // only where groups have members
  kLinks,
  kArmed,
  kActive,
};
/// "discovery", "tables", ...
[[nodiscard]] std::string_view to_string(SweepStep step);

enum class SweepCause : std::uint8_t {
  kStart,
  kInterval,
  kTrap,
  kChange,    // a light sweep has found that ports changed
  kFailure,   // requests of the sweep before were not answered
  kTakeover,  // the master is gone
  kHandover,  // the master has said so
  kGroups,    // members of multicast groups have changed: multicast tables alone
};
[[nodiscard]] std::string_view to_string(SweepCause cause);

struct SweepStepReport {
  SweepStep step = SweepStep::kDiscovery;
  Time begin;
  Time end;
  std::uint64_t requests = 0;  // sent, without retries
};

struct SweepReport {
  SweepCause cause = SweepCause::kStart;
  bool is_light = false;
  Time begin;
  Time end;
  std::uint32_t discoveries = 1;  // anew where a trap came meanwhile
  Time discovered{};              // when the last of them began
  std::vector<SweepStepReport> steps{};
  SmpCounts requests{};
  std::uint64_t retried = 0;
  std::uint64_t failed = 0;   // requests without an answer after all retries
  std::uint64_t refused = 0;  // answered with a status
  std::size_t nodes = 0;
  std::size_t switches = 0;
  std::uint64_t blocks = 0;         // of forwarding tables, written
  std::uint64_t group_blocks = 0;   // of multicast forwarding tables
  std::uint64_t entries = 0;        // of those, that were another before
  Time last_block = Time::never();  // when the answer to the last of them came; never: none
  std::string fallback{};           // why minhop took the place of the engine
  std::string error{};              // why the sweep ended early

  [[nodiscard]] std::uint64_t total_requests() const;
};

}  // namespace weft::subnet
