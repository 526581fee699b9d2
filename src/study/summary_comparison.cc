#include "study/summary_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "study/summary_text.h"

namespace weft::study {
namespace {

using Cell = std::optional<std::string>;

struct Row {
  std::string name;
  std::function<Cell(const ComparedRun&)> cell;
};

template <class T, class Text>
Cell text_of(const std::optional<T>& value, Text text) {
  return value ? Cell(text(*value)) : std::nullopt;
}

/// A row about the first job.
template <class Value>
Row job_row(std::string name, Value value) {
  return {std::move(name), [value](const ComparedRun& run) -> Cell {
            return run.summary.jobs.empty() ? std::nullopt : value(run.summary.jobs.front());
          }};
}

std::vector<Row> rows() {
  const auto time = [](Duration value) { return short_text(value); };
  const auto plain = [](double value) { return fmt::format("{:.3f}", value); };
  const auto count = [](std::uint64_t value) { return fmt::format("{}", value); };
  std::vector<Row> all;
  all.push_back(job_row("FCT p50", [time](const JobSummary& job) {
    return job.completion ? Cell(time(job.completion->median)) : std::nullopt;
  }));
  all.push_back(job_row("FCT p99.9", [time](const JobSummary& job) {
    return job.completion ? Cell(time(job.completion->p999)) : std::nullopt;
  }));
  all.push_back(job_row("FCT max", [time](const JobSummary& job) {
    return job.completion ? Cell(time(job.completion->max)) : std::nullopt;
  }));
  all.push_back(job_row("slowdown p99.9", [plain](const JobSummary& job) {
    return job.slowdown ? Cell(plain(job.slowdown->p999)) : std::nullopt;
  }));
  all.push_back(job_row("jitter", [time](const JobSummary& job) { return text_of(job.jitter, time); }));
  all.push_back(job_row("collective max", [time](const JobSummary& job) {
    return job.collective ? Cell(time(job.collective->max)) : std::nullopt;
  }));
  all.push_back(job_row("goodput", [](const JobSummary& job) {
    return text_of(job.goodput, [](Rate value) { return short_text(value); });
  }));
  all.push_back(job_row("Jain's index", [plain](const JobSummary& job) { return text_of(job.jain, plain); }));
  const auto network = [&all](std::string name, auto value) {
    all.push_back({std::move(name), [value](const ComparedRun& run) -> Cell { return value(run.summary.network); }});
  };
  network("drops", [count](const NetworkSummary& net) { return Cell(count(net.drops)); });
  network("pauses", [count](const NetworkSummary& net) { return text_of(net.pauses, count); });
  network("held", [time](const NetworkSummary& net) { return text_of(net.held, time); });
  network("marks", [count](const NetworkSummary& net) { return text_of(net.marked, count); });
  network("retransmitted", [count](const NetworkSummary& net) { return Cell(count(net.retransmitted)); });
  network("deepest queue", [](const NetworkSummary& net) {
    return text_of(net.queue,
                   [](const QueueSummary& queue) { return short_text(Bytes(static_cast<std::int64_t>(queue.peak))); });
  });
  return all;
}

}  // namespace

namespace {

/// One table of as many columns as fit in a line of a terminal.
std::string block_text(std::span<const ComparedRun> runs, std::size_t width) {
  std::string text = fmt::format("{:<16}", "side by side");
  for (const ComparedRun& run : runs) {
    text += fmt::format("{:>{}}", run.name, width);
  }
  text += '\n';
  for (const Row& row : rows()) {
    std::string line = fmt::format("  {:<14}", row.name);
    bool any = false;
    for (const ComparedRun& run : runs) {
      const Cell cell = row.cell(run);
      any = any || cell.has_value();
      line += fmt::format("{:>{}}", cell.value_or("-"), width);
    }
    if (any) {
      text += line + '\n';
    }
  }
  return text;
}

}  // namespace

std::string comparison_text(std::span<const ComparedRun> runs) {
  constexpr std::size_t kLine = 100;
  constexpr std::size_t kNames = 16;
  std::size_t width = 14;
  for (const ComparedRun& run : runs) {
    width = std::max(width, run.name.size() + 2);
  }
  const std::size_t columns = std::max<std::size_t>((kLine - kNames) / width, 1);
  std::string text;
  for (std::size_t first = 0; first < runs.size(); first += columns) {
    text += first == 0 ? "" : "\n";
    text += block_text(runs.subspan(first, std::min(columns, runs.size() - first)), width);
  }
  return text;
}

}  // namespace weft::study
