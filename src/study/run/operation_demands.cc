#include "study/run/operation_demands.h"

#include <algorithm>
#include <optional>

#include "workload/collective/edges.h"

namespace weft::study::run {
namespace {

using workload::CollectiveKind;
using workload::CommunicatorId;
using workload::NodeRecord;
using workload::RankId;

/// The operations that one rank began on one communicator, in their order, and how many of each kind.
struct Line {
  std::vector<const NodeRecord*> operations{};
  std::map<StepOperation, std::int64_t> counts{};
};

StepOperation operation_of(const NodeRecord& record) {
  return {.purpose = record.label.purpose, .kind = record.kind, .size = record.size};
}

using Lines = std::map<std::pair<RankId, CommunicatorId>, Line>;

Lines lines_of(const workload::NodeLog& log) {
  Lines lines;
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    for (const NodeRecord& record : log.of(RankId(rank))) {
      if (!record.is_compute() && record.kind != CollectiveKind::kReceive) {
        Line& line = lines[{RankId(rank), record.communicator}];
        line.operations.push_back(&record);
        ++line.counts[operation_of(record)];
      }
    }
  }
  for (auto& [place, line] : lines) {
    std::ranges::stable_sort(line.operations, {}, &NodeRecord::turn);
  }
  return lines;
}

}  // namespace

std::map<StepOperation, std::vector<world::FlowDemand>> operation_demands(
    std::span<const workload::MessageRecord> messages, const workload::NodeLog& log) {
  const Lines lines = lines_of(log);
  std::map<StepOperation, std::map<workload::FlowId, world::SentBytes>> sums;
  for (const workload::MessageRecord& message : messages) {
    const auto line = lines.find({message.flow.source, workload::communicator_of(message.flow.index)});
    if (line == lines.end()) {
      continue;
    }
    const auto& all = line->second.operations;
    const auto next = std::ranges::upper_bound(all, message.posted, {}, &NodeRecord::turn);
    if (next != all.begin()) {
      sums[operation_of(**std::prev(next))][message.flow].add(message);
    }
  }
  std::map<StepOperation, std::vector<world::FlowDemand>> made;
  for (const auto& [operation, flows] : sums) {
    for (const auto& [flow, sent] : flows) {
      const Line& line = lines.at({flow.source, workload::communicator_of(flow.index)});
      made[operation].push_back({.flow = flow, .bytes = sent.bytes / line.counts.at(operation), .sent = sent});
    }
  }
  return made;
}

}  // namespace weft::study::run
