// Jobs and traffic of which nothing came through: all messages have ended, none of them well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/results/results.h"
#include "verbs/completion.h"

namespace weft::study::results {

struct FailedJob {
  std::string name;
  std::uint64_t messages = 0;  // that failed
  verbs::WcStatus status{};    // of the first to fail; those behind it on a queue pair are flushed
  bool was_asked_for = false;  // the run has attacks, or links and hosts that fail, and other jobs came through

  friend bool operator==(const FailedJob&, const FailedJob&) = default;
};

/// In the order of jobs.
[[nodiscard]] std::vector<FailedJob> failed_jobs(const RunResults& results);

/// The scenario makes something fail, or attacks it.
[[nodiscard]] bool has_planned_faults(const RunResults& results);

/// "all 12 messages of 'rpc' FAILED: transport retry counter exceeded"
[[nodiscard]] std::string text_of(const FailedJob& job);

}  // namespace weft::study::results
