// Collectives that take a given time: every operation ends a cost after the last of its members has come to it.
//
// For tests, and for the parts of a composed run that are not simulated packet by packet. What an operation costs is
// what the cost function says of it alone; others of its job, or of other jobs, may change that (shared_progress.h).
// Operations of one communicator follow one another; so do sends from one member to another. Ends are told by timers on
// the members' machines: in a simulation of packets a cost must be above zero, because machines are different actors.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/ring.h"
#include "workload/collective/collectives.h"
#include "workload/collective/shared_progress.h"

namespace weft::workload {

/// What a cost function is told.
struct CostedOperation {
  const Communicator& communicator;
  CollectiveRequest request{};  // as its first member began it; of a send and receive, the send
  RankId sender{};              // of a send and receive, as is `receiver`
  RankId receiver{};
};
/// Not negative.
using CollectiveCost = std::function<Duration(const CostedOperation&)>;

class CostedCollectives;

/// What the ranks of a job share: who has begun what. Outlives its CostedCollectives.
class CostedNetwork {
 public:
  /// How operations change one another's speed; both or neither. `progress` must outlive this.
  struct Sharing {
    SharedProgress* progress = nullptr;
    std::function<SharedProgress::Operation(const CostedOperation&)> operation{};
  };
  explicit CostedNetwork(CollectiveCost cost) : cost_(std::move(cost)) {}
  CostedNetwork(CollectiveCost cost, Sharing sharing) : cost_(std::move(cost)), sharing_(std::move(sharing)) {}
  CostedNetwork(const CostedNetwork&) = delete;
  CostedNetwork& operator=(const CostedNetwork&) = delete;

 private:
  friend class CostedCollectives;

  struct Waiting {
    CostedCollectives* member = nullptr;
    std::uint64_t operation = 0;
  };
  struct PendingOperation {
    CollectiveRequest request{};
    std::vector<Waiting> members{};
    Time last_begun{};
  };
  /// A sequence of operations that follow one another: of a communicator, or from one member of it to another.
  struct OperationQueue {
    std::deque<PendingOperation> open{};  // those not all have begun, oldest first
    std::uint64_t closed = 0;             // operations before them
    Time free_at{};                       // when the last one that all have begun ends
    // Where others slow it, that is not known before.
    std::deque<PendingOperation> due{};  // all have begun them, and they wait for one another
    std::optional<SharedProgress::Id> under_way{};
    std::vector<Waiting> members{};  // of the one under way
  };
  struct OperationQueueKey {
    CommunicatorId communicator{};
    MemberIndex sender{};  // of sends and receives
    MemberIndex receiver{};
    friend auto operator<=>(const OperationQueueKey&, const OperationQueueKey&) = default;
  };

  CollectiveCost cost_;
  Sharing sharing_;
  std::vector<Communicator> communicators_;
  std::map<OperationQueueKey, OperationQueue> lines_;
};

class CostedCollectives final : public Collectives {
 public:
  /// All must outlive this.
  CostedCollectives(CostedNetwork& network, verbs::Machine& machine, RankId rank)
      : network_(network), machine_(machine), rank_(rank) {}

  [[nodiscard]] Result<CommunicatorId> add(const Communicator& communicator) override;
  [[nodiscard]] const Communicator& communicator(CommunicatorId id) const override;
  [[nodiscard]] Result<void> begin(const CollectiveRequest& request) override;
  [[nodiscard]] Result<void> on_machine_event(const verbs::MachineEvent& event) override;
  [[nodiscard]] Result<void> on_completions() override { return {}; }
  std::size_t take_finished(std::span<CollectiveFinished> out) override;
  [[nodiscard]] std::size_t outstanding() const override { return outstanding_; }

 private:
  using OperationQueueKey = CostedNetwork::OperationQueueKey;

  /// A sequence of operations as this rank takes part in it.
  struct Line {
    OperationQueueKey key{};
    CostedNetwork::OperationQueue* queue = nullptr;
    std::uint64_t joined = 0;  // operations begun
    Time turn{};               // when the last one taken from it ended
  };
  struct Operation {
    CollectiveToken token = 0;
    Time begun{};
    Time finished{};
    Line* line = nullptr;           // null: it has ended
    SharedProgress::Id shared = 0;  // where others slow it: its number there
  };

  [[nodiscard]] Result<MemberIndex> self_in(const Communicator& communicator) const;
  void join(const OperationQueueKey& key, const CollectiveRequest& request, std::size_t members);
  void close(const Line& line);
  void end_at(std::uint64_t operation, Time at);
  [[nodiscard]] CostedOperation costed(const CostedNetwork::PendingOperation& pending,
                                       const OperationQueueKey& key) const;
  void start_next(const Line& line);
  void note_end(const Operation& operation);
  [[nodiscard]] Operation& at(std::uint64_t operation) {
    return operations_[static_cast<std::uint32_t>(operation - first_operation_)];
  }

  CostedNetwork& network_;
  verbs::Machine& machine_;
  RankId rank_;
  std::uint32_t added_ = 0;
  std::map<OperationQueueKey, Line> lines_;
  Ring<Operation> operations_;  // from the oldest that has not ended
  std::uint64_t first_operation_ = 0;
  std::size_t outstanding_ = 0;
  Ring<CollectiveFinished> finished_;
};

}  // namespace weft::workload
