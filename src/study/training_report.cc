#include "study/training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/int128.h"
#include "study/summary_text.h"
#include "workload/training/critical_path.h"
#include "workload/training/step_report.h"

namespace weft::study {
namespace {

using workload::Purpose;
using workload::RankId;

std::string parallelism_text(const workload::TrainingJob& job) {
  const workload::Parallelism& own = job.parallelism;
  std::string text;
  const auto add = [&text](std::string_view name, std::int64_t degree) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, degree);
  };
  add("tp", own.tensor);
  add("pp", own.pipeline);
  add("dp", own.data);
  if (own.context > 1) {
    add("cp", own.context);
  }
  if (own.expert > 1) {
    add("ep", own.expert);
  }
  return text + fmt::format(", {} sequences of {}", job.batch.global, job.model.sequence);
}

/// Messages by operation, pair and way.
class Traffic {
 public:
  explicit Traffic(const StepEvidence& evidence) : evidence_(evidence) {
    for (const workload::MessageRecord& message : evidence.messages) {
      const std::uint32_t phase = evidence.board != nullptr ? evidence.board->phase_at(message.posted) : 0;
      const bool inside = over_scale_up(message.flow.source, message.flow.destination);
      PhaseTraffic& traffic = phases_[phase];
      if (inside) {
        traffic.scale_up += message.size;
      } else {
        traffic.flows[{message.flow.source, message.flow.destination}] += message.size;
      }
    }
  }

  void report(StepRow& row) {
    Bytes network;
    Bytes scale_up;
    for (const auto& [phase, traffic] : phases_) {
      const Scale scale = scale_of(phase);
      if (scale.instances == 0) {
        continue;
      }
      scale_up += scale.of(traffic.scale_up);
      std::map<Bytes, std::uint64_t> sizes;
      for (const auto& [pair, bytes] : traffic.flows) {
        network += scale.of(bytes);
        ++sizes[scale.larger(bytes)];
      }
      for (const auto& [size, count] : sizes) {
        row.flows.push_back({.purpose = scale.purpose,
                             .kind = scale.kind,
                             .operation = scale.operation,
                             .size = size,
                             .flows = count * scale.instances / scale.run});
      }
    }
    add(row, "scale-up", scale_up, evidence_.scale_up_rate);
    add(row, "network", network, evidence_.network_rate);
    std::ranges::stable_sort(row.flows, std::greater<>(), &StepFlow::size);
  }

 private:
  struct PhaseTraffic {
    Bytes scale_up;
    std::map<std::pair<RankId, RankId>, Bytes> flows;
  };
  /// What one phase stands for in a step: `instances` operations, of which `run` were run, each `whole` / `part` as
  /// long.
  struct Scale {
    std::string purpose;
    std::string kind;
    Bytes operation;
    std::uint64_t instances = 0;
    std::uint64_t run = 1;
    std::int64_t whole = 1;
    std::int64_t part = 1;

    [[nodiscard]] Bytes larger(Bytes bytes) const {
      return Bytes(static_cast<std::int64_t>(static_cast<Int128>(bytes.count()) * whole / part));
    }
    [[nodiscard]] Bytes of(Bytes bytes) const {
      return Bytes(static_cast<std::int64_t>(static_cast<Int128>(larger(bytes).count()) *
                                             static_cast<Int128>(instances) / static_cast<Int128>(run)));
    }
  };

  [[nodiscard]] bool over_scale_up(RankId a, RankId b) const {
    const workload::RankSite& from = evidence_.layout[a.value()];
    const workload::RankSite& to = evidence_.layout[b.value()];
    return from.scale_up && to.scale_up && from.domain == to.domain;
  }

  /// Operations of one kind in a step, over all communicators.
  [[nodiscard]] const std::map<StepOperation, std::uint64_t>& instances() {
    if (instances_.empty()) {
      std::map<StepOperation, std::uint64_t> nodes;  // times the members of each
      for (std::uint32_t rank = 0; rank < evidence_.log.ranks(); ++rank) {
        for (const workload::NodeRecord& record : evidence_.log.of(RankId(rank))) {
          if (record.is_compute() || record.kind == workload::CollectiveKind::kReceive) {
            continue;
          }
          const auto& members = evidence_.plan.groups().communicators()[record.communicator.value()].members;
          const bool sends = record.kind == workload::CollectiveKind::kSend;
          const bool first = members.front().value() == rank;
          instances_[{record.label.purpose, record.kind, record.size}] += sends || first ? 1 : 0;
        }
      }
    }
    return instances_;
  }

  [[nodiscard]] Scale scale_of(std::uint32_t phase) {
    if (evidence_.phases == nullptr) {
      return {.purpose = "all", .kind = "step", .operation = {}, .instances = 1};
    }
    const StepPhases::Sample& sample = evidence_.phases->sample(phase);
    // Of two samples the longer one counts.
    const bool shorter =
        phase + 1 < evidence_.phases->phases() && evidence_.phases->sample(phase + 1).operation == sample.operation;
    const auto found = instances().find(sample.operation);
    if (shorter || found == instances().end()) {
      return {.purpose = {}, .kind = {}, .operation = {}, .instances = 0};
    }
    std::uint64_t run = 0;
    for (const auto& [operation, time] : evidence_.board->times()) {
      run += operation.phase == phase ? 1 : 0;
    }
    return {.purpose = std::string(to_string(sample.operation.purpose)),
            .kind = std::string(to_string(sample.operation.kind)),
            .operation = sample.operation.size,
            .instances = found->second / static_cast<std::uint64_t>(evidence_.plan.job().steps),
            .run = std::max<std::uint64_t>(run, 1),
            .whole = sample.operation.size.count(),
            .part = std::max<std::int64_t>(sample.size.count(), 1)};
  }

  static void add(StepRow& row, std::string name, Bytes sent, Rate rate) {
    if (sent == Bytes::zero()) {
      return;
    }
    const Bytes each(sent.count() / static_cast<std::int64_t>(std::max<std::uint64_t>(row.gpus, 1)));
    row.tiers.push_back({.name = std::move(name),
                         .sent = sent,
                         .wire_time = rate > Rate::zero() ? rate.transmit_time(each) : Duration::zero()});
  }

  const StepEvidence& evidence_;
  std::map<std::uint32_t, PhaseTraffic> phases_;
  std::map<StepOperation, std::uint64_t> instances_;
};

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

void add_parts(StepRow& row, const workload::StepReport& report, const workload::NodeLog& log) {
  const auto ranks = static_cast<std::int64_t>(report.ranks.size());
  const auto steps = static_cast<std::int64_t>(row.steps);
  const auto mean = [&](auto value_of) {
    Duration sum;
    for (const workload::RankReport& rank : report.ranks) {
      sum = sum + value_of(rank);
    }
    return sum / (ranks * steps);
  };
  const auto busy = under_way(log);
  Duration rest = row.time;
  for (std::size_t i = 0; i < workload::kPurposes; ++i) {
    const auto purpose = static_cast<Purpose>(i);
    StepPart part{.name = std::string(to_string(purpose)), .communication = is_communication(purpose)};
    for (const workload::RankReport& rank : report.ranks) {
      part.operations = std::max(part.operations, rank.operations[i] / row.steps);
    }
    const Duration computing = mean([i](const workload::RankReport& rank) { return rank.computing[i]; });
    part.exposed = computing + mean([i](const workload::RankReport& rank) { return rank.exposed[i].total(); });
    part.waiting = mean([i](const workload::RankReport& rank) { return rank.exposed[i].waiting; });
    part.busy = busy[i] / (ranks * steps);
    part.sent = Bytes(report.sent(purpose).count() / (ranks * steps));
    row.compute = row.compute + computing;
    rest = rest - part.exposed;
    if (part.exposed > Duration::zero() || part.operations > 0) {
      row.parts.push_back(std::move(part));
    }
  }
  // Between a rank's last end and the step's, and what rounding of the means leaves.
  row.parts.push_back({.name = "end", .exposed = rest, .busy = rest});
}

void add_path(StepRow& row, const StepEvidence& evidence) {
  const auto& communicators = evidence.plan.groups().communicators();
  const workload::CriticalPath path = workload::find_critical_path(evidence.log, communicators);
  std::map<std::string, Duration> sums;
  for (const workload::PathPart& part : path.parts) {
    const workload::NodeRecord& node = evidence.log.at(part.rank, part.node);
    std::string what(to_string(part.purpose));
    if (!node.is_compute()) {
      what += fmt::format(" {} of {}", to_string(node.kind), short_text(node.size));
    }
    sums[what] = sums[what] + part.time();
  }
  for (const auto& [what, time] : sums) {
    row.path.push_back({.what = what, .time = time / static_cast<std::int64_t>(row.steps)});
  }
  std::ranges::stable_sort(row.path, std::greater<>(), &StepPathPart::time);
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

workload::TrainingJob training_job_of(const TrainingSettings& settings) {
  workload::TrainingJob job{.model = settings.shape};
  if (settings.sequence > 0) {
    job.model.sequence = settings.sequence;
  }
  if (settings.layers > 0) {
    job.model.layers = settings.layers;
  }
  using workload::SequenceParallel;
  using workload::ZeroStage;
  job.parallelism = {
      .tensor = settings.tensor,
      .pipeline = settings.pipeline,
      .data = settings.data,
      .expert = settings.expert,
      .context = settings.context,
      .virtual_stages = settings.interleave,
      .sequence = settings.sequence_parallel && settings.tensor > 1 ? SequenceParallel::kOn : SequenceParallel::kOff,
      .zero = settings.zero == 0   ? ZeroStage::kNone
              : settings.zero == 1 ? ZeroStage::kOptimizer
                                   : ZeroStage::kParameters};
  job.batch = {.global = settings.global_batch, .micro = settings.micro_batch};
  job.precision = settings.precision;
  job.gradients = settings.gradients;
  job.recomputation = settings.recomputation;
  job.reduction = settings.overlap ? workload::GradientReduction::kOverlapped : workload::GradientReduction::kAtEnd;
  job.bucket = settings.bucket;
  job.steps = static_cast<std::uint32_t>(settings.steps);
  return job;
}

StepRow make_step_row(const StepEvidence& evidence) {
  const JobSettings& job = evidence.job;
  const workload::StepReport report = workload::make_report(evidence.log, evidence.plan.groups().communicators());
  StepRow row{.job = job.name,
              .model = job.training.model,
              .gpu = job.training.gpu,
              .gpus = static_cast<std::uint64_t>(job.ranks),
              .parallelism = parallelism_text(evidence.plan.job()),
              .fidelity = evidence.phases != nullptr ? "composed" : "packet",
              .steps = evidence.plan.job().steps};
  row.time = (report.finished - report.started) / static_cast<std::int64_t>(row.steps);
  add_parts(row, report, evidence.log);
  add_path(row, evidence);
  Traffic(evidence).report(row);
  row.tokens_per_second = workload::tokens_per_second(evidence.plan, row.time);
  row.utilisation = workload::model_flops_utilisation(evidence.plan, row.time);
  return row;
}

StepRow continued(const Continuation& by, const workload::TrainingPlan& plan) {
  StepRow row = by.longer;
  row.time = continued_time(by.shorter.time, by.longer.time, by);
  row.compute = continued_time(by.shorter.compute, by.longer.compute, by);
  row.tokens_per_second = workload::tokens_per_second(plan, row.time);
  row.utilisation = workload::model_flops_utilisation(plan, row.time);
  const auto same = [](const auto& rows, const auto& like, auto member) {
    return std::ranges::find(rows, like.*member, member);
  };
  for (StepPart& part : row.parts) {
    if (const auto before = same(by.shorter.parts, part, &StepPart::name); before != by.shorter.parts.end()) {
      part.exposed = continued_time(before->exposed, part.exposed, by);
      part.waiting = continued_time(before->waiting, part.waiting, by);
      part.busy = continued_time(before->busy, part.busy, by);
      part.sent = Bytes(continued_count(before->sent.count(), part.sent.count(), by));
      part.operations = static_cast<std::uint64_t>(continued_count(static_cast<std::int64_t>(before->operations),
                                                                   static_cast<std::int64_t>(part.operations), by));
    }
  }
  for (StepTier& tier : row.tiers) {
    if (const auto before = same(by.shorter.tiers, tier, &StepTier::name); before != by.shorter.tiers.end()) {
      tier.sent = Bytes(continued_count(before->sent.count(), tier.sent.count(), by));
      tier.wire_time = continued_time(before->wire_time, tier.wire_time, by);
    }
  }
  for (StepPathPart& part : row.path) {
    if (const auto before = same(by.shorter.path, part, &StepPathPart::what); before != by.shorter.path.end()) {
      part.time = continued_time(before->time, part.time, by);
    }
  }
  for (std::size_t i = 0; i < row.flows.size() && i < by.shorter.flows.size(); ++i) {
    row.flows[i].flows = static_cast<std::uint64_t>(continued_count(
        static_cast<std::int64_t>(by.shorter.flows[i].flows), static_cast<std::int64_t>(row.flows[i].flows), by));
  }
  return row;
}

}  // namespace weft::study
