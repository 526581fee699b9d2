#include "study/results/failed_jobs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace weft::study::results {

bool has_planned_faults(const RunResults& results) {
  constexpr std::array<std::string_view, 4> kObserved = {"job-lost", "watchdog", "deadlock", "leaf order"};
  return !results.attacks.empty() || !std::ranges::all_of(results.events, [&](const EventRow& event) {
    return std::ranges::find(kObserved, event.kind) != kObserved.end();
  });
}

std::vector<FailedJob> failed_jobs(const RunResults& results) {
  struct Ended {
    std::uint64_t well = 0;
    std::uint64_t failed = 0;
    const workload::MessageRecord* first = nullptr;
  };
  std::vector<Ended> ended(results.jobs.size());
  for (const MessageRow& row : results.messages) {
    Ended& own = ended.at(row.record.flow.job.value());
    if (row.record.status == verbs::WcStatus::kSuccess) {
      ++own.well;
      continue;
    }
    ++own.failed;
    if (own.first == nullptr || row.record.finished < own.first->finished) {
      own.first = &row.record;
    }
  }
  const bool nothing = std::ranges::all_of(ended, [](const Ended& own) { return own.well == 0; });
  std::vector<FailedJob> made;
  for (std::size_t job = 0; job < ended.size(); ++job) {
    if (ended[job].well == 0 && ended[job].failed > 0 && results.jobs[job].unfinished == 0) {
      made.push_back({.name = results.jobs[job].name,
                      .messages = ended[job].failed,
                      .status = ended[job].first->status,
                      .was_asked_for = !nothing && has_planned_faults(results)});
    }
  }
  return made;
}

std::string text_of(const FailedJob& job) {
  return job.messages == 1
             ? fmt::format("the one message of '{}' FAILED: {}", job.name, to_string(job.status))
             : fmt::format("all {} messages of '{}' FAILED: {}", job.messages, job.name, to_string(job.status));
}

}  // namespace weft::study::results
