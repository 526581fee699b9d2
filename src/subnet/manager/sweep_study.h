// A subnet brought up by its manager, swept lightly, and swept again after failures: when each step was done.
//
// The manager starts at time 0 on agents as after power-up. After its first sweep come a light one, `sweep_interval`
// later, unless nobody asks for it; another manager, if there is to be one; and then the failures: each `kCalm` after
// the one before has been dealt with, or at its own time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "subnet/manager/timed_subnet.h"

namespace weft::subnet {

/// Cables that are pulled, or put back, at one time.
struct SweepFailure {
  std::string name;
  std::vector<PortPlace> ports;  // one of the ends of each
  bool is_return = false;
  /// After the first failure of those that follow one another so, whatever the manager does; none: when the failure
  /// before has been dealt with. Rises from failure to failure.
  std::optional<Duration> at{};
};

/// Another manager, of the same options but its priority.
struct LaterManager {
  PortPlace at;
  std::uint8_t priority = 1;
};

struct SweepPlan {
  PortPlace manager;
  ManagerOptions options{};
  MadTimes times{};
  std::vector<SweepFailure> failures{};
  std::optional<LaterManager> later{};
  bool sweeps_lightly = true;  // else the failures follow the bring-up at once
  /// From a failure until the ports at both ends are down for their agents: debouncing. A guess.
  Duration signal = Duration::milliseconds(1);
};

/// Of a failure with a time of its own are the sweeps that discovered the subnet between it and the next failure; if
/// there are none, those of the next failure are its own, too.
struct FailureReport {
  std::string name;
  Time failed;
  /// From the failure until the manager began a heavy sweep; none: it did not within two intervals.
  std::optional<Duration> noticed{};
  /// Until the answer to the last block of a forwarding table came; none: no block had to be written.
  std::optional<Duration> mended{};
  std::optional<Duration> ended{};  // the last heavy sweep that followed
  std::uint64_t heavy_sweeps = 0;
  std::uint64_t requests = 0;
  std::uint64_t blocks = 0;
  std::uint64_t entries = 0;
  std::string error{};  // of the last sweep
  bool is_routed = false;
};

/// What a manager found that started later; times since it did.
struct HandoverReport {
  std::optional<Duration> stands_by{};    // none: it does not
  std::optional<Duration> handed_over{};  // the first one has told it so; none: it did not
  std::optional<Duration> up{};           // it has swept as the master
  std::uint64_t requests_before = 0;      // until it stood by
  std::uint64_t requests_first = 0;       // of the first manager, until it handed over
  std::uint64_t requests = 0;             // of its sweep as the master
  std::uint64_t blocks = 0;
  bool is_routed = false;
};

struct SweepStudy {
  SweepReport bring_up{};
  SweepReport light{};  // empty without one
  std::optional<HandoverReport> later{};
  std::vector<FailureReport> failures{};
  /// No bring-up can be shorter: the manager's thread takes `mad_time` for each answer and computes; requests take
  /// the faster agents' time each, so many at once.
  Duration bound{};
  bool is_routed =
      false;  // after the first sweep, agents have the tables and LIDs that the engine gives for the subnet
  std::size_t adapters = 0;
  Lid last_lid = 0;
  std::size_t peak_on_wire = 0;
  std::size_t peak_waiting = 0;
  std::uint64_t retried = 0;
  std::uint64_t failed = 0;
  std::uint64_t traps = 0;
  std::uint64_t overflowed = 0;
  LostMads lost{};
  std::uint64_t events = 0;
};

/// Errors: a sweep that does not end within a day.
[[nodiscard]] Result<SweepStudy> study_sweeps(const Subnet& subnet, const SweepPlan& plan);

/// By switch.
using HeldTables = std::map<Guid, ForwardingTable>;
/// Whether the agents' forwarding tables are those of the engine for the links and LIDs that there are now. `before`:
/// what switches held before the links were lost, which engines that balance keep where they can; empty: nothing that
/// counts, as in a first sweep and where a link has returned.
[[nodiscard]] bool is_routed_by(const Subnet& subnet, const ServedSubnet& served, const ManagerOptions& options,
                                const HeldTables& before = {});
/// What they hold now. Empty: no manager has set them up.
[[nodiscard]] HeldTables tables_of(const Subnet& subnet, const ServedSubnet& served);

}  // namespace weft::subnet
