// Which nodes of different ranks are one operation, found from a log: the n-th of every member of a communicator, the
// n-th send of one member and the n-th receive of the other.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "workload/training/node_log.h"

namespace weft::workload {

struct RankNode {
  RankId rank{};
  NodeId node{};
  friend auto operator<=>(const RankNode&, const RankNode&) = default;
};

class MatchedOperations {
 public:
  /// Both must outlive this; `communicators` is the list that all graphs of the run had.
  MatchedOperations(const NodeLog& log, std::span<const Communicator> communicators);

  /// All nodes of the operation that a communication node is part of, itself included, by rank.
  [[nodiscard]] std::span<const RankNode> of(const RankNode& node) const;
  /// When the last of them that had begun by `by` began, and which it is: with several, the lowest rank.
  [[nodiscard]] RankNode last_to_begin(const RankNode& node, Time by) const;
  /// The operation before this node's on the same communicator and rank; none if it was the first.
  [[nodiscard]] std::optional<NodeId> before(const RankNode& node) const;

 private:
  struct Key {
    CommunicatorId communicator{};
    MemberIndex sender{};  // of sends and receives
    MemberIndex receiver{};
    std::uint32_t number = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  [[nodiscard]] Key key_of(const RankNode& node) const;

  const NodeLog& log_;
  std::span<const Communicator> communicators_;
  std::map<Key, std::vector<RankNode>> operations_;
};

}  // namespace weft::workload
