#include "study/claims/readings.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "study/claims/over_seeds.h"

namespace weft::study::claims {
namespace {

double in_us(Duration value) { return value.seconds() * 1e6; }

bool came_to_its_end(const results::RunInfo& run) {
  return run.end == results::RunEnd::kFinished || run.end == results::RunEnd::kTimeLimit;
}

}  // namespace

void Readings::miss(std::string what) {
  if (fault_.empty()) {
    fault_ = fmt::format("{}: {}", scenario_, what);
  }
}

void Readings::check_end(const ClaimCase& one) {
  if (one.refusal.empty() && !came_to_its_end(one.results.run)) {
    miss(fmt::format("case '{}': {} {}", one.name, to_string(one.results.run.end), one.results.run.error));
  }
}

const std::deque<ClaimCase>& Readings::cases() {
  if (!std::exchange(ran_, true)) {
    Result<std::vector<ClaimCase>> made = runner_.run(scenario_);
    if (made) {
      std::ranges::move(*made, std::back_inserter(cases_));
    } else {
      miss(made.error().message);
    }
    std::ranges::for_each(cases_, [this](const ClaimCase& one) { check_end(one); });
  }
  return cases_;
}

std::vector<std::string> Readings::misconfigurations(std::string_view name) {
  if (const auto known = mistakes_.find(name); known != mistakes_.end()) {
    return known->second;
  }
  std::vector<std::string>& names = mistakes_[std::string(name)];
  const std::vector<std::string> seeds = seeds_of(*this, name);
  for (const std::string& seed : seeds) {
    Result<std::vector<ClaimCase>> made = runner_.run_misconfigured(scenario_, seed);
    if (!made) {
      miss(made.error().message);
      return names;
    }
    for (ClaimCase& one : *made) {
      if (seed == seeds.front()) {
        names.push_back(one.name);
      }
      one.name = fmt::format("{}, {}{}", name, one.name, seed.substr(name.size()));
      check_end(one);
      cases_.push_back(std::move(one));
    }
  }
  return names;
}

const ClaimCase& Readings::at(std::string_view case_name) {
  static const ClaimCase kNone{};
  const auto found = std::ranges::find(cases(), case_name, &ClaimCase::name);
  if (found == cases_.end()) {
    miss(fmt::format("no case '{}'", case_name));
    return kNone;
  }
  return *found;
}

const results::JobSummary& Readings::job(std::string_view case_name, std::string_view job) {
  static const results::JobSummary kNone{};
  const std::vector<results::JobSummary>& jobs = at(case_name).summary.jobs;
  const auto found = job.empty() ? jobs.begin() : std::ranges::find(jobs, job, &results::JobSummary::name);
  if (found == jobs.end()) {
    miss(fmt::format("case '{}' has no traffic '{}'", case_name, job));
    return kNone;
  }
  return *found;
}

const results::NetworkSummary& Readings::network(std::string_view case_name) { return at(case_name).summary.network; }

double Readings::gbps(std::string_view case_name, std::string_view job) {
  // A job of which no message ended got nothing.
  const results::JobSummary& found = this->job(case_name, job);
  return found.goodput ? static_cast<double>(found.goodput->bits_per_second()) * 1e-9 : 0;
}

double Readings::latency_us(std::string_view case_name, std::string_view job) {
  const results::JobSummary& found = this->job(case_name, job);
  if (!found.latency) {
    miss(fmt::format("case '{}': no message ended", case_name));
    return 0;
  }
  return in_us(found.latency->median);
}

double Readings::jitter_us(std::string_view case_name, std::string_view job) {
  const results::JobSummary& found = this->job(case_name, job);
  if (!found.jitter) {
    miss(fmt::format("case '{}': fewer than two messages ended", case_name));
    return 0;
  }
  return in_us(*found.jitter);
}

double Readings::longest_ms(std::string_view case_name, std::string_view job) {
  const results::JobSummary& found = this->job(case_name, job);
  if (found.collective) {
    return found.collective->max.seconds() * 1e3;
  }
  if (!found.completion) {
    miss(fmt::format("case '{}': no message ended", case_name));
    return 0;
  }
  return found.completion->max.seconds() * 1e3;
}

double Readings::operation_ms(std::string_view case_name) {
  std::uint32_t last = 0;
  Time first_end = Time::zero();
  Time last_end = Time::zero();
  for (const workload::CollectiveRecord& record : at(case_name).results.collectives) {
    last = std::max(last, record.iteration);
    last_end = std::max(last_end, record.finished);
    first_end = record.iteration == 0 ? std::max(first_end, record.finished) : first_end;
  }
  if (last == 0) {
    miss(fmt::format("no case '{}' with two operations of a collective", case_name));
    return 0;
  }
  return (last_end - first_end).seconds() * 1e3 / last;
}

double Readings::ended_ms(std::string_view case_name) {
  return at(case_name).results.run.ended_at.since_start().seconds() * 1e3;
}

double Readings::retransmitted_share(std::string_view case_name) {
  double sent = 0;
  for (const results::NicRow& nic : at(case_name).results.nics) {
    sent += static_cast<double>(nic.data_sent);
  }
  return sent > 0 ? static_cast<double>(network(case_name).retransmitted) / sent : 0;
}

const std::string& Readings::refusal(std::string_view case_name) { return at(case_name).refusal; }

const results::ScalePoint& Readings::point(const ScaleRequest& request, std::string_view fabric, std::int64_t gpus) {
  static const results::ScalePoint kNone{
      .fabric = {}, .refusal = {}, .step = results::StepRow{}, .slower = Duration::zero()};
  if (!std::exchange(scaled_, true)) {
    Result<std::vector<results::ScalePoint>> made = runner_.scale(scenario_, request);
    if (made) {
      points_ = std::move(*made);
    } else {
      miss(made.error().message);
    }
  }
  const auto found = std::ranges::find_if(points_, [&](const results::ScalePoint& point) {
    return point.fabric == fabric && point.gpus == gpus && point.step;
  });
  if (found == points_.end()) {
    miss(fmt::format("no step of '{}' on {} GPUs", fabric, gpus));
    return kNone;
  }
  return *found;
}

}  // namespace weft::study::claims
