#include "study/report/run_figures.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "study/report/comparison_keys.h"
#include "study/report/topology_of_run.h"
#include "study/results/results_steps.h"
#include "study/results/summary.h"
#include "study/run/training_run.h"
#include "workload/training/critical_path.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

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

Json percentiles_of(std::vector<Duration> values) {
  Json made = Json::object();
  if (values.empty()) {
    return made;
  }
  std::ranges::sort(values);
  const std::span<const Duration> sorted(values);
  const auto at = [&](std::uint64_t per_mille) {
    return microseconds(
        results::percentile(sorted, Probability::from_ratio({.numerator = per_mille, .denominator = 1000})));
  };
  return Json{{"p50", at(500)}, {"p99", at(990)}, {"p999", at(999)}};
}

void add_step(Json& json, const results::StepRow& step) {
  json[key::kCompute] = step.compute.seconds();
  json[key::kExposedCommunication] = step.exposed_communication().seconds();
  if (step.tokens_per_second > 0) {
    json[key::kTokensPerSecond] = step.tokens_per_second;
    json[key::kModelFlopsUtilisation] = step.utilisation;
  }
  if (step.composition_error) {
    json[key::kCompositionError] = *step.composition_error;
  }
  if (!step.composition_check.empty()) {
    json[key::kCompositionCheck] = step.composition_check;
  }
  const Json all = results::to_json(step);
  for (const char* const key : {"interval", "settled", "collectives"}) {
    if (all.contains(key)) {
      json[key] = all[key];
    }
  }
  json["parts"] = all["parts"];
  json["tiers"] = all["tiers"];
  json["flows"] = all["flows"];
  json["path"] = Json::array();
  for (const results::StepPathPart& part : step.path) {
    json["path"].push_back({{"what", part.what}, {"s", part.time.seconds()}, {"rank", part.rank}, {"flow", part.flow}});
  }
  // What its operations must send over what they took: of the parallelism that sends most through the network.
  const results::StepPart* widest = nullptr;
  for (const results::StepPart& part : step.parts) {
    const bool through_network = part.name != "tp" && part.communication && part.busy > Duration::zero();
    widest = through_network && (widest == nullptr || part.sent > widest->sent) ? &part : widest;
  }
  if (widest != nullptr && widest->sent > Bytes(0)) {
    json[key::kBusBandwidth] = static_cast<double>(widest->sent.count()) / widest->busy.seconds() / 1e9;
    json[key::kBusBandwidthOf] = widest->name;
  }
}

void add_network(Json& json, const results::RunResults& results) {
  const results::Summary summary = results::summarise(results);
  const results::NetworkSummary& network = summary.network;
  json["drops"] = network.drops + network.host_drops;
  json["retransmissions"] = network.retransmitted;
  for (const results::NicTotal& total : network.totals) {
    if (!total.about.label.empty()) {
      json[key::kNicTotals].push_back({{"name", total.about.label}, {"value", total.sum}});
    }
  }
  if (network.held) {
    json[results.run.lossless == results::Lossless::kCredits ? key::kCreditStall : key::kPause] =
        network.held->seconds();
  }
  if (network.pauses) {
    json[key::kPauseFrames] = *network.pauses;
  }
  if (network.marked) {
    json["marks"] = *network.marked;
  }
  if (network.cpu && results.run.ended_at > Time{} && results.run.hosts > 0) {
    json[key::kCpuCoresPerHost] =
        network.cpu->seconds() / results.run.ended_at.since_start().seconds() / results.run.hosts;
  }
  if (!summary.jobs.empty() && summary.jobs.front().goodput) {
    json[key::kGoodput] = summary.jobs.front().goodput->bits_per_second();
  }
}

}  // namespace

Duration work_time(const results::RunResults& results) {
  return results.steps.empty() ? results.run.ended_at.since_start() : results.steps.front().time;
}

Json run_figures(const results::RunResults& results) {
  Json json{{"time_s", work_time(results).seconds()}, {key::kPacketHops, results.run.packet_hops}};
  if (!results.steps.empty()) {
    add_step(json, results.steps.front());
  }
  json[key::kFct] = percentiles_of(completion_times(results));
  add_network(json, results);
  return json;
}

Json run_series(const results::RunResults& results) {
  Json json = Json::object();
  json["cdf"] = Json{{"fct", distribution(completion_times(results))}};
  add_topology(json, results);
  return json;
}

Json distribution(std::vector<Duration> values) {
  Json points = Json::array();
  std::ranges::sort(values);
  const std::size_t count = values.size();
  const std::size_t shown = std::min(count, kDistributionPoints);
  for (std::size_t i = 1; i <= shown; ++i) {
    const std::size_t rank = (count * i + shown - 1) / shown;
    points.push_back({microseconds(values[rank - 1]), static_cast<double>(rank) / static_cast<double>(count)});
  }
  return points;
}

Json step_timeline(const run::Simulation& simulation) {
  Json spans = Json::array();
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
        spans.push_back({{"rank", rank},
                         {"lane", own->is_compute() ? "compute" : "communication"},
                         {"name", workload::to_string(own->label.purpose)},
                         {"begin_s", own->begun.since_start().seconds()},
                         {"end_s", own->finished.since_start().seconds()}});
      }
    }
    break;
  }
  return spans;
}

}  // namespace weft::study::report
