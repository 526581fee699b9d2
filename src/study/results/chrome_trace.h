// The timeline of a run of graphs in Chrome's trace format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
//
// A rank is a process, a stream a thread, a node a complete event ("ph": "X") with its label, size and communicator as
// arguments; times are in microseconds, exact to a picosecond below 2 hours. What lies on the critical path says so in
// its arguments and has the category "critical".
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "workload/training/critical_path.h"
#include "workload/training/node_log.h"

namespace weft::study::results {

struct ChromeTraceOptions {
  std::string_view job = "job";
  std::span<const workload::Communicator> communicators{};  // that all graphs of the run had
  std::span<const std::string_view> streams{};              // names; those missing are "stream N"
  const workload::CriticalPath* path = nullptr;             // null: nothing is marked
  std::uint32_t ranks = UINT32_MAX;                         // at most so many, from rank 0
};

/// Writes the document in pieces, so that it need not be in memory as a whole.
void write_chrome_trace(const workload::NodeLog& log, const ChromeTraceOptions& options,
                        const std::function<void(std::string_view)>& write);
[[nodiscard]] std::string chrome_trace(const workload::NodeLog& log, const ChromeTraceOptions& options);

}  // namespace weft::study::results
