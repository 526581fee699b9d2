// A graph that is given as a list of nodes: for tests, and for whoever has them all at hand.
#pragma once

#include <utility>
#include <vector>

#include "workload/training/step_graph.h"

namespace weft::workload {

class ListedGraph final : public StepGraph {
 public:
  struct Contents {
    std::vector<Communicator> communicators{};
    std::uint32_t streams = 1;
    std::vector<GraphNode> nodes{};  // each after those it waits for
  };
  explicit ListedGraph(Contents contents) : contents_(std::move(contents)) {}

  [[nodiscard]] std::span<const Communicator> communicators() const override { return contents_.communicators; }
  [[nodiscard]] std::uint32_t streams() const override { return contents_.streams; }
  [[nodiscard]] std::optional<GraphNode> next() override {
    return next_ < contents_.nodes.size() ? std::optional(contents_.nodes[next_++]) : std::nullopt;
  }

 private:
  Contents contents_;
  std::size_t next_ = 0;
};

}  // namespace weft::workload
