#include "study/report/run_figures.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <type_traits>

#include "study/report/topology_of_run.h"
#include "study/results/summary.h"
#include "study/run/training_run.h"
#include "workload/training/critical_path.h"

namespace weft::study::report {
namespace {

constexpr std::size_t kDistributionPoints = 200;  // of a distribution
constexpr std::size_t kSpans = 400;               // of a rank's timeline
constexpr std::uint32_t kTimelineRanks = 2;

double microseconds(Duration value) { return static_cast<double>(value.picoseconds()) / 1e6; }

std::vector<Duration> completion_times(const results::RunResults& results) {
  std::vector<Duration> times;
  for (const results::MessageRow& row : results.messages) {
    if (row.record.status == verbs::WcStatus::kSuccess) {
      times.push_back(row.record.finished - row.record.posted);
    }
  }
  return times;
}

FlowTimes percentiles_of(std::vector<Duration> values) {
  if (values.empty()) {
    return {};
  }
  std::ranges::sort(values);
  const std::span<const Duration> sorted(values);
  const auto at = [&](std::uint64_t per_mille) {
    return microseconds(
        results::percentile(sorted, Probability::from_ratio({.numerator = per_mille, .denominator = 1000})));
  };
  return {.p50 = at(500), .p99 = at(990), .p999 = at(999)};
}

StepCollective collective_of(const results::StepCollective& own) {
  return {.purpose = own.purpose,
          .kind = own.kind,
          .bytes = own.size.count(),
          .time = own.time.seconds(),
          .paths_allow = own.least_time.seconds(),
          .slowest_flow_share = own.slowest_share,
          .mean_flow_share = own.mean_share,
          .shares_links = own.shares_links,
          .sample_bytes = own.sample.count(),
          .repetitions = own.repetitions,
          .settled = own.settled,
          .interval = own.interval};
}

StepPart part_of(const results::StepPart& own) {
  return {.name = own.name,
          .communication = own.communication,
          .exposed = own.exposed.seconds(),
          .waiting = own.waiting.seconds(),
          .busy = own.busy.seconds(),
          .sent_bytes = own.sent.count(),
          .operations = own.operations};
}

JobStep job_step_of(const results::StepRow& own) {
  JobStep made{.name = own.job, .time = own.time.seconds()};
  if (own.alone) {
    made.alone = own.alone->seconds();
  }
  made.interval = own.interval;
  made.composition_error = own.composition_error;
  return made;
}

StepTier tier_of(const results::StepTier& own) {
  return {.name = own.name, .sent_bytes = own.sent.count(), .wire_time = own.wire_time.seconds()};
}

StepFlow flow_of(const results::StepFlow& own) {
  return {.purpose = own.purpose,
          .kind = own.kind,
          .operation_bytes = own.operation.count(),
          .flow_bytes = own.size.count(),
          .flows = own.flows};
}

PathPart path_part_of(const results::StepPathPart& own) {
  return {.what = own.what, .time = own.time.seconds(), .rank = own.rank, .flow = own.flow};
}

template <class Row, class Make>
auto list_of(const std::vector<Row>& rows, const Make& make) {
  std::vector<std::invoke_result_t<Make, const Row&>> list;
  std::ranges::transform(rows, std::back_inserter(list), make);
  return list;
}

/// What its operations must send over what they took: of the parallelism that sends most through the network.
void add_bus_bandwidth(RunFigures& figures, const results::StepRow& step) {
  const results::StepPart* widest = nullptr;
  for (const results::StepPart& part : step.parts) {
    const bool through_network = part.name != "tp" && part.communication && part.busy > Duration::zero();
    widest = through_network && (widest == nullptr || part.sent > widest->sent) ? &part : widest;
  }
  if (widest != nullptr && widest->sent > Bytes(0)) {
    figures.bus_bandwidth = static_cast<double>(widest->sent.count()) / widest->busy.seconds() / 1e9;
    figures.bus_bandwidth_of = widest->name;
  }
}

void add_step(RunFigures& figures, const results::StepRow& step) {
  figures.compute = step.compute.seconds();
  figures.exposed_communication = step.exposed_communication().seconds();
  if (step.tokens_per_second > 0) {
    figures.tokens_per_second = step.tokens_per_second;
    figures.model_flops_utilisation = step.utilisation;
  }
  figures.composition_error = step.composition_error;
  if (!step.composition_check.empty()) {
    figures.composition_check = step.composition_check;
  }
  figures.interval = step.interval;
  if (!step.collectives.empty()) {
    figures.settled = step.settled();
    figures.collectives = list_of(step.collectives, collective_of);
  }
  figures.parts = list_of(step.parts, part_of);
  figures.tiers = list_of(step.tiers, tier_of);
  figures.flows = list_of(step.flows, flow_of);
  figures.path = list_of(step.path, path_part_of);
  add_bus_bandwidth(figures, step);
}

void add_network(RunFigures& figures, const results::RunResults& results) {
  const results::Summary summary = results::summarise(results);
  const results::NetworkSummary& network = summary.network;
  figures.drops = network.drops + network.host_drops;
  figures.retransmissions = network.retransmitted;
  for (const results::CounterTotal& total : network.totals) {
    if (!total.about.label.empty()) {
      if (!figures.nic_totals) {
        figures.nic_totals.emplace();
      }
      figures.nic_totals->push_back({.name = std::string(total.about.label), .value = total.sum});
    }
  }
  if (network.held) {
    (results.run.lossless == results::Lossless::kCredits ? figures.credit_stall : figures.pause) =
        network.held->seconds();
  }
  figures.pause_frames = network.pauses;
  figures.marks = network.marked;
  if (network.cpu && results.run.ended_at > Time{} && results.run.hosts > 0) {
    figures.cpu_cores_per_host =
        network.cpu->seconds() / results.run.ended_at.since_start().seconds() / results.run.hosts;
  }
  if (!summary.jobs.empty() && summary.jobs.front().goodput) {
    figures.goodput = summary.jobs.front().goodput->bits_per_second();
  }
}

}  // namespace

Duration work_time(const results::RunResults& results) {
  return results.steps.empty() ? results.run.ended_at.since_start() : results.steps.front().time;
}

RunFigures run_figures(const results::RunResults& results) {
  RunFigures figures{.packet_hops = results.run.packet_hops};
  if (!results.steps.empty()) {
    add_step(figures, results.steps.front());
  }
  if (results.steps.size() > 1) {
    figures.jobs = list_of(results.steps, job_step_of);
    double tokens = 0;
    for (const results::StepRow& step : results.steps) {
      tokens += step.tokens_per_second;
    }
    if (tokens > 0) {
      figures.tokens_per_second = tokens;
    }
  }
  figures.fct = percentiles_of(completion_times(results));
  add_network(figures, results);
  return figures;
}

void add_series(RunFigures& figures, const results::RunResults& results) {
  figures.cdf = Distributions{.fct = distribution(completion_times(results))};
  add_topology(figures, results);
}

std::vector<CurvePoint> distribution(std::vector<Duration> values) {
  std::vector<CurvePoint> points;
  std::ranges::sort(values);
  const std::size_t count = values.size();
  const std::size_t shown = std::min(count, kDistributionPoints);
  for (std::size_t i = 1; i <= shown; ++i) {
    const std::size_t rank = (count * i + shown - 1) / shown;
    points.push_back(
        {.x = microseconds(values[rank - 1]), .y = static_cast<double>(rank) / static_cast<double>(count)});
  }
  return points;
}

std::vector<TimelineSpan> step_timeline(const run::Simulation& simulation) {
  std::vector<TimelineSpan> spans;
  for (std::size_t job = 0; job < simulation.jobs().size(); ++job) {
    const run::TrainingRun* const training = simulation.training(job);
    if (training == nullptr) {
      continue;
    }
    const workload::NodeLog& log = training->log();
    // The first rank, and one in the middle: of another pipeline stage where there is one.
    for (std::uint32_t i = 0; i < std::min(kTimelineRanks, log.ranks()); ++i) {
      const std::uint32_t rank = i * (log.ranks() / kTimelineRanks);
      std::vector<const workload::NodeRecord*> longest;
      for (const workload::NodeRecord& record : log.of(workload::RankId(rank))) {
        longest.push_back(&record);
      }
      std::ranges::stable_sort(longest, std::greater<>(),
                               [](const workload::NodeRecord* own) { return own->finished - own->begun; });
      longest.resize(std::min(longest.size(), kSpans));
      std::ranges::stable_sort(longest, {}, [](const workload::NodeRecord* own) { return own->begun; });
      for (const workload::NodeRecord* own : longest) {
        spans.push_back({.rank = rank,
                         .lane = own->is_compute() ? "compute" : "communication",
                         .name = std::string(workload::to_string(own->label.purpose)),
                         .begin = own->begun.since_start().seconds(),
                         .end = own->finished.since_start().seconds()});
      }
    }
    break;
  }
  return spans;
}

}  // namespace weft::study::report
