#include "workload/training/matched_operations.h"

#include <algorithm>

namespace weft::workload {

MatchedOperations::MatchedOperations(const NodeLog& log, std::span<const Communicator> communicators)
    : log_(log), communicators_(communicators) {
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    const auto records = log.of(RankId(rank));
    for (std::uint32_t node = 0; node < records.size(); ++node) {
      if (!records[node].is_compute()) {
        const RankNode at{.rank = RankId(rank), .node = NodeId(node)};
        operations_[key_of(at)].push_back(at);
      }
    }
  }
}

MatchedOperations::Key MatchedOperations::key_of(const RankNode& node) const {
  const NodeRecord& record = log_.at(node.rank, node.node);
  WEFT_ASSERT(!record.is_compute());
  Key key{.communicator = record.communicator, .number = record.number};
  const bool sends = record.kind == CollectiveKind::kSend;
  if (sends || record.kind == CollectiveKind::kReceive) {
    const auto& members = communicators_[record.communicator.value()].members;
    const auto place = std::ranges::find(members, node.rank) - members.begin();
    const MemberIndex self(static_cast<std::uint32_t>(place));
    key.sender = sends ? self : record.peer;
    key.receiver = sends ? record.peer : self;
  }
  return key;
}

std::span<const RankNode> MatchedOperations::of(const RankNode& node) const { return operations_.at(key_of(node)); }

RankNode MatchedOperations::last_to_begin(const RankNode& node, Time by) const {
  RankNode last = node;
  Time latest = log_.at(node.rank, node.node).begun;
  for (const RankNode& member : of(node)) {
    const Time begun = log_.at(member.rank, member.node).begun;
    if (begun <= by && begun > latest) {
      last = member;
      latest = begun;
    }
  }
  return last;
}

std::optional<NodeId> MatchedOperations::before(const RankNode& node) const {
  Key key = key_of(node);
  if (key.number == 0) {
    return std::nullopt;
  }
  --key.number;
  for (const RankNode& member : operations_.at(key)) {
    if (member.rank == node.rank) {
      return member.node;
    }
  }
  return std::nullopt;
}

}  // namespace weft::workload
