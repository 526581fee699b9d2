// What became of the nodes of a run: when each was ready, began and ended, and which node it waited for last.
//
// Reports, timelines and the critical path are made from this. One record is 72 bytes; a run that is too long for a log
// of everything goes without one and keeps the totals of its programs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workload/training/step_graph.h"

namespace weft::workload {

struct NodeRecord {
  NodeLabel label{};
  StreamId stream{};
  /// The node of this rank whose end let this one begin: `begun` is its `finished`. Invalid: the start of the run.
  NodeId enabling{};
  Time ready{};     // what it waits for has finished; it may still wait for the GPU
  Time begun{};     // the GPU took it, or it was handed to the collectives
  Time turn{};      // of communication: its turn on its communicator came; else as begun
  Time finished{};  // when the program knew

  // Of communication; the communicator is invalid for compute.
  CommunicatorId communicator{};  // in the graph's list
  CollectiveKind kind = CollectiveKind::kAllReduce;
  MemberIndex peer{};
  std::uint32_t number = 0;  // of operations that this rank began there; of sends and receives, with that peer and way
  Bytes size{};

  [[nodiscard]] bool is_compute() const { return !communicator.is_valid(); }
};

class NodeSink {
 public:
  virtual ~NodeSink() = default;
  /// Called when the node ends; nodes of a rank may end in any order.
  virtual void on_node(RankId rank, NodeId node, const NodeRecord& record) = 0;
};

/// Keeps everything.
class NodeLog final : public NodeSink {
 public:
  explicit NodeLog(std::uint32_t ranks) : ranks_(ranks) {}

  void on_node(RankId rank, NodeId node, const NodeRecord& record) override;

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(ranks_.size()); }
  /// By NodeId. Of a run that has ended, every node.
  [[nodiscard]] std::span<const NodeRecord> of(RankId rank) const { return ranks_[rank.value()]; }
  [[nodiscard]] const NodeRecord& at(RankId rank, NodeId node) const { return ranks_[rank.value()][node.value()]; }

 private:
  std::vector<std::vector<NodeRecord>> ranks_;
};

}  // namespace weft::workload
