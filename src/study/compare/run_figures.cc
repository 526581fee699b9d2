#include "study/compare/run_figures.h"

#include <algorithm>
#include <map>

#include "study/results_steps.h"
#include "study/summary.h"
#include "study/training_run.h"
#include "workload/training/critical_path.h"

namespace weft::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kPoints = 200;   // of a distribution
constexpr std::size_t kInstants = 40;  // of a series over time
constexpr std::size_t kQueues = 8;     // ports whose queues are shown
constexpr std::size_t kSpans = 400;    // of a rank's timeline
constexpr std::uint32_t kTimelineRanks = 2;

double microseconds(Duration value) { return static_cast<double>(value.picoseconds()) / 1e6; }

std::vector<Duration> completion_times(const RunResults& results) {
  std::vector<Duration> times;
  for (const MessageRow& row : results.messages) {
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
    return microseconds(percentile(sorted, Probability::from_ratio({.numerator = per_mille, .denominator = 1000})));
  };
  return Json{{"p50", at(500)}, {"p99", at(990)}, {"p999", at(999)}};
}

void add_step(Json& json, const StepRow& step) {
  json["compute_s"] = step.compute.seconds();
  json["exposed_communication_s"] = step.exposed_communication().seconds();
  if (step.tokens_per_second > 0) {
    json["tokens_per_second"] = step.tokens_per_second;
    json["model_flops_utilisation"] = step.utilisation;
  }
  if (step.composition_error) {
    json["composition_error"] = *step.composition_error;
  }
  if (!step.composition_check.empty()) {
    json["composition_check"] = step.composition_check;
  }
  const Json all = to_json(step);
  json["parts"] = all["parts"];
  json["tiers"] = all["tiers"];
  json["flows"] = all["flows"];
  json["path"] = all["critical_path"];
  // What its operations must send over what they took: of the parallelism that sends most through the network.
  const StepPart* widest = nullptr;
  for (const StepPart& part : step.parts) {
    const bool through_network = part.name != "tp" && part.communication && part.busy > Duration::zero();
    widest = through_network && (widest == nullptr || part.sent > widest->sent) ? &part : widest;
  }
  if (widest != nullptr && widest->sent > Bytes(0)) {
    json["bus_bandwidth_gbytes_per_s"] = static_cast<double>(widest->sent.count()) / widest->busy.seconds() / 1e9;
    json["bus_bandwidth_of"] = widest->name;
  }
}

void add_network(Json& json, const RunResults& results) {
  const Summary summary = summarise(results);
  const NetworkSummary& network = summary.network;
  json["drops"] = network.drops + network.host_drops;
  json["retransmissions"] = network.retransmitted;
  if (network.held) {
    json[results.run.lossless == Lossless::kCredits ? "credit_stall_s" : "pause_s"] = network.held->seconds();
  }
  if (network.pauses) {
    json["pauses"] = *network.pauses;
  }
  if (network.marked) {
    json["marks"] = *network.marked;
  }
  if (network.cpu && results.run.ended_at > Time{} && results.run.hosts > 0) {
    json["cpu_cores_per_host"] =
        network.cpu->seconds() / results.run.ended_at.since_start().seconds() / results.run.hosts;
  }
  if (!summary.jobs.empty() && summary.jobs.front().goodput) {
    json["goodput_bps"] = summary.jobs.front().goodput->bits_per_second();
  }
}

/// The device of "leaf0/port3": "leaf0"; of "host0/nic0": its host.
std::string device_of(const PortRow& port) {
  const std::size_t slash = port.of_switch ? port.name.rfind('/') : port.name.find('/');
  return port.name.substr(0, slash);
}

class Series {
 public:
  explicit Series(const RunResults& results) : results_(results) {
    Time last;
    for (const SampleRow& row : results.samples) {
      last = later(last, row.at);
    }
    const std::int64_t span = std::max<std::int64_t>(last.since_start().picoseconds(), 1);
    const std::int64_t interval = results.run.sample_interval ? results.run.sample_interval->picoseconds() : span;
    width_ =
        std::max(interval, (span + static_cast<std::int64_t>(kInstants) - 1) / static_cast<std::int64_t>(kInstants));
    buckets_ = static_cast<std::size_t>((span + width_ - 1) / width_);
    per_bucket_ = std::max<double>(1.0, static_cast<double>(width_) / static_cast<double>(interval));
    ports_.resize(results.ports.size());
    for (const SampleRow& row : results.samples) {
      add(row);
    }
  }

  Json topology() const {
    Json made{{"nodes", Json::array()}, {"links", Json::array()}, {"instants_s", instants()}};
    std::map<std::string, bool> nodes;
    for (std::size_t i = 0; i < results_.ports.size(); ++i) {
      const PortRow& port = results_.ports[i];
      const std::string from = device_of(port);
      nodes.emplace(from, port.of_switch);
      const std::size_t slash = port.peer.rfind("/port");
      const std::string to =
          slash == std::string::npos ? port.peer.substr(0, port.peer.find('/')) : port.peer.substr(0, slash);
      std::vector<double> shares;
      for (std::size_t b = 0; b < buckets_; ++b) {
        const double sum = ports_[i].utilisation.empty() ? 0 : ports_[i].utilisation[b];
        shares.push_back(std::min(1.0, std::round(sum / per_bucket_ / 1e6 * 1e4) / 1e4));
      }
      made["links"].push_back({{"port", port.name},
                               {"from", from},
                               {"to", to},
                               {"rate_bps", port.rate.bits_per_second()},
                               {"utilisation", shares}});
    }
    for (const auto& [name, of_switch] : nodes) {
      made["nodes"].push_back({{"name", name}, {"kind", of_switch ? "switch" : "host"}});
    }
    return made;
  }

  Json queues() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (ports_[i].peak > 0 || ports_[i].held > Duration::zero()) {
        order.push_back(i);
      }
    }
    std::ranges::stable_sort(order, std::greater<>(), [this](std::size_t i) { return ports_[i].peak; });
    order.resize(std::min(order.size(), kQueues));
    Json made = Json::array();
    for (const std::size_t i : order) {
      made.push_back({{"port", results_.ports[i].name},
                      {"at_s", instants()},
                      {"bytes", ports_[i].queue},
                      {"held_s", ports_[i].held_in}});
    }
    return made;
  }

  /// Who was stopped by whom: a port is stopped by the device at its other end, because one of that device's own ports
  /// could not send; of these the one that was stopped longest, and not later than it.
  Json pauses() const {
    std::vector<std::size_t> held;
    std::multimap<std::string, std::size_t> of_device;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (ports_[i].held > Duration::zero()) {
        held.push_back(i);
        of_device.emplace(device_of(results_.ports[i]), i);
      }
    }
    Json tree = Json::array();
    std::ranges::stable_sort(held, std::greater<>(), [this](std::size_t i) { return ports_[i].held; });
    held.resize(std::min<std::size_t>(held.size(), 60));
    for (const std::size_t i : held) {
      const std::string& peer = results_.ports[i].peer;
      const auto [begin, end] = of_device.equal_range(peer.substr(0, peer.rfind('/')));
      std::optional<std::size_t> cause;
      for (auto own = begin; own != end; ++own) {
        const Port& other = ports_[own->second];
        if (own->second != i && other.first <= ports_[i].first && (!cause || other.held > ports_[*cause].held)) {
          cause = own->second;
        }
      }
      tree.push_back({{"port", results_.ports[i].name},
                      {"by", peer},
                      {"first_s", ports_[i].first.since_start().seconds()},
                      {"held_s", ports_[i].held.seconds()},
                      {"cause", cause ? Json(results_.ports[*cause].name) : Json()}});
    }
    return Json{{"tree", tree}};
  }

 private:
  struct Port {
    std::vector<double> utilisation;
    std::vector<std::uint64_t> queue;
    std::vector<double> held_in;
    std::uint64_t peak = 0;
    Duration held;
    Time first = Time::never();
  };

  void add(const SampleRow& row) {
    Port& port = ports_[row.port];
    if (port.utilisation.empty()) {
      port.utilisation.resize(buckets_);
      port.queue.resize(buckets_);
      port.held_in.resize(buckets_);
    }
    const auto bucket =
        std::min(buckets_ - 1,
                 static_cast<std::size_t>(std::max<std::int64_t>(row.at.since_start().picoseconds() - 1, 0) / width_));
    port.utilisation[bucket] += row.utilisation;
    port.queue[bucket] = std::max(port.queue[bucket], row.queue_bytes);
    port.held_in[bucket] += row.held.seconds();
    port.peak = std::max(port.peak, row.queue_bytes);
    port.held = port.held + row.held;
    if (row.held > Duration::zero()) {
      port.first = earlier(port.first, row.at);
    }
  }

  [[nodiscard]] std::vector<double> instants() const {
    std::vector<double> at;
    for (std::size_t b = 1; b <= buckets_; ++b) {
      at.push_back(static_cast<double>(width_) * static_cast<double>(b) / 1e12);
    }
    return at;
  }

  const RunResults& results_;
  std::vector<Port> ports_;
  std::int64_t width_ = 1;
  std::size_t buckets_ = 1;
  double per_bucket_ = 1;
};

}  // namespace

Duration work_time(const RunResults& results) {
  return results.steps.empty() ? results.run.ended_at.since_start() : results.steps.front().time;
}

Json run_figures(const RunResults& results) {
  Json json{{"time_s", work_time(results).seconds()}, {"packet_hops", results.run.packet_hops}};
  if (!results.steps.empty()) {
    add_step(json, results.steps.front());
  }
  json["fct_us"] = percentiles_of(completion_times(results));
  add_network(json, results);
  return json;
}

Json run_series(const RunResults& results) {
  Json json = Json::object();
  json["cdf"] = Json{{"fct", distribution(completion_times(results))}};
  if (!results.samples.empty()) {
    const Series series(results);
    json["topology"] = series.topology();
    json["queues"] = series.queues();
    json["pauses"] = series.pauses();
  }
  return json;
}

Json distribution(std::vector<Duration> values) {
  Json points = Json::array();
  std::ranges::sort(values);
  const std::size_t count = values.size();
  const std::size_t shown = std::min(count, kPoints);
  for (std::size_t i = 1; i <= shown; ++i) {
    const std::size_t rank = (count * i + shown - 1) / shown;
    points.push_back({microseconds(values[rank - 1]), static_cast<double>(rank) / static_cast<double>(count)});
  }
  return points;
}

Json step_timeline(const Simulation& simulation) {
  Json spans = Json::array();
  for (std::size_t job = 0; job < simulation.jobs().size(); ++job) {
    const TrainingRun* const training = simulation.training(job);
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

}  // namespace weft::study
