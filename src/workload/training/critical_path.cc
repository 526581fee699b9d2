#include "workload/training/critical_path.h"

#include <algorithm>
#include <tuple>

namespace weft::workload {
namespace {

class Walk {
 public:
  Walk(const NodeLog& log, std::span<const Communicator> communicators) : log_(log), matched_(log, communicators) {}

  CriticalPath back_from(RankNode node) {
    Time at = record(node).finished;
    while (node.node.is_valid()) {
      node = record(node).is_compute() ? compute(node, at) : communication(node, at);
    }
    std::ranges::reverse(path_.parts);
    return std::move(path_);
  }

 private:
  [[nodiscard]] const NodeRecord& record(const RankNode& node) const { return log_.at(node.rank, node.node); }

  // Adds the part from `from` to `at` and goes back to `from`.
  void add(const RankNode& node, Time from, Time& at) {
    WEFT_ASSERT(from <= at);
    if (from < at) {
      path_.parts.push_back(
          {.rank = node.rank, .node = node.node, .purpose = record(node).label.purpose, .from = from, .to = at});
      at = from;
    }
  }

  RankNode compute(const RankNode& node, Time& at) {
    add(node, record(node).begun, at);
    return {.rank = node.rank, .node = record(node).enabling};
  }

  RankNode communication(const RankNode& node, Time& at) {
    const RankNode last = matched_.last_to_begin(node, at);
    const NodeRecord& begun = record(last);
    // The communicator may have been busy when the last member came.
    if (begun.turn > begun.begun && begun.turn <= at) {
      if (const auto before = matched_.before(last); before && record({last.rank, *before}).finished >= begun.turn) {
        add(node, begun.turn, at);
        return {.rank = last.rank, .node = *before};
      }
    }
    add(node, begun.begun, at);
    return {.rank = last.rank, .node = begun.enabling};
  }

  const NodeLog& log_;
  MatchedOperations matched_;
  CriticalPath path_;
};

}  // namespace

Duration CriticalPath::total() const {
  Duration sum{};
  for (const PathPart& part : parts) {
    sum += part.time();
  }
  return sum;
}

std::array<Duration, kPurposes> CriticalPath::by_purpose() const {
  std::array<Duration, kPurposes> sums{};
  for (const PathPart& part : parts) {
    sums[static_cast<std::size_t>(part.purpose)] += part.time();
  }
  return sums;
}

CriticalPath find_critical_path(const NodeLog& log, std::span<const Communicator> communicators) {
  RankNode last;
  Time latest{};
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    const auto records = log.of(RankId(rank));
    for (std::uint32_t node = 0; node < records.size(); ++node) {
      if (!last.node.is_valid() || records[node].finished > latest) {
        last = {.rank = RankId(rank), .node = NodeId(node)};
        latest = records[node].finished;
      }
    }
  }
  return last.node.is_valid() ? Walk(log, communicators).back_from(last) : CriticalPath{};
}

const MessageRecord* message_behind(const PathPart& part, const NodeLog& log,
                                    std::span<const Communicator> communicators,
                                    std::span<const MessageRecord> messages) {
  const NodeRecord& record = log.at(part.rank, part.node);
  if (record.is_compute()) {
    return nullptr;
  }
  const auto& members = communicators[record.communicator.value()].members;
  const auto takes_part = [&](RankId rank) { return std::ranges::find(members, rank) != members.end(); };
  // Of several that end at once the first by name: messages of one instant come in no order that means anything.
  const auto is_later = [](const MessageRecord& a, const MessageRecord& b) {
    return a.finished != b.finished ? a.finished > b.finished : std::tie(a.flow, a.number) < std::tie(b.flow, b.number);
  };
  const MessageRecord* last = nullptr;
  for (const MessageRecord& message : messages) {
    const bool within = message.finished > part.from && message.finished <= part.to;
    if (within && takes_part(message.flow.source) && takes_part(message.flow.destination) &&
        (last == nullptr || is_later(message, *last))) {
      last = &message;
    }
  }
  return last;
}

}  // namespace weft::workload
