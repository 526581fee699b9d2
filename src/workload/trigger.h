// Flows that start when others have ended: triggers, and how the flows of a list depend on them.
//
// A trigger is fired by flows, when their last message has finished at the sender or has arrived at the receiver, and
// releases the flows that wait for it, in the order of the list: a oneshot all of them when it is fired, which is once;
// a multishot one for each firing; a barrier all of them when it has been fired as often as its count says. A flow that
// waits for several triggers starts when all have released it. A flow that fails fires nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "workload/flow.h"

namespace weft::workload {

using TriggerId = Id<struct TriggerTag>;

enum class TriggerKind : std::uint8_t { kOneshot, kMultishot, kBarrier };

/// "oneshot", "multishot", "barrier".
[[nodiscard]] std::string_view to_string(TriggerKind kind);
/// Errors: another word; the nearest one is named.
[[nodiscard]] Result<TriggerKind> parse_trigger_kind(std::string_view word);

struct Trigger {
  std::string name;
  TriggerKind kind = TriggerKind::kOneshot;
  std::uint32_t count = 1;  // of a barrier: firings it takes, at least 1
};

/// What a flow of a list waits for and fires. The ids are places in the list of triggers.
struct FlowTriggers {
  std::vector<TriggerId> after{};
  std::vector<TriggerId> sent{};      // when the sender's program sees its last message finished
  std::vector<TriggerId> received{};  // when the receiver's program sees its last message arrive
  Duration delay{};                   // from the last release to the start

  [[nodiscard]] bool none() const { return after.empty() && sent.empty() && received.empty(); }
};

struct ListedFlow {
  RankId source{};
  RankId destination{};
  FlowShape shape{};
  FlowTriggers triggers{};
};

/// What is wrong with the triggers of a list, and at which flow or trigger of it.
struct TriggerFault {
  Error error;
  std::optional<std::size_t> flow{};
  std::optional<TriggerId> trigger{};
};

/// Whether every flow will start if none fails. Faults: a trigger that no flow fires or none waits for; a oneshot that
/// is fired more than once, a barrier not as often as it counts, a multishot less often than flows wait for it; a flow
/// that fires a trigger when it is received though its operation tells the receiver nothing; flows that wait for one
/// another. `names` are what the message calls the flows.
[[nodiscard]] std::optional<TriggerFault> find_trigger_fault(std::span<const ListedFlow> flows,
                                                             std::span<const Trigger> triggers,
                                                             std::span<const std::string> names);

/// The triggers of a list and the flows that depend on them: the same for all ranks, and never changed.
///
/// Each trigger has a home, the sender of the first flow that waits for it, where its firings are counted. Firings and
/// releases at other ranks are messages (trigger_board.h).
class TriggerPlan {
 public:
  struct Waiter {
    Flow flow{};
    std::uint32_t releases = 0;  // that it needs
    Duration delay{};
  };
  struct Entry {
    TriggerKind kind = TriggerKind::kOneshot;
    std::uint32_t count = 1;
    RankId home{};
    std::vector<std::uint32_t> waiters{};                    // places in waiters(), in the order of the list
    std::map<RankId, std::vector<std::uint32_t>> by_rank{};  // the same, by the rank that sends them
  };
  struct Fires {
    std::vector<TriggerId> sent{};
    std::vector<TriggerId> received{};
    std::uint64_t messages = 0;  // of the flow
  };

  TriggerPlan() = default;
  /// The flows with their names within the job, as FlowList numbers them. No fault is left in them.
  TriggerPlan(std::span<const ListedFlow> flows, std::span<const Flow> named, std::span<const Trigger> triggers);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] const Entry& entry(TriggerId trigger) const { return entries_[trigger.value()]; }
  [[nodiscard]] std::size_t triggers() const { return entries_.size(); }
  [[nodiscard]] const Waiter& waiter(std::uint32_t place) const { return waiters_[place]; }
  /// The places of the flows of a rank that wait.
  [[nodiscard]] std::span<const std::uint32_t> waiters_of(RankId rank) const;
  /// Nothing: the flow fires no trigger.
  [[nodiscard]] const Fires* fires(const FlowId& flow) const;

 private:
  std::vector<Entry> entries_;
  std::vector<Waiter> waiters_;
  std::map<RankId, std::vector<std::uint32_t>> by_rank_;
  std::map<FlowId, Fires> fires_;
};

}  // namespace weft::workload
