#include "subnet/manager/sweep_report.h"

namespace weft::subnet {

std::string_view to_string(SweepStep step) {
  switch (step) {
    case SweepStep::kLight:
      return "light sweep";
    case SweepStep::kDiscovery:
      return "discovery";
    case SweepStep::kChanges:
      return "changes reset";
    case SweepStep::kPartitions:
      return "partitions";
    case SweepStep::kOwnLid:
      return "own LID";
    case SweepStep::kLids:
      return "LIDs";
    case SweepStep::kRouting:
      return "routing";
    case SweepStep::kTables:
      return "tables";
    case SweepStep::kMulticast:
      return "multicast tables";
    case SweepStep::kLinks:
      return "links";
    case SweepStep::kArmed:
      return "armed";
    case SweepStep::kActive:
      return "active";
  }
  return "";
}

std::string_view to_string(SweepCause cause) {
  switch (cause) {
    case SweepCause::kStart:
      return "start";
    case SweepCause::kInterval:
      return "interval";
    case SweepCause::kTrap:
      return "trap";
    case SweepCause::kChange:
      return "change found by a light sweep";
    case SweepCause::kFailure:
      return "requests without an answer";
    case SweepCause::kTakeover:
      return "takeover";
    case SweepCause::kHandover:
      return "handover";
    case SweepCause::kGroups:
      return "members of multicast groups";
  }
  return "";
}

std::uint64_t SweepReport::total_requests() const {
  std::uint64_t total = 0;
  for (const auto& [key, count] : requests) {
    total += count;
  }
  return total;
}

}  // namespace weft::subnet
