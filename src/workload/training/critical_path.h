// The chain of work that a run's end waited for, walked back from the last end to the start of the run.
//
// From a node of compute the walk goes to the node that let it begin; from a communication to the member that began it
// last, on whatever rank, or, where the communicator was still busy, to the operation before. Parts are in the order of
// time, touch one another, and add up to the time of the run exactly.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "workload/message_record.h"
#include "workload/training/matched_operations.h"

namespace weft::workload {

/// `node` on `rank` is what was under way from `from` to `to`.
struct PathPart {
  RankId rank{};
  NodeId node{};
  Purpose purpose = Purpose::kOtherCompute;
  Time from{};
  Time to{};
  [[nodiscard]] Duration time() const { return to - from; }
};

struct CriticalPath {
  std::vector<PathPart> parts{};
  [[nodiscard]] Duration total() const;
  [[nodiscard]] std::array<Duration, kPurposes> by_purpose() const;
};

/// Of a run that has ended. Where several nodes end last, from the one on the lowest rank.
[[nodiscard]] CriticalPath find_critical_path(const NodeLog& log, std::span<const Communicator> communicators);

/// The message that a part of communication waited for: of those between members of its communicator that ended
/// within the part, the one that ended last; with several, the first of them. Null: there is none.
[[nodiscard]] const MessageRecord* message_behind(const PathPart& part, const NodeLog& log,
                                                  std::span<const Communicator> communicators,
                                                  std::span<const MessageRecord> messages);

}  // namespace weft::workload
