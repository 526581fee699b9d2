#include "workload/training/step_report.h"

#include <algorithm>

namespace weft::workload {
namespace {

struct Interval {
  Time from{};
  Time to{};
};

class RankAccount {
 public:
  RankAccount(const NodeLog& log, const MatchedOperations& matched, RankId rank)
      : log_(log), matched_(matched), rank_(rank) {}

  RankReport make(std::span<const Communicator> communicators, const Interval& run) {
    const auto records = log_.of(rank_);
    std::vector<NodeId> computes;
    Time last = run.from;
    for (std::uint32_t node = 0; node < records.size(); ++node) {
      const NodeRecord& record = records[node];
      last = later(last, record.finished);
      if (record.is_compute()) {
        computes.push_back(NodeId(node));
        continue;
      }
      const auto purpose = static_cast<std::size_t>(record.label.purpose);
      const auto members = communicators[record.communicator.value()].members.size();
      report_.sent[purpose] += volume_sent({.kind = record.kind, .size = record.size}, members);
      ++report_.operations[purpose];
    }
    std::ranges::sort(computes, {}, [&](NodeId node) { return records[node.value()].begun; });
    Time busy_until = run.from;
    for (const NodeId node : computes) {
      const NodeRecord& record = records[node.value()];
      charge(record.enabling, {.from = busy_until, .to = record.begun});
      report_.computing[static_cast<std::size_t>(record.label.purpose)] += record.finished - record.begun;
      busy_until = later(busy_until, record.finished);
    }
    charge_tail({.from = busy_until, .to = last});
    report_.after = run.to - last;
    return report_;
  }

 private:
  // What the rank still does when it computes no more, charged from its last end backwards.
  void charge_tail(const Interval& gap) {
    if (gap.from == gap.to) {
      return;
    }
    const auto records = log_.of(rank_);
    const auto ends_last = [&](const NodeRecord& record) { return record.finished == gap.to; };
    const auto found = std::ranges::find_if(records, ends_last);
    charge(NodeId(static_cast<std::uint32_t>(found - records.begin())), gap);
  }

  // `node` ended at gap.to. Nothing computes in the gap, so the chain leads through communication.
  void charge(NodeId node, Interval gap) {
    while (gap.to > gap.from && node.is_valid()) {
      const NodeRecord& record = log_.at(rank_, node);
      const Time from = later(gap.from, record.begun);
      if (!record.is_compute()) {
        charge_node({.rank = rank_, .node = node}, {.from = from, .to = gap.to});
      }
      gap.to = from;
      node = record.enabling;
    }
    // Only a rank that began later than the others has something left.
    report_.exposed[static_cast<std::size_t>(Purpose::kOtherCommunication)].waiting += gap.to - gap.from;
  }

  void charge_node(const RankNode& node, const Interval& part) {
    const NodeRecord& record = log_.at(node.rank, node.node);
    const RankNode last = matched_.last_to_begin(node, record.finished);
    const Time met = later(part.from, earlier(log_.at(last.rank, last.node).begun, part.to));
    Exposed& exposed = report_.exposed[static_cast<std::size_t>(record.label.purpose)];
    exposed.waiting += met - part.from;
    exposed.transfer += part.to - met;
  }

  const NodeLog& log_;
  const MatchedOperations& matched_;
  RankId rank_;
  RankReport report_;
};

}  // namespace

StepReport make_report(const NodeLog& log, std::span<const Communicator> communicators) {
  StepReport report{.started = Time::never()};
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    for (const NodeRecord& record : log.of(RankId(rank))) {
      if (report.step_ends.size() <= record.label.step) {
        report.step_ends.resize(std::size_t{record.label.step} + 1);
      }
      Time& end = report.step_ends[record.label.step];
      end = later(end, record.finished);
      report.finished = later(report.finished, record.finished);
      report.started = earlier(report.started, record.begun);
    }
  }
  const MatchedOperations matched(log, communicators);
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    report.ranks.push_back(
        RankAccount(log, matched, RankId(rank)).make(communicators, {.from = report.started, .to = report.finished}));
  }
  return report;
}

Duration StepReport::step_time(std::uint32_t step) const {
  return step_ends[step] - (step == 0 ? started : step_ends[step - 1]);
}

Exposed StepReport::exposed(Purpose purpose) const {
  Exposed sum;
  for (const RankReport& rank : ranks) {
    sum.waiting += rank.exposed[static_cast<std::size_t>(purpose)].waiting;
    sum.transfer += rank.exposed[static_cast<std::size_t>(purpose)].transfer;
  }
  const auto count = static_cast<std::int64_t>(std::max(ranks.size(), std::size_t{1}));
  return {.waiting = sum.waiting / count, .transfer = sum.transfer / count};
}

Duration StepReport::computing() const {
  Duration sum{};
  for (const RankReport& rank : ranks) {
    for (const Duration part : rank.computing) {
      sum += part;
    }
  }
  return sum / static_cast<std::int64_t>(std::max(ranks.size(), std::size_t{1}));
}

Bytes StepReport::sent(Purpose purpose) const {
  Bytes sum{};
  for (const RankReport& rank : ranks) {
    sum += rank.sent[static_cast<std::size_t>(purpose)];
  }
  return sum;
}

}  // namespace weft::workload
