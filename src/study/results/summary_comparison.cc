#include "study/results/summary_comparison.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/text_table.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

using Cell = std::optional<std::string>;

enum class Ends : std::uint8_t { kLeftOut, kShown };

struct Row {
  std::string name;
  std::function<Cell(const ComparedRun&)> cell;  // none: a heading
};

template <class T, class Text>
Cell text_of(const std::optional<T>& value, Text text) {
  return value ? Cell(text(*value)) : std::nullopt;
}

/// A row about the job of that name.
template <class Value>
Row job_row(const std::string& job, std::string name, Value value) {
  return {std::move(name), [job, value](const ComparedRun& run) -> Cell {
            const auto found = std::ranges::find(run.summary.jobs, job, &JobSummary::name);
            return found == run.summary.jobs.end() ? std::nullopt : value(*found);
          }};
}

void add_job_rows(const std::string& name, std::vector<Row>& all) {
  const auto time = [](Duration value) { return short_text(value); };
  const auto plain = [](double value) { return fmt::format("{:.3f}", value); };
  all.push_back(job_row(name, "FCT p50", [time](const JobSummary& job) {
    return job.completion ? Cell(time(job.completion->median)) : std::nullopt;
  }));
  all.push_back(job_row(name, "FCT p99.9", [time](const JobSummary& job) {
    return job.completion ? Cell(time(job.completion->p999)) : std::nullopt;
  }));
  all.push_back(job_row(name, "FCT max", [time](const JobSummary& job) {
    return job.completion ? Cell(time(job.completion->max)) : std::nullopt;
  }));
  all.push_back(job_row(name, "slowdown p99.9", [plain](const JobSummary& job) {
    return job.slowdown ? Cell(plain(job.slowdown->p999)) : std::nullopt;
  }));
  all.push_back(job_row(name, "latency p50", [time](const JobSummary& job) {
    return job.latency ? Cell(time(job.latency->median)) : std::nullopt;
  }));
  all.push_back(job_row(name, "jitter", [time](const JobSummary& job) { return text_of(job.jitter, time); }));
  all.push_back(job_row(name, "collective max", [time](const JobSummary& job) {
    return job.collective ? Cell(time(job.collective->max)) : std::nullopt;
  }));
  all.push_back(job_row(name, "goodput", [](const JobSummary& job) {
    return text_of(job.goodput, [](Rate value) { return short_text(value); });
  }));
  all.push_back(job_row(name, "Jain's index", [plain](const JobSummary& job) { return text_of(job.jain, plain); }));
}

/// Every job of any run, in the order of their first appearance.
std::vector<std::string> job_names(std::span<const ComparedRun> runs) {
  std::vector<std::string> names;
  for (const ComparedRun& run : runs) {
    for (const JobSummary& job : run.summary.jobs) {
      if (std::ranges::find(names, job.name) == names.end()) {
        names.push_back(job.name);
      }
    }
  }
  return names;
}

/// Short enough for a column; the summary of the run gives the reason.
std::string end_of(const ComparedRun& run) {
  const auto at = [&run](std::string_view how) {
    return fmt::format("{} at {}", how, short_text(run.ended_at.since_start()));
  };
  switch (run.end) {
    case RunEnd::kFinished:
      return "finished";
    case RunEnd::kTimeLimit:
      return at("stopped");
    case RunEnd::kInterrupted:
      return at("INTERRUPTED");
    case RunEnd::kJobLost:
      return at("JOB LOST");
    case RunEnd::kStuck:
    case RunEnd::kError:
      break;
  }
  return at("FAILED");
}

/// Figures of runs that all finished, or all reached their time limit, are of the same kind.
Ends ends_to_show(std::span<const ComparedRun> runs) {
  const RunEnd first = runs.front().end;
  const bool alike = std::ranges::all_of(runs, [first](const ComparedRun& run) { return run.end == first; });
  return alike && (first == RunEnd::kFinished || first == RunEnd::kTimeLimit) ? Ends::kLeftOut : Ends::kShown;
}

std::vector<Row> rows(std::span<const ComparedRun> runs, Ends ends) {
  const auto time = [](Duration value) { return short_text(value); };
  const auto count = [](std::uint64_t value) { return fmt::format("{}", value); };
  std::vector<Row> all;
  if (ends == Ends::kShown) {
    all.push_back({"end", [](const ComparedRun& run) -> Cell { return end_of(run); }});
  }
  const std::vector<std::string> jobs = job_names(runs);
  for (const std::string& job : jobs) {
    if (jobs.size() > 1) {
      all.push_back({job, nullptr});
    }
    add_job_rows(job, all);
  }
  if (jobs.size() > 1) {
    all.push_back({"network", nullptr});
  }
  const auto network = [&all](std::string name, auto value) {
    all.push_back({std::move(name), [value](const ComparedRun& run) -> Cell { return value(run.summary.network); }});
  };
  network("drops", [count](const NetworkSummary& net) { return Cell(count(net.drops)); });
  network("drops, hosts",
          [count](const NetworkSummary& net) { return net.host_drops == 0 ? Cell() : Cell(count(net.host_drops)); });
  network("pauses", [count](const NetworkSummary& net) { return text_of(net.pauses, count); });
  network("held", [time](const NetworkSummary& net) { return text_of(net.held, time); });
  network("marks", [count](const NetworkSummary& net) { return text_of(net.marked, count); });
  network("retransmitted", [count](const NetworkSummary& net) { return Cell(count(net.retransmitted)); });
  network("CPU/(Gb/s)", [](const NetworkSummary& net) {
    return text_of(net.cpu_per_gbps, [](double cores) { return fmt::format("{:.4f} cores", cores); });
  });
  network("deepest queue", [](const NetworkSummary& net) {
    return text_of(net.queue,
                   [](const QueueSummary& queue) { return short_text(Bytes(static_cast<std::int64_t>(queue.peak))); });
  });
  return all;
}

constexpr std::size_t kNames = 16;

/// One table of as many columns as fit in a line of a terminal.
std::string block_text(std::span<const ComparedRun> runs, Ends ends, std::size_t figure, LineWidth width) {
  std::vector<TextTable::Column> columns = {{.heading = "side by side", .least = kNames, .spills = kNames, .gap = 0}};
  for (const ComparedRun& run : runs) {
    columns.push_back({.heading = run.name,
                       .align = TextTable::Align::kRight,
                       .least = figure,
                       .spills = figure,
                       .gap = 0,
                       .wraps = true});
  }
  TextTable table(std::move(columns), width);
  for (const Row& row : rows(runs, ends)) {
    if (row.cell == nullptr) {
      table.add_span(row.name);
      continue;
    }
    std::vector<std::string> cells = {"  " + row.name};
    bool any = false;
    for (const ComparedRun& run : runs) {
      const Cell cell = row.cell(run);
      any = any || cell.has_value();
      cells.push_back(cell.value_or("-"));
    }
    if (any) {
      table.add(std::move(cells));
    }
  }
  return table.text();
}

}  // namespace

std::string comparison_text(std::span<const ComparedRun> runs, LineWidth width) {
  constexpr std::size_t kLine = 100;
  std::size_t figure = 14;
  for (const ComparedRun& run : runs) {
    figure = std::max(figure, run.name.size() + 2);
  }
  const std::size_t room = std::max(width.value_or(kLine), kNames) - kNames;
  const std::size_t columns = std::max<std::size_t>(room / figure, 1);
  const Ends ends = ends_to_show(runs);
  std::string text;
  for (std::size_t first = 0; first < runs.size(); first += columns) {
    text += first == 0 ? "" : "\n";
    text += block_text(runs.subspan(first, std::min(columns, runs.size() - first)), ends, figure, width);
  }
  return text;
}

}  // namespace weft::study::results
