// A flow: messages of one size from one rank to another, and where a program gets its flows from.
//
// A flow sends `messages` messages, at most `window` of them outstanding; kUntilStop makes it a closed loop that runs
// until `stop`, or, if it is endless, until whoever runs it ends. No message begins at or after `stop`; those under way
// finish.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/data_size.h"
#include "base/result.h"
#include "base/time.h"
#include "workload/operation.h"
#include "workload/rank.h"

namespace weft::workload {

/// What flows of one kind have in common.
struct FlowShape {
  static constexpr std::uint64_t kUntilStop = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint32_t kBackToBack = std::numeric_limits<std::uint32_t>::max();

  Bytes size{};  // of each message, 1 B to 2 GiB
  std::uint64_t messages = 1;
  std::uint32_t window = kBackToBack;  // limited by the send queue in any case
  Operation operation = Operation::kWrite;
  Time start{};
  Time stop = Time::never();
  bool endless = false;  // a closed loop needs no stop
  std::uint16_t rail = 0;
  std::uint16_t remote_rail = 0;
};

struct Flow {
  FlowId id{};
  FlowShape shape{};
  std::uint32_t channel = 0;  // flows of one pair, rail and channel share queue pairs
};

/// Errors: a size or number out of range, a stop that is not after the start, a closed loop without a stop that is not
/// endless.
[[nodiscard]] Result<void> check_flow(const FlowShape& shape);

/// The flows of one rank, in order of their starts, made as they are asked for.
class FlowSource {
 public:
  virtual ~FlowSource() = default;
  /// Nothing: there are no more.
  [[nodiscard]] virtual std::optional<Flow> next() = 0;
};

/// A source of flows that are known.
class ListedFlows final : public FlowSource {
 public:
  /// In order of start.
  explicit ListedFlows(std::vector<Flow> flows) : flows_(std::move(flows)) {}
  [[nodiscard]] std::optional<Flow> next() override;

 private:
  std::vector<Flow> flows_;
  std::size_t next_ = 0;
};

class TriggerPlan;

/// The traffic of a job: what each of its ranks sends. Immutable, so its sources may be made in any order.
class TrafficPattern {
 public:
  virtual ~TrafficPattern() = default;
  /// The rank is below JobOptions::ranks. The pattern must outlive the source.
  [[nodiscard]] virtual std::unique_ptr<FlowSource> flows_of(RankId rank) const = 0;
  /// Whether any flow's operation needs a receive request.
  [[nodiscard]] virtual bool needs_receives() const = 0;
  /// Flows that start when others have ended, which no source gives. Null: there are none.
  [[nodiscard]] virtual const TriggerPlan* triggers() const { return nullptr; }
};

}  // namespace weft::workload
