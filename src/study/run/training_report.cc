#include "study/run/training_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/int128.h"
#include "study/results/summary_text.h"
#include "study/run/step_description.h"
#include "study/scenario/scenario_words.h"
#include "workload/training/critical_path.h"
#include "workload/training/step_report.h"

namespace weft::study::run {
namespace {

using workload::Purpose;
using workload::RankId;

/// Those of the log, and the same with all members that the job has.
std::span<const workload::Communicator> communicators_of(const StepEvidence& evidence) {
  return evidence.representatives != nullptr ? evidence.representatives->communicators()
                                             : scenario::communicators_of(evidence.work);
}
std::span<const workload::Communicator> whole_communicators_of(const StepEvidence& evidence) {
  return evidence.representatives != nullptr ? evidence.representatives->whole_communicators()
                                             : scenario::communicators_of(evidence.work);
}

/// What all ranks of the log sent, by purpose, in groups as large as the job's.
std::array<Bytes, workload::kPurposes> sent_by(const StepEvidence& evidence) {
  const auto communicators = whole_communicators_of(evidence);
  std::array<Bytes, workload::kPurposes> sums{};
  for (std::uint32_t rank = 0; rank < evidence.log.ranks(); ++rank) {
    for (const workload::NodeRecord& record : evidence.log.of(RankId(rank))) {
      if (!record.is_compute()) {
        sums[static_cast<std::size_t>(record.label.purpose)] += workload::volume_sent(
            {.kind = record.kind, .size = record.size}, communicators[record.communicator.value()].members.size());
      }
    }
  }
  return sums;
}

bool is_communication(Purpose purpose) { return purpose >= Purpose::kTensor; }

/// How long a rank's operations took, hidden or not, from their turn on; by purpose, summed over ranks.
std::array<Duration, workload::kPurposes> under_way(const workload::NodeLog& log) {
  std::array<Duration, workload::kPurposes> sums{};
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    for (const workload::NodeRecord& record : log.of(RankId(rank))) {
      Duration& sum = sums[static_cast<std::size_t>(record.label.purpose)];
      sum = sum + (record.finished - later(record.turn, record.begun));
    }
  }
  return sums;
}

void add_parts(results::StepRow& row, const workload::StepReport& report, const StepEvidence& evidence) {
  const auto ranks = static_cast<std::int64_t>(report.ranks.size());
  const auto steps = static_cast<std::int64_t>(row.steps);
  const auto mean = [&](auto value_of) {
    Duration sum;
    for (const workload::RankReport& rank : report.ranks) {
      sum = sum + value_of(rank);
    }
    return sum / (ranks * steps);
  };
  const auto busy = under_way(evidence.log);
  const auto sent = sent_by(evidence);
  Duration rest = row.time;
  for (std::size_t i = 0; i < workload::kPurposes; ++i) {
    const auto purpose = static_cast<Purpose>(i);
    results::StepPart part{.name = std::string(to_string(purpose)), .communication = is_communication(purpose)};
    for (const workload::RankReport& rank : report.ranks) {
      part.operations = std::max(part.operations, rank.operations[i] / row.steps);
    }
    const Duration computing = mean([i](const workload::RankReport& rank) { return rank.computing[i]; });
    part.exposed = computing + mean([i](const workload::RankReport& rank) { return rank.exposed[i].total(); });
    part.waiting = mean([i](const workload::RankReport& rank) { return rank.exposed[i].waiting; });
    part.busy = busy[i] / (ranks * steps);
    part.sent = Bytes(sent[i].count() / (ranks * steps));
    row.compute = row.compute + computing;
    rest = rest - part.exposed;
    if (part.exposed > Duration::zero() || part.operations > 0) {
      row.parts.push_back(std::move(part));
    }
  }
  // Between a rank's last end and the step's, and what rounding of the means leaves.
  if (rest != Duration::zero()) {
    row.parts.push_back({.name = "end", .exposed = rest, .busy = rest});
  }
}

void add_path(results::StepRow& row, const StepEvidence& evidence) {
  const auto communicators = communicators_of(evidence);
  const workload::CriticalPath path = workload::find_critical_path(evidence.log, communicators);
  struct Sum {
    Duration time{};
    const workload::PathPart* longest = nullptr;
  };
  std::map<std::string, Sum> sums;
  for (const workload::PathPart& part : path.parts) {
    const workload::NodeRecord& node = evidence.log.at(part.rank, part.node);
    const std::string what = node.is_compute()
                                 ? std::string(to_string(part.purpose))
                                 : path_text({.purpose = part.purpose, .kind = node.kind, .size = node.size});
    Sum& sum = sums[what];
    sum.time = sum.time + part.time();
    sum.longest = sum.longest == nullptr || part.time() > sum.longest->time() ? &part : sum.longest;
  }
  for (const auto& [what, sum] : sums) {
    const auto flow = evidence.traffic.flow_behind(*sum.longest, evidence.log, whole_communicators_of(evidence));
    row.path.push_back(
        {.what = what,
         .time = sum.time / static_cast<std::int64_t>(row.steps),
         .rank = evidence.representatives != nullptr
                     ? evidence.representatives->ranks()[sum.longest->rank.value()].value()
                     : sum.longest->rank.value(),
         .flow = flow ? fmt::format("{} -> {}", flow->first.value(), flow->second.value()) : std::string()});
  }
  std::ranges::stable_sort(row.path, std::greater<>(), &results::StepPathPart::time);
}

Duration continued_time(Duration shorter, Duration longer, const Continuation& by) {
  const Int128 slope = static_cast<Int128>((longer - shorter).picoseconds()) * (by.whole - by.to) / (by.to - by.from);
  return longer + Duration::picoseconds(static_cast<std::int64_t>(slope));
}

std::int64_t continued_count(std::int64_t shorter, std::int64_t longer, const Continuation& by) {
  return longer +
         static_cast<std::int64_t>(static_cast<Int128>(longer - shorter) * (by.whole - by.to) / (by.to - by.from));
}

}  // namespace

std::string path_text(const StepOperation& operation) {
  return fmt::format("{} {} of {}", to_string(operation.purpose), to_string(operation.kind),
                     results::short_text(operation.size));
}

Duration longest_time(const workload::NodeLog& log, const StepOperation& operation) {
  Duration most;
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    for (const workload::NodeRecord& record : log.of(RankId(rank))) {
      const bool same = !record.is_compute() && record.size == operation.size && record.kind == operation.kind &&
                        record.label.purpose == operation.purpose;
      most = same ? std::max(most, record.finished - later(record.turn, record.begun)) : most;
    }
  }
  return most;
}

results::StepRow make_step_row(const StepEvidence& evidence) {
  const scenario::JobSettings& job = evidence.job;
  const workload::StepReport report = workload::make_report(evidence.log, communicators_of(evidence));
  results::StepRow row{.job = job.name,
                       .workload = std::string(scenario::word_of(job.workload)),
                       .model = job.training.model,
                       .gpu = job.training.gpu,
                       .gpus = static_cast<std::uint64_t>(job.ranks),
                       .fidelity = job.training.fidelity == scenario::StepFidelity::kComposed ? "composed" : "packet",
                       .steps = scenario::steps_of(evidence.work)};
  row.time = (report.finished - report.started) / static_cast<std::int64_t>(row.steps);
  add_parts(row, report, evidence);
  add_path(row, evidence);
  evidence.traffic.report(
      row, communicators_of(evidence), evidence.log, [&evidence](workload::CommunicatorId communicator) {
        return evidence.representatives != nullptr ? evidence.representatives->weight(communicator) : 1;
      });
  describe(row, evidence.work);
  return row;
}

results::StepRow continued(const Continuation& by, const workload::TrainingPlan& plan) {
  results::StepRow row = by.longer;
  row.time = continued_time(by.shorter.time, by.longer.time, by);
  row.compute = continued_time(by.shorter.compute, by.longer.compute, by);
  row.tokens_per_second = workload::tokens_per_second(plan, row.time);
  row.utilisation = workload::model_flops_utilisation(plan, row.time);
  const auto same = [](const auto& rows, const auto& like, auto member) {
    return std::ranges::find(rows, like.*member, member);
  };
  for (results::StepPart& part : row.parts) {
    if (const auto before = same(by.shorter.parts, part, &results::StepPart::name); before != by.shorter.parts.end()) {
      part.exposed = continued_time(before->exposed, part.exposed, by);
      part.waiting = continued_time(before->waiting, part.waiting, by);
      part.busy = continued_time(before->busy, part.busy, by);
      part.sent = Bytes(continued_count(before->sent.count(), part.sent.count(), by));
      part.operations = static_cast<std::uint64_t>(continued_count(static_cast<std::int64_t>(before->operations),
                                                                   static_cast<std::int64_t>(part.operations), by));
    }
  }
  for (results::StepTier& tier : row.tiers) {
    if (const auto before = same(by.shorter.tiers, tier, &results::StepTier::name); before != by.shorter.tiers.end()) {
      tier.sent = Bytes(continued_count(before->sent.count(), tier.sent.count(), by));
      tier.wire_time = continued_time(before->wire_time, tier.wire_time, by);
    }
  }
  for (results::StepPathPart& part : row.path) {
    if (const auto before = same(by.shorter.path, part, &results::StepPathPart::what);
        before != by.shorter.path.end()) {
      part.time = continued_time(before->time, part.time, by);
    }
  }
  for (std::size_t i = 0; i < row.flows.size() && i < by.shorter.flows.size(); ++i) {
    row.flows[i].flows = static_cast<std::uint64_t>(continued_count(
        static_cast<std::int64_t>(by.shorter.flows[i].flows), static_cast<std::int64_t>(row.flows[i].flows), by));
  }
  return row;
}

}  // namespace weft::study::run
