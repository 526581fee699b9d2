#include "cli/work_estimate.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "study/assembly/build_topology.h"
#include "study/compare/probes.h"
#include "study/run/simulation.h"
#include "workload/message_record.h"

namespace weft::cli {
namespace {

/// Real time that a measurement takes, beside building the network.
constexpr double kMeasured = 0.4;
/// Runs of other traffic, on cores that share caches with others, are up to so much faster or slower: composed steps of
/// 512 GPUs with scale-up links and TCP beside them take 2.5 times as long for a packet-hop as what is measured.
constexpr double kFaster = 0.7;
constexpr double kSlower = 2.5;
/// Seconds for a node of a step: 3 us in steps of 1,024 ranks, about 1 us in those of 64.
constexpr double kNode = 2.5e-6;
/// The same in packet-hops, for parts of one piece of work.
constexpr double kHopsOfANode = 4;
/// Of a run beside its simulation: a process, its figures.
constexpr double kOverhead = 0.05;

class Unread final : public workload::MessageSink {
 public:
  void on_message(const workload::MessageRecord&) override {}
};

/// Two significant digits.
double rounded(double value) {
  const double unit = std::pow(10, std::floor(std::log10(std::max(value, 1.0))) - 1);
  return std::max(std::round(value / std::max(unit, 1.0)) * std::max(unit, 1.0), 1.0);
}

std::string range_text(const WorkTime& time, double unit, const char* name) {
  const double least = rounded(time.least / unit);
  const double most = rounded(time.most / unit);
  return least < most ? fmt::format("about {:.0f} to {:.0f} {}s", least, most, name)
                      : fmt::format("about {:.0f} {}{}", most, name, most > 1 ? "s" : "");
}

}  // namespace

MachineSpeed measure_speed(const study::scenario::Scenario& scenario) {
  const live::Clock clock;
  const Result<fabric::Graph> graph = study::assembly::build_topology(scenario);
  if (!graph) {
    return {};
  }
  const study::scenario::Scenario probe =
      study::compare::loaded_probe(scenario, *graph, study::compare::Load::kAllNics);
  Unread unread;
  auto simulation = study::run::Simulation::create(probe, unread);
  if (!simulation) {
    return {};
  }
  const double ready = clock.now().since_start().seconds();
  (void)(*simulation)->run([&](const study::run::Progress&) {
    return !interrupted() && clock.now().since_start().seconds() < ready + kMeasured;
  });
  const double ran = clock.now().since_start().seconds() - ready;
  const auto hops = static_cast<double>((*simulation)->progress().packet_hops);
  return {.setup = ready, .hops_per_second = ran > 0 ? hops / ran : 0};
}

WorkTime work_time(std::span<const study::run::HopsEstimate> runs, const MachineSpeed& speed, const Workers& workers) {
  WorkTime sum;
  WorkTime longest;
  for (const study::run::HopsEstimate& run : runs) {
    const double beside = speed.setup + kOverhead + run.nodes * kNode;
    const WorkTime own{.least = (beside + run.least / speed.hops_per_second) * kFaster,
                       .most = (beside + run.most / speed.hops_per_second) * kSlower};
    sum = {.least = sum.least + own.least, .most = sum.most + own.most};
    longest = {.least = std::max(longest.least, own.least), .most = std::max(longest.most, own.most)};
  }
  const auto at_once = static_cast<double>(std::max<std::size_t>(std::min(workers.at_once, workers.cores), 1));
  return {.least = std::max(sum.least / at_once, longest.least), .most = std::max(sum.most / at_once, longest.most)};
}

std::optional<WorkTime> time_of_runs(const study::scenario::Scenario& scenario, double runs, std::int64_t jobs) {
  const Result<fabric::Graph> graph = study::assembly::build_topology(scenario);
  if (!graph) {
    return std::nullopt;
  }
  const Result<study::run::HopsEstimate> hops = study::run::estimate_hops(scenario, *graph);
  const MachineSpeed speed = hops ? measure_speed(scenario) : MachineSpeed{};
  if (speed.hops_per_second <= 0) {
    return std::nullopt;
  }
  const std::vector<study::run::HopsEstimate> one = {*hops};
  const std::size_t at_once = jobs > 0 ? static_cast<std::size_t>(jobs) : usable_cores();
  WorkTime time = work_time(one, speed, {.at_once = 1, .cores = 1});
  const double share = runs / static_cast<double>(std::min(at_once, usable_cores()));
  time.least *= share;
  time.most *= share;
  return time;
}

std::optional<std::string> FirstMoments::look(const study::run::Progress& progress) {
  const Time now = clock_.now();
  if (!began_) {
    began_ = now;
    hops_before_ = progress.packet_hops;
  }
  const double ran = (now - *began_).seconds();
  if (has_said_ || ran < kMeasured || progress.packet_hops == hops_before_) {
    return std::nullopt;
  }
  has_said_ = true;
  const std::vector<study::run::HopsEstimate> one = {hops_};
  const double speed = static_cast<double>(progress.packet_hops - hops_before_) / ran;
  const WorkTime time = work_time(one, {.setup = 0, .hops_per_second = speed}, {.at_once = 1, .cores = 1});
  return fmt::format("the run takes {}", work_time_text(time));
}

std::string work_time_text(const WorkTime& time) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  if (time.most < 10) {
    return "a few seconds";
  }
  if (time.most < 2 * kMinute) {
    return range_text(time, 1, "second");
  }
  return time.most < 2 * kHour ? range_text(time, kMinute, "minute") : range_text(time, kHour, "hour");
}

WorkProgress::WorkProgress(std::span<const study::run::HopsEstimate> pieces, double expected_seconds)
    : expected_(expected_seconds) {
  double largest = 0;
  for (const study::run::HopsEstimate& piece : pieces) {
    weights_.push_back(std::sqrt(piece.least * piece.most) + piece.nodes * kHopsOfANode);
    largest = std::max(largest, weights_.back());
  }
  for (double& weight : weights_) {
    weight = largest > 0 ? std::max(weight, largest / 100) : 1;
    all_ += weight;
  }
  parts_.resize(weights_.size());
}

void WorkProgress::under_way(std::size_t piece, double part) {
  parts_[piece] = std::max(parts_[piece], std::clamp(part, 0.0, 1.0));
}

double WorkProgress::share() const {
  const double done = std::transform_reduce(weights_.begin(), weights_.end(), parts_.begin(), 0.0);
  return all_ > 0 ? std::min(done / all_, 1.0) : 1;
}

// What was expected counts until a tenth of the work says better.
double WorkProgress::left(double elapsed) const {
  constexpr double kTrusted = 0.1;
  const double trust = expected_ > 0 ? std::min(share() / kTrusted, 1.0) : 1;
  const double measured = share() > 0 ? elapsed / share() : expected_;
  return std::max(trust * measured + (1 - trust) * expected_ - elapsed, 0.0);
}

}  // namespace weft::cli
