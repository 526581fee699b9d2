// Runs the graph of one rank: compute on its GPU, communication over collectives, as its streams and dependencies
// allow.
//
// It knows nothing of models: any StepGraph runs. Nodes are taken from the graph as long as fewer than `window` are
// open, and begin as soon as they may. The GPU computes one node at a time, in the order in which they became ready.
// Memory grows with the window, not with the graph.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "workload/program.h"
#include "workload/training/node_log.h"
#include "workload/training/stragglers.h"

namespace weft::workload {

struct TrainingProgramOptions {
  RankId rank{};
  verbs::GpuIndex gpu{};        // invalid: the CPU computes
  std::uint32_t window = 4096;  // open nodes; at least 1
  NodeSink* sink = nullptr;     // must outlive the program; null: no records
};

/// Sums over a rank's nodes so far.
struct RankTotals {
  std::uint64_t nodes = 0;
  Duration computing{};
  Time finished{};                                    // the last end
  std::array<Bytes, kPurposes> sent{};                // volume_sent
  std::array<std::uint64_t, kPurposes> operations{};  // of communication
};

class TrainingProgram final : public Program {
 public:
  /// Machine and collectives must outlive this. Adds the graph's communicators: all ranks' programs are made with
  /// the same ones. Errors: what adding them says, a window of 0.
  [[nodiscard]] static Result<std::unique_ptr<TrainingProgram>> make(verbs::Machine& machine, Collectives& collectives,
                                                                     std::unique_ptr<StepGraph> graph,
                                                                     Stragglers stragglers,
                                                                     const TrainingProgramOptions& options);

  /// Before start(): that shall open the connections of all nodes before any message is sent. `graph` is as the
  /// program's own.
  void connect_first(std::unique_ptr<StepGraph> graph) { connected_first_ = std::move(graph); }

  [[nodiscard]] Result<void> start() override;
  [[nodiscard]] Result<void> on_event() override;
  [[nodiscard]] bool done() const override { return exhausted_ && open_ == 0; }

  [[nodiscard]] const RankTotals& totals() const { return totals_; }

 private:
  struct Slot {
    GraphNode node{};
    NodeRecord record{};
    std::uint32_t waits_for = 0;  // of `after`, unfinished
    bool done = false;
    std::vector<NodeId> dependents{};
  };

  TrainingProgram(verbs::Machine& machine, Collectives& collectives, std::unique_ptr<StepGraph> graph,
                  Stragglers stragglers, const TrainingProgramOptions& options);

  [[nodiscard]] Slot& slot(NodeId node) { return slots_[node.value() - first_]; }
  [[nodiscard]] bool is_finished(NodeId node) const {
    return node.value() < first_ || slots_[node.value() - first_].done;
  }
  [[nodiscard]] Result<void> connect_all();
  [[nodiscard]] Result<void> take_all();
  [[nodiscard]] Result<bool> take_machine_events();
  [[nodiscard]] Result<bool> take_collectives();
  [[nodiscard]] Result<void> fill();
  void open(GraphNode node);
  [[nodiscard]] Result<void> begin_if_possible(NodeId node);
  [[nodiscard]] Result<void> compute(NodeId node);
  [[nodiscard]] Result<void> communicate(NodeId node);
  [[nodiscard]] Result<void> finish(NodeId node);
  [[nodiscard]] std::uint32_t next_number(const CommunicationNode& work);

  verbs::Machine& machine_;
  Collectives& collectives_;
  std::unique_ptr<StepGraph> graph_;
  std::unique_ptr<StepGraph> connected_first_;  // null: connections are opened when they are needed
  Stragglers stragglers_;
  TrainingProgramOptions options_;
  std::vector<CommunicatorId> communicators_;  // of the collectives, by their place in the graph's list

  std::deque<Slot> slots_;
  std::uint32_t first_ = 0;  // node that slots_ begins with
  std::uint32_t open_ = 0;   // nodes taken and not finished
  bool exhausted_ = false;
  std::vector<std::deque<NodeId>> streams_;
  std::deque<NodeId> gpu_queue_;  // the first is computing
  NodeId last_finished_{};
  RankTotals totals_;

  struct OperationQueueKey {
    CommunicatorId communicator{};
    CollectiveKind kind{};  // kSend, kReceive, or kAllReduce for everything of all members
    MemberIndex peer{};
    friend auto operator<=>(const OperationQueueKey&, const OperationQueueKey&) = default;
  };
  std::vector<std::pair<OperationQueueKey, std::uint32_t>> numbers_;  // few, sorted by key
};

}  // namespace weft::workload
