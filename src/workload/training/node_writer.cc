#include "workload/training/node_writer.h"

#include <utility>

namespace weft::workload {
namespace {

// Compute of several layers may be one node.
bool belong_together(const NodeLabel& a, const NodeLabel& b) {
  return a.purpose == b.purpose && a.chunk == b.chunk && a.step == b.step && a.micro_batch == b.micro_batch;
}

}  // namespace

void NodeWriter::compute(Duration time) {
  if (joining_ && needs_.empty() && belong_together(joining_->label, label_)) {
    std::get<ComputeNode>(joining_->work).time += time;
    return;
  }
  end_compute();
  joining_ = GraphNode{.work = ComputeNode{.time = time},
                       .stream = compute_stream_,
                       .label = label_,
                       .after = std::exchange(needs_, {})};
}

void NodeWriter::need(NodeId node) { needs_.push_back(node); }

NodeId NodeWriter::exchange_results(const Exchange& exchange) { return exchange_after(exchange, results()); }

NodeId NodeWriter::exchange_after(const Exchange& exchange, std::vector<NodeId> after) {
  NodeLabel label = label_;
  label.purpose = exchange.purpose;
  const CollectiveRequest request{
      .communicator = exchange.group.communicator, .kind = exchange.kind, .size = exchange.size, .peer = exchange.peer};
  return write({.work = CommunicationNode{.request = request},
                .stream = exchange.stream,
                .label = label,
                .after = std::move(after)});
}

void NodeWriter::exchange_and_need(const Exchange& exchange) {
  const NodeId node = exchange_results(exchange);
  needs_.assign(1, node);
}

std::vector<NodeId> NodeWriter::results() {
  std::vector<NodeId> after = needs_;
  if (const NodeId last = last_compute(); last.is_valid()) {
    after.push_back(last);
  }
  return after;
}

NodeId NodeWriter::last_compute() {
  end_compute();
  return last_compute_;
}

std::optional<GraphNode> NodeWriter::take() {
  if (nodes_.empty()) {
    return std::nullopt;
  }
  GraphNode node = std::move(nodes_.front());
  nodes_.pop_front();
  return node;
}

NodeId NodeWriter::write(GraphNode node) {
  nodes_.push_back(std::move(node));
  return NodeId(written_++);
}

void NodeWriter::end_compute() {
  if (joining_) {
    last_compute_ = write(*std::exchange(joining_, std::nullopt));
  }
}

}  // namespace weft::workload
