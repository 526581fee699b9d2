// Writes the nodes of a step: joins compute that nothing stands between into one node, and keeps track of what the next
// node has to wait for.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "workload/training/rank_groups.h"
#include "workload/training/step_graph.h"

namespace weft::workload {

/// A communication to write.
struct Exchange {
  Purpose purpose = Purpose::kOtherCommunication;
  StreamId stream{};
  Membership group{};
  CollectiveKind kind = CollectiveKind::kAllReduce;
  Bytes size{};
  MemberIndex peer{};  // of sends and receives
};

class NodeWriter {
 public:
  explicit NodeWriter(StreamId compute_stream) : compute_stream_(compute_stream) {}

  /// What the nodes written from now on belong to; `purpose` is that of compute.
  void set_label(const NodeLabel& label) { label_ = label; }
  [[nodiscard]] const NodeLabel& label() const { return label_; }
  void set_purpose(Purpose purpose) { label_.purpose = purpose; }
  void set_layer(std::int64_t layer) { label_.layer = static_cast<std::uint16_t>(layer); }

  /// Compute, after all compute before it and after everything that `need` was called for.
  void compute(Duration time);
  /// The next compute waits for `node`.
  void need(NodeId node);
  /// After the results there are now: the last compute, and what the next one waits for.
  NodeId exchange_results(const Exchange& exchange);
  /// After these nodes alone; they may be none.
  NodeId exchange_after(const Exchange& exchange, std::vector<NodeId> after);
  /// As exchange_results, and the next compute needs it.
  void exchange_and_need(const Exchange& exchange);
  /// What a node that uses the present results waits for. Ends the node of compute that is being joined, as does:
  [[nodiscard]] std::vector<NodeId> results();
  /// The last compute; invalid if there was none.
  [[nodiscard]] NodeId last_compute();

  /// The oldest node written; none if there is none. Compute still being joined is not among them before `results`.
  [[nodiscard]] std::optional<GraphNode> take();
  [[nodiscard]] bool empty() const { return nodes_.empty(); }

 private:
  NodeId write(GraphNode node);
  void end_compute();

  StreamId compute_stream_;
  NodeLabel label_{};
  std::deque<GraphNode> nodes_;
  std::uint32_t written_ = 0;
  std::optional<GraphNode> joining_;
  NodeId last_compute_{};
  std::vector<NodeId> needs_;
};

}  // namespace weft::workload
