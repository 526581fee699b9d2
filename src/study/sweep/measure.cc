#include "study/sweep/measure.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "base/nearest_word.h"
#include "base/parse_quantity.h"
#include "study/results/summary_text.h"
#include "study/run/collective_run.h"
#include "study/scenario/collective_traffic.h"
#include "study/scenario/raw_value.h"

namespace weft::study::sweep {
namespace {

using Figure = std::optional<double>;

bool counts(const MeasuredRun& run, const workload::MessageRecord& record) {
  return record.status == verbs::WcStatus::kSuccess && (!run.job || record.flow.job.value() == *run.job);
}

std::vector<Duration> completions(const MeasuredRun& run) {
  std::vector<Duration> times;
  for (const results::MessageRow& row : run.results.messages) {
    if (counts(run, row.record)) {
      times.push_back(row.record.finished - row.record.posted);
    }
  }
  std::ranges::sort(times);
  return times;
}

Figure completion_at(const MeasuredRun& run, Probability::Ratio share) {
  const std::vector<Duration> times = completions(run);
  return times.empty() ? Figure() : results::percentile(std::span(times), Probability::from_ratio(share)).seconds();
}

Figure mean_completion(const MeasuredRun& run) {
  const std::vector<Duration> times = completions(run);
  double sum = 0;
  for (const Duration time : times) {
    sum += time.seconds();
  }
  return times.empty() ? Figure() : sum / static_cast<double>(times.size());
}

Figure slowdown(const MeasuredRun& run) {
  std::vector<double> ratios;
  for (const results::MessageRow& row : run.results.messages) {
    if (counts(run, row.record) && row.ideal > Duration::zero()) {
      ratios.push_back((row.record.finished - row.record.posted).seconds() / row.ideal.seconds());
    }
  }
  std::ranges::sort(ratios);
  return ratios.empty() ? Figure()
                        : results::percentile(std::span<const double>(ratios),
                                              Probability::from_ratio({.numerator = 99, .denominator = 100}));
}

const results::StepRow* step_of(const MeasuredRun& run) {
  for (const results::StepRow& step : run.results.steps) {
    if (!run.job || step.job == run.results.jobs.at(*run.job).name) {
      return &step;
    }
  }
  return nullptr;
}

/// Whole operations: first rank's start to last rank's end.
struct Operations {
  double seconds = 0;    // mean
  double bandwidth = 0;  // bytes/s of bus bandwidth, mean; 0: not known
};

const scenario::TrafficSettings* traffic_called(const scenario::Scenario& scenario, const std::string& name) {
  const auto found = std::ranges::find(scenario.traffic, name, &scenario::TrafficSettings::name);
  return found == scenario.traffic.end() ? nullptr : &*found;
}

std::optional<Operations> operations_of(const MeasuredRun& run) {
  Operations made;
  double count = 0;
  for (std::size_t job = 0; job < run.results.jobs.size(); ++job) {
    const std::optional<results::Spread<Duration>>& times = run.summary.jobs.at(job).collective;
    if (!times || (run.job && *run.job != job)) {
      continue;
    }
    std::map<std::uint32_t, std::pair<Time, Time>> whole;  // by iteration
    Bytes size;
    for (const workload::CollectiveRecord& record : run.results.collectives) {
      if (record.job.value() == job) {
        const auto own = whole.try_emplace(record.iteration, record.started, record.finished).first;
        own->second.first = earlier(own->second.first, record.started);
        own->second.second = later(own->second.second, record.finished);
        size = record.size;
      }
    }
    const scenario::TrafficSettings* const traffic = traffic_called(run.scenario, run.results.jobs[job].name);
    const double factor = traffic == nullptr
                              ? 0
                              : run::bus_factor(traffic->kind == scenario::TrafficKind::kCollective
                                                    ? traffic->collective
                                                    : workload::CollectiveKind::kAllReduce,
                                                static_cast<std::int64_t>(run.results.jobs[job].ranks.size()));
    for (const auto& [iteration, span] : whole) {
      const double seconds = (span.second - span.first).seconds();
      made.seconds += seconds;
      made.bandwidth += seconds > 0 ? static_cast<double>(size.count()) * factor / seconds : 0;
      ++count;
    }
  }
  if (count == 0) {
    return std::nullopt;
  }
  return Operations{.seconds = made.seconds / count, .bandwidth = made.bandwidth / count};
}

Figure goodput(const MeasuredRun& run) {
  double sum = 0;
  for (std::size_t job = 0; job < run.summary.jobs.size(); ++job) {
    const std::optional<Rate>& own = run.summary.jobs[job].goodput;
    sum += own && (!run.job || *run.job == job) ? static_cast<double>(own->bits_per_second()) : 0;
  }
  return sum > 0 ? Figure(sum) : std::nullopt;
}

/// Over jobs, the least.
Figure fairness(const MeasuredRun& run) {
  Figure least;
  for (std::size_t job = 0; job < run.summary.jobs.size(); ++job) {
    const std::optional<double>& own = run.summary.jobs[job].jain;
    if (own && (!run.job || *run.job == job)) {
      least = std::min(least.value_or(1), *own);
    }
  }
  return least;
}

Figure count(std::uint64_t value) { return static_cast<double>(value); }

constexpr std::array kKinds = {
    MeasureKind{.name = "step",
                .about = "time of a training step, decoded token or halo exchange",
                .of = [](const MeasuredRun& run) -> Figure {
                  const results::StepRow* const step = step_of(run);
                  return step == nullptr ? Figure() : step->time.seconds();
                }},
    MeasureKind{.name = "exposed",
                .about = "part of a step that waits for communication",
                .of = [](const MeasuredRun& run) -> Figure {
                  const results::StepRow* const step = step_of(run);
                  return step == nullptr ? Figure() : step->exposed_communication().seconds();
                }},
    MeasureKind{.name = "fct-p50",
                .about = "flow completion time, median over messages",
                .of = [](const MeasuredRun& run) { return completion_at(run, {.numerator = 1, .denominator = 2}); }},
    MeasureKind{.name = "fct-p99",
                .about = "flow completion time that 1 % of the messages exceed",
                .of = [](const MeasuredRun& run) { return completion_at(run, {.numerator = 99, .denominator = 100}); }},
    MeasureKind{.name = "fct-max",
                .about = "flow completion time of the slowest message",
                .of = [](const MeasuredRun& run) { return completion_at(run, {.numerator = 1, .denominator = 1}); }},
    MeasureKind{.name = "fct-mean", .about = "flow completion time, mean over messages", .of = mean_completion},
    MeasureKind{.name = "slowdown-p99",
                .about = "completion time over that on an empty network, which 1 % of the messages exceed",
                .unit = Unit::kRatio,
                .of = slowdown},
    MeasureKind{.name = "collective",
                .about = "time of a collective operation, first rank's start to last rank's end, mean",
                .of = [](const MeasuredRun& run) -> Figure {
                  const auto own = operations_of(run);
                  return own ? Figure(own->seconds) : std::nullopt;
                }},
    MeasureKind{.name = "busbw",
                .about = "bus bandwidth of collective operations as nccl-tests define it, mean",
                .unit = Unit::kBytesPerSecond,
                .better = Better::kHigher,
                .of = [](const MeasuredRun& run) -> Figure {
                  const auto own = operations_of(run);
                  return own && own->bandwidth > 0 ? Figure(own->bandwidth) : std::nullopt;
                }},
    MeasureKind{.name = "goodput",
                .about = "payload per time of all flows together",
                .unit = Unit::kBitsPerSecond,
                .better = Better::kHigher,
                .of = goodput},
    MeasureKind{.name = "fairness",
                .about = "Jain's index over flows, of the job where it is least",
                .unit = Unit::kRatio,
                .better = Better::kHigher,
                .of = fairness},
    MeasureKind{.name = "queue-peak",
                .about = "most bytes that waited at a port of a switch",
                .unit = Unit::kBytes,
                .of = [](const MeasuredRun& run) -> Figure {
                  return run.summary.network.queue ? count(run.summary.network.queue->peak) : std::nullopt;
                }},
    MeasureKind{.name = "queue-median",
                .about = "median of the fullest queue; needs output.sample_interval",
                .unit = Unit::kBytes,
                .of = [](const MeasuredRun& run) -> Figure {
                  const auto& queue = run.summary.network.queue;
                  return queue && queue->depth ? Figure(static_cast<double>(queue->depth->median.count()))
                                               : std::nullopt;
                }},
    MeasureKind{
        .name = "drops",
        .about = "packets that switches and hosts dropped",
        .unit = Unit::kCount,
        .of = [](const MeasuredRun& run) { return count(run.summary.network.drops + run.summary.network.host_drops); }},
    MeasureKind{.name = "retransmitted",
                .about = "packets sent again",
                .unit = Unit::kCount,
                .of = [](const MeasuredRun& run) { return count(run.summary.network.retransmitted); }},
    MeasureKind{.name = "pauses",
                .about = "XOFF frames of PFC",
                .unit = Unit::kCount,
                .of = [](const MeasuredRun& run) -> Figure {
                  const std::optional<std::uint64_t>& own = run.summary.network.pauses;
                  return own ? count(*own) : std::nullopt;
                }},
    MeasureKind{.name = "held",
                .about = "time that lanes of ports were paused or without credits, together",
                .of = [](const MeasuredRun& run) -> Figure {
                  const std::optional<Duration>& own = run.summary.network.held;
                  return own ? Figure(own->seconds()) : std::nullopt;
                }},
};

std::string plain_text(double value) {
  const double size = std::abs(value);
  if (size == 0) {
    return "0";
  }
  const int before = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(4 - before, 0));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    text = text.back() == '.' ? text.substr(0, text.size() - 1) : text;
  }
  return text;
}

}  // namespace

std::span<const MeasureKind> measure_kinds() { return kKinds; }

Result<Measure> parse_measure(std::string_view text) {
  const auto mark = text.find('@');
  const std::string_view name = text.substr(0, mark);
  for (const MeasureKind& kind : kKinds) {
    if (kind.name == name) {
      return Measure{.kind = &kind, .job = mark == std::string_view::npos ? "" : std::string(text.substr(mark + 1))};
    }
  }
  std::vector<std::string_view> valid;
  for (const MeasureKind& kind : kKinds) {
    valid.push_back(kind.name);
  }
  const std::string shown = scenario::printable(name);
  return tl::unexpected<Error>(unknown_word({.kind = "figure", .word = shown, .valid = valid}));
}

Measure usual_measure(const scenario::Scenario& scenario) {
  const auto called = [](std::string_view name) { return *parse_measure(name); };
  if (std::ranges::any_of(scenario.jobs, &scenario::JobSettings::runs_steps)) {
    return called("step");
  }
  return called(std::ranges::any_of(scenario.traffic, scenario::is_collective, &scenario::TrafficSettings::kind)
                    ? "collective"
                    : "fct-p99");
}

Result<void> check_measure(const Measure& measure, const scenario::Scenario& scenario) {
  if (!measure.job.empty()) {
    std::vector<std::string_view> valid;
    for (const scenario::JobSettings& job : scenario.jobs) {
      valid.push_back(job.name);
    }
    for (const scenario::TrafficSettings& traffic : scenario.traffic) {
      valid.push_back(traffic.name);
    }
    if (std::ranges::find(valid, measure.job) == valid.end()) {
      const std::string shown = scenario::printable(measure.job);
      const Error unknown = unknown_word({.kind = "job or traffic", .word = shown, .valid = valid});
      return fail("{}: {}", measure.kind->name, unknown.message);
    }
  }
  const std::string_view kind = measure.kind->name;
  const auto is_called = [&](const auto& part) { return measure.job.empty() || part.name == measure.job; };
  const bool any_steps = std::ranges::any_of(
      scenario.jobs, [&](const scenario::JobSettings& job) { return is_called(job) && job.runs_steps(); });
  if ((kind == "step" || kind == "exposed") && !any_steps) {
    return fail("{}: no job of the scenario runs steps", measure.name());
  }
  const bool any_operation = std::ranges::any_of(scenario.traffic, [&](const scenario::TrafficSettings& traffic) {
    return is_called(traffic) && scenario::is_collective(traffic.kind);
  });
  if ((kind == "collective" || kind == "busbw") && !any_operation && !any_steps) {
    return fail("{}: the scenario has no collective operations", measure.name());
  }
  if (kind == "queue-median" && !scenario.output.sample_interval) {
    return fail("{}: queues are sampled with output.sample_interval alone, which is not set", measure.name());
  }
  return {};
}

Result<double> measure_run(const Measure& measure, const results::RunResults& results, const results::Summary& summary,
                           const scenario::Scenario& scenario) {
  if (results.run.end != results::RunEnd::kFinished && results.run.end != results::RunEnd::kTimeLimit) {
    return fail("{}", results.run.error.empty() ? std::string(to_string(results.run.end)) : results.run.error);
  }
  MeasuredRun run{.results = results, .summary = summary, .scenario = scenario};
  if (!measure.job.empty()) {
    const auto job = std::ranges::find(results.jobs, measure.job, &results::JobRow::name);
    if (job == results.jobs.end()) {
      return fail("{}: the run has no job or traffic '{}'", measure.name(), scenario::printable(measure.job));
    }
    run.job = static_cast<std::size_t>(job - results.jobs.begin());
  }
  const std::optional<double> value = measure.kind->of(run);
  return value ? Result<double>(*value) : fail("the run has no {} ({})", measure.name(), measure.kind->about);
}

std::string value_text(Unit unit, double value) {
  constexpr double kMost = 9e18;
  switch (unit) {
    case Unit::kSeconds:
      return results::short_text(Duration::picoseconds(std::llround(std::clamp(value * 1e12, -kMost, kMost))));
    case Unit::kBitsPerSecond:
      return results::short_text(Rate::bits_per_second(std::llround(std::clamp(value, 0.0, kMost))));
    case Unit::kBytesPerSecond:
      return plain_text(value / 1e9) + " GB/s";
    case Unit::kBytes:
      return results::short_text(Bytes(std::llround(std::clamp(value, -kMost, kMost))));
    case Unit::kCount:
    case Unit::kRatio:
      break;
  }
  return plain_text(value);
}

Result<double> parse_value(Unit unit, std::string_view text) {
  const auto number = [](auto value, auto count) { return value ? Result<double>(count(*value)) : pass_on(value); };
  switch (unit) {
    case Unit::kSeconds:
      return number(parse_duration(text), [](Duration value) { return value.seconds(); });
    case Unit::kBitsPerSecond:
      return number(parse_rate(text), [](Rate value) { return static_cast<double>(value.bits_per_second()); });
    case Unit::kBytesPerSecond:
      return number(parse_rate(text), [](Rate value) { return static_cast<double>(value.bits_per_second()) / 8; });
    case Unit::kBytes:
      return number(parse_bytes(text), [](Bytes value) { return static_cast<double>(value.count()); });
    case Unit::kCount:
    case Unit::kRatio:
      break;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_good = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  return is_good ? Result<double>(value) : fail("'{}' is no number", scenario::printable(text));
}

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::kSeconds:
      return "s";
    case Unit::kBitsPerSecond:
      return "bit/s";
    case Unit::kBytesPerSecond:
      return "bytes/s";
    case Unit::kBytes:
      return "bytes";
    case Unit::kCount:
    case Unit::kRatio:
      break;
  }
  return "";
}

std::string fidelity_of(const results::RunResults& results) {
  const std::string level = !results.run.fidelity.empty() ? results.run.fidelity
                            : !results.steps.empty()      ? results.steps.front().fidelity
                                                          : "packet";
  const std::optional<double> error = results.run.flow_error  ? results.run.flow_error
                                      : results.steps.empty() ? std::nullopt
                                                              : results.steps.front().composition_error;
  return error ? fmt::format("{}, off by {:+.2f} %", level, *error * 100) : level;
}

}  // namespace weft::study::sweep
