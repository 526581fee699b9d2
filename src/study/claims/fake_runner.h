// Runs made by hand, for tests of what claims make of them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/claims/claim_table.h"
#include "study/report/comparison_document.h"

namespace weft::study::claims::testing {

/// What one traffic of a made run got.
struct Made {
  std::string job;
  double gbps = 1;
  double us = 1;  // of every message, and of the whole; the jitter is a tenth of it
};

class FakeRunner : public ClaimRunner {
 public:
  /// One traffic without a name.
  void add(const std::string& case_name, double gbps, double us = 1) { add_jobs(case_name, {{"", gbps, us}}); }
  void add_jobs(const std::string& case_name, const std::vector<Made>& jobs) {
    ClaimCase& made = cases_.emplace_back();
    made.name = case_name;
    for (const Made& one : jobs) {
      const auto time = Duration::picoseconds(static_cast<std::int64_t>(one.us * 1e6));
      results::JobSummary& job = made.summary.jobs.emplace_back();
      job.name = one.job;
      job.goodput = Rate::bits_per_second(static_cast<std::int64_t>(one.gbps * 1e9));
      job.latency = results::Spread<Duration>{.count = 2, .percentiles = {}, .median = time, .p999 = time, .max = time};
      job.completion = job.latency;
      job.jitter = time / 10;
      made.results.run.ended_at = later(made.results.run.ended_at, Time::zero() + time);
    }
  }
  /// One flow for each share of a line of 100 Gb/s, each of whose messages takes the same time, until the run's end.
  void add_flows(const std::string& case_name, const std::vector<double>& shares) {
    constexpr std::int64_t kRunUs = 6'000;
    constexpr double kLine = 100e9;
    add(case_name, 1, kRunUs);
    results::JobRow& job = last().results.jobs.emplace_back();
    for (std::size_t i = 0; i <= shares.size(); ++i) {
      const std::string host = "host" + std::to_string(i);
      job.ranks.push_back(
          {.name = host, .endpoint = host, .rate = Rate::bits_per_second(static_cast<std::int64_t>(kLine))});
    }
    for (std::size_t i = 0; i < shares.size(); ++i) {
      workload::MessageRecord record;
      record.flow = {.job = workload::JobId(0),
                     .source = workload::RankId(static_cast<std::uint32_t>(i)),
                     .destination = workload::RankId(static_cast<std::uint32_t>(i + 1))};
      record.size = Bytes(static_cast<std::int64_t>(shares[i] * kLine / 8 * kRunUs * 1e-6));
      record.finished = last().results.run.ended_at;
      last().results.messages.push_back({.record = record, .ideal = Duration::zero()});
    }
  }
  /// Takes half of the bytes from the flows of a case that was made, in the second half of its run.
  void halve_after_middle(const std::string& case_name) {
    ClaimCase& made = *std::ranges::find(cases_, case_name, &ClaimCase::name);
    std::vector<results::MessageRow> halves;
    const Time end = made.results.run.ended_at;
    for (results::MessageRow row : made.results.messages) {
      const Bytes whole = row.record.size;
      row.record.size = whole / 2;
      row.record.finished = Time::zero() + end.since_start() * 6 / 10;
      halves.push_back(row);
      row.record.size = whole / 8;
      row.record.finished = end;
      halves.push_back(row);
    }
    made.results.messages = std::move(halves);
  }
  /// Two hosts that send to one another, whose messages take as many times as long as alone as `share` says.
  void add_victims(const std::string& case_name, double share) {
    constexpr std::int64_t kMessages = 100;
    constexpr std::int64_t kIdealNs = 1'000;
    add(case_name, 1, static_cast<double>(kMessages * kIdealNs) * 1e-3);
    results::JobRow& job = last().results.jobs.emplace_back();
    job.name = "victims";
    for (const char* const host : {"host0", "host1"}) {
      job.ranks.push_back({.name = host, .endpoint = host, .rate = Rate::bits_per_second(100'000'000'000)});
    }
    const Duration taken = Duration::nanoseconds(static_cast<std::int64_t>(kIdealNs / share));
    for (Time end = Time::zero() + taken; end <= last().results.run.ended_at; end = end + taken) {
      workload::MessageRecord record;
      record.flow = {.job = workload::JobId(0), .source = workload::RankId(0), .destination = workload::RankId(1)};
      record.size = Bytes(16'384);
      record.posted = end - taken;
      record.finished = end;
      last().results.messages.push_back({.record = record, .ideal = Duration::nanoseconds(kIdealNs)});
    }
  }
  /// One operation after another of a collective, each as long.
  void add_operations(const std::string& case_name, double ms) {
    add(case_name, 1);
    for (std::uint32_t i = 0; i < 3; ++i) {
      const auto end = Duration::picoseconds(static_cast<std::int64_t>((i + 1) * ms * 1e9));
      last().results.collectives.push_back({.iteration = i, .finished = Time::zero() + end});
    }
  }
  /// The case that was added last is a mistake in setting up another, and named after it.
  void make_mistake_of(const std::string& case_name) {
    mistakes_[case_name].push_back(std::move(cases_.back()));
    cases_.pop_back();
  }
  void refuse(const std::string& case_name, const std::string& reason) {
    ClaimCase& made = cases_.emplace_back();
    made.name = case_name;
    made.refusal = reason;
  }
  /// The case that was added last.
  ClaimCase& last() { return cases_.back(); }
  void compare(std::string_view document) {
    comparison_ = report::comparison_from(nlohmann::ordered_json::parse(document));
  }

  Result<std::vector<ClaimCase>> run(const std::string&) override { return cases_; }
  Result<std::vector<ClaimCase>> run_misconfigured(const std::string&, const std::string& case_name) override {
    return mistakes_[case_name];
  }
  Result<std::vector<results::ScalePoint>> scale(const std::string&, const ScaleRequest&) override {
    return fail("no job");
  }
  [[nodiscard]] const report::Comparison* comparison() const override { return comparison_ ? &*comparison_ : nullptr; }

 private:
  std::vector<ClaimCase> cases_;
  std::map<std::string, std::vector<ClaimCase>> mistakes_;
  std::optional<report::Comparison> comparison_;
};

inline const Claim& claim_of(std::string_view id) {
  for (const Claim& claim : claim_table()) {
    if (claim.id == id) {
      return claim;
    }
  }
  static const Claim kNone{};
  return kNone;
}

}  // namespace weft::study::claims::testing
